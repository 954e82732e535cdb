/* result.c: results and comparisons as a script reads them: r.bytes, r.times.hbm, c.results[1]. */
#include "binding.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* `time` and `times` are two fields: a dotted name belongs to its table. */
static bool in_group(const char *name, const char *group)
{
    size_t length = strlen(group);
    return strncmp(name, group, length) == 0 && name[length] == '.';
}

/* Pushes r.times: the roofs that apply; nil where there are none. */
static bool push_group(kci_call *c, const kc_result *r, const char *group)
{
    lua_State *L = c->L;
    bool known = false, any = false;
    lua_newtable(L);
    for (int f = 0; f < KC_FIELD_COUNT; f++) {
        const char *name = kc_field_name((kc_field)f);
        double value;
        if (!in_group(name, group))
            continue;
        known = true;
        if (kc_result_number(r, (kc_field)f, &value) != KC_OK)
            continue;
        any = true;
        lua_pushnumber(L, value);
        lua_setfield(L, -2, name + strlen(group) + 1);
    }
    if (any) {
        kci_record_mark(L, c->state, "r.times", "matrix vector special smem l2 hbm link launch fill drain");
    } else {
        lua_pop(L, 1);
        if (known)
            lua_pushnil(L);
    }
    return known;
}

/* Pushes a field that is one number, nil where it does not apply. */
static bool push_number(lua_State *L, const kc_result *r, const char *field)
{
    for (int f = 0; f < KC_FIELD_COUNT; f++) {
        double value;
        if (strcmp(kc_field_name((kc_field)f), field) != 0)
            continue;
        if (kc_result_number(r, (kc_field)f, &value) == KC_OK)
            lua_pushnumber(L, value);
        else
            lua_pushnil(L);
        return true;
    }
    return false;
}

static int push_text(lua_State *L, const char *text)
{
    if (text != NULL)
        lua_pushstring(L, text);
    else
        lua_pushnil(L);
    return 1;
}

static int push_tensors(kci_call *c, const kc_result *r)
{
    lua_State *L = c->L;
    size_t count = kc_result_tensors(r);
    lua_createtable(L, (int)count, 0);
    for (size_t i = 0; i < count; i++) {
        lua_createtable(L, 0, KC_LEDGER_COUNT + 1);
        lua_pushstring(L, kc_result_tensor_name(r, i));
        lua_setfield(L, -2, "name");
        for (int column = 0; column < KC_LEDGER_COUNT; column++) {
            lua_pushnumber(L, kc_result_tensor_number(r, i, (kc_ledger)column));
            lua_setfield(L, -2, kc_ledger_name((kc_ledger)column));
        }
        kci_record_mark(L, c->state, "r.tensors[i]", "name bytes_read bytes_written l2_bytes loads compulsory reload pass spill split");
        lua_rawseti(L, -2, (int)i + 1);
    }
    return 1;
}

static int push_kernels(kci_call *c, const kc_result *r)
{
    size_t count = kc_result_kernels(r);
    if (count == 0) {
        lua_pushnil(c->L);
        return 1;
    }
    lua_createtable(c->L, (int)count, 0);
    for (size_t i = 0; i < count; i++) {
        KCI_PUSH(c, kc_result_kernel(r, i));
        lua_rawseti(c->L, -2, (int)i + 1);
    }
    return 1;
}

/* A result's words are written when one of them is first asked for, which takes memory. */
static void write_words(lua_State *L, const kc_result *r)
{
    if (kc_result_convention(r) == NULL)
        kci_no_memory(L);
}

static int push_notes(lua_State *L, const kc_result *r)
{
    write_words(L, r);
    size_t count = kc_result_notes(r);
    lua_createtable(L, (int)count, 0);
    for (size_t i = 0; i < count; i++) {
        lua_pushstring(L, kc_result_note(r, i));
        lua_rawseti(L, -2, (int)i + 1);
    }
    return 1;
}

