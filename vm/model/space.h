/* space.h: what is swept: x, the axes it varies along, and what is wanted of its points. Design, section 7. */
#ifndef KCI_SPACE_H
#define KCI_SPACE_H

#include "axes.h"
#include "keep.h"
#include "kernel.h"
#include "where.h"

struct kc_space {
    kc_object base;
    kc_object *x;                   /* a kernel that is no group, or a program of such */
    kc_options *options;            /* NULL: the defaults */
    kci_axes axes;
    char *where_text;               /* NULL: all points */
    kci_where *where;               /* after kci_space_ready */
    kc_filter filter;
    void *filter_data;
    kci_keep_kind keep;
    double top;
    char *per;                      /* BEST_PER: the axis, as given */
    size_t keys[KCI_MOST_KEYS];     /* fields */
    size_t key_count;
    size_t fields[KCI_POINT_FIELDS];    /* columns, as asked for or the usual ones, and the keys */
    size_t field_count;
    bool fields_given;
    unsigned part, parts;           /* 1 of 1: all of it */
    bool ready, swept;
};

/* Adds a column, once. */
void kci_space_add_field(kc_space *space, size_t field);

/* space_check.c.  Checks what the setters could not: that axes name what x has, that values fit their axes;
 * puts axes into order, parses `where`, completes the columns. */
kc_status kci_space_ready(kc_space *space);
/* Then, of a sweep: can it keep what it is told to? */
kc_status kci_space_check_keep(const kc_space *space);
bool kci_space_timed(const kc_space *space);       /* it has a device */
/* Does `per` name this axis? */
bool kci_space_is_per(const kc_space *space, size_t axis);
/* Of a point, the group that `per` puts it into; how many there are. */
double kci_space_group(const kc_space *space, const uint32_t *index);
double kci_space_groups(const kc_space *space);
/* space_text.c.  "top 20 by time": appended. */
void kci_space_say_keep(kci_text *text, const kc_space *space);
/* Of all that decides what a sweep of it finds, the part left out; `where` as a function is not in it.
 * KC_ELIMIT: the watch ended it. */
kc_status kci_space_hash(const kc_space *space, uint64_t *made);

#endif
