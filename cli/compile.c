/* The compiler as a straight list of stages, a check after each. */
#include "cli/cli.h"

static bool dump_graph(const cli_options *o, const char *name, const sam_graph *g, cli_session *s) {
    file_out f;
    if (!o->out)
        return true;
    if (!file_create(&f, arena_printf(&s->mem, "%s/%s", o->out, name), &s->mem, &s->diag))
        return false;
    sam_dump(g, f.stream);
    return file_commit(&f, &s->diag);
}

/* Statements have no type: the graph's arithmetic gets the one that was asked for. */
static bool set_arithmetic(const cli_options *o, sam_graph *g) {
    for (uint32_t n = 0; n < g->nodes.len; n++) {
        sam_node_data *node = &g->nodes.at[n];
        bool computes = node->kind == SAM_ALU || node->kind == SAM_REDUCE ||
                        node->kind == SAM_VECTORREDUCER || (node->kind == SAM_CRDDROP && node->compress);
        node->fp = computes && o->dtype == TILE_DTYPE_BF16;
    }
    return true;
}

/* One scheduled kernel: the statement that is packed, and its graph. */
static bool lower_kernel(const cli_options *o, bool chip, cli_session *s, const fe_kernel *kernel,
                         sam_statement *statement, sam_graph *g) {
    const fe_lower_options lower = {.drop = true, .exact_stops = !chip};
    sam_statement expanded;
    sam_graph once;
    if (!fe_expand(kernel, &s->mem, &s->diag, &expanded))
        return false;
    expanded.tiled = chip; /* scanners run to the edge of a sub-tile */
    if (chip)
        fe_distribute(&expanded);
    return fe_build(&expanded, &lower, &s->mem, &s->diag, statement, &once) &&
           fe_unroll(kernel, &once, &s->mem, &s->diag, g) && set_arithmetic(o, g) && sam_check(g, &s->diag);
}

/* The kernels before the last, each with a graph of its own. */
static bool lower_producers(const cli_options *o, bool chip, cli_session *s, const fe_cin *cin,
                            cli_kernel *k) {
    if (chip && cin->kernels.len > 1) {
        const sam_statement *first = &cin->kernels.at[0].s;
        diag_unmappable(&s->diag, sam_tensor_at(first, first->result)->loc, "E0922-kernels",
                        "the schedule makes %u kernels, the array runs one", cin->kernels.len);
        diag_hint(&s->diag, "use --engine sam, or compile and run the workspace's expression first");
        return false;
    }
    for (uint32_t n = 0; n + 1 < cin->kernels.len; n++) {
        cli_producer p = {.user = cin->kernels.at[n].s};
        const char *name = names_text(&s->names, sam_tensor_at(&p.user, p.user.result)->name);
        if (!lower_kernel(o, chip, s, &cin->kernels.at[n], &p.statement, &p.sam) ||
            !dump_graph(o, arena_printf(&s->mem, "sam_%s.gv", name), &p.sam, s))
            return false;
        vec_push(&s->mem, &k->producers, p);
    }
    return true;
}

bool cli_compile_sam(const cli_options *o, bool chip, cli_session *s, cli_kernel *k) {
    double start = seconds_now();
    const fe_in in = {.expression = o->expression,
                      .formats = o->formats.at,
                      .n_formats = o->formats.len,
                      .dimensions = o->dimensions.at,
                      .n_dimensions = o->dimensions.len,
                      .schedule = o->schedule.at,
                      .n_schedule = o->schedule.len,
                      .integers = o->dtype == TILE_DTYPE_INT16};
    fe_cin cin;
    bool ok = fe_parse(&in, &s->names, &s->mem, &s->diag, &k->user) && fe_check(&k->user, &s->diag) &&
              cli_check_names(o, s, &k->user) && fe_schedule(&in, &k->user, &s->mem, &s->diag, &cin) &&
              lower_producers(o, chip, s, &cin, k) &&
              lower_kernel(o, chip, s, &cin.kernels.at[cin.kernels.len - 1], &k->statement, &k->sam) &&
              dump_graph(o, "sam.gv", &k->sam, s);
    k->times.frontend = seconds_now() - start;
    return ok;
}

/* Rewrites that keep the meaning: SAM graph to SAM graph. */
static bool make_hardware_legal(const cli_options *o, cli_session *s, cli_kernel *k) {
    sam_graph joined;
    return sam_to_binary_joiners(&k->sam, &s->mem, &s->diag, &joined) &&
           sam_remove_broadcasts(&joined, &s->mem, &s->diag, &k->hardware) &&
           sam_check(&k->hardware, &s->diag) && dump_graph(o, "sam_hw.gv", &k->hardware, s);
}

/* How many of the kernel the board has tiles and streams for. */
static uint32_t most_copies(const netlist *one, const pnr_board *board) {
    pnr_resource table[PNR_RESOURCES];
    uint32_t most = UINT32_MAX;
    pnr_count_resources(one, board, table);
    for (int i = 0; i < PNR_RESOURCES; i++) {
        if (table[i].need && table[i].have / table[i].need < most)
            most = table[i].have / table[i].need;
    }
    return most;
}

