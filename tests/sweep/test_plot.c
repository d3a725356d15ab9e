/* The SVG writer: every value has its mark at its place, text is escaped, the same numbers give the same
 * text. */
#include "tests/bench/plot.h"
#include "tests/test.h"

static char *draw(fixture *f, const plot *p) {
    text_out out;
    text_begin(&out);
    plot_write(p, out.stream);
    return text_end(&out, &f->mem);
}

static uint32_t count(const char *text, const char *what) {
    uint32_t n = 0;
    for (const char *at = strstr(text, what); at; at = strstr(at + 1, what))
        n++;
    return n;
}

static void lines_have_a_mark_a_value(void **state) {
    static const double x[] = {1, 10, 100}, y[] = {10, 100, 1000}, gap[] = {0, 10, 10};
    const plot p = {.title = "a < b & c",
                    .x_label = "x",
                    .y_label = "y",
                    .n = 3,
                    .x = x,
                    .log_x = true,
                    .log_y = true,
                    .series = {{"up", y}, {"gap", gap}},
                    .n_series = 2};
    const char *text = draw(*state, &p);
    assert_int_equal(count(text, "<circle"), 5);
    assert_int_equal(count(text, "<polyline"), 2);
    assert_non_null(strstr(text, "<title>a &lt; b &amp; c</title>"));
    assert_non_null(
        strstr(text, "cx=\"80.0\" cy=\"380.0\" r=\"3\" fill=\"#0072b2\"")); /* (1, 10): the corner */
    assert_non_null(strstr(text, "cx=\"315.0\" cy=\"210.0\""));             /* (10, 100): half way */
    assert_non_null(strstr(text, "cx=\"550.0\" cy=\"40.0\""));
    assert_string_equal(text, draw(*state, &p));
}

static void bars_have_the_height_of_their_values(void **state) {
    static const char *const names[] = {"a", "b"};
    static const double low[] = {2, 10}, high[] = {8, 0};
    plot p = {.title = "t",
              .x_label = "x",
              .y_label = "y",
              .n = 2,
              .category = names,
              .series = {{"low", low}, {"high", high}},
              .n_series = 2};
    const char *text = draw(*state, &p);
    assert_non_null(strstr(text, "height=\"68.0\" fill=\"#0072b2\""));  /* 2 of 10, of 340 pixels */
    assert_non_null(strstr(text, "height=\"272.0\" fill=\"#d55e00\"")); /* 8 of 10 */
    p.stacked = true;
    text = draw(*state, &p);
    assert_non_null(strstr(text, "y=\"40.0\" width=\"188.0\" height=\"272.0\"")); /* 8 on top of 2 */
}

RUN_TESTS(TEST(lines_have_a_mark_a_value), TEST(bars_have_the_height_of_their_values))
