/* stages.h - the passes between the frontend's statement and the bitstream that are not a room's own: what a
 * pass reads are its parameters, what it makes is its result. */
#ifndef ONYX_COMPILE_STAGES_H
#define ONYX_COMPILE_STAGES_H

#include "compile/compile_int.h"

/* ---- lower.c ----------------------------------------------------------------------------------- */

/* Makes of one kernel of a schedule its packed statement and its SAM graph, for the chip or for engine sam.
 */
bool compile_lower_sam(const compile_options *o, bool chip, compile_context *ctx, const fe_kernel *kernel,
                       compile_lowered *out);
/* Makes k->hardware of k->sam by rewrites that keep the meaning. */
bool compile_make_legal(compile_context *ctx, compile_lowered *k);
/* Returns whether the graph adds with infinity, which the chip does with what is not negative. */
static inline bool compile_adds_infinity(const sam_graph *g) {
    for (uint32_t n = 0; n < g->nodes.len; n++) {
        if (g->nodes.at[n].kind == SAM_ALU &&
            strcmp(names_text(g->names, g->nodes.at[n].alu), "addhigh") == 0)
            return true;
    }
    return false;
}
/* Writes the hardware graph in the array's primitives, for sub-tiles of these edges. */
bool compile_lower_onyx(compile_context *ctx, const compile_lowered *k, const tile_options *edges,
                        bool extended, onyx_graph **out);

/* ---- edges of sub-tiles (edges.c) -------------------------------------------------------------- */

/* Returns what the options say of the kernel's sub-tiles on the board: --tile and --glb-tile along its own
 * loops. */
tile_options compile_tiling_of(const compile_options *o, const pnr_board *board, const compile_lowered *k);
/* Reports E0903 where --tile or --glb-tile names a loop that none of the n statements has. */
bool compile_check_loops(const compile_options *o, compile_context *ctx, const sam_statement *const *all,
                         uint32_t n);
/* Chooses the edges that are left open: by the data with --tile auto, which packs the operands for that;
 * otherwise as compile_limit_edges does. */
bool compile_choose_edges(const compile_options *o, compile_context *ctx, const pnr_board *board,
                          const compile_lowered *k, compile_data *data, compile_tiling *out);
/* Lowers the default edge to one that compile_lower_onyx does not refuse. */
void compile_limit_edges(const compile_lowered *k, bool extended, tile_options *edges);
/* Describes the processor that drives the kernel on the chip. */
tile_driver compile_driver(const pnr_board *board, const compile_lowered *k, const tile_options *edges);

/* ---- the array (dispatch.c, array.c) ----------------------------------------------------------- */

/* What decides how many copies of a kernel there are and how they share their work. */
typedef struct {
    const pnr_board *board;
    const compile_lowered *lowered;
    const netlist *one;     /* copy */
    compile_data *data;     /* packed where they decide */
    compile_tiling *tiling; /* `expected` is filled in where it decides */
} compile_copied;
/* Makes the netlist of as many copies as the options say, or as fit; E0510 where so many are too large for
 * the array, or where one is. */
bool compile_make_copies(const compile_options *o, compile_context *ctx, const compile_copied *in,
                         compile_array *out);
/* Returns how the netlist of these copies is to be placed and routed. */
pnr_options compile_pnr_options(const compile_options *o, compile_context *ctx, const compile_array *a,
                                const pnr_board *board);
/* Gives joins' short branches in the routed design the room that balances them, if the options want it.
 * Always returns true. */
bool compile_balance(const compile_options *o, compile_context *ctx, compile_array *a);
/* Finds in a->liveness whether the FIFOs suffice, with the pairs that the routes have; does nothing with
 * --deadlock off. Always returns true. */
bool compile_find_deadlock(const compile_options *o, compile_context *ctx, compile_array *a);

#endif
