/* The passes of a whole statement: from the expression to kernels as loops; their edges and operands. */
#include "autoschedule/autoschedule.h"
#include "compile/passes.h"
#include "frontend/functions/functions.h"
#include "frontend/language/language.h"
#include "frontend/lowering/lowering.h"
#include "frontend/schedules/schedules.h"
#include "graphs/graphs.h"
#include "kernel/edges.h"
#include "kernel/formats.h"
#include "kernel/functions.h"
#include "kernel/gather.h"
#include "kernel/lower.h"
#include "kernel/operands.h"
#include "kernel/prebuilt.h"
#include "kernel/processor.h"
#include "kernel/trial.h"
#include "kernel/workspace.h"
#include "sam/operators.h"
#include "tiling/fills.h"

/* ---- the expression ----------------------------------------------------------------------------- */

/* Returns the fills: by --fill, else by the operand's file. */
static text_vec stated_fills(const compile_options *o, compile_context *ctx) {
    text_vec fills = {0};
    for (uint32_t i = 0; i < o->written.fills.len; i++) {
        if (!compile_is_gathered(ctx, o->written.fills.at[i]))
            vec_push(ctx->mem, &fills, o->written.fills.at[i]);
    }
    for (uint32_t i = 0; i < o->tensors.inputs.len; i++) {
        const char *path = strchr(o->tensors.inputs.at[i], ':');
        const char *name =
            path ? arena_strndup(ctx->mem, o->tensors.inputs.at[i], (size_t)(path - o->tensors.inputs.at[i]))
                 : "";
        bool said = !path || compile_argument_for(&o->written.fills, name);
        said = said || compile_is_gathered(ctx, o->tensors.inputs.at[i]);
        const char *fill = said ? NULL : tile_stated_fill(path + 1, ctx->mem);
        if (fill)
            vec_push(ctx->mem, &fills, arena_printf(ctx->mem, "%s:%s", name, fill));
    }
    return fills;
}

bool compile_frontend_input(const compile_options *o, compile_context *ctx, fe_in *out) {
    text_vec formats = {0}, names = {0};
    compile_scans scans = {0};
    if (!compile_scanned_formats(o, ctx, &formats, &names, &scans) ||
        !compile_read_functions(o, o->written.expression, ctx))
        return false;
    const text_vec fills = stated_fills(o, ctx);
    const bool ideal = o->target.engine == ENGINE_SAM && o->sam.timing == SAM_TIMING_IDEAL;
    *out = (fe_in){.expression = o->written.expression,
                   .typed = o->written.typed,
                   .formats = formats.at,
                   .n_formats = formats.len,
                   .format_names = names.at,
                   .dimensions = o->written.dimensions.at,
                   .n_dimensions = o->written.dimensions.len,
                   .fills = fills.at,
                   .n_fills = fills.len,
                   .semiring = o->written.semiring,
                   .functions = ctx->functions,
                   .schedule = o->written.schedule.at,
                   .n_schedule = o->written.schedule.len,
                   .integers = o->tensors.dtype == TILE_DTYPE_INT16,
                   .scales = o->tensors.scaled,
                   .leaps = ideal,
                   .scans = ideal && !o->sam.memory ? scans.at : NULL, /* sub-tiles have no such levels */
                   .singles = o->written.singles,
                   .n_singles = o->written.n_singles,
                   .keeps_absent = o->tried.keeps_absent};
    return true;
}

bool pass_run_read(compile_passing *p) {
    const compile_options *o = p->o;
    if (!compile_begin_partial(o, p->ctx) || !compile_frontend_input(o, p->ctx, &p->in))
        return false;
    if (!o->asked.statement)
        return fe_parse(&p->in, p->ctx->names, p->ctx->mem, p->ctx->diag, &p->all->user) ||
               compile_propose_functions(p->ctx);
    p->all->user = *o->asked.statement;
    return true;
}

bool pass_check_read(const compile_passing *p) {
    return fe_check(&p->all->user, p->ctx->diag) && compile_check_names(p->o, p->ctx, &p->all->user);
}

bool pass_run_graph(compile_passing *p) {
    return compile_graph_kernel(p->o, p->chip, p->ctx, p->all);
}

bool pass_check_graph(const compile_passing *p) {
    return sam_check(&p->all->lowered.sam, p->ctx->diag) && compile_check_names(p->o, p->ctx, &p->all->user);
}

/* ---- the schedule, and choices ---------------------------------------------------------------------- */

