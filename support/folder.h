/* folder.h - folders. */
#ifndef ONYX_SUPPORT_FOLDER_H
#define ONYX_SUPPORT_FOLDER_H

#include "support/diagnostics.h"

bool make_folder(const char *path, diagnostics *d); /* with parents; it may exist already */
/* Keeps other processes, and other descriptors of this one, from the folder until *lock is closed or the
 * process ends; leaves no file. E0007-in-use. A file system without locks keeps nobody out; *lock may be -1
 * then. */
bool folder_take(const char *path, diagnostics *d, int *lock);
void remove_folder(const char *path); /* with all in it; it may be missing */

#endif
