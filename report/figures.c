/* Figures of compiled kernels and their runs, for report.json and for the summary. */
#include "report/figures.h"
#include "kernel/array.h"
#include "support/least.h"

#include <math.h>

static void add_tiles(const netlist *n, compile_figures *f) {
    uint32_t pe = 0, mem = 0, io = 0;
    for (uint32_t c = 0; c < n->cells.len; c++) {
        net_tile tile = net_mode_table[n->cells.at[c].mode].tile;
        pe += tile == NET_TILE_PE;
        mem += tile == NET_TILE_MEM;
        io += tile == NET_TILE_IO;
    }
    f->pe = most(f->pe, pe);
    f->mem = most(f->mem, mem);
    f->io = most(f->io, io);
}

static void add_times(const compile_times *t, compile_times *sum) {
    sum->frontend += t->frontend;
    sum->lower += t->lower;
    sum->place += t->place;
    sum->route += t->route;
    sum->bitstream += t->bitstream;
    sum->tile += t->tile;
    sum->firmware += t->firmware;
    sum->run += t->run;
    sum->total += t->total;
}

static void add_cycles(const compile_kernel *k, compile_figures *f) {
    f->config += k->ran.cycles.config;
    f->kernel += k->ran.cycles.kernel;
    f->firmware += k->ran.cycles.firmware;
    f->total += k->ran.cycles.total;
    f->verify += k->ran.cycles.verify;
    for (uint32_t end = 0; end < 2; end++)
        f->lag[end] += k->ran.cycles.lag[end];
    f->memory.runs += k->ran.memory.runs;
    f->memory.kernel += k->ran.memory.kernel;
    f->memory.fetched += k->ran.memory.fetched;
    f->memory.moved += k->ran.memory.moved;
    f->memory.stored += k->ran.memory.stored;
    f->handed += k->ran.words.loaded + k->ran.words.collected;
    f->asked += k->ran.cut.batches;
}

uint64_t compile_host_cycles(const compile_options *o, const compile_kernel *k, const compile_figures *f) {
    const compile_host_price price = compile_host_price_of(o, &k->board);
    return (uint64_t)(price.asked * (double)f->asked + price.word * (double)f->handed);
}

/* Adds the work of the chip's processor for a kernel without tiles on the array. */
static void add_processor(const compile_kernel *k, compile_figures *f) {
    add_cycles(k, f);
    if (k->on_processor && k->board.cgra_mhz)
        f->time_us += (double)k->ran.cycles.total / k->board.cgra_mhz;
}

void compile_figures_add(const compile_kernel *k, arena *mem, compile_figures *f) {
    const tile_counts *counts = &k->ran.cut.counts;
    add_times(&k->times, &f->times);
    if (k->on_host) {
        add_processor(k, f);
        return;
    }
    add_tiles(&k->array.net, f);
    f->copies = most(f->copies, k->array.copies);
    f->hops += k->array.design.net ? pnr_hops(&k->array.design) : 0;
    for (uint32_t w = 0; w < k->bits.stream.words.len; w++) {
        vec_push(mem, &f->words, k->bits.stream.words.at[w].address);
        vec_push(mem, &f->words, k->bits.stream.words.at[w].data);
    }
    f->tile_pairs += counts->possible;
    f->tile_pairs_run += counts->expected.runs;
    f->skipped += counts->possible - counts->tile_pairs;
    f->passes += k->ran.cut.passes;
    add_cycles(k, f);
    f->build_s += k->ran.build_s;
    f->cpu_s += k->ran.cpu_s;
    /* By the board's delay table; the chip itself is faster. */
    const double fmax_mhz = compile_mhz(&k->array);
    f->fmax_mhz = f->fmax_mhz > 0 && f->fmax_mhz < fmax_mhz ? f->fmax_mhz : fmax_mhz;
    f->time_us += fmax_mhz > 0 ? (double)k->ran.cycles.total / fmax_mhz : 0;
}

compile_figures compile_figures_of_all(const compile_kernel *k, arena *mem) {
    compile_figures f = {0};
    for (uint32_t n = 0; n <= k->producers.len; n++)
        compile_figures_add(compile_kernel_at(k, n), mem, &f);
    return f;
}

cpu_chip compile_chip_of(const compile_figures *f) {
    return (cpu_chip){f->time_us, f->fmax_mhz > 0 ? (double)f->config / f->fmax_mhz : 0};
}

const char *compile_corner_text(const tile_split *split, uint32_t i, arena *mem) {
    const char *text = "";
    for (uint32_t m = 0; m < split->order; m++)
        text = arena_printf(mem, "%s%s%u", text, m ? "," : "", split->corner[i][m] + 1);
    return text;
}

double compile_predicted_cycles(const compile_kernel *k) {
    return round(k->ran.cut.counts.expected.cycles / (k->array.copies ? k->array.copies : 1));
}

sam_sharing compile_find_sharing(const compile_kernel *k) {
    const sam_graph *g = &k->lowered.hardware;
    const uint32_t stores = lower_count_stores(g, SAM_SHARING_LEVELS);
    sam_sharing s = k->tiling.options.sharing;
    while (sam_sharing_table[s].store != SAM_MODE_VALS && lower_count_stores(g, s) == stores)
        s--;
    return s;
}

const char *compile_result_name(const compile_context *ctx, const compile_kernel *k) {
    return names_text(ctx->names, sam_tensor_at(&k->user, k->user.result)->name);
}

compile_accuracy compile_accuracy_of(const compile_options *o, const compile_kernel *k) {
    return (compile_accuracy){&k->ran.accuracy,   &k->user,         k->data.operands.operand,
                              k->data.operands.n, o->tensors.dtype, o->tensors.scaled};
}
