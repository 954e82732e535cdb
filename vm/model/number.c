/* number.c: numbers to text and back, correctly rounded, whatever the locale.
 *
 * To text: printf("%.*e") rounds correctly, and only its decimal point depends
 * on the locale, so the digits are picked out of it and laid out again.  15
 * digits always survive decimal -> double -> decimal, so 15, 16, 17 are tried in
 * that order; below the normal range and at powers of two, where the distance
 * to the neighbours differs, a shorter text may exist, and is looked for.
 *
 * From text: exact in 128-bit integers where the powers of ten allow, else by
 * shifting decimal digits (the "simple decimal conversion" of Nigel Tao's
 * parse-number-f64-simple, 2020), which is exact for any length. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"

/* ---- from text ---------------------------------------------------------- */

/* 0.d0 d1 d2 … * 10^point.  A double's exact value has at most 767 digits. */
enum { DIGITS = 800 };
typedef struct decimal {
    int count, point;
    bool truncated;
    uint8_t digit[DIGITS];
} decimal;

static void trim(decimal *d)
{
    while (d->count > 0 && d->digit[d->count - 1] == 0)
        d->count--;
    if (d->count == 0)
        d->point = 0;
}

static void shift_left(decimal *d, unsigned bits)
{
    if (d->count == 0)
        return;
    int extra = (int)bits * 30103 / 100000 + 1; /* digits that it may grow by */
    uint64_t carry = 0;
    for (int r = d->count - 1, w = r + extra; w >= 0; r--, w--) {
        if (r >= 0)
            carry += (uint64_t)d->digit[r] << bits;
        uint8_t digit = (uint8_t)(carry % 10);
        carry /= 10;
        if (w < DIGITS)
            d->digit[w] = digit;
        else if (digit)
            d->truncated = true;
    }
    d->count = d->count + extra < DIGITS ? d->count + extra : DIGITS;
    d->point += extra;
    int zeros = 0;
    while (zeros < d->count && d->digit[zeros] == 0)
        zeros++;
    memmove(d->digit, d->digit + zeros, (size_t)(d->count - zeros));
    d->count -= zeros;
    d->point -= zeros;
    trim(d);
}

static void shift_right(decimal *d, unsigned bits)
{
    int r = 0, w = 0;
    uint64_t n = 0, mask = ((uint64_t)1 << bits) - 1;
    while (n >> bits == 0) {
        if (r < d->count)
            n = n * 10 + d->digit[r];
        else if (n == 0)
            break;
        else
            n *= 10;
        r++;
    }
    if (n == 0) {
        d->count = 0;
        trim(d);
        return;
    }
    d->point -= r - 1;
    while (r < d->count || n > 0) {
        uint8_t digit = (uint8_t)(n >> bits);
        n = (n & mask) * 10 + (r < d->count ? d->digit[r] : 0);
        r++;
        if (w < DIGITS)
            d->digit[w++] = digit;
        else if (digit)
            d->truncated = true;
    }
    d->count = w;
    trim(d);
}

static uint64_t rounded(const decimal *d)
{
    uint64_t n = 0;
    for (int i = 0; i < d->point; i++)
        n = n * 10 + (i < d->count ? d->digit[i] : 0);
    int at = d->point;
    if (at < 0 || at >= d->count)
        return n;
    if (d->digit[at] == 5 && at + 1 == d->count && !d->truncated)
        return n + (n & 1); /* a tie goes to even */
    return n + (d->digit[at] >= 5);
}

