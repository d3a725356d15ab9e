/* A program on an engine. Each statement is compiled once, before the first run. Then the host executes the
 * loops and tests their conditions, twice: with the engine, and with the reference, which sees no result of
 * the engine. Between statements a tensor holds its values unequal to the fill, except for an unchanged
 * tensor whose stored positions a statement asks for.
 *
 * The host computes statements of scalars only, and statements without tiles on the array. */
#include "programs/programs.h"
#include "kernel/folder.h"
#include "kernel/formats.h"
#include "kernel/functions.h"
#include "kernel/written.h"
#include "programs/alive.h"
#include "programs/check.h"
#include "programs/compile_plans.h"
#include "programs/denser.h"
#include "programs/fuse.h"
#include "programs/hoist.h"
#include "programs/include.h"
#include "programs/join.h"
#include "programs/reuse.h"
#include "programs/run_steps.h"
#include "programs/scales.h"
#include "sam/operators.h"
#include "support/number.h"
#include "support/trial.h"
#include "tiling/plain.h"

#include <math.h>

bool compile_is_application(const char *argument) {
    static const char end[] = ".onx";
    size_t length = strlen(argument);
    return (length >= sizeof end && strcmp(argument + length - (sizeof end - 1), end) == 0) ||
           fe_is_pair(argument, length);
}

/* Returns the value that a list of NAME:VALUE gives a tensor, behind `word`; "": none. */
static const char *said_of(compile_context *ctx, const text_vec *list, const char *name, const char *word) {
    const char *said = "";
    const size_t n = strcspn(name, ":");
    for (uint32_t i = 0; i < list->len; i++) {
        const char *one = list->at[i];
        if (strncmp(one, name, n + 1) == 0)
            said = arena_printf(ctx->mem, "%s%s", word, one + n + 1);
    }
    return said;
}

const char *compile_program_text(const compile_options *o, compile_context *ctx, size_t *length) {
    const char *text = o->written.expression;
    if (!fe_is_pair(text, strlen(text)))
        return text_read(text, ctx->mem, length, ctx->diag);
    for (uint32_t i = 0; i < o->written.formats.len; i++) {
        const char *name = o->written.formats.at[i];
        text = arena_printf(ctx->mem, "tensor %.*s%s%s\n%s", (int)strcspn(name, ":"), name,
                            said_of(ctx, &o->written.formats, name, ": "),
                            said_of(ctx, &o->written.fills, name, " fill "), text);
    }
    for (uint32_t i = 0; i < o->written.fills.len; i++) {
        const char *name = o->written.fills.at[i];
        if (!*said_of(ctx, &o->written.formats, name, ":"))
            text = arena_printf(ctx->mem, "tensor %.*s%s\n%s", (int)strcspn(name, ":"), name,
                                said_of(ctx, &o->written.fills, name, " fill "), text);
    }
    *length = strlen(text);
    return text;
}

bool compile_refuse_program_options(const compile_options *o, diagnostics *d) {
    if (!o->running.checkpoint && !o->written.settings.len)
        return true;
    diag_error(d, (src_loc){0}, "E0903-option-value",
               "%s is about a program file, and '%s' is one expression",
               o->running.checkpoint ? "--checkpoint" : "--set", o->written.expression);
    return diag_hint(d, o->running.checkpoint
                            ? "onyx program keeps every batch that is done by itself: docs/program.md"
                            : "write the number into the expression");
}

/* Options for a single statement, or set in the file. */
static bool refuse_options(const compile_options *o, compile_context *ctx) {
    const bool declared = fe_is_pair(o->written.expression, strlen(o->written.expression));
    const struct {
        bool given;
        const char *text;
    } options[] = {
        {o->written.formats.len > 0 && !declared, "-f"}, {o->written.fills.len > 0 && !declared, "--fill"},
        {o->written.dimensions.len > 0, "-d"},           {o->written.types.len > 0, "-t"},
        {o->written.semiring != NULL, "--semiring"},     {o->running.shards > 0, "--shard"}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (!options[i].given)
            continue;
        diag_error(ctx->diag, (src_loc){0}, "E0903-option-value",
                   "%s is about one expression, and '%s' is a program", options[i].text,
                   o->written.expression);
        return diag_hint(ctx->diag, "the program declares its tensors: docs/programs.md");
    }
    return true;
}

