/* cli/: a page for a terminal, the debug probes of a machine, and less of a set or of a text. */
#include "tests/test.h"

#include "cli/doctor.h"
#include "cli/shrink.h"
#include "cli/terminal.h"

#include <string.h>
#include <sys/stat.h>

/* ---- pages ------------------------------------------------------------------------------------- */

/* Returns the text sent to a terminal of this width; "\033[" is written as "<", its end as ">". */
static const char *printed(fixture *f, const char *markdown, uint32_t width) {
    text_out out;
    text_begin(&out);
    terminal_print(markdown, width, &f->mem, out.stream);
    char *text = (char *)(uintptr_t)text_end(&out, &f->mem), *to = text;
    bool within = false;
    for (const char *c = text; *c; c++) {
        if (*c == '\033') {
            *to++ = '<';
            within = true;
            c++;
        } else if (within && *c == 'm') {
            *to++ = '>';
            within = false;
        } else {
            *to++ = *c;
        }
    }
    *to = '\0';
    return text;
}

static void headings_and_words_have_styles(void **state) {
    assert_string_equal(printed(*state, "# Title `x`\n## Part\n", 80),
                        "<0;1>TITLE <0;36>x<0>\n<0;1>Part<0>\n");
    assert_string_equal(printed(*state, "a *b* **c** `d*e` [f g](h.md) 2 * 3 * 4\n", 80),
                        "a <0;3>b<0> <0;1>c<0> <0;36>d*e<0> <0;4>f g<0> 2 * 3 * 4\n");
    assert_string_equal(printed(*state, "x\\*y and SpM\\*SpM\n<!-- not\nthis -->\nz\n", 80),
                        "x*y and SpM*SpM\nz\n");
}

static void paragraphs_are_wrapped_between_words(void **state) {
    assert_string_equal(printed(*state, "one two three\nfour five\n\nsix\n", 14),
                        "one two three\nfour five\n\nsix\n");
    assert_string_equal(printed(*state, "- one two three four\n- five\n", 14),
                        "- one two\n  three four\n- five\n");
    assert_string_equal(printed(*state, "abcdefghijklmnop\n", 12), "abcdefghijkl\nmnop\n");
    /* A character of several bytes takes one column. */
    assert_string_equal(
        printed(*state, "\u00b5\u00b5\u00b5\u00b5\u00b5\u00b5\u00b5\u00b5\u00b5\u00b5 b\n", 12),
        "\u00b5\u00b5\u00b5\u00b5\u00b5\u00b5\u00b5\u00b5\u00b5\u00b5 b\n");
}

static void code_is_left_as_it_is(void **state) {
    assert_string_equal(printed(*state, "```console\n$ a   *b*\n| c |\n```\nd\n", 12),
                        "<0;36>    $ a   *b*<0>\n<0;36>    | c |<0>\nd\n");
    assert_string_equal(printed(*state, "    $ a | b\n", 12), "<0;36>    $ a | b<0>\n");
}

static void tables_have_columns(void **state) {
    assert_string_equal(
        printed(*state, "| a | b |\n|---|---|\n| one | `x\\|y` |\n| 1 | two three |\n", 80),
        "<0;1>a<0>    <0;1>b<0>\n"
        "<0;2>\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500<0>\n"
        "one  <0;36>x|y<0>\n1    two three\n");
    /* The widest column gives way. */
    assert_string_equal(printed(*state, "| a | b |\n|---|---|\n| one | two three four five |\n", 16),
                        "<0;1>a<0>    <0;1>b<0>\n"
                        "<0;2>"
                        "\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500"
                        "\u2500\u2500<0>\n"
                        "one  two three\n     four five\n");
}

/* The renderer ends for any page, and keeps the width if words allow. */
static void any_prefix_of_a_page_can_be_printed(void **state) {
    static const char page[] =
        "# A `b\n\n| a | `b|c` |\n|---|\n| d **e | f\n\n- *x [y](z\n  1. n\n\n```\nq\n<!-- r";
    for (size_t n = 0; n <= sizeof page - 1; n++)
        assert_non_null(printed(*state, arena_strndup(&((fixture *)*state)->mem, page, n), 20));
}

/* ---- probes ------------------------------------------------------------------------------------ */

static void device(const char *folder, const char *name, const char *const *files) {
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(mkdir(path, 0755), 0);
    for (; *files; files += 2) {
        snprintf(path, sizeof path, "%s/%s/%s", folder, name, files[0]);
        FILE *f = fopen(path, "w");
        assert_non_null(f);
        fprintf(f, "%s\n", files[1]);
        fclose(f);
    }
}

