/* embed.c: a build tool: turns devices/, stdlib/ and the header into C source, so that nothing needs files at run time.
 *
 *     embed devices devices/a100-sxm4-40gb.lua … devices/defaults.lua > device_files.c
 *     embed stdlib stdlib/gemm.lua … > stdlib_files.c
 *     embed ffi vm/include/kcost.h > ffi.c
 *
 * A device file is evaluated with no library in reach, flattened to figures by
 * path and sorted, so the same files give the same bytes.  It is an error when
 * a figure has no source, or one that does not begin with what kind it is, or
 * does not end with its confidence. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>
#include <lua.h>

enum { PATH_BYTES = 256 };

typedef struct figure {
    char path[PATH_BYTES];
    double number;
    const char *text;           /* NULL: a number */
    const char *source;
} figure;

typedef struct list {
    figure *items;
    size_t count, capacity;
} list;

static const char *file_name; /* of messages */

static void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "embed: %s: ", file_name);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(EXIT_FAILURE);
}

static void *grown(void *block, size_t size)
{
    void *result = realloc(block, size);
    if (!result)
        fail("not enough memory");
    return result;
}

static char *copied(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(grown(NULL, size), text, size);
}

static figure *add(list *figures, const char *path)
{
    if (figures->count == figures->capacity) {
        figures->capacity = figures->capacity ? 2 * figures->capacity : 128;
        figures->items = grown(figures->items, figures->capacity * sizeof *figures->items);
    }
    figure *f = &figures->items[figures->count++];
    memset(f, 0, sizeof *f);
    memcpy(f->path, path, strlen(path) + 1);
    return f;
}

/* ---- a device's table, flattened ------------------------------------------------ */

/* "a", "b" -> "a b" */
static char *joined(lua_State *L)
{
    char *text = copied("");
    for (int i = 1;; i++) {
        lua_rawgeti(L, -1, i);
        if (lua_type(L, -1) != LUA_TSTRING) {
            lua_pop(L, 1);
            return text;
        }
        const char *word = lua_tostring(L, -1);
        size_t length = strlen(text);
        text = grown(text, length + strlen(word) + 2);
        sprintf(text + length, "%s%s", length ? " " : "", word);
        lua_pop(L, 1);
    }
}

static void flatten(lua_State *L, const char *prefix, list *figures);

/* The value on the stack's top, which `path` names. */
static void flatten_value(lua_State *L, const char *path, list *figures)
{
    switch (lua_type(L, -1)) {
    case LUA_TNUMBER:
        add(figures, path)->number = lua_tonumber(L, -1);
        break;
    case LUA_TSTRING:
        add(figures, path)->text = copied(lua_tostring(L, -1));
        break;
    case LUA_TTABLE:
        lua_rawgeti(L, -1, 1);
        if (lua_isnil(L, -1)) {
            lua_pop(L, 1);
            flatten(L, path, figures);
        } else {
            lua_pop(L, 1);
            add(figures, path)->text = joined(L);
        }
        break;
    default:
        fail("%s is a %s; a device holds numbers, texts and tables", path, luaL_typename(L, -1));
    }
}

static void flatten(lua_State *L, const char *prefix, list *figures)
{
    lua_pushnil(L);
    while (lua_next(L, -2)) {
        char path[PATH_BYTES];
        if (lua_type(L, -2) != LUA_TSTRING)
            fail("%s has a key that is no name", prefix);
        const char *key = lua_tostring(L, -2);
        if (strlen(prefix) + strlen(key) + 2 > sizeof path)
            fail("%s.%s is too long", prefix, key);
        sprintf(path, "%s%s%s", prefix, *prefix ? "." : "", key);
        if (strcmp(path, "source") != 0)
            flatten_value(L, path, figures);
        lua_pop(L, 1);
    }
}

/* ---- sources --------------------------------------------------------------------- */

/* How much of `path` the best word of `keys` names: "hbm" of "hbm.bandwidth" is 3. */
static size_t named(const char *keys, const char *path)
{
    size_t best = 0;
    while (*keys) {
        size_t length = strcspn(keys, " ");
        if (length > best && strncmp(keys, path, length) == 0 && (path[length] == '\0' || path[length] == '.'))
            best = length;
        keys += length + strspn(keys + length, " ");
    }
    return best;
}

static int starts_well(const char *source)
{
    static const char *const kinds[] = { "vendor: ", "microbenchmark: ", "derived: ", "fitted to ", "assumed" };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strncmp(source, kinds[i], strlen(kinds[i])) == 0)
            return 1;
    return 0;
}

