/* The file is JSON: {"format_version", "of", "state", "xxh64"}; xxh64 is the hash of `state` as printed, for
 * the refusal of damaged files. */
#include "programs/checkpoint.h"
#include "tiling/wide.h"

enum { CHECKPOINT_VERSION = 1 };

static const char *path_of(const compile_options *o, compile_context *ctx) {
    return arena_printf(ctx->mem, "%s/checkpoint.json", o->files.out);
}

/* ---- whose it is ------------------------------------------------------------------------------- */

static uint64_t hash_text(uint64_t hash, const char *text) {
    return hash_more(hash, text, strlen(text) + 1);
}

static uint64_t hash_tensor(uint64_t hash, const tile_tensor *t) {
    hash = hash_more(hash, &t->nnz, sizeof t->nnz);
    hash = hash_more(hash, t->dim, sizeof *t->dim * t->order);
    if (t->nnz && t->order)
        hash = hash_more(hash, t->crd, sizeof *t->crd * t->nnz * t->order);
    return t->nnz ? hash_more(hash, t->val, sizeof *t->val * t->nnz) : hash;
}

static uint64_t hash_kernel(uint64_t hash, const compile_kernel *k) {
    const bits_stream *bits = &k->bits.stream;
    return bits->words.len ? hash_more(hash, bits->words.at, sizeof *bits->words.at * bits->words.len) : hash;
}

uint64_t compile_checkpoint_hash(const compile_options *o, const compile_context *ctx,
                                 const compile_application *a) {
    const uint32_t how[] = {CHECKPOINT_VERSION, (uint32_t)o->tensors.dtype, (uint32_t)o->target.engine,
                            o->running.wave};
    uint64_t hash = hash_text(hash_more(0, how, sizeof how), a->board.name);
    hash = hash_text(hash, a->text);
    for (uint32_t i = 0; i < o->written.settings.len; i++)
        hash = hash_text(hash, o->written.settings.at[i]);
    for (uint32_t t = 0; t < a->program.tensors.len; t++)
        hash = hash_tensor(hash_text(hash, names_text(ctx->names, a->initial[t].name)), &a->initial[t]);
    for (uint32_t i = 0; i < a->plans.len; i++) {
        const compile_kernel *k = &a->plans.at[i].kernel;
        for (uint32_t n = 0; n <= k->producers.len; n++)
            hash = hash_kernel(hash, compile_kernel_at(k, n));
    }
    return hash;
}

/* ---- numbers, and members of structs written and read ------------------------------------------ */

static void add(cJSON *object, const char *key, uint64_t value) {
    cJSON_AddNumberToObject(object, key, (double)value);
}

static uint64_t get(const cJSON *object, const char *key) {
    const cJSON *one = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsNumber(one) && one->valuedouble >= 0 ? (uint64_t)one->valuedouble : 0;
}

static const char *text_at(const cJSON *object, const char *key, compile_context *ctx) {
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
    return text ? arena_strdup(ctx->mem, text) : "";
}

#define EXECUTION_MEMBERS(each) each(cycles) each(entries) each(loaded) each(kept) each(collected)
#define CYCLE_MEMBERS(each) each(config) each(kernel) each(firmware) each(total)
#define RUN_MEMBERS(each)                                                                                    \
    each(begin) each(cycles) each(config) each(kernel) each(firmware) each(loaded) each(kept) each(collected)

/* ---- tensors ----------------------------------------------------------------------------------- */

static uint64_t words_of(const tile_tensor *t) {
    return t->nnz * t->order + (t->nnz + 1) / 2;
}

