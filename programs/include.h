/* include.h - files that a program includes. */
#ifndef ONYX_PROGRAMS_INCLUDE_H
#define ONYX_PROGRAMS_INCLUDE_H

#include "compile/compile.h"
#include "frontend/schedules/schedules.h"

/* Reads the files that the text includes, and those that they include; names are relative to the folder of
 * the program. E0001-file. */
bool compile_read_included(compile_context *ctx, const char *program, const char *text, fe_included_vec *out);
/* Returns the path of a file that a program names: relative to the program's folder. */
const char *compile_sibling_path(const char *program, const char *name, arena *mem);
/* Returns the text with all included texts behind it, of all names of the program. */
const char *compile_whole_text(compile_context *ctx, const char *text, const fe_included_vec *included);

#endif