/* The kernel as often as asked for; more than fit is an error that says how many do. */
static bool unroll(const cli_options *o, cli_session *s, cli_kernel *k, const netlist *one) {
    uint32_t most = most_copies(one, &k->board);
    k->copies = o->unroll ? o->unroll : most ? most : 1;
    if (!net_unroll(one, k->copies, &s->mem, &s->diag, &k->net))
        return false;
    if (pnr_fits(&k->net, &k->board, &s->diag))
        return true;
    if (most)
        diag_note(&s->diag, (src_loc){0}, "the most that fits is --unroll %u", most);
    return false;
}

static bool lower(const cli_options *o, cli_session *s, cli_kernel *k) {
    double start = seconds_now();
    onyx_graph *graph = NULL;
    netlist one;
    const lower_options options = {.tile_edge = tile_edge(&k->statement, &k->tiling)};
    bool ok = make_hardware_legal(o, s, k) && lower_run(&k->hardware, &options, &s->mem, &s->diag, &graph) &&
              lower_check(graph, &s->diag) && lower_pack(graph, &s->mem, &s->diag, &one) &&
              unroll(o, s, k, &one);
    k->times.lower = seconds_now() - start;
    return ok;
}

/* Gives joins' short branches the room that balances them: pairs hold two tokens each. */
static void balance(const cli_options *o, cli_session *s, cli_kernel *k) {
    enum { MOST_PAIRS = 3 }; /* six: 2 % fewer cycles, twice as many words to configure */
    net_shortage_vec shortages = {0};
    if (!o->pipeline || !o->balance)
        return;
    net_balance(&k->net, &s->mem, &shortages);
    pnr_want *want = arena_new_n(&s->mem, pnr_want, shortages.len + 1);
    for (uint32_t i = 0; i < shortages.len; i++) {
        const net_shortage *short_of = &shortages.at[i];
        uint32_t pairs = (short_of->tokens + 1) / 2;
        want[i] = (pnr_want){short_of->net, short_of->sink, pairs < MOST_PAIRS ? pairs : MOST_PAIRS};
    }
    pnr_stretch(&k->design, want, shortages.len, &s->mem);
}

static bool place_and_route(const cli_options *o, cli_session *s, cli_kernel *k) {
    pnr_options options = pnr_options_default();
    options.seed = o->seed;
    options.pipeline = o->pipeline ? PNR_PIPELINE_EXHAUSTIVE : PNR_PIPELINE_NONE;
    options.timing = 1; /* a tenth more clock for 3 % more wire */
    double start = seconds_now();
    bool ok = pnr_place(&k->net, &k->board, &options, &s->mem, &s->diag, &k->design);
    k->times.place = seconds_now() - start;
    start = seconds_now();
    ok = ok && pnr_route_all(&k->design, &options, &s->mem, &s->diag);
    if (ok)
        balance(o, s, k);
    ok = ok && pnr_check(&k->design, &s->diag) && pnr_sta(&k->design, &s->mem, &s->diag, &k->timing);
    k->times.route = seconds_now() - start;
    return ok;
}

/* Encodes, then decodes what was written and compares it with the routed design: the proof that the words
 * mean it. */
static bool make_bitstream(const cli_options *o, cli_session *s, cli_kernel *k) {
    double start = seconds_now();
    bits_stream again;
    uint32_t unknown = 0;
    const char *path = arena_printf(&s->mem, "%s/bitstream.bs", o->out);
    bool ok = bits_map_read(&k->board, &s->mem, &s->diag, &k->map) &&
              bits_encode(&k->design, k->map, &s->mem, &s->diag, &k->bits) &&
              bits_write(&k->bits, path, &s->diag) && bits_read(path, &s->mem, &s->diag, &again) &&
              bits_decode(&again, &k->board, k->map, &s->names, &s->mem, &s->diag, &k->decoded_net,
                          &k->decoded, &unknown) &&
              bits_same(&k->decoded, &k->design, &s->diag);
    if (!ok)
        remove(path);
    k->times.bitstream = seconds_now() - start;
    return ok;
}

static bool write_netlist(const cli_options *o, cli_session *s, const netlist *n) {
    cJSON *json = net_to_json(n);
    bool ok = json_write(json, arena_printf(&s->mem, "%s/netlist.json", o->out), &s->diag);
    cJSON_Delete(json);
    return ok && pnr_write_packed(n, arena_printf(&s->mem, "%s/design.packed", o->out), &s->diag);
}

static bool write_design(const cli_options *o, cli_session *s, const pnr_design *d) {
    return pnr_write_place(d, arena_printf(&s->mem, "%s/design.place", o->out), &s->diag) &&
           pnr_write_route(d, arena_printf(&s->mem, "%s/design.route", o->out), &s->diag);
}

bool cli_compile(const cli_options *o, cli_session *s, cli_kernel *k) {
    if (!make_folder(o->out, &s->diag) || !cli_read_board(s, o->board, &k->board, &k->board_path))
        return false;
    k->tiling = (tile_options){.tile = o->tile, .mem_words = k->board.mem_words};
    return cli_compile_sam(o, true, s, k) && lower(o, s, k) && write_netlist(o, s, &k->net) &&
           place_and_route(o, s, k) && write_design(o, s, &k->design) && make_bitstream(o, s, k);
}
