/* kcost.h: the costs of GPU kernels, as a C library.
 *
 * A kernel is built from tensors, values and written tensors, then counted
 * (kc_count) or evaluated against a device (kc_evaluate).  The model (libkcost)
 * knows no Lua; the VM at the end of this header runs scripts, and lives in a
 * library of its own per engine (libkcost-lua5.4, libkcost-luajit).
 *
 *     kc_context *kc = kc_context_new(NULL, NULL);
 *     kc_size size[] = { { "m", 4096 }, { "n", 4096 }, { "k", 4096 } };
 *     kc_dtype *f16 = kc_dtype_named(kc, "f16");
 *     kc_tensor *A = kc_tensor_new(kc, "A", "m k", f16, size, 3), *B = kc_tensor_new(kc, "B", "k n", f16, size, 3);
 *     kc_value *a = kc_read(A, NULL, NULL, 0, 1, 0), *b = kc_read(B, NULL, NULL, 0, 1, 0);
 *     kc_value *ab = kc_matmul(a, b, "k", NULL, NULL, NULL);
 *     kc_tensor *C = kc_write("C", ab, NULL, NULL, NULL, NULL, 0, 1);
 *     kc_device *h100 = kc_device_named(kc, "h100-sxm5");
 *     kc_result *best = kc_best((kc_object *)C, h100, NULL);
 *     double time;
 *     if (kc_result_number(best, KC_TIME, &time) != KC_OK)
 *         complain(kc_context_message(kc));
 *
 * "Design" in a comment is the page that fixes every formula.  In short: HBM bytes come
 * from the loads of each read (trips of the loops at or outside its place, times the true
 * extent of a tile), a time from what a device sustains; roof_time <= time <= serial_time.
 *
 * Ownership.  Every function that returns a handle gives the caller one
 * reference; kc_release drops it.  An object keeps alive what it was built
 * from, the context included, so references may be dropped in any order.
 * Texts and arrays that a function takes are copied.  Texts that a function
 * returns belong to the object they were asked of, and live until the same
 * question is put to it again or it goes; those of kc_field_name and the like
 * are there for ever.
 *
 * Errors.  A function that returns a handle returns NULL when it fails, one
 * that returns kc_status returns something other than KC_OK.  The sentence is
 * then in kc_context_message, until the next failure in that context.  A
 * failed call changes nothing.  A NULL handle passed where an object is
 * expected fails with KC_EARGUMENT (a question answers NULL or 0), so calls can
 * be chained and checked once; so does a NULL array that is said to have items.  No function exits, aborts, prints, sets a signal
 * handler or a locale, depends on one, or jumps out.
 *
 * Threads.  A context and everything made in it belong to one thread at a
 * time; callbacks and the allocation hook are called in the thread of the call,
 * but for kc_context_watch's, which the threads of a sweep ask as well.
 * Contexts, and VMs, are independent of each other; there is no global state.
 * What takes neither context nor object may be called from any thread, and so
 * may kc_vm_interrupt.
 * Objects of two contexts do not mix: where names matter, that is refused.
 *
 * Units.  Byte, FLOP, second, byte/s, FLOP/s, Hz; a multiply-add is 2 FLOP.
 * Sizes are whole, positive and below 2^53.  Counts are doubles, exact up to
 * 2^53 and always finite. */
#ifndef KCOST_H
#define KCOST_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ffi: begin */

typedef enum kc_status {
    KC_OK = 0,
    KC_EARGUMENT = 1,   /* a wrong argument: the message names it */
    KC_ENOMEM = 2,      /* the allocator refused */
    KC_ELIMIT = 3,      /* a limit of time, memory or steps was hit */
    KC_ESCRIPT = 4,     /* the script raised an error */
    KC_EENGINE = 5,     /* another Lua engine shadows the one this library needs */
    KC_EDEVICE = 6      /* the kernel does not run on this device */
} kc_status;

typedef enum kc_kind {
    KC_TENSOR, KC_VALUE, KC_KERNEL, KC_PROGRAM, KC_DEVICE, KC_DTYPE,
    KC_SCHEDULE, KC_OPTIONS, KC_RESULT, KC_COMPARISON, KC_SPACE, KC_SWEEP,
    KC_EVALUATOR, KC_PROFILE
} kc_kind;

typedef struct kc_context kc_context;
typedef struct kc_object kc_object;         /* any of the handles below, after a cast */
typedef struct kc_tensor kc_tensor;
typedef struct kc_value kc_value;
typedef struct kc_kernel kc_kernel;
typedef struct kc_program kc_program;
typedef struct kc_device kc_device;
typedef struct kc_dtype kc_dtype;
typedef struct kc_schedule kc_schedule;
typedef struct kc_options kc_options;
typedef struct kc_result kc_result;
typedef struct kc_comparison kc_comparison;
typedef struct kc_space kc_space;
typedef struct kc_sweep kc_sweep;
typedef struct kc_evaluator kc_evaluator;
typedef struct kc_profile kc_profile;

/* One dim and its size in elements, as in { i = 1024 }. */
typedef struct kc_size { const char *dim; double size; } kc_size;

/* Work of one element: vector FLOP, special-unit ops. */
typedef struct kc_cost { double flops, special; } kc_cost;

/* ---- context ---------------------------------------------------------- */

/* The one allocation hook: new_size 0 frees `block` and returns NULL; else it
 * returns a block of new_size bytes that starts with the first
 * min(old_size, new_size) bytes of `block`, or NULL, and `block` is unchanged.
 * old_size is what was asked for before, 0 when `block` is NULL.  Blocks are aligned as
 * malloc's.  A hook may refuse at any time: the call fails with KC_ENOMEM, and what was
 * there stays as it is.  A smaller block it should not refuse: Lua takes for granted that
 * it can't, so a VM's goes on as it is and is later freed under the smaller size. */
typedef void *(*kc_resize)(void *data, void *block, size_t old_size, size_t new_size);

/* A context that allocates through `resize` (NULL: the C heap).  NULL when
 * even that much memory is refused. */
kc_context *kc_context_new(kc_resize resize, void *data);
/* Drops the caller's hold; the memory goes when the last object goes. */
void kc_context_free(kc_context *context);
/* Of the last failure: what it was, and the sentence; KC_OK and "" before there is one. */
kc_status kc_context_status(const kc_context *context);
const char *kc_context_message(const kc_context *context);
/* What a status means, where there is no context to ask: "not enough memory". */
const char *kc_status_text(kc_status status);
const char *kc_version(void);   /* "1.2.3" */
/* The declarations of this header between its ffi marks: what LuaJIT's ffi.cdef takes. */
const char *kc_ffi(void);

/* Called now and then with how many points are done, of how many (0: not known).  Not 0: the call
 * ends.  It may look at what another thread or a signal handler sets; into the context it must not call. */
