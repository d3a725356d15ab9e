/* folder.h - the folder of a program: what the passes leave there, and what --dump asks for. */
#ifndef ONYX_COMPILE_FOLDER_H
#define ONYX_COMPILE_FOLDER_H

#include "compile/compile.h"

/* Removes what another command left in o->out, which must not stand beside what this one leaves. Results
 * stay, since they may be operands now. Nothing is removed where the command is gone through again. */
void compile_clear_folder(const compile_options *o, arena *mem);
/* Removes what --dump of another command left in a kernel's folder. */
void compile_clear_dumps(const char *folder, arena *mem);
/* Writes the graph to FOLDER/name, and nothing where the folder is NULL, as `onyx sam` may have none. */
bool compile_write_graph(compile_context *ctx, const char *folder, const char *name, const sam_graph *g);
/* The first writes FOLDER/netlist.json and design.packed, the second design.place and design.route. */
bool compile_write_netlist(compile_context *ctx, const char *folder, const netlist *n);
bool compile_write_design(compile_context *ctx, const char *folder, const pnr_design *d);

/* A program between two passes: one of these is there. */
typedef struct {
#define DUMP(stage, type, end, doc) const type *stage;
#include "compile/dumps.def"
#undef DUMP
} compile_form;
/* Writes the form if --dump asks for it; `folder` is that of its kernel, or of the program. */
bool compile_dump(const compile_options *o, compile_context *ctx, const char *folder, compile_form form);

#endif
