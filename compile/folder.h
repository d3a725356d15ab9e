/* folder.h - the folder of a program: what the passes leave there, and what --dump asks for. */
#ifndef ONYX_COMPILE_FOLDER_H
#define ONYX_COMPILE_FOLDER_H

#include "compile/compile.h"

/* What another command left in o->out must not stand beside what this one leaves. Results stay: they may be
 * operands now. Nothing goes where the command is gone through again. */
void compile_clear_folder(const compile_options *o, arena *mem);
/* The same of what --dump left in a kernel's folder. */
void compile_clear_dumps(const char *folder, arena *mem);
/* FOLDER/name; NULL: `onyx sam` may have no folder. */
bool compile_write_graph(compile_context *ctx, const char *folder, const char *name, const sam_graph *g);
/* FOLDER/netlist.json and design.packed; design.place and design.route. */
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
