/* edit.h: lines that somebody types at a terminal: edited, remembered and completed where libedit is there. */
#ifndef EDIT_H
#define EDIT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct edit edit;

typedef enum edit_end { EDIT_LINE, EDIT_INTERRUPTED, EDIT_OVER } edit_end;

/* What may stand in place of the last `*typed` bytes of the text before the cursor: that many words, which are
 * borrowed until the next call. */
typedef size_t (*edit_words)(void *data, const char *before, size_t *typed, const char *const **words);

/* One at a time.  NULL: no memory. */
edit *edit_new(edit_words words, void *data);
void edit_free(edit *e);
/* The next line, borrowed, its line end with it.  A signal whose handler does not restart calls interrupts it. */
edit_end edit_line(edit *e, const char *prompt, const char **line);
/* Is it more than the terminal's own way? */
bool edit_completes(const edit *e);

#endif
