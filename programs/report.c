/* report.json of a program, and the summary for people. */
#include "report/report.h"
#include "kernel/processor_time.h"
#include "kernel/workspace.h"
#include "programs/check.h"
#include "programs/fusions.h"
#include "programs/programs.h"
#include "support/number.h"

/* Operands of the program are the first contents of its tensors. */
static compile_accuracy accuracy_of(const compile_options *o, const compile_application *a, uint32_t result) {
    static const tile_accuracy none = {0};
    return (compile_accuracy){a->accuracy ? &a->accuracy[result] : &none,
                              NULL,
                              a->initial,
                              a->program.tensors.len,
                              o->tensors.dtype,
                              o->tensors.scaled};
}

/* Returns the result that is off by most. */
static uint32_t worst_result(const compile_options *o, const compile_application *a) {
    uint32_t worst = 0;
    for (uint32_t i = 1; i < a->program.results.len; i++) {
        const compile_accuracy one = accuracy_of(o, a, i), so_far = accuracy_of(o, a, worst);
        worst = compile_accuracy_is_worse(&one, &so_far) ? i : worst;
    }
    return worst;
}

static void add_number(cJSON *object, const char *key, double value) {
    cJSON_AddNumberToObject(object, key, value);
}

static void add_words(cJSON *json, const compile_execution *execution) {
    cJSON *words = cJSON_AddObjectToObject(json, "host_words");
    add_number(words, "loaded", (double)execution->loaded);
    add_number(words, "kept", (double)execution->kept);
    add_number(words, "collected", (double)execution->collected);
}

/* Returns the array cycles of the host for a statement: its words, and a request for each run with any. */
static uint64_t host_cycles(const compile_options *o, const compile_application *a,
                            const compile_statement_plan *plan) {
    const compile_host_price price = compile_host_price_of(o, &a->board);
    double cycles = 0;
    for (uint32_t i = 0; i < plan->executions.len; i++) {
        const compile_execution *execution = &plan->executions.at[i];
        const uint64_t words = execution->loaded + execution->collected;
        cycles += words ? price.asked + (double)words * price.word : 0;
    }
    return (uint64_t)cycles;
}

/* Returns the folders of the other statements on the same array. */
static text_vec sharing(const compile_application *a, const compile_statement_plan *plan, arena *mem) {
    text_vec folders = {0};
    for (uint32_t i = 0; i < a->plans.len; i++) {
        const compile_statement_plan *one = &a->plans.at[i];
        if (one != plan && one->array == plan->array)
            vec_push(mem, &folders, one->within);
    }
    return folders;
}

static cJSON *sharing_json(const compile_application *a, const compile_statement_plan *plan) {
    cJSON *json = cJSON_CreateArray();
    arena scratch = {0};
    const text_vec folders = sharing(a, plan, &scratch);
    for (uint32_t i = 0; i < folders.len; i++)
        cJSON_AddItemToArray(json, cJSON_CreateString(folders.at[i]));
    arena_free(&scratch);
    return json;
}

/* Returns the passes of all executions of a loop. */
static compile_execution passes_of(const compile_statement_plan *plan) {
    compile_execution all = {0};
    for (uint32_t i = 0; i < plan->executions.len; i++) {
        all.passes += plan->executions.at[i].passes;
        all.alone += plan->executions.at[i].alone;
        all.unmet = all.unmet || plan->executions.at[i].unmet;
    }
    return all;
}

/* Adds the unchanged operands. */
static void add_placed(const compile_context *ctx, const compile_application *a,
                       const compile_statement_plan *plan, cJSON *json) {
    const compile_kernel *k = &plan->kernel;
    cJSON *list = k->placed.len ? cJSON_AddArrayToObject(json, "operands") : NULL;
    for (uint32_t p = 0; p < k->placed.len; p++) {
        const uint32_t t = fe_program_find(&a->program, k->placed.at[p].tensor);
        if (t < a->program.tensors.len && !a->program.tensors.at[t].changes)
            compile_placed_json(ctx, &k->placed.at[p], list);
    }
}

