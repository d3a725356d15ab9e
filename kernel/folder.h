/* folder.h - the folder of a program: what the passes leave there and when, and what --dump asks for. */
#ifndef ONYX_KERNEL_FOLDER_H
#define ONYX_KERNEL_FOLDER_H

#include "frontend/program.h"
#include "kernel/kernel.h"

/* Makes o->out/partial, empty, where the command's files are made, and ctx->partial its name. A command that
 * fails leaves it as it is then, and all else in the folder as it was. Of a program's statements only the
 * first one's caller does so. */
bool compile_begin_partial(const compile_options *o, compile_context *ctx);
/* Returns the folder of a kernel among several, in that of the program. */
const char *compile_kernel_folder(const char *folder, const char *tensor, arena *mem);
/* Makes the command's files those of o->out, all at once, and adds "files" to the report: the names and XXH64
 * of all. `report` may be NULL; of a command that is gone through again it is then the one that is there.
 * What the last report lists and this command would have made goes away; results stay: they may be operands
 * now. Returns false after errors. */
bool compile_publish(const compile_options *o, compile_context *ctx, cJSON *report);
/* Writes the graph to FOLDER/name, and nothing where the folder is NULL, as `onyx sam` may have none. */
bool compile_write_graph(compile_context *ctx, const char *folder, const char *name, const sam_graph *g);
/* The first writes FOLDER/netlist.json and design.packed, the second design.place and design.route. */
bool compile_write_netlist(compile_context *ctx, const char *folder, const netlist *n);
bool compile_write_design(compile_context *ctx, const char *folder, const pnr_design *d);

/* A program between two passes: one of these is there. */
typedef struct {
#define DUMP(stage, type, end, doc) const type *stage;
#include "kernel/dumps.def"
#undef DUMP
} compile_form;
/* Writes the form if --dump asks for it; `folder` is that of its kernel, or of the program. */
bool compile_dump(const compile_options *o, compile_context *ctx, const char *folder, compile_form form);

#endif
