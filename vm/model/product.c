/* product.c: products of sizes, tiles, trips and shares of loops. */
#include "product.h"

void kci_products_clear(kci_products *p)
{
    p->branches[KCI_NO_PRODUCT] = p->branches[KCI_ONE] = (kci_branch){ 0, NULL, 0, 0 };
    p->value[KCI_ONE] = 1;
    p->count = KCI_ONE + 1;
}

bool kci_products_make(kc_context *context, kci_products *p, size_t room)
{
    p->room = room + KCI_ONE + 1;
    p->branches = kci_resize(context, NULL, 0, p->room * (sizeof *p->branches + sizeof *p->value));
    if (!p->branches)
        return false;
    p->value = (double *)(void *)(p->branches + p->room);
    kci_products_clear(p);
    return true;
}

void kci_products_free(kc_context *context, kci_products *p)
{
    kci_free(context, p->branches, p->room * (sizeof *p->branches + sizeof *p->value));
}

kci_product kci_product_by(kci_products *p, kci_product before, const double *factors, int loop)
{
    if (before == KCI_NO_PRODUCT)
        return KCI_NO_PRODUCT;
    const double *factor = &factors[loop];
    for (kci_product c = p->branches[before].first_child; c; c = p->branches[c].next)
        if (p->branches[c].factor == factor)
            return c;
    if (p->count == p->room)
        return KCI_NO_PRODUCT;
    kci_product made = (kci_product)p->count++;
    p->branches[made] = (kci_branch){ before, factor, 0, p->branches[before].first_child };
    p->branches[before].first_child = made;
    return made;
}

kci_product kci_product_over(kci_products *p, kci_product before, const double *factors, kci_set loops)
{
    for (KCI_EACH(i, loops))
        before = kci_product_by(p, before, factors, (int)i);
    return before;
}

void kci_products_evaluate(kci_products *p)
{
    for (size_t i = 2; i < p->count; i++)
        p->value[i] = p->value[p->branches[i].before] * *p->branches[i].factor;
}
