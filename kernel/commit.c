/* A folder is whole or old. A command makes its files in DIR/partial, report.json among them, and all are on
 * the disk before the partial folder is renamed to DIR/ready: the moment of the change. Before the rename the
 * folder is unchanged. After it each file of DIR/ready is moved to its place; any process that finds
 * DIR/ready moves the rest: no reader sees a mix. Moving a moved file again has no effect. */
#include "kernel/commit.h"
#include "support/inputs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char report_name[] = "report.json";

static bool cannot(diagnostics *d, const char *what, const char *path) {
    return diag_error(d, (src_loc){0}, "E0004-write", "cannot %s '%s': %s", what, path, strerror(errno));
}

/* ---- every file of a folder -------------------------------------------------------------------------- */

typedef struct {
    const char *folder;
    compile_file_visit *one;
    void *context;
    diagnostics *d;
} walk;

/* `name` is "" or ends in '/'. */
static bool each(const walk *w, const char *name) {
    struct dirent **entries = NULL;
    arena *mem = w->d->mem;
    const char *path = arena_printf(mem, "%s/%s", w->folder, name);
    int n = scandir(path, &entries, NULL, alphasort);
    bool ok = n >= 0 || cannot(w->d, "read", path);
    for (int i = 0; i < n; i++) {
        const char *one = arena_printf(mem, "%s%s", name, entries[i]->d_name);
        const bool link = strcmp(entries[i]->d_name, ".") == 0 || strcmp(entries[i]->d_name, "..") == 0;
        struct stat info;
        free(entries[i]);
        if (!ok || link)
            continue;
        const bool is_folder =
            stat(arena_printf(mem, "%s/%s", w->folder, one), &info) == 0 && S_ISDIR(info.st_mode);
        ok = w->one(w->context, one, is_folder) && (!is_folder || each(w, arena_printf(mem, "%s/", one)));
    }
    free(entries);
    return ok;
}

bool compile_each_file(const char *folder, compile_file_visit *one, void *context, diagnostics *d) {
    return each(&(walk){folder, one, context, d}, "");
}

const char *compile_hash_file(const char *path, diagnostics *d) {
    struct stat info;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    void *bytes = NULL;
    bool ok = file >= 0 && fstat(file, &info) == 0;
    const size_t length = ok ? (size_t)info.st_size : 0;
    if (ok && length)
        bytes = mmap(NULL, length, PROT_READ, MAP_PRIVATE, file, 0);
    ok = (ok && bytes != MAP_FAILED) || cannot(d, "read", path);
    const uint64_t hash = ok ? hash_bytes(length ? bytes : "", length) : 0;
    if (ok && length)
        munmap(bytes, length);
    if (file >= 0)
        close(file);
    return ok ? arena_printf(d->mem, "%016llx", (unsigned long long)hash) : NULL;
}

/* ---- the change -----------------------------------------------------------------------------------------
 */

typedef struct {
    compile_context *ctx;
    const char *from, *to;
    bool sync;
    const cJSON *before, *now; /* "files" of the last report, and of the new report; NULL: none */
} change;

static const char *path_in(const change *c, const char *folder, const char *name) {
    return arena_printf(c->ctx->mem, "%s/%s", folder, name);
}

/* Waits until the file or folder is on the disk. A file system without sync is not asked again. */
static bool sync_path(const change *c, const char *path) {
    int file = c->sync ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0)
        return true;
    const bool ok = fsync(file) == 0 || errno == EINVAL || errno == EROFS;
    const int why = errno;
    close(file);
    errno = why;
    return ok || cannot(c->ctx->diag, "write", path);
}

static bool sync_one(void *context, const char *name, bool is_folder) {
    (void)is_folder;
    const change *c = context;
    return sync_path(c, path_in(c, c->from, name));
}

/* Whether the name is free for the file, to exclude obstacles after the change. */
static bool is_free(void *context, const char *name, bool is_folder) {
    const change *c = context;
    const char *to = path_in(c, c->to, name);
    struct stat info;
    if (!is_folder && !inputs_spared(c->ctx->diag, to))
        return false;
    if (stat(to, &info) != 0)
        return true;
    const bool there = S_ISDIR(info.st_mode);
    errno = there ? EISDIR : ENOTDIR;
    return there == is_folder || cannot(c->ctx->diag, "write", to);
}