typedef int (*kc_watch)(void *data, double done, double points);
/* Watches the calls of a context that may take long: kc_best, kc_fuse_all, kc_compare, kc_verify, kc_ski_slope,
 * kc_evaluator_run, counts that walk, what is built of or written down about very many parts, and the sweeps and
 * searches that get no watch of their own; a sweep's threads ask it too, several at once.
 * Ended, they fail with KC_ELIMIT, but a sweep or a search of a space keeps what is done; a point that was ended in the
 * middle is not done.  watch NULL: no longer. */
void kc_context_watch(kc_context *context, kc_watch watch, void *data);

kc_kind kc_object_kind(const kc_object *object);     /* not of NULL */
/* The name of a tensor, kernel, program, device or dtype; "" for others. */
const char *kc_object_name(const kc_object *object);
/* What print() shows: one line, or the loop nest of a kernel. NULL: no memory. */
const char *kc_object_text(kc_object *object);
kc_context *kc_object_context(const kc_object *object);
/* One more reference to any object, which is returned; one less, and the last frees it.  NULL: nothing happens. */
void *kc_retain(void *object);
void kc_release(void *object);

/* ---- dtypes ----------------------------------------------------------- */

/* A built-in dtype: f64 f32 tf32 f16 bf16 f8e4m3 f8e5m2 f8 f6 f4 i32 i16 i8 i4
 * u8 bool mxf8 mxf6 mxf4 nvf4 i4g128.  Another name: NULL, and the message has the nearest. */
kc_dtype *kc_dtype_named(kc_context *context, const char *name);
/* An own one: bytes = elements * (bits + (scale_bits + zero_bits)/block) / 8;
 * block 0: none.  `math` names the built-in dtype that it is computed in. */
kc_dtype *kc_dtype_new(kc_context *context, const char *name, double bits, double block,
                       double scale_bits, double zero_bits, const char *math);
double kc_dtype_bits(const kc_dtype *dtype);    /* bits an element, scales included */

/* ---- tensors, values -------------------------------------------------- */

/* A tensor in HBM.  `dims` is "b h i d", the last one contiguous; `sizes` gives each dim its size,
 * more than needed are fine.  NULL: a dim has no size or is there twice, or a size is none. */
kc_tensor *kc_tensor_new(kc_context *context, const char *name, const char *dims,
                         const kc_dtype *dtype, const kc_size *sizes, size_t count);
/* What tensors and values have: dims by position from 0, their sizes, the dtype. */
size_t kc_tensor_rank(const kc_tensor *tensor);
const char *kc_tensor_dim(const kc_tensor *tensor, size_t position);
double kc_tensor_size(const kc_tensor *tensor, size_t position);
kc_dtype *kc_tensor_dtype(const kc_tensor *tensor);     /* a new reference */
size_t kc_value_rank(const kc_value *value);
const char *kc_value_dim(const kc_value *value, size_t position);
double kc_value_size(const kc_value *value, size_t position);
kc_dtype *kc_value_dtype(const kc_value *value);        /* a new reference */

/* A read: the tensor's elements as a value on chip.  `index` (NULL: the tensor's own dims) gives each
 * position a word: a dim, an affine form "2*p+r-1" with constants ("#c*u+c": a dim's size), or
 * data-dependent "[m]", a row for each m.  `sizes` gives the sizes of new dims, and may cover part of the
 * tensor; scale (1) multiplies the traffic; distinct (0: unknown) bounds the rows that a gather touches.
 * What lies outside the tensor is neither read nor useful work.  A 3 x 3 convolution of stride 2 reads
 *     kc_size size[] = { { "p", 56 }, { "q", 56 }, { "r", 3 }, { "s", 3 } };
 *     kc_value *x = kc_read(X, "n c 2*p+r-1 2*q+s-1", size, 4, 1, 0); */
kc_value *kc_read(kc_tensor *tensor, const char *index, const kc_size *sizes, size_t count,
                  double scale, double distinct);
/* A written tensor, which remembers the expression that made it.  dtype NULL: that of the tensor with the
 * most elements behind it, at least 16 bits (design, section 2.2).  `dims` (NULL: the value's) orders the
 * value's dims.  `index` with `sizes` (NULL: none) scatters: then `dims` names the tensor's dims, `sizes`
 * has theirs, `index` says where each point goes, and points that meet add up.  scale (1): of the traffic. */
kc_tensor *kc_write(const char *name, kc_value *value, const kc_dtype *dtype, const char *dims,
                    const char *index, const kc_size *sizes, size_t count, double scale);
/* sum over `over` of a * b: 2 FLOP for each point of the union of the dims, contracted over `over` ("k",
 * "c r s"; NULL: the last dim of a).  A dim that both have and that is not contracted is a batch dim.
 * math: the dtype of the multiply (NULL: the wider of those operands that are reads or casts), without
 * which a device can't run it.  unit: NULL or "matrix", or "vector".  into: NULL, or the value that the
 * product is added onto without an op of its own. */
kc_value *kc_matmul(kc_value *a, kc_value *b, const char *over, const char *math,
                    const char *unit, kc_value *into);
/* Elementwise over the union of the dims of `count` inputs.  `what` names a cost of the design, section
 * 2.1: add mul fma exp gelu rope ...; with `cost` it is only a label, and may be NULL. */
kc_value *kc_map(const char *what, kc_value *const *inputs, size_t count, const kc_cost *cost);
/* Reduces `over` ("j", "i j"): one vector FLOP an input element, or `cost`.  `what`: sum max mean
 * min prod any all argmax argmin amax amin absmax topk; of a scan also cumsum cumprod
 * cummax cummin; with `cost` it is only a label.  `sizes` adds dims to the output. */
kc_value *kc_reduce(const char *what, kc_value *a, const char *over, const kc_size *sizes,
                    size_t count, const kc_cost *cost);
/* A running reduction: keeps `over`, and its users need no next pass. */
kc_value *kc_scan(const char *what, kc_value *a, const char *over, const kc_cost *cost);
/* exp(a - max) / sum, over `over`: 4 FLOP and 1 special op an element, 1 special op a row.  online: one pass
 * with running statistics; else max, sum and division are passes of their own. */
kc_value *kc_softmax(kc_value *a, const char *over, int online);
/* The log-sum-exp of the rows of what kc_softmax gave: 1 special op a row. */
kc_value *kc_lse(kc_value *probabilities);
/* Points with lo <= k - q <= hi are live; -HUGE_VAL and HUGE_VAL: no bound.  Tiles without one are skipped. */
kc_value *kc_mask(kc_value *a, const char *q, const char *k, double lo, double hi);
/* The mask hi = size(k) - size(q), which follows kc_resized. */
kc_value *kc_causal(kc_value *a, const char *q, const char *k);
/* Another dtype on chip and in a later write; no FLOP. */
kc_value *kc_cast(kc_value *a, const kc_dtype *dtype);

/* What this rank of `ranks` gets in a collective over `tensor`, on the device's link: a written tensor, a kernel of
 * its own.  `what` is "allreduce", "alltoall", "broadcast", "sendrecv", of the same shape; "allgather" and
 * "reducescatter", ranks times as long or as short along `over` (NULL: the first dim).  `algorithm` "ring" (NULL) or
 * "tree"; name NULL: "X.allreduce".  Times: kc_field, link_bytes, link_steps, times.link. */
