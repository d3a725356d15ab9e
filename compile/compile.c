/* The compiler as a straight list of stages, a check after each. */
#include "compile/compile_int.h"

static bool dump_graph(const compile_kernel *k, const char *name, const sam_graph *g, compile_context *ctx) {
    file_out f;
    if (!k->folder)
        return true;
    if (!file_create(&f, arena_printf(ctx->mem, "%s/%s", k->folder, name), ctx->mem, ctx->diag))
        return false;
    sam_dump(g, f.stream);
    return file_commit(&f, ctx->diag);
}

/* Statements have no type: the graph's arithmetic gets the one that was asked for. */
static bool set_arithmetic(const compile_options *o, sam_graph *g) {
    for (uint32_t n = 0; n < g->nodes.len; n++) {
        sam_node_data *node = &g->nodes.at[n];
        bool computes = node->kind == SAM_ALU || node->kind == SAM_REDUCE ||
                        node->kind == SAM_VECTORREDUCER || (node->kind == SAM_CRDDROP && node->compress);
        node->fp = computes && o->dtype == TILE_DTYPE_BF16;
    }
    return true;
}

compile_options compile_options_of(const compile_options *o, const compile_kernel *k) {
    compile_options own = *o;
    own.out = k->folder;
    return own;
}

bool compile_lower_sam(const compile_options *o, bool chip, compile_context *ctx, const fe_kernel *kernel,
                       compile_kernel *k) {
    const fe_lower_options lower = {.drop = true, .exact_stops = !chip, .pad = chip};
    sam_statement expanded;
    sam_graph once;
    if (!fe_expand(kernel, ctx->mem, ctx->diag, &expanded))
        return false;
    expanded.tiled = chip; /* scanners run to the edge of a sub-tile */
    if (chip) {
        fe_separate(&expanded);
        fe_distribute(&expanded);
    }
    return fe_build(&expanded, &lower, ctx->mem, ctx->diag, &k->lowered.statement, &once) &&
           fe_unroll(kernel, &once, ctx->mem, ctx->diag, &k->lowered.sam) &&
           set_arithmetic(o, &k->lowered.sam) && sam_check(&k->lowered.sam, ctx->diag);
}

/* Kernel n of `cin`; of several each has a folder with the name of the tensor it writes. */
static bool lower_one(const compile_options *o, bool chip, compile_context *ctx, const fe_cin *cin,
                      uint32_t n, compile_kernel *k) {
    const sam_statement *kernel = &cin->kernels.at[n].s;
    k->folder = o->out;
    if (o->out && cin->kernels.len > 1)
        k->folder = arena_printf(ctx->mem, "%s/%s", o->out,
                                 names_text(ctx->names, sam_tensor_at(kernel, kernel->result)->name));
    return (!k->folder || make_folder(k->folder, ctx->diag)) &&
           compile_lower_sam(o, chip, ctx, &cin->kernels.at[n], k) &&
           dump_graph(k, "sam.gv", &k->lowered.sam, ctx);
}

/* What another kernel left in the folder must not stand beside what this one leaves. Results stay: they may
 * be operands now. */
