/* hardware.c: does the device have what a schedule names: matrix instructions, thread-block clusters? */
#include "hardware.h"

#include <string.h>

#include "roof.h"

/* CTAs of a cluster: what every device with clusters takes, and what it takes if the launch asks for more
 * (cudaFuncAttributeNonPortableClusterSizeAllowed).  Source: CUDA C++ Programming Guide, thread block clusters. */
static const double PORTABLE = 8, LARGEST = 16;

/* Nothing is known of its instructions: a device of the caller's that names no architecture. */
static bool is_unknown(const kc_device *device)
{
    return !device->defaults && !kci_path_stated(device);
}

static kc_status check_path(const char *path, const kc_device *device, kci_notes *notes)
{
    const char *best = kci_path_stated(device), *name = kci_device_name(device);
    if (is_unknown(device))
        return !notes ? KC_OK : kci_note(notes, "%s does not state its matrix instructions: path %s is taken for its best", name, path);
    if (!best)
        return kci_fail(device->base.context, KC_EDEVICE, "%s has no path %s, nor any other that a schedule may name", name,
                        path);
    bool also_mma = kci_path_specialised(device, NULL);
    if (strcmp(path, best) == 0 || (also_mma && strcmp(path, "mma") == 0))
        return KC_OK;
    return kci_fail(device->base.context, KC_EDEVICE, "%s has no path %s; its matrix instructions are %s%s", name, path, best,
                    also_mma ? ", and mma" : "");
}

static kc_status check_cluster(double ctas, const kc_device *device, kci_notes *notes)
{
    const char *name = kci_device_name(device);
    if (is_unknown(device)) {
        if (notes && kci_note(notes, "%s does not state whether it has thread-block clusters: it is taken to have them", name) != KC_OK)
            return KC_ENOMEM;
    } else if (!kci_path_specialised(device, NULL)) {
        return kci_fail(device->base.context, KC_EDEVICE,
                        "%s has no thread-block clusters; leave cluster out, or take a GPU with wgmma or tcgen05", name);
    }
    if (ctas > LARGEST)
        return kci_fail(device->base.context, KC_EDEVICE, "%s: a cluster of %.0f CTAs is above the %.0f that hardware takes", name,
                        ctas, LARGEST);
    if (ctas > PORTABLE && notes)
        return kci_note(notes, "a cluster of %.0f CTAs is above the portable %.0f: the launch must ask for it", ctas, PORTABLE);
    return KC_OK;
}

kc_status kci_hardware_check(const kci_graph *graph, const kci_tiling *tiling, const kc_device *device, kci_notes *notes)
{
    double ctas = 1;
    for (size_t i = 0; i < graph->loop_count; i++)
        ctas *= tiling->cluster[i];
    kc_status status = tiling->path ? check_path(tiling->path, device, notes) : KC_OK;
    return status == KC_OK && ctas > 1 ? check_cluster(ctas, device, notes) : status;
}