kc_tensor *kc_comm(const char *what, kc_tensor *tensor, double ranks, const char *over, const char *algorithm,
                   const char *name);

/* ---- kernels, programs ------------------------------------------------ */

/* Wherever a kernel is wanted, a written tensor stands for its own.  Nothing is changed once it is made. */

/* One launch that makes these written tensors; what they share is computed once.  name NULL: the first
 * one's.  NULL: they give a dim two sizes, two have one name, or one reads what another writes. */
kc_kernel *kc_kernel_new(kc_context *context, const char *name, kc_tensor *const *tensors, size_t count);
/* One kernel of several (written tensors or kernels): what one writes and a later one reads stays on chip,
 * and is not written unless it is in `save`.  Schedules are dropped.  NULL: a kernel outside needs something
 * of it and is needed by it. */
kc_kernel *kc_fuse(kc_context *context, const char *name, kc_object *const *parts, size_t count,
                   const char *const *save, size_t save_count);
/* The kernel under a schedule, in place of the one it has.
 *     kc_schedule *s = kc_schedule_new(kc);
 *     kc_schedule_tile(s, "i", 128), kc_schedule_tile(s, "j", 64), kc_schedule_stages(s, NULL, 3);
 *     kc_kernel *flash = kc_tile((kc_object *)fused, s); */
kc_kernel *kc_tile(kc_object *kernel, const kc_schedule *schedule);
/* Several kernels in one launch, their grids end to end: counts add up, waves are over all CTAs. */
kc_kernel *kc_group(kc_context *context, const char *name, kc_object *const *parts, size_t count);
/* Kernels, written tensors and programs in launch order: work, bytes and times are their sums. */
kc_program *kc_program_new(kc_context *context, const char *name, kc_object *const *parts, size_t count);
kc_program *kc_times(kc_object *part, double n);       /* a program that runs it n times */
/* The same parts at the same time: as long as the longest of them, or as the roof that they ask most of
 * together; never longer than one after another. */
kc_program *kc_beside(kc_context *context, const char *name, kc_object *const *parts, size_t count);
/* The same thing (a tensor, kernel or program) at other sizes ("i j" ties dims), or with other dim names, of
 * the same kind and with its schedules.  Dims that an index derives follow; naming one is an error. */
kc_object *kc_resized(kc_object *object, const kc_size *sizes, size_t count);
kc_object *kc_renamed(kc_object *object, const char *const *from, const char *const *to, size_t count);

size_t kc_kernel_tensors(const kc_kernel *kernel);                 /* the written ones */
kc_tensor *kc_kernel_tensor(const kc_kernel *kernel, size_t i);    /* a new reference; NULL: none such, or no memory */
kc_schedule *kc_kernel_schedule(const kc_kernel *kernel);          /* as given; NULL: untiled */
const char *kc_kernel_comm(const kc_kernel *kernel);               /* "allreduce"; NULL: no collective */
int kc_program_beside(const kc_program *program);                  /* 1: its parts run at the same time */
size_t kc_program_parts(const kc_program *program);
kc_object *kc_program_part(const kc_program *program, size_t i);   /* a kernel or program; a new reference */
double kc_program_times(const kc_program *program, size_t i);      /* how often that part runs */

/* ---- schedules: design, section 4 ------------------------------------- */

/* How a kernel walks its dims.  An empty one has all defaults; setters may come in any order; dims and
 * tensors are looked up by kc_tile.  Lists of dims are words, "b h i", "" for none. */
kc_schedule *kc_schedule_new(kc_context *context);
kc_status kc_schedule_tile(kc_schedule *s, const char *dim, double size);     /* elements; beyond the dim: all of it */
kc_status kc_schedule_grid(kc_schedule *s, const char *dims);                 /* across CTAs, outermost first */
kc_status kc_schedule_order(kc_schedule *s, const char *dims);                /* loops of a CTA, outermost first */
kc_status kc_schedule_stages(kc_schedule *s, const char *tensor, double n);   /* buffers of a read; NULL: of all */
kc_status kc_schedule_warps(kc_schedule *s, double n);                        /* of a CTA */
/* The trips over a reduced dim shared by n CTAs (0: stream-K); "kernel" or "atomic" adds up what each has. */
kc_status kc_schedule_split(kc_schedule *s, const char *dim, double n);
kc_status kc_schedule_combine(kc_schedule *s, const char *how);
kc_status kc_schedule_hold(kc_schedule *s, const char *tensor);               /* all of it stays on chip in each CTA */
kc_status kc_schedule_place(kc_schedule *s, const char *tensor, const char *where);     /* "registers" */
kc_status kc_schedule_raster(kc_schedule *s, const char *dims, double group); /* how CTA numbers walk the grid */
kc_status kc_schedule_cluster(kc_schedule *s, const char *dim, double n);     /* n CTAs share the loads that lack it */
kc_status kc_schedule_persistent(kc_schedule *s, int on);                     /* CTAs stay and take tiles */
kc_status kc_schedule_vector(kc_schedule *s, double bytes);                   /* of a row kernel: bytes an access */
kc_status kc_schedule_threads(kc_schedule *s, double n);                      /* of a CTA of a row kernel */
kc_status kc_schedule_path(kc_schedule *s, const char *path);                 /* "mma", "wgmma", "tcgen05", "mfma" */
kc_status kc_schedule_overlap(kc_schedule *s, const char *overlap);           /* "none", "load", "all" */

/* ---- devices: design, section 5 --------------------------------------- */

/* A shipped device by id or alias, "h100-sxm5", "h100". */
kc_device *kc_device_named(kc_context *context, const char *name);
size_t kc_device_count(void);
const char *kc_device_id(size_t i);     /* of those shipped, from 0; NULL at the end */
/* A device of the caller's own, or a changed copy of `base` (NULL: empty).  Figures are set by path,
 * "hbm.bandwidth" in byte/s, "matrix.f16" in FLOP/s, "arch"; kc_device_seal makes it fit for use.
 *     kc_device *faster = kc_device_new(kc, h100);
 *     kc_device_set(faster, "hbm.bandwidth", 4.8e12), kc_device_seal(faster); */
kc_device *kc_device_new(kc_context *context, const kc_device *base);
kc_status kc_device_set(kc_device *device, const char *path, double value);
kc_status kc_device_set_text(kc_device *device, const char *path, const char *text);
/* KC_EARGUMENT, NULL: the device does not say.  "source.hbm.bandwidth" says where a figure comes from. */
kc_status kc_device_get(const kc_device *device, const char *path, double *value);
const char *kc_device_get_text(const kc_device *device, const char *path);
/* The i-th figure that is set, in the order of section 5: its path, or NULL. */
const char *kc_device_path(const kc_device *device, size_t i);
/* Ends building: recomputes what follows from changed cores, clocks and rates,
 * and refuses a device that lacks what section 5 requires. */
