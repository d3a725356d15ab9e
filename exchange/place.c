/* The streams of a program at the IO cells of its bitstream, and their words cut into runs.
 *
 * How many length-headed blocks a stream has in a run follows from the memory tile at its other end: a level
 * has two (segments, coordinates), values have one. */
#include "exchange/exchange_int.h"
#include "exchange/registers.h"
#include "kernel/streams.h"

#include <stdlib.h>

#define MEMORY "fiber_access_16_inst_"
enum { BLOCK_MOST = 1024 }; /* limit of a block's words in a memory tile */

typedef struct {
    compile_streams cells;
    compile_context *ctx;
    exchange_program *p;
    exchange_array *a;
} placer;

static const char *called(const placer *x, const exchange_stream *s) {
    return arena_printf(x->ctx->mem, "stream '%s' at IO column %u", s->name, s->column);
}

static bool refuse(const placer *x, const char *what) {
    const char *path = x->p->path;
    return diag_error(x->ctx->diag, (src_loc){0}, "E0971-chip-streams", "%s: %s", path, what);
}

/* ---- blocks ------------------------------------------------------------------------------------ */

/* Returns the cell at the other end of an IO cell's net, or NULL. */
static const net_cell_data *other_end(const placer *x, uint32_t cell, bool output) {
    const netlist *n = x->a->design.net;
    for (uint32_t i = 0; i < n->nets.len; i++) {
        const net_data *net = &n->nets.at[i];
        if (!output && net->source.cell.v == cell + 1 && net->sinks.len)
            return net_cell_at(n, net->sinks.at[0].cell);
        for (uint32_t s = 0; output && s < net->sinks.len; s++) {
            if (net->sinks.at[s].cell.v == cell + 1)
                return net_cell_at(n, net->source.cell);
        }
    }
    return NULL;
}

static bool find_blocks(const placer *x, exchange_stream *s, uint32_t cell, bool output) {
    const net_cell_data *memory = other_end(x, cell, output);
    const netlist *n = x->a->design.net;
    if (!memory || memory->mode != NET_MODE_FIBER_ACCESS ||
        !net_config_of(n, memory,
                       output ? MEMORY "read_scanner_block_mode" : MEMORY "write_scanner_block_mode"))
        return refuse(x, arena_printf(x->ctx->mem, "the bitstream's %s no memory tile that counts blocks",
                                      arena_printf(x->ctx->mem, "%s %s", called(x, s),
                                                   output ? "comes from" : "goes to")));
    const bool values = net_config_of(n, memory, MEMORY "write_scanner_lowest_level") != 0 ||
                        (output && net_config_of(n, memory, MEMORY "read_scanner_lookup"));
    const uint32_t blocks = values ? 1 : 2;
    if (s->blocks && s->blocks != blocks)
        return refuse(x,
                      arena_printf(x->ctx->mem, "%s has %u blocks by its meta file and %u by the bitstream",
                                   called(x, s), s->blocks, blocks));
    s->blocks = blocks;
    return true;
}

/* ---- columns ----------------------------------------------------------------------------------- */

/* Replaces the streams of a side by the bitstream's, in the order of their columns. `other` are streams of an
 * unknown side. */
static bool take_side(const placer *x, bool output, exchange_streams *all, exchange_streams *other) {
    const uint32_t *column = output ? x->cells.out_column : x->cells.in_column,
                   *cell = output ? x->cells.out_cell : x->cells.in_cell;
    exchange_streams ordered = {0};
    for (uint32_t i = 0; i < (output ? x->cells.n_out : x->cells.n_in); i++) {
        exchange_stream s = {.column = column[i], .name = arena_printf(x->ctx->mem, "x%u", column[i])};
        exchange_stream *stated = exchange_stream_at(all, column[i]);
        stated = stated || !other ? stated : exchange_stream_at(other, column[i]);
        if (stated) {
            s = *stated;
            stated->column = EXCHANGE_UNPLACED; /* one stream takes a stated column */
        }
        if (!output && !s.known) {
            refuse(x, arena_printf(x->ctx->mem, "nothing gives the words of the %s", called(x, &s)));
            return diag_hint(x->ctx->diag, "--data x%u=FILE.raw, or a folder with design_meta.json",
                             s.column);
        }
        if (!find_blocks(x, &s, cell[i], output))
            return false;
        vec_push(x->ctx->mem, &ordered, s);
    }
    *all = ordered;
    return true;
}

/* Every stated stream must have a cell. */
static bool all_taken(const placer *x, const exchange_streams *stated) {
    for (uint32_t i = 0; i < stated->len; i++) {
        if (stated->at[i].column != EXCHANGE_UNPLACED)
            return refuse(x, arena_printf(x->ctx->mem, "the bitstream has no IO cell for the %s",
                                          called(x, &stated->at[i])));
    }
    return true;
}

/* ---- runs -------------------------------------------------------------------------------------- */

