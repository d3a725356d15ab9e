/* bench_results [MOST]: docs/notebook/results.md on standard output. Every kernel of the list on every data
 * set that fits it, by engines sam and cycle; each result is checked against the reference by the command.
 * Where engine cycle needed at most MOST cycles (100,000 unless said), cycle_replay runs the same once more
 * on the RTL of the array (tile library) and compares each word and its cycle. Fails if anything is wrong.
 * Real matrices are read from
 * ../shared/data/matrices beside the source, where there are. */
#include "tests/bench/command.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_SECONDS = 300 };

#define SHARED_MATRICES ONYX_SOURCE_DIR "/../shared/data/matrices/"

/* An operand is its name and its indices; a capital one takes the data set's density or file, another one is
 * half full. */
typedef struct {
    const char *name, *expression, *operands, *options;
    uint32_t order; /* of the data sets it runs on; 4: products of many matrices */
} kernel;

/* Four times SpMV, each with the result of the one before. */
#define EACH_ALONE                                                                                           \
    "-s 'precompute(D(l,m)*v(m),{l},{lw},u), precompute(C(k,l)*u(l),{k},{kw},t), "                           \
    "precompute(B(j,k)*t(k),{j},{jw},s)'"

static const kernel kernels[] = {
    {"identity, order 1", "x(i)=B(i)", "B:i", "", 1},
    {"element-wise product, order 1", "x(i)=B(i)*C(i)", "B:i C:i", "", 1},
    {"element-wise sum, order 1", "x(i)=B(i)+C(i)", "B:i C:i", "", 1},
    {"identity, order 2", "X(i,j)=B(i,j)", "B:ij", "", 2},
    {"element-wise product, order 2", "X(i,j)=B(i,j)*C(i,j)", "B:ij C:ij", "", 2},
    {"MMAdd", "X(i,j)=B(i,j)+C(i,j)", "B:ij C:ij", "", 2},
    {"Plus3", "X(i,j)=B(i,j)+C(i,j)+D(i,j)", "B:ij C:ij D:ij", "", 2},
    {"SpMV", "x(i)=B(i,j)*c(j)", "B:ij c:j", "", 2},
    {"SpM*SpM i,j,k", "X(i,j)=B(i,k)*C(k,j)", "B:ik C:kj", "-s 'reorder(i,j,k)'", 2},
    {"SpM*SpM j,i,k", "X(i,j)=B(i,k)*C(k,j)", "B:ik C:kj", "-s 'reorder(j,i,k)'", 2},
    {"SpM*SpM i,k,j", "X(i,j)=B(i,k)*C(k,j)", "B:ik C:kj", "-s 'reorder(i,k,j)'", 2},
    {"SpM*SpM j,k,i", "X(i,j)=B(i,k)*C(k,j)", "B:ik C:kj", "-s 'reorder(j,k,i)'", 2},
    {"SpM*SpM k,i,j", "X(i,j)=B(i,k)*C(k,j)", "B:ik C:kj", "-s 'reorder(k,i,j)'", 2},
    {"SpM*SpM k,j,i", "X(i,j)=B(i,k)*C(k,j)", "B:ik C:kj", "-s 'reorder(k,j,i)'", 2},
    {"SpM*SpM k,i,j, multiplied, then merged", "X(i,j)=B(i,k)*C(k,j)", "B:ik C:kj",
     "-s 'reorder(k,i,j), precompute(B(i,k)*C(k,j),{k,i,j},{kw,iw,jw},w), reorder(i,j,k)'", 2},
    {"SDDMM", "X(i,j)=B(i,j)*c(i,r)*d(r,j)", "B:ij c:ir d:rj", "", 2},
    {"sampled SpM*SpM", "X(i,j)=B(i,k)*C(k,j)*D(i,j)", "B:ik C:kj D:ij", "", 2},
    {"Residual", "x(i)=b(i)-C(i,j)*d(j)", "b:i C:ij d:j", "", 2},
    {"MatTransMul", "x(i)=a*B(j,i)*c(j)+e*d(i)", "a: B:ji c:j e: d:i", "", 2},
    {"iterated SpMV, fused", "x(i)=A(i,j)*B(j,k)*C(k,l)*D(l,m)*v(m)", "A:ij B:jk C:kl D:lm v:m", "", 4},
    {"iterated SpMV, unfused", "x(i)=A(i,j)*B(j,k)*C(k,l)*D(l,m)*v(m)", "A:ij B:jk C:kl D:lm v:m", EACH_ALONE,
     4},
    {"iterated SpMV, unfused", "x(i)=A(i,j)*B(j,k)*C(k,l)*D(l,m)*v(m)", "A:ij B:jk C:kl D:lm v:m", EACH_ALONE,
     2},
    {"identity, order 3", "X(i,j,k)=B(i,j,k)", "B:ijk", "", 3},
    {"element-wise product, order 3", "X(i,j,k)=B(i,j,k)*C(i,j,k)", "B:ijk C:ijk", "", 3},
    {"Plus2", "X(i,j,k)=B(i,j,k)+C(i,j,k)", "B:ijk C:ijk", "", 3},
    {"InnerProd", "x=B(i,j,k)*C(i,j,k)", "B:ijk C:ijk", "", 3},
    {"TTV", "X(i,j)=B(i,j,k)*c(k)", "B:ijk c:k", "", 3},
    {"TTM", "X(i,j,r)=B(i,j,k)*c(r,k)", "B:ijk c:rk", "", 3},
    {"MTTKRP, fused", "X(i,r)=B(i,j,k)*c(r,j)*d(r,k)", "B:ijk c:rj d:rk", "", 3},
    {"MTTKRP, unfused", "X(i,r)=B(i,j,k)*c(r,j)*d(r,k)", "B:ijk c:rj d:rk",
     "-s 'precompute(c(r,j)*d(r,k),{r,j,k},{rw,jw,kw},w)'", 3},
};

