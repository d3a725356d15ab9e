/* The compiler as a straight list of passes, a check after each. What a pass reads are its parameters, and
 * what it makes is its result. */
#include "compile/compile.h"
#include "autoschedule/blocks.h"
#include "autoschedule/parts.h"
#include "compile/retry.h"
#include "frontend/match.h"
#include "graphs/graphs.h"
#include "kernel/array.h"
#include "kernel/dispatch.h"
#include "kernel/edges.h"
#include "kernel/folder.h"
#include "kernel/formats.h"
#include "kernel/functions.h"
#include "kernel/lower.h"
#include "kernel/operands.h"
#include "kernel/processor.h"
#include "kernel/route.h"
#include "kernel/stand_in.h"
#include "kernel/workspace.h"
#include "sam/operators.h"

bool compile_frontend_input(const compile_options *o, compile_context *ctx, fe_in *out) {
    text_vec formats = {0}, names = {0};
    if (!compile_scanned_formats(o, ctx, &formats, &names) || !compile_read_functions(o, o->expression, ctx))
        return false;
    *out = (fe_in){.expression = o->expression,
                   .formats = formats.at,
                   .n_formats = formats.len,
                   .format_names = names.at,
                   .dimensions = o->dimensions.at,
                   .n_dimensions = o->dimensions.len,
                   .fills = o->fills.at,
                   .n_fills = o->fills.len,
                   .semiring = o->semiring,
                   .functions = ctx->functions,
                   .schedule = o->schedule.at,
                   .n_schedule = o->schedule.len,
                   .integers = o->dtype == TILE_DTYPE_INT16,
                   .keeps_absent = o->keeps_absent};
    return true;
}

/* ---- kernels ----------------------------------------------------------------------------------- */

/* These count and number all kernels of a program, in the order in which they run: those that fill
 * workspaces, then the last one. */
static uint32_t count_kernels(const compile_kernel *last) {
    return last->producers.len + 1;
}
static compile_kernel *kernel_at(compile_kernel *last, uint32_t n) {
    return n < last->producers.len ? &last->producers.at[n] : last;
}

/* Returns where in a folder of the program the files of the statement belong. */
static const char *home_of(const compile_options *o, compile_context *ctx, const char *folder) {
    return o->within && folder ? compile_kernel_folder(folder, o->within, ctx->mem) : folder;
}

/* Loads the function that is bound, and how its calls compute the kernel: bind found out that they do. */
static bool load_calls(compile_context *ctx, const fe_kernel *bound, sam_binding *out) {
    const char *name = names_text(ctx->names, bound->binding.function);
    const fe_user_function *f = fe_function_named(ctx->functions, name);
    BUG_IF(!f || fe_match(bound, f, ctx->mem, out).step != FE_MATCHED,
           "%s no longer computes what it is bound to", name);
    const bool ok =
        fe_load_described(f->described, sam_tensor_at(&bound->s, bound->s.result)->loc, ctx->diag);
    out->call = f->described->arrays;
    out->on_processor = f->described->on_processor;
    return ok;
}

/* Makes a kernel of each of the schedule's. Where there are several, each has a folder with the name of the
 * tensor that it writes. */
static bool begin_kernels(const compile_options *o, compile_context *ctx, const compile_schedule *schedule,
                          compile_kernel *last) {
    const fe_cin *cin = &schedule->cin;
    const char *home = home_of(o, ctx, ctx->partial), *place = home_of(o, ctx, o->out);
    bool ok = true;
    for (uint32_t n = 1; n < cin->kernels.len; n++)
        vec_push(ctx->mem, &last->producers,
                 (compile_kernel){.board_path = last->board_path, .user = cin->kernels.at[n - 1].s});
    for (uint32_t n = 0; ok && n < cin->kernels.len; n++) {
        compile_kernel *k = kernel_at(last, n);
        const fe_kernel *bound = &cin->kernels.at[n];
        const sam_statement *st = &bound->s;
        k->board = last->board;
        k->on_host = bound->on_host;
        if (k->on_host)
            k->lowered.statement = *st;
        k->given = schedule->given ? schedule->given[n] : NULL;
        if (n < schedule->tilings.len && !k->given)
            k->tiling = schedule->tilings.at[n];
        k->choices.chosen = n < schedule->chosen.len ? schedule->chosen.at[n] : NULL;
        k->choices.dense = schedule->dense;
        k->folder = home;
        k->place = place;
        ok = !k->on_host || !bound->binding.function.v || load_calls(ctx, bound, &k->calls);
        if (ok && k->on_host)
            compile_find_calls(ctx, k);
        if (o->out && cin->kernels.len > 1 && (!k->on_host || k->on_processor)) {
            const char *result = names_text(ctx->names, sam_tensor_at(st, st->result)->name);
            k->folder = compile_kernel_folder(home, result, ctx->mem);
            k->place = compile_kernel_folder(place, result, ctx->mem);
        }
        ok = ok && (!k->folder || make_folder(k->folder, ctx->diag));
    }
    last->choices.staged = schedule->staged;
    return ok;
}

