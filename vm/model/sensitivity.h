/* sensitivity.h: what 1 % more of one roof does to a time: r:sensitivity(). Design, section 2.3. */
#ifndef KCI_SENSITIVITY_H
#define KCI_SENSITIVITY_H

#include "device.h"

/* Raises one roof of a device's figures by `factor`: rates times it, times divided by it.
 * False: there is no roof of that name, or the device does not state it. */
bool kci_roof_raise(kc_device *device, const char *roof, double factor);

#endif
