/* Kernels on data chosen to meet the errata of the chip's tiles, by the onyx command and on the cycle model
 * with streams that pause: every result is right, without hazard or refusal. The operands of a case are
 * patterns (empty, one row or column, a single entry, odd and even, full, diagonal); each run is played once
 * with the command's streams, and several times with streams that begin late, have gaps, or take words
 * slowly. Arguments: the number of runs (default 150), and the seed of the first case; each case uses the
 * next seed, and a failure names its seed, which reproduces the case at once. */
#include "kernels.h"
#include "tests/quota.h"

static uint32_t wanted = 150, seed = 16;

enum { INDICES = 4, MOST_EXTENT = 9, PACES = 3, MOST_ENTRIES = MOST_EXTENT * MOST_EXTENT * MOST_EXTENT };

/* ---- kernels --------------------------------------------------------------------------------- */

typedef struct {
    const char *expression, *operands; /* operands: "B:ij c:j", indices of each */
    const char *options;               /* options of the case, separated by blanks */
} shape;

static const shape shapes[] = {
    /* accumulators */
    {"X(i,j)=B(i,k)*C(k,j)", "B:ik C:kj", "-s reorder(i,k,j)"},
    {"x(i)=B(i,j)*c(j)", "B:ij c:j", "-s reorder(j,i)"},
    {"X(i,j)=B(i,j)*C(i,k)*D(k,j)", "B:ij C:ik D:kj", "-s reorder(i,k,j)"},
    {"X(i,j)=B(i,j,k)*c(k)", "B:ijk c:k", "-s reorder(i,k,j)"},
    {"x(i)=b(i)-C(i,j)*d(j)", "b:i C:ij d:j", "-s reorder(j,i)"},
    /* dense levels, and operands made by the host, below a union */
    {"X(i,j)=c(i)+B(i,j)", "c:i B:ij", ""},
    {"X(i,j)=B(i,j)-c(j)", "B:ij c:j", ""},
    {"X(i,j)=B(i,j)+C(i,j)", "B:ij C:ij", "-f B:sd"},
    {"X(i,j)=B(i,j)+C(i,j)", "B:ij C:ij", "-f B:sd -f C:sd"},
    {"X(i,j)=B(i,j)+C(i,j)+D(i,j)", "B:ij C:ij D:ij", "-f C:sd"},
    {"X(i,j,k)=B(i,j,k)+C(i,j,k)", "B:ijk C:ijk", "-f B:ssd -f C:sds"},
    /* repeaters inside loops that may be empty */
    {"x(i)=B(i,k,l)*c(k)", "B:ikl c:k", ""},
    {"x(i)=B(i,k,l)*c(l)", "B:ikl c:l", ""},
    {"X(i,j)=B(i,k,l)*C(j,k)*D(j,l)", "B:ikl C:jk D:jl", ""},
    {"X(i,j,k)=B(i,j,l)*C(k,l)", "B:ijl C:kl", ""},
    {"X(i,j)=B(i,j)*C(i,k)*D(k,j)", "B:ij C:ik D:kj", ""},
    /* the plain ones */
    {"X(i,j)=B(i,k)*C(k,j)", "B:ik C:kj", ""},
    {"X(i,j)=B(i,j,k)*c(k)", "B:ijk c:k", ""},
    {"X(i,j)=B(i,j)*C(i,j)", "B:ij C:ij", ""},
    {"x(i)=B(i,j)*c(j)", "B:ij c:j", ""},
    {"x(i)=B(i,j)*c(j)", "B:ij c:j", "-f B:ds -f c:d"},
    {"x(i)=b(i)-C(i,j)*d(j)", "b:i C:ij d:j", ""},
    {"x=B(i,j)*C(i,j)", "B:ij C:ij", ""},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static const char *const settings[] = {"", "", "", "--tile 4", "--unroll 2", "--buffers 2", "--no-pipeline"};
enum { SETTINGS = sizeof settings / sizeof *settings };

/* ---- operands -------------------------------------------------------------------------------- */

typedef enum {
    EMPTY,
    FIRST_ROW,
    LAST_ROW,
    SINGLE,
    FIRST_COLUMN,
    LAST_COLUMN,
    ODD,
    EVEN,
    FULL,
    DIAGONAL,
    SPARSE,
    PATTERNS
} pattern;

/* Whether the pattern has an entry at `at`. */
static bool has_entry(pattern p, const uint32_t *at, const uint32_t *dim, uint32_t order, const uint32_t *one,
                      prng *random) {
    uint32_t last = order - 1;
    bool same = true, is_one = true;
    for (uint32_t m = 0; m < order; m++) {
        same &= at[m] == at[0];
        is_one &= at[m] == one[m];
    }
    switch (p) {
    case FIRST_ROW:
        return at[0] == 0;
    case LAST_ROW:
        return at[0] == dim[0] - 1;
    case SINGLE:
        return is_one;
    case FIRST_COLUMN:
        return at[last] == 0;
    case LAST_COLUMN:
        return at[last] == dim[last] - 1;
    case ODD:
        return at[last] % 2 == 1;
    case EVEN:
        return at[last] % 2 == 0;
    case FULL:
        return true;
    case DIAGONAL:
        return same;
    case SPARSE:
        return prng_below(random, 6) == 0;
    case EMPTY:
    case PATTERNS:
        break;
    }
    return false;
}

/* Writes an operand; a tensor without entries gets an explicit zero, since its file needs an entry. */
static void write_operand(prng *random, FILE *out, const uint32_t *dim, uint32_t order) {
    pattern p = prng_below(random, 5) > 1 ? (pattern)prng_below(random, PATTERNS) : FULL;
    uint32_t points = 1, n = 0, one[INDICES] = {0}, crd[MOST_ENTRIES][INDICES];
    for (uint32_t m = 0; m < order; m++) {
        points *= dim[m];
        one[m] = prng_below(random, dim[m]);
    }
    for (uint32_t k = 0; k < points; k++) {
        uint32_t at[INDICES] = {0}, rest = k;
        for (uint32_t m = order; m-- > 0; rest /= dim[m])
            at[m] = rest % dim[m];
        if (has_entry(p, at, dim, order, one, random))
            memcpy(crd[n++], at, sizeof at);
    }
    bool zero = n == 0;
    n += zero;
    if (zero)
        memset(crd[0], 0, sizeof crd[0]);
    if (order < 3)
        fprintf(out, "%%%%MatrixMarket matrix coordinate integer general\n%u %u %u\n", dim[0],
                order == 2 ? dim[1] : 1, n);
    for (uint32_t e = 0; e < n; e++) {
        for (uint32_t m = 0; m < (order == 1 ? 2 : order); m++)
            fprintf(out, "%u ", crd[e][m] + 1);
        fprintf(out, "%u\n", zero ? 0 : 1 + prng_below(random, 9));
    }
}

typedef VEC(const char *) arguments;

static void add_words(arena *mem, arguments *a, const char *text) {
    char *copy = arena_strdup(mem, text);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        vec_push(mem, a, word);
}

static void add_operands(prng *random, arena *mem, const shape *s, const char *folder, arguments *a) {
    uint32_t extent[INDICES];
    for (int i = 0; i < INDICES; i++)
        extent[i] = 1 + prng_below(random, MOST_EXTENT);
    const char *word = s->operands;
    while (*word) {
        uint32_t order = 0, dim[INDICES] = {0};
        const char *name = arena_printf(mem, "%c", *word), *dims = "";
        for (word += 2; *word && *word != ' '; word++) {
            dim[order++] = extent[*word - 'i'];
            dims = arena_printf(mem, "%s%s%u", dims, *dims ? "," : "", extent[*word - 'i']);
        }
        word += *word == ' ';
        const char *path = arena_printf(mem, "%s/%s.%s", folder, name, order > 2 ? "tns" : "mtx");
        FILE *out = fopen(path, "w");
        assert_non_null(out);
        write_operand(random, out, dim, order);
        assert_int_equal(fclose(out), 0);
        add_words(mem, a, arena_printf(mem, "-i %s:%s", name, path));
        if (order > 2)
            add_words(mem, a, arena_printf(mem, "-d %s:%s", name, dims));
    }
}

/* ---- a case ---------------------------------------------------------------------------------- */

static void fail_with(const arguments *a, const char *what) {
    print_message("seed %u: ", seed);
    for (uint32_t w = 0; w + 1 < a->len; w++)
        print_message("%s ", a->at[w]);
    fail_msg("%s", what);
}

/* Bits of a word, each with probability n/32. */
static uint32_t some_bits(prng *random, uint32_t n) {
    uint32_t bits = 0;
    for (uint32_t b = 0; b < 32; b++)
        bits |= (uint32_t)(prng_below(random, 32) < n) << b;
    return bits == UINT32_MAX ? 0 : bits;
}

/* Inputs begin late or have gaps, and outputs pause in at most a sixth of the cycles. */
static void pace(prng *random, cycle_stream *s, bool output) {
    s->skew = prng_below(random, 3) ? 0 : prng_below(random, 60);
    s->idle = prng_below(random, 2) ? 0 : some_bits(random, output ? 5 : 4u << prng_below(random, 3));
}

/* Plays all runs of a job with pauses; each must give the words of the run without pauses. */
static uint32_t play_paced(fixture *f, prng *random, const kernel *k, const char *job, const arguments *a) {
    arena *mem = &f->mem;
    kernel_job j = kernel_open_job(f, k, job);
    cycle_model *plain = cycle_build(&k->design, mem), *paced = cycle_build(&k->design, mem);
    uint64_t cycles;
    for (uint32_t run = 0; run < j.runs; run++) {
        kernel_next_run(&j, mem);
        cycle_stream *want = kernel_streams(k, j.stream, j.n, mem),
                     *got = kernel_streams(k, j.stream, j.n, mem);
        for (uint32_t i = 0; i < j.n; i++)
            pace(random, &got[i], j.stream[i].output);
        if (cycle_run(plain, want, j.n, false, mem, &cycles) != CYCLE_DONE ||
            cycle_run(paced, got, j.n, false, mem, &cycles) != CYCLE_DONE)
            fail_with(a, cycle_wait_graph(paced, mem));
        for (uint32_t i = j.inputs; i < j.n; i++) {
            if (got[i].got.len != want[i].got.len ||
                memcmp(got[i].got.at, want[i].got.at, got[i].got.len * sizeof *got[i].got.at) != 0)
                fail_with(a, "other words when streams pause");
        }
    }
    const cycle_hazards *met = cycle_hazards_of(paced);
    for (uint32_t h = 0; h < met->len; h++) {
        if (met->at[h].kind != CYCLE_HAZARD_VALUES_STALLED) /* the pauses of the test itself */
            fail_with(a, arena_printf(mem, "%s in cycle %llu at %s", cycle_hazard_name[met->at[h].kind],
                                      (unsigned long long)met->at[h].cycle,
                                      k->design.cells.at[met->at[h].cell].name));
    }
    return j.runs;
}

/* Compiles and runs a case by the command; false: copies and buffers need more streams than the array has. */
static bool run_case(fixture *f, const arguments *a) {
    static const char log[] = ONYX_BINARY_DIR "/tests/adversary.log";
    size_t length;
    remove(log);
    int code = program_run(a->at, log);
    const char *said = file_read(log, &f->mem, &length, &f->diag);
    if (code == 2 && said && strstr(said, "[E0510-too-large]"))
        return false;
    if (code != 0)
        fail_with(a, arena_printf(&f->mem, "exit code %d, see %s", code, log));
    return true;
}

/* A case too large for its setting must run without the setting. */
static uint32_t play_case(fixture *f, prng *random, const char *folder, uint32_t *refused, quota *shown) {
    arena *mem = &f->mem;
    const shape *s = &shapes[prng_below(random, SHAPES)];
    const char *out = arena_printf(mem, "%s/out", folder), *setting = settings[prng_below(random, SETTINGS)];
    arguments a = {0};
    uint32_t runs = 0;
    add_words(mem, &a, ONYX_BINARY_DIR "/onyx run");
    vec_push(mem, &a, s->expression);
    add_words(mem, &a, s->options);
    add_words(mem, &a, arena_printf(mem, "--seed %u", prng_below(random, 100)));
    add_operands(random, mem, s, folder, &a);
    add_words(mem, &a,
              arena_printf(mem, "--engine cycle --effort 1 --hazards error --io-trace --quiet -o %s", out));
    uint32_t plain = a.len;
    add_words(mem, &a, setting);
    vec_push(mem, &a, NULL);
    if (!run_case(f, &a)) {
        *refused += 1;
        a.len = plain;
        vec_push(mem, &a, NULL);
        if (*setting == '\0' || !run_case(f, &a))
            fail_with(&a, "too large without copies or buffers");
    }
    quota_add(shown, true, kernel_gave_nothing(f, out));
    kernel k = {0};
    const char *job = arena_printf(mem, "%s/job.bin", out);
    kernel_read(arena_printf(mem, "%s/bitstream.bs", out), &f->names, mem, &f->diag, &k);
    for (int p = 0; p < PACES; p++)
        runs += play_paced(f, random, &k, job, &a);
    pnr_board_free(&k.board);
    return runs + runs / PACES;
}

static void test_adversary(void **state) {
    (void)state;
    uint32_t runs = 0, cases = 0, refused = 0;
    quota shown = {0}; /* trivial: a result without entries */
    for (; runs < wanted; cases++, seed++) {
        prng random = prng_seed(seed);
        fixture *f = NULL;
        fixture_set_up((void **)&f);
        runs += play_case(f, &random, test_folder(f), &refused, &shown);
        fixture_tear_down((void **)&f);
    }
    print_message(
        "%u runs of %u cases; %u cases run without the copies or buffers that are too large for the array\n",
        runs, cases, refused);
    assert_false(quota_failed(&shown));
}

int main(int argc, char **argv) {
    if (argc > 1)
        wanted = (uint32_t)strtoul(argv[1], NULL, 10);
    if (argc > 2)
        seed = (uint32_t)strtoul(argv[2], NULL, 10);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_adversary)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
