/* product.h: products of sizes, tiles, trips and shares of loops, each worked out once a point.
 *
 * Where nothing is masked and every index is a plain dim, a figure of a kernel is
 * such a product: executions are trips, a tile's elements are tiles.  Products that
 * begin alike share their beginning:
 *
 *     1 -> trips m -> trips n -> trips k          loads of A
 *                             -> tile m -> tile n  elements of C
 *
 * They form a tree that is grown when the nest is made and is then one multiplication
 * a branch. */
#ifndef KCI_PRODUCT_H
#define KCI_PRODUCT_H

#include "kernel.h"

/* A branch; KCI_NO_PRODUCT stands for a figure that is none. */
typedef uint32_t kci_product;
enum { KCI_NO_PRODUCT = 0, KCI_ONE = 1 };

typedef struct kci_branch {
    kci_product before;
    const double *factor;               /* at [loop] of the point */
    kci_product first_child, next;      /* its children; the next child of `before` */
} kci_branch;

typedef struct kci_products {
    kci_branch *branches;               /* [0] unused, [1] is 1 */
    double *value;                      /* of each, at the point; in the block of the branches */
    size_t count, room;                 /* once there is no room, a new product is none */
} kci_products;

/* Nothing but 1.  False: no memory. */
bool kci_products_make(kc_context *context, kci_products *products, size_t room);
void kci_products_free(kc_context *context, kci_products *products);
void kci_products_clear(kci_products *products);
/* `before` times factors[loop]; KCI_NO_PRODUCT stays that. */
kci_product kci_product_by(kci_products *products, kci_product before, const double *factors, int loop);
/* `before` times factors[loop] of each loop of the set. */
kci_product kci_product_over(kci_products *products, kci_product before, const double *factors, kci_set loops);
/* All values, once the factors are those of a point. */
void kci_products_evaluate(kci_products *products);

#endif
