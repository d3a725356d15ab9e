/* Results in an SQLite file: a row a point. */
#include "support/inputs.h"
#include "support/number.h"
#include "sweep/settings.h"
#include "sweep/sweep_int.h"

#include <malloc.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <threads.h>
#include <unistd.h>

struct sweep_store {
    sqlite3 *db;
    const char *path, *folder;
};

const char *const sweep_state_name[SWEEP_LATE + 1] = {"none",  "done",    "mistake", "refused",
                                                      "wrong", "crashed", "late"};

enum { STORE_VERSION = 1, BUSY_MS = 30000 };

static const char schema[] =
    "CREATE TABLE point (\n"
    "  key TEXT PRIMARY KEY,      -- XXH64 of program, arguments and inputs\n"
    "  plan TEXT NOT NULL,        -- XXH64 of what the points of one sweep have in common\n"
    "  settings TEXT NOT NULL,    -- JSON object: axis to value\n"
    "  arguments TEXT NOT NULL,   -- JSON array\n"
    "  expression TEXT, engine TEXT,\n"
    "  state TEXT NOT NULL, message TEXT, result_check TEXT,\n"
    "  cycles REAL, time_us REAL, fmax_mhz REAL, pe REAL, mem REAL, io REAL, words REAL, passes REAL,\n"
    "  result_nnz REAL, wall_s REAL,\n"
    "  confirm_engine TEXT, confirm_cycles REAL, confirm_check TEXT,\n"
    "  report TEXT,               -- report.json\n"
    "  finished TEXT DEFAULT CURRENT_TIMESTAMP,\n"
    "  UNIQUE (plan, settings));\n";

static bool fail(sweep_store *store, const char *doing, diagnostics *d) {
    int code = store->db ? sqlite3_errcode(store->db) : SQLITE_NOMEM;
    diag_error(d, (src_loc){0}, "E0940-store", "cannot %s '%s': %s", doing, store->path,
               store->db ? sqlite3_errmsg(store->db) : "out of memory");
    if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT)
        diag_hint(d, "it is no results file of 'onyx sweep', or it is damaged; name another one with --db");
    else if (code == SQLITE_FULL || code == SQLITE_IOERR)
        diag_hint(d, "results stored so far are safe; make room and give the same command again");
    return false;
}

static bool execute(sweep_store *store, const char *sql, const char *doing, diagnostics *d) {
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK || fail(store, doing, d);
}

static int version_of(sweep_store *store) {
    sqlite3_stmt *q = NULL;
    int version = -1;
    if (sqlite3_prepare_v2(store->db, "PRAGMA user_version", -1, &q, NULL) == SQLITE_OK &&
        sqlite3_step(q) == SQLITE_ROW)
        version = sqlite3_column_int(q, 0);
    sqlite3_finalize(q);
    return version;
}

/* Makes a missing table. Another sweep may be making the same file: the second process finds the table. */
static bool prepare(sweep_store *store, bool create, diagnostics *d) {
    sqlite3_busy_timeout(store->db, BUSY_MS);
    int version = version_of(store);
    if (version < 0)
        return fail(store, "read", d);
    if (version == 0 && create) {
        if (!execute(store, "BEGIN IMMEDIATE", "write", d))
            return false;
        version = version_of(store);
        bool ok = version != 0 ||
                  (execute(store, schema, "make", d) && execute(store, "PRAGMA user_version = 1", "make", d));
        if (!execute(store, ok ? "COMMIT" : "ROLLBACK", "make", d) || !ok)
            return false;
        version = version_of(store);
    }
    if (version != STORE_VERSION) {
        diag_error(d, (src_loc){0}, "E0940-store", "'%s' holds no results of this version of 'onyx sweep'",
                   store->path);
        diag_hint(d, "name another file with --db");
    }
    return version == STORE_VERSION;
}

/* ---- SQLite's memory: its JSON functions report a wrong document when memory runs out ------------- */

static void *allocate(int bytes) {
    void *p = malloc((size_t)bytes);
    if (!p)
        out_of_memory((size_t)bytes);
    return p;
}

static void *reallocate(void *old, int bytes) {
    void *p = realloc(old, (size_t)bytes);
    if (!p)
        out_of_memory((size_t)bytes);
    return p;
}

static int size_of(void *p) {
    return p ? (int)malloc_usable_size(p) : 0;
}

static int round_up(int bytes) {
    return (bytes + 7) / 8 * 8;
}

static int start(void *none) {
    (void)none;
    return SQLITE_OK;
}

static void stop(void *none) {
    (void)none;
}

