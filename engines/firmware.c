/* Common to engines soc and program: the program of a kernel in a folder, built, or found complete from an
 * earlier run; and the file of its batches. */
#include "engines/firmware.h"
#include "engines/early.h"
#include "engines/session.h"
#include "firmware/controller.h"
#include "kernel/processor.h"
#include "kernel/streams.h"

#include <unistd.h>

/* Ingredients of a firmware program. */
typedef struct {
    compile_programmed of[FW_IMAGES_MOST];
    uint32_t n;
} programmed;

/* Returns the time-out of a run, in cycles of the processor, which are no shorter than the array's: at least
 * twice the known time, since the global buffer has a pace of its own. A power of two, to reuse a program for
 * other operands. */
static uint32_t run_timeout(const compile_programmed *p) {
    uint32_t timeout = fw_options_default("", "").timeout;
    while (timeout < UINT32_C(1) << 31 && timeout / 2 < p->longest)
        timeout *= 2;
    return timeout;
}

/* Returns a hash of the program's ingredients: of each image the configuration words, the read-back, and
 * independent starts of copies; and the time-out. */
static const char *design_hash(compile_context *ctx, const compile_programmed *p, uint32_t n) {
    const fw_functions *functions = compile_program_functions(ctx);
    arena *mem = ctx->mem;
    uint64_t hash = 0;
    for (uint32_t i = 0; functions && i < functions->n_units; i++)
        hash = hash_more(hash, functions->units[i].text, strlen(functions->units[i].text));
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t how[] = {p[i].independent, p[i].verify_config, run_timeout(p), p->lists, p->unchecked};
        hash = hash_more(hash, p[i].bits->words.at, sizeof *p[i].bits->words.at * p[i].bits->words.len);
        hash = hash_more(hash, how, sizeof how);
        const fw_writes *w = p[i].writes;
        hash = w && w->configure.len
                   ? hash_more(hash, w->configure.at, sizeof *w->configure.at * w->configure.len)
                   : hash;
        hash = w && w->start.len ? hash_more(hash, w->start.at, sizeof *w->start.at * w->start.len) : hash;
        hash = w && w->spans.len ? hash_more(hash, w->spans.at, sizeof *w->spans.at * w->spans.len) : hash;
    }
    return arena_printf(mem, "%016llx", (unsigned long long)hash);
}

/* `how` gives read-back, checks, and the time-out. */
static compile_programmed programmed_of_kernel(const compile_kernel *k, const compile_programmed *how) {
    return (compile_programmed){.design = &k->array.design,
                                .decoded = &k->bits.decoded,
                                .map = k->bits.map,
                                .bits = &k->bits.stream,
                                .independent = k->array.independent,
                                .verify_config = how->verify_config,
                                .unchecked = how->unchecked,
                                .longest = how->longest,
                                .lists = k->chip.lists};
}

/* Lists the ingredients of the firmware program: all its images, or the single bitstream. */
static programmed programmed_of(const compile_config_set *images, const compile_programmed *one) {
    programmed all = {.n = 1};
    all.of[0] = *one;
    for (uint32_t i = 0; images && i < images->n; i++) {
        all.of[i] = programmed_of_kernel(images->of[i], one);
        all.n = i + 1;
    }
    return all;
}

static programmed programmed_of_run(const compile_engine_in *in, uint64_t longest) {
    const compile_programmed one = {.design = in->design,
                                    .decoded = in->decoded,
                                    .map = in->map,
                                    .bits = in->bits,
                                    .independent = in->independent,
                                    .verify_config = in->how.verify_config,
                                    .unchecked = in->how.unchecked,
                                    .longest = longest,
                                    .lists = in->lists,
                                    .writes = in->how.writes};
    programmed all = programmed_of(in->configs, &one);
    all.n = in->calls && !in->configs ? 0 : all.n;
    return all;
}

