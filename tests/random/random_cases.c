/* Random cases through the whole chain: random_cases [CASES [SEED [factors]]]. Each is right, or refused with
 * a located code; the share refused is printed by code, and judged by tests/seeds.py. A wrong case is printed
 * in full and reduced. */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/notation/chain.h"
#include "tests/quota.h"
#include "tests/random/cases.h"
#include "tests/seen.h"

enum { MAX_FAILURES = 40 };

typedef struct {
    case_counts refused;
    quota shares;
    uint32_t right, wrong;
    bool factors; /* cases of case_random_factors */
} tally;

static seen_list seen;
static volatile uint64_t running; /* the seed at hand, for crashed() */

static void crashed(int number) {
    static const char digits[] = "0123456789abcdef";
    char text[] = "crashed: seed 0x0000000000000000\n";
    for (int i = 0; i < 16; i++)
        text[16 + i] = digits[running >> (60 - 4 * i) & 15];
    if (write(STDERR_FILENO, text, sizeof text - 1) > 0)
        signal(number, SIG_DFL);
    raise(number);
}

static bool still_wrong(note *n, void *context) {
    (void)context;
    arena mem = {0};
    bool wrong = chain_run(n, &mem).verdict == CHAIN_WRONG;
    arena_free(&mem);
    return wrong;
}

static void report(uint64_t seed, const char *reason, note *n) {
    arena mem = {0};
    const char *folder = arena_printf(&mem, "random_%016llx", (unsigned long long)seed);
    diagnostics d;
    diag_init(&d, &mem);
    make_folder(folder, &d);
    printf("WRONG seed 0x%llx: %s\n  %s\n", (unsigned long long)seed, reason,
           case_command(n, "sam", folder, &mem));
    case_shrink(n, still_wrong, NULL);
    chain_outcome small = chain_run(n, &mem);
    printf("  smallest: %s\n  %s\n", small.reason, case_command(n, "sam", folder, &mem));
    fflush(stdout);
    arena_free(&mem);
}

static void see(const char *text) {
    seen_text(&seen, text);
}

static void run_case(uint64_t seed, note *n, tally *t) {
    arena mem = {0};
    running = seed;
    (t->factors ? case_random_factors : case_random)(seed, n);
    chain_told = seen.texts ? see : NULL;
    chain_outcome out = chain_run(n, &mem);
    chain_told = NULL;
    seen_text(&seen, out.verdict == CHAIN_RIGHT ? "" : out.reason);
    seen_case(&seen);
    quota_add(&t->shares, out.verdict == CHAIN_RIGHT, case_is_trivial(n));
    switch (out.verdict) {
    case CHAIN_RIGHT:
        t->right++;
        break;
    case CHAIN_REFUSED:
        case_count(&t->refused, out.code, n);
        break;
    case CHAIN_WRONG:
        t->wrong++;
        report(seed, out.reason, n);
        break;
    }
    arena_free(&mem);
}

int main(int argc, char **argv) {
    uint64_t cases = argc > 1 ? strtoull(argv[1], NULL, 0) : 500;
    uint64_t base = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    tally t = {.factors = argc > 3};
    note *n = malloc(sizeof *n);
    if (!n)
        return 1;
    signal(SIGABRT, crashed);
    signal(SIGSEGV, crashed);
    seen_begin(&seen);
    double start = seconds_now();
    uint64_t i = 0;
    for (; i < cases && t.wrong < MAX_FAILURES; i++) /* a single case uses its own seed */
        run_case(cases == 1 ? base : base << 32 | i, n, &t);
    printf("%llu cases in %.1f s: %u right, %u refused (%.1f %%), %u wrong\n", (unsigned long long)i,
           seconds_now() - start, t.right, t.refused.total, 100.0 * t.refused.total / (double)(i ? i : 1),
           t.wrong);
    case_print_counts(&t.refused);
    free(n);
    printf("rate right: %u of %llu\n", t.right, (unsigned long long)i);
    return quota_failed(&t.shares) || !seen_same(&seen) || t.wrong != 0;
}
