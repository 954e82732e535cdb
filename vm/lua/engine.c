/* engine.c: is the Lua that this process found the one that this library was made for?
 *
 * Two engines export the same names, and a process resolves each name once, so a
 * library made for one may be bound to the other's lua_newstate.  Where that and
 * a function which only its own engine has come from, tells. */
#define _GNU_SOURCE
#include "engine.h"

#include <dlfcn.h>
#include <string.h>

#include "compat.h"

static const void *object_of(void (*function)(void))
{
    Dl_info info;
    void *address;
    memcpy(&address, &function, sizeof address);
    return dladdr(address, &info) != 0 ? info.dli_fbase : NULL;
}

bool kci_engine_is_own(void)
{
    const void *shared = object_of((void (*)(void))lua_newstate);
    const void *own = object_of((void (*)(void))KCI_ENGINE_OWN);
    return shared == own; /* both unknown in a static program: one engine only */
}