typedef struct {
    const char *name, *about;
    uint32_t order, extent[3]; /* of i, j, k; all others are `rest` */
    uint32_t rest;
    const char *density, *file; /* of capital operands */
} data_set;

static const data_set sets[] = {
    {"vector", "random, 20,000 long, 90 % zeros", 1, {20000, 0, 0}, 0, "0.1", NULL},
    {"random", "uniformly random, 256 x 256, 99 % zeros", 2, {256, 256, 256}, 256, "0.01", NULL},
    {"watt_2", "1856 x 1856, 11,550 stored (99.66 % zeros)", 2, {1856, 1856, 1856}, 1856, NULL, "watt_2.mtx"},
    {"west0479", "479 x 479, 1,910 stored (99.2 % zeros)", 2, {479, 479, 479}, 479, NULL, "west0479.mtx"},
    {"chain", "uniformly random, 64 x 64, 95 % zeros", 4, {64, 64, 64}, 64, "0.05", NULL},
    {"small", "uniformly random, 8 x 37 x 10, 67 % zeros", 3, {8, 37, 10}, 0, "0.33", NULL},
    {"large", "uniformly random, 28 x 35 x 54, 67 % zeros", 3, {28, 35, 54}, 0, "0.33", NULL},
};

enum { RANK = 10 }; /* of r */

static uint32_t extent_of(const data_set *d, char index) {
    return index == 'r' ? RANK : index >= 'i' && index <= 'k' ? d->extent[index - 'i'] : d->rest;
}

/* -i and -g for "B:ij c:j". */
static const char *data_options(const kernel *k, const data_set *d, arena *mem) {
    const char *text = "";
    char *words = arena_strdup(mem, k->operands);
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
        bool capital = word[0] >= 'A' && word[0] <= 'Z';
        const char *sizes = "";
        for (const char *index = word + 2; *index; index++)
            sizes = arena_printf(mem, "%s%s%u", sizes, *sizes ? "x" : "", extent_of(d, *index));
        if (capital && d->file)
            text = arena_printf(mem, "%s -i %c:" SHARED_MATRICES "%s", text, word[0], d->file);
        else
            text = arena_printf(mem, "%s -g %c:%s:%s", text, word[0], sizes,
                                !*sizes   ? "1"
                                : capital ? d->density
                                          : "0.5");
    }
    return d->file ? arena_printf(mem, "%s --values ramp", text) : text;
}

static void print_number(double value, bool there) {
    if (there)
        printf(" %.0f |", value);
    else
        printf(" |");
}

typedef struct {
    double most_rtl;
    uint32_t rows, right, refused, wrong;
} tally;

#define FOLDER ONYX_BINARY_DIR "/tests/results"

static command_report measure(const char *options, const char *arguments, arena *mem) {
    return command_run(arena_printf(mem, "%s --engine %s", arguments, options), FOLDER, MOST_SECONDS, mem);
}

static bool replay_one(const char *folder) {
    const char *const argv[] = {ONYX_BINARY_DIR "/tests/cycle_replay", folder, NULL};
    return program_run(argv, FOLDER ".replay.log") == 0;
}

/* The last run of engine cycle on the RTL, too: the same words in the same cycles. */
static bool replay(arena *mem) {
    diagnostics d;
    diag_init(&d, mem);
    cJSON *json = json_read(FOLDER "/report.json", &d);
    const cJSON *kernels_run = cJSON_GetObjectItem(json, "kernels"), *k;
    bool same = json && (kernels_run || replay_one(FOLDER));
    cJSON_ArrayForEach(k, kernels_run) {
        const char *tensor = cJSON_GetStringValue(cJSON_GetObjectItem(k, "tensor"));
        same = same && replay_one(arena_printf(mem, FOLDER "/%s", tensor));
    }
    cJSON_Delete(json);
    return same;
}

