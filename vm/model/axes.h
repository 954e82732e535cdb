/* axes.h: what a sweep varies, and the numbers of its points. Design, section 7.
 *
 *     axes    [ device | figures | size | dtype | order || split | group | stages | warps | tile ]
 *              another kernel or device for each value  || another number in one schedule
 *              outer                                     inner
 *
 * Inside a kind, dims stand in the order in which x has them; the last axis varies
 * fastest.  Point p is outer * inner_points + inner, from 0. */
#ifndef KCI_AXES_H
#define KCI_AXES_H

#include "base.h"

typedef enum kci_axis_kind {
    KCI_AXIS_DEVICE, KCI_AXIS_FIGURE, KCI_AXIS_SIZE, KCI_AXIS_DTYPE, KCI_AXIS_ORDER,
    KCI_AXIS_SPLIT, KCI_AXIS_GROUP, KCI_AXIS_STAGES, KCI_AXIS_WARPS, KCI_AXIS_TILE,
    KCI_AXIS_KINDS,
    KCI_AXIS_INNER = KCI_AXIS_SPLIT
} kci_axis_kind;
const char *kci_axis_kind_name(kci_axis_kind kind);    /* "tile"; a figure's is its path */

/* "i j" ties two names to one axis: they are always equal. */
typedef struct kci_sweep_axis {
    kci_axis_kind kind;
    char *path;                     /* of a figure */
    kci_symbol *names;              /* dims or tensors */
    size_t name_count, name_capacity;
    double *numbers;                /* one or the other */
    char **texts;
    kc_object **objects;            /* devices, dtypes: what each text stands for */
    size_t count, number_capacity, text_capacity, object_capacity;
    uint32_t rank;                  /* among those of its kind */
} kci_sweep_axis;

/* A column of a table: one a name of each axis, "device", "size.i", "size.j", "hbm.bandwidth". */
typedef struct kci_axis_column {
    char *text;                     /* its title */
    size_t axis;
} kci_axis_column;

typedef struct kci_axes {
    kc_context *context;
    kci_sweep_axis *list;
    size_t count, capacity;
    /* after kci_axes_order */
    size_t inner;                   /* list[inner] is the first inner one */
    double points, inner_points;
    kci_axis_column *columns;
    size_t column_count, column_capacity;
} kci_axes;

enum { KCI_MOST_AXES = 64 };

void kci_axes_free(kci_axes *axes);
/* The axis of that name ("stages", "tile.i", "size.i j", "dtype.Q", "hbm.bandwidth"), made
 * where it is new.  NULL: no such axis, or one of its names is in another one. */
kci_sweep_axis *kci_axes_named(kci_axes *axes, const char *name);
kc_status kci_axis_add_number(kci_axes *axes, kci_sweep_axis *axis, double number);
/* `object` (a reference is taken) may be NULL. */
kc_status kci_axis_add_text(kci_axes *axes, kci_sweep_axis *axis, const char *text, void *object);
/* Takes back the values beyond the first `count`; without any left, the axis. */
void kci_axis_cut(kci_axes *axes, kci_sweep_axis *axis, size_t count);
/* Puts the axes into order by kind and rank, counts the points, lists the columns.  KC_EARGUMENT:
 * 2^53 points or more. */
kc_status kci_axes_order(kci_axes *axes);

/* Which value each axis has at a point. */
void kci_axes_at(const kci_axes *axes, double point, uint32_t *index);

/* The axis that has a column of that title; NULL: none.  *at: its place. */
const kci_sweep_axis *kci_axes_find(const kci_axes *axes, const char *title, size_t *at);

/* "device = h100-sxm5, tile.i = 128": where a point is, for messages. */
void kci_axes_say(kci_text *text, const kci_axes *axes, double point);

#endif
