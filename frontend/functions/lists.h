/* lists.h - descriptions with lists of indices of open length (a description's `list`): each expands to one
 * description for every length. */
#ifndef ONYX_FE_LISTS_H
#define ONYX_FE_LISTS_H

#include "frontend/functions/read_functions.h"

enum { FE_MOST_LISTS = 4, FE_MOST_MEMBERS = 64 };

/* One description of a file after expansion. */
typedef struct {
    fe_function_file file; /* without lists */
    const char *suffix;    /* of its function's name: "_2" where its only list has two indices; "": no list */
} fe_member;

typedef VEC(fe_member) fe_members;

/* Expands the lists of a file, shortest first: "list: I(1...3)" gives three descriptions, in which I... is
 * I1, then I1,I2, then I1,I2,I3. At most FE_MOST_MEMBERS. E0163-description. */
bool fe_write_out_lists(const fe_function_file *file, diagnostics *d, fe_members *out);

#endif
