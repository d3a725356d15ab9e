/* The C functions in a process with another locale, floating-point environment and signal handling: their
 * output is unchanged, and the process state is restored afterwards. */
#define _GNU_SOURCE
#include "bindings/onyx.h"
#include "support/support.h"

#include <fenv.h>
#include <locale.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __x86_64__
#include <xmmintrin.h>
#endif

#include <cmocka.h>

#define WORK ONYX_BINARY_DIR "/caller"
#define HOW "--engine", "cycle", "--dtype", "bf16", "-o", WORK "/out"

static const char *const program = "param f = 0.5\n"
                                   "tensor b: s = \"b.mtx\"\n"
                                   "tensor x: s\n"
                                   "scalar half = 0.5\n"
                                   "x(i) = b(i) * f + half * b(i) * 1.25\n"
                                   "result x\n";

/* Output and result of a call, except times. */
static char *answer(arena *mem, const char *const *words, uint32_t n, const onyx_tensor *given, uint32_t m) {
    diagnostics d;
    size_t length = 0;
    diag_init(&d, mem);
    remove_folder(WORK "/out");
    onyx_result *r = onyx_run(words, n, given, m);
    char *all = arena_printf(mem, "%d\n%s", r->code, r->messages);
    assert_int_equal(r->code, 0);
    cJSON *report = json_parse("report", r->report, strlen(r->report), &d);
    assert_non_null(report);
    char *files = json_print(cJSON_GetObjectItem(report, "files"), true);
    all = arena_printf(mem, "%s%s\n", all, files);
    cJSON_free(files);
    cJSON_Delete(report);
    for (uint64_t e = 0; e < r->result.nnz; e++)
        all = arena_printf(mem, "%s%016llx ", all,
                           (unsigned long long)hash_bytes(&r->result.val[e], sizeof(double)));
    onyx_free(r);
    char *written = file_read_if_there(WORK "/out/x.mtx", mem, &length);
    assert_non_null(written);
    return arena_printf(mem, "%s\n%s", all, written);
}

/* Text, a literal, a fill, a file and an operand in memory; one value is subnormal. */
static char *answers(arena *mem) {
    static const uint32_t dim[] = {4}, crd[] = {0, 2, 3};
    static const double val[] = {0.5, -2.25, 1e-40};
    const onyx_tensor b = {"b", 1, dim, 3, crd, val};
    const char *const literal[] = {"x(i) = b(i) * 2.5", HOW}, *const steps[] = {WORK "/p.onx", HOW};
    const char *const file[] = {"x(i) = b(i) * 2.5", HOW, "-i", "b:" WORK "/b.mtx"};
    const char *const fill[] = {
        "x(i) = b(i) + c(i)", HOW, "-g", "c:4:0.75:3", "--fill", "b:0.25", "-f", "b:d"};
    char *all = answer(mem, literal, 7, &b, 1);
    all = arena_printf(mem, "%s%s", all, answer(mem, fill, 13, &b, 1));
    all = arena_printf(mem, "%s%s", all, answer(mem, file, 9, NULL, 0));
    return arena_printf(mem, "%s%s", all, answer(mem, steps, 7, NULL, 0));
}

static void put(const char *name, const char *text, arena *mem) {
    diagnostics d;
    file_out f;
    diag_init(&d, mem);
    assert_true(make_folder(WORK, &d) && file_create(&f, arena_printf(mem, WORK "/%s", name), mem, &d));
    fputs(text, f.stream);
    assert_true(file_commit(&f, &d));
}

typedef struct {
    arena mem;
    const char *plain; /* the answers of a process in the default state */
} fixture;

static int set_up(void **state) {
    static fixture f;
    put("b.mtx", "%%MatrixMarket matrix coordinate real general\n4 1 3\n1 1 0.5\n3 1 -2.25\n4 1 1e-40\n",
        &f.mem);
    put("p.onx", program, &f.mem);
    f.plain = answers(&f.mem);
    assert_non_null(strstr(f.plain, "1.25"));
    *state = &f;
    return 0;
}