static cJSON *tensor_json(const tile_tensor *t) {
    cJSON *json = cJSON_CreateObject(), *crd = cJSON_AddArrayToObject(json, "coordinates"),
          *val = cJSON_AddArrayToObject(json, "values");
    add(json, "entries", t->nnz);
    cJSON *wide = tile_wide(t) ? cJSON_AddArrayToObject(json, "wide") : NULL;
    for (uint64_t e = 0; wide && e < t->nnz; e++)
        cJSON_AddItemToArray(wide, cJSON_CreateNumber(t->wide[e]));
    for (uint64_t i = 0; i < t->nnz * t->order; i++)
        cJSON_AddItemToArray(crd, cJSON_CreateNumber(t->crd[i]));
    for (uint64_t e = 0; e < t->nnz; e++)
        cJSON_AddItemToArray(val, cJSON_CreateNumber(t->val[e]));
    return json;
}

/* Takes the numbers of 32 bits behind the words, if there are any. */
static bool read_wide(const cJSON *json, arena *mem, tile_tensor *t) {
    double *wide = json ? arena_new_n(mem, double, t->nnz + 1) : NULL;
    const cJSON *one;
    uint64_t n = 0;
    tile_set_wide(t, wide);
    if (wide && (uint64_t)cJSON_GetArraySize(json) != t->nnz)
        return false;
    cJSON_ArrayForEach(one, json) {
        if (!cJSON_IsNumber(one) || !(one->valuedouble >= INT32_MIN && one->valuedouble <= INT32_MAX))
            return false;
        wide[n++] = one->valuedouble;
    }
    return true;
}

/* Takes the entries into *t, whose shape is known. */
static bool read_tensor(const cJSON *json, compile_context *ctx, tile_tensor *t) {
    const cJSON *crd = cJSON_GetObjectItemCaseSensitive(json, "coordinates"),
                *val = cJSON_GetObjectItemCaseSensitive(json, "values"), *one;
    const uint64_t n = get(json, "entries");
    if (!json || (uint64_t)cJSON_GetArraySize(val) != n || (uint64_t)cJSON_GetArraySize(crd) != n * t->order)
        return false;
    uint32_t *at = arena_new_n(ctx->mem, uint32_t, n * t->order + 1);
    uint16_t *value = arena_new_n(ctx->mem, uint16_t, n + 1);
    uint64_t i = 0;
    cJSON_ArrayForEach(one, crd) {
        if (!cJSON_IsNumber(one) || one->valuedouble < 0 || one->valuedouble >= t->dim[i % t->order])
            return false;
        at[i++] = (uint32_t)one->valuedouble;
    }
    i = 0;
    cJSON_ArrayForEach(one, val) {
        if (!cJSON_IsNumber(one) || one->valuedouble < 0 || one->valuedouble > UINT16_MAX)
            return false;
        value[i++] = (uint16_t)one->valuedouble;
    }
    t->nnz = n;
    t->crd = at;
    t->val = value;
    return read_wide(cJSON_GetObjectItemCaseSensitive(json, "wide"), ctx->mem, t);
}

/* ---- what statements count --------------------------------------------------------------------- */

static cJSON *plan_json(const compile_statement_plan *plan) {
    cJSON *json = cJSON_CreateObject(), *cycles = cJSON_AddObjectToObject(json, "cycles"),
          *counts = cJSON_AddArrayToObject(json, "activity"),
          *executions = cJSON_AddArrayToObject(json, "visits");
#define ADD(member) add(cycles, #member, plan->cycles.member);
    CYCLE_MEMBERS(ADD)
#undef ADD
    cJSON_AddBoolToObject(json, "counted", plan->counted);
    cJSON_AddNumberToObject(json, "time_us", plan->activity.time_us);
    for (int e = 0; e < ENERGIES; e++)
        cJSON_AddItemToArray(counts, cJSON_CreateNumber(plan->activity.count[e]));
    for (uint32_t i = 0; i < plan->executions.len; i++) {
        const compile_execution *execution = &plan->executions.at[i];
        cJSON *one = json_add_item(executions);
        cJSON_AddStringToObject(one, "pass", execution->pass);
        add(one, "passes", execution->passes);
#define ADD(member) add(one, #member, execution->member);
        EXECUTION_MEMBERS(ADD)
#undef ADD
    }
    return json;
}

