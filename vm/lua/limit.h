/* limit.h: what a run of a script may take, and whether it is over.
 *
 * The budget is looked at wherever a script can spend time: in the count hook, in the allocator, after every error
 * that a script catches (lib_base.c, lib_coroutine.c), in every library function that loops, and in the model's
 * long calls.  Once a limit was hit it stays hit until the run ends: what is caught is raised again. */
#ifndef KCI_LUA_LIMIT_H
#define KCI_LUA_LIMIT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compat.h"
#include "kcost.h"

enum { KCI_LIMITS = KC_LIMIT_INTERRUPT + 1 };

typedef struct kci_limits {
    /* As the host gave them; 0: none. */
    size_t memory;
    double seconds;
    uint64_t instructions;
    /* What follows from them. */
    bool any, bounded;      /* bounded: one of them ends for sure */
    size_t text, table;     /* bytes of the largest block of either kind */
    int said[KCI_LIMITS];   /* registry references: the sentence of each limit, made before memory is short */
    /* Of the run in progress. */
    _Atomic bool running;   /* set after the rest of a run, for whoever interrupts it */
    bool lifted;            /* while the VM itself writes down what went wrong */
    kc_limit hit;
    bool positioned;        /* `where` has the sentence with the script's line */
    int where;              /* registry reference, there before memory is short */
    bool refused;           /* a request, because of `memory` or a block's size */
    unsigned caught;        /* memory errors that the script caught */
    double deadline;        /* seconds on the monotonic clock */
    uint64_t left;          /* instructions */
    size_t work;            /* done since the clock was read */
    size_t grace;           /* bytes that are still given once a limit was hit, so that it can be said */
    uintptr_t stack;        /* where the C stack stood */
    _Atomic int interrupted;
    _Atomic(pthread_t) runner;  /* the thread of the run, which alone looks at the next */
    lua_State *volatile thread; /* the coroutine that runs; a signal handler reads it */
} kci_limits;

void kci_limits_set(kci_limits *limits, const kc_vm_options *options);
void kci_limits_begin(kci_limits *limits, lua_State *L);
void kci_limits_end(kci_limits *limits);

/* True: the run is over.  Looks at the clock. */
bool kci_limits_over(kci_limits *limits);
/* Seconds until the time limit; INFINITY: there is none. */
double kci_limits_left(const kci_limits *limits);
/* The same from any thread: says nothing down. */
bool kci_limits_expired(const kci_limits *limits);
/* Counts `steps` of the instructions, and looks at the clock now and then. */
bool kci_limits_spend(kci_limits *limits, size_t steps);
/* May `used` bytes become `more` more? */
bool kci_limits_allow(kci_limits *limits, size_t used, size_t more);

/* Makes the sentences; what is said of `hit`. */
void kci_limits_open(lua_State *L, kci_limits *limits);
/* Ends the run; from a signal handler in the run's own thread also in a loop that neither calls nor allocates, since
 * then it may set the hook, as Lua's and LuaJIT's own commands do. */
void kci_limits_interrupt(kci_limits *limits);
/* The count hook of a thread: on, in a run with a limit, or off. */
void kci_limits_watch_thread(lua_State *L, const kci_limits *limits);

#endif