/* If the name is a link, or no file, the bytes are written into the existing object. */
static bool write_there(const change *c, const char *from, const char *to) {
    size_t length = 0;
    arena scratch = {0};
    const char *bytes = file_read(from, &scratch, &length, c->ctx->diag);
    file_out f;
    bool ok = bytes && file_create(&f, to, &scratch, c->ctx->diag);
    if (ok) {
        fwrite(bytes, 1, length, f.stream);
        ok = file_commit(&f, c->ctx->diag);
    }
    arena_free(&scratch);
    return ok;
}

static bool move(const change *c, const char *name) {
    const char *from = path_in(c, c->from, name), *to = path_in(c, c->to, name);
    struct stat info;
    if (lstat(to, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))
        return write_there(c, from, to) && remove(from) == 0;
    return rename(from, to) == 0 || cannot(c->ctx->diag, "write", to);
}

static bool move_one(void *context, const char *name, bool is_folder) {
    const change *c = context;
    if (is_folder)
        return make_folder(path_in(c, c->to, name), c->ctx->diag);
    return strcmp(name, report_name) == 0 || move(c, name);
}

/* ---- files of the last command ---
 */

/* Removes a file listed by the last report, unchanged since, and absent from the new report. */
static void remove_listed(const change *c, const char *name) {
    const char *was = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(c->before, name));
    const char *path = path_in(c, c->to, name);
    diagnostics quiet;
    diag_init(&quiet, c->ctx->mem);
    if (!was || cJSON_HasObjectItem(c->now, name) || access(path_in(c, c->from, name), F_OK) == 0 ||
        access(path, R_OK) != 0)
        return;
    const char *is = compile_hash_file(path, &quiet);
    if (is && strcmp(is, was) == 0 && inputs_spared(c->ctx->diag, path))
        remove(path);
}

/* A result is a matrix or a tensor file, beside a file of its format: files of other forms that have its name
 * are of an earlier result. */
static bool remove_other_forms(void *context, const char *name, bool is_folder) {
    static const char *const forms[] = {".mtx", ".tns", ".stored"};
    enum { FORMS = sizeof forms / sizeof *forms };
    const change *c = context;
    const char *dot = is_folder ? NULL : strrchr(name, '.');
    bool is_form = false;
    for (uint32_t n = 0; n < FORMS; n++)
        is_form = is_form || (dot && strcmp(dot, forms[n]) == 0);
    for (uint32_t n = 0; n < FORMS && is_form; n++)
        remove_listed(c, arena_printf(c->ctx->mem, "%.*s%s", (int)(dot - name), name, forms[n]));
    return true;
}

/* Returns whether the file lies in a folder called "dump". */
static bool is_dump(const char *name) {
    const char *slash = strrchr(name, '/');
    return slash && slash - name >= 4 && strncmp(slash - 4, "dump", 4) == 0 &&
           (slash - name == 4 || slash[-5] == '/');
}

/* Removes another command's files next to this command's. Results stay: they may be operands. */
static void clear(const change *c) {
    static const char *const names[] = {
        "command.json", "view.html",    "bitstream.bs", "netlist.json",  "design.packed",
        "design.place", "design.route", "sam.gv",       "sam_hw.gv",     "io.trace",
        "job.bin",      "waves.fst",    "waves.gtkw",   "timeline.json", "program_timeline.json",
        "coverage.dat", "compare.html"};
    const cJSON *one;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        remove_listed(c, names[i]);
    cJSON_ArrayForEach(one, c->before) {
        if (is_dump(one->string)) {
            remove_listed(c, one->string);
            remove(path_in(c, c->to,
                           arena_printf(c->ctx->mem, "%.*s", (int)(strrchr(one->string, '/') - one->string),
                                        one->string)));
        }
    }
}

static cJSON *files_of(const change *c, const char *folder, cJSON **report) {
    diagnostics quiet;
    diag_init(&quiet, c->ctx->mem);
    const char *path = path_in(c, folder, report_name);
    *report = access(path, R_OK) == 0 ? json_read(path, &quiet) : NULL;
    return cJSON_GetObjectItemCaseSensitive(*report, "files");
}

static bool count_file(void *context, const char *name, bool is_folder) {
    uint32_t *files = context;
    (void)name;
    *files += !is_folder;
    return true;
}