static bool read_program(const compile_options *o, compile_context *ctx, compile_application *a) {
    fe_program *out = &a->program;
    size_t length = 0;
    fe_included_vec included = {0};
    const char *text = compile_program_text(o, ctx, &length);
    if (!text || !compile_read_included(ctx, o->written.expression, text, &included))
        return false;
    a->text = compile_whole_text(ctx, text, &included);
    if (!compile_read_functions(o, a->text, ctx))
        return false;
    const bool pair = fe_is_pair(o->written.expression, strlen(o->written.expression));
    fe_program_in in = {.name = pair ? "<expression>" : o->written.expression,
                        .text = text,
                        .included = &included,
                        .length = length,
                        .integers = o->tensors.dtype == TILE_DTYPE_INT16,
                        .scaled = o->tensors.typing == COMPILE_TYPE_SCALED,
                        .scales = o->tensors.scaled,
                        .functions = ctx->functions,
                        .extents = compile_find_extents,
                        .data = &(compile_finding){o, ctx},
                        .settings = o->written.settings.at,
                        .n_settings = o->written.settings.len};
    return compile_list_formats(o, ctx, &in) &&
           (fe_program_parse(&in, ctx->names, ctx->mem, ctx->diag, out) || compile_propose_functions(ctx));
}

/* Returns the word of a fill, written as a number in the program. */
static uint16_t fill_word(const compile_options *o, const fe_shared *t) {
    double fill = t->fill ? number_read(t->fill, NULL) : 0;
    if (o->tensors.dtype == TILE_DTYPE_INT16 && isinf(fill))
        fill = fill > 0 ? INT16_MAX : INT16_MIN;
    return sam_literal_word(fill, o->tensors.dtype == TILE_DTYPE_BF16);
}

/* -o T:FILE of results: checked before the first run, written at the end. */
static bool write_outputs(const compile_options *o, compile_context *ctx, const compile_application *a) {
    for (uint32_t i = 0; i < o->tensors.outputs.len; i++) {
        const char *text = o->tensors.outputs.at[i], *path = strchr(text, ':') + 1;
        const uint32_t t = fe_program_find(&a->program, names_intern_n(ctx->names, text, strcspn(text, ":")));
        if (t == a->program.tensors.len || !compile_is_result(&a->program, t)) {
            diag_error(ctx->diag, (src_loc){0}, "E0910-operand", "-o %s names no result of the program",
                       text);
            return diag_hint(ctx->diag, "the program says what its results are: result T");
        }
        const fe_shared *as = &a->program.tensors.at[t];
        const compile_written w = {path, as->stored ? as->stored : as->format, as->order};
        if (a->result ? !compile_write(o, ctx, &w, &a->result[t]) : !compile_can_write(o, ctx, &w))
            return false;
    }
    return true;
}

bool compile_program_read(const compile_options *o, compile_context *ctx, compile_application *a) {
    return read_program(o, ctx, a) && compile_application_data(o, ctx, a);
}

bool compile_program_reference(const compile_options *o, compile_context *ctx, compile_application *a) {
    if (!compile_program_read(o, ctx, a))
        return false;
    interpreter m = {.o = o, .ctx = ctx, .a = a, .value = compile_reference, .reference = true};
    for (uint32_t t = 0; t < a->program.tensors.len; t++)
        a->initial[t].fill = fill_word(o, &a->program.tensors.at[t]);
    a->slots = a->program.tensors.len;
    compile_list_plans(o, ctx, a, &a->program.steps, 0, false);
    compile_begin_interpreter(&m);
    const bool good = compile_run_steps(&m, &a->program.steps);
    if (good)
        compile_measure_results(&m, &m);
    compile_end_interpreter(&m);
    return good;
}

/* Creates the program's folder, reads its board, and writes the program's form for --dump. */
static bool begin(const compile_options *o, compile_context *ctx, compile_application *a) {
    return compile_take_folder(ctx, o->files.out) &&
           compile_read_board(ctx, o->target.board, &a->board, &a->board_path) &&
           pnr_board_set_profile(&a->board, o->target.profile, ctx->diag) && compile_begin_partial(o, ctx) &&
           compile_dump(o, ctx, ctx->partial, (compile_form){.program = &a->program});
}