int kci_push_schedule(kci_call *c, const kc_result *r)
{
    write_words(c->L, r);
    const char *json = kc_result_schedule(r);
    if (json != NULL) {
        kci_push_json(c, json);
        kci_record_mark(c->L, c->state, "a schedule", KCI_SCHEDULE_NAMES);
    } else {
        lua_pushnil(c->L);
    }
    return 1;
}

/* Takes what is there; nil where it is not. */
static int push_or_nil(kci_call *c, kci_box *box, void *object)
{
    if (object != NULL) {
        kci_box_fill(c->L, c->state, box, object);
    } else {
        lua_pop(c->L, 1);
        lua_pushnil(c->L);
    }
    return 1;
}

/* What kc.best or kc.fuse_all made, to be evaluated or changed further; nil of any other result. */
static int push_best(kci_call *c, const kc_result *r)
{
    kci_box *box = kci_box_push(c->L, c->state);
    return push_or_nil(c, box, kc_result_best(r));
}

/* The device, to be asked for its roofs; nil where it is only counted, and of a program's kernels. */
static int push_device(kci_call *c, const kc_result *r)
{
    kci_box *box = kci_box_push(c->L, c->state);
    return push_or_nil(c, box, kc_result_on(r));
}

/* { points, visited, cut, rejected } of a search: points = visited + cut; { interrupted = true } where it was. */
static int push_search(kci_call *c, const kc_result *r)
{
    lua_State *L = c->L;
    double rejected, points = kc_result_searched(r, &rejected);
    if (points == 0) {
        lua_pushnil(L);
        return 1;
    }
    lua_createtable(L, 0, 4);
    lua_pushnumber(L, points);
    lua_setfield(L, -2, "points");
    lua_pushnumber(L, kc_result_visited(r));
    lua_setfield(L, -2, "visited");
    lua_pushnumber(L, points - kc_result_visited(r));
    lua_setfield(L, -2, "cut");
    lua_pushnumber(L, rejected);
    lua_setfield(L, -2, "rejected");
    if (kc_result_interrupted(r)) {
        lua_pushboolean(L, 1);
        lua_setfield(L, -2, "interrupted");
    }
    kci_record_mark(L, c->state, "r.search", "points visited cut rejected interrupted");
    return 1;
}

/* Puts time and bytes, fused or apart, into the table at the top; false: the two ways were not evaluated. */
static bool put_ways(lua_State *L, const kc_result *r, size_t i, bool apart)
{
    static const kc_field fields[] = {KC_TIME, KC_BYTES};
    for (size_t f = 0; f < COUNT(fields); f++) {
        double figures[2];
        if (kc_result_fusion_number(r, i, fields[f], &figures[0], &figures[1]) != KC_OK)
            return false;
        lua_pushnumber(L, figures[apart]);
        lua_setfield(L, -2, kc_field_name(fields[f]));
    }
    return true;
}

/* { kernels, rule, why, time, bytes, apart = { time, bytes } } of one group. */
static void push_fusion(lua_State *L, const kc_result *r, size_t i)
{
    size_t count = kc_result_fusion_kernels(r, i);
    lua_createtable(L, 0, 6);
    lua_createtable(L, (int)count, 0);
    for (size_t k = 0; k < count; k++) {
        lua_pushstring(L, kc_result_fusion_kernel(r, i, k));
        lua_rawseti(L, -2, (int)k + 1);
    }
    lua_setfield(L, -2, "kernels");
    push_text(L, kc_result_fusion_rule(r, i));
    lua_setfield(L, -2, "rule");
    push_text(L, kc_result_fusion_refused(r, i));
    lua_setfield(L, -2, "why");
    if (put_ways(L, r, i, false)) {
        lua_createtable(L, 0, 2);
        put_ways(L, r, i, true);
        lua_setfield(L, -2, "apart");
    }
}