static bool cut_input(const placer *x, const exchange_stream *s) {
    tile_plan *plan = &x->a->plan;
    tile_input in = {0};
    const uint32_t first = plan->words.len;
    vec_push(x->ctx->mem, &in.blocks, (tile_block){.first = first}); /* the empty sub-tile has this block */
    for (uint32_t i = 0; i < s->words.len; i++)
        vec_push(x->ctx->mem, &plan->words, s->words.at[i]);
    for (uint32_t at = 0, n; at < s->words.len; at += n) {
        n = exchange_words_of_run(s->words.at, s->words.len, at, s->blocks);
        if (!n) {
            refuse(x, arena_printf(x->ctx->mem,
                                   "%s: from word %u on there is no whole set of %u %s with their "
                                   "lengths",
                                   called(x, s), at, s->blocks, plural(s->blocks, "block", "blocks")));
            return diag_hint(x->ctx->diag,
                             "%s has %u words; a level is {words, segments} then {words, coordinates}, "
                             "values are {words, values}",
                             s->from, s->words.len);
        }
        vec_push(x->ctx->mem, &in.blocks, (tile_block){.first = first + at, .length = n});
    }
    vec_push(x->ctx->mem, &plan->inputs, in);
    return true;
}

static bool add_runs(const placer *x) {
    tile_plan *plan = &x->a->plan;
    const exchange_streams *in = &x->p->inputs;
    uint32_t bound = 0;
    for (uint32_t i = 0; i < plan->inputs.len; i++) {
        if (plan->inputs.at[i].blocks.len != plan->inputs.at[0].blocks.len)
            return refuse(x, arena_printf(x->ctx->mem,
                                          "the words of the %s are of %u runs, those of the %s of %u",
                                          called(x, &in->at[0]), plan->inputs.at[0].blocks.len - 1,
                                          called(x, &in->at[i]), plan->inputs.at[i].blocks.len - 1));
    }
    for (uint32_t i = 0; i < plan->outputs.len; i++) {
        const uint32_t most = plan->outputs.at[i].num_blocks * (BLOCK_MOST + 1);
        bound = most > bound ? most : bound;
    }
    for (uint32_t r = 0; plan->inputs.len && r + 1 < plan->inputs.at[0].blocks.len; r++) {
        vec_push(
            x->ctx->mem, &plan->runs,
            (tile_run){.block_first = plan->run_block.len, .bound_words = bound, .bound_array = BLOCK_MOST});
        vec_push(x->ctx->mem, &plan->boxes, (tile_box){0});
        for (uint32_t i = 0; i < plan->inputs.len; i++)
            vec_push(x->ctx->mem, &plan->run_block, r + 1);
    }
    return plan->runs.len > 0 || refuse(x, "there are no words to run it on");
}

static bool make_plan(const placer *x) {
    tile_plan *plan = &x->a->plan;
    *plan = (tile_plan){.copies = 1};
    for (uint32_t i = 0; i < x->p->outputs.len; i++) {
        net_cell_at(x->a->design.net, (net_cell){x->cells.out_cell[i] + 1})->num_blocks =
            x->p->outputs.at[i].blocks;
        vec_push(x->ctx->mem, &plan->outputs, (tile_output){.num_blocks = x->p->outputs.at[i].blocks});
    }
    for (uint32_t i = 0; i < x->p->inputs.len; i++) {
        if (!cut_input(x, &x->p->inputs.at[i]))
            return false;
    }
    return add_runs(x);
}

/* Returns whether some word belongs to a 17-bit switch box of the chip; otherwise, for words of the feature
 * used by earlier chips, E0977-chip-map. */
static bool is_of_this_chip(compile_context *ctx, const exchange_program *p) {
    enum {
        OF_MEM = 0x0b,
        OF_PE = 0x0e,
        EARLIER = 0x0d
    }; /* features; 0x0d is a 1-bit switch box of a PE here */
    const bits_word *earlier = NULL;
    for (uint32_t i = 0; i < p->bits.words.len; i++) {
        const bits_word *w = &p->bits.words.at[i];
        const uint32_t feature = w->address >> 16 & 0xff;
        if (feature == OF_MEM || feature == OF_PE)
            return true;
        earlier = feature == EARLIER && !earlier ? w : earlier;
    }
    if (!earlier)
        return true; /* the decoder reports other errors */
    diag_error(ctx->diag, earlier->loc, "E0977-chip-map",
               "no tile has a word of a 17-bit switch box where the chip has one (features 11 and 14), and "
               "this tile has "
               "one where chips before the tape-out of October 2022 had it (13)");
    return diag_hint(ctx->diag,
                     "words of an earlier register map do not load: the bitstream must be made anew");
}

bool exchange_place(const compile_options *o, compile_context *ctx, exchange_program *p, exchange_array *a) {
    placer x = {.ctx = ctx, .p = p, .a = a};
    uint32_t unknown = 0;
    bits_map *map;
    if (!compile_read_board(ctx, o->target.board, &a->board, &a->bare.board_path) ||
        !pnr_board_set_profile(&a->board, o->target.profile, ctx->diag) ||
        !bits_map_read(&a->board, ctx->mem, ctx->diag, &map) || !is_of_this_chip(ctx, p) ||
        !bits_decode(&p->bits, map, ctx->names, ctx->diag, &a->design, &unknown))
        return false;
    a->bare.board = &a->board;
    a->bare.decoded = &a->design;
    a->bare.map = map;
    a->bare.bits = &p->bits;
    a->bare.folder = ctx->partial;
    a->bare.final_folder = o->files.out;
    compile_streams_of(&a->design, 0, &x.cells);
    exchange_streams in = p->inputs, out = p->outputs;
    const bool ok = bits_check_sparse(&a->design, map, ctx->diag) && take_side(&x, true, &p->outputs, &in) &&
                    take_side(&x, false, &p->inputs, NULL) && all_taken(&x, &in) && all_taken(&x, &out) &&
                    make_plan(&x);
    if (ok)
        exchange_take_registers(o, ctx, p, a);
    return ok;
}
