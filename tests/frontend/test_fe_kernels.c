/* frontend/: the kernels of the SAM paper's Table 1 (Tables 4.1 and 4.2 of the dissertation) in every loop
 * order, with and without droppers: results are right on random data, and docs/notebook/kernels.md lists the
 * primitive counts. ONYX_UPDATE_DOCS=1 rewrites the page's tables.
 */
#include <ctype.h>

#include "frontend/lowering/lowering.h"
#include "tests/frontend/lowered.h"
#include "tests/quota.h"

/* ---- kernels --------------------------------------------------------------------------------- */

enum { COLUMNS = 9, MAX_VARS = 4 };

static const sam_primitive column[COLUMNS] = {SAM_FIBERLOOKUP, SAM_REPEAT,     SAM_INTERSECT,
                                              SAM_UNION,       SAM_ALU,        SAM_REDUCE,
                                              SAM_CRDDROP,     SAM_FIBERWRITE, SAM_ARRAYVALS};

typedef struct {
    const char *name, *expression;
    const char *vars;            /* in alphabetical order */
    uint32_t published[COLUMNS]; /* Table 4.2, alphabetical loops; a single column for all reducers */
} kernel;

static const kernel kernels[] = {
    {"SpMV", "x(i) = B(i,j) * c(j)", "ij", {3, 1, 1, 0, 1, 1, 1, 2, 2}},
    {"SpM*SpM", "X(i,j) = B(i,k) * C(k,j)", "ijk", {4, 2, 1, 0, 1, 1, 2, 3, 2}},
    {"SDDMM", "X(i,j) = B(i,j) * C(i,k) * D(j,k)", "ijk", {6, 3, 3, 0, 2, 1, 2, 3, 3}},
    {"InnerProd", "x = B(i,j,k) * C(i,j,k)", "ijk", {6, 0, 3, 0, 1, 3, 0, 1, 2}},
    {"TTV", "X(i,j) = B(i,j,k) * c(k)", "ijk", {4, 2, 1, 0, 1, 1, 2, 3, 2}},
    {"TTM", "X(i,j,k) = B(i,j,l) * C(k,l)", "ijkl", {5, 3, 1, 0, 1, 1, 3, 4, 2}},
    {"MTTKRP", "X(i,j) = B(i,k,l) * C(j,k) * D(j,l)", "ijkl", {7, 5, 3, 0, 2, 2, 3, 3, 3}},
    {"Residual", "x(i) = b(i) - C(i,j) * d(j)", "ij", {4, 1, 1, 1, 2, 1, 1, 2, 3}},
    {"MatTransMul", "x(i) = a * B(j,i) * c(j) + e * d(i)", "ij", {4, 4, 1, 1, 4, 1, 1, 2, 5}},
    {"MMAdd", "X(i,j) = B(i,j) + C(i,j)", "ij", {4, 0, 0, 2, 1, 0, 0, 3, 2}},
    {"Plus3", "X(i,j) = B(i,j) + C(i,j) + D(i,j)", "ij", {6, 0, 0, 2, 2, 0, 0, 3, 3}},
    {"Plus2", "X(i,j,k) = B(i,j,k) + C(i,j,k)", "ijk", {6, 0, 0, 3, 1, 0, 0, 4, 2}},
};

enum { KERNELS = sizeof kernels / sizeof *kernels };

static uint32_t count_in_column(const sam_graph *g, uint32_t c) {
    uint32_t n = lowered_count(g, column[c]);
    return column[c] == SAM_REDUCE ? n + lowered_count(g, SAM_VECTORREDUCER) : n;
}

/* The n-th loop order of the variables in lexicographic order, "i,k,j"; false past the last. */
static bool loop_order(const char *vars, uint32_t n, char *text) {
    char left[MAX_VARS + 1];
    uint32_t count = (uint32_t)strlen(vars), orders = 1;
    strcpy(left, vars);
    for (uint32_t i = 2; i <= count; i++)
        orders *= i;
    if (n >= orders)
        return false;
    for (uint32_t at = 0; count; count--) {
        orders /= count;
        uint32_t pick = n / orders;
        n %= orders;
        text[at++] = left[pick];
        text[at++] = count > 1 ? ',' : 0;
        memmove(left + pick, left + pick + 1, strlen(left + pick));
    }
    return true;
}

static void lower_in_order(fixture *f, const kernel *k, const char *order, bool drop, lowered *l) {
    fe_case c = {.expression = k->expression, .schedule = arena_printf(&f->mem, "reorder(%s)", order)};
    lowered_must(f, &c, (fe_lower_options){.drop = drop, .exact_stops = true}, l);
}

