/* program.h - checks of a linked program. */
#ifndef ONYX_FIRMWARE_PROGRAM_H
#define ONYX_FIRMWARE_PROGRAM_H

#include "firmware/fw_int.h"

/* E0169-processor; returns false. */
bool fw_refuse_unit(const fw_unit *u, diagnostics *d, const char *what, const char *hint);
/* Returns the path of a file of a unit. */
const char *fw_unit_file(const fw_options *o, uint32_t unit, const char *ending, arena *mem);
/* Writes the sum of the code behind the code, into room left by the linker. The segments of the code follow
 * each other. */
bool fw_seal_code(const char *elf, const pnr_board *b, arena *mem, diagnostics *d);
/* Checks the room of the stack. A function is on the stack twice only by an exception, and handlers share no
 * function with the rest: the sum of all frames is a bound, plus the words that the processor pushes for
 * tick, array interrupt and fault. */
bool fw_check_stack(const fw_app *app, const fw_options *o, diagnostics *d);

#endif