static cJSON *statement_json(const compile_context *ctx, const compile_application *a,
                             const compile_statement_plan *plan) {
    cJSON *json = cJSON_CreateObject();
    add_number(json, "line", compile_line_of_step(ctx, plan->step));
    cJSON_AddStringToObject(json, "statement", plan->step->text);
    cJSON_AddStringToObject(json, "on",
                            !compile_runs_on_host(plan)                                ? "array"
                            : compile_runs_on_processor(plan) || passes_of(plan).alone ? "processor"
                                                                                       : "host");
    if (compile_runs_on_host(plan)) {
        cJSON_AddStringToObject(json, "why", plan->why);
    } else {
        cJSON_AddStringToObject(json, "folder", plan->within);
        if (plan->array) {
            cJSON_AddItemToObject(json, "shares", sharing_json(a, plan));
            add_number(json, "part", plan->kernel.array.kernel);
        }
        cJSON_AddItemToObject(json, "compiled",
                              compile_report(&plan->options, ctx, &plan->kernel, false, a->check));
    }
    add_number(json, "runs", plan->executions.len);
    cJSON *cycles = cJSON_AddObjectToObject(json, "cycles");
    add_number(cycles, "config", (double)plan->cycles.config);
    add_number(cycles, "kernel", (double)plan->cycles.kernel);
    add_number(cycles, "firmware", (double)plan->cycles.firmware);
    add_number(cycles, "total", (double)plan->cycles.total);
    if (plan->cycles.verify)
        add_number(cycles, "verify", (double)plan->cycles.verify);
    if (compile_counts_host(&plan->options))
        add_number(cycles, "host", (double)host_cycles(&plan->options, a, plan));
    compile_processor_json(&plan->processor, json);
    if (plan->counted)
        compile_energy_json(&plan->activity, json);
    add_placed(ctx, a, plan, json);
    cJSON *each = cJSON_AddArrayToObject(json, "each");
    for (uint32_t i = 0; i < plan->executions.len; i++) {
        cJSON *one = json_add_item(each);
        cJSON_AddStringToObject(one, "pass", plan->executions.at[i].pass);
        add_number(one, "cycles", (double)plan->executions.at[i].cycles);
        add_number(one, "result_nnz", (double)plan->executions.at[i].entries);
        if (plan->executions.at[i].loaded || plan->executions.at[i].kept || plan->executions.at[i].collected)
            add_words(one, &plan->executions.at[i]);
    }
    return json;
}

/* Returns the name of a branch of an `if`. */
static const char *branch_of(const fe_step *step) {
    return step->branch == FE_BRANCH_ELSE ? "else" : "if";
}

static cJSON *loop_json(const compile_context *ctx, const compile_statement_plan *plan) {
    cJSON *json = cJSON_CreateObject();
    add_number(json, "line", compile_line_of_step(ctx, plan->step));
    if (plan->step->branch)
        cJSON_AddStringToObject(json, "branch", branch_of(plan->step));
    const bool may = compile_engines[plan->options.target.engine].by_processor;
    if (may && plan->executions.len)
        cJSON_AddStringToObject(json, "on",
                                passes_of(plan).passes == passes_of(plan).alone ? "processor" : "host");
    if (may && plan->eager)
        cJSON_AddStringToObject(json, "why", plan->eager);
    cJSON *each = cJSON_AddArrayToObject(json, "each");
    for (uint32_t i = 0; i < plan->executions.len; i++) {
        cJSON *one = json_add_item(each);
        cJSON_AddStringToObject(one, "pass", plan->executions.at[i].pass);
        add_number(one, "passes", plan->executions.at[i].passes);
        if (plan->executions.at[i].unmet && !plan->step->branch)
            cJSON_AddBoolToObject(one, "met", false);
        if (may)
            add_number(one, "on_processor", plan->executions.at[i].alone);
    }
    return json;
}

static uint64_t all_cycles(const compile_application *a) {
    uint64_t total = 0;
    for (uint32_t i = 0; i < a->plans.len; i++)
        total += a->plans.at[i].cycles.total;
    return total;
}

