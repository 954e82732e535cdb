/* swept.c: what a sweep shows of itself: rows, columns, texts, and the kernels of its points. */
#include "binding.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const kc_sweep *sweep_at(kci_call *c, const char *call)
{
    kc_object *object = kci_object_at(c->L, c->state, 1);
    if (object == NULL || kc_object_kind(object) != KC_SWEEP)
        kci_error(c, "call it as s:%s()", call);
    return (const kc_sweep *)object;
}

static bool push_cell(lua_State *L, const kc_sweep *s, size_t row, size_t column)
{
    double number;
    const char *text = kc_sweep_text(s, row, column);
    if (text != NULL)
        lua_pushstring(L, text);
    else if (kc_sweep_number(s, row, column, &number) == KC_OK)
        lua_pushnumber(L, number);
    else
        return false;
    return true;
}

void kci_put_column(lua_State *L, const char *title)
{
    static const char *const groups[] = {"tile", "size", "split", "dtype", "times"};
    size_t length = strcspn(title, ".");
    for (size_t i = 0; i < COUNT(groups); i++)
        if (strlen(groups[i]) == length && strncmp(title, groups[i], length) == 0) {
            kci_put_nested(L, title);
            return;
        }
    lua_setfield(L, -2, title);
}

/* { point = 17, device = "h100-sxm5", tile = { i = 128 }, time = 0.002 } */
static void push_row(lua_State *L, const kc_sweep *s, size_t row)
{
    size_t columns = kc_sweep_columns(s);
    luaL_checkstack(L, 16, NULL);
    lua_createtable(L, 0, (int)columns + 1);
    lua_pushnumber(L, kc_sweep_point(s, row));
    lua_setfield(L, -2, "point");
    for (size_t column = 0; column < columns; column++)
        if (push_cell(L, s, row, column))
            kci_put_column(L, kc_sweep_column(s, column));
}

/* s:rows() */
static int sweep_rows(lua_State *L)
{
    kci_call c = kci_begin(L, "rows", 1);
    const kc_sweep *s = sweep_at(&c, "rows");
    size_t count = kc_sweep_rows(s);
    lua_createtable(L, (int)count, 0);
    for (size_t row = 0; row < count; row++) {
        push_row(L, s, row);
        lua_rawseti(L, -2, (int)row + 1);
    }
    return 1;
}

/* s:best(): the row with the least time, or of what keep goes by; nil where there is none */
static int sweep_best(lua_State *L)
{
    kci_call c = kci_begin(L, "best", 1);
    const kc_sweep *s = sweep_at(&c, "best");
    size_t row;
    if (kc_sweep_best(s, &row) == KC_OK)
        push_row(L, s, row);
    else
        lua_pushnil(L);
    return 1;
}

/* s:columns(): { ["tile.i"] = { … }, time = { … } } */
static int sweep_columns(lua_State *L)
{
    kci_call c = kci_begin(L, "columns", 1);
    const kc_sweep *s = sweep_at(&c, "columns");
    size_t columns = kc_sweep_columns(s), rows = kc_sweep_rows(s);
    lua_createtable(L, 0, (int)columns);
    for (size_t column = 0; column < columns; column++) {
        lua_createtable(L, (int)rows, 0);
        for (size_t row = 0; row < rows; row++) {
            if (!push_cell(L, s, row, column))
                lua_pushboolean(L, 0); /* it does not apply: no holes in the list */
            lua_rawseti(L, -2, (int)row + 1);
        }
        lua_setfield(L, -2, kc_sweep_column(s, column));
    }
    return 1;
}

static int push_document(kci_call *c, const char *call, const char *(*write)(kc_object *))
{
    kc_object *object = (kc_object *)(void *)(size_t)sweep_at(c, call);
    const char *text = write(object);
    if (text == NULL && kci_try_again(c))
        text = write(object);
    if (text == NULL)
        return kci_model_error(c);
    lua_pushstring(c->L, text);
    return 1;
}

static const char *write_csv(kc_object *object)
{
    return kc_csv(object, 0);
}

static int sweep_csv(lua_State *L)
{
    kci_call c = kci_begin(L, "csv", 1);
    return push_document(&c, "csv", write_csv);
}

static int sweep_json(lua_State *L)
{
    kci_call c = kci_begin(L, "json", 1);
    return push_document(&c, "json", kc_json);
}

static kc_object *object_of(kci_call *c, const kc_sweep *s, double point, kc_device **device)
{
    kc_object *object = kc_sweep_object(s, point, device);
    if (object == NULL && kci_try_again(c))
        object = kc_sweep_object(s, point, device);
    return object;
}

/* s:kernel([row or point]): the kernel or program of a row of s:rows(), of a point by its number, or of
 * the best row; and its device */