kc_status kc_device_seal(kc_device *device);
/* Recomputes every peak from cores, rate and clock.  KC_OK when each figure agrees
 * or its file says why not, else KC_EDEVICE.  *report: a line a figure; it belongs
 * to the device, until the next call. */
kc_status kc_device_check(kc_device *device, const char **report);

/* How many CTAs a core holds, design section 5, with no kernel: a CTA is described
 * by name and number,
 *     threads             needed
 *     registers           of a thread
 *     smem, tmem          bytes of a CTA
 *     stage, stages       bytes of one stage, and how many (1) stand beside smem
 *     keep                the CTAs of a core that the MAX figures leave room for (1) */
typedef enum kc_occupancy_figure {
    KC_OCCUPANCY_CTAS,          /* of a core; 0: it does not fit */
    KC_OCCUPANCY_WARPS,         /* of a core */
    KC_OCCUPANCY_SHARE,         /* of the warps that a core can hold */
    KC_OCCUPANCY_CTA_WARPS, KC_OCCUPANCY_REGISTERS,     /* of a thread, as allocated */
    KC_OCCUPANCY_SMEM,          /* of a CTA, reserved bytes included */
    KC_ALLOWED_SMEM, KC_ALLOWED_REGISTERS, KC_ALLOWED_TMEM, KC_ALLOWED_WARPS, KC_ALLOWED_CTAS,
    KC_MAX_SMEM, KC_MAX_REGISTERS, KC_MAX_STAGES, KC_MAX_STAGE,     /* with which `keep` CTAs stay */
    KC_OCCUPANCY_COUNT
} kc_occupancy_figure;
const char *kc_occupancy_name(kc_occupancy_figure figure);     /* "allowed.smem" */
/* KC_EARGUMENT: an unknown name or a wrong number, or the figure does not apply (a
 * limit that nothing meets; a MAX where another limit already keeps fewer CTAs).
 * KC_EDEVICE: the device does not state its on-chip limits. */
kc_status kc_occupancy(const kc_device *device, const kc_size *cta, size_t count,
                       kc_occupancy_figure figure, double *value);
/* Which limit binds, "shared memory", "registers", "tensor memory", "warps", "CTAs". NULL: it failed. */
const char *kc_occupancy_limit(const kc_device *device, const kc_size *cta, size_t count);

/* ---- asking ----------------------------------------------------------- */

/* Options of count and evaluate: "l2" (0 or 1), "cache" (cold, warm; or of one
 * tensor, "cache.K"), "launch" (stream, graph, eager, none), "convention" (a
 * bundle's name, "convention.as" too) and its switches "convention.NAME".  Of evaluate alone:
 * "measured", the seconds that x took on the device, 1e-12 to 1e9.  The result then has
 *     measured_ratio      measured / time
 *     measured_efficiency roof_time / measured: the share of the roof that was reached
 * and a note says what they mean; above 1 the measurement beats the roof, and the
 * note names the likely causes. */
kc_options *kc_options_new(kc_context *context);
kc_status kc_options_set(kc_options *options, const char *key, double value);
kc_status kc_options_set_text(kc_options *options, const char *key, const char *text);

/* Work, traffic and footprint of x (a kernel, written tensor or program): what needs no device.  An
 * untiled kernel moves its compulsory bytes.  options NULL: the defaults, here and below. */
kc_result *kc_count(kc_object *x, const kc_options *options);
/* The same, and x's times on a device.  NULL with KC_EDEVICE: it does not run there; the message says what
 * does not fit, by how much, and what would. */
kc_result *kc_evaluate(kc_object *x, const kc_device *device, const kc_options *options);
/* Each x on each device (none: each is counted).  What does not run is a row with the reason. */
kc_comparison *kc_compare(kc_context *context, kc_object *const *xs, size_t count,
                          kc_device *const *devices, size_t device_count, const kc_options *options);
/* The fastest of the schedules that a tuned library would try (of a program: of each kernel) and of the one that
 * x has, which stays where none is faster; evaluated.  A kernel without a schedule stays so where data chooses an
 * operand of a matmul row by row.  KC_EDEVICE where none runs. */
kc_result *kc_best(kc_object *x, const kc_device *device, const kc_options *options);
/* What kc_best and kc_space_best found: the tiled kernel, or the program of them; NULL: no search. */
kc_object *kc_result_best(const kc_result *result);        /* a new reference */
/* How many points it chose from; *rejected (may be NULL): how many of those that were evaluated do not run. */
double kc_result_searched(const kc_result *result, double *rejected);
/* How many of them it evaluated; the others were cut: a bound showed that none of them is faster. */
double kc_result_visited(const kc_result *result);
/* 1: the watch ended the search, and it is the fastest of so many of the space's points, as a note says. */
int kc_result_interrupted(const kc_result *result);
/* The program with kernels fused where a compiler's rules join them and it pays on the device: elementwise work into a
 * kernel beside it, the residual into a norm, scores, softmax and values into one attention (its softmax then online).
 * What is fused runs, moves no more bytes and takes no more time than its parts; of all such groups the one that
 * saves most is fused first, ties to the first in launch order, until none is left.  Kernels read what earlier ones
 * wrote: that tensor itself, or a leaf of its name, sizes and dtype; "X: K" is part of the bytes of X.  What other
 * kernels read, and what `save` names, stays written.
 *     kc_result_best    the program: kernels that have a schedule keep it, others and fused ones have the best
 *     kc_result_fusion… what was fused and what was left apart, and why; each is a note as well
 * NULL with KC_EARGUMENT: no program, a `save` that nothing writes, "measured" or a "cache" of one tensor among the
 * options; KC_EDEVICE as of kc_best. */
kc_result *kc_fuse_all(kc_object *program, const kc_device *device, const char *const *save, size_t save_count,
                       const kc_options *options);
/* Walks the loop nest tile by tile, with no formula, and compares with kc_count: KC_OK when every figure
 * agrees.  KC_ELIMIT above 1e8 steps.  *steps (may be NULL): how many it took. */
kc_status kc_verify(kc_object *kernel, double *steps);

/* The fields of a result that are one number; section 6 of the design. */
typedef enum kc_field {
    KC_FLOPS, KC_MATRIX_FLOPS, KC_VECTOR_FLOPS, KC_SPECIAL_OPS,
    KC_EXECUTED_FLOPS, KC_EXECUTED_MATRIX_FLOPS, KC_EXECUTED_VECTOR_FLOPS, KC_EXECUTED_SPECIAL_OPS,
    KC_BYTES, KC_BYTES_READ, KC_BYTES_WRITTEN, KC_L2_BYTES, KC_SMEM_BYTES, KC_BYTES_MIN,
    KC_INTENSITY, KC_RIDGE,
    KC_TIME, KC_ROOF_TIME, KC_SERIAL_TIME,
    KC_TIME_MATRIX, KC_TIME_VECTOR, KC_TIME_SPECIAL, KC_TIME_SMEM, KC_TIME_L2, KC_TIME_HBM,
    KC_TIME_LINK, KC_TIME_LAUNCH, KC_TIME_FILL, KC_TIME_DRAIN,
    KC_THROUGHPUT, KC_BANDWIDTH, KC_SMEM, KC_REGISTER_BYTES,
    KC_CTAS, KC_OCCUPANCY, KC_WAVES, KC_WAVE_EFFICIENCY, KC_TILE_EFFICIENCY, KC_PASSES, KC_LAUNCHES,
    KC_MEASURED, KC_MEASURED_RATIO, KC_MEASURED_EFFICIENCY,
    KC_LINK_BYTES, KC_LINK_STEPS,   /* of collectives: sent by one rank, one direction; steps that wait for each other */
    KC_FIELD_COUNT
} kc_field;

