/* The forms of kernels on a board, without data: what the array runs, in which order of the loops, and where
 * the rest goes. */
#include "autoschedule/autoschedule_int.h"
#include "kernel/edges.h"
#include "tests/autoschedule/session.h"

/* ---- forms -------------------------------------------------------------------------------------- */

/* Returns the place and the loops of each kernel. */
static const char *form_of(const fe_cin *cin, arena *mem) {
    const char *text = "";
    for (uint32_t n = 0; n < cin->kernels.len; n++) {
        const fe_kernel *k = &cin->kernels.at[n];
        const char *place = k->on_host    ? "host "
                            : k->s.rows   ? arena_printf(mem, "rows of %u ", k->s.rows)
                            : k->s.singly ? "values "
                                          : "";
        text = arena_printf(mem, "%s%s%s%s", text, n ? "; " : "", place, compile_loops_text(&k->s, mem));
    }
    return text;
}

/* Returns the sentences of the kernels, one behind the other. */
static const char *sentences_of(const text_vec *chosen, arena *mem) {
    const char *text = "";
    for (uint32_t n = 0; n < chosen->len; n++)
        text = chosen->at[n] ? arena_printf(mem, "%s%s;", text, chosen->at[n]) : text;
    return text;
}

#define LACKS "Onyx has no such primitive"
#define DIVIDES "the array would divide 0 by 0 where no operand has a value"
#define SPREADS                                                                                              \
    "an operation with tables has values at more points than operands store, which the array would all "     \
    "compute"
#define FIBERS(name) "'" name "' takes all values along an index at once, which no tile does"
#define ADDS(name) "the chip's reducer adds, and does not combine by " name
#define BF16 " --dtype bf16 -o o"

/* The statement; its form, or NULL if the board has none; how the form begins to be described, and the
 * sentences of its kernels; in both, the reason stands at the end. */