/* Removes the files that the files of c->from replace, and the last report if no report follows. */
static bool make_room(change *c, bool without_report) {
    clear(c);
    if (!compile_each_file(c->from, remove_other_forms, c, c->ctx->diag))
        return false;
    if (without_report)
        remove(path_in(c, c->to, report_name));
    return true;
}

/* Moves the files of c->from. Files without a report come from a command without one: the last report is
 * removed first. */
static bool roll_forward(change *c) {
    cJSON *before, *now;
    diagnostics *d = c->ctx->diag;
    uint32_t files = 0;
    c->before = files_of(c, c->to, &before);
    c->now = files_of(c, c->from, &now);
    const char *report = path_in(c, c->from, report_name);
    const bool ok = (now || access(report, F_OK) != 0 || cannot(d, "read", report)) &&
                    compile_each_file(c->from, count_file, &files, d) &&
                    (!files || make_room(c, before && !now)) && compile_each_file(c->from, move_one, c, d) &&
                    (!now || move(c, report_name)) && sync_path(c, c->to);
    cJSON_Delete(before);
    cJSON_Delete(now);
    if (ok)
        remove_folder(c->from);
    return ok;
}

bool compile_make_ready(compile_context *ctx, const char *folder, bool passing) {
    change c = {.ctx = ctx, .from = ctx->partial, .to = folder, .sync = !passing && !getenv("ONYX_NO_SYNC")};
    if (!compile_each_file(c.from, is_free, &c, ctx->diag) ||
        !compile_each_file(c.from, sync_one, &c, ctx->diag) || !sync_path(&c, c.from))
        return false;
    const char *ready = path_in(&c, folder, "ready");
    if (rename(c.from, ready) != 0)
        return cannot(ctx->diag, "write", ready);
    c.from = ready;
    ctx->partial = NULL;
    return sync_path(&c, folder) && roll_forward(&c);
}

bool compile_folder_recover(compile_context *ctx, const char *folder) {
    change c = {.ctx = ctx, .to = folder, .sync = !getenv("ONYX_NO_SYNC")};
    int lock = -1;
    c.from = path_in(&c, folder, "ready");
    if (access(c.from, F_OK) != 0)
        return true;
    bool ok = (ctx->folder || folder_take(folder, ctx->diag, &lock)) &&
              (access(c.from, F_OK) != 0 || roll_forward(&c));
    if (lock >= 0)
        close(lock);
    return ok;
}

/* ---- for readers of the folder ---
 */

static bool is_named(const char *path, const char *const *names) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

static bool fits(const change *c, const cJSON *listed) {
    const char *path = path_in(c, c->to, listed->string), *was = cJSON_GetStringValue(listed);
    if (!was || access(path, R_OK) != 0)
        return true;
    const char *is = compile_hash_file(path, c->ctx->diag);
    if (!is || strcmp(is, was) == 0)
        return is != NULL;
    diag_error(c->ctx->diag, (src_loc){0}, "E0956-mixed",
               "'%s' is not the file that the folder's report.json lists", path);
    return diag_hint(c->ctx->diag,
                     "run the command again: what is there is of two runs, was cut off or was changed");
}

bool compile_folder_fits(compile_context *ctx, const char *folder, const char *const *names) {
    const change c = {.ctx = ctx, .to = folder};
    cJSON *report;
    const cJSON *files = files_of(&c, folder, &report), *one;
    bool ok = true;
    cJSON_ArrayForEach(one, files) ok = ok && (!is_named(one->string, names) || fits(&c, one));
    cJSON_Delete(report);
    return ok;
}

void compile_list_file(compile_context *ctx, const char *folder, const char *name) {
    const change c = {.ctx = ctx, .to = folder};
    cJSON *report = NULL;
    diagnostics quiet; /* to whom the report is no input */
    int lock = -1;
    diag_init(&quiet, ctx->mem);
    cJSON *files = folder_take(folder, &quiet, &lock) ? files_of(&c, folder, &report) : NULL;
    const char *hash = files ? compile_hash_file(path_in(&c, folder, name), &quiet) : NULL;
    if (hash) {
        cJSON_DeleteItemFromObjectCaseSensitive(files, name);
        cJSON_AddStringToObject(files, name, hash);
        json_write(report, path_in(&c, folder, report_name), &quiet);
    }
    cJSON_Delete(report);
    if (lock >= 0)
        close(lock);
}