static void read_plan(const cJSON *json, compile_context *ctx, compile_statement_plan *plan) {
    const cJSON *cycles = cJSON_GetObjectItemCaseSensitive(json, "cycles"),
                *counts = cJSON_GetObjectItemCaseSensitive(json, "activity"), *one;
#define GET(member) plan->cycles.member = get(cycles, #member);
    CYCLE_MEMBERS(GET)
#undef GET
    plan->counted = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, "counted"));
    plan->activity.time_us = cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(json, "time_us"));
    for (int e = 0; e < ENERGIES; e++)
        plan->activity.count[e] = cJSON_GetNumberValue(cJSON_GetArrayItem(counts, e));
    cJSON_ArrayForEach(one, cJSON_GetObjectItemCaseSensitive(json, "visits")) {
        compile_execution execution = {.pass = text_at(one, "pass", ctx),
                                       .passes = (uint32_t)get(one, "passes")};
#define GET(member) execution.member = get(one, #member);
        EXECUTION_MEMBERS(GET)
#undef GET
        vec_push(ctx->mem, &plan->executions, execution);
    }
}

static cJSON *line_json(const compile_timeline *line) {
    cJSON *json = cJSON_CreateArray();
    uint32_t n = 0;
    const compile_timeline_run *runs = compile_timeline_runs(line, &n);
    for (uint32_t i = 0; i < n; i++) {
        cJSON *one = json_add_item(json);
        cJSON_AddStringToObject(one, "pass", runs[i].pass);
        add(one, "statement", runs[i].statement);
#define ADD(member) add(one, #member, runs[i].member);
        RUN_MEMBERS(ADD)
#undef ADD
    }
    return json;
}

static void read_line(const cJSON *json, compile_context *ctx, compile_timeline *line) {
    const cJSON *one;
    cJSON_ArrayForEach(one, json) {
        compile_timeline_run run = {.pass = text_at(one, "pass", ctx),
                                    .statement = (uint32_t)get(one, "statement")};
#define GET(member) run.member = get(one, #member);
        RUN_MEMBERS(GET)
#undef GET
        compile_timeline_add(line, &run);
    }
}

/* ---- the file ---------------------------------------------------------------------------------- */

static cJSON *state_json(const compile_context *ctx, const compile_application *a, const compile_state *s) {
    cJSON *json = cJSON_CreateObject(), *at = cJSON_AddArrayToObject(json, "at"),
          *tensors = cJSON_AddObjectToObject(json, "tensors"),
          *plans = cJSON_AddArrayToObject(json, "stages");
    for (uint32_t i = 0; i < s->at.len; i++) {
        cJSON *one = json_add_item(at);
        add(one, "step", s->at.at[i].step);
        add(one, "passes", s->at.at[i].passes);
    }
    for (uint32_t t = 0; t < a->program.tensors.len; t++)
        if (a->program.tensors.at[t].changes)
            cJSON_AddItemToObject(tensors, names_text(ctx->names, a->program.tensors.at[t].name),
                                  tensor_json(&s->tensors[t]));
    for (uint32_t i = 0; i < a->plans.len; i++)
        cJSON_AddItemToArray(plans, plan_json(&a->plans.at[i]));
    cJSON_AddItemToObject(json, "line", line_json(s->line));
    add(json, "now", s->now);
    add(json, "written", a->checkpoints.written);
    add(json, "words", a->checkpoints.words);
    return json;
}

static const char *hash_of_state(const cJSON *state, arena *mem) {
    char *text = json_print(state, false);
    const char *hash = arena_printf(mem, "%016llx", (unsigned long long)hash_bytes(text, strlen(text)));
    cJSON_free(text);
    return hash;
}

