/* devices.h: kcost devices: lists, shows and checks devices. */
#ifndef DEVICES_H
#define DEVICES_H

#include "options.h"

/* Returns the exit status. */
int devices_command(const options *o, FILE *out);

#endif
