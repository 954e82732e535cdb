/* explain.c: r:explain(), r:explain(field) and r:sensitivity(): design, section 2.3. */
#include "binding.h"

static kc_result *result_at(kci_call *c, const char *how)
{
    kc_object *object = kci_object_at(c->L, c->state, 1);
    if (object == NULL || kc_object_kind(object) != KC_RESULT)
        kci_error(c, "call it as %s", how);
    return (kc_result *)object;
}

static const char *explained(kc_result *r, const char *field)
{
    return field != NULL ? kc_result_formula(r, field) : kc_result_explain(r);
}

int kci_result_explain(lua_State *L)
{
    kci_call c = kci_begin(L, "explain", 2);
    kc_result *r = result_at(&c, "r:explain()");
    const char *field = kci_absent(&c, 2) ? NULL : kci_string(&c, 2, "field");
    const char *text = explained(r, field);
    if (text == NULL && kci_try_again(&c))
        text = explained(r, field);
    if (text == NULL)
        return kci_model_error(&c);
    lua_pushstring(L, text);
    return 1;
}

/* { matrix = -0.0071, hbm = 0, … }: roofs that the device has. */
int kci_result_sensitivity(lua_State *L)
{
    kci_call c = kci_begin(L, "sensitivity", 1);
    kc_result *r = result_at(&c, "r:sensitivity()");
    const char *roof;
    if (kc_result_device(r) == NULL)
        return kci_error(&c, "%s has no time; evaluate it on a device", kc_result_name(r));
    lua_newtable(L);
    for (size_t i = 0; (roof = kc_sensitivity_roof(i)) != NULL; i++) {
        double change;
        kc_status status = kc_result_sensitivity(r, roof, &change);
        if (status == KC_ENOMEM && kci_try_again(&c))
            status = kc_result_sensitivity(r, roof, &change);
        if (status == KC_EARGUMENT)
            continue; /* the device states no such roof */
        if (status != KC_OK)
            return kci_model_error(&c);
        lua_pushnumber(L, change);
        lua_setfield(L, -2, roof);
    }
    kci_record_mark(L, c.state, "a sensitivity", "matrix vector special smem l2 hbm link launch latency");
    return 1;
}