/* The columns of the ledger, one row a tensor. */
typedef enum kc_ledger {
    KC_TENSOR_READ, KC_TENSOR_WRITTEN, KC_TENSOR_L2, KC_TENSOR_LOADS,
    KC_COMPULSORY, KC_RELOAD, KC_PASS, KC_SPILL, KC_SPLIT,
    KC_LEDGER_COUNT
} kc_ledger;

/* Where the library may be newer than this header, ask by name. */
const char *kc_field_name(kc_field field);      /* "times.hbm"; NULL: no such field */
const char *kc_field_unit(kc_field field);      /* "byte", "" for plain numbers */
kc_field kc_field_named(const char *name);      /* KC_FIELD_COUNT: no such field */
const char *kc_ledger_name(kc_ledger column);
/* KC_OK and the value, or KC_EARGUMENT where the field does not apply. */
kc_status kc_result_number(const kc_result *result, kc_field field, double *value);
const char *kc_result_name(const kc_result *result);
/* What a table calls it among others: its name, and where one of them has the same on the
 * same device, what tells it apart, of its sizes and dtypes "C[m=512 A f8]", else of its schedule "C m=64";
 * with its tile where kc_best chose it.  Entries may be NULL; among more than 512 it is the name.  NULL: no memory. */
const char *kc_result_label(kc_result *result, kc_result *const *among, size_t count);
const char *kc_result_device(const kc_result *result);     /* NULL: counted only */
/* That device itself, a new reference; NULL also of a kernel of a program, whose device is the program's. */
kc_device *kc_result_on(const kc_result *result);
const char *kc_result_bound(const kc_result *result);      /* NULL: no time */
const char *kc_result_class(const kc_result *result);      /* "memory-bound" */
/* How it counts, in one line.  NULL: no memory; this, notes and schedule are written when one is first asked for, and the
 * others then answer 0 and NULL. */
const char *kc_result_convention(const kc_result *result);
/* The ledger, a row for each tensor in order of first use: bytes, and times a tile was loaded.  Compulsory,
 * reload, pass, spill and split add up to read and written. */
size_t kc_result_tensors(const kc_result *result);
const char *kc_result_tensor_name(const kc_result *result, size_t i);
double kc_result_tensor_number(const kc_result *result, size_t i, kc_ledger column);
/* A result for each kernel of a program, nested programs flattened, with its launches; 0: not a program. */
size_t kc_result_kernels(const kc_result *result);
kc_result *kc_result_kernel(const kc_result *result, size_t i);    /* a new reference */
int kc_result_is_fused(const kc_result *result);   /* did kc_fuse_all answer it? */
/* Groups of kernels that it fused, in that order, then those that it left apart; no other result has any. */
size_t kc_result_fusions(const kc_result *result);
size_t kc_result_fusion_kernels(const kc_result *result, size_t i);
const char *kc_result_fusion_kernel(const kc_result *result, size_t i, size_t kernel);  /* its name then: "S + P" */
const char *kc_result_fusion_rule(const kc_result *result, size_t i);  /* "epilogue"; NULL: no rule joins them */
const char *kc_result_fusion_refused(const kc_result *result, size_t i);   /* why they stay apart; NULL: fused */
/* KC_TIME or KC_BYTES of all their launches, as one kernel and apart; KC_EARGUMENT: it was not evaluated. */
kc_status kc_result_fusion_number(const kc_result *result, size_t i, kc_field field, double *fused, double *apart);
/* Sentences on what was assumed, spilled, recomputed or fell back. */
size_t kc_result_notes(const kc_result *result);
const char *kc_result_note(const kc_result *result, size_t i);
/* The schedule as it was resolved: as a JSON object (NULL: untiled); its figures' paths, "tile.i", "grid",
 * "stages", "split.k" (NULL at the end); the number or the text of one.  KC_EARGUMENT, NULL: it has no such
 * figure, or one of the other kind. */
const char *kc_result_schedule(const kc_result *result);
const char *kc_result_schedule_path(const kc_result *result, size_t i);
kc_status kc_result_schedule_number(const kc_result *result, const char *path, double *value);
const char *kc_result_schedule_text(kc_result *result, const char *path);
/* All of it in words: "tile m=128 k=64 n=128, grid m n, order k, stages 3, …".  NULL: untiled, or no memory. */
const char *kc_result_schedule_line(kc_result *result);

/* In sentences: where the time goes, which roof binds, what every byte is for, and
 * what would help by how much: other tiles, stages, splits, orders, a wave less, a
 * fusion, each evaluated alone.  Of a count only the work and the bytes.  The text
 * belongs to the result; asked again, it is the same.  NULL: no memory. */
const char *kc_result_explain(kc_result *result);
/* A field as its formula with values, by its name ("bytes", "times.hbm"): work op by op, bytes tensor by tensor and
 * cause by cause, times roof by roof, quotients and the limits of a core; of a program kernel by kernel.  The last
 * line is the field.  The text is good until the next call.  KC_EARGUMENT: the result has no such field. */
const char *kc_result_formula(kc_result *result, const char *field);
/* Does a condition hold, such as "bytes <= 1.1e9 and bound == 'matrix'"?  The grammar of kc_space_where, over the
 * result's fields.  KC_EARGUMENT: it does not, and the message has the values; or it can't be understood, or asks
 * for a field that the result lacks. */
kc_status kc_result_expect(const kc_result *result, const char *condition);
/* Relative change of the time for 1 % more of one roof, -0.0071 for 0.71 % less: x is
 * evaluated again on a device with that roof raised.  "launch" and "latency" get 1 %
 * shorter.  KC_EARGUMENT: the result has no time, or the device no such roof. */
kc_status kc_result_sensitivity(kc_result *result, const char *roof, double *change);
/* matrix vector special smem l2 hbm link launch latency; NULL at the end. */
const char *kc_sensitivity_roof(size_t i);

size_t kc_comparison_rows(const kc_comparison *comparison);
size_t kc_comparison_devices(const kc_comparison *comparison);
/* Row i: x by x, in each device by device.  NULL: it does not run there. */
kc_result *kc_comparison_result(const kc_comparison *comparison, size_t i);  /* a new reference */
const char *kc_comparison_error(const kc_comparison *comparison, size_t i);
const char *kc_comparison_name(const kc_comparison *comparison, size_t i);
const char *kc_comparison_label(const kc_comparison *comparison, size_t i);  /* as kc_result_label, also of what does not run */
const char *kc_comparison_device(const kc_comparison *comparison, size_t i);
/* To the first x on that device: of KC_TIME, KC_BYTES or KC_FLOPS. */
kc_status kc_comparison_ratio(const kc_comparison *comparison, size_t i, kc_field field, double *ratio);

