/* replay.c: runs a target over files, or over all files of folders, without a fuzzer.
 *
 *     build/lua5.4/tests/fuzz/fuzz_words tests/fuzz/corpus/words */
#include <dirent.h>

#include "bytes.h"

static size_t inputs;

static int one(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = NULL;
    size_t size = 0, room = 0, got = 1;
    while (file != NULL && got > 0) {
        if (size == room)
            data = realloc(data, room = room * 2 + 4096);
        if (data == NULL)
            abort();
        got = fread(data + size, 1, room - size, file);
        size += got;
    }
    if (file == NULL || ferror(file)) {
        fprintf(stderr, "can't read %s\n", path);
        return 1;
    }
    fclose(file);
    /* Its exact size, so that a read past the end is one past the block. */
    uint8_t *exact = malloc(size > 0 ? size : 1);
    if (exact == NULL)
        abort();
    memcpy(exact, data, size);
    free(data);
    fprintf(stderr, "%s\n", path);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    inputs++;
    return 0;
}

int main(int count, char **paths)
{
    int bad = 0;
    for (int i = 1; i < count; i++) {
        DIR *folder = opendir(paths[i]);
        if (folder == NULL) {
            bad += one(paths[i]);
            continue;
        }
        for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
            char path[4096];
            snprintf(path, sizeof path, "%s/%s", paths[i], entry->d_name);
            if (entry->d_name[0] != '.')
                bad += one(path);
        }
        closedir(folder);
    }
    printf("%zu passed, %d failed\n", inputs, bad);
    return bad > 0 || inputs == 0;
}