/* What kc.fuse_all fused, or what it left apart; nil of another result. */
static int push_fusions(lua_State *L, const kc_result *r, bool refused)
{
    int count = 0;
    if (!kc_result_is_fused(r)) {
        lua_pushnil(L);
        return 1;
    }
    lua_newtable(L);
    for (size_t i = 0; i < kc_result_fusions(r); i++) {
        if ((kc_result_fusion_refused(r, i) != NULL) != refused)
            continue;
        push_fusion(L, r, i);
        lua_rawseti(L, -2, ++count);
    }
    return 1;
}

/* Of a row of a comparison: to the first x on its device. */
static int push_ratio(kci_call *c, const kci_box *box)
{
    lua_State *L = c->L;
    static const kc_field fields[] = {KC_TIME, KC_BYTES, KC_FLOPS};
    if (box->within == NULL) {
        lua_pushnil(L);
        return 1;
    }
    lua_createtable(L, 0, COUNT(fields));
    for (size_t i = 0; i < COUNT(fields); i++) {
        double ratio;
        if (kc_comparison_ratio(box->within, box->row, fields[i], &ratio) != KC_OK)
            continue;
        lua_pushnumber(L, ratio);
        lua_setfield(L, -2, kc_field_name(fields[i]));
    }
    kci_record_mark(L, c->state, "r.ratio", "time bytes flops");
    return 1;
}

int kci_object_table(lua_State *L)
{
    kci_call c = kci_begin(L, "table", 1);
    kc_object *object = kci_object_at(L, c.state, 1);
    if (object == NULL)
        return kci_error(&c, "call it as r:table()");
    const char *json = kc_json(object);
    if (json == NULL && kci_try_again(&c))
        json = kc_json(object);
    if (json == NULL)
        return kci_model_error(&c);
    kci_push_json(&c, json);
    return 1;
}

int kci_push_method(lua_State *L, lua_CFunction function)
{
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_pushcclosure(L, function, 1);
    return 1;
}

/* What is not a number. */
static const char *const other_fields[] = {"kind",  "name",  "device", "on", "convention", "tensors",
                                           "times", "bound", "class",  "schedule",   "kernels",
                                           "notes", "ratio", "error",  "table",      "kernel",
                                           "search", "fused", "refused", "explain", "sensitivity"};

static int unknown_field(kci_call *c)
{
    const char *names[KC_FIELD_COUNT + COUNT(other_fields)];
    size_t count = 0;
    for (size_t i = 0; i < COUNT(other_fields); i++)
        names[count++] = other_fields[i];
    for (int f = 0; f < KC_FIELD_COUNT; f++)
        names[count++] = kc_field_name((kc_field)f);
    return kci_no_field(c, "a result", names, count);
}

