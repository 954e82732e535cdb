/* profile_number.c: numbers as profilers write them, with their separators, and the units behind them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "profile.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* ---- which of the two is the decimal point ---------------------------------------------------- */

typedef struct separators {
    int commas, points, before, after; /* digits before the first and behind the last separator */
    char last, first_digit;
} separators;

static separators separators_of(const char *text)
{
    separators s = { .first_digit = '\0' };
    while (is_blank(*text) || *text == '-' || *text == '+')
        text++;
    for (; is_digit(*text) || *text == ',' || *text == '.'; text++) {
        if (is_digit(*text)) {
            s.first_digit = s.first_digit ? s.first_digit : *text;
            s.after++;
            s.before += s.last == '\0';
            continue;
        }
        s.commas += *text == ',';
        s.points += *text == '.';
        s.last = *text;
        s.after = 0;
    }
    return s;
}

/* One separator with three digits behind it may be either: "1,234".  All else tells. */
void kci_style_see(kci_p_style *style, const char *text)
{
    separators s = separators_of(text);
    if (s.commas + s.points == 0)
        return;
    bool last_is_point = s.last == '.';
    if (s.commas + s.points > 1 && (s.commas == 0 || s.points == 0))
        last_is_point = !last_is_point; /* several of one kind stand between thousands */
    else if (s.commas + s.points == 1 && s.after == 3 && s.before <= 3 && s.first_digit != '0')
        return;
    style->commas += !last_is_point;
    style->points += last_is_point;
}

/* ---- numbers ------------------------------------------------------------------------------------ */

static const double powers[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };

/* Three digits and no fourth: what a separator of thousands stands before. */
static bool is_group(const char *text)
{
    return is_digit(text[0]) && is_digit(text[1]) && is_digit(text[2]) && !is_digit(text[3]);
}

/* Bytes of a separator of thousands at `text`: that of the style, an apostrophe, a blank that does not break. */
static size_t thousands(const kci_p_style *style, const char *text)
{
    size_t length = *text == (style->point == '.' ? ',' : '.') || *text == '\''        ? 1
                    : strncmp(text, "\xC2\xA0", 2) == 0                                ? 2
                    : strncmp(text, "\xE2\x80\xAF", 3) == 0                            ? 3
                                                                                       : 0;
    return length && is_group(text + length) ? length : 0;
}

/* A whole number below 2^53 and a power of ten that is exact: so is their quotient or product, rounded once. */
static double with_power(uint64_t mantissa, int scale)
{
    return scale < 0 ? (double)mantissa / powers[-scale] : (double)mantissa * powers[scale];
}

double kci_unit_apply(kci_p_unit unit, const kci_p_number *number)
{
    int scale = number->scale + unit.power;
    if (number->is_short && scale <= 22 && scale >= -22)
        return (number->value < 0 ? -1 : 1) * with_power(number->mantissa, scale) * unit.times;
    return (unit.power < 0 ? number->value / powers[-unit.power] : number->value * powers[unit.power]) * unit.times;
}

bool kci_style_number(const kci_p_style *style, const char *text, kci_p_number *number, const char **rest)
{
    char plain[64];
    size_t length = 0;
    uint64_t mantissa = 0;
    int digits = 0, scale = 0;
    bool point = false;
    while (is_blank(*text))
        text++;
    bool negative = *text == '-';
    const char *at = text + (*text == '-' || *text == '+');
    for (; length < sizeof plain - 16; at++) {
        size_t skip = digits > 0 && !point ? thousands(style, at) : 0;
        if (skip)
            at += skip;
        if (*at == style->point && !point && (digits > 0 || is_digit(at[1]))) {
            point = true;
            plain[length++] = '.';
            continue;
        }
        if (!is_digit(*at))
            break;
        plain[length++] = *at;
        mantissa = digits < 19 ? mantissa * 10 + (uint64_t)(*at - '0') : mantissa;
        digits++;
        scale -= point;
    }
    if (digits == 0 || is_digit(*at))
        return false;
    if ((*at == 'e' || *at == 'E') && (is_digit(at[1]) || ((at[1] == '+' || at[1] == '-') && is_digit(at[2])))) {
        int power = 0;
        bool minus = at[1] == '-';
        for (at += is_digit(at[1]) ? 1 : 2; is_digit(*at); at++)
            power = power < 9999 ? power * 10 + (*at - '0') : power;
        snprintf(plain + length, sizeof plain - length, "e%c%d", minus ? '-' : '+', power);
        scale += minus ? -power : power;
    } else {
        plain[length] = '\0';
    }
    bool is_short = digits <= 15 && scale <= 22 && scale >= -22;
    double value = is_short ? with_power(mantissa, scale) : kci_parse_number(plain, NULL);
    *number = (kci_p_number){ negative ? -value : value, mantissa, scale, is_short };
    while (is_blank(*at))
        at++;
    *rest = at;
    return fabs(value) <= KCI_P_LARGEST;
}