static const struct {
    const char *command, *form, *staged, *sentence, *why;
} forms[] = {
    /* on the array as written; a product with both operands by columns in another order */
    {"onyx x(i)=B(i,j)*c(j) -o o", "i,j", "", "", NULL},
    {"onyx X(h,i)=b(h,i)+B(h,i,j,k)*C(j)*d(k) -f C:s -f d:s -o o", "h,i,j,k", "", "", NULL},
    {"onyx X(i,j)=B(k,i)*C(k,j)" BF16, "i,k,j", "",
     "loops i,k,j, since the order i,j,k fails: reduce (node 13)", LACKS},
    /* functions along an index, of the host; functions of the processor; functions that the processor has a
       part of */
    {"onyx x(i)=sort(j,A(i,k)*B(k,j)) -o o", "i,j,k; host i,j; i,j",
     "3 kernels, 1 of them on the host; as one on the array: ", "", FIBERS("sort")},
    {"onyx x(i,j)=A(i,k)*sort(j,S(k,j)) -o o", "host j,k; i,j,k",
     "2 kernels, 1 of them on the host; as one on the array: ", "", FIBERS("sort")},
    {"onyx x(i)=isqrt(b(i)) -o o", "host i", "1 kernel, on the chip's processor; as one on the array: ", "",
     LACKS},
    {"onyx x(i)=b(i)/c(i)+isqrt(d(i)) -o o", "host i; host i; i",
     "3 kernels, 2 of them on the chip's processor; as one on the array: ", "", LACKS},
    /* 0 / 0 of dense levels, in bf16 alone */
    {"onyx x(i)=b(i)/c(i)" BF16, "i", "", "", NULL},
    {"onyx x(i)=b(i)*2/c(i)" BF16, "i", "", "", NULL},
    {"onyx x(i)=b(i)/c(i) -f b:d" BF16, "host i", "1 kernel, on the host; as one on the array: ", "",
     DIVIDES},
    {"onyx x(i)=b(i)/c(i) -f c:d" BF16, "host i", "1 kernel, on the host; as one on the array: ", "",
     DIVIDES},
    {"onyx X(i,j)=B(i,j)/C(i,j) -f B:ds" BF16, "host i,j", "1 kernel, on the host; as one on the array: ", "",
     DIVIDES},
    {"onyx x(i)=b(i)/c(i) -f b:d -f c:d -o o", "host i",
     "1 kernel, on the chip's processor; as one on the array: ", "", LACKS},
    /* tables at more than 65,536 points, and more than an operand stores */
    {"onyx X(i,j)=exp(b(i)*c(j)) -d i:256 -d j:256" BF16, "i,j", "", "", NULL},
    {"onyx X(i,j)=exp(b(i)*c(j)) -d i:256 -d j:257" BF16, "i,j; i,j", "2 kernels; as one on the array: ", "",
     SPREADS},
    {"onyx X(i,j)=exp(b(i)+c(j)) -d i:300 -d j:300" BF16, "i,j; i,j", "2 kernels; as one on the array: ", "",
     SPREADS},
    {"onyx X(i,j)=exp(B(i,j)) -d i:300 -d j:300" BF16, "i,j", "", "", NULL},
    {"onyx X(i,j)=exp(B(i,j)*c(j)) -d i:300 -d j:300" BF16, "i,j", "", "", NULL},
    {"onyx X(i,j)=exp(B(i,j)+C(i,j)) -d i:300 -d j:300" BF16, "i,j", "", "", NULL},
    /* reductions that the chip lacks: in rows, whose number is at least as large as a row; by the host, if it
       may */
    {"onyx x=max(i,b(i)) -o o", "values i", "",
     "the host combines the values that the chip cannot: reduce (node 4): ", ADDS("max")},
    {"onyx x=b(i)*c(i) -f b:d -f c:d" BF16, "values i", "",
     "the host combines the values that the chip cannot: reduce (node 4): ", LACKS},
    {"onyx x=b(i)*c(i) -d i:15" BF16, "i; host i",
     "2 kernels, 1 of them on the host; as one on the array: ", "", LACKS},
    {"onyx x=b(i)*c(i) -d i:15 --functions none" BF16, NULL, "", "", LACKS},
    {"onyx x=b(i)*c(i) -d i:16" BF16, "rows of 4 i", "",
     "in rows of 4, whose values the host combines: reduce (node 6): ", LACKS},
    {"onyx x=b(i)*c(i) -d i:63" BF16, "rows of 4 i", "",
     "in rows of 4, whose values the host combines: reduce (node 6): ", LACKS},
    {"onyx x=b(i)*c(i) -d i:64 --functions none" BF16, "rows of 8 i", "",
     "in rows of 8, whose values the host combines: reduce (node 6): ", LACKS},
    {"onyx x=b(i)*c(i) -d i:9999999" BF16, "rows of 64 i", "",
     "in rows of 64, whose values the host combines: reduce (node 6): ", LACKS},
    {"onyx x=b(i)*c(i) -d i:64 --tile i:8" BF16, "i; host i",
     "2 kernels, 1 of them on the host; as one on the array: ", "", LACKS},
    {"onyx x=B(i,j) -d i:100 -d j:40" BF16, "j,i; rows of 8 i", "2 kernels; as one on the array: ",
     "loops j,i, since the order i,j fails: reduce (node 3): " LACKS
     ";in rows of 8, whose values the host combines: reduce (node 2): ",
     LACKS},
    {"onyx x=or(i,j,B(i,j)) -o o", "j,i; values i",
     "2 kernels, -s \"precompute(or(j, B(i,j)),{i},{i})\"; as one: ",
     "loops j,i, since the order i,j fails: reduce (node 3): " ADDS(
         "or") ";the host combines the values that the chip cannot: reduce (node 2): ",
     ADDS("or")},
    /* a small board */
    {"onyx x(i)=B(i,j)*c(j)*d(j)*e(j)*f(j) --board example -o o", "i,j; i,j; i,j; i,j",
     "4 kernels; as one on the array: ", "",
     "the design needs more than board 'example' has: 11 load streams of 6"},
    {"onyx Y(i)=exp(x(i))+sqrt(y(i)) --board example" BF16, "host i; i; i",
     "3 kernels, 1 of them on the host; as one on the array: ", "",
     "the design needs more than board 'example' has: 14 load streams of 6"},
    {"onyx Y(i)=exp(x(i))+sqrt(y(i))" BF16, "i", "", "", NULL},
};