static void every_loop_order_computes_the_kernel(void **state) {
    fixture *f = *state;
    enum { DATA = 20 };
    uint32_t graphs = 0;
    quota shown = {0}; /* trivial: a result of one value */
    for (uint32_t k = 0; k < KERNELS; k++) {
        char order[2 * MAX_VARS];
        for (uint32_t n = 0; loop_order(kernels[k].vars, n, order); n++) {
            for (int drop = 0; drop < 2; drop++) {
                lowered l;
                lower_in_order(f, &kernels[k], order, drop, &l);
                const uint32_t trivial = lowered_check(f, &l, TIMED, true, DATA);
                for (uint32_t run = 0; run < DATA; run++)
                    quota_add(&shown, true, run < trivial);
                graphs++;
            }
        }
    }
    print_message("%u graphs are right\n", graphs);
    assert_false(quota_failed(&shown));
}

/* ---- docs/notebook/kernels.md ------------------------------------------------------------------------- */

static void write_counts(FILE *out, const sam_graph *g, const uint32_t *published) {
    for (uint32_t c = 0; c < COLUMNS; c++) {
        uint32_t ours = count_in_column(g, c);
        if (published && ours != published[c])
            fprintf(out, " %u (%u) |", ours, published[c]);
        else
            fprintf(out, " %u |", ours);
    }
    fputc('\n', out);
}

/* "1 x 0, 1 x 2": number of reducers x depth. */
static void write_reducers(FILE *out, const sam_graph *g) {
    const char *separator = " ";
    for (uint32_t depth = 0; depth <= MAX_VARS; depth++) {
        uint32_t n = depth ? 0 : lowered_count(g, SAM_REDUCE);
        for (uint32_t i = 0; i < g->nodes.len && depth; i++)
            n += g->nodes.at[i].kind == SAM_VECTORREDUCER && g->nodes.at[i].depth == depth;
        if (!n)
            continue;
        fprintf(out, "%s%u x %u", separator, n, depth);
        separator = ", ";
    }
    fputs(" |", out);
}

static void write_alphabetical(fixture *f, FILE *out) {
    fputs("| kernel | statement | scan | repeat | intersect | union | ALU | reduce | drop | write | array |\n"
          "|---|---|---|---|---|---|---|---|---|---|---|\n",
          out);
    for (uint32_t k = 0; k < KERNELS; k++) {
        lowered l;
        char order[2 * MAX_VARS];
        loop_order(kernels[k].vars, 0, order);
        lower_in_order(f, &kernels[k], order, true, &l);
        fprintf(out, "| %s | `%s` |", kernels[k].name, kernels[k].expression);
        write_counts(out, &l.g, kernels[k].published);
    }
}

static void write_orders(fixture *f, FILE *out) {
    fputs("| kernel | loops | scan | repeat | intersect | union | ALU | reduce | drop | write | array | "
          "reducers "
          "x depth | drop without `drop` |\n"
          "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
          out);
    for (uint32_t k = 0; k < KERNELS; k++) {
        char order[2 * MAX_VARS];
        for (uint32_t n = 0; loop_order(kernels[k].vars, n, order); n++) {
            lowered with, without;
            fprintf(out, "| %s | %s |", kernels[k].name, order);
            lower_in_order(f, &kernels[k], order, true, &with);
            lower_in_order(f, &kernels[k], order, false, &without);
            for (uint32_t c = 0; c < COLUMNS; c++)
                fprintf(out, " %u |", count_in_column(&with.g, c));
            write_reducers(out, &with.g);
            fprintf(out, " %u |\n", lowered_count(&without.g, SAM_CRDDROP));
        }
    }
}

/* Replaces the text between the marker lines of a section by the output of `write`. */
static const char *with_section(fixture *f, const char *text, const char *name,
                                void (*write)(fixture *, FILE *)) {
    const char *begin = strstr(text, arena_printf(&f->mem, "<!-- generated: %s -->\n", name));
    const char *end = begin ? strstr(begin, "<!-- end -->\n") : NULL;
    if (!end)
        fail_msg("docs/notebook/kernels.md has no section %s", name);
    text_out out;
    text_begin(&out);
    const char *table = strchr(begin, '\n') + 1;
    fwrite(text, 1, (size_t)(table - text), out.stream);
    write(f, out.stream);
    fputs(end, out.stream);
    return text_end(&out, &f->mem);
}

static void the_documented_counts_are_ours(void **state) {
    fixture *f = *state;
    const char *path = ONYX_SOURCE_DIR "/docs/notebook/kernels.md";
    size_t length = 0;
    const char *found = file_read(path, &f->mem, &length, &f->diag);
    if (!found)
        fail_msg("%s", fixture_printed(f));
    const char *expected = with_section(f, found, "alphabetical", write_alphabetical);
    expected = with_section(f, expected, "orders", write_orders);
    if (getenv("ONYX_UPDATE_DOCS")) {
        FILE *out = fopen(path, "wb");
        fputs(expected, out);
        fclose(out);
    } else if (strcmp(found, expected)) {
        fail_msg("docs/notebook/kernels.md is out of date; ONYX_UPDATE_DOCS=1 test_fe_kernels rewrites its "
                 "tables");
    }
}

RUN_TESTS(TEST(every_loop_order_computes_the_kernel), TEST(the_documented_counts_are_ours))