/* Returns a hash of the file, or NULL if missing. */
static const char *file_hash(arena *mem, const char *path) {
    size_t length = 0;
    const char *text = file_read_if_there(path, mem, &length);
    return text ? arena_printf(mem, "%016llx", (unsigned long long)hash_bytes(text, length)) : NULL;
}

/* Folder of the firmware's runtime objects: the build folder's, or the installed one. */
static const char *objects_folder(const compile_context *ctx) {
    const char *built = compile_program(ctx, "firmware/objects");
    return *ctx->programs && access(built, R_OK) == 0
               ? built
               : arena_printf(ctx->mem, "%s/firmware/objects", ctx->home);
}

static bool build(compile_context *ctx, const compile_programmed *p, uint32_t n, const pnr_board *board,
                  const char *folder, fw_app *app) {
    fw_image images[FW_IMAGES_MOST];
    fw_options options = fw_options_default(ctx->home, folder);
    options.objects = objects_folder(ctx);
    options.verify = p->verify_config;
    options.unchecked = p->unchecked;
    options.timeout = run_timeout(p);
    options.lists = n ? p->lists : FW_NO_LISTS;
    options.writes = n ? p->writes : NULL;
    options.functions = compile_program_functions(ctx);
    options.board = board;
    if (ctx->partial)
        options.moved = arena_printf(ctx->mem, "%s=%.*s", ctx->partial,
                                     (int)(strrchr(ctx->partial, '/') - ctx->partial), ctx->partial);
    compile_stage(ctx, "building the firmware", 0);
    for (uint32_t i = 0; i < n; i++) {
        images[i] = (fw_image){.design = p[i].design, .bits = p[i].bits, .independent = p[i].independent};
        const bool dense = p[i].writes && p[i].writes->spans.len;
        if (!dense && !compile_find_early(ctx, &p[i], &images[i].early_stores))
            return false;
    }
    if (!fw_build(images, n, &options, ctx->mem, ctx->diag, app)) {
        ctx->interrupted = ctx->interrupted || app->interrupted;
        return false;
    }
    const char *elf = file_hash(ctx->mem, app->elf);
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "elf", elf ? elf : "");
    cJSON_AddStringToObject(json, "design", design_hash(ctx, p, n));
    bool ok = json_write(json, arena_printf(ctx->mem, "%s/app.json", folder), ctx->diag);
    cJSON_Delete(json);
    return ok;
}

bool compile_build_firmware(const compile_options *o, compile_context *ctx, const compile_kernel *k,
                            fw_app *app) {
    const compile_programmed how = {.verify_config = o->running.verify_config,
                                    .unchecked = o->running.unchecked},
                             one = programmed_of_kernel(k, &how);
    const programmed p = programmed_of(k->chip.configs, &one);
    return build(ctx, p.of, p.n, &k->board, arena_printf(ctx->mem, "%s/firmware", k->folder), app);
}

bool compile_firmware_is_there(compile_engine_run *r, const compile_outcome *out) {
    const compile_engine_in *in = r->in;
    const programmed p = programmed_of_run(in, out->modelled.longest);
    compile_firmware *f = r->own;
    arena *mem = in->ctx->mem;
    diagnostics quiet;
    const char *there = arena_printf(mem, "%s/app.elf", f->final_folder), *elf = file_hash(mem, there),
               *path = arena_printf(mem, "%s/app.json", f->final_folder), *was = NULL, *design = NULL;
    diag_init(&quiet, mem);
    cJSON *json = elf ? json_read(path, &quiet) : NULL;
    bool same = json && json_get_text(json, path, "elf", &was, &quiet) &&
                json_get_text(json, path, "design", &design, &quiet) && strcmp(was, elf) == 0 &&
                strcmp(design, design_hash(in->ctx, p.of, p.n)) == 0;
    cJSON_Delete(json);
    f->elf = same ? there : f->elf;
    return same;
}