/* ---- sweeps: design, section 7 ----------------------------------------- */

/* What is swept: x (a kernel or written tensor, or a program, no group), the axes that
 * it varies along, and what is wanted of its points.  Setters may come in any order; once
 * it has been swept they fail. */
kc_space *kc_space_new(kc_object *x);
/* Adds values to an axis.  Of numbers:
 *     tile.i, size.i, split.k     a dim; "tile.i j" ties dims
 *     stages, warps, group        of the schedule; group: CTAs rastered together
 *     hbm.bandwidth               any figure of the device
 * of texts: "order" ("i j"), "dtype.Q" (a tensor; "dtype.Q K" ties tensors).  A tile axis
 * gives a kernel without a schedule one.  An axis is nothing to a kernel that lacks its dims.
 * Axes vary in this order, the last fastest: device, figures, size, dtype, order, split,
 * group, stages, warps, tile; inside one, dims in the order in which x has them. */
kc_status kc_space_numbers(kc_space *space, const char *axis, const double *numbers, size_t count);
kc_status kc_space_texts(kc_space *space, const char *axis, const char *const *texts, size_t count);
/* Adds a device; without one the points are counted only.  `axis` dtype: kc_space_dtype. */
kc_status kc_space_device(kc_space *space, kc_device *device);
kc_status kc_space_dtype(kc_space *space, const char *tensors, kc_dtype *dtype);
/* What evaluate is given ("measured" and "convention" are refused); copied. */
kc_status kc_space_options(kc_space *space, const kc_options *options);
/* Only points for which an expression holds: fields, axes, numbers and texts with + - * / %,
 * comparisons, and or not, min max ceil floor: "smem <= 100*1024 and tile.i >= tile.j". */
kc_status kc_space_where(kc_space *space, const char *expression);
/* Which rows stay: all of them (up to 10^6), the n best by a field, the Pareto front of up
 * to three fields, the best by a field for each value of an axis ("device", "size.i"; "size":
 * each combination of sizes; several: "device size").  The greater one is better of throughput, bandwidth, intensity,
 * occupancy and the efficiencies, of all others the smaller one; ties go to the first point. */
kc_status kc_space_top(kc_space *space, double n, const char *field);
kc_status kc_space_pareto(kc_space *space, const char *const *fields, size_t count);
kc_status kc_space_best_per(kc_space *space, const char *axis, const char *field);
/* Adds a column: a field of a result, "bound" or "class"; without any the usual ones stand there. */
kc_status kc_space_field(kc_space *space, const char *field);
/* Only part `part` of `parts`, from 1: balanced, the same ones every time. */
kc_status kc_space_shard(kc_space *space, unsigned part, unsigned parts);
/* How many points it has, all parts together; 0: it is not complete, and the context says why. */
double kc_space_points(kc_space *space);

/* A point while it is swept: what it costs and where it is, by the names of columns.
 * KC_EARGUMENT, NULL: it does not apply, or is the other kind. */
typedef struct kc_point kc_point;
const char *kc_point_name(const kc_point *point, size_t i);     /* axes, then all fields; NULL at the end */
kc_status kc_point_number(const kc_point *point, const char *name, double *value);
const char *kc_point_text(const kc_point *point, const char *name);
/* Wanted: 1, not: 0; negative: the sweep fails with KC_ESCRIPT.  Called in the thread of
 * kc_space_sweep, in the order of points; the sweep then has one thread. */
typedef int (*kc_filter)(void *data, const kc_point *point);
kc_status kc_space_filter(kc_space *space, kc_filter filter, void *data);

/* Evaluates all points in `threads` threads (0: one a core; at most 64, or one a core if that is more).  Order and
 * figures are the same however many there are, and each is what kc_evaluate gives for that point.  A point that does
 * not run is counted with its reason.  watch (NULL: the context's): not 0 ends the sweep, which keeps what is done. */
kc_sweep *kc_space_sweep(kc_space *space, unsigned threads, kc_watch watch, void *data);

/* The fastest point of the space on its device, evaluated: that of kc_space_sweep, ties to the first point,
 * found with lower bounds that cut whole ranges of axes.  kc_result_best is its kernel or program.  What is kept,
 * columns and parts are nothing to it; `where` and filters are asked of visited points only, in no order, and of
 * some more than once.  The calling thread does it all.  NULL: KC_EDEVICE where no point runs, KC_EARGUMENT where
 * `where` leaves none or there is no device, KC_ELIMIT where the watch ended it before any was found that runs; later
 * it gives the best so far, kc_result_interrupted, if the context's watch lets that be evaluated. */
kc_result *kc_space_best(kc_space *space, kc_watch watch, void *data);

/* Points of the whole space; of them done here (all, but for a part or an end before its time);
 * of these wanted and able to run. */
double kc_sweep_points(const kc_sweep *sweep);
double kc_sweep_done(const kc_sweep *sweep);
double kc_sweep_fit(const kc_sweep *sweep);
/* 1: the watch ended it. */
int kc_sweep_interrupted(const kc_sweep *sweep);
/* Which part of how many it is; 1 of 1: the whole. */
unsigned kc_sweep_part(const kc_sweep *sweep, unsigned *parts);
const char *kc_sweep_name(const kc_sweep *sweep);              /* of what was swept */
const char *kc_sweep_keep(const kc_sweep *sweep);              /* "top 20 by time" */
const char *kc_sweep_convention(const kc_sweep *sweep);        /* one line */
/* Rows stay in the order of points, the top by their field.  Columns: axes, then fields. */
size_t kc_sweep_rows(const kc_sweep *sweep);
size_t kc_sweep_columns(const kc_sweep *sweep);
size_t kc_sweep_axes(const kc_sweep *sweep);                   /* how many columns are axes */
const char *kc_sweep_column(const kc_sweep *sweep, size_t column);
const char *kc_sweep_unit(const kc_sweep *sweep, size_t column);   /* "" for plain numbers */
kc_status kc_sweep_number(const kc_sweep *sweep, size_t row, size_t column, double *value);
const char *kc_sweep_text(const kc_sweep *sweep, size_t row, size_t column);
double kc_sweep_point(const kc_sweep *sweep, size_t row);      /* from 0 */
/* The row with the least time (or what `keep` goes by); KC_EARGUMENT: there are no rows. */
kc_status kc_sweep_best(const kc_sweep *sweep, size_t *row);
/* Why points are missing: what does not fit, or "where".  How many, and the first one. */
size_t kc_sweep_reasons(const kc_sweep *sweep);
const char *kc_sweep_reason(const kc_sweep *sweep, size_t i);
double kc_sweep_rejected(const kc_sweep *sweep, size_t i, double *first);
/* The points that do not run, with the number of the reason: the first 1000, or all of them (up
 * to 10^6) where all rows are kept.  Those that `where` leaves out are not in it. */
