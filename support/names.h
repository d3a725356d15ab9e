/* names.h - interned names. */
#ifndef ONYX_SUPPORT_NAMES_H
#define ONYX_SUPPORT_NAMES_H

#include "support/arena.h"
#include <stdbool.h>

/* A name is a 32-bit index into a table; 0 is "no name". Equal text means equal index. */
typedef struct {
    uint32_t v;
} name_id;
typedef struct {
    arena *mem;
    VEC(const char *) text; /* text.at[i - 1] is name i */
    VEC(uint32_t) slot;     /* open-addressing hash table of name indices */
} name_table;

void names_init(name_table *names, arena *mem);
name_id names_intern(name_table *names, const char *text);
name_id names_intern_n(name_table *names, const char *text, size_t length);
name_id names_find(const name_table *names, const char *text); /* 0 if unknown */
const char *names_text(const name_table *names, name_id id);   /* "" for 0 */
static inline bool name_eq(name_id a, name_id b) {
    return a.v == b.v;
}

#endif
