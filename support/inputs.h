/* inputs.h - protects inputs from being overwritten by outputs: records read files, by device and inode,
 * independent of links and spellings of a name. text_read and file_open record their files, file_create and
 * file_commit refuse to replace a recorded file. */
#ifndef ONYX_SUPPORT_INPUTS_H
#define ONYX_SUPPORT_INPUTS_H

#include "support/support.h"

/* Records the file as an input, unless missing or written by file_commit with these diagnostics. */
void inputs_note(diagnostics *d, const char *path);
/* Notes the inputs of other diagnostics, which nobody prints. */
void inputs_note_all(diagnostics *d, const diagnostics *other);
/* Records an open file as an output, which may be read and replaced. */
void inputs_note_made(diagnostics *d, FILE *stream);
/* Returns whether the file may be replaced or removed; E0008-overwrites for an input. */
bool inputs_spared(diagnostics *d, const char *path);

/* Returns the text of a file's bytes, from file_read or an archive, without its byte-order mark;
 * E0006-encoding also for a zero byte. */
char *text_checked(const char *path, char *bytes, size_t *length, diagnostics *d);

#endif