static bool run_once(const compile_options *o, compile_context *ctx, compile_application *a) {
    interpreter m = {
        .o = o, .ctx = ctx, .a = a, .value = tile_plain, .line = compile_timeline_begin(ctx->mem)};
    double start = seconds_now();
    if (!refuse_options(o, ctx) || !read_program(o, ctx, a) || !write_outputs(o, ctx, a) ||
        !compile_application_data(o, ctx, a) || !begin(o, ctx, a))
        return false;
    for (uint32_t t = 0; t < a->program.tensors.len; t++)
        a->initial[t].fill = fill_word(o, &a->program.tensors.at[t]);
    a->slots = a->program.tensors.len;
    compile_list_plans(o, ctx, a, &a->program.steps, 0, false);
    const bool moved = compile_hoist_statements(o, ctx->mem, a);
    if (compile_reuse_values(o, ctx->mem, a) || moved) {
        a->plans.at = NULL;
        a->plans.len = a->plans.cap = 0;
        compile_list_plans(o, ctx, a, &a->program.steps, 0, false);
    }
    if (!compile_schedule_plans(o, ctx, a))
        return false;
    compile_begin_interpreter(&m);
    a->check = "none";
    compile_dry_run_plans(&m);
    const compile_application reference = *a; /* whose plans have what the reference saw */
    compile_kept_predictions kept = {0};
    bool ok = compile_fuse_statements(&m, &kept) && compile_make_denser(&m, &kept) &&
              compile_every_plan(&m) && compile_join_statements(o, ctx, a) &&
              compile_share_plans(o, ctx, a) && compile_end_joints(ctx, a);
    for (uint32_t i = 0; i < a->plans.len; i++)
        a->plans.at[i].options.tensors.in_memory.len = 0;
    for (uint32_t i = 0; i < reference.plans.len; i++)
        compile_forget_dry_run(&reference.plans.at[i].dry_run);
    if (ok)
        compile_find_all_waiting(&m);
    ok = ok && (!o->running.executes || (compile_run_program(&m) && write_outputs(o, ctx, a)));
    if (!ok)
        compile_session_end(ctx, &m.session);
    arena_free(&m.list.mem);
    compile_end_interpreter(&m);
    a->times.total = seconds_now() - start;
    return ok;
}

/* Returns the hardware's refusal that ended the run; NULL: there is another reason, too. */
static const diagnostic *find_refusal(const diagnostics *before, const compile_context *ctx) {
    const diagnostics *now = ctx->diag;
    const diagnostic *found = NULL;
    if (ctx->interrupted || now->mismatches > before->mismatches)
        return NULL;
    for (uint32_t i = before->list.len; i < now->list.len; i++) {
        const diagnostic *d = &now->list.at[i];
        if (d->kind == DIAG_UNMAPPABLE || d->refusal == DIAG_REFUSED_CYCLE_STUCK)
            found = found ? found : d;
        else if (d->kind == DIAG_ERROR)
            return NULL;
    }
    return found;
}

/* Returns whether the statement computes others, or reads what others have computed, unlike the text. */
static bool is_changed(const compile_application *a, const fe_step *step) {
    bool is = false;
    for (uint32_t i = 0; step && i < a->fusions.len; i++) {
        const compile_fusion *f = &a->fusions.at[i];
        is = is || (f->denser ? f->done && compile_step_names_any(step, f->denser, a->program.tensors.len)
                              : (f->done || f->reused) && f->into->loc.offset == step->loc.offset);
    }
    return is;
}

/* Finds what to try for the refused statement; false: nothing is left, or the user states the mapping. A
 * refusal while compiling has had its other mappings. */
static bool find_change(const compile_options *o, const compile_application *a, diag_refusal refusal,
                        compile_refused *out) {
    enum { MOST_OPERANDS = 4 };
    const compile_refused *last = NULL;
    if (!a->refused)
        return false;
    out->at = a->refused->loc;
    for (uint32_t i = 0; i < o->tried.statements.len; i++) {
        if (o->tried.statements.at[i].at.offset == out->at.offset)
            last = &o->tried.statements.at[i];
    }
    if (!last && is_changed(a, a->refused))
        return true;
    if ((refusal != DIAG_REFUSED_HAZARD && refusal != DIAG_REFUSED_CYCLE_STUCK) || !o->optimize ||
        !compile_copies_open(o) || compile_array_alone(o) ||
        compile_has_schedule(o, a, fe_step_result(a->refused)))
        return false;
    out->plain = true;
    if (last && last->plain)
        out->operands = last->operands ? last->operands / 2 : MOST_OPERANDS;
    return !last || !last->plain || out->operands;
}

bool compile_application_run(const compile_options *o, compile_context *ctx, compile_application *a) {
    const diagnostics before = *ctx->diag;
    const compile_calls calls = *ctx->calls;
    compile_options own = *o;
    diagnostics first = {0};
    while (!run_once(&own, ctx, a)) {
        const diagnostic *refusal = find_refusal(&before, ctx);
        compile_refused next = {0};
        if (!refusal || !find_change(&own, a, refusal->refusal, &next)) {
            if (refusal && first.mem)
                diag_return_to(ctx->diag, &first);
            return false;
        }
        if (!first.mem)
            first = *ctx->diag;
        next.why = arena_printf(ctx->mem, "otherwise, %s", refusal->message);
        vec_push(ctx->mem, &own.tried.statements, next);
        diag_return_to(ctx->diag, &before);
        *ctx->calls = calls;
        *a = (compile_application){0};
    }
    for (uint32_t i = 0; i < own.tried.statements.len; i++) {
        const compile_refused *one = &own.tried.statements.at[i];
        if (one->plain && (i + 1 == own.tried.statements.len || one[1].at.offset != one->at.offset))
            diag_note(ctx->diag, one->at, "the statement is mapped without choices by the data%s; %s",
                      one->operands ? ", in small kernels or on the host" : "", one->why);
    }
    return true;
}