int kci_index_result(lua_State *L)
{
    kci_call c = {.L = L, .state = kci_state_of(L), .name = NULL};
    luaL_checkstack(L, 24, NULL);
    kci_box *box = kci_box_at(L, c.state, 1);
    if (box == NULL || kc_object_kind(box->object) != KC_RESULT)
        return kci_error(&c, "a result is wanted");
    const kc_result *r = (const kc_result *)box->object;
    if (lua_type(L, 2) != LUA_TSTRING)
        return unknown_field(&c);
    const char *field = lua_tostring(L, 2);

    if (strchr(field, '.') == NULL && (push_number(L, r, field) || push_group(&c, r, field)))
        return 1;
    if (strcmp(field, "name") == 0)
        return push_text(L, kc_result_name(r));
    if (strcmp(field, "device") == 0)
        return push_text(L, kc_result_device(r));
    if (strcmp(field, "on") == 0)
        return push_device(&c, r);
    if (strcmp(field, "bound") == 0)
        return push_text(L, kc_result_bound(r));
    if (strcmp(field, "class") == 0)
        return push_text(L, kc_result_class(r));
    if (strcmp(field, "convention") == 0) {
        write_words(L, r);
        return push_text(L, kc_result_convention(r));
    }
    if (strcmp(field, "kind") == 0)
        return push_text(L, "result");
    if (strcmp(field, "tensors") == 0)
        return push_tensors(&c, r);
    if (strcmp(field, "kernels") == 0)
        return push_kernels(&c, r);
    if (strcmp(field, "notes") == 0)
        return push_notes(L, r);
    if (strcmp(field, "schedule") == 0)
        return kci_push_schedule(&c, r);
    if (strcmp(field, "kernel") == 0)
        return push_best(&c, r);
    if (strcmp(field, "search") == 0)
        return push_search(&c, r);
    if (strcmp(field, "fused") == 0)
        return push_fusions(L, r, false);
    if (strcmp(field, "refused") == 0)
        return push_fusions(L, r, true);
    if (strcmp(field, "ratio") == 0)
        return push_ratio(&c, box);
    if (strcmp(field, "error") == 0)
        return push_text(L, NULL);
    if (strcmp(field, "table") == 0)
        return kci_push_method(L, kci_object_table);
    if (strcmp(field, "explain") == 0)
        return kci_push_method(L, kci_result_explain);
    if (strcmp(field, "sensitivity") == 0)
        return kci_push_method(L, kci_result_sensitivity);
    return unknown_field(&c);
}

/* What does not run is a plain table with the reason in place of figures. */
static int push_error_row(lua_State *L, const kc_comparison *comparison, size_t row)
{
    lua_createtable(L, 0, 3);
    push_text(L, kc_comparison_name(comparison, row));
    lua_setfield(L, -2, "name");
    push_text(L, kc_comparison_device(comparison, row));
    lua_setfield(L, -2, "device");
    push_text(L, kc_comparison_error(comparison, row));
    lua_setfield(L, -2, "error");
    return 1;
}

static int push_rows(kci_call *c, kc_comparison *comparison)
{
    lua_State *L = c->L;
    size_t count = kc_comparison_rows(comparison);
    lua_createtable(L, (int)count, 0);
    for (size_t i = 0; i < count; i++) {
        kci_box *box = kci_box_push(L, c->state);
        kc_result *result = kc_comparison_result(comparison, i);
        if (result != NULL) {
            box->within = kc_retain(comparison);
            box->row = i;
            kci_box_fill(L, c->state, box, result);
        } else {
            lua_pop(L, 1);
            push_error_row(L, comparison, i);
        }
        lua_rawseti(L, -2, (int)i + 1);
    }
    return 1;
}

/* Rows go x by x, in each device by device: the first x's rows name the devices. */
static int push_devices(lua_State *L, const kc_comparison *comparison)
{
    size_t count = kc_comparison_devices(comparison);
    lua_createtable(L, (int)count, 0);
    for (size_t i = 0; i < count; i++) {
        push_text(L, kc_comparison_device(comparison, i));
        lua_rawseti(L, -2, (int)i + 1);
    }
    return 1;
}

int kci_index_comparison(lua_State *L)
{
    static const char *const names[] = {"kind", "devices", "results", "table"};
    kci_call c = {.L = L, .state = kci_state_of(L), .name = NULL};
    luaL_checkstack(L, 24, NULL);
    kc_object *object = kci_object_at(L, c.state, 1);
    if (object == NULL || kc_object_kind(object) != KC_COMPARISON)
        return kci_error(&c, "a comparison is wanted");
    const char *field = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
    if (strcmp(field, "results") == 0)
        return push_rows(&c, (kc_comparison *)object);
    if (strcmp(field, "devices") == 0)
        return push_devices(L, (kc_comparison *)object);
    if (strcmp(field, "kind") == 0)
        return push_text(L, "comparison");
    if (strcmp(field, "table") == 0)
        return kci_push_method(L, kci_object_table);
    return kci_no_field(&c, "a comparison", names, COUNT(names));
}