/* Several operands may come from a single tensor of the user. */
static bool has_all_sources(const compile_options *o, const compile_context *ctx, const sam_statement *user) {
    uint32_t wanted = compile_count_gathered(ctx, user);
    for (uint32_t t = 0; t < user->tensors.len; t++) {
        bool again = t + 1 == user->result.v;
        for (uint32_t before = 0; before < t && !again; before++)
            again = before + 1 != user->result.v &&
                    name_eq(sam_user_name(&user->tensors.at[before]), sam_user_name(&user->tensors.at[t]));
        wanted += !again;
    }
    return o->tensors.inputs.len + o->tensors.generators.len + o->tensors.in_memory.len >= wanted;
}

/* Returns whether the statement may be a sum of bfloat16 to one value, which is cut into rows. */
static bool may_have_rows(const sam_statement *s) {
    return s->general || (!s->integers && !sam_tensor_at(s, s->result)->order);
}

/* A schedule, rows (frontend/lowering/rows.h) and operations with tables may need the extent of a loop, known
 * from the operands if these are given. */
static bool read_scheduled_operands(const compile_options *o, compile_context *ctx, compile_kernel *k) {
    return !(o->written.schedule.len || may_have_rows(&k->user) || compile_may_have_tables(&k->user)) ||
           !has_all_sources(o, ctx, &k->user) || compile_read_operands(o, ctx, &k->user, &k->data);
}

/* A trial: every sum inside of the expression has its loops inside of the loops around it, or may move there.
 */
static bool sums_nest(compile_context *ctx, void *of) {
    const compile_passing *p = of;
    const fe_kernel *kernel = &p->schedule.cin.kernels.at[0];
    sam_statement s;
    compile_lowered lowered;
    return !fe_expand(kernel, ctx->mem, ctx->diag, &s) || fe_nest_sums(&s, ctx->mem, ctx->diag) ||
           compile_lower_sam(p->o, p->chip, ctx, kernel, &lowered);
}

/* Gives a workspace to each sum whose loops the schedule puts outside of loops around it: the kernel has
 * whole loops then. */
static bool stage_sums(compile_passing *p) {
    arena *mem = p->ctx->mem;
    const fe_kernel *asked = &p->schedule.cin.kernels.at[0];
    const src_loc at = fe_first_command(asked);
    if (p->schedule.cin.kernels.len > 1 || asked->on_host || compile_try(p->ctx, sums_nest, p).works)
        return true;
    fe_kernel whole;
    fe_in in = p->in;
    fe_cin staged;
    fe_loosen(asked, true, mem, &whole);
    const char *workspaces = fe_staged(&whole, FE_STAGE_PARTIAL_SUMS, mem);
    in.schedule = &workspaces;
    in.n_schedule = 1;
    in.extents = NULL; /* the kernel's variables have them */
    if (!workspaces || !fe_schedule(&in, &whole.s, mem, p->ctx->diag, &staged))
        return true; /* the kernel's lowering has the refusal */
    p->schedule.cin = staged;
    diag_note(p->ctx->diag, at, "sums whose loops are outside have a kernel each: %s", workspaces);
    return true;
}

bool pass_run_schedule(compile_passing *p) {
    compile_kernel *k = p->all;
    if (!read_scheduled_operands(p->o, p->ctx, k))
        return false;
    p->in.extents = p->o->written.schedule.len ? k->data.extent : NULL;
    if (!fe_schedule(&p->in, &k->user, p->ctx->mem, p->ctx->diag, &p->schedule.cin) || !stage_sums(p))
        return false;
    if (p->chip && p->schedule.cin.kernels.len == 1)
        k->choices.as_written = compile_workspace_as_written(&p->schedule.cin.kernels.at[0], p->ctx->mem);
    return true;
}

bool pass_check_schedule(const compile_passing *p) {
    return fe_cin_check(&p->schedule.cin, p->ctx->diag);
}

/* Returns the inputs of the choices. */
static compile_choosing choosing_of(const compile_passing *p) {
    return (compile_choosing){&p->in, &p->all->user, p->chip ? &p->all->board : NULL, &p->all->data};
}

/* Choices by the data before kernels exist. */
static bool choose_by_data(const compile_options *o, compile_context *ctx, const compile_choosing *open,
                           compile_kernel *k, compile_schedule *s) {
    bool on_host = false;
    for (uint32_t n = 0; n < s->cin.kernels.len; n++)
        on_host = on_host || s->cin.kernels.at[n].on_host;
    const bool apart = o->cutting.parts == COMPILE_PARTS_APART;
    if ((o->asked.statement && !o->asked.exact) || !(apart || compile_choices_open(o)) ||
        !(o->running.executes || has_all_sources(o, ctx, &k->user)))
        return true;
    if (!compile_read_operands(o, ctx, &k->user, &k->data))
        return false;
    const compile_search_in by = {.options = o, .board = &k->board, .data = &k->data};
    if (on_host) {
        compile_options closed = *o;
        closed.optimize = 0;
        if (!o->written.schedule.len && !apart)
            compile_choose_host_overlap(&by, ctx, open, s);
        return compile_say_repacked(&closed, ctx, &k->user, &k->data);
    }
    if (apart && !o->asked.statement)
        return compile_choose_parts(&by, ctx, open, s);
    compile_choose_by_data(&by, ctx, open, s);
    return o->asked.statement || compile_choose_rewritten(&by, ctx, open, s) ||
           (compile_choose_blocks(&by, ctx, open, s) && compile_choose_parts(&by, ctx, open, s));
}