static uint64_t processor_cycles(const compile_application *a) {
    uint64_t all = 0;
    for (uint32_t i = 0; i < a->plans.len; i++)
        all += a->plans.at[i].cycles.config + a->plans.at[i].cycles.firmware;
    return all;
}

/* Sums the activity of all statements; returns whether any was counted. */
static bool all_activity(const compile_application *a, compile_activity *sum) {
    bool any = false;
    for (uint32_t i = 0; i < a->plans.len; i++) {
        const compile_activity *one = &a->plans.at[i].activity;
        any = any || a->plans.at[i].counted;
        sum->time_us += one->time_us;
        for (int e = 0; e < ENERGIES; e++)
            sum->count[e] += one->count[e];
    }
    return any;
}

cJSON *compile_application_report(const compile_options *o, const compile_context *ctx,
                                  const compile_application *a) {
    cJSON *json = compile_begin_report(o, "program", o->running.executes, a->check);
    uint32_t all;
    const uint32_t checked = compile_count_independent(o, a, &all);
    add_number(json, "checked_statements", strcmp(a->check, "none") != 0 ? checked : 0);
    compile_type_json(o, NULL, ctx->names, json);
    compile_warnings_json(ctx->diag, json);
    add_number(json, "total_cycles", (double)all_cycles(a));
    compile_processor_range_json(processor_cycles(a), a->lag, json);
    if (a->configs)
        add_number(json, "bitstreams", a->configs->n);
    if (o->running.on_board) {
        cJSON *boards = cJSON_AddObjectToObject(json, "boards");
        add_number(boards, "started", o->running.on_board->started);
        add_number(boards, "ready", o->running.on_board->ready);
    }
    if (o->running.checkpoint && a->result) {
        cJSON *kept = cJSON_AddObjectToObject(json, "checkpoints");
        add_number(kept, "every", o->running.checkpoint);
        add_number(kept, "written", a->checkpoints.written);
        add_number(kept, "words", (double)a->checkpoints.words);
        if (a->checkpoints.resumed)
            cJSON_AddStringToObject(kept, "resumed", a->checkpoints.resumed);
    }
    cJSON *statements = cJSON_AddArrayToObject(json, "statements");
    cJSON *loops = cJSON_AddArrayToObject(json, "loops");
    for (uint32_t i = 0; i < a->plans.len; i++) {
        const compile_statement_plan *plan = &a->plans.at[i];
        if (plan->step->kind == FE_STEP_REPEAT)
            cJSON_AddItemToArray(loops, loop_json(ctx, plan));
        else
            cJSON_AddItemToArray(statements, statement_json(ctx, a, plan));
    }
    cJSON_AddItemToObject(json, "fusions", compile_fusions_json(ctx, a));
    cJSON *results = cJSON_AddArrayToObject(json, "results");
    for (uint32_t i = 0; i < a->program.results.len && a->result; i++) {
        const tile_tensor *t = &a->result[a->program.results.at[i]];
        cJSON *one = json_add_item(results);
        cJSON_AddStringToObject(one, "tensor", names_text(ctx->names, t->name));
        add_number(one, "result_nnz", (double)t->nnz);
        compile_number_json(one, "fill", tile_to_double(o->tensors.dtype, t->fill));
        const compile_accuracy accuracy = accuracy_of(o, a, i);
        compile_accuracy_json(&accuracy, ctx->names, one);
    }
    const compile_accuracy worst = accuracy_of(o, a, worst_result(o, a));
    compile_accuracy_json(&worst, ctx->names, json);
    compile_activity activity = {0};
    if (all_activity(a, &activity))
        compile_energy_json(&activity, json);
    cJSON *wall = cJSON_AddObjectToObject(json, "wall_s");
    const compile_times *t = &a->times;
    add_number(wall, "compile", t->frontend + t->lower + t->place + t->route + t->bitstream);
    add_number(wall, "run", t->tile + t->firmware + t->run);
    add_number(wall, "total", t->total);
    return json;
}

/* The first line of a statement. */
static void print_statement(const compile_context *ctx, const compile_statement_plan *plan, FILE *out) {
    const char *text = plan->step->text;
    fprintf(out, "  line %u: %.*s%s\n", compile_line_of_step(ctx, plan->step), (int)strcspn(text, "\n"), text,
            strchr(text, '\n') ? " ..." : "");
}

