/* json.h: results, comparisons and devices as JSON: section 6 of the design. */
#ifndef KCI_JSON_H
#define KCI_JSON_H

#include "base.h"

/* The document of one object, appended; an object of another kind is counted first.
 * A list of several is "[" the documents with "," between "]". */
kc_status kci_json_object(kci_text *text, kc_object *object);

/* A text with its quotes, all control characters escaped, bytes that are no UTF-8
 * replaced by U+FFFD. */
void kci_json_string(kci_text *text, const char *bytes, size_t length);

/* An object whose members are given by dotted paths, members of one inner object
 * one after another: "time", "times.hbm", "times.link" make
 * {"time":1,"times":{"hbm":2,"link":3}}. */
typedef struct kci_json_paths {
    kci_text *text;
    char open[256];                 /* the path of the innermost open object, with a dot at its end */
    size_t length;
    bool empty;                     /* nothing in the innermost object yet */
} kci_json_paths;
void kci_json_begin(kci_json_paths *paths, kci_text *text);
/* Writes the key of `path`; its value is to be appended next. */
void kci_json_key(kci_json_paths *paths, const char *path);
void kci_json_end(kci_json_paths *paths);

#endif