/* Binds a subexpression to a function, if --search is given and a function computes the subexpression. */
bool pass_run_bind(compile_passing *p) {
    const compile_options *o = p->o;
    compile_context *ctx = p->ctx;
    compile_kernel *k = p->all;
    if (!o->written.search)
        return true;
    if (o->written.schedule.len || o->asked.statement)
        return diag_error(ctx->diag, (src_loc){0}, "E0903-option-value", "--search finds a schedule, and %s",
                          o->asked.statement ? "statements of a program have none" : "there is one");
    if (!compile_read_operands(o, ctx, &k->user, &k->data))
        return false;
    fe_in in = p->in;
    compile_choosing with = choosing_of(p);
    in.extents = k->data.extent;
    with.in = &in;
    with.data = NULL;
    const compile_search_in by = {.options = o, .board = &k->board, .data = &k->data};
    p->bound = compile_choose_bindings(&by, ctx, &with, &p->schedule, &k->choices.bindings);
    return true;
}

bool pass_check_bind(const compile_passing *p) {
    return pass_check_schedule(p);
}

bool pass_run_choose(compile_passing *p) {
    const compile_choosing open = choosing_of(p);
    if (!p->bound && (p->chip || sam_fiber_function_in(&p->all->user, p->all->user.rhs)))
        compile_choose(p->o, p->ctx, &open, &p->schedule);
    return true;
}

bool pass_check_choose(const compile_passing *p) {
    return pass_check_schedule(p);
}

bool pass_run_data(compile_passing *p) {
    const compile_choosing open = choosing_of(p);
    return !p->chip || p->bound || choose_by_data(p->o, p->ctx, &open, p->all, &p->schedule);
}

bool pass_check_data(const compile_passing *p) {
    return pass_check_schedule(p);
}

/* ---- kernels ------------------------------------------------------------------------------------- */

/* Loads the bound function and the calls that compute the kernel; bind has proved that the calls do. */
static bool load_calls(compile_context *ctx, const fe_kernel *bound, sam_binding *out) {
    const char *name = names_text(ctx->names, bound->binding.function);
    const fe_user_function *f = fe_function_named(ctx->functions, name);
    BUG_IF(!f || fe_match(bound, f, ctx->mem, out).step != FE_MATCHED,
           "%s no longer computes what it is bound to", name);
    const bool ok =
        fe_load_described(f->described, sam_tensor_at(&bound->s, bound->s.result)->loc, ctx->diag);
    out->call = f->described->foreign;
    out->on_processor = f->described->on_processor;
    return ok;
}

/* Makes the kernels of the schedule. Several kernels have folders, named after the tensors that the kernels
 * write. */
static bool begin_kernels(const compile_options *o, compile_context *ctx, const compile_schedule *schedule,
                          compile_kernel *last) {
    const fe_cin *cin = &schedule->cin;
    const char *home = compile_home_of(o, ctx, ctx->partial), *final = compile_home_of(o, ctx, o->files.out);
    bool ok = true;
    for (uint32_t n = 1; n < cin->kernels.len; n++)
        vec_push(ctx->mem, &last->producers,
                 (compile_kernel){.board_path = last->board_path, .user = cin->kernels.at[n - 1].s});
    for (uint32_t n = 0; ok && n < cin->kernels.len; n++) {
        compile_kernel *k = compile_kernel_at(last, n);
        const fe_kernel *bound = &cin->kernels.at[n];
        const sam_statement *st = &bound->s;
        k->board = last->board;
        k->on_host = bound->on_host;
        if (k->on_host)
            k->lowered.statement = *st;
        k->prebuilt = schedule->prebuilt ? schedule->prebuilt[n] : NULL;
        if (n < schedule->tilings.len && !k->prebuilt)
            k->tiling = schedule->tilings.at[n];
        k->choices.chosen = n < schedule->chosen.len ? schedule->chosen.at[n] : NULL;
        k->choices.dense = schedule->dense;
        k->folder = home;
        k->final_folder = final;
        ok = !k->on_host || !bound->binding.function.v || load_calls(ctx, bound, &k->calls);
        if (ok && k->on_host)
            compile_find_calls(ctx, k);
        if (o->files.out && cin->kernels.len > 1 && (!k->on_host || k->on_processor)) {
            const char *result = names_text(ctx->names, sam_tensor_at(st, st->result)->name);
            k->folder = compile_kernel_folder(home, result, ctx->mem);
            k->final_folder = compile_kernel_folder(final, result, ctx->mem);
        }
        ok = ok && (!k->folder || make_folder(k->folder, ctx->diag));
    }
    last->choices.staged = schedule->staged;
    last->choices.candidates = schedule->candidates;
    return ok;
}

