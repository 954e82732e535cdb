/* path.c: files that are looked for on a path of templates: KCOST_PATH, and beside the script. */
#include "binding.h"

#include <stdio.h>
#include <string.h>

static bool exists(const char *path)
{
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return false;
    fclose(file);
    return true;
}

/* Pushes `template` with each "?" replaced by the name as a path; a directory
 * stands for "directory/?.lua". */
static const char *push_candidate(lua_State *L, const char *template, size_t length,
                                  const char *name)
{
    lua_pushlstring(L, template, length);
    if (memchr(template, '?', length) == NULL) {
        lua_pushliteral(L, "/?.lua");
        lua_concat(L, 2);
    }
    const char *candidate = luaL_gsub(L, lua_tostring(L, -1), "?", name);
    lua_remove(L, -2);
    return candidate;
}

bool kci_push_found(lua_State *L, const char *templates, const char *name)
{
    while (templates != NULL && *templates != '\0') {
        size_t length = strcspn(templates, ";");
        if (length > 0 && exists(push_candidate(L, templates, length, name)))
            return true;
        if (length > 0)
            lua_pop(L, 1);
        templates += length;
        templates += strspn(templates, ";");
    }
    return false;
}

/* Only what can be the name of a file in the folder. */
static bool is_file_name(const char *name)
{
    return name[0] != '\0' && name[0] != '.' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+.") ==
               strlen(name);
}

bool kci_push_replaced(lua_State *L, const kci_state *state, const char *folder, const char *name)
{
    if (state->path == NULL || (state->vm && !state->trusted) || !is_file_name(name))
        return false;
    luaL_checkstack(L, 8, NULL);
    const char *inside = lua_pushfstring(L, "%s/%s", folder, name);
    bool found = kci_push_found(L, state->path, inside);
    lua_remove(L, found ? -2 : -1);
    return found;
}

/* A folder's size is the largest there is. */
static const long most_bytes = 1L << 30;

bool kci_push_bytes(lua_State *L, const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    long size = file != NULL && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (file != NULL)
        fclose(file); /* asking for memory may jump */
    if (size < 0 || size > most_bytes)
        return false;
    void *bytes = lua_newuserdata(L, (size_t)size + 1);
    file = fopen(path, "rb");
    *length = file != NULL ? fread(bytes, 1, (size_t)size, file) : 0;
    if (file != NULL)
        fclose(file);
    return file != NULL;
}

void kci_load_as(kci_call *c, const char *path, const char *chunk)
{
    lua_State *L = c->L;
    size_t length;
    if (!kci_push_bytes(L, path, &length))
        kci_error(c, "cannot read %s", path);
    if (luaL_loadbufferx(L, lua_touserdata(L, -1), length, chunk, "t") != 0)
        lua_error(L);
    lua_remove(L, -2);
}
