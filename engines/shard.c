/* Files of a shard of a kernel's runs, and the check that several shards make a whole. */
#include "engines/shard.h"

#include <stdlib.h>
#include <unistd.h>

enum { SHARD_FORMAT = 1 };

uint64_t compile_shard_design(const bits_stream *bits) {
    return hash_more(0, bits->words.at, sizeof *bits->words.at * bits->words.len);
}

uint64_t compile_shard_batch(const tile_plan *plan) {
    uint64_t hash = hash_more(0, plan->words.at, sizeof *plan->words.at * plan->words.len);
    hash = hash_more(hash, plan->run_block.at, sizeof *plan->run_block.at * plan->run_block.len);
    for (uint32_t i = 0; i < plan->inputs.len; i++) {
        const uint32_t blocks = plan->inputs.at[i].blocks.len;
        hash = hash_more(hash, &blocks, sizeof blocks);
        for (uint32_t b = 0; b < blocks; b++) {
            const tile_block *block = &plan->inputs.at[i].blocks.at[b];
            const uint64_t at[] = {block->first, block->length};
            hash = hash_more(hash, at, sizeof at);
        }
    }
    return hash;
}

const char *compile_shard_file(const char *folder, uint32_t batch, arena *mem) {
    return arena_printf(mem, "%s/shard.%u.bin", folder, batch);
}

static const char *hash_text(uint64_t hash, arena *mem) {
    return arena_printf(mem, "%016llx", (unsigned long long)hash);
}

bool compile_shard_write(const compile_engine_in *in, const compile_shard_of *of) {
    arena *mem = in->ctx->mem;
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNumberToObject(json, "format_version", SHARD_FORMAT);
    cJSON_AddNumberToObject(json, "shard", in->how.shard);
    cJSON_AddNumberToObject(json, "of", in->how.shards);
    cJSON_AddStringToObject(json, "design", hash_text(of->design, mem));
    cJSON *list = cJSON_AddArrayToObject(json, "batches");
    for (uint32_t i = 0; i < of->batch.len; i++)
        cJSON_AddItemToArray(list, cJSON_CreateString(hash_text(of->batch.at[i], mem)));
    bool ok = json_write(json, arena_printf(mem, "%s/shard.json", in->folder), in->ctx->diag);
    cJSON_Delete(json);
    return ok;
}

/* ---- several ----------------------------------------------------------------------------------- */

typedef struct {
    uint32_t shard, of;
    compile_shard_of what;
} one_shard;

static bool not_whole(const compile_context *ctx, const char *message, const char *hint) {
    diag_error(ctx->diag, (src_loc){0}, "E0955-shards", "%s", message);
    return diag_hint(ctx->diag, "%s", hint);
}

/* The kernel's folder, within a folder of a shard. */
static const char *place_of(const compile_options *o, arena *mem, const char *folder,
                            const compile_kernel *k) {
    return arena_printf(mem, "%s%s", folder, k->final_folder + strlen(o->files.out));
}

static bool has_shard(const compile_context *ctx, const char *folder) {
    return access(arena_printf(ctx->mem, "%s/shard.json", folder), R_OK) == 0;
}

text_vec compile_shards_of(const compile_options *o, const compile_context *ctx, const compile_kernel *k) {
    text_vec found = {0};
    for (uint32_t i = 0; i < o->running.merged.len; i++) {
        const char *place = place_of(o, ctx->mem, o->running.merged.at[i], k);
        if (has_shard(ctx, place))
            vec_push(ctx->mem, &found, place);
    }
    return found;
}

const compile_kernel *compile_without_shards(const compile_options *o, const compile_context *ctx,
                                             const compile_kernel *k) {
    for (uint32_t n = 0; n <= k->producers.len; n++) {
        const compile_kernel *one = compile_kernel_at(k, n);
        if (!one->on_host && !compile_shards_of(o, ctx, one).len)
            return one;
    }
    return NULL;
}

static bool is_of_some(const compile_options *o, const compile_context *ctx, const compile_kernel *k,
                       const char *folder) {
    bool found = false;
    for (uint32_t n = 0; n <= k->producers.len && !found; n++) {
        const compile_kernel *one = compile_kernel_at(k, n);
        found = !one->on_host && has_shard(ctx, place_of(o, ctx->mem, folder, one));
    }
    return found || not_whole(ctx, arena_printf(ctx->mem, "'%s' holds no shard that is whole", folder),
                              "each is left by onyx run ... --shard I/N -o DIR, once it has made its runs");
}