/* Records the kernels' text in `choices`. Returns false if a trial with the same kernels was refused already.
 */
static bool are_untried(const compile_options *o, compile_context *ctx, const fe_cin *cin,
                        compile_choices *choices) {
    text_out text;
    text_begin(&text);
    fe_cin_dump(cin, text.stream);
    choices->kernels = text_end(&text, ctx->mem);
    choices->tried = o->tried.refused && strcmp(o->tried.refused, choices->kernels) == 0;
    return !choices->tried;
}

bool pass_run_kernels(compile_passing *p) {
    compile_kernel *last = p->all;
    if (!are_untried(p->o, p->ctx, &p->schedule.cin, &last->choices) ||
        !compile_use_prebuilt(p->o, p->ctx, &p->schedule) || !begin_kernels(p->o, p->ctx, &p->schedule, last))
        return false;
    for (uint32_t n = 0; n <= last->producers.len; n++) {
        compile_kernel *k = compile_kernel_at(last, n);
        k->source = k->on_host ? NULL : &p->schedule.cin.kernels.at[n];
    }
    return true;
}

/* Checks that a kernel reads tensors of earlier kernels or of the user only. */
bool pass_check_kernels(const compile_passing *p) {
    const fe_cin *cin = &p->schedule.cin;
    for (uint32_t n = 0; n < cin->kernels.len; n++) {
        const sam_statement *s = &cin->kernels.at[n].s;
        for (uint32_t later = n + 1; later < cin->kernels.len; later++) {
            const sam_statement *by = &cin->kernels.at[later].s;
            for (uint32_t t = 0; t < s->tensors.len; t++)
                BUG_IF(t + 1 != s->result.v &&
                           name_eq(s->tensors.at[t].name, sam_tensor_at(by, by->result)->name),
                       "kernel %u reads what kernel %u writes", n, later);
        }
    }
    return true;
}

/* ---- edges and operands -------------------------------------------------------------------------- */

/* Tile sizes of each kernel, from the options or chosen. */
bool pass_run_tiles(compile_passing *p) {
    for (uint32_t n = 0; n <= p->all->producers.len; n++) {
        compile_kernel *k = compile_kernel_at(p->all, n);
        if (!k->on_host)
            k->tiling.options = compile_tiling_of(compile_options_of(p->o, k), &p->all->board, &k->lowered);
        if (k->tiling.expected.edge) {
            memcpy(k->tiling.options.edge, k->tiling.expected.edge, sizeof k->tiling.options.edge);
            if (k->tiling.expected.sharing > k->tiling.options.sharing)
                k->tiling.options.sharing = k->tiling.expected.sharing;
        }
    }
    return true;
}

bool pass_check_tiles(const compile_passing *p) {
    const uint32_t kernels = p->all->producers.len + 1;
    const sam_statement **all = arena_new_n(p->ctx->mem, const sam_statement *, kernels);
    all[0] = &p->all->lowered.statement;
    for (uint32_t n = 1; n < kernels; n++)
        all[n] = &p->all->producers.at[n - 1].lowered.statement;
    return compile_check_loops(p->o, p->ctx, all, kernels);
}

/* Reads the operands if choices or the run need data, so that a mistake in a file shows before placement.
 * onyx compile runs without operands where possible. */
bool pass_run_operands(compile_passing *p) {
    const compile_options *o = p->o;
    compile_kernel *last = p->all;
    bool matters = o->optimize || (o->copies.dispatch_auto && o->copies.unroll != 1);
    bool wanted =
        o->running.executes || o->cutting.tile_auto || (matters && has_all_sources(o, p->ctx, &last->user));
    if (wanted && !compile_read_operands(o, p->ctx, &last->user, &last->data))
        return false;
    for (uint32_t n = 0; n < last->producers.len; n++)
        last->producers.at[n].data.operands = last->data.operands;
    return true;
}

/* Every coordinate lies inside of its tensor. */
bool pass_check_operands(const compile_passing *p) {
    const tile_operands *all = &p->all->data.operands;
    for (uint32_t t = 0; t < all->n; t++) {
        const tile_tensor *x = &all->operand[t];
        for (uint64_t e = 0; e < x->nnz; e++) {
            for (uint32_t m = 0; m < x->order; m++)
                BUG_IF(x->crd[e * x->order + m] >= x->dim[m], "an entry of operand %u is outside of it", t);
        }
    }
    return true;
}
