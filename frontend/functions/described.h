/* described.h - functions described by files (.xf): C code of third parties, called by the host or the chip's
 * processor. */
#ifndef ONYX_FE_DESCRIBED_H
#define ONYX_FE_DESCRIBED_H

#include "frontend/functions/read_functions.h"
#include "sam/binding.h"

/* Adds the function of a file to *all, created if NULL; with lists of indices, one for each of their lengths,
 * with the lengths as suffixes: add_2. E0102, E0163-description. */
bool fe_read_described(const fe_function_file *file, bool integers, name_table *names, arena *mem,
                       diagnostics *d, fe_functions **all);
/* Returns whether the function, or its family, has the name. */
bool fe_is_member(const fe_user_function *f, const char *name);

#endif
