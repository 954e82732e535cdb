/* profile.c: a file that a profiler exported, as the table that stdlib/profile.lua makes a profile of. */
#include "binding.h"

#include <stdio.h>

enum { PIECE = 1 << 14 };

/* Feeds the file, without an error of Lua's while it is open; whether it could be read to its end. */
static bool feed(const kci_call *c, kc_profile *profile, const char *path, kc_status *status)
{
    char piece[PIECE];
    size_t length;
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return false;
    const kci_limits *limits = c->state->limits;
    while (*status == KC_OK && (limits == NULL || !kci_limits_expired(limits)) &&
           (length = fread(piece, 1, sizeof piece, file)) > 0)
        *status = kc_profile_feed(profile, piece, length);
    bool good = !ferror(file);
    fclose(file);
    return good;
}

int kci_core_profile(lua_State *L)
{
    kci_call c = kci_begin(L, "load_profile", 2);
    const char *path = kci_string(&c, 1, "path");
    double launches = kci_whole(&c, 2, "launches", 0);
    if (c.state->vm && !c.state->trusted)
        return kci_error(&c, "this script may not read files");
    KCI_PUSH(&c, kc_profile_new(c.state->context, (size_t)launches));
    kc_profile *profile = (kc_profile *)(void *)kci_box_at(L, c.state, -1)->object;
    kc_status status = KC_OK;
    if (!feed(&c, profile, path, &status))
        return kci_error(&c, "cannot read %s", path);
    kci_not_over(L, c.state); /* a limit may be why it stopped */
    if (status == KC_OK)
        status = kc_profile_end(profile);
    if (status == KC_EARGUMENT)
        return kci_error(&c, "%s: %s", path, kc_context_message(c.state->context));
    const char *json = status == KC_OK ? kc_json((kc_object *)(void *)profile) : NULL;
    if (json == NULL)
        return kci_model_error(&c);
    kci_push_json(&c, json);
    return 1;
}
