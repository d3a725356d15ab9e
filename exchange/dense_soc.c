/* A program of the dense fabric by the chip's processor: its register writes, made by the firmware on engine
 * soc. */
#include "exchange/exchange_int.h"
#include "exchange/registers.h"
#include "firmware/registers.h"
#include "kernel/folder.h"

enum { TILE_BYTES = 0x40000, BANK_BYTES = 0x20000, OFF = 0 };

typedef struct {
    const dense_program *p;
    const dense_streams *streams;
    arena *mem;
    netlist net;
    pnr_design design; /* of the streams' IO cells alone: what the firmware knows of an array */
    tile_plan plan;
    fw_writes writes;
    compile_bare bare;
} job;

/* ---- register writes --------------------------------------------------------------------------- */

/* Returns the value left in a register by the writes that load the words; OFF without a write. */
static uint32_t value_written(const dense_program *p, uint32_t tile, uint32_t reg) {
    uint32_t value = OFF;
    for (uint32_t i = 0; i < p->configure.len; i++) {
        if (p->configure.at[i].offset == tile * GLB_TILE_STRIDE + reg)
            value = p->configure.at[i].value;
    }
    return value;
}

/* Returns why the program's writes do not bring its words to all tiles, or NULL. */
static const char *loads_other(const dense_program *p, const pnr_board *b, arena *mem) {
    const uint32_t tiles = exchange_config_tiles(&p->bits, b);
    if (!p->configure.len)
        return "it has none that load its words";
    if (value_written(p, 0, GLB_PCFG_NUM_WORDS) != p->bits.words.len)
        return arena_printf(mem, "they load %u words of configuration, and there are %u",
                            value_written(p, 0, GLB_PCFG_NUM_WORDS), p->bits.words.len);
    for (uint32_t t = 0; t < tiles; t++) {
        if (value_written(p, t, GLB_PCFG_BROADCAST_MUX) != exchange_broadcast(t))
            return arena_printf(mem, "they do not send words of configuration on at GLB tile %u", t);
    }
    return value_written(p, 0, GLB_PCFG_START_ADDR) % BANK_BYTES ? "they load words from inside a bank"
                                                                 : NULL;
}

static void take_writes(job *j, diagnostics *d) {
    const dense_program *p = j->p;
    const char *why = loads_other(p, j->design.board, j->mem);
    dense_program own = {.path = p->path};
    for (uint32_t i = 0; !why && i < p->configure.len; i++)
        vec_push(j->mem, &j->writes.configure,
                 ((fw_write){p->configure.at[i].offset, p->configure.at[i].value}));
    if (why)
        exchange_configure_writes(&p->bits, j->design.board, j->mem, &j->writes.configure);
    if (why && p->configure.len)
        diag_warning(d, (src_loc){0}, "E0975-chip-registers",
                     "%s: its register writes that load the bitstream are not made as they stand: %s",
                     p->path, why);
    if (!p->writes.len)
        dense_writes_of(j->streams, j->mem, &own);
    const dense_program *from = p->writes.len ? p : &own;
    for (uint32_t i = 0; i < from->writes.len; i++)
        vec_push(j->mem, &j->writes.start, ((fw_write){from->writes.at[i].offset, from->writes.at[i].value}));
}

/* ---- words ------------------------------------------------------------------------------------- */

/* The program's words in the bank of a load, up to the last one that it has or that the load takes. */
static uint32_t words_of_bank(const job *j, const dense_stream *s) {
    const uint32_t tile = s->column / 2;
    uint32_t words = 0, first, last;
    for (uint32_t a = 0; a < j->p->inputs.len; a++) {
        const dense_words *w = &j->p->inputs.at[a];
        for (uint32_t i = 0; i < w->tiles.len; i++) {
            const uint32_t n = (w->words.len + w->tiles.len - 1 - i) / w->tiles.len;
            words = w->tiles.at[i] == tile && n > words ? n : words;
        }
    }
    dense_reach_of(s, &first, &last);
    last = last % TILE_BYTES / 2 + 1;
    return last > words ? last : words;
}

static void add_input(job *j, const dense_stream *s, const uint16_t *memory) {
    const uint32_t words = words_of_bank(j, s), first = j->plan.words.len;
    tile_input in = {.copy = 0};
    for (uint32_t i = 0; i < words; i++)
        vec_push(j->mem, &j->plan.words, memory[s->column / 2 * (TILE_BYTES / 2) + i]);
    vec_push(j->mem, &in.blocks, (tile_block){.length = 0});
    vec_push(j->mem, &in.blocks, ((tile_block){.first = first, .length = words}));
    vec_push(j->mem, &j->plan.inputs, in);
    vec_push(j->mem, &j->plan.run_block, 1);
}

