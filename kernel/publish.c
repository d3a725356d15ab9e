/* The output folder changes only when a command's files are complete: files are made in DIR/partial, with a
 * report that lists them, and the partial folder replaces the old files as a whole (commit.c). */
#include "kernel/commit.h"
#include "kernel/folder.h"

static const char report_name[] = "report.json";

static bool keep_record(compile_context *ctx) {
    file_out f;
    if (!ctx->record)
        return true;
    if (!file_create(&f, arena_printf(ctx->mem, "%s/command.json", ctx->partial), ctx->mem, ctx->diag))
        return false;
    fputs(ctx->record, f.stream);
    return file_commit(&f, ctx->diag);
}

bool compile_begin_partial(const compile_options *o, compile_context *ctx) {
    if (!o->files.out || o->asked.within)
        return true;
    ctx->partial = arena_printf(ctx->mem, "%s/partial", o->files.out);
    remove_folder(ctx->partial);
    return make_folder(ctx->partial, ctx->diag) && keep_record(ctx);
}

/* Names reserved in the folder get an additional letter. */
const char *compile_kernel_folder(const char *folder, const char *tensor, arena *mem) {
    static const char *const taken[] = {"partial", "ready", "dump", "rtl", "firmware"};
    const char *more = "";
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        more = strcmp(tensor, taken[i]) == 0 ? "_" : more;
    return arena_printf(mem, "%s/%s%s", folder, tensor, more);
}

/* ---- report.json ------------------------------------------------------------------------------------ */

typedef struct {
    const compile_options *o;
    compile_context *ctx;
    cJSON *files; /* of the report; NULL: no report */
} publishing;

static const char *in_partial(const publishing *p, const char *name) {
    return arena_printf(p->ctx->mem, "%s/%s", p->ctx->partial, name);
}

static bool list_file(void *context, const char *name, bool is_folder) {
    const publishing *p = context;
    if (is_folder || strcmp(name, report_name) == 0)
        return true;
    const char *hash = compile_hash_file(in_partial(p, name), p->ctx->diag);
    if (!hash)
        return false;
    cJSON_DeleteItemFromObjectCaseSensitive(p->files, name);
    cJSON_AddStringToObject(p->files, name, hash); /* as text: JSON numbers are doubles */
    return true;
}

/* Keeps the present report's entries of files not made again. */
static void keep_listed(const publishing *p, const cJSON *report) {
    const cJSON *one;
    cJSON_ArrayForEach(one, cJSON_GetObjectItemCaseSensitive(report, "files")) {
        if (cJSON_IsString(one))
            cJSON_AddStringToObject(p->files, one->string, one->valuestring);
    }
}

/* Adds the checksum of each pass' files, of a single kernel, or of several in order. */
static void add_checksums(const publishing *p, cJSON *report) {
    static const struct {
        const char *stage, *file;
    } made[] = {{"frontend", "sam.gv"},
                {"lower", "netlist.json"},
                {"place", "design.place"},
                {"route", "design.route"},
                {"bitstream", "bitstream.bs"}};
    cJSON *sums = cJSON_GetObjectItemCaseSensitive(report, "checksums");
    for (size_t i = 0; sums && i < sizeof made / sizeof *made; i++) {
        const cJSON *one;
        const char *hash = NULL;
        cJSON_ArrayForEach(one, p->files) {
            const char *slash = strrchr(one->string, '/'), *name = slash ? slash + 1 : one->string;
            if (strcmp(name, made[i].file) != 0 || strncmp(one->string, "dump/", 5) == 0)
                continue;
            const uint64_t both =
                hash ? hash_more(hash_bytes(hash, strlen(hash)), one->valuestring, strlen(one->valuestring))
                     : 0;
            hash = hash ? arena_printf(p->ctx->mem, "%016llx", (unsigned long long)both) : one->valuestring;
        }
        cJSON_DeleteItemFromObjectCaseSensitive(sums, made[i].stage);
        if (hash)
            cJSON_AddStringToObject(sums, made[i].stage, hash);
    }
    static const char *const last[] = {"tile", "run"}; /* in the order of the stages */
    for (size_t i = 0; sums && i < sizeof last / sizeof *last; i++) {
        cJSON *one = cJSON_DetachItemFromObjectCaseSensitive(sums, last[i]);
        if (one)
            cJSON_AddItemToObject(sums, last[i], one);
    }
}

/* Written into the partial folder: a full disk shows before anything moves. */
static bool write_report(publishing *p, cJSON *report) {
    diagnostics quiet;
    diag_init(&quiet, p->ctx->mem);
    cJSON *before = p->o->files.again
                        ? json_read(arena_printf(p->ctx->mem, "%s/%s", p->o->files.out, report_name), &quiet)
                        : NULL;
    cJSON *now = report ? report : before;
    bool ok = true;
    if (cJSON_IsObject(now)) {
        p->files = cJSON_CreateObject();
        keep_listed(p, before);
        ok = compile_each_file(p->ctx->partial, list_file, p, p->ctx->diag);
        cJSON_DeleteItemFromObjectCaseSensitive(now, "files");
        cJSON_AddItemToObject(now, "files", p->files);
        add_checksums(p, now);
        ok = ok && json_write(now, in_partial(p, report_name), p->ctx->diag);
    }
    cJSON_Delete(before);
    return ok;
}

bool compile_publish(const compile_options *o, compile_context *ctx, cJSON *report) {
    publishing p = {.o = o, .ctx = ctx};
    return !ctx->partial ||
           (write_report(&p, report) && compile_make_ready(ctx, o->files.out, o->files.passing));
}