/* What is said of a kernel alone stands in its own options. */
static const compile_options *options_of(const compile_options *o, const compile_kernel *k) {
    return k->given ? &k->given->options : o;
}

/* What the options say of the sub-tiles of each. */
static bool set_tiling(const compile_options *o, compile_context *ctx, compile_kernel *last) {
    const sam_statement **all = arena_new_n(ctx->mem, const sam_statement *, count_kernels(last));
    for (uint32_t n = 0; n < count_kernels(last); n++) {
        compile_kernel *k = kernel_at(last, n);
        if (!k->on_host)
            k->tiling.options = compile_tiling_of(options_of(o, k), &last->board, &k->lowered);
        if (k->tiling.expected.edge) {
            memcpy(k->tiling.options.edge, k->tiling.expected.edge, sizeof k->tiling.options.edge);
            k->tiling.options.in_turn |= k->tiling.expected.in_turn;
            k->tiling.options.stored |= k->tiling.expected.stored;
        }
        all[k == last ? 0 : n + 1] = &k->lowered.statement;
    }
    return compile_check_loops(o, ctx, all, count_kernels(last));
}

static name_id user_name(const sam_tensor_data *t) {
    return t->called.v ? t->called : t->name;
}

/* Several operands may be made of one tensor of the user's. */
static bool has_all_sources(const compile_options *o, const sam_statement *user) {
    uint32_t wanted = 0;
    for (uint32_t t = 0; t < user->tensors.len; t++) {
        bool again = t + 1 == user->result.v;
        for (uint32_t before = 0; before < t && !again; before++)
            again = before + 1 != user->result.v &&
                    name_eq(user_name(&user->tensors.at[before]), user_name(&user->tensors.at[t]));
        wanted += !again;
    }
    return o->inputs.len + o->generators.len + o->given.len >= wanted;
}

/* A schedule may ask how far a loop runs, and so may rows (frontend/rows.h), which the operands say, if they
 * are there. */
static bool read_scheduled_operands(const compile_options *o, compile_context *ctx, compile_kernel *k) {
    return !(o->schedule.len || k->user.general) || !has_all_sources(o, &k->user) ||
           compile_read_operands(o, ctx, &k->user, &k->data);
}

/* Where the data decide, or are needed anyway: a mistake in them shows before anything is placed. onyx
 * compile may have no operands, and does without them where it can. */
static bool read_wanted_operands(const compile_options *o, compile_context *ctx, compile_kernel *last) {
    bool matters = o->optimize || (o->dispatch_auto && o->unroll != 1);
    bool wanted = o->runs || o->tile_auto || (matters && has_all_sources(o, &last->user));
    if (wanted && !compile_read_operands(o, ctx, &last->user, &last->data))
        return false;
    for (uint32_t n = 0; n < last->producers.len; n++)
        last->producers.at[n].data.operands = last->data.operands;
    return true;
}

/* What the data decide before there are kernels. */
static bool choose_by_data(const compile_options *o, compile_context *ctx, const compile_choosing *open,
                           compile_kernel *k, compile_schedule *s) {
    bool on_host = false;
    for (uint32_t n = 0; n < s->cin.kernels.len; n++)
        on_host = on_host || s->cin.kernels.at[n].on_host;
    const bool apart = o->parts == COMPILE_PARTS_APART;
    if ((o->statement && !o->exact) || !(apart || compile_edges_open(o)) ||
        !(o->runs || has_all_sources(o, &k->user)))
        return true;
    if (!compile_read_operands(o, ctx, &k->user, &k->data))
        return false;
    const compile_search_in by = {.options = o, .board = &k->board, .data = &k->data};
    if (on_host) {
        compile_options closed = *o;
        closed.optimize = 0;
        if (!o->schedule.len && !apart)
            compile_choose_beside_host(&by, ctx, open, s);
        return compile_say_repacked(&closed, ctx, &k->user, &k->data);
    }
    if (apart && !o->statement)
        return compile_choose_parts(&by, ctx, open, s);
    compile_choose_by_data(&by, ctx, open, s);
    return o->statement || compile_choose_rewritten(&by, ctx, open, s) ||
           (compile_choose_blocks(&by, ctx, open, s) && compile_choose_parts(&by, ctx, open, s));
}

