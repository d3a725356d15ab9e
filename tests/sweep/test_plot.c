/* The SVG writer: every value has its mark at its place, text is escaped, the same numbers give the same
 * text. */
#include "sweep/plot.h"
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
                    .series = {{"up", y, false}, {"gap", gap, false}},
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
              .series = {{"low", low, false}, {"high", high, false}},
              .n_series = 2};
    const char *text = draw(*state, &p);
    assert_non_null(strstr(text, "height=\"68.0\" fill=\"#0072b2\""));  /* 2 of 10, of 340 pixels */
    assert_non_null(strstr(text, "height=\"272.0\" fill=\"#d55e00\"")); /* 8 of 10 */
    p.stacked = true;
    text = draw(*state, &p);
    assert_non_null(strstr(text, "y=\"40.0\" width=\"188.0\" height=\"272.0\"")); /* 8 on top of 2 */
}

/* Published values are outlines; points lead to their pages, and the best are joined by steps. */
static void points_and_published_values_are_told_apart(void **state) {
    static const char *const names[] = {"a"};
    static const double ours[] = {5}, theirs[] = {10};
    const plot bars = {.title = "t",
                       .x_label = "x",
                       .y_label = "y",
                       .n = 1,
                       .category = names,
                       .series = {{"ours", ours, false}, {"published", theirs, true}},
                       .n_series = 2};
    const char *text = draw(*state, &bars);
    assert_int_equal(count(text, "stroke-dasharray=\"3 2\""), 2); /* the bar, and its place in the legend */
    static const plot_point point[] = {{10, 100, "slow & \"small\"", "a\"b/view.html", true, 0},
                                       {20, 50, "fast", NULL, true, 0},
                                       {20, 100, "neither", NULL, false, 0}};
    const plot points = {
        .title = "t", .x_label = "x", .y_label = "y", .n = 3, .point = point, .within = true};
    text = draw(*state, &points);
    assert_int_equal(count(text, "<circle"), 3);
    assert_int_equal(count(text, "<a href=\"a&quot;b/view.html\">"), 1);
    assert_non_null(strstr(text, "<title>slow &amp; &quot;small&quot;</title>"));
    assert_non_null(strstr(text, "points=\"315.0,40.0 550.0,40.0 550.0,210.0 \""));
    assert_null(strstr(text, "xmlns"));
}

static void cells_are_the_darker_the_less_they_hold(void **state) {
    static const char *const columns[] = {"8", "16"}, *const rows[] = {"1", "2"};
    static const double cell[] = {100, 10, 0, 1000};
    const plot p = {.title = "t",
                    .x_label = "x",
                    .y_label = "y",
                    .n = 2,
                    .category = columns,
                    .cell = cell,
                    .row = rows,
                    .n_rows = 2};
    const char *text = draw(*state, &p);
    assert_int_equal(count(text, "class=\"cell\""), 3); /* 0: there is no point */
    assert_non_null(strstr(text, "x=\"315.0\" y=\"210.0\" width=\"235.0\" height=\"170.0\" "
                                 "fill=\"#0072b2\" fill-opacity=\"1.00\""));
    assert_non_null(strstr(text, "x=\"80.0\" y=\"210.0\" width=\"235.0\" height=\"170.0\" "
                                 "fill=\"#0072b2\" fill-opacity=\"0.55\""));
    assert_non_null(strstr(text, "fill-opacity=\"0.10\""));
}

RUN_TESTS(TEST(lines_have_a_mark_a_value), TEST(bars_have_the_height_of_their_values),
          TEST(points_and_published_values_are_told_apart), TEST(cells_are_the_darker_the_less_they_hold))