static double decimal_value(decimal *d)
{
    static const uint8_t bits_of[] = { 1, 3, 6, 9, 13, 16, 19, 23, 26 }; /* 2^bits <= 10^i */
    trim(d);
    if (d->count == 0 || d->point < -330)
        return 0;
    if (d->point > 310)
        return HUGE_VAL;
    int exponent = 0;
    while (d->point > 0) {
        unsigned bits = d->point >= 9 ? 27 : bits_of[d->point];
        shift_right(d, bits);
        exponent += (int)bits;
    }
    while (d->point < 0 || d->digit[0] < 5) {
        unsigned bits = -d->point >= 9 ? 27 : bits_of[-d->point];
        shift_left(d, bits);
        exponent -= (int)bits;
    }
    exponent--; /* the value is in [1/2, 1) * 2^exponent: a double's is in [1, 2) */
    while (exponent < DBL_MIN_EXP - 1) {
        int bits = DBL_MIN_EXP - 1 - exponent;
        if (bits > 60)
            bits = 60;
        shift_right(d, (unsigned)bits);
        exponent += bits;
    }
    if (exponent >= DBL_MAX_EXP)
        return HUGE_VAL;
    shift_left(d, DBL_MANT_DIG);
    return ldexp((double)rounded(d), exponent - (DBL_MANT_DIG - 1));
}

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 wide;

static int width(wide v)
{
    uint64_t high = (uint64_t)(v >> 64), low = (uint64_t)v;
    int bits = high ? 64 : 0;
    for (uint64_t word = high ? high : low; word; word >>= 1)
        bits++;
    return bits;
}

/* n * 10^exponent for |exponent| <= 27, where 5^27 < 2^63. */
static double scaled(uint64_t n, int exponent)
{
    uint64_t five = 1;
    for (int i = 0; i < abs(exponent); i++)
        five *= 5;
    wide v;
    bool rest = false;
    int power = exponent;
    if (exponent >= 0) {
        v = (wide)n * five;
    } else {
        while (!(n >> 63)) {
            n <<= 1;
            power--;
        }
        wide dividend = (wide)n << 64;
        v = dividend / five;
        rest = dividend % five != 0;
        power -= 64;
    }
    int drop = width(v) - DBL_MANT_DIG;
    if (drop <= 0)
        return ldexp((double)(uint64_t)v, power);
    uint64_t mantissa = (uint64_t)(v >> drop);
    wide below = v & (((wide)1 << drop) - 1), half = (wide)1 << (drop - 1);
    if (below > half || (below == half && (rest || (mantissa & 1))))
        mantissa++;
    return ldexp((double)mantissa, power + drop);
}
enum { EXACT_POWER = 27 };
#else
static double scaled(uint64_t n, int exponent)
{
    (void)exponent;
    return (double)n;
}
enum { EXACT_POWER = -1 };
#endif

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

double kci_parse_number(const char *text, const char **end)
{
    const char *at = text;
    bool negative = *at == '-';
    if (*at == '-' || *at == '+')
        at++;
    decimal d = { .count = 0 };
    uint64_t n = 0;
    int kept = 0; /* digits in n; more than 19 do not fit */
    bool seen = false, point = false;
    for (;; at++) {
        if (*at == '.' && !point) {
            point = true;
            continue;
        }
        if (!is_digit(*at))
            break;
        seen = true;
        uint8_t digit = (uint8_t)(*at - '0');
        if (d.count == 0 && digit == 0) {
            d.point -= point && d.point > -100000;
            continue;
        }
        if (!point && d.point < 100000)
            d.point++;
        if (kept < 20 && ++kept < 20)
            n = n * 10 + digit;
        if (d.count < DIGITS)
            d.digit[d.count++] = digit;
        else if (digit)
            d.truncated = true;
    }
    if (!seen) {
        if (end)
            *end = text;
        return 0;
    }
    if (*at == 'e' || *at == 'E') {
        const char *mark = at + 1;
        bool minus = *mark == '-';
        if (*mark == '-' || *mark == '+')
            mark++;
        if (is_digit(*mark)) {
            int exponent = 0;
            for (; is_digit(*mark); mark++)
                if (exponent < 1000000)
                    exponent = exponent * 10 + (*mark - '0');
            d.point += minus ? -exponent : exponent;
            at = mark;
        }
    }
    if (end)
        *end = at;
    double value;
    if (kept < 20 && n != 0 && abs(d.point - d.count) <= EXACT_POWER)
        value = scaled(n, d.point - d.count);
    else
        value = decimal_value(&d);
    return negative ? -value : value;
}

/* ---- to text -------------------------------------------------------------- */

