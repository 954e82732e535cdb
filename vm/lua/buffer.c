/* buffer.c: text that grows on the VM's account, and strings as JSON. */
#include "vm.h"

#include <string.h>

enum { PIECE = 4096 };  /* bytes of a string between two looks at the limits */

void kci_buffer_add(kci_buffer *buffer, const char *bytes, size_t length)
{
    if (buffer->failed)
        return;
    size_t need = buffer->length + length + 1;
    if (need > buffer->capacity) {
        size_t capacity = need < 64 ? 64 : need + need / 2;
        char *grown = kci_memory_model(buffer->memory, buffer->bytes, buffer->capacity, capacity);
        if (grown == NULL) {
            buffer->failed = true;
            return;
        }
        buffer->bytes = grown;
        buffer->capacity = capacity;
    }
    if (length > 0)
        memcpy(buffer->bytes + buffer->length, bytes, length);
    buffer->length += length;
    buffer->bytes[buffer->length] = '\0';
}

void kci_buffer_text(kci_buffer *buffer, const char *text)
{
    kci_buffer_add(buffer, text, strlen(text));
}

void kci_buffer_clear(kci_buffer *buffer)
{
    buffer->length = 0;
    buffer->failed = false;
    if (buffer->bytes != NULL)
        buffer->bytes[0] = '\0';
}

void kci_buffer_free(kci_buffer *buffer)
{
    kci_memory_model(buffer->memory, buffer->bytes, buffer->capacity, 0);
    buffer->bytes = NULL;
    buffer->length = buffer->capacity = 0;
}

/* Bytes of the UTF-8 sequence at `at`, 0 where it is none (overlong, surrogate, cut). */
static size_t sequence(const unsigned char *at, size_t left)
{
    if (at[0] < 0x80)
        return 1;
    size_t length = at[0] >= 0xF0 ? 4 : at[0] >= 0xE0 ? 3 : 2;
    if (at[0] < 0xC2 || at[0] > 0xF4 || length > left)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((at[i] & 0xC0) != 0x80)
            return 0;
    if ((at[0] == 0xE0 && at[1] < 0xA0) || (at[0] == 0xED && at[1] >= 0xA0) ||
        (at[0] == 0xF0 && at[1] < 0x90) || (at[0] == 0xF4 && at[1] >= 0x90))
        return 0;
    return length;
}

/* Has a limit ended the run?  Then no more is written. */
static bool is_over(kci_buffer *buffer)
{
    kci_limits *limits = buffer->memory->limits;
    buffer->failed = buffer->failed || (limits != NULL && limits->running && kci_limits_spend(limits, PIECE / 16));
    return buffer->failed;
}

void kci_buffer_json_string(kci_buffer *buffer, const char *bytes, size_t length)
{
    const unsigned char *at = (const unsigned char *)bytes;
    kci_buffer_add(buffer, "\"", 1);
    for (size_t i = 0; i < length && !buffer->failed;) {
        size_t count = sequence(at + i, length - i);
        if (i / PIECE != (i + (count > 0 ? count : 1)) / PIECE && is_over(buffer))
            return;
        if (count == 0) {
            kci_buffer_text(buffer, "\xEF\xBF\xBD");
            i++;
            continue;
        }
        if (at[i] == '"' || at[i] == '\\') {
            const char escape[] = {'\\', (char)at[i]};
            kci_buffer_add(buffer, escape, sizeof escape);
        } else if (at[i] == '\n') {
            kci_buffer_add(buffer, "\\n", 2);
        } else if (at[i] < 0x20 || at[i] == 0x7F) {
            static const char digits[] = "0123456789abcdef";
            const char escape[] = {'\\', 'u', '0', '0', digits[at[i] >> 4], digits[at[i] & 15]};
            kci_buffer_add(buffer, escape, sizeof escape);
        } else {
            kci_buffer_add(buffer, bytes + i, count);
        }
        i += count;
    }
    kci_buffer_add(buffer, "\"", 1);
}