/* Binds a part to a function, if that is asked for and one computes it. */
static bool choose_bindings(const compile_options *o, compile_context *ctx, const compile_choosing *open,
                            compile_kernel *k, compile_schedule *s, bool *bound) {
    if (o->schedule.len || o->statement) {
        diag_error(ctx->diag, (src_loc){0}, "E0903-option-value", "--search finds a schedule, and %s",
                   o->statement ? "statements of a program have none" : "there is one");
        return false;
    }
    if (!compile_read_operands(o, ctx, &k->user, &k->data))
        return false;
    fe_in in = *open->in;
    in.extents = k->data.extent;
    const compile_choosing with = {&in, open->user, open->board, NULL};
    const compile_search_in by = {.options = o, .board = &k->board, .data = &k->data};
    *bound = compile_choose_bindings(&by, ctx, &with, s, &k->choices.bindings);
    return true;
}

/* ---- the passes -------------------------------------------------------------------------------- */

/* Takes note of the kernels. Returns false where they have been refused before. */
static bool are_untried(const compile_options *o, compile_context *ctx, const fe_cin *cin,
                        compile_choices *choices) {
    text_out text;
    text_begin(&text);
    fe_cin_dump(cin, text.stream);
    choices->kernels = text_end(&text, ctx->mem);
    choices->tried = o->refused && strcmp(o->refused, choices->kernels) == 0;
    return !choices->tried;
}

/* Seconds since the last call, or since *since. */
static double lap(double *since) {
    double before = *since;
    *since = seconds_now();
    return *since - before;
}

bool compile_to_graph(const compile_options *o, bool chip, compile_context *ctx, compile_kernel *k) {
    if (compile_is_graph(o->expression))
        return compile_graph_kernel(o, chip, ctx, k) && compile_check_names(o, ctx, &k->user);
    double clock = seconds_now();
    fe_in in = {0};
    const compile_choosing open = {&in, &k->user, chip ? &k->board : NULL, &k->data};
    compile_schedule s = {0};
    if (o->statement)
        k->user = *o->statement;
    bool ok = compile_begin_partial(o, ctx) && compile_frontend_input(o, ctx, &in) &&
              (o->statement || fe_parse(&in, ctx->names, ctx->mem, ctx->diag, &k->user)) &&
              fe_check(&k->user, ctx->diag) && compile_check_names(o, ctx, &k->user) &&
              read_scheduled_operands(o, ctx, k);
    in.extents = o->schedule.len ? k->data.extent : NULL;
    ok = ok && fe_schedule(&in, &k->user, ctx->mem, ctx->diag, &s.cin) &&
         compile_dump(o, ctx, home_of(o, ctx, ctx->partial), (compile_form){.statement = &k->user}) &&
         compile_dump(o, ctx, home_of(o, ctx, ctx->partial), (compile_form){.coordinates = &k->user});
    bool bound = false;
    if (ok && chip && s.cin.kernels.len == 1)
        k->choices.as_written = compile_workspace_as_written(&s.cin.kernels.at[0], ctx->mem);
    if (ok && o->search)
        ok = choose_bindings(o, ctx, &open, k, &s, &bound);
    if (ok && !bound && (chip || sam_fiber_function_in(&k->user, k->user.rhs)))
        compile_choose(o, ctx, &open, &s);
    if (ok && !bound && chip)
        ok = choose_by_data(o, ctx, &open, k, &s);
    ok = ok && compile_dump(o, ctx, home_of(o, ctx, ctx->partial), (compile_form){.cin = &s.cin}) &&
         are_untried(o, ctx, &s.cin, &k->choices) && compile_stand_in(o, ctx, &s) &&
         begin_kernels(o, ctx, &s, k);
    for (uint32_t n = 0; ok && n < count_kernels(k); n++) {
        compile_kernel *one = kernel_at(k, n);
        if (one->on_host)
            continue;
        one->source = &s.cin.kernels.at[n];
        ok = compile_lower_sam(options_of(o, one), chip, ctx, one->source, &one->lowered) &&
             compile_write_graph(ctx, one->folder, "sam.gv", &one->lowered.sam) &&
             compile_dump(o, ctx, one->folder, (compile_form){.sam = &one->lowered.sam});
    }
    k->times.frontend = lap(&clock);
    return ok;
}

