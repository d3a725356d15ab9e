/* Any bytes as a results file of onyx sweep; anything but an SQLite file gives texts for the rows of a new
 * file. Opened, read and reported: refused with a code, or every row stands in the table, in the CSV file
 * unchanged, and in the page without adding to its tags. A readable file takes another row. */
#include <sqlite3.h>

#include "sweep/sweep_int.h"
#include "tests/fuzz/fuzz.h"

enum { CSV_FIELDS = 32, TEXTS = 9 };

/* ---- reports --------------------------------------------------------------------------------- */

static char *report(fuzz_run *r, const sweep_row_vec *rows,
                    void (*write)(const sweep_row_vec *rows, FILE *out)) {
    text_out out;
    text_begin(&out);
    write(rows, out.stream);
    return text_end(&out, &r->mem);
}

/* The next field of RFC 4180, unquoted; *end: the separator after the field. */
static char *csv_field(fuzz_run *r, char **at, char *end) {
    char *p = *at, *to = p, *field = p;
    bool quoted = *p == '"';
    for (p += quoted; *p && (quoted || !strchr(",\r", *p)); p++) {
        if (quoted && *p == '"' && *++p != '"') {
            quoted = false;
            break;
        }
        *to++ = *p;
    }
    FUZZ_CHECK(r, !quoted && (*p == ',' || *p == '\r'));
    *end = *p;
    *to = '\0';
    *at = p + 1;
    return field;
}

/* A text that looks like a spreadsheet's formula has an apostrophe in front. */
static bool is_field(const char *field, const char *text) {
    const bool quoted = *text && strchr("=+-@\t\r", *text);
    return (!quoted || *field == '\'') && strcmp(field + quoted, text) == 0;
}

static void check_csv(fuzz_run *r, const sweep_row_vec *rows) {
    char *at = report(r, rows, sweep_csv), end = '\0';
    for (uint32_t i = 0; i <= rows->len; i++) {
        char *field[CSV_FIELDS];
        for (uint32_t k = 0; k < CSV_FIELDS; k++) {
            field[k] = csv_field(r, &at, &end);
            FUZZ_CHECK(r, end == ',' || (k + 1 == CSV_FIELDS && end == '\r'));
        }
        while (end != '\r') /* axes, facts of operands */
            csv_field(r, &at, &end);
        FUZZ_CHECK(r, *at++ == '\n');
        if (i == 0)
            continue;
        const sweep_row *row = &rows->at[i - 1];
        const char *const want[] = {row->plan,     row->key, row->expression, row->engine,
                                    row->settings, NULL,     row->check};
        for (uint32_t k = 0; k < sizeof want / sizeof *want; k++)
            FUZZ_CHECK(r, !want[k] || is_field(field[k], want[k]));
        FUZZ_CHECK(r, is_field(field[21], row->confirm.engine) && is_field(field[31], row->message));
    }
    FUZZ_CHECK(r, *at == '\0');
}

