/* layout.h - layout of the chip's memory between the batches of a list, and requests of moves. */
#ifndef ONYX_PROGRAMS_LAYOUT_H
#define ONYX_PROGRAMS_LAYOUT_H

#include "programs/interpreter.h"
#include "sam/operators.h"

typedef struct compile_move compile_move;
/* A request of a move: the waiting batch, the chip's content before the batch, its input, and the packed
 * tensor of the input. */
typedef struct {
    const compile_deferred *to;
    const fw_batch *batch;
    const fw_memory *was;
    uint32_t input, stay; /* a bit for each input whose load reads the store's place */
    uint32_t partner;     /* the other input of a compressed vector; the same input: none */
    const sam_tensor_data *data;
    const sam_statement *statement; /* with this operand */
    const bool *alive;              /* by tensor: an operand, or read later */
    const compile_move *moved;      /* of the inputs before this one */
} compile_move_in;
/* The processor's steps that provide the words of an input, in place of the host; `device_copy` describes the
 * words as part of the result. Blocks of a compressed vector have fixed places with room for all possible
 * values, and the processor completes the cells of the run table: words 4 and 5 of a packing command are
 * these cells, as offsets in the table, plus 1. */
struct compile_move {
    fw_commands commands;
    double cycles; /* estimate of the processor's time, in array cycles */
    bool spread;   /* by the rows of the result's run table */
    bool packed;
    u32_vec places; /* of a compressed vector: where each run's block begins */
    fw_put slot;    /* where it is spread out */
    bool made;      /* by these commands */
    compile_device_copy device_copy;
    compile_resident *of; /* NULL: nothing is moved */
};

/* Destination of commands of the command list, added in turn, and their cycles. */
typedef struct {
    fw_commands *commands;
    double *cycles;
    arena *mem;
} compile_listing;
static inline compile_listing compile_listing_of(compile_move *move, arena *mem) {
    return (compile_listing){&move->commands, &move->cycles, mem};
}
typedef VEC(compile_move) compile_moves;
enum { COMPILE_COMMAND_CYCLES = 300 };
/* Array cycles for a command itself, and for a word copied, or set to 0, or put at its coordinate; measured
 * on engine soc: docs/notebook/repeated.md. */
static const double COMPILE_COMMAND = COMPILE_COMMAND_CYCLES, COMPILE_COPIED = 4, COMPILE_CLEARED = 2,
                    COMPILE_PUT = 26;
/* Returns the estimated array cycles for a value that a command combines of two. */
static inline double compile_combined_cycles(tile_dtype dtype) {
    return dtype == TILE_DTYPE_BF16 ? 250 : 100;
}
static inline uint16_t word_at(const uint8_t *words, uint32_t i) {
    return (uint16_t)(words[2 * i] | words[2 * i + 1] << 8);
}
/* Returns the cell of an output, behind a row's loads. */
static inline uint32_t compile_cell_of(const compile_deferred *l, uint32_t output) {
    return fw_store_cell(0, l->in_row ? l->in_row[output] : output);
}
/* Advances past the blocks of a run of an output; returns false beyond the end. */
bool compile_pass_run(const compile_deferred *l, uint32_t output, uint32_t *at);
bool compile_has_put(const fw_puts *all, const fw_put *w);
/* Returns whether the device copy still lies in the scratch area. */
bool compile_in_scratch(const interpreter *m, const compile_device_copy *device_copy);
/* Returns whether the words are at their place before the batch, without another operand there before the
 * run. */
bool compile_lies_before(const interpreter *m, const compile_move_in *in, const fw_put *w);
/* Returns the first byte of a free range of `bytes` bytes in the scratch area: without words read later by
 * alive[], or words of `h` unless NULL. A list of entries stored elsewhere, too, counts as free, unless
 * `lists` is set and the list is for this batch. */
uint32_t compile_find_slot(const interpreter *m, const tensor_slot *h, const bool *alive, bool lists,
                           uint32_t bytes);
/* Notes the content of the scratch area. */
void compile_note_device_copy(interpreter *m, const compile_device_copy *device_copy);
/* Returns how commands combine the values of a reduction, by FW_OP_*; FW_OP_SET: impossible. */
void compile_reduction(sam_operation operation, tile_dtype dtype, uint32_t *how, const sam_operator **op);
/* Finds how overlapping pieces of a result are combined, by FW_OP_*; FW_OP_SET: impossible. */
void compile_meeting(const sam_statement *s, tile_dtype dtype, uint32_t *how, const sam_operator **op);
/* Allocates a place for a table of `bytes` bytes in the area of persistent run tables; returns its
 * address. */
uint32_t compile_add_table(interpreter *m, uint32_t bytes, uint64_t hash);
/* Returns the tensor of the program for operand `t`, if only the chip has its value; otherwise
 * FE_NO_TENSOR. */
uint32_t compile_resident_operand(const interpreter *m, const fe_step *step, uint32_t t);

#endif
