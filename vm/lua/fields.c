/* fields.c: what objects show of themselves: t.name, v.dims, k.tensors, p.kernels, d.hbm. */
#include "binding.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

int kci_no_field(kci_call *c, const char *what, const char *const *names, size_t count)
{
    lua_State *L = c->L;
    if (lua_type(L, 2) != LUA_TSTRING)
        return kci_error(c, "%s has no field %s", what, kci_push_described(L, c->state, 2));
    const char *field = lua_tostring(L, 2);
    return kci_error(c, "%s has no field '%s'%s", what, field,
                     kci_push_nearest(L, field, names, count));
}

/* A tensor and a value have rank, dims, sizes and dtype alike. */
typedef struct shape {
    size_t (*rank)(const void *object);
    const char *(*dim)(const void *object, size_t i);
    double (*size)(const void *object, size_t i);
    kc_dtype *(*dtype)(const void *object);
} shape;

static size_t tensor_rank(const void *t)
{
    return kc_tensor_rank(t);
}
static const char *tensor_dim(const void *t, size_t i)
{
    return kc_tensor_dim(t, i);
}
static double tensor_size(const void *t, size_t i)
{
    return kc_tensor_size(t, i);
}
static kc_dtype *tensor_dtype(const void *t)
{
    return kc_tensor_dtype(t);
}
static size_t value_rank(const void *v)
{
    return kc_value_rank(v);
}
static const char *value_dim(const void *v, size_t i)
{
    return kc_value_dim(v, i);
}
static double value_size(const void *v, size_t i)
{
    return kc_value_size(v, i);
}
static kc_dtype *value_dtype(const void *v)
{
    return kc_value_dtype(v);
}

static const shape of_tensor = {tensor_rank, tensor_dim, tensor_size, tensor_dtype};
static const shape of_value = {value_rank, value_dim, value_size, value_dtype};

static int push_dims(lua_State *L, const shape *s, const void *object)
{
    lua_pushliteral(L, "");
    for (size_t i = 0; i < s->rank(object); i++) {
        lua_pushfstring(L, i == 0 ? "%s" : " %s", s->dim(object, i));
        lua_concat(L, 2);
    }
    return 1;
}

static int push_size(lua_State *L, const shape *s, const void *object)
{
    lua_newtable(L);
    for (size_t i = 0; i < s->rank(object); i++) {
        lua_pushnumber(L, s->size(object, i));
        lua_setfield(L, -2, s->dim(object, i));
    }
    return 1;
}

static int push_dtype_name(kci_call *c, const shape *s, const void *object)
{
    KCI_PUSH(c, s->dtype(object));
    lua_pushstring(c->L, kc_object_name(kci_object_at(c->L, c->state, -1)));
    return 1;
}

static int shape_field(kci_call *c, const shape *s, const kc_object *object, const char *field)
{
    static const char *const names[] = {"name", "dims", "size", "dtype"};
    if (strcmp(field, "dims") == 0)
        return push_dims(c->L, s, object);
    if (strcmp(field, "size") == 0)
        return push_size(c->L, s, object);
    if (strcmp(field, "dtype") == 0)
        return push_dtype_name(c, s, object);
    return kci_no_field(c, s == &of_tensor ? "a tensor" : "a value", names, COUNT(names));
}

static int push_tensors(kci_call *c, const kc_kernel *kernel)
{
    lua_State *L = c->L;
    size_t count = kc_kernel_tensors(kernel);
    lua_createtable(L, (int)count, 0);
    for (size_t i = 0; i < count; i++) {
        KCI_PUSH(c, kc_kernel_tensor(kernel, i));
        lua_rawseti(L, -2, (int)i + 1);
    }
    return 1;
}

/* The schedule as it is resolved: what was given and what followed from it, in
 * the form of a result's.  Untiled: nil. */
static int push_schedule(kci_call *c, kc_kernel *kernel)
{
    kc_schedule *schedule = kc_kernel_schedule(kernel);
    if (schedule == NULL) {
        lua_pushnil(c->L);
        return 1;
    }
    kc_release(schedule);
    KCI_PUSH(c, kc_count((kc_object *)kernel, NULL));
    return kci_push_schedule(c, (kc_result *)kci_object_at(c->L, c->state, -1));
}

static int kernel_field(kci_call *c, kc_kernel *kernel, const char *field)
{
    static const char *const names[] = {"name", "tensors", "schedule", "comm"};
    if (strcmp(field, "tensors") == 0)
        return push_tensors(c, kernel);
    if (strcmp(field, "schedule") == 0)
        return push_schedule(c, kernel);
    if (strcmp(field, "comm") == 0) {
        lua_pushstring(c->L, kc_kernel_comm(kernel)); /* nil where there is none */
        return 1;
    }
    return kci_no_field(c, "a kernel", names, COUNT(names));
}

static int program_field(kci_call *c, const kc_program *program, const char *field)
{
    static const char *const names[] = {"name", "kernels", "beside"};
    if (strcmp(field, "beside") == 0) {
        lua_pushboolean(c->L, kc_program_beside(program));
        return 1;
    }
    if (strcmp(field, "kernels") != 0)
        return kci_no_field(c, "a program", names, COUNT(names));
    lua_State *L = c->L;
    size_t count = kc_program_parts(program);
    lua_createtable(L, (int)count, 0);
    for (size_t i = 0; i < count; i++) {
        KCI_PUSH(c, kc_program_part(program, i));
        lua_rawseti(L, -2, (int)i + 1);
    }
    return 1;
}

static int device_field(kci_call *c, kc_device *device, const char *field)
{
    if (strcmp(field, "with") == 0) {
        lua_pushvalue(c->L, lua_upvalueindex(1));
        lua_pushcclosure(c->L, kci_device_with, 1);
    } else {
        kci_push_device_field(c, device, field);
    }
    return 1;
}

int kci_index_object(lua_State *L)
{
    kci_call c = {.L = L, .state = kci_state_of(L), .name = NULL};
    luaL_checkstack(L, 24, NULL);
    kc_object *object = kci_object_at(L, c.state, 1);
    if (object == NULL)
        return kci_error(&c, "an object is wanted");
    kc_kind kind = kc_object_kind(object);
    const char *field = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
    if (strcmp(field, "name") == 0 && kind != KC_VALUE && kind != KC_DEVICE) {
        lua_pushstring(L, kc_object_name(object));
        return 1;
    }
    switch (kind) {
    case KC_TENSOR:
        return shape_field(&c, &of_tensor, object, field);
    case KC_VALUE:
        return shape_field(&c, &of_value, object, field);
    case KC_KERNEL:
        return kernel_field(&c, (kc_kernel *)object, field);
    case KC_PROGRAM:
        return program_field(&c, (kc_program *)object, field);
    case KC_DEVICE:
        return device_field(&c, (kc_device *)object, field);
    case KC_DTYPE: {
        static const char *const names[] = {"name", "bits"};
        if (strcmp(field, "bits") != 0)
            return kci_no_field(&c, "a dtype", names, COUNT(names));
        lua_pushnumber(L, kc_dtype_bits((kc_dtype *)object));
        return 1;
    }
    default:
        return kci_no_field(&c, kci_kind_name(kind), NULL, 0);
    }
}
