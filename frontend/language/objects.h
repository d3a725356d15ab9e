/* objects.h - compiled functions of earlier commands, in the user's cache folder: $XDG_CACHE_HOME/onyx, or
 * ~/.cache/onyx. The C compiler takes five times as long as the command that calls a function.
 */
#ifndef ONYX_FRONTEND_OBJECTS_H
#define ONYX_FRONTEND_OBJECTS_H

#include "support/arena.h"

/* Returns the path, without its ending, of the object made of the text by the command line (both name no
 * temporary file); NULL: nothing is kept. */
const char *fe_objects_place(const char *const *command, const char *text, arena *mem);
/* Opens the object, if the compiler and all files that it read are as they were then; -1: there is none. */
int fe_objects_open(const char *place, arena *mem);
/* Keeps FOLDER/function.so, whose compiler listed its inputs in FOLDER/function.d, as a make rule. Nothing
 * is said if nothing can be kept. */
void fe_objects_keep(const char *place, const char *folder, arena *mem);

#endif