bool compile_checkpoint_write(const compile_options *o, compile_context *ctx, compile_application *a,
                              uint64_t hash, const compile_state *s) {
    a->checkpoints.written++;
    for (uint32_t t = 0; t < a->program.tensors.len; t++)
        a->checkpoints.words += a->program.tensors.at[t].changes ? words_of(&s->tensors[t]) : 0;
    cJSON *json = cJSON_CreateObject(), *state = state_json(ctx, a, s);
    add(json, "format_version", CHECKPOINT_VERSION);
    cJSON_AddStringToObject(json, "of", arena_printf(ctx->mem, "%016llx", (unsigned long long)hash));
    cJSON_AddStringToObject(json, "xxh64", hash_of_state(state, ctx->mem));
    cJSON_AddItemToObject(json, "state", state);
    bool ok = json_write(json, path_of(o, ctx), ctx->diag);
    cJSON_Delete(json);
    return ok;
}

/* Checks the loops of the program at the places. */
static bool read_places(const cJSON *json, compile_context *ctx, const fe_steps *steps,
                        compile_loop_states *out) {
    const cJSON *one;
    cJSON_ArrayForEach(one, json) {
        const compile_loop_state loop = {(uint32_t)get(one, "step"), (uint32_t)get(one, "passes")};
        if (loop.step >= steps->len || steps->at[loop.step].kind != FE_STEP_REPEAT ||
            loop.passes > steps->at[loop.step].passes)
            return false;
        vec_push(ctx->mem, out, loop);
        steps = &steps->at[loop.step].body;
    }
    return out->len > 0;
}

static bool read_state(const cJSON *state, compile_context *ctx, compile_application *a, compile_state *s) {
    const cJSON *tensors = cJSON_GetObjectItemCaseSensitive(state, "tensors"),
                *plans = cJSON_GetObjectItemCaseSensitive(state, "stages");
    bool ok = read_places(cJSON_GetObjectItemCaseSensitive(state, "at"), ctx, &a->program.steps, &s->at) &&
              (uint32_t)cJSON_GetArraySize(plans) == a->plans.len;
    s->tensors = arena_new_n(ctx->mem, tile_tensor, a->program.tensors.len + 1);
    for (uint32_t t = 0; t < a->program.tensors.len && ok; t++) {
        const char *name = names_text(ctx->names, a->program.tensors.at[t].name);
        s->tensors[t] = a->initial[t];
        ok = !a->program.tensors.at[t].changes ||
             read_tensor(cJSON_GetObjectItemCaseSensitive(tensors, name), ctx, &s->tensors[t]);
    }
    if (!ok)
        return false;
    for (uint32_t i = 0; i < a->plans.len; i++)
        read_plan(cJSON_GetArrayItem(plans, (int)i), ctx, &a->plans.at[i]);
    read_line(cJSON_GetObjectItemCaseSensitive(state, "line"), ctx, s->line);
    s->now = get(state, "now");
    a->checkpoints.written = (uint32_t)get(state, "written");
    a->checkpoints.words = get(state, "words");
    return true;
}

bool compile_checkpoint_read(const compile_options *o, compile_context *ctx, compile_application *a,
                             uint64_t hash, compile_state *s) {
    diagnostics quiet; /* an absent or unreadable file counts as no file */
    diag_init(&quiet, ctx->mem);
    cJSON *json = json_read(path_of(o, ctx), &quiet);
    const cJSON *state = cJSON_GetObjectItemCaseSensitive(json, "state");
    const char *of = arena_printf(ctx->mem, "%016llx", (unsigned long long)hash);
    bool ok = state && strcmp(text_at(json, "of", ctx), of) == 0 &&
              strcmp(text_at(json, "xxh64", ctx), hash_of_state(state, ctx->mem)) == 0 &&
              read_state(state, ctx, a, s);
    cJSON_Delete(json);
    return ok;
}

void compile_checkpoint_remove(const compile_options *o, compile_context *ctx) {
    remove(path_of(o, ctx));
}