static void check_page(fuzz_run *r, const sweep_row_vec *rows) {
    static const char *const tags[] = {"!doctype", "html", "head", "meta",     "title",   "style",  "body",
                                       "h1",       "h2",   "h3",   "p",        "section", "figure", "svg",
                                       "line",     "text", "rect", "polyline", "table",   "thead",  "tbody",
                                       "tr",       "th",   "td",   "strong",   "circle",  "a",      "g"};
    const char *page = report(r, rows, sweep_html);
    for (const char *p = strchr(page, '<'); p; p = strchr(p + 1, '<')) {
        const char *name = p + 1 + (p[1] == '/');
        size_t length = strcspn(name, " >\n"), i = 0;
        while (i < sizeof tags / sizeof *tags &&
               (strlen(tags[i]) != length || strncmp(tags[i], name, length) != 0))
            i++;
        FUZZ_CHECK(r, i < sizeof tags / sizeof *tags);
    }
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Rows of `data`: as many texts ending in 0 as the table has text columns, followed by a number's eight
 * bytes. */
static void fill(fuzz_run *r, const char *path, const uint8_t *data, size_t size) {
    static const char sql[] =
        "INSERT OR REPLACE INTO point (key, plan, settings, arguments, expression, engine,"
        " state, message, confirm_engine, cycles, time_us) VALUES"
        " (?1,?2,?3,'[]',?4,?5,?6,?7,?8,?9,?9)";
    sqlite3 *db = NULL;
    sqlite3_stmt *q = NULL;
    FUZZ_CHECK(r, sqlite3_open(path, &db) == SQLITE_OK &&
                      sqlite3_prepare_v2(db, sql, -1, &q, NULL) == SQLITE_OK);
    for (size_t at = 0; at < size;) {
        for (int column = 1; column < TEXTS; column++) {
            const uint8_t *end = at < size ? memchr(data + at, 0, size - at) : NULL;
            size_t length = at < size ? (end ? (size_t)(end - data) : size) - at : 0;
            FUZZ_CHECK(r, sqlite3_bind_text(q, column, length ? (const char *)data + at : "", (int)length,
                                            SQLITE_STATIC) == SQLITE_OK);
            at += length + (end != NULL);
        }
        double number = 0;
        if (size - at >= sizeof number) {
            memcpy(&number, data + at, sizeof number);
            at += sizeof number;
        }
        FUZZ_CHECK(r, sqlite3_bind_double(q, TEXTS, number) == SQLITE_OK);
        FUZZ_CHECK(r, sqlite3_step(q) == SQLITE_DONE && sqlite3_reset(q) == SQLITE_OK);
    }
    sqlite3_finalize(q);
    sqlite3_close(db);
}

static bool read_rows(fuzz_run *r, const char *path, bool create, sweep_row_vec *rows) {
    sweep_store *store = sweep_open(path, create, &r->mem, &r->diag);
    bool ok = store && sweep_rows(store, &r->mem, &r->diag, rows);
    sweep_close(store);
    return ok;
}

/* False if the file refuses the row, with a code. */
static bool add_row(fuzz_run *r, const char *path) {
    const sweep_row row = {.plan = "plan of its own",
                           .key = "key of its own",
                           .settings = "{}",
                           .expression = "",
                           .engine = "",
                           .message = "",
                           .check = "",
                           .state = SWEEP_DONE};
    const sweep_point point = {.key = "point"};
    sweep_store *store = sweep_open(path, true, &r->mem, &r->diag);
    bool ok = store && store_put(store, &row, &point, "", &r->diag), found = false;
    FUZZ_CHECK(r, !ok || store_has(store, row.key));
    sweep_close(store);
    sweep_row_vec rows = {0};
    if (ok && read_rows(r, path, false, &rows)) {
        for (uint32_t i = 0; i < rows.len; i++)
            found = found || strcmp(rows.at[i].key, row.key) == 0;
        FUZZ_CHECK(r, found);
    }
    return ok && found;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_run r;
    sweep_row_vec rows = {0};
    fuzz_begin(&r);
    bool plain = size >= 6 && memcmp(data, "SQLite", 6) == 0;
    const char *path = fuzz_file(&r, ".db", data, plain ? size : 0);
    if (!plain) {
        FUZZ_CHECK(&r, read_rows(&r, path, true, &rows) && rows.len == 0);
        fill(&r, path, data, size);
    }
    bool ok = read_rows(&r, path, false, &rows);
    FUZZ_CHECK(&r, ok || plain);
    fuzz_answer(&r, ok);
    if (ok) {
        report(&r, &rows, sweep_print);
        check_csv(&r, &rows);
        check_page(&r, &rows);
        ok = add_row(&r, path);
        FUZZ_CHECK(&r, ok || plain);
        fuzz_answer(&r, ok);
    }
    arena_free(&r.mem);
    return 0;
}