bool compile_firmware_build(compile_engine_run *r, compile_outcome *out) {
    const compile_engine_in *in = r->in;
    const compile_firmware *f = r->own;
    fw_app app;
    double start = seconds_now();
    const programmed p = programmed_of_run(in, out->modelled.longest);
    bool ok = build(in->ctx, p.of, p.n, in->board, f->folder, &app);
    out->firmware_s = seconds_now() - start;
    return ok;
}

/* When the image changes, stores without a load write to the second bank of their tiles. */
static bool find_early(const compile_engine_in *in) {
    compile_session *s = in->session;
    const compile_programmed p = {
        .design = in->design, .decoded = in->decoded, .map = in->map, .bits = in->bits};
    if (s->last_image == in->image)
        return true;
    s->last_image = in->image;
    return compile_find_early(in->ctx, &p, &s->memory.early);
}

bool compile_firmware_begin_calls(compile_engine_run *r) {
    const compile_engine_in *in = r->in;
    arena *mem = in->ctx->mem;
    compile_firmware *f = r->own = arena_new(mem, compile_firmware);
    f->folder = arena_printf(mem, "%s/firmware", in->folder);
    f->final_folder = arena_printf(mem, "%s/firmware", in->final_folder);
    f->elf = arena_printf(mem, "%s/app.elf", f->folder);
    f->batches = arena_printf(mem, "%s/batches.bin", f->folder);
    f->result = arena_printf(mem, "%s/result.bin", f->folder);
    return make_folder(f->folder, in->ctx->diag) && make_folder(f->final_folder, in->ctx->diag);
}

/* Returns the packed tensor of a stream, or NULL for a table. */
static const sam_tensor_data *tensor_of(const compile_engine_in *in, const tile_copy_stream *at) {
    const compile_kernel *k = in->counted;
    const sam_statement *s = k && k->array.others.len && at->copy
                                 ? &k->array.others.at[at->copy - 1]->lowered.statement
                                 : in->statement;
    for (uint32_t t = 0; t < s->tensors.len && !at->stream.table.n; t++) {
        if (name_eq(s->tensors.at[t].name, at->stream.tensor))
            return &s->tensors.at[t];
    }
    return NULL;
}

/* Returns whether the processor fills loads of the tensor in a deferred batch, if the tensor changes: loads
 * of compressed vectors and matrices, and of scalars. */
static bool is_filled_there(const sam_tensor_data *t) {
    bool filled = !t->order;
    for (uint32_t l = 0; l < t->order && t->order <= 2; l++)
        filled = filled || t->level[l] == SAM_LEVEL_COMPRESSED;
    return filled && (t->order < 2 || !t->region);
}

/* Returns the inputs filled by the processor. */
static uint32_t pinned_of(const compile_engine_in *in) {
    compile_streams streams;
    uint32_t pinned = 0;
    compile_streams_of(in->design, in->kernel, &streams);
    for (uint32_t i = 0; i < streams.n_in; i++) {
        const sam_tensor_data *data = tensor_of(in, &streams.in[i]);
        if (data && is_filled_there(data))
            pinned |= 1u << i;
    }
    return pinned;
}

/* Returns a stream's sub-array, as in "segments and coordinates of level 1 of B". */
static const char *array_text(const compile_engine_in *in, const sam_tensor_data *data, int level) {
    const char *name = names_text(in->ctx->names, sam_user_name(data));
    if (level >= 0)
        return arena_printf(in->ctx->mem, "segments and coordinates of level %d of %s", level, name);
    return arena_printf(in->ctx->mem, "%s of %s", sam_contents_of(level)->words, name);
}

