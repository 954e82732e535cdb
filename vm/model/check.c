/* check.c: the check of a device's figures, as kcost.h gives it. */
#include "device.h"

kc_status kc_device_check(kc_device *device, const char **report)
{
    if (!device)
        return KC_EARGUMENT;
    kc_context *context = device->base.context;
    kci_text text = { .context = context };
    size_t off = kci_device_check(device, &text);
    const char *kept = kci_text_keep(&text, &device->base.json);
    if (!kept)
        return KC_ENOMEM;
    if (report)
        *report = kept;
    if (off)
        return kci_fail(context, KC_EDEVICE, "%s: %zu of its figures do not agree with what they follow from",
                        kci_device_name(device), off);
    return KC_OK;
}