bool compile_may_divide(const compile_options *o, const compile_context *ctx, const compile_kernel *k) {
    const text_vec *given = &o->running.merged;
    if (!o->running.shards && !given->len)
        return true;
    for (uint32_t n = 0; n <= k->producers.len; n++) {
        if (compile_kernel_at(k, n)->array.independent)
            return not_whole(
                ctx,
                "copies start each when it is free (--dispatch dynamic), so that runs depend on each other",
                "--dispatch sorted");
    }
    for (uint32_t i = 0; i < given->len; i++) {
        if (!is_of_some(o, ctx, k, given->at[i]))
            return false;
    }
    const compile_kernel *next = compile_without_shards(o, ctx, k);
    if (o->running.shards && !next)
        return not_whole(ctx, "no kernel on the array is left whose runs --shard could divide",
                         given->len ? "onyx merge without --shard puts the shards together"
                                    : "the host computes the expression: leave --shard out");
    if (!o->running.shards && next)
        diag_note(ctx->diag, (src_loc){0}, "no shard is of kernel %s: its runs are made here",
                  names_text(ctx->names, sam_tensor_at(&next->user, next->user.result)->name));
    return true;
}

static bool read_one(const compile_context *ctx, const char *folder, one_shard *out) {
    const char *path = arena_printf(ctx->mem, "%s/shard.json", folder), *design = NULL;
    uint32_t version = 0;
    *out = (one_shard){0};
    cJSON *json = json_read(path, ctx->diag);
    const cJSON *list = json ? json_get_array(json, path, "batches", ctx->diag) : NULL, *one;
    bool ok = list && json_get_u32(json, path, "format_version", &version, ctx->diag) &&
              json_get_u32(json, path, "shard", &out->shard, ctx->diag) &&
              json_get_u32(json, path, "of", &out->of, ctx->diag) &&
              json_get_text(json, path, "design", &design, ctx->diag);
    out->what.design = ok ? strtoull(design, NULL, 16) : 0;
    cJSON_ArrayForEach(one, list) {
        const char *text = cJSON_GetStringValue(one);
        vec_push(ctx->mem, &out->what.batch, text ? strtoull(text, NULL, 16) : 0);
    }
    cJSON_Delete(json);
    if (ok && version != SHARD_FORMAT)
        return not_whole(ctx, arena_printf(ctx->mem, "'%s' is of another release", path),
                         "make all shards with this one");
    return ok;
}

static bool same_batches(const compile_shard_of *a, const compile_shard_of *b) {
    return a->batch.len == b->batch.len &&
           (!a->batch.len || memcmp(a->batch.at, b->batch.at, sizeof *a->batch.at * a->batch.len) == 0);
}

/* Puts a shard into its place; false if it belongs to another whole. */
static bool add_one(const compile_engine_in *in, const char *folder, const one_shard *s,
                    compile_shards *out) {
    const compile_context *ctx = in->ctx;
    if (s->of != out->n || s->shard < 1 || s->shard > out->n)
        return not_whole(ctx,
                         arena_printf(ctx->mem, "'%s' is shard %u of %u, and %u %s given", folder, s->shard,
                                      s->of, out->n, plural(out->n, "is", "are")),
                         "onyx merge takes all shards of a run, and nothing else");
    if (out->folder[s->shard - 1])
        return not_whole(ctx,
                         arena_printf(ctx->mem, "'%s' and '%s' are both shard %u of %u",
                                      out->folder[s->shard - 1], folder, s->shard, s->of),
                         "name the folder of each shard once");
    if (s->what.design != compile_shard_design(in->bits))
        return not_whole(ctx, arena_printf(ctx->mem, "'%s' is of another bitstream", folder),
                         "all shards come of one command, but for --shard and -o, and of one release");
    if (out->of.batch.len && !same_batches(&out->of, &s->what))
        return not_whole(
            ctx, arena_printf(ctx->mem, "'%s' has made other runs than '%s'", folder, in->how.merged.at[0]),
            "all shards read the same operands");
    out->folder[s->shard - 1] = folder;
    out->of = s->what;
    return true;
}

bool compile_shards_read(const compile_engine_in *in, compile_shards *out) {
    const text_vec *folders = &in->how.merged;
    bool ok = true;
    *out =
        (compile_shards){.n = folders->len, .folder = arena_new_n(in->ctx->mem, const char *, folders->len)};
    for (uint32_t i = 0; i < folders->len && ok; i++) {
        one_shard one;
        ok = read_one(in->ctx, folders->at[i], &one) && add_one(in, folders->at[i], &one, out);
    }
    return ok;
}

bool compile_shards_match(const compile_engine_in *in, const compile_shards *s, uint32_t number,
                          const tile_plan *plan) {
    return (number < s->of.batch.len && s->of.batch.at[number] == compile_shard_batch(plan)) ||
           not_whole(in->ctx, "the operands are not those that the shards have read",
                     "leave the files as they were, or make all shards anew");
}