static bool begins(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0 && (*with || !*text);
}

static bool ends(const char *text, const char *with) {
    const char *at = with ? strstr(text, with) : text + strlen(text);
    return at && strlen(at) <= (with ? strlen(with) : 0) + 1;
}

static void kernels_get_a_form_that_the_board_runs(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        session of;
        session_read(&of, forms[i].command);
        compile_trying c = {.o = &of.line.compile, .ctx = &of.ctx, .in = &of.open};
        const uint32_t written = of.out.cin.kernels.len;
        const bool found = compile_choose_kernels(&c, &of.out);
        const char *form = form_of(&of.out.cin, &of.mem), *said = sentences_of(&of.out.chosen, &of.mem),
                   *staged = of.out.staged ? of.out.staged : "";
        if (found != (forms[i].form != NULL))
            fail_msg("%s: found %d, %s", forms[i].command, found, form);
        if (!found) {
            assert_int_equal(of.out.cin.kernels.len, written);
            assert_non_null(strstr(c.last.why, forms[i].why));
        } else if (strcmp(form, forms[i].form) != 0 || !begins(staged, forms[i].staged) ||
                   !begins(said, forms[i].sentence) || (*staged && !ends(staged, forms[i].why)) ||
                   (*said && !ends(strrchr(said, ':'), forms[i].why)))
            fail_msg("%s: %s; %s; %s", forms[i].command, form, staged, said);
        compile_end(&of.ctx);
    }
}

/* Operations that need tables on the array: quotients of bf16, exponentials, and functions of programs. */
static void tables_are_of_few_operations(void **state) {
    (void)state;
    static const struct {
        const char *command;
        bool tables;
    } all[] = {
        {"onyx x(i)=b(i)/c(i)" BF16, true},        {"onyx x(i)=b(i)/c(i) -o o", false},
        {"onyx x(i)=c(i)*exp(b(i))" BF16, true},   {"onyx x(i)=abs(b(i))+max(b(i),c(i))" BF16, false},
        {"onyx x(i)=c(i)+isqrt(b(i)) -o o", true}, {"onyx x(i)=B(i,j)*c(j) -o o", false},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        session of;
        session_read(&of, all[i].command);
        if (compile_may_have_tables(&of.out.cin.kernels.at[0].s) != all[i].tables)
            fail_msg("%s: %d is not expected", all[i].command, !all[i].tables);
        compile_end(&of.ctx);
    }
}

/* A vector of a product may be dense, a matrix where a row of it is located by its outer coordinate: of two
 * accesses to one matrix the second alone. Stated formats are not open. */
static void operands_are_stored_dense_in_as_many_ways(void **state) {
    (void)state;
    static const struct {
        const char *command;
        uint32_t ways;
    } all[] = {
        {"onyx x(i)=b(i)*c(i) -o o", 2},
        {"onyx x(i)=b(i)*c(i) -f b:s -o o", 1},
        {"onyx x(i)=b(i)*c(i) -f b:d -f c:d -o o", 0},
        {"onyx X(i,j)=B(i,k)*C(k,j) -s reorder(i,k,j) -o o", 1},
        {"onyx X(i,j)=B(i,k)*B(k,j) -s reorder(i,k,j) -o o", 1},
        {"onyx x=3*4 -o o", 0},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        session of;
        session_begin(&of, all[i].command);
        const compile_trying c = {
            .o = &of.line.compile, .ctx = &of.ctx, .in = &of.open, .whole = &of.data.operands};
        const uint32_t ways = compile_count_stores(&c, &of.out.cin, 0);
        if (ways != all[i].ways)
            fail_msg("%s: %u ways", all[i].command, ways);
        compile_end(&of.ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(operands_are_stored_dense_in_as_many_ways),
                                       cmocka_unit_test(kernels_get_a_form_that_the_board_runs),
                                       cmocka_unit_test(tables_are_of_few_operations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