static void set_memory(void) {
    sqlite3_config(SQLITE_CONFIG_MALLOC,
                   &(sqlite3_mem_methods){allocate, free, reallocate, size_of, round_up, start, stop, NULL});
}

sweep_store *sweep_open(const char *path, bool create, arena *mem, diagnostics *d) {
    sweep_store *store = arena_new(mem, sweep_store);
    store->path = arena_strdup(mem, path);
    store->folder = arena_printf(mem, "%s.work", path);
    static once_flag memory = ONCE_FLAG_INIT;
    call_once(&memory, set_memory);
    int flags = SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0);
    bool ok = sqlite3_open_v2(path, &store->db, flags, NULL) == SQLITE_OK || fail(store, "open", d);
    if (ok && prepare(store, create, d)) {
        inputs_note(d, path);
        return store;
    }
    sweep_close(store);
    return NULL;
}

void sweep_close(sweep_store *store) {
    if (store)
        sqlite3_close(store->db);
}

const char *store_folder(const sweep_store *store) {
    return store->folder;
}

bool store_has(sweep_store *store, const char *key) {
    static const char sql[] = "SELECT 1 FROM point WHERE key = ?1 AND state NOT IN ('crashed', 'late')";
    sqlite3_stmt *q = NULL;
    bool found = sqlite3_prepare_v2(store->db, sql, -1, &q, NULL) == SQLITE_OK &&
                 sqlite3_bind_text(q, 1, key, -1, SQLITE_STATIC) == SQLITE_OK &&
                 sqlite3_step(q) == SQLITE_ROW;
    sqlite3_finalize(q);
    return found;
}

static char *arguments_json(const sweep_point *point) {
    cJSON *list = cJSON_CreateArray();
    for (uint32_t i = 0; i < point->arguments.len; i++)
        cJSON_AddItemToArray(list, cJSON_CreateString(point->arguments.at[i]));
    char *text = json_print(list, false);
    cJSON_Delete(list);
    return text;
}

bool store_put(sweep_store *store, const sweep_row *row, const sweep_point *point, const char *report,
               diagnostics *d) {
    static const char sql[] =
        "REPLACE INTO point (key, plan, settings, arguments, expression, engine, state, message, "
        "result_check,"
        " cycles, time_us, fmax_mhz, pe, mem, io, words, passes, result_nnz, wall_s, report)"
        " VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18,?19,?20)";
    char *arguments = arguments_json(point);
    const char *const text[] = {row->key,
                                row->plan,
                                row->settings,
                                arguments,
                                row->expression,
                                row->engine,
                                sweep_state_name[row->state],
                                row->message,
                                row->check};
    const double number[] = {row->cycles,  row->time_us,    row->fmax_mhz,    row->size.pe,    row->size.mem,
                             row->size.io, row->size.words, row->size.passes, row->result_nnz, row->wall_s};
    const int texts = sizeof text / sizeof *text, numbers = sizeof number / sizeof *number;
    sqlite3_stmt *q = NULL;
    bool ok = sqlite3_prepare_v2(store->db, sql, -1, &q, NULL) == SQLITE_OK;
    for (int i = 0; i < texts && ok; i++)
        ok = sqlite3_bind_text(q, i + 1, text[i], -1, SQLITE_STATIC) == SQLITE_OK;
    for (int i = 0; i < numbers && ok; i++)
        ok = sqlite3_bind_double(q, texts + i + 1, number[i]) == SQLITE_OK;
    ok = ok && sqlite3_bind_text(q, texts + numbers + 1, report, -1, SQLITE_STATIC) == SQLITE_OK &&
         sqlite3_step(q) == SQLITE_DONE;
    if (!ok)
        fail(store, "write", d);
    sqlite3_finalize(q);
    cJSON_free(arguments);
    return ok;
}

bool store_confirm(sweep_store *store, const char *key, const char *engine, double cycles, const char *check,
                   diagnostics *d) {
    static const char sql[] =
        "UPDATE point SET confirm_engine = ?2, confirm_cycles = ?3, confirm_check = ?4 WHERE key = ?1";
    sqlite3_stmt *q = NULL;
    bool ok = sqlite3_prepare_v2(store->db, sql, -1, &q, NULL) == SQLITE_OK &&
              sqlite3_bind_text(q, 1, key, -1, SQLITE_STATIC) == SQLITE_OK &&
              sqlite3_bind_text(q, 2, engine, -1, SQLITE_STATIC) == SQLITE_OK &&
              sqlite3_bind_double(q, 3, cycles) == SQLITE_OK &&
              sqlite3_bind_text(q, 4, check, -1, SQLITE_STATIC) == SQLITE_OK &&
              sqlite3_step(q) == SQLITE_DONE;
    if (!ok)
        fail(store, "write", d);
    sqlite3_finalize(q);
    return ok;
}

