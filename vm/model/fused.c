/* fused.c: what a result says of fusions: which kernels kc_fuse_all made one of, which it left apart, and why. */
#include "object.h"
#include "result.h"

kci_fusion *kci_result_fusion_add(kc_result *r, size_t kernels)
{
    kc_context *context = r->base.context;
    char **names = kci_alloc(context, kernels * sizeof *names);
    if (!names || !kci_reserve(context, &r->fusions, &r->fusion_capacity, r->fusion_count + 1, sizeof *r->fusions)) {
        kci_free(context, (void *)names, kernels * sizeof *names);
        return NULL;
    }
    kci_fusion *fusion = &r->fusions[r->fusion_count++];
    *fusion = (kci_fusion){ .kernels = names, .kernel_count = kernels };
    return fusion;
}

void kci_result_fusions_free(kc_result *r)
{
    kc_context *context = r->base.context;
    for (size_t i = 0; i < r->fusion_count; i++) {
        kci_fusion *fusion = &r->fusions[i];
        for (size_t k = 0; k < fusion->kernel_count; k++)
            kci_free_text(context, fusion->kernels[k]);
        kci_free(context, (void *)fusion->kernels, fusion->kernel_count * sizeof *fusion->kernels);
        kci_free_text(context, fusion->refused);
    }
    kci_free(context, r->fusions, r->fusion_capacity * sizeof *r->fusions);
}

static const kci_fusion *fusion_at(const kc_result *r, size_t i)
{
    return r && i < r->fusion_count ? &r->fusions[i] : NULL;
}

int kc_result_is_fused(const kc_result *r)
{
    return r && r->is_fused;
}

size_t kc_result_fusions(const kc_result *r)
{
    return r ? r->fusion_count : 0;
}

size_t kc_result_fusion_kernels(const kc_result *r, size_t i)
{
    const kci_fusion *fusion = fusion_at(r, i);
    return fusion ? fusion->kernel_count : 0;
}

const char *kc_result_fusion_kernel(const kc_result *r, size_t i, size_t kernel)
{
    const kci_fusion *fusion = fusion_at(r, i);
    return fusion && kernel < fusion->kernel_count ? fusion->kernels[kernel] : NULL;
}

const char *kc_result_fusion_rule(const kc_result *r, size_t i)
{
    const kci_fusion *fusion = fusion_at(r, i);
    return fusion ? fusion->rule : NULL;
}

const char *kc_result_fusion_refused(const kc_result *r, size_t i)
{
    const kci_fusion *fusion = fusion_at(r, i);
    return fusion ? fusion->refused : NULL;
}

kc_status kc_result_fusion_number(const kc_result *r, size_t i, kc_field field, double *fused, double *apart)
{
    const kci_fusion *fusion = fusion_at(r, i);
    if (!fusion || !fusion->timed || (field != KC_TIME && field != KC_BYTES))
        return KC_EARGUMENT;
    if (fused)
        *fused = field == KC_TIME ? fusion->time : fusion->bytes;
    if (apart)
        *apart = field == KC_TIME ? fusion->time_apart : fusion->bytes_apart;
    return KC_OK;
}