size_t kc_sweep_missing(const kc_sweep *sweep);
double kc_sweep_missing_point(const kc_sweep *sweep, size_t i, size_t *reason);
/* The sentence of the first one: by how much it does not fit, and what would. */
const char *kc_sweep_sentence(const kc_sweep *sweep, size_t i);
/* The kernel or program of a point (a new reference) and its device (may be NULL: not wanted).
 * NULL: it can't be made, or the sweep was read from a text. */
kc_object *kc_sweep_object(const kc_sweep *sweep, double point, kc_device **device);

/* The least HBM traffic that each capacity on chip allows, over tiles and loop orders of a kernel (no group, no
 * program; its schedule is replaced): a Pareto front as a sweep, from the least capacity up.  Columns: order, the
 * tiles, then in bytes
 *     capacity    shared memory and registers of one CTA that walks the whole kernel, one buffer a tile
 *     bytes       section 3's traffic
 *     bound       what no schedule is below: compulsory bytes; of a single matmul also
 *                 2 m n k / sqrt(S) elements, S = capacity in elements of the narrowest tensor
 * Tiles are powers of two, the divisors up to 1024 and the whole dim, in larger steps where these would be more than
 * 300,000 points; orders are all, of more than five dims those that differ in the inner two.  Dims that index every
 * tensor and that nothing reduces are outermost, in tiles of 1. */
kc_sweep *kc_ski_slope(kc_object *kernel);

/* x (as of kc_space_new) on one device (NULL: counted only), compiled for points that the caller chooses, as
 * an autotuner does.  `axes` names what varies, as kc_space_numbers does, `fields` what is wanted.  Each figure
 * is what kc_evaluate gives for x at that point.  Options as in kc_space_options.  One thread at a time, that
 * of its context; another thread makes its own in another context.
 *     const char *axes[] = { "tile.m", "tile.n" };
 *     const kc_field fields[] = { KC_TIME, KC_SMEM };
 *     kc_evaluator *e = kc_evaluator_new((kc_object *)C, h100, NULL, axes, 2, fields, 2);
 *     double m[] = { 64, 128 }, n[] = { 128, 128 }, time[2], smem[2];
 *     const double *in[] = { m, n };
 *     double *out[] = { time, smem };
 *     kc_evaluator_run(e, 2, in, out, NULL); */
kc_evaluator *kc_evaluator_new(kc_object *x, const kc_device *device, const kc_options *options,
                               const char *const *axes, size_t axis_count, const kc_field *fields, size_t field_count);
/* Points as columns: axes[a][p] is the value of axis a at point p, fields[f][p] gets field f of it, NAN where it
 * does not apply or the point does not run.  statuses (may be NULL) gets for each point KC_OK, KC_EDEVICE where it
 * does not run, KC_EARGUMENT where there is no such point.  Where a point differs from the one before it in tiles,
 * splits, group, stages and warps only, it needs no memory; other sizes and figures are built anew.  The call
 * itself fails with KC_ENOMEM or, ended by the context's watch, KC_ELIMIT: columns are then filled in part. */
kc_status kc_evaluator_run(kc_evaluator *evaluator, size_t points, const double *const *axes, double *const *fields,
                           kc_status *statuses);
/* Why the last point of the last run does not run: "shared memory"; NULL: it runs. */
const char *kc_evaluator_reason(const kc_evaluator *evaluator);

/* A part as kc_json or kc_csv wrote it, at the start of `text`, or behind the "[" or "," of an array.
 * *rest: where the next one begins; NULL at the end. */
kc_sweep *kc_sweep_read(kc_context *context, const char *text, const char **rest);
/* All parts of one sweep as one: what sweeping it whole gives.  KC_EARGUMENT: one is missing,
 * twice there, of another sweep, or was interrupted. */
kc_sweep *kc_sweep_merge(kc_context *context, kc_sweep *const *parts, size_t count);

/* What a profiler measured, out of the text that it exports: CSV of Nsight Compute (raw, details, summary), Nsight
 * Systems (kernel summary and trace), nvprof, rocprof and rocprofv3, rocprof-compute, name,time[,flops][,bytes]; a Chrome trace of PyTorch.  It is fed in pieces of any
 * size and streams: of a million rows it keeps sums per kernel, grid and block (2^14 of them at most), and the first
 * `launches` launches one by one.  kc_json then has kernels, launches, what could not be used, and notes; figures
 * have the names of results with _measured behind them, in base units.
 *     kc_profile *p = kc_profile_new(kc, 4096);
 *     while ((n = fread(piece, 1, sizeof piece, file)) > 0 && status == KC_OK)
 *         status = kc_profile_feed(p, piece, n);
 *     if (status == KC_OK && kc_profile_end(p) == KC_OK)
 *         puts(kc_json((kc_object *)p)); */
kc_profile *kc_profile_new(kc_context *context, size_t launches);
/* KC_EARGUMENT: it is no export that can be read, and the message says why.  After a failure it can only be released. */
kc_status kc_profile_feed(kc_profile *profile, const char *bytes, size_t length);
/* The text is over: nothing more may be fed.  KC_EARGUMENT also where there is no kernel in it. */
kc_status kc_profile_end(kc_profile *profile);

/* JSON of a result, a comparison, a sweep, a device, a profile; other objects are counted first.  CSV: rows of scalar
 * fields, or with `tensors` the ledger.  A text lives until the next of either of that object.  Numbers are the
 * shortest that read back.  NULL: no memory, or it has no such form. */
const char *kc_json(kc_object *object);
const char *kc_csv(kc_object *object, int tensors);

/* ---- the VM (libkcost-lua5.4, libkcost-luajit) ------------------------ */

/* A VM is of one thread at a time; it fails with a status, for which kc_vm_message has the sentence.  What its
 * scripts made goes with it, but for objects that the host retained.  It is not freed from inside its own run.
 *     kc_vm *vm;
 *     const char *text = "return require('kcost').lib.gemm.plain { m = 512, n = 512, k = 512 }";
 *     if (kc_vm_new(NULL, &vm) == KC_OK && kc_vm_run(vm, text, strlen(text), "gemm.lua") == KC_OK)
 *         puts(kc_vm_json(vm)); */
typedef struct kc_vm kc_vm;

