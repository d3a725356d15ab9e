/* batch_operands.h - operands of a batch that waits, and what lies where around it. */
#ifndef ONYX_PROGRAMS_BATCH_OPERANDS_H
#define ONYX_PROGRAMS_BATCH_OPERANDS_H

#include "programs/layout.h"

/* Copies what is known of the memories, and puts it back. */
fw_memory compile_copy_memory(const fw_memory *m, arena *mem);
void compile_restore_memory(fw_memory *m, const fw_memory *was);
/* Finds how operands move to where this batch loads them, in moves[], by input, and what is spread out before
 * since the batch would store over it. Returns NULL, or by tensor why its result must be taken before: an
 * operand that the processor cannot move, or what it would store over. */
const char *const *compile_address_operands(interpreter *m, compile_statement_plan *plan,
                                            const compile_move_in *in, fw_batch *b, arena *mem,
                                            compile_move *moves, compile_moves *rescued);
/* Notes the places of results after the waiting batch has run; forgets results without a place, which have no
 * later read. */
void compile_note_addresses(interpreter *m, const compile_statement_plan *plan, const compile_move_in *in,
                            const compile_move *moves);

#endif
