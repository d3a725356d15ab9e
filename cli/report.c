/* report.json and the summary a person reads. */
#include "cli/cli.h"

static void count_tiles(const netlist *n, uint32_t *pe, uint32_t *mem, uint32_t *io) {
    *pe = *mem = *io = 0;
    for (uint32_t c = 0; c < n->cells.len; c++) {
        net_tile tile = net_mode_table[n->cells.at[c].mode].tile;
        *pe += tile == NET_TILE_PE;
        *mem += tile == NET_TILE_MEM;
        *io += tile == NET_TILE_IO;
    }
}

/* XXH64 of the words, as a hexadecimal string: JSON numbers are doubles. */
static const char *bits_hash(const bits_stream *bits, arena *mem) {
    uint32_t *flat = arena_new_n(mem, uint32_t, bits->words.len * 2 + 1);
    for (uint32_t w = 0; w < bits->words.len; w++) {
        flat[2 * w] = bits->words.at[w].address;
        flat[2 * w + 1] = bits->words.at[w].data;
    }
    return arena_printf(mem, "%016llx",
                        (unsigned long long)hash_bytes(flat, sizeof *flat * bits->words.len * 2));
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

/* Pairs of sub-tiles, each on one copy of the kernel. */
static uint32_t pairs_run(const tile_plan *plan) {
    uint32_t pairs = 0;
    for (uint32_t p = 0; p < plan->parts.len; p++)
        pairs += !plan->parts.at[p].idle;
    return pairs;
}

static cJSON *report(const cli_options *o, cli_session *s, const cli_kernel *k, const tile_plan *plan,
                     const cli_outcome *out, const char *check) {
    static const char *const engines[] = {"none", "sam", "cycle", "rtl", "soc"};
    cJSON *json = cJSON_CreateObject();
    add_number(json, "format_version", 1);
    cJSON_AddStringToObject(json, "expression", o->expression);
    cJSON_AddStringToObject(json, "board", o->board);
    cJSON_AddStringToObject(json, "profile", o->profile);
    cJSON_AddStringToObject(json, "engine", out ? engines[o->engine] : "none");
    add_number(json, "seed", (double)o->seed);
    cJSON_AddStringToObject(json, "check", check);
    uint32_t pe, mem, io;
    count_tiles(&k->net, &pe, &mem, &io);
    cJSON *tiles = add_object(json, "tiles");
    add_number(tiles, "pe", pe);
    add_number(tiles, "mem", mem);
    add_number(tiles, "io", io);
    add_number(json, "unroll", k->copies);
    cJSON *bits = add_object(json, "bitstream");
    add_number(bits, "words", k->bits.words.len);
    cJSON_AddStringToObject(bits, "xxh64", bits_hash(&k->bits, &s->mem));
    cJSON *sub = add_object(json, "subtiles");
    add_number(sub, "total", plan ? (double)plan->runs_possible : 0);
    add_number(sub, "run", plan ? pairs_run(plan) : 0);
    add_number(sub, "skipped_empty", plan ? (double)(plan->runs_possible - pairs_run(plan)) : 0);
    add_number(sub, "passes", plan ? plan->runs.len : 0);
    static const cli_outcome none;
    out = out ? out : &none;
    /* Loads and stores overlap the kernel: nothing is left that would be theirs alone. */
    cJSON *cycles = add_object(json, "cycles");
    add_number(cycles, "config", (double)out->config_cycles);
    add_number(cycles, "load", 0);
    add_number(cycles, "kernel", (double)out->kernel_cycles);
    add_number(cycles, "store", 0);
    add_number(cycles, "firmware", (double)out->firmware_cycles);
    add_number(cycles, "total", (double)out->total_cycles);
    /* By the board's delay table; the chip itself is faster than the table says. */
    double fmax_mhz = k->timing.period_ps ? 1e6 / k->timing.period_ps : 0;
    add_number(json, "fmax_mhz", fmax_mhz);
    add_number(json, "time_us", fmax_mhz > 0 ? (double)out->total_cycles / fmax_mhz : 0);
    add_number(json, "result_nnz", (double)out->result.nnz);
    cJSON *repacked = cJSON_AddArrayToObject(json, "repacked");
    for (uint32_t t = 1; t <= k->statement.tensors.len; t++) {
        const char *text = fe_repacked(&k->statement, (sam_tensor){t}, &s->mem);
        if (text)
            cJSON_AddItemToArray(repacked, cJSON_CreateString(text));
    }
    cJSON *workspaces = cJSON_AddArrayToObject(json, "workspaces"); /* their cycles are in cycles.kernel */
    for (uint32_t n = 0; n < k->producers.len; n++) {
        const cli_producer *p = &k->producers.at[n];
        cJSON *one = cJSON_CreateObject();
        cJSON_AddStringToObject(one, "tensor",
                                names_text(&s->names, sam_tensor_at(&p->user, p->user.result)->name));
        add_number(one, "cycles", (double)p->cycles);
        cJSON_AddItemToArray(workspaces, one);
    }
    if (o->deadlock != REPORT_OFF && k->net.cells.len)
        cJSON_AddItemToObject(json, "deadlock", net_deadlock_to_json(&k->net, &k->liveness));
    if (out->model)
        cli_stalls_json(s, out, json);
    add_wall(json, &k->times);
    return json;
}

static void summary(const cli_options *o, cli_session *s, const cli_kernel *k, const tile_plan *plan,
                    const cli_outcome *out, const char *check) {
    uint32_t pe, mem, io;
    count_tiles(&k->net, &pe, &mem, &io);
    printf("%s\n", o->expression);
    for (uint32_t t = 1; t <= k->statement.tensors.len; t++) {
        const char *text = fe_repacked(&k->statement, (sam_tensor){t}, &s->mem);
        if (text)
            printf("  the host re-packs %s\n", text);
    }
    for (uint32_t n = 0; n < k->producers.len; n++) {
        const cli_producer *p = &k->producers.at[n];
        printf("  %llu cycles for workspace %s\n", (unsigned long long)p->cycles,
               names_text(&s->names, sam_tensor_at(&p->user, p->user.result)->name));
    }
    if (k->bits.words.len)
        printf("  %u PE, %u MEM and %u IO tiles; %u configuration words, read back and found equal to the "
               "routed netlist\n",
               pe, mem, io, k->bits.words.len);
    if (k->timing.period_ps)
        printf("  %.0f MHz by the board's delay table\n", 1e6 / k->timing.period_ps);
    if (plan)
        printf("  %u runs on %u-wide sub-tiles (%llu pairs without work skipped)\n", pairs_run(plan),
               plan->tile, (unsigned long long)(plan->runs_possible - pairs_run(plan)));
    if (plan && plan->copies > 1)
        printf("  %u copies of the kernel, which take %u passes\n", plan->copies, plan->runs.len);
    if (out)
        printf("  %llu cycles, %llu nonzeros in the result, check: %s\n",
               (unsigned long long)out->total_cycles, (unsigned long long)out->result.nnz, check);
    if (out && out->model)
        cli_stalls_print(s, out);
    printf("  %.3f s to the bitstream, %.3f s in all; everything is in %s\n",
           k->times.frontend + k->times.lower + k->times.place + k->times.route + k->times.bitstream,
           k->times.total, o->out);
}

void cli_print_json(const cJSON *json) {
    char *text = cJSON_Print(json);
    puts(text);
    cJSON_free(text);
}

bool cli_report(const cli_options *o, cli_session *s, const cli_kernel *k, const tile_plan *plan,
                const cli_outcome *outcome, const char *check) {
    cJSON *json = report(o, s, k, plan, outcome, check);
    bool ok = json_write(json, arena_printf(&s->mem, "%s/report.json", o->out), &s->diag);
    if (o->json) {
        cli_print_json(json);
    } else if (!o->quiet) {
        summary(o, s, k, plan, outcome, check);
    }
    cJSON_Delete(json);
    return ok;
}
