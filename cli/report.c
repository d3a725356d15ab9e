/* report.json and the summary a person reads. */
#include "cli/cli.h"

/* The figures of one kernel, or of all: sums, but the most tiles, the most copies and the slowest clock. */
typedef struct {
    uint32_t pe, mem, io, copies, hops;
    VEC(uint32_t) words; /* address, data */
    uint64_t pairs, pairs_run, passes;
    uint64_t config, kernel, firmware, total;
    double fmax_mhz, time_us;
    cli_times times;
} figures;

static uint32_t larger(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

static void add_tiles(const netlist *n, figures *f) {
    uint32_t pe = 0, mem = 0, io = 0;
    for (uint32_t c = 0; c < n->cells.len; c++) {
        net_tile tile = net_mode_table[n->cells.at[c].mode].tile;
        pe += tile == NET_TILE_PE;
        mem += tile == NET_TILE_MEM;
        io += tile == NET_TILE_IO;
    }
    f->pe = larger(f->pe, pe);
    f->mem = larger(f->mem, mem);
    f->io = larger(f->io, io);
}

static void add_times(const cli_times *t, cli_times *sum) {
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

static void add_kernel(const cli_kernel *k, arena *mem, figures *f) {
    const tile_plan *plan = &k->plan;
    add_tiles(&k->net, f);
    f->copies = larger(f->copies, k->copies);
    f->hops += k->design.net ? pnr_hops(&k->design) : 0;
    for (uint32_t w = 0; w < k->bits.words.len; w++) {
        vec_push(mem, &f->words, k->bits.words.at[w].address);
        vec_push(mem, &f->words, k->bits.words.at[w].data);
    }
    f->pairs += plan->runs_possible;
    f->passes += plan->runs.len;
    for (uint32_t p = 0; p < plan->parts.len; p++) /* pairs of sub-tiles, each on one copy of the kernel */
        f->pairs_run += !plan->parts.at[p].idle;
    f->config += k->ran.config_cycles;
    f->kernel += k->ran.kernel_cycles;
    f->firmware += k->ran.firmware_cycles;
    f->total += k->ran.total_cycles;
    /* By the board's delay table; the chip itself is faster than the table says. */
    double fmax_mhz = k->timing.period_ps ? 1e6 / k->timing.period_ps : 0;
    f->fmax_mhz = f->fmax_mhz > 0 && f->fmax_mhz < fmax_mhz ? f->fmax_mhz : fmax_mhz;
    f->time_us += fmax_mhz > 0 ? (double)k->ran.total_cycles / fmax_mhz : 0;
    add_times(&k->times, &f->times);
}

static figures figures_of_all(const cli_kernel *k, arena *mem) {
    figures f = {0};
    for (uint32_t n = 0; n < k->producers.len; n++)
        add_kernel(&k->producers.at[n], mem, &f);
    add_kernel(k, mem, &f);
    return f;
}

static cJSON *add_object(cJSON *parent, const char *key) {
    return cJSON_AddObjectToObject(parent, key);
}

static void add_number(cJSON *object, const char *key, double value) {
    cJSON_AddNumberToObject(object, key, value);
}

static void add_wall(cJSON *json, const cli_times *t) {
    cJSON *wall = add_object(json, "wall_s");
    add_number(wall, "frontend", t->frontend);
    add_number(wall, "lower", t->lower);
    add_number(wall, "place", t->place);
    add_number(wall, "route", t->route);
    add_number(wall, "bitstream", t->bitstream);
    add_number(wall, "tile", t->tile);
    add_number(wall, "firmware", t->firmware);
    add_number(wall, "run", t->run);
    add_number(wall, "total", t->total);
}

static void add_figures(cJSON *json, const figures *f, arena *mem) {
    cJSON *tiles = add_object(json, "tiles");
    add_number(tiles, "pe", f->pe);
    add_number(tiles, "mem", f->mem);
    add_number(tiles, "io", f->io);
    add_number(json, "unroll", f->copies);
    add_number(json, "hops", f->hops);
    cJSON *bits = add_object(json, "bitstream");
    uint64_t hash = hash_bytes(f->words.at, sizeof *f->words.at * f->words.len);
    add_number(bits, "words", f->words.len / 2);
    /* As text: JSON numbers are doubles. */
    cJSON_AddStringToObject(bits, "xxh64", arena_printf(mem, "%016llx", (unsigned long long)hash));
    cJSON *sub = add_object(json, "subtiles");
    add_number(sub, "total", (double)f->pairs);
    add_number(sub, "run", (double)f->pairs_run);
    add_number(sub, "skipped_empty", (double)(f->pairs - f->pairs_run));
    add_number(sub, "passes", (double)f->passes);
    /* Loads and stores overlap the kernel: nothing is left that would be theirs alone. */
    cJSON *cycles = add_object(json, "cycles");
    add_number(cycles, "config", (double)f->config);
    add_number(cycles, "load", 0);
    add_number(cycles, "kernel", (double)f->kernel);
    add_number(cycles, "store", 0);
    add_number(cycles, "firmware", (double)f->firmware);
    add_number(cycles, "total", (double)f->total);
    add_number(json, "fmax_mhz", f->fmax_mhz);
    add_number(json, "time_us", f->time_us);
}

/* What is said of a single kernel only. */
static void add_details(cJSON *json, const cli_options *o, cli_session *s, const cli_kernel *k) {
    cJSON_AddStringToObject(json, "loops", cli_loops_text(&k->statement, &s->mem));
    if (k->chosen)
        cJSON_AddStringToObject(json, "chosen", k->chosen);
    cJSON *repacked = cJSON_AddArrayToObject(json, "repacked");
    for (uint32_t t = 1; t <= k->statement.tensors.len; t++) {
        const char *text = fe_repacked(&k->statement, (sam_tensor){t}, &s->mem);
        if (text)
            cJSON_AddItemToArray(repacked, cJSON_CreateString(text));
    }
    if (k->net.cells.len && o->deadlock != REPORT_OFF)
        cJSON_AddItemToObject(json, "deadlock", net_deadlock_to_json(&k->net, &k->liveness));
    if (k->ran.model && !k->ran.ahead)
        cli_stalls_json(s, &k->ran, json);
    if (k->ran.model)
        cli_hazards_json(&k->ran, json);
}

static const char *result_name(const cli_session *s, const cli_kernel *k) {
    return names_text(&s->names, sam_tensor_at(&k->user, k->user.result)->name);
}

static cJSON *kernel_json(const cli_options *o, cli_session *s, const cli_kernel *k) {
    cJSON *json = cJSON_CreateObject();
    figures f = {0};
    add_kernel(k, &s->mem, &f);
    cJSON_AddStringToObject(json, "tensor", result_name(s, k));
    add_figures(json, &f, &s->mem);
    add_number(json, "result_nnz", (double)k->ran.result.nnz);
    add_details(json, o, s, k);
    add_wall(json, &f.times);
    return json;
}

static cJSON *report(const cli_options *o, cli_session *s, const cli_kernel *k, const figures *all, bool ran,
                     const char *check) {
    static const char *const engines[] = {"none", "sam", "cycle", "rtl", "soc"};
    cJSON *json = cJSON_CreateObject();
    add_number(json, "format_version", 1);
    cJSON_AddStringToObject(json, "expression", o->expression);
    cJSON_AddStringToObject(json, "board", o->board);
    cJSON_AddStringToObject(json, "profile", o->profile);
    cJSON_AddStringToObject(json, "engine", ran ? engines[o->engine] : "none");
    add_number(json, "seed", (double)o->seed);
    cJSON_AddStringToObject(json, "check", check);
    add_figures(json, all, &s->mem);
    add_number(json, "result_nnz", (double)k->ran.result.nnz);
    if (k->staged)
        cJSON_AddStringToObject(json, "chosen", k->staged);
    if (k->producers.len) {
        cJSON *kernels = cJSON_AddArrayToObject(json, "kernels");
        for (uint32_t n = 0; n < k->producers.len; n++)
            cJSON_AddItemToArray(kernels, kernel_json(o, s, &k->producers.at[n]));
        cJSON_AddItemToArray(kernels, kernel_json(o, s, k));
    } else {
        add_details(json, o, s, k);
    }
    add_wall(json, &all->times);
    return json;
}

/* Lines about one kernel; of several each stands under its name, and what it makes is `result`. */
static void kernel_summary(cli_session *s, const cli_kernel *k, bool several, bool ran, const char *result) {
    figures f = {0};
    add_kernel(k, &s->mem, &f);
    if (several)
        printf("  kernel %s, in %s\n", result_name(s, k), k->folder);
    if (k->chosen)
        printf("  %s\n", k->chosen);
    for (uint32_t t = 1; t <= k->statement.tensors.len; t++) {
        const char *text = fe_repacked(&k->statement, (sam_tensor){t}, &s->mem);
        if (text)
            printf("  the host re-packs %s\n", text);
    }
    if (f.words.len)
        printf("  %u PE, %u MEM and %u IO tiles; %u configuration words, read back and found equal to the "
               "routed netlist\n",
               f.pe, f.mem, f.io, f.words.len / 2);
    if (f.fmax_mhz > 0)
        printf("  %.0f MHz by the board's delay table\n", f.fmax_mhz);
    if (k->plan.runs.len)
        printf("  %llu runs on %u-wide sub-tiles (%llu pairs without work skipped)\n",
               (unsigned long long)f.pairs_run, k->plan.tile, (unsigned long long)(f.pairs - f.pairs_run));
    if (k->plan.copies > 1)
        printf("  %u copies of the kernel, which take %u passes\n", k->plan.copies, k->plan.runs.len);
    else if (k->apart && k->plan.runs.len)
        printf("  %u copies of the kernel, each of which takes the next pair when it is free\n", k->copies);
    if (ran)
        printf("  %llu cycles, %llu nonzeros in %s\n", (unsigned long long)f.total,
               (unsigned long long)k->ran.result.nnz, result);
    if (k->ran.model && !k->ran.ahead)
        cli_stalls_print(s, &k->ran);
}

static void summary(const cli_options *o, cli_session *s, const cli_kernel *k, const figures *all, bool ran,
                    const char *check) {
    bool several = k->producers.len > 0;
    printf("%s\n", o->expression);
    if (k->staged)
        printf("  %s\n", k->staged);
    for (uint32_t n = 0; n < k->producers.len; n++)
        kernel_summary(s, &k->producers.at[n], several, ran, result_name(s, &k->producers.at[n]));
    kernel_summary(s, k, several, ran, arena_printf(&s->mem, "the result, check: %s", check));
    if (ran && several)
        printf("  %llu cycles in all\n", (unsigned long long)all->total);
    const cli_times *t = &all->times;
    printf("  %.3f s to the bitstream, %.3f s in all; everything is in %s\n",
           t->frontend + t->lower + t->place + t->route + t->bitstream, t->total, o->out);
}

void cli_print_json(const cJSON *json) {
    char *text = json_print(json, true);
    puts(text);
    cJSON_free(text);
}

bool cli_report(const cli_options *o, cli_session *s, const cli_kernel *k, bool ran, const char *check) {
    const figures all = figures_of_all(k, &s->mem);
    cJSON *json = report(o, s, k, &all, ran, check);
    bool ok = json_write(json, arena_printf(&s->mem, "%s/report.json", o->out), &s->diag);
    if (o->json) {
        cli_print_json(json);
    } else if (!s->quiet) {
        summary(o, s, k, &all, ran, check);
    }
    cJSON_Delete(json);
    return ok;
}