static int sweep_kernel(lua_State *L)
{
    kci_call c = kci_begin(L, "kernel", 2);
    const kc_sweep *s = sweep_at(&c, "kernel");
    size_t best;
    double point;
    if (lua_type(L, 2) == LUA_TTABLE) {
        int at = kci_option(&c, 2, "point");
        point = kci_whole(&c, at, "row.point", 0);
    } else if (!kci_absent(&c, 2)) {
        point = kci_whole(&c, 2, "point", 0);
    } else if (kc_sweep_best(s, &best) == KC_OK) {
        point = kc_sweep_point(s, best);
    } else {
        return kci_error(&c, "the sweep has no row");
    }
    kci_box *box = kci_box_push(L, c.state);
    kci_box *other = kci_box_push(L, c.state);
    kc_device *device = NULL;
    kc_object *object = object_of(&c, s, point, &device);
    if (object == NULL)
        return kci_model_error(&c);
    if (device != NULL) {
        kci_box_fill(L, c.state, other, device);
    } else {
        lua_pop(L, 1);
        lua_pushnil(L);
    }
    lua_insert(L, -2);
    kci_box_fill(L, c.state, box, object);
    lua_insert(L, -2);
    return 2;
}

/* { { reason, points, first, sentence }, … } */
static int push_rejected(lua_State *L, const kc_sweep *s)
{
    size_t count = kc_sweep_reasons(s);
    lua_createtable(L, (int)count, 0);
    for (size_t i = 0; i < count; i++) {
        double first = 0, points = kc_sweep_rejected(s, i, &first);
        lua_createtable(L, 0, 4);
        lua_pushstring(L, kc_sweep_reason(s, i));
        lua_setfield(L, -2, "reason");
        lua_pushnumber(L, points);
        lua_setfield(L, -2, "points");
        lua_pushnumber(L, first);
        lua_setfield(L, -2, "first");
        if (kc_sweep_sentence(s, i) != NULL) {
            lua_pushstring(L, kc_sweep_sentence(s, i));
            lua_setfield(L, -2, "sentence");
        }
        lua_rawseti(L, -2, (int)i + 1);
    }
    return 1;
}

/* s:missing(): the points that do not run, each with the reason */
static int sweep_missing(lua_State *L)
{
    kci_call c = kci_begin(L, "missing", 1);
    const kc_sweep *s = sweep_at(&c, "missing");
    size_t count = kc_sweep_missing(s);
    lua_createtable(L, (int)count, 0);
    for (size_t i = 0; i < count; i++) {
        size_t reason = 0;
        lua_createtable(L, 0, 2);
        lua_pushnumber(L, kc_sweep_missing_point(s, i, &reason));
        lua_setfield(L, -2, "point");
        lua_pushstring(L, kc_sweep_reason(s, reason));
        lua_setfield(L, -2, "reason");
        lua_rawseti(L, -2, (int)i + 1);
    }
    return 1;
}

/* s.axes: the titles of the columns that are axes, in order */
static int push_axes(lua_State *L, const kc_sweep *s)
{
    size_t count = kc_sweep_axes(s);
    lua_createtable(L, (int)count, 0);
    for (size_t i = 0; i < count; i++) {
        lua_pushstring(L, kc_sweep_column(s, i));
        lua_rawseti(L, -2, (int)i + 1);
    }
    return 1;
}

int kci_sweep_length(lua_State *L)
{
    kci_call c = {.L = L, .state = kci_state_of(L), .name = NULL};
    lua_pushnumber(L, (double)kc_sweep_rows(sweep_at(&c, "rows")));
    return 1;
}

int kci_index_sweep(lua_State *L)
{
    static const struct {
        const char *name;
        lua_CFunction function;
    } methods[] = {{"rows", sweep_rows}, {"best", sweep_best}, {"columns", sweep_columns}, {"csv", sweep_csv},
                   {"json", sweep_json}, {"kernel", sweep_kernel}, {"missing", sweep_missing},
                   {"table", kci_object_table}};
    static const struct {
        const char *name;
        double (*number)(const kc_sweep *);
    } numbers[] = {{"points", kc_sweep_points}, {"done", kc_sweep_done}, {"fit", kc_sweep_fit}};
    static const struct {
        const char *name;
        const char *(*text)(const kc_sweep *);
    } texts[] = {{"name", kc_sweep_name}, {"keep", kc_sweep_keep}, {"convention", kc_sweep_convention}};
    static const char *const names[] = {"rows", "best",   "columns", "csv",         "json",     "kernel", "table",
                                        "kind", "points", "done",    "interrupted", "rejected", "fit",    "missing",
                                        "axes", "name",   "keep",    "convention"};
    kci_call c = {.L = L, .state = kci_state_of(L), .name = NULL};
    luaL_checkstack(L, 24, NULL);
    const kc_sweep *s = sweep_at(&c, "rows");
    const char *field = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
    for (size_t i = 0; i < COUNT(methods); i++)
        if (strcmp(field, methods[i].name) == 0)
            return kci_push_method(L, methods[i].function);
    for (size_t i = 0; i < COUNT(numbers); i++)
        if (strcmp(field, numbers[i].name) == 0) {
            lua_pushnumber(L, numbers[i].number(s));
            return 1;
        }
    for (size_t i = 0; i < COUNT(texts); i++)
        if (strcmp(field, texts[i].name) == 0) {
            lua_pushstring(L, texts[i].text(s));
            return 1;
        }
    if (strcmp(field, "axes") == 0)
        return push_axes(L, s);
    if (strcmp(field, "rejected") == 0)
        return push_rejected(L, s);
    if (strcmp(field, "interrupted") == 0) {
        lua_pushboolean(L, kc_sweep_interrupted(s));
        return 1;
    }
    if (strcmp(field, "kind") == 0) {
        lua_pushliteral(L, "sweep");
        return 1;
    }
    return kci_no_field(&c, "a sweep", names, COUNT(names));
}