/* Sets the places of inputs, if the statement fixes any. */
static void find_regions(const compile_engine_in *in, fw_columns *columns) {
    compile_streams streams;
    fw_region *all = arena_new_n(in->ctx->mem, fw_region, columns->n_in);
    compile_streams_of(in->design, in->kernel, &streams);
    for (uint32_t i = 0; i < columns->n_in; i++) {
        const sam_tensor_data *data = tensor_of(in, &streams.in[i]);
        if (!data || !data->region)
            continue;
        all[i] = (fw_region){.again = data->region == SAM_REGION_HOST,
                             .fixed = data->region == SAM_REGION_GLB,
                             .called = array_text(in, data, streams.in[i].stream.level),
                             .loc = data->region_loc};
        columns->region = all;
    }
    for (uint32_t i = 0; i < columns->n_in && columns->region; i++)
        columns->buffers = all[i].fixed ? 1 : columns->buffers; /* two buffers would need a write for each */
}

/* Adds an input's words. */
static void add_placed(compile_placed *to, const fw_batch_stats *counts, uint32_t input) {
    const uint32_t since = counts->input[input].since ? to->batches + counts->input[input].since : 0;
    to->loaded += counts->input[input].loaded;
    to->kept += counts->input[input].kept;
    to->since = since > to->since ? since : to->since;
    to->times += counts->input[input].times;
    to->streams += !to->batches;
}

/* E0719 if an operand that was to stay is written again, since the chip's contents do not last. */
static bool stay_there(const compile_engine_in *in, const compile_kernel *k) {
    diagnostics *d = in->ctx->diag;
    for (uint32_t t = 0; t < k->lowered.statement.tensors.len; t++) {
        const sam_tensor_data *data = &k->lowered.statement.tensors.at[t];
        for (uint32_t p = 0; p < k->placed.len && data->region == SAM_REGION_GLB; p++) {
            const compile_placed *one = &k->placed.at[p];
            if (!name_eq(one->tensor, sam_user_name(data)) || one->times <= one->streams)
                continue;
            diag_unmappable(
                d, data->region_loc, "E0719-stays",
                "%s cannot stay in the global buffer: each program that another bitstream needs begins "
                "with an empty one",
                names_text(in->ctx->names, one->tensor));
            return diag_hint(d, "without -O0 and --wave bitstreams are parts of one program");
        }
    }
    return true;
}

/* Adds the host's writes of each operand of a statement to the earlier writes; `copy` has its streams, or
 * all have. */
static bool count_operands(const compile_engine_in *in, const fw_batch_stats *counts, compile_kernel *k,
                           uint32_t copy) {
    compile_streams streams;
    compile_streams_of(in->design, in->kernel, &streams);
    for (uint32_t i = 0; i < streams.n_in; i++) {
        const sam_tensor_data *data = tensor_of(in, &streams.in[i]);
        uint32_t p = 0;
        if (!data || (in->counted->array.others.len && streams.in[i].copy != copy))
            continue;
        while (p < k->placed.len && !name_eq(k->placed.at[p].tensor, sam_user_name(data)))
            p++;
        if (p == k->placed.len)
            vec_push(in->ctx->diag->mem, &k->placed,
                     ((compile_placed){.tensor = sam_user_name(data), .stated = data->region}));
        add_placed(&k->placed.at[p], counts, i);
    }
    for (uint32_t p = 0; p < k->placed.len; p++)
        k->placed.at[p].batches += counts->batches;
    return stay_there(in, k);
}

/* Adds the host's writes of all operands. */
static bool count_placed(const compile_engine_in *in, const fw_batch_stats *counts) {
    bool ok = !in->counted || count_operands(in, counts, in->counted, 0);
    for (uint32_t p = 0; ok && in->counted && p < in->counted->array.others.len; p++)
        ok = count_operands(in, counts, in->counted->array.others.at[p], p + 1);
    return ok;
}

