/* Random small kernels from expression to bitstream by the onyx command, on engine cycle and on the RTL of
 * the array: every word at the array's edge in the same cycle. Argument: how many kernels (default 120). */
#include "kernels.h"
#include "tests/test.h"

static uint32_t kernels = 120;

/* ---- kernels --------------------------------------------------------------------------------- */

typedef struct {
    const char *expression, *operands; /* operands: "B:ij c:j", indices of each */
    const char *format;                /* an -f option that the expression needs, or NULL */
} shape;

static const shape shapes[] = {
    {"x(i)=b(i)*c(i)", "b:i c:i", NULL},
    {"x(i)=b(i)+c(i)", "b:i c:i", NULL},
    {"x=b(i)*c(i)", "b:i c:i", NULL},
    {"X(i,j)=B(i,j)", "B:ij", NULL},
    {"X(i,j)=B(i,j)*C(i,j)", "B:ij C:ij", NULL},
    {"X(i,j)=B(i,j)+C(i,j)", "B:ij C:ij", NULL},
    {"x(i)=B(i,j)*c(j)", "B:ij c:j", NULL},
    {"X(i,j)=B(i,k)*C(k,j)", "B:ik C:kj", "C:ss:1,0"},
    {"X(i,j,k)=B(i,j,k)", "B:ijk", NULL},
    {"X(i,j,k)=B(i,j,k)*C(i,j,k)", "B:ijk C:ijk", NULL},
    {"X(i,j,k)=B(i,j,k)+C(i,j,k)", "B:ijk C:ijk", NULL},
    {"X(i,j)=B(i,j,k)*c(k)", "B:ijk c:k", NULL},
    {"x(i)=b(i)+c(i)+d(i)", "b:i c:i d:i", NULL},
    {"x(i)=b(i)*c(i)*d(i)", "b:i c:i d:i", NULL},
    {"X(i,j)=B(i,j)+C(i,j)+D(i,j)", "B:ij C:ij D:ij", NULL},
    {"x(i)=b(i)-C(i,j)*d(j)", "b:i C:ij d:j", NULL},
    {"X(i,j)=B(i,j)*C(i,k)*D(k,j)", "B:ij C:ik D:kj", "D:ss:1,0"},
    {"x=B(i,j)*C(i,j)", "B:ij C:ij", NULL},
    {"x=B(i,j,k)*C(i,j,k)", "B:ijk C:ijk", NULL},
    {"X(i,j)=b(i)*c(j)", "b:i c:j", NULL},
    {"X(i,j,k)=B(i,j,l)*C(k,l)", "B:ijl C:kl", NULL},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

typedef VEC(const char *) arguments;

static void add(arena *mem, arguments *a, const char *text) {
    vec_push(mem, a, text);
}

/* "B:9x4:0.35:7" for each operand; an index has one extent in all of them. */
static void add_operands(prng *random, arena *mem, const shape *s, arguments *a) {
    static const uint32_t largest[] = {300, 40, 16, 7}; /* extents by number of indices */
    enum { INDICES = sizeof largest / sizeof *largest };
    uint32_t extent[INDICES] = {0}, order = 1;
    for (uint32_t n = 2; n <= INDICES; n++) /* i, j, k, l */
        order = strchr(s->expression, (char)('h' + n)) ? n : order;
    for (int i = 0; i < INDICES; i++)
        extent[i] = 1 + prng_below(random, largest[order - 1]);
    char *text = arena_strdup(mem, s->operands);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        const char *dims = "";
        for (const char *index = word + 2; *index; index++)
            dims = arena_printf(mem, "%s%s%u", dims, *dims ? "x" : "", extent[*index - 'i']);
        add(mem, a, "-g");
        add(mem, a,
            arena_printf(mem, "%c:%s:0.%02u:%u", word[0], dims, prng_below(random, 100),
                         prng_below(random, 1000)));
    }
}

static void make_arguments(prng *random, arena *mem, const char *folder, arguments *a) {
    const shape *s = &shapes[prng_below(random, SHAPES)];
    add(mem, a, ONYX_BINARY_DIR "/onyx");
    add(mem, a, "run");
    add(mem, a, s->expression);
    if (s->format) {
        add(mem, a, "-f");
        add(mem, a, s->format);
    }
    add_operands(random, mem, s, a);
    add(mem, a, "--seed");
    add(mem, a, arena_printf(mem, "%u", prng_below(random, 100)));
    if (prng_below(random, 3) == 0)
        add(mem, a, "--no-pipeline");
    if (prng_below(random, 2)) {
        add(mem, a, "--tile");
        add(mem, a, prng_below(random, 2) ? "8" : "5");
    }
    static const char *const rest[] = {"--engine",   "cycle",   "--hazards", "warn",
                                       "--io-trace", "--quiet", "-o",        NULL};
    for (int i = 0; rest[i]; i++)
        add(mem, a, rest[i]);
    add(mem, a, folder);
    add(mem, a, NULL);
}