/* What a VM is given; a zeroed struct is a sandbox without limits.
 *
 * The sandbox.  A script sees a fresh environment each run: the harmless parts of the base library, string,
 * table, math and coroutine, and `kcost` with its stdlib through require.  It reaches no file, process, clock,
 * address, bytecode, collector or other script, whatever it does; what it computes is the same in every run and on both
 * engines: pairs comes in one order, math.random is seeded, no table is weak, numbers have one text.
 *
 * Limits.  They hold against everything that a script can do (pcall, coroutines, patterns, metamethods, long
 * calls), are looked at some thousand times a millisecond, and end the run with KC_ELIMIT; kc_vm_limit says
 * which one.  The VM may be used for the next run.  Under any limit a script's text may have 256 KiB, one text of
 * the script a third of memory_limit (or 16 MiB), one table 16,384 names, and recursion some thousand levels.
 *
 * What an engine promises.  Lua 5.4: all of this, on a thread's stack of 512 KiB.  LuaJIT: all of this with its
 * compiler off, which it always is in a VM, and on a stack of 512 KiB; its authors do not call it safe against
 * hostile scripts, and garbage counts against its memory limit until it is collected: give it twice the memory.
 * Against faults of the engine itself no VM helps: a host that runs scripts of strangers takes a second wall, as
 * `kcost --sandbox` does: fork; in the child setrlimit (RLIMIT_AS, RLIMIT_CPU, RLIMIT_CORE), run, write the
 * results to a pipe, _exit; in the parent kill it some time after time_limit. */
typedef struct kc_vm_options {
    kc_resize resize;           /* NULL: the C heap */
    void *resize_data;
    void (*print)(void *data, const char *text, size_t length);    /* NULL: nowhere */
    void *print_data;
    int trusted;                /* require and load_json may read files */
    const char *path;           /* where a trusted VM's require looks, and first of all the stdlib
                                   (stdlib/NAME.lua) and devices (devices/NAME.lua): folders or
                                   templates with "?", ";" between them */
    size_t memory_limit;        /* bytes: all of Lua's, the model's and the answers'; 0: no limit */
    double time_limit;          /* seconds of wall time, each run; 0: no limit */
    uint64_t instruction_limit; /* of the engine, and steps of library functions, each run; 0: no limit.  The same
                                   for the same script, but not on the other engine */
} kc_vm_options;

/* What ended the last run with KC_ELIMIT. */
typedef enum kc_limit {
    KC_NO_LIMIT, KC_LIMIT_MEMORY, KC_LIMIT_TIME, KC_LIMIT_INSTRUCTIONS, KC_LIMIT_INTERRUPT
} kc_limit;

/* KC_ENOMEM: the hook refused, or memory_limit is less than a VM itself takes (150 KiB is enough).
 * KC_EENGINE: the process has another Lua engine than this library needs. */
kc_status kc_vm_new(const kc_vm_options *options, kc_vm **vm);
void kc_vm_free(kc_vm *vm);
/* Ends the run in progress, if there is one, with KC_ELIMIT.  From any thread or signal handler, while the VM
 * lives.  From a signal handler in the run's thread it is seen at once; from another thread a VM without limits sees it
 * at the script's next call or allocation, one with any limit (a time_limit of INFINITY will do) also in a loop that
 * does neither. */
void kc_vm_interrupt(kc_vm *vm);
kc_limit kc_vm_limit(const kc_vm *vm);
/* What param(name, default) gives, as text: a number, true, false, or a string. */
kc_status kc_vm_param(kc_vm *vm, const char *name, const char *value);

/* What require(name) gives in every later run, before any file: the value of this chunk, Lua text, run once a
 * run.  Copied; "kcost" and "kcost.NAME" are refused. */
kc_status kc_vm_module(kc_vm *vm, const char *name, const char *text, size_t length);
/* How scripts sweep that do not say it themselves: in so many threads (0: one a core); only part
 * `part` of `parts`; what watches sweeps, searches of a space and verify, and may end them, called in the thread of
 * kc_vm_run.  A sandboxed script that says how many threads gets no more than so many. */
kc_status kc_vm_threads(kc_vm *vm, unsigned threads);
kc_status kc_vm_shard(kc_vm *vm, unsigned part, unsigned parts);
kc_status kc_vm_watch(kc_vm *vm, kc_watch watch, void *data);
/* Runs a script, Lua text, in a fresh environment; what it returns takes the place of what the run before
 * returned.  KC_ESCRIPT: it raised an error.  KC_EARGUMENT: no such file, a param that it does not ask for. */
kc_status kc_vm_run_file(kc_vm *vm, const char *path);
kc_status kc_vm_run(kc_vm *vm, const char *text, size_t length, const char *name);
/* A line of a prompt: an expression, whose value is the answer, or statements.  Lines share an environment,
 * which begins with the names of kcost (`tile` is kc.tile): a global lasts, a local does not, and reading one that is
 * not there is an error with the nearest name.  *more is 1, and nothing ran, where the text is only the beginning of a
 * chunk: more lines may complete it.  KC_ESCRIPT: it raised an error, or is no Lua.  KC_ELIMIT at a memory_limit that the
 * globals fill: they are forgotten, and kc_vm_message says so. */
kc_status kc_vm_line(kc_vm *vm, const char *text, size_t length, const char *name, int *more);
/* Of the last run: "gemm.lua:3: kc.matmul: ...", and the calls that led there; "" where it did not fail. */
const char *kc_vm_message(const kc_vm *vm);
const char *kc_vm_traceback(const kc_vm *vm);
/* What the script returned: one entry a value of the returned list. */
size_t kc_vm_answers(const kc_vm *vm);
/* A result, comparison, sweep or device (kernels and tensors were counted), borrowed until the next run, to be
 * read as any other; kc_retain keeps it, also beyond the VM.  NULL: a plain value, which the text then is. */
kc_object *kc_vm_answer(const kc_vm *vm, size_t i);
const char *kc_vm_answer_text(const kc_vm *vm, size_t i);  /* as JSON */
/* Of a table whose metatable has __show, such as a profile: its tables for people.  NULL: it is none. */
const char *kc_vm_answer_shown(const kc_vm *vm, size_t i);
/* One answer more, behind those of the last run, as if the script had returned it: a result, comparison, sweep or device
 * of any context; retained.  KC_EARGUMENT: of another kind. */
kc_status kc_vm_add_answer(kc_vm *vm, kc_object *object);
/* One document of all of it, as `kcost --json` and `--csv` print.  NULL: kc_vm_message says why. */
const char *kc_vm_json(kc_vm *vm);
const char *kc_vm_csv(kc_vm *vm, int tensors);
/* A JSON array of plots (stdlib/plot_record.lua says what is in one): those that the script returned; where
 * it returned none, those that fit what it returned: a roofline, a heat map, a Pareto front, within the limits of one
 * more run.  NULL: kc_vm_message says why. */
const char *kc_vm_plots(kc_vm *vm);
/* 1: the i-th answer's text is a plot. */
int kc_vm_answer_is_plot(const kc_vm *vm, size_t i);

/* The module, for a Lua state of this library's engine that the host owns: a lua_CFunction that leaves the table
 * of `require "kcost"`.  Its memory comes from the state's allocator, errors are Lua's.
 *     lua_getglobal(L, "package"), lua_getfield(L, -1, "preload");
 *     lua_pushcfunction(L, luaopen_kcost), lua_setfield(L, -2, "kcost"); */
struct lua_State;
int luaopen_kcost(struct lua_State *L);

/* ffi: end */

#ifdef __cplusplus
}
#endif
#endif
