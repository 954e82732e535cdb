/* map.c: costs of named maps, per element; the names of reductions; design, section 2.1. */
#include "map.h"

#include <string.h>

static const kci_map_cost costs[] = {
    { "add", 1, 0, false },    { "sub", 1, 0, false },  { "mul", 1, 0, true },   { "max", 1, 0, false },
    { "min", 1, 0, false },    { "scale", 1, 0, true }, { "relu", 1, 0, false }, { "fma", 2, 0, false },
    { "exp", 0, 1, false },    { "log", 0, 1, false },  { "rsqrt", 0, 1, false }, { "rcp", 0, 1, false },
    { "tanh", 0, 1, false },   { "div", 1, 1, true },   { "sigmoid", 1, 2, false }, { "silu", 2, 2, false },
    { "gelu", 8, 1, false },   { "rope", 3, 0, false }, { "cast", 0, 0, true },
};
enum { COSTS = sizeof costs / sizeof costs[0] };

const kci_map_cost *kci_map_named(const char *name)
{
    for (size_t i = 0; i < COSTS; i++)
        if (strcmp(costs[i].name, name) == 0)
            return &costs[i];
    return NULL;
}

const char *kci_map_nth(const void *unused, size_t i)
{
    (void)unused;
    return i < COSTS ? costs[i].name : NULL;
}

static const char *const reductions[] = {
    "sum", "max", "mean", "min", "prod", "any", "all", "argmax", "argmin", "amax", "amin", "absmax", "top", "topk",
    "cumsum", "cumprod", "cummax", "cummin", /* of scans only */
};
enum { SCANS = sizeof reductions / sizeof reductions[0], REDUCTIONS = SCANS - 4 };

const char *kci_reduction_nth(const void *unused, size_t i)
{
    (void)unused;
    return i < REDUCTIONS ? reductions[i] : NULL;
}

const char *kci_scan_nth(const void *unused, size_t i)
{
    (void)unused;
    return i < SCANS ? reductions[i] : NULL;
}
