/* si.h: quantities for people: SI prefixes and few digits, locale-free.
 *
 * Base units inside, conversion only here, at the edge.  GB is 10^9 byte. */
#ifndef KCI_SI_H
#define KCI_SI_H

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { KCI_SI_BYTES = 48 };

typedef struct kci_prefix {
    const char *name;
    int power;                      /* of ten */
} kci_prefix;

static const kci_prefix kci_prefixes[] = {
    { "p", -12 }, { "n", -9 }, { "u", -6 }, { "m", -3 }, { "", 0 }, { "k", 3 },
    { "M", 6 },   { "G", 9 },  { "T", 12 }, { "P", 15 }, { "E", 18 },
};
enum { KCI_PREFIXES = sizeof kci_prefixes / sizeof *kci_prefixes };

static inline double kci_power_of_ten(int power)
{
    double value = 1;
    for (int i = 0; i < (power < 0 ? -power : power); i++)
        value *= 10; /* exact up to 10^22 */
    return value;
}

static inline double kci_scaled_by(double value, int power)
{
    return power < 0 ? value * kci_power_of_ten(-power) : value / kci_power_of_ten(power);
}

/* `digits` significant digits, and all before the point: 1234, 123, 12.3, 1.23, 0.0123.  Beyond 16 places on
 * either side of the point it is 1.46e30. */
static inline void kci_significant(char *out, double value, int digits)
{
    double size = fabs(value), most = kci_power_of_ten(digits);
    int after = digits - 1;
    if (isfinite(size) && (size >= 1e16 || (size > 0 && size < 1e-15))) {
        int power = (int)floor(log10(size));
        double places = kci_power_of_ten(after), scaled = size / pow(10, power);
        if (floor(scaled * places + 0.5) >= most)
            power++, scaled /= 10;
        kci_significant(out, value < 0 ? -scaled : scaled, digits);
        size_t length = strlen(out);
        snprintf(out + length, 8, "e%d", power);
        return;
    }
    while (after > 0 && floor(size * kci_power_of_ten(after) + 0.5) >= most)
        after--;
    while (size > 0 && after < 15 && floor(size * kci_power_of_ten(after) + 0.5) < most / 10)
        after++;
    double unit = kci_power_of_ten(after), parts = floor(size * unit + 0.5), whole = floor(parts / unit);
    int length = snprintf(out, 32, "%s%.0f", value < 0 ? "-" : "", whole);
    if (after > 0 && size > 0 && length > 0)
        snprintf(out + length, 20, ".%0*.0f", after, parts - whole * unit);
}

/* "8.59 GB", "271 us", "0 B": three digits, the prefix that leaves 1 to 999 before it. */
static inline void kci_si(char *out, double value, const char *unit)
{
    int chosen = 4;
    double size = fabs(value);
    if (size > 0) {
        chosen = 0;
        /* 999.5 already shows as 1.00 of the next one. */
        while (chosen + 1 < KCI_PREFIXES && kci_scaled_by(size, kci_prefixes[chosen].power) >= 999.5)
            chosen++;
    }
    kci_significant(out, kci_scaled_by(value, kci_prefixes[chosen].power), 3);
    size_t length = strlen(out);
    snprintf(out + length, KCI_SI_BYTES - length, "%s%s%s",
             *unit || *kci_prefixes[chosen].name ? " " : "", kci_prefixes[chosen].name, unit);
}

#endif