static int tear_down(void **state) {
    arena_free(&((fixture *)*state)->mem);
    return 0;
}

/* A comma, a comma and thin spaces, a point of two bytes, and letters whose case is not ASCII's. */
static const char *const locales[][3] = {{"de_DE", "UTF-8", "de_DE.UTF-8"},
                                         {"fr_FR", "UTF-8", "fr_FR.UTF-8"},
                                         {"ps_AF", "UTF-8", "ps_AF.UTF-8"},
                                         {"tr_TR", "ISO-8859-9", "tr_TR.ISO-8859-9"}};

static void test_locales(void **state) {
    fixture *f = *state;
    diagnostics d;
    diag_init(&d, &f->mem);
    assert_true(make_folder(WORK "/locales", &d));
    setenv("LOCPATH", WORK "/locales", 1);
    for (size_t i = 0; i < sizeof locales / sizeof *locales; i++) {
        const char *const *l = locales[i];
        const char *place = arena_printf(&f->mem, WORK "/locales/%s", l[2]);
        const char *const make[] = {"localedef", "-i", l[0], "-f", l[1], place, NULL};
        if (access(place, F_OK) != 0)
            program_run(make, WORK "/localedef.log");
        if (!setlocale(LC_ALL, l[2])) {
            print_message("no locale %s: package locales is not installed\n", l[2]);
            skip();
        }
        assert_string_equal(answers(&f->mem), f->plain);
        assert_string_equal(setlocale(LC_ALL, NULL), l[2]);
        assert_true(uselocale((locale_t)0) == LC_GLOBAL_LOCALE);
        char point[8];
        snprintf(point, sizeof point, "%.1f", 0.5); /* the caller's own numbers are unchanged */
        assert_string_not_equal(point, "0.5");
    }
    setlocale(LC_ALL, "C");
}

static void test_rounding(void **state) {
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    fixture *f = *state;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        fesetround(modes[i]);
        const char *got = answers(&f->mem);
        const int after = fegetround();
        fesetround(FE_TONEAREST);
        assert_string_equal(got, f->plain);
        assert_int_equal(after, modes[i]);
    }
}

static void test_flush_to_zero(void **state) {
#ifdef __x86_64__
    enum { FLUSH = 0x8040 }; /* results and operands */
    fixture *f = *state;
    const unsigned before = _mm_getcsr();
    _mm_setcsr(before | FLUSH);
    const char *got = answers(&f->mem);
    const unsigned after = _mm_getcsr();
    _mm_setcsr(before);
    assert_string_equal(got, f->plain);
    assert_int_equal(after & FLUSH, FLUSH);
#else
    (void)state;
    skip();
#endif
}

/* A NULL pointer in place of an object is an error, not a fault. */
static void test_null(void **state) {
    static const uint32_t dim[] = {4}, crd[] = {0};
    static const double val[] = {1};
    static const onyx_tensor bad[] = {{NULL, 1, dim, 1, crd, val},
                                      {"b", 1, NULL, 1, crd, val},
                                      {"b", 1, dim, 1, NULL, val},
                                      {"b", 1, dim, 1, crd, NULL}};
    const char *const words[] = {"x(i) = b(i)", HOW}, *const with_null[] = {"x(i) = b(i)", NULL};
    onyx_result *const got[] = {onyx_run(words, 7, &bad[0], 1), onyx_run(words, 7, &bad[1], 1),
                                onyx_run(words, 7, &bad[2], 1), onyx_run(words, 7, &bad[3], 1),
                                onyx_run(words, 7, NULL, 1),    onyx_run(NULL, 3, NULL, 0),
                                onyx_run(with_null, 2, NULL, 0)};
    (void)state;
    for (size_t i = 0; i < sizeof got / sizeof *got; i++) {
        assert_int_equal(got[i]->code, 1);
        assert_non_null(strstr(got[i]->messages, "is NULL [E0904-argument]"));
        onyx_free(got[i]);
    }
}