/* ---- reading --------------------------------------------------------------------------------- */

static const cJSON *member(const cJSON *object, const char *key) {
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

static double number_of(const cJSON *item) {
    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

/* Returns a text, or a number as text; "" for anything else. */
static const char *text_of(const cJSON *item, arena *mem) {
    char number[32] = "";
    if (cJSON_IsNumber(item))
        number_text(number, sizeof number, "%.15g", item->valuedouble);
    return arena_strdup(mem, cJSON_IsString(item) ? item->valuestring : number);
}

/* SQLite gives NULL for NULL, and without memory for a text. */
static const char *text_at(sqlite3_stmt *q, int column, arena *mem) {
    const unsigned char *text = sqlite3_column_text(q, column);
    if (!text && sqlite3_column_type(q, column) != SQLITE_NULL)
        out_of_memory(0);
    return text ? arena_strdup(mem, (const char *)text) : "";
}

static sweep_state state_of(const char *name) {
    for (int s = SWEEP_DONE; s <= SWEEP_LATE; s++) {
        if (strcmp(name, sweep_state_name[s]) == 0)
            return (sweep_state)s;
    }
    return SWEEP_NONE;
}

double row_time(const sweep_row *r) {
    return r->time_us > 0 ? r->time_us : r->cycles;
}
double row_tiles(const sweep_row *r) {
    return r->size.pe + r->size.mem + r->size.io;
}

/* Groups equal rows, each after the first of its kind and in their old order. */
static void group(sweep_row_vec *rows, arena *mem) {
    sweep_row *sorted = arena_new_n(mem, sweep_row, rows->len + 1);
    bool *taken = arena_new_n(mem, bool, rows->len + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < rows->len; i++) {
        for (uint32_t k = i; k < rows->len && !taken[i]; k++) {
            if (taken[k] || !sweep_alike(&rows->at[i], &rows->at[k]))
                continue;
            sorted[n++] = rows->at[k];
            taken[k] = k > i;
        }
    }
    rows->at = sorted;
    rows->cap = rows->len;
}

/* Marks the Pareto points, in O(n^2) of the points of a plan. */
static void mark_pareto(sweep_row_vec *rows) {
    for (uint32_t i = 0; i < rows->len; i++) {
        sweep_row *r = &rows->at[i];
        r->pareto = r->state == SWEEP_DONE;
        for (uint32_t k = 0; k < rows->len && r->pareto; k++) {
            const sweep_row *o = &rows->at[k];
            bool same = o->state == SWEEP_DONE && sweep_alike(o, r);
            const bool both = o->energy.nj > 0 && r->energy.nj > 0;
            bool as_good = row_time(o) <= row_time(r) && row_tiles(o) <= row_tiles(r) &&
                           (!both || o->energy.nj <= r->energy.nj);
            r->pareto = !(same && as_good &&
                          (row_time(o) < row_time(r) || row_tiles(o) < row_tiles(r) ||
                           (both && o->energy.nj < r->energy.nj)));
        }
    }
}

/* Returns the page of a point's folder, or "" if missing. The key in a results file may be any text. */
static const char *page_of(const sweep_store *store, const sweep_row *r, arena *mem) {
    const bool plain = strlen(r->key) == 16 && !r->key[strspn(r->key, "0123456789abcdef")] &&
                       !r->engine[strspn(r->engine, "abcdefghijklmnopqrstuvwxyz")];
    const char *page = arena_printf(mem, "%s/view.html", files_of(store, r->key, r->engine, mem).folder);
    return plain && access(page, R_OK) == 0 ? page : "";
}

/* Takes the figures of a point's report, which may hold any text. */
static void take_report(const char *text, arena *mem, sweep_row *r) {
    cJSON *report = json_parse("", text, strlen(text), NULL);
    const cJSON *nj = member(member(report, "energy"), "nj"), *accuracy = member(report, "accuracy"),
                *warning = NULL;
    r->energy.nj = number_of(member(nj, "typical"));
    r->energy.low_nj = number_of(member(nj, "low"));
    r->energy.high_nj = number_of(member(nj, "high"));
    r->accuracy.verdict = text_of(member(accuracy, "verdict"), mem);
    r->accuracy.error = text_of(member(member(accuracy, "relative"), "largest"), mem);
    r->accuracy.mean_error = text_of(member(member(accuracy, "relative"), "mean"), mem);
    r->type = text_of(member(member(report, "type"), "of"), mem);
    r->version = text_of(member(report, "version"), mem);
    char *facts = member(report, "tensors") ? json_print(member(report, "tensors"), false) : NULL;
    r->facts = arena_strdup(mem, facts ? facts : "");
    cJSON_free(facts);
    r->accuracy.warnings = "";
    cJSON_ArrayForEach(warning, member(report, "warnings")) {
        const char *code = text_of(member(warning, "code"), mem);
        r->accuracy.warnings =
            arena_printf(mem, "%s%s%s", r->accuracy.warnings, *r->accuracy.warnings ? " " : "", code);
    }
    cJSON_Delete(report);
}

/* Returns the arguments of -i, -g and --set among a point's arguments, separated by blanks: points with the
 * same expression and equal text have the same computation. */
static const char *operands_of(const char *arguments, arena *mem) {
    cJSON *list = json_parse("", arguments, strlen(arguments), NULL);
    const char *all = "";
    const cJSON *word = NULL;
    cJSON_ArrayForEach(word, list) {
        const char *option = text_of(word, mem);
        const bool counts =
            strcmp(option, "-i") == 0 || strcmp(option, "-g") == 0 || strcmp(option, "--set") == 0;
        if (counts && word->next)
            all = arena_printf(mem, "%s%s%s", all, *all ? " " : "", text_of(word->next, mem));
    }
    cJSON_Delete(list);
    return all;
}

/* Returns whether an axis of the settings is null: the search has chosen its value. */
static bool are_plain(const char *settings) {
    cJSON *json = json_parse("", settings, strlen(settings), NULL);
    bool plain = false;
    for (const cJSON *m = cJSON_IsObject(json) ? json->child : NULL; m; m = m->next)
        plain = plain || cJSON_IsNull(m);
    cJSON_Delete(json);
    return plain;
}

static sweep_row read_row(const sweep_store *store, sqlite3_stmt *q, arena *mem) {
    sweep_row r = {.plan = text_at(q, 0, mem),
                   .key = text_at(q, 1, mem),
                   .settings = text_at(q, 2, mem),
                   .expression = text_at(q, 3, mem),
                   .engine = text_at(q, 4, mem),
                   .message = text_at(q, 5, mem),
                   .check = text_at(q, 6, mem),
                   .state = state_of(text_at(q, 7, mem)),
                   .confirm.engine = text_at(q, 18, mem),
                   .confirm.check = text_at(q, 19, mem)};
    double *const number[] = {&r.cycles,  &r.time_us,    &r.fmax_mhz,    &r.size.pe,    &r.size.mem,
                              &r.size.io, &r.size.words, &r.size.passes, &r.result_nnz, &r.wall_s};
    for (int i = 0; i < 10; i++)
        *number[i] = sqlite3_column_double(q, 8 + i);
    r.confirm.cycles = sqlite3_column_double(q, 20);
    r.plain = are_plain(r.settings);
    arena scratch = {0};
    take_report(text_at(q, 21, &scratch), mem, &r);
    r.operands = operands_of(text_at(q, 22, &scratch), mem);
    arena_free(&scratch);
    r.page = page_of(store, &r, mem);
    return r;
}

bool sweep_rows(sweep_store *store, arena *mem, diagnostics *d, sweep_row_vec *out) {
    static const char sql[] =
        "SELECT plan, key, settings, expression, engine, message, result_check, state, cycles, time_us, "
        "fmax_mhz, pe, mem, io, words, passes, result_nnz, wall_s, confirm_engine, confirm_check, "
        "confirm_cycles, report, arguments"
        " FROM point ORDER BY plan, state <> 'done', time_us, cycles, key";
    sqlite3_stmt *q = NULL;
    int step = SQLITE_ERROR;
    if (sqlite3_prepare_v2(store->db, sql, -1, &q, NULL) == SQLITE_OK) {
        while ((step = sqlite3_step(q)) == SQLITE_ROW)
            vec_push(mem, out, read_row(store, q, mem));
    }
    sqlite3_finalize(q);
    if (step != SQLITE_DONE)
        return fail(store, "read", d);
    group(out, mem);
    mark_pareto(out);
    return true;
}

point_files files_of(const sweep_store *store, const char *key, const char *engine, arena *mem) {
    const char *base = arena_printf(mem, "%s/%s.%s", store_folder(store), key, engine);
    return (point_files){.folder = base,
                         .json = arena_printf(mem, "%s.json", base),
                         .log = arena_printf(mem, "%s.log", base),
                         .exit = arena_printf(mem, "%s.exit", base)};
}

void files_remove(const point_files *f) {
    remove_folder(f->folder);
    unlink(f->json);
    unlink(f->log);
    unlink(f->exit);
}
