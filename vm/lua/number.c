/* number.c: numbers and other values as text, the same on both engines. */
#include "binding.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The fewest digits that read back, without a point: number = 0.d0d1… * 10^(exponent + 1).
 * Only printf's decimal point depends on the locale, and it is skipped. */
static int shortest(double number, char digits[20], int *exponent)
{
    char text[40];
    for (int count = 1;; count++) {
        snprintf(text, sizeof text, "%.*e", count - 1, number);
        if (count == 17 || strtod(text, NULL) == number)
            break;
    }
    int count = 0;
    const char *at = text;
    for (; *at != 'e'; at++)
        if (*at >= '0' && *at <= '9')
            digits[count++] = *at;
    *exponent = atoi(at + 1);
    return count;
}

/* As the model lays out its numbers: plain where that is no longer than 1.23e9. */
size_t kci_number_to_text(double number, char text[KCI_NUMBER_TEXT])
{
    if (number != number)
        return (size_t)snprintf(text, KCI_NUMBER_TEXT, "nan");
    if (fabs(number) > DBL_MAX)
        return (size_t)snprintf(text, KCI_NUMBER_TEXT, number > 0 ? "inf" : "-inf");
    if (fabs(number) < 9007199254740992.0 && floor(number) == number)
        return (size_t)snprintf(text, KCI_NUMBER_TEXT, "%.0f", number == 0 ? 0.0 : number);
    char digits[20];
    int exponent, count = shortest(fabs(number), digits, &exponent);
    int size = abs(exponent) >= 100 ? 3 : abs(exponent) >= 10 ? 2 : 1;
    int scientific = count + (count > 1) + 1 + (exponent < 0) + size;
    int plain = exponent >= count - 1 ? exponent + 1
                : exponent >= 0       ? count + 1
                                      : count + 1 - exponent;
    char *at = text;
    if (number < 0)
        *at++ = '-';
    if (plain <= scientific) {
        for (int i = exponent; i < 0; i++) { /* "0.00" */
            *at++ = '0';
            if (i == exponent)
                *at++ = '.';
        }
        for (int i = 0; i < count || i <= exponent; i++) {
            if (i > 0 && i == exponent + 1)
                *at++ = '.';
            *at++ = i < count ? digits[i] : '0';
        }
        *at = '\0';
    } else {
        *at++ = digits[0];
        if (count > 1)
            *at++ = '.';
        for (int i = 1; i < count; i++)
            *at++ = digits[i];
        at += snprintf(at, 8, "e%d", exponent);
    }
    return (size_t)(at - text);
}

void kci_push_text(lua_State *L, const kci_state *state, int index)
{
    char number[KCI_NUMBER_TEXT];
    kci_not_deep(L, state);
    luaL_checkstack(L, 8, NULL);
    index = kci_absindex(L, index);
    if (luaL_callmeta(L, index, "__tostring")) {
        if (lua_type(L, -1) != LUA_TSTRING)
            luaL_error(L, "'__tostring' must return a string");
        return;
    }
    switch (lua_type(L, index)) {
    case LUA_TNUMBER:
        kci_number_to_text(lua_tonumber(L, index), number);
        lua_pushstring(L, number);
        break;
    case LUA_TSTRING:
        lua_pushvalue(L, index);
        break;
    case LUA_TBOOLEAN:
        lua_pushstring(L, lua_toboolean(L, index) ? "true" : "false");
        break;
    default: /* no addresses: they differ from run to run */
        lua_pushstring(L, luaL_typename(L, index));
    }
}
