/* The output folder changes when all that a command leaves there is made, and not before: it is made in
 * DIR/partial, then moved file by file, report.json last. */
#include "kernel/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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
    if (!o->out || o->within)
        return true;
    ctx->partial = arena_printf(ctx->mem, "%s/partial", o->out);
    remove_folder(ctx->partial);
    return make_folder(ctx->partial, ctx->diag) && keep_record(ctx);
}

/* Names that the folder has other uses for get a letter more. */
const char *compile_kernel_folder(const char *folder, const char *tensor, arena *mem) {
    static const char *const taken[] = {"partial", "dump", "rtl", "firmware"};
    const char *more = "";
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        more = strcmp(tensor, taken[i]) == 0 ? "_" : more;
    return arena_printf(mem, "%s/%s%s", folder, tensor, more);
}

/* ---- every file of the partial folder --------------------------------------------------------------- */

typedef struct publishing publishing;
struct publishing {
    const compile_options *o;
    compile_context *ctx;
    bool (*file)(publishing *p, const char *name); /* relative to either folder */
    bool (*folder)(publishing *p, const char *name);
    cJSON *files; /* of the report; NULL: there is no report */
};

static const char *in_partial(const publishing *p, const char *name) {
    return arena_printf(p->ctx->mem, "%s/%s", p->ctx->partial, name);
}
static const char *in_place(const publishing *p, const char *name) {
    return arena_printf(p->ctx->mem, "%s/%s", p->o->out, name);
}

static bool cannot(const publishing *p, const char *what, const char *path) {
    diag_error(p->ctx->diag, (src_loc){0}, "E0004-write", "cannot %s '%s': %s", what, path, strerror(errno));
    return false;
}

/* In the order of their names; `name` is "" or ends in '/'. */
static bool each(publishing *p, const char *name) {
    struct dirent **entries = NULL;
    const char *path = in_partial(p, name);
    int n = scandir(path, &entries, NULL, alphasort);
    bool ok = n >= 0 || cannot(p, "read", path);
    for (int i = 0; i < n; i++) {
        const char *one = arena_printf(p->ctx->mem, "%s%s", name, entries[i]->d_name);
        bool link = strcmp(entries[i]->d_name, ".") == 0 || strcmp(entries[i]->d_name, "..") == 0;
        struct stat info;
        free(entries[i]);
        if (!ok || link)
            continue;
        if (stat(in_partial(p, one), &info) == 0 && S_ISDIR(info.st_mode))
            ok = (!p->folder || p->folder(p, one)) && each(p, arena_printf(p->ctx->mem, "%s/", one));
        else
            ok = p->file(p, one);
    }
    free(entries);
    return ok;
}

/* ---- report.json ------------------------------------------------------------------------------------ */

/* XXH64 of a file, however long it is. */
static bool hash_of(const publishing *p, const char *path, uint64_t *hash) {
    struct stat info;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    void *bytes = NULL;
    bool ok = file >= 0 && fstat(file, &info) == 0;
    size_t length = ok ? (size_t)info.st_size : 0;
    if (ok && length)
        bytes = mmap(NULL, length, PROT_READ, MAP_PRIVATE, file, 0);
    ok = (ok && bytes != MAP_FAILED) || cannot(p, "read", path);
    if (ok)
        *hash = hash_bytes(length ? bytes : "", length);
    if (ok && length)
        munmap(bytes, length);
    if (file >= 0)
        close(file);
    return ok;
}

static bool list_file(publishing *p, const char *name) {
    uint64_t hash;
    if (strcmp(name, report_name) == 0)
        return true;
    if (!hash_of(p, in_partial(p, name), &hash))
        return false;
    cJSON_DeleteItemFromObjectCaseSensitive(p->files, name);
    /* As text: JSON numbers are doubles. */
    cJSON_AddStringToObject(p->files, name, arena_printf(p->ctx->mem, "%016llx", (unsigned long long)hash));
    return true;
}

/* What the report that is in place says of files that were not made again. */
static void keep_listed(const publishing *p, const cJSON *report) {
    const cJSON *one;
    cJSON_ArrayForEach(one, cJSON_GetObjectItemCaseSensitive(report, "files")) {
        if (cJSON_IsString(one))
            cJSON_AddStringToObject(p->files, one->string, one->valuestring);
    }
}

/* Adds the checksum of what each stage left in files, which are that of one kernel, or of several in their
 * order. */
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
    static const char *const later[] = {"tile", "run"}; /* in the order of the stages */
    for (size_t i = 0; sums && i < sizeof later / sizeof *later; i++) {
        cJSON *one = cJSON_DetachItemFromObjectCaseSensitive(sums, later[i]);
        if (one)
            cJSON_AddItemToObject(sums, later[i], one);
    }
}