static void add_output(job *j, const dense_stream *s) {
    uint32_t first, last;
    dense_reach_of(s, &first, &last);
    vec_push(j->mem, &j->writes.spans, ((fw_span){first, (last - first) / 2 + 1}));
    vec_push(j->mem, &j->plan.outputs, (tile_output){.num_blocks = 0});
}

static void add_stream(job *j, const dense_stream *s, const uint16_t *memory, name_table *names) {
    const char *name = arena_printf(j->mem, "x%u", s->column);
    const net_cell_data cell = {.mode = s->store ? NET_MODE_IO_OUT : NET_MODE_IO_IN,
                                .name = names_intern(names, name),
                                .tag = 'I',
                                .number = j->net.cells.len,
                                .tensor = names_intern(names, name),
                                .output = s->store,
                                .level = SAM_MODE_VALS};
    vec_push(j->mem, &j->net.cells, cell);
    vec_push(j->mem, &j->design.site, ((pnr_site){(uint16_t)s->column, 0}));
    if (s->store)
        add_output(j, s);
    else
        add_input(j, s, memory);
}

/* ---- results ----------------------------------------------------------------------------------- */

static void take_words(const job *j, const u16_vec *stored, dense_outcome *out) {
    for (uint32_t o = 0; o < j->writes.spans.len; o++) {
        for (uint32_t i = 0; i < stored[o].len; i++)
            out->memory[j->writes.spans.at[o].first / 2 + i] = stored[o].at[i];
    }
}

/* ---- all --------------------------------------------------------------------------------------- */

static bool refuse(const dense_program *p, diagnostics *d, const char *what) {
    diag_error(d, (src_loc){0}, "E0971-chip-streams", "%s: %s", p->path, what);
    return diag_hint(d, "engine cycle runs it without the processor");
}

static bool run_on_soc(const compile_options *o, compile_context *ctx, const dense_design *design,
                       const dense_program *p, const dense_streams *streams, dense_outcome *out) {
    job *j = arena_new(ctx->mem, job);
    u16_vec stored[TILE_MAX_STREAMS] = {0};
    compile_outcome ran;
    const char *board_path = NULL;
    pnr_board *board = arena_new(ctx->mem, pnr_board);
    *out = (dense_outcome){.memory = dense_memory_of(p, ctx->mem)};
    *j = (job){.p = p, .streams = streams, .mem = ctx->mem, .plan.copies = 1};
    j->net = (netlist){.mem = ctx->mem, .names = ctx->names};
    j->design = (pnr_design){.net = &j->net, .board = design->board};
    for (uint32_t i = 0; i < streams->len; i++)
        add_stream(j, &streams->at[i], out->memory, ctx->names);
    if (!j->writes.spans.len || !j->plan.inputs.len)
        return refuse(p, ctx->diag, "the processor starts a run with a load, and waits for a store");
    vec_push(ctx->mem, &j->plan.runs, ((tile_run){.bound_array = 1}));
    vec_push(ctx->mem, &j->plan.boxes, (tile_box){0});
    take_writes(j, ctx->diag);
    if (!compile_read_board(ctx, o->target.board, board, &board_path))
        return false;
    j->bare = (compile_bare){.board = design->board,
                             .board_path = board_path,
                             .decoded = &j->design,
                             .map = design->map,
                             .bits = &p->bits,
                             .writes = &j->writes,
                             .folder = ctx->partial,
                             .final_folder = o->files.out};
    if (!compile_run_bare(o, ctx, &j->bare, &j->plan, &ran, stored) ||
        !dense_read_streams(arena_printf(ctx->mem, "%s/firmware/stats.json", j->bare.folder), streams,
                            ctx->diag, out))
        return false;
    take_words(j, stored, out);
    return true;
}

static bool write_stores(const dense_outcome *out, const char *folder, diagnostics *d) {
    bool ok = true;
    for (uint32_t i = 0; i < out->streams.len; i++) {
        const dense_stream *s = &out->streams.at[i].stream;
        uint32_t first, last;
        if (!s->store)
            continue;
        dense_reach_of(s, &first, &last);
        ok = ok && exchange_write_words(folder, arena_printf(d->mem, "x%u", s->column),
                                        out->memory + first / 2, (last - first) / 2 + 1, d);
    }
    return ok;
}

bool exchange_run_dense(const compile_options *o, compile_context *ctx, const dense_design *design,
                        const dense_program *p, const dense_streams *streams, dense_outcome *out) {
    const compile_engine engine = o->target.engine;
    uint16_t *memory = dense_memory_of(p, ctx->mem);
    const bool ran = engine == ENGINE_SOC   ? run_on_soc(o, ctx, design, p, streams, out)
                     : engine == ENGINE_RTL ? exchange_dense_on_rtl(o, ctx, p, streams, out)
                     : o->running.wave
                         ? dense_run_waves(design, streams, memory, ctx->partial, ctx->diag, out)
                         : dense_run(design, streams, memory, ctx->diag, out);
    return ran && write_stores(out, ctx->partial, ctx->diag);
}