static void probes_are_told_from_other_devices(void **state) {
    fixture *f = *state;
    char folder[] = "usb-XXXXXX";
    assert_non_null(mkdtemp(folder));
    device(folder, "1-2",
           (const char *const[]){"idVendor", "0483", "idProduct", "374b", "product", "STM32 STLink", "busnum",
                                 "1", "devnum", "7", NULL});
    device(folder, "1-3",
           (const char *const[]){"idVendor", "abcd", "idProduct", "0001", "product", "Somebody's CMSIS-DAP",
                                 "busnum", "1", "devnum", "12", NULL});
    device(folder, "usb1",
           (const char *const[]){"idVendor", "1d6b", "product", "EHCI Host Controller", "busnum", "1",
                                 "devnum", "1", NULL});
    device(folder, "1-0:1.0", (const char *const[]){NULL});
    const char *dev = arena_printf(&f->mem, "%s/bus/usb/001", folder);
    assert_int_equal(mkdir(arena_printf(&f->mem, "%s/bus", folder), 0755), 0);
    assert_int_equal(mkdir(arena_printf(&f->mem, "%s/bus/usb", folder), 0755), 0);
    assert_int_equal(mkdir(dev, 0755), 0);
    fclose(fopen(arena_printf(&f->mem, "%s/007", dev), "w"));
    const doctor_probes probes = doctor_find_probes(folder, folder, &f->mem);
    assert_int_equal(probes.len, 2);
    assert_string_equal(probes.at[0].name, "ST-Link (0483:374b STM32 STLink)");
    assert_true(probes.at[0].open);
    assert_string_equal(probes.at[1].name, "Somebody's CMSIS-DAP");
    assert_string_equal(strstr(probes.at[1].where, "/bus"), "/bus/usb/001/012");
    assert_false(probes.at[1].open);
    assert_int_equal(doctor_find_probes("absent", "absent", &f->mem).len, 0);
    remove_folder(folder);
}

/* ---- less ------------------------------------------------------------------------------------- */

enum { MOST = 1000 };

/* A set with equal behaviour as long as all of `wanted` remain; counts the tests. */
typedef struct {
    const uint32_t *wanted;
    uint32_t n, tests;
} wish;

static bool has_all(void *to, const bool *keep) {
    wish *w = to;
    w->tests++;
    for (uint32_t i = 0; i < w->n; i++) {
        if (!keep[w->wanted[i]])
            return false;
    }
    return true;
}

static uint32_t shrunk(const uint32_t *wanted, uint32_t n, uint32_t all) {
    bool keep[MOST];
    wish w = {wanted, n, 0};
    memset(keep, true, sizeof keep);
    shrink_set(all, keep, has_all, &w);
    uint32_t left = 0, tests = w.tests;
    for (uint32_t i = 0; i < all; i++)
        left += keep[i];
    assert_int_equal(left, n);
    assert_true(has_all(&w, keep));
    return tests;
}

static void a_set_shrinks_to_what_matters(void **state) {
    (void)state;
    static const uint32_t two[] = {3, 990}, all[] = {0, 1, 2, 3, 4};
    assert_int_equal(shrunk(NULL, 0, MOST), 1);
    assert_true(shrunk(two, 2, MOST) < 60);
    assert_true(shrunk(all, 5, 5) < 30);
    shrunk(two, 1, 4);
    shrunk(NULL, 0, 0);
}

/* A text has equal behaviour as long as the word remains and brackets are paired. */
static bool has_word(void *to, const char *text) {
    int depth = 0;
    for (const char *c = text; *c && depth >= 0; c++)
        depth += *c == '(' ? 1 : *c == ')' ? -1 : 0;
    return depth == 0 && strstr(text, to) != NULL;
}

static void a_text_shrinks_by_terms(void **state) {
    fixture *f = *state;
    char access[] = "B(i,k)", call[] = "min(j,k)", words[] = "x y";
    assert_string_equal(shrink_text("X(i,j) = (B(i,k) * C(k,j)) + D(i,j)", has_word, access, &f->mem),
                        access);
    assert_string_equal(shrink_text("split(k, k0, k1, 8), min(j,k), pos(i)", has_word, call, &f->mem), call);
    assert_string_equal(shrink_text("x y", has_word, words, &f->mem), words);
    const text_vec tokens = shrink_tokens("X(i) += 2.5*B_1(i)", &f->mem);
    static const char *const want[] = {"X", "(", "i", ")", "+", "=", "2.5", "*", "B_1", "(", "i", ")"};
    assert_int_equal(tokens.len, sizeof want / sizeof *want);
    for (uint32_t i = 0; i < tokens.len; i++)
        assert_string_equal(tokens.at[i], want[i]);
}

RUN_TESTS(TEST(headings_and_words_have_styles), TEST(paragraphs_are_wrapped_between_words),
          TEST(code_is_left_as_it_is), TEST(tables_have_columns), TEST(any_prefix_of_a_page_can_be_printed),
          TEST(probes_are_told_from_other_devices), TEST(a_set_shrinks_to_what_matters),
          TEST(a_text_shrinks_by_terms))