/* "[A]", "[B]" or "[C]" ends every source but an assumption: how sure it is. */
static int ends_well(const char *source)
{
    size_t length = strlen(source);
    if (strncmp(source, "assumed", strlen("assumed")) == 0)
        return 1;
    return length > 4 && source[length - 3] == '[' && strchr("ABC", source[length - 2]) && source[length - 1] == ']';
}

/* The table at the top has `source`: gives each number the one that names it most closely. */
static void give_sources(lua_State *L, list *figures)
{
    lua_pushliteral(L, "source");
    lua_rawget(L, -2);
    if (!lua_istable(L, -1))
        fail("source is missing");
    for (size_t i = 0; i < figures->count; i++) {
        figure *f = &figures->items[i];
        size_t best = 0, times = 0;
        if (f->text)
            continue;
        lua_pushnil(L);
        while (lua_next(L, -2)) {
            if (lua_type(L, -2) != LUA_TSTRING || lua_type(L, -1) != LUA_TSTRING)
                fail("source maps names of figures to texts");
            size_t match = named(lua_tostring(L, -2), f->path);
            if (match > best) {
                best = match;
                times = 0;
                f->source = copied(lua_tostring(L, -1));
            }
            times += match == best;
            lua_pop(L, 1);
        }
        if (best && times > 1)
            fail("%s has two sources", f->path);
        if (!f->source)
            fail("%s has no source", f->path);
        if (!starts_well(f->source))
            fail("the source of %s must begin with vendor:, microbenchmark:, derived:, fitted to or assumed", f->path);
        if (!ends_well(f->source))
            fail("the source of %s must end with its confidence, [A], [B] or [C]", f->path);
    }
    lua_pop(L, 1);
}

/* ---- C source ---------------------------------------------------------------------- */

static void print_text(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            printf("\\%c", c);
        else if (c < 32 || c > 126 || c == '?')
            printf("\\%03o", c);
        else
            putchar(c);
    }
    putchar('"');
}

/* The shortest of 15 to 17 digits that reads back. */
static void print_number(double number)
{
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        if (strtod(text, NULL) == number)
            break;
    }
    fputs(text, stdout);
    if (!strpbrk(text, ".e"))
        fputs(".0", stdout);
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const figure *)a)->path, ((const figure *)b)->path);
}

/* The figures of the table at the top, as a C array `name_<number>`. */
static size_t print_figures(lua_State *L, const char *name, size_t number)
{
    list figures = { NULL, 0, 0 };
    flatten(L, "", &figures);
    give_sources(L, &figures);
    if (figures.count > 0)
        qsort(figures.items, figures.count, sizeof *figures.items, by_path);
    printf("static const kci_device_figure %s_%zu[] = {\n", name, number);
    for (size_t i = 0; i < figures.count; i++) {
        const figure *f = &figures.items[i];
        fputs("    { ", stdout);
        print_text(f->path);
        fputs(", ", stdout);
        print_number(f->number);
        fputs(", ", stdout);
        if (f->text)
            print_text(f->text);
        else
            fputs("NULL", stdout);
        fputs(", ", stdout);
        if (f->source)
            print_text(f->source);
        else
            fputs("NULL", stdout);
        puts(" },");
    }
    puts("};\n");
    free(figures.items);
    return figures.count;
}

typedef struct entry {
    const char *id;
    size_t count;
} entry;

static void print_table(const char *type, const char *table, const char *count, const char *name, const entry *entries,
                        size_t n)
{
    printf("const %s %s[] = {\n", type, table);
    for (size_t i = 0; i < n; i++) {
        fputs("    { ", stdout);
        print_text(entries[i].id);
        printf(", %s_%zu, %zu },\n", name, i, entries[i].count);
    }
    printf("};\nconst size_t %s = %zu;\n\n", count, n);
}

/* ---- the two modes --------------------------------------------------------------------- */

/* "devices/a100.lua" -> "a100" */
static char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *name = copied(slash ? slash + 1 : path);
    char *dot = strrchr(name, '.');
    if (dot)
        *dot = '\0';
    return name;
}

static int by_id(const void *a, const void *b)
{
    return strcmp(base_name(*(char *const *)a), base_name(*(char *const *)b));
}