bool compile_firmware_begin(compile_engine_run *r, uint32_t buffers) {
    const compile_engine_in *in = r->in;
    compile_context *ctx = in->ctx;
    arena *mem = ctx->mem;
    if (!fw_is_controlled(in->board, ctx->diag) || !compile_firmware_begin_calls(r))
        return false;
    compile_firmware *f = r->own;
    if (!fw_columns_of(in->design, in->kernel, in->independent, mem, ctx->diag, &f->columns))
        return false;
    f->columns.kernel = in->number;
    f->columns.pinned = in->deferred ? pinned_of(in) : 0;
    f->columns.buffers = f->columns.buffers < buffers ? f->columns.buffers : buffers;
    find_regions(in, &f->columns);
    if (in->session && !in->independent) {
        f->columns.memory = &in->session->memory;
        in->session->memory.mem = ctx->diag->mem;
        if (!find_early(in))
            return false;
    }
    f->writer = fw_batches_begin(&f->columns, in->board, f->batches, mem, ctx->diag);
    return f->writer != NULL;
}

/* Copies a list of the plan, whose lifetime is its batch. */
#define COPY_LIST(mem, to, from)                                                                             \
    do {                                                                                                     \
        (to).at = arena_alloc(mem, sizeof *(to).at * ((size_t)(from).len + 1));                              \
        (to).len = (to).cap = (from).len;                                                                    \
        if ((from).len)                                                                                      \
            memcpy((to).at, (from).at, sizeof *(to).at *(from).len);                                         \
    } while (0)

static tile_plan plan_without_words(const tile_plan *plan, uint32_t vars, arena *mem) {
    uint32_t *edge = arena_new_n(mem, uint32_t, vars + 1);
    tile_plan own = {.tile = plan->tile, .edge = edge, .copies = plan->copies};
    if (plan->edge)
        memcpy(edge, plan->edge, sizeof *edge * vars);
    COPY_LIST(mem, own.outputs, plan->outputs);
    COPY_LIST(mem, own.runs, plan->runs);
    COPY_LIST(mem, own.boxes, plan->boxes);
    COPY_LIST(mem, own.run_block, plan->run_block);
    COPY_LIST(mem, own.inputs, plan->inputs);
    for (uint32_t i = 0; i < plan->inputs.len; i++)
        COPY_LIST(mem, own.inputs.at[i].blocks, plan->inputs.at[i].blocks);
    return own;
}

bool compile_firmware_batch(compile_engine_run *r, const tile_plan *plan) {
    compile_firmware *f = r->own;
    if (r->in->deferred && plan->runs.len)
        r->in->deferred->plan = plan_without_words(plan, r->in->statement->vars.len, r->in->ctx->mem);
    return fw_batches_add(f->writer, plan);
}

bool compile_firmware_end(compile_engine_run *r, bool good) {
    compile_firmware *f = r->own;
    if (r->in->calls)
        return good;
    return fw_batches_end(f->writer, good, &f->counts) && count_placed(r->in, &f->counts);
}

void compile_firmware_note(const compile_engine_run *r, const compile_outcome *out) {
    const compile_firmware *f = r->own;
    fw_memory *m = f->columns.memory;
    for (uint32_t o = 0; o < f->columns.n_out && m && f->counts.batches == 1; o++) {
        const uint32_t at = f->counts.output[o];
        const uint8_t *words = out->modelled.stored[o].at;
        const uint32_t bytes = out->modelled.stored[o].len;
        vec_push(m->mem, &m->stored, (fw_put){at, bytes, hash_bytes(words, bytes)});
    }
}

bool compile_defer_firmware_batch(const compile_engine_run *r, const compile_outcome *out) {
    const compile_firmware *f = r->own;
    compile_deferred *deferred = r->in->deferred;
    deferred->elf = f->elf;
    deferred->batches = f->batches;
    deferred->columns = f->columns;
    deferred->counts = f->counts;
    for (uint32_t o = 0; o < f->columns.n_out && out->modelled.stored; o++) {
        deferred->stored[o].at = out->modelled.stored[o].at;
        deferred->stored[o].len = out->modelled.stored[o].len;
    }
    compile_firmware_note(r, out);
    return true;
}
