/* inputs.h - outputs never take the place of inputs: which files were read, by device and inode, so that
 * links and other spellings of a name make no difference. text_read and file_open note what they read,
 * file_create and file_commit refuse to replace a file that was noted. */
#ifndef ONYX_SUPPORT_INPUTS_H
#define ONYX_SUPPORT_INPUTS_H

#include "support/support.h"

/* Notes that the file is an input, unless it is none or was written by file_commit with these diagnostics. */
void inputs_note(diagnostics *d, const char *path);
/* Notes that an open file is one of ours, which may be read and replaced. */
void inputs_note_made(diagnostics *d, FILE *stream);
/* Returns whether the file may be replaced or removed; E0008-overwrites if it is an input. */
bool inputs_spared(diagnostics *d, const char *path);

/* Returns the text in the bytes of a file, which file_read or an archive gave, without its mark;
 * E0006-encoding also for a byte that is zero. */
char *text_checked(const char *path, char *bytes, size_t *length, diagnostics *d);

#endif