/* Leaves the table that the file returns on the stack. */
static lua_State *evaluated(const char *path)
{
    lua_State *L = luaL_newstate();
    file_name = path;
    if (!L)
        fail("not enough memory");
    if (luaL_loadfile(L, path) || lua_pcall(L, 0, 1, 0))
        fail("%s", lua_tostring(L, -1));
    if (!lua_istable(L, -1))
        fail("a device file returns a table");
    return L;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* defaults.lua: one table an architecture. */
static size_t print_defaults(const char *path, entry **entries)
{
    lua_State *L = evaluated(path);
    char **names = NULL;
    size_t count = 0;
    lua_pushnil(L);
    while (lua_next(L, -2)) {
        if (lua_type(L, -2) != LUA_TSTRING || !lua_istable(L, -1))
            fail("defaults map architectures to tables");
        names = grown(names, (count + 1) * sizeof *names);
        names[count++] = copied(lua_tostring(L, -2));
        lua_pop(L, 1);
    }
    if (count > 0)
        qsort(names, count, sizeof *names, by_text);
    *entries = grown(NULL, (count + 1) * sizeof **entries);
    for (size_t i = 0; i < count; i++) {
        lua_getfield(L, -1, names[i]);
        (*entries)[i] = (entry){ names[i], print_figures(L, "defaults", i) };
        lua_pop(L, 1);
    }
    lua_close(L);
    free(names);
    return count;
}

static void embed_devices(char **paths, size_t count)
{
    entry *devices = grown(NULL, (count + 1) * sizeof *devices), *defaults = NULL;
    size_t device_count = 0, default_count = 0;
    qsort(paths, count, sizeof *paths, by_id);
    puts("/* The shipped devices. Written by embed from the files in devices/. */\n#include \"device.h\"\n");
    for (size_t i = 0; i < count; i++) {
        char *id = base_name(paths[i]);
        if (strcmp(id, "defaults") == 0) {
            default_count = print_defaults(paths[i], &defaults);
            continue;
        }
        lua_State *L = evaluated(paths[i]);
        devices[device_count] = (entry){ id, print_figures(L, "device", device_count) };
        device_count++;
        lua_close(L);
    }
    file_name = "devices";
    if (!device_count || !default_count)
        fail("at least one device and defaults.lua are needed");
    print_table("kci_device_file", "kci_device_files", "kci_device_file_count", "device", devices, device_count);
    print_table("kci_device_file", "kci_device_defaults", "kci_device_default_count", "defaults", defaults,
                default_count);
    free(devices);
    free(defaults);
}

static char *whole_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    file_name = path;
    if (!file)
        fail("cannot be opened");
    *length = 0;
    do {
        bytes = grown(bytes, *length + 4097);
        *length += fread(bytes + *length, 1, 4096, file);
    } while (!feof(file) && !ferror(file));
    if (ferror(file))
        fail("cannot be read");
    fclose(file);
    bytes[*length] = '\0';
    return bytes;
}

static void print_bytes(const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        printf("%s%d,", i % 24 ? "" : "\n    ", (unsigned char)bytes[i]);
    puts("\n    0 /* not part of the text */\n};\n");
}

static size_t print_file(const char *path, size_t number)
{
    size_t length;
    char *bytes = whole_file(path, &length);
    printf("static const unsigned char file_%zu[] = {", number);
    print_bytes(bytes, length);
    free(bytes);
    return length;
}

static void embed_stdlib(char **paths, size_t count)
{
    entry *files = grown(NULL, (count + 1) * sizeof *files);
    puts("/* The stdlib. Written by embed from the files in stdlib/. */\n#include \"stdlib_files.h\"\n");
    for (size_t i = 0; i < count; i++)
        files[i] = (entry){ base_name(paths[i]), print_file(paths[i], i) };
    file_name = "stdlib";
    if (!count)
        fail("at least one file is needed");
    print_table("kci_stdlib_file", "kci_stdlib_files", "kci_stdlib_file_count", "file", files, count);
    free(files);
}

/* The declarations between the header's marks: what kc_ffi returns. */
static void embed_ffi(const char *path)
{
    static const char begin[] = "/* ffi: begin */\n", end[] = "/* ffi: end */";
    size_t length;
    char *header = whole_file(path, &length), *from = strstr(header, begin), *to = strstr(header, end);
    if (!from || !to || to < from)
        fail("it has no block between the ffi marks");
    from += strlen(begin);
    puts("/* The block between the ffi marks. Written by embed from kcost.h. */\n#include \"kcost.h\"\n");
    printf("static const unsigned char block[] = {");
    print_bytes(from, (size_t)(to - from));
    puts("const char *kc_ffi(void)\n{\n    return (const char *)block;\n}");
    free(header);
}

int main(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[1], "devices") == 0)
        embed_devices(argv + 2, (size_t)argc - 2);
    else if (argc > 2 && strcmp(argv[1], "stdlib") == 0)
        embed_stdlib(argv + 2, (size_t)argc - 2);
    else if (argc == 3 && strcmp(argv[1], "ffi") == 0)
        embed_ffi(argv[2]);
    else {
        fputs("usage: embed devices|stdlib|ffi FILE...\n", stderr);
        return 2;
    }
    return fflush(stdout) || ferror(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}
