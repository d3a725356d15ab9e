/* text.h - lines of words, read. */
#ifndef ONYX_PNR_TEXT_H
#define ONYX_PNR_TEXT_H

#include "pnr/pnr_int.h"

typedef struct {
    const char *at;
    size_t length;
} pnr_word;
typedef struct {
    const char *text, *end, *next; /* next: first character not yet read */
    const char *start;             /* of the line read last */
    uint32_t source;
    diagnostics *d;
    arena *mem;
    VEC(pnr_word) words; /* of the line read last */
    const char *code;
} pnr_reader;
/* Opens a text; `code` is that of all its mistakes. */
bool pnr_reader_open(pnr_reader *r, const char *path, const char *code, arena *mem, diagnostics *d);
/* Reads the words of a line; false at the end. */
bool pnr_read_line(pnr_reader *r);
src_loc pnr_line_loc(const pnr_reader *r, pnr_word w);
/* Says what is wrong at a word; returns false. */
bool pnr_wrong(const pnr_reader *r, pnr_word at, const char *message);
/* Returns the whole line. */
pnr_word pnr_line_word(const pnr_reader *r);
bool pnr_word_is(pnr_word w, const char *text);
bool pnr_word_number(pnr_word w, uint32_t *out);
/* Reads a block id, "p3": a letter and a number. */
bool pnr_word_block(pnr_word w, char *tag, uint32_t *number);

#endif
