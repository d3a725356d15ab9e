/* Messages: their lines, hints and limits, messages of trials, and places in JSON. */
#include "support/trial.h"
#include "tests/test.h"

static void diagnostics_print_the_line_and_a_caret(void **state) {
    fixture *f = *state;
    const char *text = "x(i) = b(i)\n\ty = c(i,j)\n";
    uint32_t source = diag_add_source(&f->diag, "<expression>", text, strlen(text));
    diag_error(&f->diag, src_at(source, 17, 6), "E0103-rank", "'%s' has %d indices", "c", 2);
    diag_hint(&f->diag, "write c(i)");
    diag_note(&f->diag, src_at(source, 0, 1), "declared here");
    assert_true(diag_failed(&f->diag));
    assert_string_equal(fixture_printed(f), "<expression>:2:6: error: 'c' has 2 indices [E0103-rank]\n"
                                            "    \ty = c(i,j)\n"
                                            "    \t    ^~~~~~\n"
                                            "    help: write c(i)\n"
                                            "<expression>:1:1: note: declared here\n"
                                            "    x(i) = b(i)\n"
                                            "    ^\n");
}

/* Messages about a text that was made of another point to the words there, else to all of it. */
static void diagnostics_point_to_typed_words(void **state) {
    fixture *f = *state;
    const char *typed = "X(i,j) = A(rows(i),j) + c", *made = "X(i,j) = sum(r, P(i,r) * A(r,j)) + c";
    const uint32_t source = diag_add_source(&f->diag, "<expression>", typed, strlen(typed)),
                   rewritten = diag_add_rewritten(&f->diag, "made", made, src_at(source, 0, strlen(typed)));
    const struct {
        const char *of, *at;
        uint32_t length;
    } cases[] = {{"A(r,j)", "A(rows(i),j)", 12}, {"c", "c", 1}, {"X", "X", 1}, {"sum", typed, 25}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *last = strstr(made, cases[i].of);
        diag_error(&f->diag, src_at(rewritten, (size_t)(last - made), strlen(cases[i].of)), "E0000-test",
                   "here");
        const src_loc loc = f->diag.list.at[i].loc;
        assert_int_equal(loc.source, source);
        assert_int_equal(loc.offset, strstr(typed, cases[i].at) - typed);
        assert_int_equal(loc.length, cases[i].length);
    }
}

/* A terminal gets colours, and the command that explains the first failure; warnings alone have none. */
static void diagnostics_point_to_the_help(void **state) {
    fixture *f = *state;
    char *text = NULL;
    size_t length = 0;
    for (uint32_t failures = 0; failures < 2; failures++) {
        FILE *out = open_memstream(&text, &length);
        diag_warning(&f->diag, (src_loc){0}, "E0350-rounded", "rounded");
        if (failures)
            diag_error(&f->diag, (src_loc){0}, "E0104-rank", "two ranks");
        diag_print(&f->diag, 0, out, true);
        fclose(out);
        assert_true((strstr(text, "\nonyx: 'onyx help E0104' explains the error\n") != NULL) ==
                    (failures == 1));
        assert_true(strstr(text, "\033[1;35mwarning:\033[0m rounded [E0350-rounded]\n") != NULL);
        free(text);
    }
}

/* A caret stands under its character, after any bytes; a long line is cut to the neighbourhood of the place;
 * characters that move a terminal's cursor are not printed. */
static void diagnostics_show_any_bytes(void **state) {
    fixture *f = *state;
    const char *text = "\xc3\xbc(i) = \xff\x1b[2J"
                       "q\n";
    uint32_t source = diag_add_source(&f->diag, "<expression>", text, strlen(text));
    diag_error(&f->diag, src_at(source, 13, 1), "E0000-test", "not '%s'", "a\x1b[31m\xc2\x9bq\x80");
    assert_string_equal(fixture_printed(f), "<expression>:1:14: error: not 'a?[31m?q?' [E0000-test]\n"
                                            "    \xc3\xbc(i) = ??[2Jq\n"
                                            "                ^\n");
    char line[1001];
    memset(line, 'x', 1000);
    line[500] = '!';
    line[1000] = '\0';
    f->diag.list.len = 0;
    source = diag_add_source(&f->diag, "file", line, 1000);
    diag_error(&f->diag, src_at(source, 500, 3), "E0000-test", "long");
    const char *printed = fixture_printed(f), *shown = strstr(printed, "    ...x"),
               *caret = strchr(printed, '^');
    assert_non_null(shown);
    assert_true(strlen(printed) < 400);
    assert_int_equal(strchr(shown, '!') - shown, caret - (strchr(shown, '\n') + 1));
    assert_memory_equal(caret, "^~~\n", 4);
}

