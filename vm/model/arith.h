/* arith.h: minimum, maximum and rounding without a call, where a point takes nanoseconds.
 *
 * Of a NAN and a number min and max give the first argument. */
#ifndef KCI_ARITH_H
#define KCI_ARITH_H

#include <math.h>
#include <stdint.h>

static inline double kci_min(double a, double b)
{
    return b < a ? b : a;
}

static inline double kci_max(double a, double b)
{
    return b > a ? b : a;
}

/* From 2^52 on every double is whole. */
static inline double kci_floor(double x)
{
    if (!(fabs(x) < 4503599627370496.0))
        return x;
    double whole = (double)(int64_t)x;
    return whole > x ? whole - 1 : whole;
}

static inline double kci_ceil(double x)
{
    if (!(fabs(x) < 4503599627370496.0))
        return x;
    double whole = (double)(int64_t)x;
    return whole < x ? whole + 1 : whole;
}

/* a - floor(a / b) * b of whole numbers below 2^52, a at least 0. */
static inline double kci_mod(double a, double b)
{
    return a - kci_floor(a / b) * b;
}

#endif
