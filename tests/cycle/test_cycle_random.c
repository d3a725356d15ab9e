/* Random small kernels from expression to bitstream by the onyx command, on engine cycle and on the RTL of
 * the array: every word at the array's edge in the same cycle. Argument: how many kernels (default 120). */
#include "kernels.h"
#include "tests/quota.h"

static uint32_t kernels = 120;

/* ---- kernels --------------------------------------------------------------------------------- */

typedef struct {
    const char *expression, *operands; /* operands: "B:ij c:j", indices of each */
    const char *format;                /* an -f option needed by the expression, or NULL */
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

/* "B:9x4:0.35:7" for each operand; an index has the same extent everywhere. */
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

/* Places the netlist again, with every tile but those of IO in rows `first` and below: rows 9 and up see a
 * flush later. */
static void place_lower(fixture *f, const char *folder, uint16_t first, const char *path) {
    arena *mem = &f->mem;
    pnr_board board;
    bits_map *map;
    netlist net;
    pnr_design design;
    bits_stream bits;
    pnr_site *fixed;
    pnr_options o = pnr_options_default();
    cJSON *json = json_read(arena_printf(mem, "%s/netlist.json", folder), &f->diag);
    bool ok = json && pnr_board_read("onyx", mem, &f->diag, &board) &&
              bits_map_read(&board, mem, &f->diag, &map) &&
              net_from_json(json, &f->names, mem, &f->diag, &net) &&
              pnr_read_place(&net, arena_printf(mem, "%s/design.place", folder), mem, &f->diag, &fixed);
    assert_true(ok);
    pnr_region *region = arena_new_n(mem, pnr_region, net.cells.len);
    for (uint32_t c = 0; c < net.cells.len; c++) {
        bool io = net_mode_table[net.cells.at[c].mode].tile == NET_TILE_IO;
        region[c] =
            (pnr_region){io ? PNR_FREE : 0, first, (uint16_t)(board.width - 1), (uint16_t)(board.height - 1)};
        if (!io)
            fixed[c].x = PNR_FREE;
    }
    o.fixed = fixed;
    o.region = region;
    ok = pnr_place(&net, &board, &o, mem, &f->diag, &design) && pnr_route_all(&design, &o, mem, &f->diag) &&
         pnr_check(&design, &f->diag) && bits_encode(&design, map, mem, &f->diag, &bits) &&
         bits_write(&bits, path, &f->diag);
    if (!ok)
        diag_print(&f->diag, 0, stderr, false);
    assert_true(ok);
    cJSON_Delete(json);
    pnr_board_free(&board);
}

static void test_random_kernels(void **state) {
    (void)state;
    const char *folder = ONYX_BINARY_DIR "/tests/cycle_random",
               *log = ONYX_BINARY_DIR "/tests/cycle_random.log";
    prng random = prng_seed(4);
    uint64_t cycles = 0;
    uint32_t ran = 0;
    quota shown = {0}; /* trivial: a result without entries */
    for (uint32_t i = 0; i < kernels; i++) {
        fixture *f = NULL;
        fixture_set_up((void **)&f);
        arguments a = {0};
        size_t length = 0;
        make_arguments(&random, &f->mem, folder, &a);
        remove(log);
        int code = program_run(a.at, log);
        if (code != 0 && code != 2) {
            for (uint32_t w = 0; w + 1 < a.len; w++)
                print_message("%s ", a.at[w]);
            fail_msg("exit code %d, see %s", code, log);
        }
        quota_add(&shown, code == 0, code == 0 && kernel_gave_nothing(f, folder));
        if (code == 0) {
            const char *job = arena_printf(&f->mem, "%s/job.bin", folder);
            const char *far = arena_printf(&f->mem, "%s/far.bs", folder);
            kernel_replayed r = kernel_replay(f, arena_printf(&f->mem, "%s/bitstream.bs", folder), job);
            cycles += r.cycles;
            const char *written =
                file_read(arena_printf(&f->mem, "%s/io.trace", folder), &f->mem, &length, &f->diag);
            assert_non_null(written);
            assert_string_equal(written, r.trace);
            if (i % 4 == 0) {
                place_lower(f, folder, (uint16_t)(1 + prng_below(&random, 10)), far);
                cycles += kernel_replay(f, far, job).cycles;
            }
            ran++;
        }
        fixture_tear_down((void **)&f);
    }
    print_message("%u kernels, %u of them do not fit, %llu cycles\n", kernels, kernels - ran,
                  (unsigned long long)cycles);
    assert_false(quota_failed(&shown));
    assert_true(ran * 10 > kernels * 8);
}

int main(int argc, char **argv) {
    if (argc > 1)
        kernels = (uint32_t)strtoul(argv[1], NULL, 10);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_kernels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