/* What is on the array. */
static void print_array(const compile_application *a, const compile_statement_plan *plan, FILE *out) {
    arena scratch = {0};
    const text_vec with = plan->array ? sharing(a, plan, &scratch) : (text_vec){0};
    fprintf(out, "    %u tiles, %u configuration words", plan->kernel.array.net.cells.len,
            plan->kernel.bits.stream.words.len);
    for (uint32_t i = 0; i < with.len; i++)
        fprintf(out, "%s%s", i ? ", " : " shared with ", with.at[i]);
    fputc('\n', out);
    arena_free(&scratch);
}

static void print_workspace(const compile_context *ctx, const compile_kernel *k, FILE *out) {
    if (!k->on_host)
        fprintf(out, "    %s: %s\n", names_text(ctx->names, sam_tensor_at(&k->user, k->user.result)->name),
                compile_workspace_on_array(k, ctx->mem));
}

static void print_plan(const compile_options *o, const compile_context *ctx, const compile_application *a,
                       const compile_statement_plan *plan, FILE *out) {
    const uint64_t runs = plan->executions.len;
    if (plan->step->kind == FE_STEP_REPEAT) {
        const compile_execution all = passes_of(plan);
        if (!o->running.executes)
            return;
        if (plan->step->branch)
            fprintf(out, "  line %u: %s taken %u of %u times", compile_line_of_step(ctx, plan->step),
                    branch_of(plan->step), all.passes, plan->executions.len);
        else
            fprintf(out, "  line %u: %u %s", compile_line_of_step(ctx, plan->step), all.passes,
                    plural(all.passes, "pass", "passes"));
        if (all.unmet && !plan->step->branch)
            fprintf(out, "; the condition does not hold after the last one");
        if (compile_engines[o->target.engine].by_processor && all.alone)
            fprintf(out, ", %u by the chip's processor alone", all.alone);
        fputc('\n', out);
        if (compile_engines[o->target.engine].by_processor && plan->eager && o->written.explain)
            fprintf(out, "    the host goes through %s: %s\n", all.alone ? "the others" : "it", plan->eager);
        return;
    }
    print_statement(ctx, plan, out);
    if (plan->processor.names)
        fprintf(out, "    on the chip's processor, %s\n", compile_processor_text(&plan->processor, ctx->mem));
    compile_print_taken(&plan->kernel, "    ", out);
    if (compile_runs_on_host(plan)) {
        if (!plan->processor.names)
            fprintf(out, "    on the %s: %s\n", passes_of(plan).alone ? "chip's processor" : "host",
                    plan->why);
        if (plan->cycles.total)
            fprintf(out, "    %llu %s, %s %s\n", (unsigned long long)runs, plural(runs, "run", "runs"),
                    text_thousands(plan->cycles.total, ctx->mem),
                    plural(plan->cycles.total, "cycle", "cycles"));
        return;
    }
    if (plan->kernel.producers.len)
        fprintf(out, "    %u kernels\n", plan->kernel.producers.len + 1);
    for (uint32_t n = 0; o->written.explain && n <= plan->kernel.producers.len; n++)
        print_workspace(ctx, compile_kernel_at(&plan->kernel, n), out);
    if (plan->kernel.bits.stream.words.len)
        print_array(a, plan, out);
    compile_regions_summary(ctx, &plan->kernel, out);
    if (o->running.executes)
        fprintf(out, "    %llu %s, %s %s\n", (unsigned long long)runs, plural(runs, "run", "runs"),
                text_thousands(plan->cycles.total, ctx->mem), plural(plan->cycles.total, "cycle", "cycles"));
}

/* Returns how many statements were checked; "" where all or none were. */
static const char *checked_text(const compile_options *o, const compile_application *a, arena *mem) {
    uint32_t of;
    const uint32_t n = compile_count_independent(o, a, &of);
    if (n >= of || strcmp(a->check, "none") == 0)
        return "";
    return arena_printf(mem,
                        ", %u of %u %s: the host called the functions of the other%s for the reference, too",
                        n, of, plural(of, "statement", "statements"), of - n > 1 ? "s" : "");
}

