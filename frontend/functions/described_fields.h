/* described_fields.h - the fields of a description; private to described.c. */
#ifndef ONYX_FRONTEND_DESCRIBED_FIELDS_H
#define ONYX_FRONTEND_DESCRIBED_FIELDS_H

#include "frontend/language/apply.h"
#include "frontend/language/load.h"

typedef struct {
    fe_reader in;               /* of the current line: its length is the line's end */
    size_t end;                 /* of the text */
    fe_reader call, capability; /* at the call, and at the capability */
    fe_described *f;
    fe_user_function *user;
    const char *suffix; /* of the function's name */
    src_loc first;      /* of the file: its first line */
    src_loc properties, formats, tags, checker, types, board;
    fe_reader loops, edges;  /* of a bitstream, at their texts */
    fe_texts layouts, wants; /* of formats, tags */
    uint32_t seen;           /* bit of each field present */
    bool integers, other_type;
    diagnostics *d;
} fe_description;
bool fe_take_name(fe_description *r, const char *what, const char **out);
bool fe_refuse_description(const fe_description *r, src_loc loc, const char *what, const char *hint);
bool fe_expect_in_description(fe_description *r, char sign, const char *what);
bool fe_at_end(fe_description *r);
bool fe_read_expression(fe_description *r);
/* Reads T(i) = name(...). */
bool fe_read_named(fe_description *r);
/* Gives the capability the loops of the bitstream: all of its indices, outermost first. */
bool fe_take_loops(fe_description *r);
bool fe_take_edges(fe_description *r);
/* Reads line by line. Blank lines and comment lines are skipped. */
bool fe_read_lines(fe_description *r);
/* Returns whether the description has only the listed fields, the first `needed` of them required. */
bool fe_has_only(const fe_description *r, const char *what, const char *const *these, uint32_t n,
                 uint32_t needed);
/* Looks whether all fields are there that every description has. */
bool fe_has_needed(fe_description *r);

#endif