static void clear_folder(const char *folder, arena *mem) {
    static const char *const names[] = {"report.json",  "command.json",  "view.html",    "bitstream.bs",
                                        "netlist.json", "design.packed", "design.place", "design.route",
                                        "sam.gv",       "sam_hw.gv",     "io.trace",     "waves.fst",
                                        "waves.gtkw"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        remove(arena_printf(mem, "%s/%s", folder, names[i]));
}

fe_in compile_frontend_input(const compile_options *o) {
    return (fe_in){.expression = o->expression,
                   .formats = o->formats.at,
                   .n_formats = o->formats.len,
                   .dimensions = o->dimensions.at,
                   .n_dimensions = o->dimensions.len,
                   .schedule = o->schedule.at,
                   .n_schedule = o->schedule.len,
                   .integers = o->dtype == TILE_DTYPE_INT16};
}

bool compile_to_graph(const compile_options *o, bool chip, compile_context *ctx, compile_kernel *k) {
    double start = seconds_now();
    const fe_in in = compile_frontend_input(o);
    fe_cin cin;
    text_vec chosen = {0};
    bool ok = fe_parse(&in, ctx->names, ctx->mem, ctx->diag, &k->user) && fe_check(&k->user, ctx->diag) &&
              compile_check_names(o, ctx, &k->user) && fe_schedule(&in, &k->user, ctx->mem, ctx->diag, &cin);
    if (ok && o->out && !o->again)
        clear_folder(o->out, ctx->mem);
    if (ok && chip)
        compile_choose(o, ctx, &in, k, &cin, &chosen);
    for (uint32_t n = 0; ok && n + 1 < cin.kernels.len; n++) {
        compile_kernel producer = {.user = cin.kernels.at[n].s,
                                   .choices.chosen = n < chosen.len ? chosen.at[n] : NULL};
        ok = lower_one(o, chip, ctx, &cin, n, &producer);
        vec_push(ctx->mem, &k->producers, producer);
    }
    k->choices.chosen = ok && chosen.len == cin.kernels.len ? chosen.at[chosen.len - 1] : NULL;
    ok = ok && lower_one(o, chip, ctx, &cin, cin.kernels.len - 1, k);
    k->times.frontend = seconds_now() - start;
    return ok;
}

/* Rewrites that keep the meaning: SAM graph to SAM graph. */
static bool make_hardware_legal(compile_context *ctx, compile_kernel *k) {
    sam_graph joined;
    return sam_to_binary_joiners(&k->lowered.sam, ctx->mem, ctx->diag, &joined) &&
           sam_remove_broadcasts(&joined, ctx->mem, ctx->diag, &k->lowered.hardware) &&
           sam_check(&k->lowered.hardware, ctx->diag) &&
           dump_graph(k, "sam_hw.gv", &k->lowered.hardware, ctx);
}

static uint32_t divide_up(uint32_t a, uint32_t b) {
    return (a + b - 1) / b;
}

/* How many of the kernel the board has tiles and streams for; `apart`: each in flush groups of its own, which
 * have a like share of everything. */
static uint32_t most_copies(const compile_options *o, const netlist *one, const pnr_board *board,
                            bool apart) {
    pnr_resource table[PNR_RESOURCES];
    uint32_t most = UINT32_MAX, groups = divide_up(board->width, board->flush_columns);
    pnr_count_resources(one, board, table);
    if (o->buffers > 1)
        pnr_own_tiles(board, table);
    for (int i = 0; i < PNR_RESOURCES; i++) {
        uint32_t need = table[i].need, have = table[i].have, fit = UINT32_MAX;
        if (need)
            fit = apart ? groups / divide_up(need * groups, have ? have : 1) : have / need;
        most = fit < most ? fit : most;
    }
    return most;
}

/* The kernel as often as asked for; more than fit is an error that says how many do. */
static bool unroll(const compile_options *o, compile_context *ctx, compile_kernel *k, const netlist *one) {
    uint32_t together = most_copies(o, one, &k->board, false), apart = most_copies(o, one, &k->board, true);
    uint32_t of_apart = !o->unroll ? apart : o->unroll <= apart ? o->unroll : 0;
    if (o->buffers > 1) /* the pattern of loads and stores is not made for groups: the user may try */
        of_apart = 0;
    if (!compile_choose_dispatch(o, ctx, k, o->unroll ? o->unroll : together, of_apart))
        return false;
    uint32_t most = k->array.dispatch.how == TILE_DISPATCH_DYNAMIC ? apart : together;
    k->array.copies = o->unroll ? o->unroll : most ? most : 1;
    k->array.apart = k->array.copies > 1 && k->array.dispatch.how == TILE_DISPATCH_DYNAMIC;
    if (!net_unroll(one, k->array.copies, ctx->mem, ctx->diag, &k->array.net))
        return false;
    const pnr_options rules = {.own_tiles = o->buffers > 1};
    if (pnr_fits(&k->array.net, &k->board, &rules, ctx->diag))
        return true;
    if (most)
        diag_note(ctx->diag, (src_loc){0}, "the most that fits is --unroll %u", most);
    return false;
}

static uint32_t widest_along(const compile_kernel *k, sam_var v) {
    return lower_widest(&k->lowered.hardware, sam_var_at(&k->lowered.statement, v)->name,
                        pnr_board_extended(&k->board));
}

enum { MOST_EDGE = 1 << 15 }; /* of --tile auto: the largest power of two in 16 bits */

static sam_var var_named(const sam_statement *st, name_id name) {
    for (uint32_t v = 0; v < st->vars.len; v++) {
        if (name_eq(st->vars.at[v].name, name))
            return (sam_var){v + 1};
    }
    return (sam_var){0};
}

/* Which coordinates of the result the graph drops: tiling counts what is left. */
static void note_droppers(compile_kernel *k) {
    for (uint32_t n = 0; n < k->lowered.sam.nodes.len; n++) {
        const sam_node_data *node = &k->lowered.sam.nodes.at[n];
        sam_var outer = var_named(&k->lowered.statement, node->outer),
                inner = var_named(&k->lowered.statement, node->inner);
        if (node->kind == SAM_CRDDROP && !node->compress && outer.v && inner.v)
            k->tiling.options.drops[outer.v - 1] = (uint8_t)inner.v;
    }
}

bool compile_pack_known(compile_context *ctx, compile_kernel *k) {
    bool known = true;
    if (k->data.packed.operand)
        return true;
    for (uint32_t t = 0; t < k->lowered.statement.tensors.len && known; t++) {
        const sam_tensor_data *tensor = &k->lowered.statement.tensors.at[t];
        name_id source = tensor->view.source.v ? tensor->view.source : tensor->name;
        known = t + 1 == k->lowered.statement.result.v || tensor->ones;
        for (uint32_t i = 0; i < k->data.operands.n && !known; i++)
            known = name_eq(k->data.operands.operand[i].name, source);
    }
    return !known ||
           tile_pack(&k->lowered.statement, &k->data.operands, ctx->mem, ctx->diag, &k->data.packed);
}

tile_driver compile_driver(const compile_kernel *k) {
    tile_driver by = {.ratio = host_cycles_ratio(&k->board)};
    lower_count_streams(&k->lowered.hardware, &by.loads, &by.stores);
    return by;
}

/* --tile auto, where all operands are the user's: those of a workspace are not there yet. What is chosen is
 * neither refused by lowering nor by capacity nor for deadlock: docs/tiling.md. */
static bool choose_tile(const compile_options *o, compile_context *ctx, compile_kernel *k) {
    uint32_t widest[TILE_MAX_VARS] = {0};
    if (!compile_pack_known(ctx, k))
        return false;
    if (!k->data.packed.operand)
        return true;
    if (o->engine != ENGINE_CYCLE && o->engine != ENGINE_RTL)
        k->tiling.options.driver = compile_driver(k);
    for (uint32_t l = 0; l < k->lowered.statement.loops.len; l++) {
        uint32_t most = widest_along(k, k->lowered.statement.loops.at[l]);
        widest[k->lowered.statement.loops.at[l].v - 1] = most < MOST_EDGE ? most : MOST_EDGE;
    }
    k->tiling.expected = tile_choose(&k->lowered.statement, &k->data.packed, &k->tiling.options, widest,
                                     ctx->mem, &k->tiling.candidates);
    memcpy(k->tiling.options.edge, k->tiling.expected.edge, sizeof k->tiling.options.edge);
    return true;
}

/* The default edge is not to be one that lowering refuses. */
static void limit_default(compile_kernel *k) {
    for (uint32_t l = 0; l < k->lowered.statement.loops.len && !k->tiling.options.tile; l++) {
        sam_var v = k->lowered.statement.loops.at[l];
        uint32_t most = widest_along(k, v);
        if (!k->tiling.options.edge[v.v - 1] &&
            tile_edge(&k->lowered.statement, &k->tiling.options, v) > most)
            k->tiling.options.edge[v.v - 1] = most;
    }
}

bool compile_lower(const compile_options *o, compile_context *ctx, compile_kernel *k) {
    double start = seconds_now();
    onyx_graph *graph = NULL;
    netlist one;
    bool ok = make_hardware_legal(ctx, k);
    lower_options options = {.extended = pnr_board_extended(&k->board)};
    note_droppers(k);
    if (ok && o->tile_auto && !choose_tile(o, ctx, k))
        return false;
    if (ok)
        limit_default(k);
    compile_lower_edges(ctx, k, &options);
    ok = ok && lower_run(&k->lowered.hardware, &options, ctx->mem, ctx->diag, &graph) &&
         lower_check(graph, ctx->diag) && lower_pack(graph, ctx->mem, ctx->diag, &one) &&
         unroll(o, ctx, k, &one);
    k->times.lower = seconds_now() - start;
    return ok;
}

/* Gives joins' short branches the room that balances them: pairs hold two tokens each. */
static void balance(const compile_options *o, compile_context *ctx, compile_kernel *k) {
    enum { MOST_PAIRS = 3 }; /* six: 2 % fewer cycles, twice as many words to configure */
    net_shortage_vec shortages = {0};
    if (!o->pipeline || !o->balance)
        return;
    net_balance(&k->array.net, ctx->mem, &shortages);
    pnr_want *want = arena_new_n(ctx->mem, pnr_want, shortages.len + 1);
    for (uint32_t i = 0; i < shortages.len; i++) {
        const net_shortage *short_of = &shortages.at[i];
        uint32_t pairs = (short_of->tokens + 1) / 2;
        want[i] = (pnr_want){short_of->net, short_of->sink, pairs < MOST_PAIRS ? pairs : MOST_PAIRS};
    }
    pnr_stretch(&k->array.design, want, shortages.len, ctx->mem);
}

/* By cell: its copy of the kernel, which has a flush of its own. */
static const uint32_t *flush_by_copy(compile_context *ctx, const netlist *n) {
    uint32_t *flush = arena_new_n(ctx->mem, uint32_t, n->cells.len + 1);
    for (uint32_t c = 0; c < n->cells.len; c++)
        flush[c] = n->cells.at[c].copy;
    return flush;
}

/* Whether the FIFOs suffice, with the pairs that the routes have. */
static void find_deadlock(compile_context *ctx, compile_kernel *k) {
    const uint32_t **extra = arena_new_n(ctx->mem, const uint32_t *, k->array.net.nets.len + 1);
    for (uint32_t i = 0; i < k->array.net.nets.len; i++) {
        const pnr_route *r = &k->array.design.route.at[i];
        uint32_t *tokens = arena_new_n(ctx->mem, uint32_t, r->sinks.len + 1);
        for (uint32_t sink = 0; sink < r->sinks.len; sink++)
            tokens[sink] = 2 * pnr_pairs_to(r, sink);
        extra[i] = tokens;
    }
    net_deadlock(&k->array.net, extra, ctx->mem, &k->array.liveness);
}

static bool place_and_route(const compile_options *o, compile_context *ctx, compile_kernel *k) {
    pnr_options options = pnr_options_default();
    options.seed = o->seed;
    options.pipeline = o->pipeline ? PNR_PIPELINE_EXHAUSTIVE : PNR_PIPELINE_NONE;
    options.own_tiles = o->buffers > 1;
    options.flush = k->array.apart ? flush_by_copy(ctx, &k->array.net) : NULL;
    options.timing = 1; /* a tenth more clock for 3 % more wire */
    double start = seconds_now();
    compile_stage(ctx, "placing", 0);
    bool ok = pnr_place(&k->array.net, &k->board, &options, ctx->mem, ctx->diag, &k->array.design);
    k->times.place = seconds_now() - start;
    start = seconds_now();
    compile_stage(ctx, "routing", 0);
    ok = ok && pnr_route_all(&k->array.design, &options, ctx->mem, ctx->diag);
    if (ok)
        balance(o, ctx, k);
    ok = ok && pnr_check(&k->array.design, ctx->diag) &&
         pnr_sta(&k->array.design, ctx->mem, ctx->diag, &k->array.timing);
    if (ok && o->deadlock != REPORT_OFF)
        find_deadlock(ctx, k);
    k->times.route = seconds_now() - start;
    return ok;
}

/* Encodes, then decodes what was written and compares it with the routed design: the proof that the words
 * mean it. */
static bool make_bitstream(const compile_options *o, compile_context *ctx, compile_kernel *k) {
    double start = seconds_now();
    bits_stream again;
    uint32_t unknown = 0;
    const char *path = arena_printf(ctx->mem, "%s/bitstream.bs", o->out);
    bool ok = bits_map_read(&k->board, ctx->mem, ctx->diag, &k->bits.map) &&
              bits_encode(&k->array.design, k->bits.map, ctx->mem, ctx->diag, &k->bits.stream) &&
              bits_write(&k->bits.stream, path, ctx->diag) && bits_read(path, ctx->mem, ctx->diag, &again) &&
              bits_decode(&again, &k->board, k->bits.map, ctx->names, ctx->mem, ctx->diag,
                          &k->bits.decoded_net, &k->bits.decoded, &unknown) &&
              bits_same(&k->bits.decoded, &k->array.design, ctx->diag);
    if (!ok)
        remove(path);
    k->times.bitstream = seconds_now() - start;
    return ok;
}

static bool write_netlist(const compile_options *o, compile_context *ctx, const netlist *n) {
    cJSON *json = net_to_json(n);
    bool ok = json_write(json, arena_printf(ctx->mem, "%s/netlist.json", o->out), ctx->diag);
    cJSON_Delete(json);
    return ok && pnr_write_packed(n, arena_printf(ctx->mem, "%s/design.packed", o->out), ctx->diag);
}

static bool write_design(const compile_options *o, compile_context *ctx, const pnr_design *d) {
    return pnr_write_place(d, arena_printf(ctx->mem, "%s/design.place", o->out), ctx->diag) &&
           pnr_write_route(d, arena_printf(ctx->mem, "%s/design.route", o->out), ctx->diag);
}

bool compile_check_deadlock(const compile_options *o, compile_context *ctx, const compile_kernel *k,
                            uint32_t longest) {
    return o->deadlock == REPORT_OFF || net_deadlock_report(&k->array.net, &k->array.liveness, longest,
                                                            o->deadlock == REPORT_WARN, ctx->diag);
}

static bool compile_one(const compile_options *all, compile_context *ctx, compile_kernel *k) {
    const compile_options own = compile_options_of(all, k), *o = &own;
    return compile_lower(o, ctx, k) && write_netlist(o, ctx, &k->array.net) && place_and_route(o, ctx, k) &&
           write_design(o, ctx, &k->array.design) && make_bitstream(o, ctx, k);
}

/* Where the data decide, or are needed anyway: a mistake in them shows before anything is placed. onyx
 * compile may have no operands, and does without them where it can. */
static bool wants_operands(const compile_options *o, const compile_kernel *k) {
    uint32_t sources = o->inputs.len + o->generators.len + o->given.len;
    return o->runs || o->tile_auto ||
           (o->dispatch_auto && o->unroll != 1 && sources + 1 >= k->user.tensors.len);
}

bool compile_to_bitstream(const compile_options *o, compile_context *ctx, compile_kernel *k) {
    if (!pnr_board_set_profile(&k->board, o->profile, ctx->diag))
        return false;
    bool ok = compile_to_graph(o, true, ctx, k) && compile_set_tiling(o, ctx, k) &&
              (!wants_operands(o, k) || compile_read_operands(o, ctx, k, &k->data.operands));
    for (uint32_t n = 0; ok && n < k->producers.len; n++) {
        compile_kernel *p = &k->producers.at[n];
        p->board = k->board;
        p->board_path = k->board_path;
        p->data.operands = k->data.operands;
        ok = compile_one(o, ctx, p);
    }
    ok = ok && compile_one(o, ctx, k);
    if (!ok && k->choices.way_out)
        diag_note(ctx->diag, (src_loc){0}, "the chip does it in several kernels: -s \"%s\"",
                  k->choices.way_out);
    return ok;
}
