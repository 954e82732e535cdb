/* step.h: what one core does, CTA by CTA: rows, steps, overlap. Design, section 5, "Time". */
#ifndef KCI_STEP_H
#define KCI_STEP_H

#include "device.h"
#include "occupancy.h"
#include "roof.h"
#include "share.h"

/* m, n, k of a matmul's tile rounded up to its instructions', over the tile; per
 * format, weighted by work.  A matmul may swap its operands. */
void kci_instruction_rounding(const kci_counts *counts, const kc_device *device, double rounding[KCI_FORMATS]);

/* Whole fragments over the tile, m and n only, of the matmul that fills them worst: softmax and
 * other maps on an accumulator run on all of it. */
double kci_fragment_rounding(const kci_counts *counts, const kc_device *device);

/* Share of the vector work that runs on one operand before it meets the other (a weight made wide, a
 * scaled activation): it fills its lanes, and runs ahead of the matrix unit. */
double kci_share_ahead(const kci_counts *counts);

/* Bytes that all matmuls fetch from shared memory:
 *     per trip  k * (m * ceil(n / n') * b_A + n * ceil(m / m') * b_B)
 * m' * n' being what one instruction group covers: the warp's tile (scope warp),
 * 64 x 256 (a Hopper group), 128 x 256 (a Blackwell CTA). */
double kci_operand_bytes(const kci_counts *counts, const kc_device *device, double warps);

/* Cycles of one step of a CTA in which one thing waits for another: its tile's arrival and the barrier,
 * then instructions that add onto the same accumulator, k / k' of them for each matmul. */
double kci_step_pause(const kci_counts *counts, const kc_device *device, const char *path);

/* Latencies that follow each other in one row of CTAs: 1 for a matmul and for one reduction, else
 * one each in the longest chain of reductions, and one more before the results leave. */
double kci_latency_chain(const kci_graph *graph);

/* A latency in seconds: a figure below 1 is seconds, else cycles of the core clock. */
double kci_latency_seconds(const kci_figures *figures, double latency);

/* Everything that the CTAs of one launch take, in seconds of one CTA alone on a core,
 * and in bytes. */
typedef struct kci_cta_cost {
    double matrix, vector, special, smem;       /* seconds */
    double issue;               /* seconds: instructions beside the accesses of a scalar loop */
    double l2_read, hbm_read, l2_written, hbm_written;  /* bytes */
    double first;               /* share of the loads before the first step */
    double steps, chain;        /* chain: seconds */
    bool specialised;           /* warps of their own load and store */
    double hide;                /* share of softmax that hides behind matrix work */
    double ahead;               /* part of vector that prepares operands, for the step after */
    double pause;               /* seconds of a step, at least, for one CTA alone: what waits for each other in it */
} kci_cta_cost;

/* A CTA with `factor` times the steps: its first tile and its store are as large as before. */
kci_cta_cost kci_larger_cta(const kci_cta_cost *cta, double factor);

/* Rates that CTAs share, and what limits them. */
typedef struct kci_supply {
    double cores;
    double hbm, l2;             /* byte/s of all cores, sustained */
    double port;                /* byte/s of L2 into one core */
    double in_flight;           /* bytes that a resident CTA has under way */
    double depth;               /* tiles of a stream that are under way; 0: no rounds */
    double hbm_latency, l2_latency;     /* s */
    double turn;                /* s between dependent accesses of a loop, beside the memory's latency */
    double dispatch;            /* CTAs per second that the device can start */
} kci_supply;

/* Bytes per second with this many CTAs resident: no faster than Little's law,
 * CTAs * in_flight / latency. */
double kci_supplied(double bandwidth, double resident, double in_flight, double latency);

typedef struct kci_row_time {
    double load, step, last, store, total;      /* seconds */
    double steps, moves;                        /* all steps but the last; all loads and stores */
} kci_row_time;

/* `each` CTAs on a core, `active` on the device, side by side:
 *     chain + first load + (steps - 1) * step + last compute + store
 * The step is the longest roof of all of them together, or one CTA's own chain:
 * the longer of load and compute ("load"), their sum ("none"), the longest roof
 * ("all").  `serial`: + for every max. */
kci_row_time kci_row_of(const kci_cta_cost *cta, const kci_supply *supply, kci_overlap overlap, double each,
                        double active, bool serial);

/* Body of the kernel: rows of `occupancy` CTAs one after the other, the rest last;
 * persistent CTAs load and store beside their neighbours' compute. */
typedef struct kci_body {
    double total;
    double wait;                /* latencies alone */
    double fill, drain;         /* before the first step, and after the last */
} kci_body;
kci_body kci_body_of(const kci_cta_cost *cta, const kci_supply *supply, kci_overlap overlap, double ctas,
                     double occupancy, bool persistent, bool serial);

/* Stream-K: the CTAs that run at once share all steps of all tiles evenly.  A tile that is
 * cut leaves a partial of `partial` bytes in L2, which another CTA reads and adds. */
kci_body kci_stream_body(const kci_cta_cost *cta, const kci_supply *supply, kci_overlap overlap, double ctas,
                         double occupancy, double partial);

/* A kernel without matmuls: its many short CTAs keep all roofs busy at once, but no core
 * is faster than its rows' latencies. */
kci_body kci_streaming_body(const kci_cta_cost *cta, const kci_supply *supply, double ctas, double occupancy,
                            bool serial);

/* CTAs of the busiest core: floor(ctas / (cores * occupancy)) * occupancy + ceil(rest / cores). */
double kci_busiest_core(double ctas, double cores, double occupancy);

#endif
