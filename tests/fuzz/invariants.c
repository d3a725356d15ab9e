/* The invariants checked by every harness. */
#include <limits.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"
#include "tests/sam/graph_equal.h"

seen_list fuzz_seen;
fuzz_first fuzz_accepted;
static char folder[PATH_MAX]; /* of this process */

/* Records the text without the names of folders, which differ between processes. */
static void see(const char *text) {
    const char *at;
    const size_t length = strlen(folder);
    for (; length && (at = strstr(text, folder)); text = at + length)
        seen_bytes(&fuzz_seen, text, (size_t)(at - text));
    seen_text(&fuzz_seen, text);
}

void fuzz_answer(fuzz_run *r, bool ok) {
    FUZZ_CHECK(r, ok == !diag_failed(&r->diag));
    if (fuzz_accepted == FUZZ_UNASKED)
        fuzz_accepted = ok ? FUZZ_ACCEPTED : FUZZ_REFUSED;
    for (uint32_t i = 0; i < r->diag.list.len; i++) {
        const diagnostic *d = &r->diag.list.at[i];
        FUZZ_CHECK(r, d->message[0] && (d->kind == DIAG_NOTE || (d->code[0] == 'E' && strlen(d->code) > 5)));
        see(d->code);
        see(d->message);
        see(d->hint ? d->hint : "");
    }
}

void fuzz_verdict(fuzz_run *r, bool ok) {
    bool located = false;
    fuzz_answer(r, ok);
    for (uint32_t i = 0; i < r->diag.list.len; i++) {
        const diagnostic *d = &r->diag.list.at[i];
        uint32_t line, col;
        located = located || ((d->kind == DIAG_ERROR || d->kind == DIAG_UNMAPPABLE) &&
                              diag_line_col(&r->diag, d->loc, &line, &col));
        seen_bytes(&fuzz_seen, &d->loc, sizeof d->loc);
    }
    FUZZ_CHECK(r, ok || located);
}

/* ---- files ----------------------------------------------------------------------------------- */

static void remove_files(void) {
    remove_folder(folder);
}

const char *fuzz_file(fuzz_run *r, const char *end, const void *bytes, size_t size) {
    if (!folder[0]) {
        /* Below TMPDIR, set by ctest; otherwise in memory if possible, since libFuzzer writes a thousand
         * files a second. */
        const char *below = getenv("TMPDIR");
        snprintf(folder, sizeof folder, "%s/onyx_fuzz.XXXXXX",
                 below                      ? below
                 : access("/dev/shm", W_OK) ? "/tmp"
                                            : "/dev/shm");
        FUZZ_CHECK(r, mkdtemp(folder) && atexit(remove_files) == 0);
    }
    const char *path = arena_printf(&r->mem, "%s/input%s", folder, end);
    FILE *out = fopen(path, "wb");
    FUZZ_CHECK(r, out && fwrite(bytes, 1, size, out) == size && fclose(out) == 0);
    return path;
}

char *fuzz_content(fuzz_run *r, const char *path, size_t *length) {
    char *text = file_read(path, &r->mem, length, &r->diag);
    FUZZ_CHECK(r, text);
    seen_bytes(&fuzz_seen, text, *length);
    return text;
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

typedef VEC(const char *) line_vec;

static line_vec sorted_lines(fuzz_run *r, const char *path) {
    size_t length;
    line_vec lines = {0};
    char *rest = NULL;
    for (char *line = strtok_r(fuzz_content(r, path, &length), "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest))
        vec_push(&r->mem, &lines, line);
    if (lines.len)
        qsort(lines.at, lines.len, sizeof *lines.at, by_text);
    return lines;
}

bool fuzz_same_lines(fuzz_run *r, const char *one, const char *other) {
    const line_vec a = sorted_lines(r, one), b = sorted_lines(r, other);
    bool same = a.len == b.len;
    for (uint32_t i = 0; same && i < a.len; i++)
        same = strcmp(a.at[i], b.at[i]) == 0;
    return same;
}

/* ---- graphs ---------------------------------------------------------------------------------- */

static void round_trip(fuzz_run *r, const sam_graph *g) {
    sam_graph again;
    char *text = graph_text(g, &r->mem);
    seen_text(&fuzz_seen, text);
    FUZZ_CHECK(r, sam_parse("dumped", text, strlen(text), &r->names, &r->diag, &again));
    FUZZ_CHECK(r, graphs_equal(g, &again));
    FUZZ_CHECK(r, strcmp(graph_text(&again, &r->mem), text) == 0);
}

void fuzz_graph(fuzz_run *r, const sam_graph *g) {
    sam_graph joined, plain;
    round_trip(r, g);
    FUZZ_CHECK(r, sam_to_binary_joiners(g, &r->mem, &r->diag, &joined));
    FUZZ_CHECK(r, sam_check(&joined, &r->diag));
    FUZZ_CHECK(r, sam_remove_broadcasts(&joined, &r->mem, &r->diag, &plain));
    FUZZ_CHECK(r, sam_check(&plain, &r->diag));
    round_trip(r, &plain);
}