/* Digits of a positive number, the first one standing for 10^*exponent. */
static int digits_of(double number, int precision, char *digits, int *exponent)
{
    char text[48];
    snprintf(text, sizeof text, "%.*e", precision - 1, number);
    const char *e = text + strcspn(text, "e");
    int count = 0;
    for (const char *c = text; c < e; c++)
        if (is_digit(*c))
            digits[count++] = *c;
    *exponent = 0;
    for (const char *c = e + 2; is_digit(*c); c++)
        *exponent = *exponent * 10 + (*c - '0');
    if (e[1] == '-')
        *exponent = -*exponent;
    while (count > 1 && digits[count - 1] == '0')
        count--;
    return count;
}

static bool reads_back(double number, const char *digits, int count, int exponent)
{
    char text[48];
    snprintf(text, sizeof text, "%.*se%d", count, digits, exponent - (count - 1));
    return kci_parse_number(text, NULL) == number;
}

/* The next larger digits of the same length; false at 999…. */
static bool bump(char *digits, int count)
{
    for (int i = count - 1; i >= 0; i--) {
        if (digits[i] != '9') {
            digits[i]++;
            return true;
        }
        digits[i] = '0';
    }
    return false;
}

static int shortest(double number, char *digits, int *exponent)
{
    int unused;
    bool lopsided = frexp(number, &unused) == 0.5; /* the neighbour below is nearer than the one above */
    int first = number < DBL_MIN ? 1 : 15;
    for (int precision = first; precision < 17; precision++) {
        int count = digits_of(number, precision, digits, exponent);
        if (reads_back(number, digits, count, *exponent))
            return count;
        if (lopsided) {
            char up[24];
            memcpy(up, digits, (size_t)count);
            while (count < precision)
                up[count++] = '0';
            if (bump(up, count) && reads_back(number, up, count, *exponent)) {
                memcpy(digits, up, (size_t)count);
                return count;
            }
        }
    }
    return digits_of(number, 17, digits, exponent);
}

static size_t whole_to_text(uint64_t n, char *out)
{
    char reversed[24];
    size_t count = 0;
    do
        reversed[count++] = (char)('0' + n % 10);
    while (n /= 10);
    for (size_t i = 0; i < count; i++)
        out[i] = reversed[count - 1 - i];
    out[count] = 0;
    return count;
}

size_t kci_format_number(double number, char *out)
{
    if (isnan(number))
        number = 0;
    else if (isinf(number))
        number = number > 0 ? DBL_MAX : -DBL_MAX;
    size_t length = 0;
    if (number < 0) {
        out[length++] = '-';
        number = -number;
    }
    if (number < KCI_MAX_SIZE && number == floor(number))
        return length + whole_to_text((uint64_t)number, out + length);
    char digits[24];
    int exponent, count = shortest(number, digits, &exponent);
    /* 123e2 as 12300, 0.0123, 1.23 or 1.23e9: the shorter one, plain in a tie. */
    int plain = exponent >= count - 1 ? exponent + 1 : exponent >= 0 ? count + 1 : count + 1 - exponent;
    int size = abs(exponent) >= 100 ? 3 : abs(exponent) >= 10 ? 2 : 1;
    int scientific = count + (count > 1) + 1 + (exponent < 0) + size;
    char *at = out + length;
    if (plain <= scientific) {
        if (exponent < 0) {
            *at++ = '0';
            *at++ = '.';
            for (int i = -1; i > exponent; i--)
                *at++ = '0';
        }
        for (int i = 0; i < count || i <= exponent; i++) {
            if (i > 0 && i == exponent + 1)
                *at++ = '.';
            *at++ = i < count ? digits[i] : '0';
        }
    } else {
        *at++ = digits[0];
        if (count > 1) {
            *at++ = '.';
            memcpy(at, digits + 1, (size_t)(count - 1));
            at += count - 1;
        }
        *at++ = 'e';
        if (exponent < 0)
            *at++ = '-';
        at += whole_to_text((uint64_t)abs(exponent), at);
    }
    *at = 0;
    return (size_t)(at - out);
}