/* Makes the array of a kernel, for the cycle model: nothing is checked or written. */
static bool to_array(const compile_options *o, compile_context *ctx, compile_kernel *k) {
    compile_array *a = &k->array;
    onyx_graph *graph;
    netlist one;
    const compile_copied copied = {&k->board, &k->lowered, &one, &k->data, &k->tiling};
    if (!compile_choose_edges(o, ctx, &k->board, &k->lowered, &k->data, &k->tiling) ||
        !compile_lower_onyx(ctx, &k->lowered, &k->tiling.options, pnr_board_extended(&k->board), &graph) ||
        !lower_pack(graph, ctx->mem, ctx->diag, &one) || !compile_make_copies(o, ctx, &copied, a))
        return false;
    const pnr_options how = compile_pnr_options(o, ctx, a, &k->board);
    return pnr_place(&a->net, &k->board, &how, ctx->mem, ctx->diag, &a->design) &&
           pnr_route_all(&a->design, &how, ctx->mem, ctx->diag) && compile_balance(o, ctx, a) &&
           bits_map_read(&k->board, ctx->mem, ctx->diag, &k->bits.map);
}

/* Edges, and how many copies there is room for, which is chosen with them. */
static bool choose_edges(const compile_options *o, compile_context *ctx, compile_kernel *k) {
    if (compile_edges_open(o))
        compile_find_room(o, ctx, &k->board, &k->lowered, &k->tiling);
    if (!compile_choose_edges(o, ctx, &k->board, &k->lowered, &k->data, &k->tiling))
        return false;
    if (o->optimize < 2 || !compile_edges_open(o) || !k->data.packed.operand || k->tiling.candidates.len < 2)
        return true;
    compile_stage(ctx, "measuring what is expected to be best", 0);
    compile_measure(o, ctx, k, to_array);
    return compile_choose_edges(o, ctx, &k->board, &k->lowered, &k->data, &k->tiling);
}

/* Compiles one kernel from its graph on. */
static bool to_bitstream(const compile_options *all, compile_context *ctx, compile_kernel *k) {
    const compile_options *o = options_of(all, k);
    const bool at_hand = k->given && !k->given->emit;
    compile_array *a = &k->array;
    const tile_options *edges = &k->tiling.options;
    const bool extended = pnr_board_extended(&k->board);
    onyx_graph *graph;
    netlist one;
    const compile_copied copied = {&k->board, &k->lowered, &one, &k->data, &k->tiling};
    double clock = seconds_now();
    bool ok = compile_make_legal(ctx, &k->lowered) &&
              compile_write_graph(ctx, k->folder, "sam_hw.gv", &k->lowered.hardware) &&
              compile_dump(o, ctx, k->folder, (compile_form){.sam_hw = &k->lowered.hardware}) &&
              choose_edges(o, ctx, k) && compile_lower_onyx(ctx, &k->lowered, edges, extended, &graph) &&
              compile_dump(o, ctx, k->folder, (compile_form){.onyx = graph}) &&
              lower_pack(graph, ctx->mem, ctx->diag, &one) && compile_make_copies(o, ctx, &copied, a) &&
              compile_dump(o, ctx, k->folder, (compile_form){.netlist = &a->net}) &&
              compile_write_netlist(ctx, k->folder, &a->net);
    k->times.lower = lap(&clock);
    ok = ok && (at_hand ? compile_take_design(ctx, k) : compile_route(o, ctx, &k->board, a, &k->times)) &&
         compile_find_deadlock(o, ctx, a) && compile_dump(o, ctx, k->folder, (compile_form){.timing = a}) &&
         compile_write_design(ctx, k->folder, &a->design);
    lap(&clock);
    ok = ok && (at_hand ? compile_take_bits(ctx, k) : compile_encode(ctx, k->folder, &a->design, &k->bits)) &&
         (at_hand || !k->given || compile_emit(ctx, k));
    k->times.bitstream = lap(&clock);
    return ok;
}

bool compile_to_bitstream(const compile_options *o, compile_context *ctx, compile_kernel *k) {
    return compile_retrying(o, ctx, k, compile_to_bitstream_once);
}

bool compile_to_bitstream_once(const compile_options *o, compile_context *ctx, compile_kernel *k) {
    return compile_take_folder(ctx, o->out) && compile_read_board(ctx, o->board, &k->board, &k->board_path) &&
           pnr_board_set_profile(&k->board, o->profile, ctx->diag) && compile_statement(o, ctx, k);
}

bool compile_statement(const compile_options *o, compile_context *ctx, compile_kernel *k) {
    bool ok = compile_to_graph(o, true, ctx, k) && set_tiling(o, ctx, k) && read_wanted_operands(o, ctx, k);
    for (uint32_t n = 0; ok && n < count_kernels(k); n++)
        ok = kernel_at(k, n)->on_host || to_bitstream(o, ctx, kernel_at(k, n));
    for (uint32_t n = 0; ok && !o->statement && n < count_kernels(k); n++) {
        if (!kernel_at(k, n)->on_host)
            compile_find_freed(o, ctx, k, kernel_at(k, n));
    }
    return ok;
}