static void take_all(int number) {
    (void)number;
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
}
static void nothing(int number) {
    (void)number;
}

/* The engine that runs our programs as children. */
static void run_on_soc(fixture *f) {
    const char *const words[] = {"x(i) = b(i) * c(i)", "-g",  "b:8:0.75:1", "-g",       "c:8:0.75:2",
                                 "--engine",           "soc", "-o",         WORK "/out"};
    onyx_result *r = onyx_run(words, 9, NULL, 0);
    assert_string_equal(r->messages, "");
    assert_int_equal(r->code, 0);
    onyx_free(r);
    assert_string_equal(answers(&f->mem), f->plain);
}

static void with_children_as(fixture *f, const struct sigaction *given) {
    struct sigaction before, after;
    sigaction(SIGCHLD, given, &before);
    run_on_soc(f);
    sigaction(SIGCHLD, &before, &after);
    assert_ptr_equal(after.sa_handler, given->sa_handler);
    assert_int_equal(after.sa_flags & SA_NOCLDWAIT, given->sa_flags & SA_NOCLDWAIT);
}

static void test_children_ignored(void **state) {
    with_children_as(*state, &(struct sigaction){.sa_handler = SIG_IGN});
}
static void test_children_not_kept(void **state) {
    with_children_as(*state, &(struct sigaction){.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDWAIT});
}
static void test_children_taken(void **state) {
    with_children_as(*state, &(struct sigaction){.sa_handler = take_all});
}

/* A clock whose handler makes system calls fail, and signals held back. */
static void test_interrupted_calls(void **state) {
    const struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    struct sigaction before;
    sigset_t blocked, kept;
    sigaction(SIGALRM, &(struct sigaction){.sa_handler = nothing}, &before);
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    sigaddset(&blocked, SIGCHLD);
    pthread_sigmask(SIG_BLOCK, &blocked, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    run_on_soc(*state);
    setitimer(ITIMER_REAL, &never, NULL);
    pthread_sigmask(SIG_UNBLOCK, &blocked, &kept);
    sigaction(SIGALRM, &before, NULL);
    assert_true(sigismember(&kept, SIGTERM) && sigismember(&kept, SIGCHLD));
    assert_false(sigismember(&kept, SIGALRM));
}

/* The file is made by a child that wrongly runs this process' exit handler. */
static pid_t here;
static void mark_end(void) {
    if (getpid() != here)
        mkdir(WORK "/ended", 0777);
}

static void write_text(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

/* Foreign C code that exits or faults ends only a child process. */
static void test_foreign(void **state) {
    static const char *const bodies[] = {"exit(0); return x;", "*(volatile double *)8 = x; return x;"};
    const char *const words[] = {"x(i) = own(b(i))", "-g",  "b:8:0.75:1", "--functions", WORK "/own.xf",
                                 "--engine",         "sam", "-o",         WORK "/out"};
    fixture *f = *state;
    here = getpid();
    assert_int_equal(atexit(mark_end), 0);
    write_text(WORK "/own.xf",
               "call: double own(X)\ncapability: Y(i) = own(X(i))\ndatatypes: int16\nsource: own.c\n");
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        write_text(WORK "/own.c",
                   arena_printf(&f->mem, "#include <stdlib.h>\ndouble own(double x) { %s }\n", bodies[i]));
        onyx_result *r = onyx_run(words, 9, NULL, 0);
        assert_int_equal(r->code, 1);
        assert_non_null(strstr(r->messages, "E0181-function-fault"));
        onyx_free(r);
        assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
    }
    assert_int_not_equal(access(WORK "/ended", F_OK), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_locales),
                                       cmocka_unit_test(test_rounding),
                                       cmocka_unit_test(test_flush_to_zero),
                                       cmocka_unit_test(test_children_ignored),
                                       cmocka_unit_test(test_children_not_kept),
                                       cmocka_unit_test(test_children_taken),
                                       cmocka_unit_test(test_interrupted_calls),
                                       cmocka_unit_test(test_null),
                                       cmocka_unit_test(test_foreign)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
