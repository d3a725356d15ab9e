/* ask_chip.h - what the chip is asked, of a file. */
#ifndef ONYX_PROGRAMS_ASK_CHIP_H
#define ONYX_PROGRAMS_ASK_CHIP_H

#include "programs/interpreter.h"

/* Where the files of a statement's firmware are. */
compile_firmware compile_files_of(arena *mem, const compile_statement_plan *plan, const char *what,
                                  const char *elf);
/* Runs the chip on the files. */
bool compile_ask_chip(interpreter *m, compile_context *ctx, const compile_statement_plan *plan,
                      const compile_firmware *f, compile_outcome *out);
/* E0344-later: the chip has something else than the cycle model. Returns false. */
bool compile_differs(interpreter *m, const char *what, src_loc loc);
/* Returns a plan whose program is on the chip: for scalars and functions any plan on the array. */
const compile_statement_plan *compile_array_plan(const interpreter *m, const compile_statement_plan *plan);

#endif
