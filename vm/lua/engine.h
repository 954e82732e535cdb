/* engine.h: is the Lua that this process found the one that this library was made for? */
#ifndef KCI_ENGINE_H
#define KCI_ENGINE_H

#include <stdbool.h>

bool kci_engine_is_own(void);

#endif
