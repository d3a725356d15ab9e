/* layout.h - what lies where on the chip between the batches of a list, and what is asked of a move.
 */
#ifndef ONYX_PROGRAMS_LAYOUT_H
#define ONYX_PROGRAMS_LAYOUT_H

#include "programs/interpreter.h"
#include "sam/operators.h"

typedef struct compile_move compile_move;
/* What is asked of a move: the batch that waits, what lay on the chip before it, which of its inputs, and the
 * tensor that it carries, as packed. */
typedef struct {
    const compile_later *to;
    const fw_batch *batch;
    const fw_memory *was;
    uint32_t input, stay; /* a bit for each input that is loaded where a store has left it */
    uint32_t pair;        /* the other input of a compressed vector; the same one: there is none */
    const sam_tensor_data *data;
    const sam_statement *statement; /* that it is an operand of */
    const bool *alive;              /* by tensor: it is an operand, or read later */
    const compile_move *moved;      /* of the inputs before this one */
} compile_move_in;
/* What the processor does to have the words of an input there, in place of the host; `image` is what they are
 * of the result. Of a compressed vector blocks have fixed places, with room for all values that there may be,
 * and the processor completes the cells of the run table: word 4 and 5 of an item that packs are these cells,
 * as offsets in the table, plus 1. */
struct compile_move {
    fw_items items;
    double cycles; /* of the array, that the processor is expected to take */
    bool spread;   /* by the rows of the result's run table */
    bool packed;
    u32_vec places; /* of a compressed vector: where each run's block begins */
    fw_put slot;    /* where it is spread out */
    bool made;      /* by these items */
    compile_image image;
    compile_left *of; /* NULL: nothing is moved */
};

/* Where items of the command list go that are made in turn, and the cycles that they take. */
typedef struct {
    fw_items *items;
    double *cycles;
    arena *mem;
} compile_listing;
static inline compile_listing compile_listing_of(compile_move *move, arena *mem) {
    return (compile_listing){&move->items, &move->cycles, mem};
}
typedef VEC(compile_move) compile_moves;
/* Array cycles that the processor is taken to spend on an item as such; and words that the host could write
 * in place of being asked: 7,000 cycles, some 10 us, on engine soc. */
enum { COMPILE_ITEM_CYCLES = 300, COMPILE_ASKED_WORDS = 500 };
/* Array cycles that it takes for an item as such, and for a word that is copied, or set to 0; measured on
 * engine soc: docs/notebook/repeated.md. */
static const double COMPILE_ITEM = COMPILE_ITEM_CYCLES, COMPILE_COPIED = 4, COMPILE_CLEARED = 2;
/* Returns what it is taken to spend on a value that an item makes of two. */
static inline double compile_combined_cycles(tile_dtype dtype) {
    return dtype == TILE_DTYPE_BF16 ? 250 : 100;
}
static inline uint16_t word_at(const uint8_t *words, uint32_t i) {
    return (uint16_t)(words[2 * i] | words[2 * i + 1] << 8);
}
/* Moves behind the blocks of a run of an output; returns false where there are not so many words. */
bool compile_pass_run(const compile_later *l, uint32_t output, uint32_t *at);
bool compile_has_put(const fw_puts *all, const fw_put *w);
/* Returns whether the image still lies in the scratch area. */
bool compile_in_scratch(const machine *m, const compile_image *image);
/* Returns whether the words lie there before the batch, and no other operand is put there before it runs. */
bool compile_lies_before(const machine *m, const compile_move_in *in, const fw_put *w);
/* Returns the first byte of the scratch area from which on so many have nothing that is read later, by
 * alive[], or of `h`, unless that is NULL. A list of entries that lie elsewhere, too, is none, unless `lists`
 * count and it is for this batch. */
uint32_t compile_find_slot(const machine *m, const held *h, const bool *alive, bool lists, uint32_t bytes);
/* Notes what the scratch area has from now on. */
void compile_note_image(machine *m, const compile_image *image);
/* Returns how items combine what an operation reduces, by FW_OP_*; FW_OP_SET: they do not. */
void compile_reduction(sam_operation operation, tile_dtype dtype, uint32_t *how, const sam_operator **op);
/* Finds how parts of a result are combined where they meet, by FW_OP_*; FW_OP_SET: they cannot be. */
void compile_meeting(const sam_statement *s, tile_dtype dtype, uint32_t *how, const sam_operator **op);
/* Gives a table of these bytes a place in the area that run tables stay in; returns its address. */
uint32_t compile_add_table(machine *m, uint32_t bytes, uint64_t hash);
/* Returns the tensor of the program that is operand `t`, if the chip alone has it; otherwise FE_NO_TENSOR. */
uint32_t compile_left_operand(const machine *m, const fe_step *step, uint32_t t);

#endif