/* ---- the job the engine ran ------------------------------------------------------------------ */

typedef struct {
    const unsigned char *at, *end;
} job;

static uint32_t job_word(job *j) {
    assert_true(j->at + 4 <= j->end);
    uint32_t w = j->at[0] | (uint32_t)j->at[1] << 8 | (uint32_t)j->at[2] << 16 | (uint32_t)j->at[3] << 24;
    j->at += 4;
    return w;
}

static void job_words(job *j, arena *mem, kernel_stream *s) {
    s->length = job_word(j);
    uint16_t *words = arena_new_n(mem, uint16_t, s->length + 2);
    for (uint32_t i = 0; i < s->length; i += 2) {
        uint32_t pair = job_word(j);
        words[i] = (uint16_t)pair;
        words[i + 1] = (uint16_t)(pair >> 16);
    }
    s->words = words;
}

static void list_streams(const kernel *k, kernel_stream *streams, uint32_t *inputs, uint32_t *n) {
    for (int output = 0; output < 2; output++) {
        for (uint32_t c = 0; c < k->design.cells.len; c++) /* in the order of x */
            if (k->design.cells.at[c].kind == (output ? CYCLE_IO_OUT : CYCLE_IO_IN))
                streams[(*n)++] = (kernel_stream){.column = k->column.at[c], .output = output};
        if (!output)
            *inputs = *n;
    }
}

/* Runs the job on both; the text of io.trace it should have left. */
static uint64_t replay(fixture *f, const char *folder, const char **trace) {
    arena *mem = &f->mem;
    kernel k = {0};
    kernel_stream streams[64];
    uint32_t inputs = 0, n = 0;
    size_t length = 0;
    uint64_t cycles = 0;
    kernel_read(arena_printf(mem, "%s/bitstream.bs", folder), &f->names, mem, &f->diag, &k);
    list_streams(&k, streams, &inputs, &n);
    const char *bytes = file_read(arena_printf(mem, "%s/job.bin", folder), mem, &length, &f->diag);
    assert_non_null(bytes);
    job j = {(const unsigned char *)bytes, (const unsigned char *)bytes + length};
    assert_int_equal(job_word(&j), 0x4a584e4f);
    assert_int_equal(job_word(&j), 1);
    assert_int_equal(job_word(&j), inputs);
    assert_int_equal(job_word(&j), n - inputs);
    for (uint32_t i = inputs; i < n; i++)
        streams[i].blocks = job_word(&j);
    uint32_t runs = job_word(&j);
    char *text = NULL;
    size_t text_length = 0;
    FILE *out = open_memstream(&text, &text_length);
    kernel_pair pair = kernel_start(&k, mem);
    for (uint32_t run = 0; run < runs; run++) {
        cycle_stream *got;
        for (uint32_t i = 0; i < inputs; i++)
            job_words(&j, mem, &streams[i]);
        cycles += kernel_run(&pair, streams, n, mem, &got);
        for (uint32_t i = 0; i < n; i++) {
            fprintf(out, "run %u %s %u:", run, i < inputs ? "in" : "out", streams[i].column);
            for (uint32_t w = 0; w < got[i].stamp.len; w++)
                fprintf(out, " %u", got[i].stamp.at[w]);
            fputc('\n', out);
        }
    }
    kernel_stop(&pair, cycles, mem);
    pnr_board_free(&k.board);
    fclose(out);
    *trace = arena_strdup(mem, text);
    free(text);
    return cycles;
}

static void test_random_kernels(void **state) {
    (void)state;
    const char *folder = ONYX_BINARY_DIR "/tests/cycle_random",
               *log = ONYX_BINARY_DIR "/tests/cycle_random.log";
    prng random = prng_seed(4);
    uint64_t cycles = 0;
    uint32_t ran = 0;
    for (uint32_t i = 0; i < kernels; i++) {
        fixture *f = NULL;
        fixture_set_up((void **)&f);
        arguments a = {0};
        const char *trace;
        size_t length = 0;
        make_arguments(&random, &f->mem, folder, &a);
        remove(log);
        int code = program_run(a.at, log);
        if (code != 0 && code != 2) {
            for (uint32_t w = 0; w + 1 < a.len; w++)
                print_message("%s ", a.at[w]);
            fail_msg("exit code %d, see %s", code, log);
        }
        if (code == 0) {
            uint64_t c = replay(f, folder, &trace);
            const char *written =
                file_read(arena_printf(&f->mem, "%s/io.trace", folder), &f->mem, &length, &f->diag);
            assert_non_null(written);
            assert_string_equal(written, trace);
            cycles += c;
            ran++;
        }
        fixture_tear_down((void **)&f);
    }
    print_message("%u kernels, %u of them do not fit, %llu cycles\n", kernels, kernels - ran,
                  (unsigned long long)cycles);
    assert_true(ran * 10 > kernels * 8);
}

int main(int argc, char **argv) {
    if (argc > 1)
        kernels = (uint32_t)strtoul(argv[1], NULL, 10);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_kernels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
