/* settle.h - how the folder of a command changes: all of it becomes visible at once, and whoever reads the
 * folder sees what was there before or what is there now. */
#ifndef ONYX_KERNEL_SETTLE_H
#define ONYX_KERNEL_SETTLE_H

#include "kernel/context.h"

/* The folder's new files have been made in FOLDER/partial, with a report.json that lists them. Writes them to
 * the disk, renames the partial folder to FOLDER/ready, which is the change, and settles the folder. The disk
 * is not waited for where `passing` is true, nor with ONYX_NO_SYNC in the environment. Returns false after
 * errors: E0004-write, E0008-overwrites where a file would take the place of an input. */
bool compile_make_ready(compile_context *ctx, const char *folder, bool passing);
/* Finishes what an interruption may have left of that: where FOLDER/ready is there, its files go to their
 * places, report.json last, and what the last report lists and belongs to another command goes away. Does
 * nothing to other folders. E0004-write; E0007-in-use while another process does it. */
bool compile_folder_settle(compile_context *ctx, const char *folder);
/* Returns whether the files of these names (the last is NULL), in whatever folder below, are as
 * FOLDER/report.json lists them. E0956-mixed. */
bool compile_folder_fits(compile_context *ctx, const char *folder, const char *const *names);
/* Lists a file of the folder that was written later in its report.json, so that the next command may remove
 * it. Does nothing where there is no report, or another command has the folder. */
void compile_list_file(compile_context *ctx, const char *folder, const char *name);
/* XXH64 of a file, however long it is, as 16 digits; NULL after E0004-write. */
const char *compile_hash_file(const char *path, diagnostics *d);

/* Calls `one` for each file below the folder and, with `is_folder`, for each folder before its files, in the
 * order of their names, which are relative to the folder. Ends where it returns false. */
typedef bool compile_file_visit(void *context, const char *name, bool is_folder);
bool compile_each_file(const char *folder, compile_file_visit *one, void *context, diagnostics *d);

#endif