/* Into the partial folder, so that a disk that is full shows before anything moves. */
static bool write_report(publishing *p, cJSON *report) {
    diagnostics quiet;
    diag_init(&quiet, p->ctx->mem);
    cJSON *before = p->o->again ? json_read(in_place(p, report_name), &quiet) : NULL;
    cJSON *now = report ? report : before;
    bool ok = true;
    if (cJSON_IsObject(now)) {
        p->files = cJSON_CreateObject();
        keep_listed(p, before);
        p->file = list_file;
        ok = each(p, "");
        cJSON_DeleteItemFromObjectCaseSensitive(now, "files");
        cJSON_AddItemToObject(now, "files", p->files);
        add_checksums(p, now);
        ok = ok && json_write(now, in_partial(p, report_name), p->ctx->diag);
    }
    cJSON_Delete(before);
    return ok;
}

/* ---- moving ----------------------------------------------------------------------------------------- */

static bool make_place(publishing *p, const char *name) {
    return make_folder(in_place(p, name), p->ctx->diag);
}

/* Where the name is a link, or no file, what stands there gets the bytes. */
static bool write_there(const publishing *p, const char *from, const char *to) {
    size_t length = 0;
    arena scratch = {0};
    const char *bytes = file_read(from, &scratch, &length, p->ctx->diag);
    file_out f;
    bool ok = bytes && file_create(&f, to, &scratch, p->ctx->diag);
    if (ok) {
        fwrite(bytes, 1, length, f.stream);
        ok = file_commit(&f, p->ctx->diag);
    }
    arena_free(&scratch);
    return ok;
}

static bool move(const publishing *p, const char *name) {
    const char *from = in_partial(p, name), *to = in_place(p, name);
    struct stat info;
    if (lstat(to, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))
        return write_there(p, from, to);
    return rename(from, to) == 0 || cannot(p, "write", to);
}

/* A result is a matrix or a tensor file: the one of another order that has its name is of an earlier result.
 */
static void remove_other_form(const publishing *p, const char *name) {
    const char *dot = strrchr(name, '.');
    const bool matrix = dot && strcmp(dot, ".mtx") == 0;
    if (!matrix && !(dot && strcmp(dot, ".tns") == 0))
        return;
    const char *other =
        arena_printf(p->ctx->mem, "%.*s%s", (int)(dot - name), name, matrix ? ".tns" : ".mtx");
    if (access(in_partial(p, other), F_OK) != 0)
        remove(in_place(p, other));
}

static bool move_file(publishing *p, const char *name) {
    remove_other_form(p, name);
    return strcmp(name, report_name) == 0 || move(p, name);
}

static void clear_dumps(const char *folder, arena *mem) {
#define DUMP(stage, type, end, doc) remove(arena_printf(mem, "%s/dump/%s.%s", folder, #stage, end));
#include "kernel/dumps.def"
#undef DUMP
    remove(arena_printf(mem, "%s/dump", folder));
}

/* What another command left must not stand beside what this one leaves. */
static void clear(const publishing *p, const compile_kernel *k) {
    static const char *const names[] = {"command.json",  "view.html",
                                        "bitstream.bs",  "netlist.json",
                                        "design.packed", "design.place",
                                        "design.route",  "sam.gv",
                                        "sam_hw.gv",     "io.trace",
                                        "waves.fst",     "waves.gtkw",
                                        "timeline.json", "program_timeline.json",
                                        "coverage.dat",  "compare.html",
                                        report_name};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (access(in_partial(p, names[i]), F_OK) != 0)
            remove(in_place(p, names[i]));
    }
    clear_dumps(p->o->out, p->ctx->mem);
    for (uint32_t n = 0; n < k->producers.len; n++)
        clear_dumps(k->producers.at[n].place, p->ctx->mem);
    clear_dumps(k->place, p->ctx->mem);
}

bool compile_publish(const compile_options *o, compile_context *ctx, const compile_kernel *k, cJSON *report) {
    publishing p = {.o = o, .ctx = ctx};
    if (!ctx->partial)
        return true;
    if (!write_report(&p, report))
        return false;
    if (!o->again)
        clear(&p, k);
    p.file = move_file;
    p.folder = make_place;
    if (!each(&p, "") || (access(in_partial(&p, report_name), F_OK) == 0 && !move(&p, report_name)))
        return false;
    remove_folder(ctx->partial);
    ctx->partial = NULL;
    return true;
}
