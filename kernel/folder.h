/* folder.h - the folder of a program: files of the passes and their times, and the files of --dump. */
#ifndef ONYX_KERNEL_FOLDER_H
#define ONYX_KERNEL_FOLDER_H

#include "frontend/language/language.h"
#include "frontend/schedules/schedules.h"
#include "kernel/kernel.h"

/* Makes o->out/partial, empty, for the command's files, and sets ctx->partial. A failing command leaves the
 * partial folder, and everything else in the folder unchanged. Among a program's statements only the first
 * one's caller does so. */
bool compile_begin_partial(const compile_options *o, compile_context *ctx);
/* Returns the folder of a kernel among several, inside the program's folder. */
const char *compile_kernel_folder(const char *folder, const char *tensor, arena *mem);
/* Publishes the command's files in o->out, all at once, and adds "files" to the report: the names and XXH64
 * of all. `report` may be NULL; for a replayed command the present report is used. Files listed by the last
 * report, and made by this command, are removed; results stay: they may be operands now. Returns false after
 * errors. */
bool compile_publish(const compile_options *o, compile_context *ctx, cJSON *report);
/* Writes the graph to FOLDER/name, and nothing where the folder is NULL, as `onyx sam` may have none. */
bool compile_write_graph(compile_context *ctx, const char *folder, const char *name, const sam_graph *g);
/* The first writes FOLDER/netlist.json and design.packed, the second design.place and design.route. */
bool compile_write_netlist(compile_context *ctx, const char *folder, const netlist *n);
bool compile_write_design(compile_context *ctx, const char *folder, const pnr_design *d);

/* A program between two passes: exactly one member is set. */
typedef struct {
#define DUMP(stage, type, end, doc) const type *stage;
#include "kernel/dumps.def"
#undef DUMP
} compile_form;
/* Writes the form if --dump requests the stage; `folder` is the kernel's, or the program's. */
bool compile_dump(const compile_options *o, compile_context *ctx, const char *folder, compile_form form);

#endif
