/* output.c: where results go: standard output or a file, and whether they got there. */
#define _POSIX_C_SOURCE 200809L

#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "terminal.h"

void output_guard(void)
{
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) != -1 || errno != EBADF)
            continue;
        /* The lowest free number is this one; opened so that writing to it fails as before. */
        if (open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) < 0)
            return;
    }
}

FILE *output_open(const char *path)
{
    if (!path)
        return stdout;
    FILE *out = fopen(path, "w");
    if (!out)
        complain("cannot write %s: %s", path, strerror(errno));
    return out;
}

static bool incomplete;

void output_lacks_memory(void)
{
    if (!incomplete)
        complain("not enough memory: a part of the results is missing");
    incomplete = true;
}

bool output_close(FILE *out, const char *path)
{
    int error = 0;
    errno = 0;
    if (fflush(out) != 0 || ferror(out))
        error = errno ? errno : EIO;
    if (path && fclose(out) != 0 && !error)
        error = errno;
    if (error && error != EPIPE)
        complain("cannot write %s: %s", path ? path : "standard output", strerror(error));
    return error == 0 && !incomplete;
}

char *output_read(FILE *in, size_t *length)
{
    size_t capacity = 1 << 16;
    char *text = malloc(capacity);
    *length = 0;
    while (text) {
        size_t got = fread(text + *length, 1, capacity - *length - 1, in);
        *length += got;
        text[*length] = '\0';
        if (got == 0)
            return text;
        if (*length + 1 == capacity) {
            char *grown = realloc(text, capacity *= 2);
            if (!grown)
                free(text);
            text = grown;
        }
    }
    return NULL;
}

void output_trimmed(const char *text, FILE *out)
{
    while (*text) {
        size_t length = strcspn(text, "\n"), kept = length;
        while (kept > 0 && text[kept - 1] == ' ')
            kept--;
        fwrite(text, 1, kept, out);
        fputc('\n', out);
        text += length + (text[length] == '\n');
    }
}