/* What the row says at its end, and the counts. */
static const char *verdict(const command_report *sam, const command_report *cycle, bool rtl_same, tally *t,
                           arena *mem) {
    const char *code = cycle->code;
    bool wrong = code && (strncmp(code, "E034", 4) == 0 || strncmp(code, "E08", 3) == 0 ||
                          strncmp(code, "exit", 4) == 0);
    if (!rtl_same || (sam->code && strncmp(sam->code, "E034", 4) == 0)) {
        code = rtl_same ? "WRONG: sam" : "WRONG: the RTL differs";
        wrong = true;
    }
    t->rows++;
    t->wrong += wrong;
    t->right += !code;
    t->refused += code && !wrong;
    if (code)
        return wrong ? arena_printf(mem, "**%s**", code) : code;
    return *cycle->warned ? arena_printf(mem, "right; %s", cycle->warned) : "right";
}

static void print_row(const kernel *k, const data_set *d, tally *t) {
    arena mem = {0};
    const char *arguments =
        arena_printf(&mem, "'%s' %s %s", k->expression, k->options, data_options(k, d, &mem));
    double start = seconds_now();
    command_report sam = measure("sam", arguments, &mem);
    command_report cycle = measure("cycle --hazards warn --deadlock warn --io-trace", arguments, &mem);
    bool mapped = !cycle.code, on_rtl = mapped && cycle.cycles <= t->most_rtl;
    bool same = !on_rtl || replay(&mem);
    printf("| %s | %s |", k->name, d->name);
    if (mapped)
        printf(" %.0f/%.0f/%.0f |", cycle.pe, cycle.mem, cycle.io);
    else
        printf(" |");
    print_number(cycle.hops, mapped);
    print_number(cycle.words, mapped);
    print_number(cycle.fmax_mhz, mapped);
    print_number(sam.cycles, !sam.code);
    print_number(cycle.cycles, mapped);
    print_number(cycle.cycles, on_rtl && same);
    if (mapped)
        printf(" %.1f |", cycle.time_us);
    else
        printf(" |");
    printf(" %s |\n", verdict(&sam, &cycle, same, t, &mem));
    fflush(stdout);
    fprintf(stderr, "%s, %s: %.0f s\n", k->name, d->name, seconds_now() - start);
    arena_free(&mem);
}

static void print_head(const tally *t) {
    fputs(
        "# Every kernel on the array\n\n"
        "Written by `build/tests/bench_results > docs/notebook/results.md`. Each row is compiled to a "
        "bitstream, "
        "decoded,\n"
        "and run by engine `cycle`; `sam` runs the graph before there is an array, on whole operands. Every\n"
        "result is compared with the reference evaluation. Cycles are sums over all runs on sub-tiles of "
        "the\n"
        "default size, without firmware and configuration. Hops are switch-box outputs of all routes, MHz is "
        "the\n"
        "clock by the board's delay table, \u00b5s the cycles of `cycle` at it. Of several kernels in turn, "
        "tiles\n"
        "are the most, MHz the least, the rest sums.\n\n",
        stdout);
    printf(
        "`rtl`: the RTL of the array (tile library) took the same words in the same cycles; tried up to "
        "%.0f\n"
        "cycles. A refused kernel has its code (`docs/errors`). Behind \"right\" stands what the command "
        "refuses\n"
        "unless it is told to warn only: data that the fabricated chip would, or may, get wrong "
        "(`docs/cycle.md`),\n"
        "and FIFOs that the analysis cannot prove to be long enough for all data (`docs/deadlock.md`).\n\n",
        t->most_rtl);
    puts("| data | |\n|---|---|");
    for (size_t d = 0; d < sizeof sets / sizeof *sets; d++)
        printf("| %s | %s |\n", sets[d].name, sets[d].about);
    printf("\nVectors beside matrices and tensors, and the matrices of rank %d of SDDMM, TTM and MTTKRP, are "
           "random\n"
           "and half full. All matrices of a row are the same file, with made values (`--values ramp`).\n\n",
           RANK);
    puts("| kernel | data | PE/MEM/IO | hops | words | MHz | sam | cycle | rtl | \u00b5s | result |\n"
         "|---|---|---|---|---|---|---|---|---|---|---|");
}

int main(int argc, char **argv) {
    tally t = {.most_rtl = argc > 1 ? strtod(argv[1], NULL) : 1e5};
    print_head(&t);
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        for (size_t d = 0; d < sizeof sets / sizeof *sets; d++) {
            if (sets[d].order != kernels[k].order || (sets[d].file && access(SHARED_MATRICES, R_OK) != 0))
                continue;
            print_row(&kernels[k], &sets[d], &t);
        }
    }
    printf("\n%u rows: %u right, %u refused, %u wrong.\n", t.rows, t.right, t.refused, t.wrong);
    return t.wrong > 0;
}