/* ---- units ----------------------------------------------------------------------------------------- */

static bool is(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && strncmp(text, word, length) == 0;
}

/* The power of ten of a prefix; K and k are one; 0: it is none. */
static int prefix_of(char c)
{
    switch (c) {
    case 'K': case 'k': return 3;
    case 'M': return 6;
    case 'G': return 9;
    case 'T': return 12;
    case 'P': return 15;
    default: return 0;
    }
}

static bool take_second(const char *text, size_t length, int *power)
{
    static const struct {
        const char *word;
        int power;
    } words[] = {
        { "s", 0 }, { "sec", 0 }, { "second", 0 }, { "seconds", 0 }, { "m", -3 }, { "u", -6 }, { "n", -9 },
        { "\xC2\xB5", -6 }, { "\xCE\xBC", -6 }, /* the two signs of micro */
    };
    for (size_t i = 0; i < 4; i++) {
        size_t end = strlen(words[i].word);
        if (end > length || strncmp(text + length - end, words[i].word, end) != 0)
            continue;
        *power = 0;
        if (end == length)
            return true;
        for (size_t p = 4; p < sizeof words / sizeof *words; p++)
            if (is(text, length - end, words[p].word)) {
                *power = words[p].power;
                return true;
            }
    }
    return false;
}

static bool take_byte(const char *text, size_t length, bool binary, kci_p_unit *unit)
{
    static const char *const words[] = { "byte", "bytes", "B", "iB" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t end = strlen(words[i]);
        if (end > length || strncmp(text + length - end, words[i], end) != 0)
            continue;
        int power = length == end + 1 ? prefix_of(text[0]) : 0;
        if ((power == 0 && length > end) || (i == 3 && length == end))
            continue;
        unit->power = power;
        if (i == 3 || (i == 2 && binary)) /* a power of 1024 for each of 1000 */
            for (unit->power = 0; power > 0; power -= 3)
                unit->times *= 1024;
        return true;
    }
    return false;
}

static bool take_hertz(const char *text, size_t length, int *power)
{
    if (length < 2 || length > 3 || (strncmp(text + length - 2, "hz", 2) != 0 && strncmp(text + length - 2, "Hz", 2) != 0))
        return false;
    *power = length == 3 ? prefix_of(text[0]) : 0;
    return *power > 0 || length == 2;
}

/* "inst", "sector", "Ksector", "K", "FLOP", "": whatever is counted. */
static bool take_count(const char *text, size_t length, int *power)
{
    static const char *const words[] = { "", "inst", "sector", "request", "cycle", "block", "thread", "warp", "register",
                                         "FLOP", "flop", "op", "wave", "event" };
    *power = length > 0 ? prefix_of(text[0]) : 0;
    for (size_t i = 0; *power > 0 && i < sizeof words / sizeof *words; i++)
        if (is(text + 1, length - 1, words[i]))
            return true;
    *power = 0;
    for (size_t i = 0; i < length; i++)
        if (!((text[i] >= 'a' && text[i] <= 'z') || text[i] == ' ' || text[i] == '_'))
            return is(text, length, "FLOP");
    return true;
}

bool kci_unit_read(const char *text, size_t length, bool binary, kci_p_unit *unit)
{
    while (length > 0 && is_blank(*text)) {
        text++;
        length--;
    }
    while (length > 0 && is_blank(text[length - 1]))
        length--;
    *unit = (kci_p_unit){ KCI_U_COUNT, 1, 0 };
    if (is(text, length, "%") || is(text, length, "percent")) {
        *unit = (kci_p_unit){ KCI_U_SHARE, 1, -2 };
        return true;
    }
    const char *slash = memchr(text, '/', length);
    size_t above = slash ? (size_t)(slash - text) : length;
    int below = 0; /* the power of the seconds that it is divided by */
    bool rate = slash && take_second(slash + 1, length - above - 1, &below);
    if (take_byte(text, above, binary, unit))
        unit->family = rate ? KCI_U_RATE : KCI_U_BYTE;
    else if (!slash && take_second(text, above, &unit->power))
        unit->family = KCI_U_SECOND;
    else if ((!slash && take_hertz(text, above, &unit->power)) || (rate && is(text, above, "cycle")))
        unit->family = KCI_U_HERTZ;
    else if (rate || !take_count(text, above, &unit->power))
        return false;
    unit->power -= rate ? below : 0;
    return true;
}
