/* compile.h - the driver: the passes in their order, what is tried next when something does not fit, and all
 * of `onyx run` but its options, files and printing. */
#ifndef ONYX_COMPILE_H
#define ONYX_COMPILE_H

#include "kernel/kernel.h"

/* What --order of a sweep asks for. */
typedef struct {
    const char *list;
    const pnr_board *boards; /* an order must suit one of them; none with engine sam */
    uint32_t n_boards;
} compile_orders_in;
typedef struct {
    text_vec found;      /* with those that were named */
    uint32_t tried, can; /* of those that stars stand for */
} compile_orders;

/* What passes.def says of a pass. */
typedef struct {
    const char *name, *reads, *makes, *doc;
} compile_pass_facts;
/* Returns what is said of pass i, from 0; behind the last one there is no name. */
compile_pass_facts compile_pass_at(uint32_t i);
/* Makes SAM graphs of the expression: all that engine sam needs. */
bool compile_to_graph(const compile_options *o, compile_context *ctx, compile_kernel *k);
/* Makes a bitstream for each kernel of the expression, decodes it and proves it equal to the routed netlist;
 * writes the folder o->out. */
bool compile_to_bitstream(const compile_options *o, compile_context *ctx, compile_kernel *k);
/* Does compile_to_bitstream once the folder is taken, and the board is in k->board. */
bool compile_statement(const compile_options *o, compile_context *ctx, compile_kernel *k);
/* Reports, as --deadlock asks, every kernel in which fibers as long as the sub-tiles' edges may need more
 * room in FIFOs than there is. */
bool compile_check_edges(const compile_options *o, compile_context *ctx, const compile_kernel *k);
/* Compares a result with the reference. Returns "pass", "fail" (the mismatch is diagnosed), or "none" with
 * --no-check. */
const char *compile_check(const compile_options *o, compile_context *ctx, compile_kernel *k,
                          const tile_operands *in, const tile_tensor *got);
/* Refuses a result whose error is larger than --tolerance: E0345-tolerance (exit 3). */
void compile_refuse_error(const compile_options *o, compile_context *ctx, name_id name,
                          const tile_accuracy *a);
/* Does all of `onyx run`. k->ran.result is the result, which the folder o->out holds too; *check is what
 * compile_check returned. */
bool compile_and_run(const compile_options *o, compile_context *ctx, compile_kernel *k, const char **check);
/* Returns what became of values beyond 16 bits in a statement, for a message. */
const char *compile_beyond_range(const sam_statement *s);
/* Finds the orders that onyx sweep's --order stands for. Where it has stars ("all", "i,*;k,i,j"), these are
 * the orders that can run on one of the boards, or without any board as a graph; orders without a star are
 * taken as they are. out->tried and out->can count those of the stars. E0917-orders. */
bool compile_find_orders(const compile_options *o, compile_context *ctx, const compile_orders_in *in,
                         compile_orders *out);
/* Returns the part of the options that the frontend reads. */
bool compile_frontend_input(const compile_options *o, compile_context *ctx, fe_in *out);

#endif
