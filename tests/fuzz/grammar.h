/* grammar.h: scripts out of a grammar of the language, for the fuzz target and the soak test. */
#ifndef GRAMMAR_H
#define GRAMMAR_H

#include <stddef.h>
#include <stdint.h>

/* The script that an input stands for, into `text` of `room` bytes, cut where it is longer; its length. */
size_t grammar_script(const uint8_t *data, size_t size, char *text, size_t room);

#endif
