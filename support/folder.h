/* folder.h - folders. */
#ifndef ONYX_SUPPORT_FOLDER_H
#define ONYX_SUPPORT_FOLDER_H

#include "support/diagnostics.h"

bool is_folder(const char *path);
bool make_folder(const char *path, diagnostics *d); /* with parents; may exist already */
/* Locks the folder against other processes, and other descriptors of this process, until *lock is closed or
 * the process ends; leaves no file. E0007-in-use. A file system without locks locks nobody out; *lock may be
 * -1 in this case. */
bool folder_take(const char *path, diagnostics *d, int *lock);
/* Returns the user's folder for onyx: below the folder that the environment's variable has, or below this one
 * in the home; NULL: the environment has neither. */
const char *folder_of_user(const char *variable, const char *in_home, arena *mem);
void remove_folder(const char *path); /* with its contents; may be missing */

#endif
