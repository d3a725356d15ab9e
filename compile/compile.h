/* compile.h - the driver: passes in order, other mappings after a refusal, and `onyx run` without options,
 * files and printing. */
#ifndef ONYX_COMPILE_H
#define ONYX_COMPILE_H

#include "kernel/kernel.h"

/* Orders of the loops for --order of a sweep. */
typedef struct {
    const char *list;
    const pnr_board *boards; /* an order must map to at least one board; no boards with engine sam */
    uint32_t n_boards;
} compile_orders_in;
typedef struct {
    text_vec found;      /* including the named orders */
    uint32_t tried, can; /* of the orders behind stars */
} compile_orders;

/* A row of passes.def. */
typedef struct {
    const char *name, *reads, *makes, *doc;
} compile_pass_facts;
/* Returns the row of pass i, from 0; the row behind the last has no name. */
compile_pass_facts compile_pass_at(uint32_t i);
/* Makes SAM graphs of the expression, enough for engine sam. */
bool compile_to_graph(const compile_options *o, compile_context *ctx, compile_kernel *k);
/* Makes a bitstream for each kernel of the expression, decodes the bitstream, proves the decoded design equal
 * to the routed netlist, and writes the folder o->out. */
bool compile_to_bitstream(const compile_options *o, compile_context *ctx, compile_kernel *k);
/* Does compile_to_bitstream once the folder is taken, and the board is in k->board. */
bool compile_statement(const compile_options *o, compile_context *ctx, compile_kernel *k);
/* Reports, by --deadlock, every kernel whose FIFOs may be too short for fibers as long as the sub-tiles'
 * edges, or as `most` coordinates, if these are fewer. */
bool compile_check_edges(const compile_options *o, compile_context *ctx, const compile_kernel *k,
                         uint32_t most);
/* Compares a result with the reference. Returns "pass", "fail" (the mismatch is diagnosed), or "none" with
 * --no-check. */
const char *compile_check(const compile_options *o, compile_context *ctx, compile_kernel *k,
                          const tile_operands *in, const tile_tensor *got);
/* Refuses a result whose error is larger than --tolerance: E0345-tolerance (exit 3). Warns of long bf16 sums
 * that stand still: E0346-stagnated. */
void compile_refuse_error(const compile_options *o, compile_context *ctx, name_id name,
                          const tile_accuracy *a);
/* Compiles, runs and checks (`onyx run`). Stores the result in k->ran.result and in the folder o->out, and
 * the verdict of compile_check in *check. */
bool compile_and_run(const compile_options *o, compile_context *ctx, compile_kernel *k, const char **check);
/* Expands --order of onyx sweep. A star ("all", "i,*;k,i,j") expands to the orders that map to one of the
 * boards or, without a board, to a graph; an order without a star is kept unchanged. out->tried and out->can
 * count orders from stars. E0917-orders. */
bool compile_find_orders(const compile_options *o, compile_context *ctx, const compile_orders_in *in,
                         compile_orders *out);
/* Returns the frontend's options. */
bool compile_frontend_input(const compile_options *o, compile_context *ctx, fe_in *out);

/* The reference's judgement of a type of a program's values. */
typedef struct {
    bool fits;     /* no word wrapped */
    name_id wraps; /* the first tensor whose words wrap */
    double lost;   /* of the worst result, as of tile_accuracy */
} compile_judged;
/* A program whose tensors get scales, or bf16 where that is better: facts about its first data, and its
 * reference. */
typedef struct {
    const compile_options *o;
    struct fe_scales *all;    /* aligned (frontend/language/scales.h); NULL: scales have no meaning for the program */
    const tile_tensor *first; /* by tensor: values before any scale */
    uint32_t n;
    const char *why; /* int16 does not hold the values: bf16 competes. NULL: scales alone (--dtype q16) */
    bool floats;     /* statements compile with bf16 */
    bool adds;       /* one adds */
    /* Computes the reference with these options. False: the reference failed. */
    bool (*judge)(const void *of, const compile_options *o, compile_judged *out);
    const void *of;
} compile_scaling;
/* Returns int16 options with scales, such that no word wraps; of bf16 where `why` is set and bf16 has the
 * smaller error, and of int16 where neither is possible. NULL after E0183-range, E0305-value of scales alone.
 */
const compile_options *compile_fit_scales(const compile_scaling *in, compile_context *ctx);

/* Returns options with a known data type: the user's; or int16 where all values and the reference's results
 * are whole and fit 16 bits; or bf16 or scaled int16, by the smaller error of their references. --dtype q16
 * chooses scales alone. A graph, and an expression without all operands, are int16. NULL after an error: of
 * reading operands; E0184-scale, E0183-range of q16. */
const compile_options *compile_choose_type(const compile_options *o, compile_context *ctx);

#endif