/* Returns how good result i is, by its name if there are several. */
static const char *result_text(const compile_options *o, const compile_context *ctx,
                               const compile_application *a, uint32_t i) {
    const compile_accuracy one = accuracy_of(o, a, i);
    const char *text = compile_accuracy_text(&one, ctx->names, ctx->mem);
    const char *name = names_text(ctx->names, a->program.tensors.at[a->program.results.at[i]].name);
    return text && a->program.results.len > 1 ? arena_printf(ctx->mem, "%s: %s", name, text) : text;
}

/* Prints the accuracy of the results, of the worst one last and with the check. */
static void print_accuracy(const compile_options *o, const compile_context *ctx, const compile_application *a,
                           FILE *out) {
    const uint32_t worst = worst_result(o, a);
    const compile_accuracy of = accuracy_of(o, a, worst);
    for (uint32_t i = 0; i < a->program.results.len; i++) {
        const char *text = i != worst ? result_text(o, ctx, a, i) : NULL;
        if (text)
            fprintf(out, "  accuracy  %s\n", text);
    }
    const char *text = result_text(o, ctx, a, worst);
    fprintf(out, "  accuracy  %s%scheck: %s%s\n", text ? text : "", text ? "; " : "",
            compile_accuracy_check(&of, a->check), checked_text(o, a, ctx->mem));
}

/* Prints lines for all statements: time, type, energy. */
static void print_outcome(const compile_options *o, const compile_context *ctx, const compile_application *a,
                          FILE *out) {
    compile_activity activity = {0};
    uint64_t host = 0, verify = 0;
    for (uint32_t i = 0; i < a->plans.len; i++) {
        host += compile_counts_host(o) ? host_cycles(o, a, &a->plans.at[i]) : 0;
        verify += a->plans.at[i].cycles.verify;
    }
    if (a->result)
        fprintf(out, "  time      %s cycles%s\n", text_thousands(all_cycles(a), ctx->mem),
                compile_other_cycles(host, verify, ctx->mem));
    const char *range = compile_processor_range(processor_cycles(a), a->lag, ctx->mem);
    if (range)
        fprintf(out, "  processor %s\n", range);
    if (o->tensors.type_why)
        fprintf(out, "  type      %s\n", o->tensors.type_why);
    if (all_activity(a, &activity))
        fprintf(out, "  energy    %s\n", compile_energy_text(&activity, ctx->mem));
}

void compile_application_summary(const compile_options *o, const compile_context *ctx,
                                 const compile_application *a, FILE *out) {
    fprintf(out, "%s\n", o->written.expression);
    for (uint32_t i = 0; i < a->plans.len; i++)
        print_plan(o, ctx, a, &a->plans.at[i], out);
    compile_print_fusions(o, ctx, a, out);
    for (uint32_t i = 0; i < a->program.results.len && a->result; i++) {
        const tile_tensor *t = &a->result[a->program.results.at[i]];
        fprintf(out, "  %llu %s in %s\n", (unsigned long long)t->nnz, plural(t->nnz, "value", "values"),
                names_text(ctx->names, t->name));
    }
    if (a->checkpoints.resumed)
        fprintf(out, "  it went on after pass %s, which an earlier command had kept\n",
                a->checkpoints.resumed);
    if (o->running.on_board && o->running.on_board->ready)
        fprintf(out, "  the board was found ready%s: not loaded, and not started again\n",
                o->running.on_board->started ? ", but where another program was needed" : "");
    if (a->configs)
        fprintf(out, "  %u bitstreams in the global buffer, for one firmware program\n", a->configs->n);
    print_outcome(o, ctx, a, out);
    const compile_times *t = &a->times;
    number_print(out, "  everything is in %s; %.3f s to the bitstreams, %.3f s in all%s\n", o->files.out,
                 t->frontend + t->lower + t->place + t->route + t->bitstream, t->total,
                 o->written.explain ? "" : "; --explain adds workspaces");
    if (a->result)
        print_accuracy(o, ctx, a, out);
}