/* Attempts that were dropped, and messages that come back, one inside of the other. */
static void diagnostics_return_from_trials(void **state) {
    fixture *f = *state;
    const char *text = "X(i) = B(i)";
    const uint32_t source = diag_add_source(&f->diag, "<expression>", text, strlen(text));
    diag_error(&f->diag, src_at(source, 0, 1), "E0000-test", "first");
    const diagnostics before = f->diag;
    diag_error(&f->diag, src_at(source, 7, 1), "E0000-test", "refused");
    const diagnostics refused = f->diag;
    diag_return_to(&f->diag, &before);
    assert_int_equal(f->diag.errors, 1);
    for (int i = 0; i < 20; i++)
        diag_warning(&f->diag, (src_loc){0}, "E0000-test", "of the attempt");
    const uint32_t made = diag_add_source(&f->diag, "<schedule>", "reorder(i)", 10);
    diag_return_to(&f->diag, &refused);
    assert_int_equal(f->diag.list.len, 2);
    assert_int_equal(f->diag.errors, 2);
    assert_int_equal(f->diag.warnings, 0);
    assert_string_equal(f->diag.list.at[0].message, "first");
    assert_string_equal(f->diag.list.at[1].message, "refused");
    assert_int_equal(diag_add_source(&f->diag, "<schedule>", "reorder(i)", 10), made);
    const diagnostics all = diag_set_aside(&f->diag);
    assert_false(diag_failed(&f->diag));
    diag_unmappable(&f->diag, (src_loc){0}, "E0000-test", "other");
    assert_string_equal(f->diag.list.at[0].message, "other");
    diag_return_to(&f->diag, &all);
    assert_int_equal(f->diag.unmappable, 0);
    assert_string_equal(f->diag.list.at[0].message, "first");
}

static void diagnostics_stop_keeping_after_the_limit(void **state) {
    fixture *f = *state;
    for (int i = 0; i < DIAG_MAX_ERRORS + 5; i++)
        diag_error(&f->diag, (src_loc){0}, "E0000-test", "error %d", i);
    assert_int_equal(f->diag.errors, DIAG_MAX_ERRORS + 5);
    assert_int_equal(f->diag.list.len, DIAG_MAX_ERRORS);
    diag_mismatch(&f->diag, (src_loc){0}, "E0000-test", "a failure of another kind");
    assert_int_equal(f->diag.mismatches, 1);
    assert_int_equal(f->diag.list.len, DIAG_MAX_ERRORS);
    assert_non_null(strstr(fixture_printed(f), "6 more errors are not shown"));
}

static void json_errors_are_located(void **state) {
    fixture *f = *state;
    const char *text = "{\"a\": 1,\n \"b\": oops}";
    assert_null(json_parse("board.json", text, strlen(text), &f->diag));
    assert_non_null(strstr(fixture_printed(f), "board.json:2:7: error:"));
    diag_init(&f->diag, &f->mem);
    assert_null(json_parse("two", "{} {", 4, &f->diag)); /* one document a file */
    assert_string_equal(fixture_printed(f), "two:1:4: error: this is not JSON from here on [E0002-json]\n"
                                            "    {} {\n"
                                            "       ^\n");
    diag_init(&f->diag, &f->mem);
    cJSON *json = json_parse("ok", "{\"a\": 1.5}\n", 11, &f->diag);
    uint32_t value = 0;
    assert_false(json_get_u32(json, "ok", "a", &value, &f->diag));
    assert_non_null(strstr(fixture_printed(f), "ok: member \"a\" must be a whole number"));
    cJSON_Delete(json);
}

RUN_TESTS(TEST(diagnostics_print_the_line_and_a_caret), TEST(diagnostics_point_to_typed_words),
          TEST(diagnostics_point_to_the_help), TEST(diagnostics_show_any_bytes),
          TEST(diagnostics_return_from_trials), TEST(diagnostics_stop_keeping_after_the_limit),
          TEST(json_errors_are_located))
