/* commit.h - atomic changes of a command's folder: all new files become visible at once, and a reader sees
 * either the old or the new files. */
#ifndef ONYX_KERNEL_COMMIT_H
#define ONYX_KERNEL_COMMIT_H

#include "kernel/context.h"

/* The folder's new files have been made in FOLDER/partial, with a report.json that lists them. Writes them to
 * the disk, renames the partial folder to FOLDER/ready, the moment of the change, and moves the files to
 * their places. The disk is not waited for where `passing` is true, nor with ONYX_NO_SYNC in the environment.
 * Returns false after errors: E0004-write, E0008-overwrites where a file would take the place of an input. */
bool compile_make_ready(compile_context *ctx, const char *folder, bool passing);
/* Finishes an interrupted change: the files of FOLDER/ready go to their places, report.json last, and files
 * listed by the last report of another command are removed. Does nothing to other folders. E0004-write;
 * E0007-in-use during another process' work. */
bool compile_folder_recover(compile_context *ctx, const char *folder);
/* Returns whether the files of these names (the last is NULL), in any folder below, equal their entries of
 * FOLDER/report.json. E0956-mixed. */
bool compile_folder_fits(compile_context *ctx, const char *folder, const char *const *names);
/* Lists a later file of the folder in its report.json, for removal by the next command. Does nothing without
 * a report, or while another command has the folder. */
void compile_list_file(compile_context *ctx, const char *folder, const char *name);
/* XXH64 of a file of any length, as 16 digits; NULL after E0004-write. */
const char *compile_hash_file(const char *path, diagnostics *d);

/* Calls `one` for each file below the folder and, with `is_folder`, for each folder before its files, in the
 * order of their names, relative to the folder. Ends at the first false. */
typedef bool compile_file_visit(void *context, const char *name, bool is_folder);
bool compile_each_file(const char *folder, compile_file_visit *one, void *context, diagnostics *d);

#endif
