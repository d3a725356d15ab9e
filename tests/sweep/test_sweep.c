/* Points and results: the identity of a point, the kept data, the reports. */
#include "sweep/sweep_int.h"
#include "tests/test.h"

#include <sqlite3.h>
#include <sys/stat.h>

typedef struct {
    fixture f;
    const char *folder;
    sweep_job job;
} sweep_fixture;

static const char *path_in(sweep_fixture *x, const char *name) {
    return arena_printf(&x->f.mem, "%s/%s", x->folder, name);
}

static void put_file(const char *path, const char *text) {
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
}

static void add_axis(sweep_fixture *x, const char *name, const char *option, const char *const *values) {
    sweep_axis axis = {.name = name};
    for (; *values; values++) {
        sweep_value value = {.label = *values};
        vec_push(&x->f.mem, &value.words, option);
        vec_push(&x->f.mem, &value.words, *values);
        vec_push(&x->f.mem, &axis.values, value);
    }
    vec_push(&x->f.mem, &x->job.plan.axes, axis);
}

static int begin(void **state) {
    static const char *const tiles[] = {"8", "16", "32", NULL}, *const copies[] = {"1", "2", NULL};
    sweep_fixture *x = calloc(1, sizeof *x);
    assert_non_null(x);
    diag_init(&x->f.diag, &x->f.mem);
    names_init(&x->f.names, &x->f.mem);
    x->job.mem = &x->f.mem;
    x->job.d = &x->f.diag;
    x->folder = test_folder(&x->f);
    x->job.plan.program = path_in(x, "program");
    x->job.plan.engine = "cycle";
    put_file(x->job.plan.program, "one");
    put_file(path_in(x, "B.mtx"), "data");
    vec_push(&x->f.mem, &x->job.plan.arguments, "x(i)=B(i,j)*c(j)");
    vec_push(&x->f.mem, &x->job.plan.inputs, path_in(x, "B.mtx"));
    add_axis(x, "tile", "--tile", tiles);
    add_axis(x, "unroll", "--unroll", copies);
    *state = x;
    return 0;
}

static int end(void **state) {
    sweep_fixture *x = *state;
    remove_folder(x->folder);
    arena_free(&x->f.mem);
    free(x);
    return 0;
}

static sweep_point_vec points_of(sweep_fixture *x, char plan_key[17]) {
    x->job.points = (sweep_point_vec){0};
    assert_true(sweep_points(&x->job));
    memcpy(plan_key, x->job.key, sizeof x->job.key);
    return x->job.points;
}

/* The last axis changes fastest; all keys differ; the same plan gives the same keys. */
static void product_of_axes(void **state) {
    sweep_fixture *x = *state;
    char plan[17], again[17];
    sweep_point_vec points = points_of(x, plan), same = points_of(x, again);
    assert_int_equal(points.len, 6);
    assert_string_equal(plan, again);
    assert_string_equal(points.at[1].settings, "{\"tile\":\"8\",\"unroll\":\"2\"}");
    assert_string_equal(points.at[4].settings, "{\"tile\":\"32\",\"unroll\":\"1\"}");
    static const char *const want[] = {"run", "x(i)=B(i,j)*c(j)", "--tile", "32", "--unroll", "1"};
    assert_int_equal(points.at[4].arguments.len, 6);
    for (uint32_t i = 0; i < 6; i++)
        assert_string_equal(points.at[4].arguments.at[i], want[i]);
    for (uint32_t i = 0; i < points.len; i++) {
        assert_string_equal(points.at[i].key, same.at[i].key);
        for (uint32_t k = 0; k < i; k++)
            assert_string_not_equal(points.at[i].key, points.at[k].key);
    }
}

/* Points of the grid and plain points are counted separately, by state. */
static void counts_by_state(void **state) {
    (void)state;
    const sweep_row rows[] = {{.state = SWEEP_DONE},
                              {.state = SWEEP_DONE, .plain = true},
                              {.state = SWEEP_REFUSED},
                              {.state = SWEEP_REFUSED},
                              {.state = SWEEP_WRONG, .plain = true}};
    const sweep_counts n = sweep_count(rows, 5);
    assert_int_equal(n.points, 3);
    assert_int_equal(n.of[SWEEP_DONE], 1);
    assert_int_equal(n.of[SWEEP_REFUSED], 2);
    assert_int_equal(n.of[SWEEP_WRONG], 0);
    assert_int_equal(n.of_plain[SWEEP_DONE], 1);
    assert_int_equal(n.of_plain[SWEEP_WRONG], 1);
    assert_int_equal(sweep_count(rows, 0).points, 0);
}

/* Axes that the search chooses are left out of one more point for each combination of the others. */
static void plain_points(void **state) {
    sweep_fixture *x = *state;
    char plan[17];
    x->job.plan.axes.at[0].chosen = true;
    sweep_point_vec points = points_of(x, plan);
    assert_int_equal(points.len, 8);
    assert_int_equal(x->job.grid, 6);
    static const char *const want[] = {"{\"tile\":null,\"unroll\":\"1\"}",
                                       "{\"tile\":null,\"unroll\":\"2\"}"};
    for (uint32_t i = 0; i < points.len; i++) {
        for (uint32_t k = 0; k < i; k++)
            assert_string_not_equal(points.at[i].key, points.at[k].key);
    }
    for (uint32_t i = 0; i < 2; i++) {
        assert_string_equal(points.at[6 + i].settings, want[i]);
        assert_int_equal(points.at[6 + i].arguments.len, 4);
        assert_string_equal(points.at[6 + i].arguments.at[2], "--unroll");
    }
    x->job.plan.axes.at[1].chosen = true;
    points = points_of(x, plan);
    assert_int_equal(points.len, 7);
    assert_int_equal(points.at[6].arguments.len, 2);
}

/* Contents of inputs and the program count; the plan's own hash leaves the program out. */
static void keys_follow_contents(void **state) {
    sweep_fixture *x = *state;
    char plan[17], other_program[17], other_data[17];
    sweep_point_vec before = points_of(x, plan);
    put_file(x->job.plan.program, "two");
    sweep_point_vec rebuilt = points_of(x, other_program);
    put_file(path_in(x, "B.mtx"), "other data");
    sweep_point_vec changed = points_of(x, other_data);
    assert_string_equal(plan, other_program);
    assert_string_not_equal(plan, other_data);
    assert_string_not_equal(before.at[0].key, rebuilt.at[0].key);
    assert_string_not_equal(rebuilt.at[0].key, changed.at[0].key);
    vec_push(&x->f.mem, &x->job.plan.inputs, path_in(x, "absent.mtx"));
    assert_false(sweep_points(&x->job));
    assert_string_equal(x->f.diag.list.at[0].code, "E0001-file");
}

static sweep_store *new_store(sweep_fixture *x, const char *name) {
    sweep_store *store = sweep_open(path_in(x, name), true, &x->f.mem, &x->f.diag);
    assert_non_null(store);
    return store;
}

static void put_report(sweep_fixture *x, sweep_store *store, const char *plan, const sweep_point *p,
                       double time, const char *report) {
    const sweep_row row = {.plan = plan,
                           .key = p->key,
                           .settings = p->settings,
                           .expression = "x(i)=B(i,j)*c(j)",
                           .engine = "cycle",
                           .message = "",
                           .check = "pass",
                           .state = SWEEP_DONE,
                           .time_us = time,
                           .size.pe = 5};
    assert_true(store_put(store, &row, p, report, &x->f.diag));
}

static void put(sweep_fixture *x, sweep_store *store, const char *plan, const sweep_point *p,
                sweep_state state, double time, double pe) {
    const sweep_row row = {
        .plan = plan,
        .key = p->key,
        .settings = p->settings,
        .expression = "x(i)=B(i,j)*c(j)",
        .engine = "cycle",
        .message = state == SWEEP_DONE ? "" : "it does not fit, <really> \"not\" [E0330-capacity]",
        .check = "pass",
        .state = state,
        .cycles = time * 500,
        .time_us = time,
        .fmax_mhz = 510,
        .size.pe = pe,
        .size.mem = 3,
        .size.io = 4,
        .size.words = 50,
        .size.passes = 6,
        .result_nnz = 7,
        .wall_s = 0.25};
    assert_true(store_put(store, &row, p, "{}", &x->f.diag));
}

static sweep_row_vec rows_of(sweep_fixture *x, sweep_store *store) {
    sweep_row_vec rows = {0};
    assert_true(sweep_rows(store, &x->f.mem, &x->f.diag, &rows));
    return rows;
}

static void rows_are_kept_and_judged(void **state) {
    sweep_fixture *x = *state;
    char plan[17];
    sweep_point_vec p = points_of(x, plan);
    const char *path = path_in(x, "results.db");
    sweep_store *store = sweep_open(path, true, &x->f.mem, &x->f.diag);
    assert_non_null(store);
    put(x, store, plan, &p.at[0], SWEEP_DONE, 30, 5);
    put(x, store, plan, &p.at[1], SWEEP_DONE, 20, 9);
    put(x, store, plan, &p.at[2], SWEEP_DONE, 25, 9); /* slower than 1 on as many tiles */
    put(x, store, plan, &p.at[3], SWEEP_REFUSED, 0, 0);
    put(x, store, plan, &p.at[4], SWEEP_CRASHED, 0, 0);
    assert_true(store_confirm(store, p.at[1].key, "rtl", 10000, "pass", &x->f.diag));
    sweep_close(store);
    store = sweep_open(path, false, &x->f.mem, &x->f.diag);
    assert_non_null(store);
    sweep_row_vec rows = rows_of(x, store);
    assert_int_equal(rows.len, 5);
    assert_string_equal(rows.at[0].key, p.at[1].key);
    assert_string_equal(rows.at[0].confirm.engine, "rtl");
    assert_true(rows.at[0].confirm.cycles == 10000);
    assert_true(rows.at[0].pareto && !rows.at[1].pareto && rows.at[2].pareto && !rows.at[3].pareto);
    assert_true(rows.at[1].time_us == 25);
    /* A refusal will not change; a crash may. */
    assert_true(store_has(store, p.at[0].key) && store_has(store, p.at[3].key));
    assert_false(store_has(store, p.at[4].key) || store_has(store, p.at[5].key));
    /* With another program the settings make a new row in place of the old row. */
    put_file(x->job.plan.program, "two");
    sweep_point_vec rebuilt = points_of(x, plan);
    put(x, store, plan, &rebuilt.at[1], SWEEP_DONE, 10, 9);
    rows = rows_of(x, store);
    assert_int_equal(rows.len, 5);
    assert_string_equal(rows.at[0].key, rebuilt.at[1].key);
    assert_string_equal(rows.at[0].confirm.engine, "");
    sweep_close(store);
}

/* A slower point on as many tiles is worth its time if its energy is lower; an invalid report has no
 * energy. */
static void energy_is_judged(void **state) {
    sweep_fixture *x = *state;
    char plan[17];
    sweep_point_vec p = points_of(x, plan);
    sweep_store *store = new_store(x, "energy.db");
    put_report(x, store, plan, &p.at[0], 20, "{\"energy\":{\"nj\":{\"low\":3,\"typical\":9.5,\"high\":30}}}");
    put_report(x, store, plan, &p.at[1], 25, "{\"energy\":{\"nj\":{\"low\":2,\"typical\":6,\"high\":18}}}");
    put_report(x, store, plan, &p.at[2], 30, "{\"energy\":{\"nj\":{\"low\":2,\"typical\":6,\"high\":18}}}");
    sweep_row_vec rows = rows_of(x, store);
    assert_true(rows.at[0].energy.nj == 9.5 && rows.at[0].energy.low_nj == 3 &&
                rows.at[0].energy.high_nj == 30);
    assert_true(rows.at[0].pareto && rows.at[1].pareto && !rows.at[2].pareto);
    put_report(x, store, plan, &p.at[2], 30, "{\"energy\":");
    rows = rows_of(x, store);
    assert_true(rows.at[2].energy.nj == 0);
    sweep_close(store);
}

static char *text_of(sweep_fixture *x, const sweep_row_vec *rows,
                     void (*write)(const sweep_row_vec *, FILE *)) {
    text_out text;
    text_begin(&text);
    write(rows, text.stream);
    return text_end(&text, &x->f.mem);
}

static void reports_say_it(void **state) {
    sweep_fixture *x = *state;
    char plan[17];
    sweep_point_vec p = points_of(x, plan);
    sweep_store *store = new_store(x, "results.db");
    put(x, store, plan, &p.at[0], SWEEP_DONE, 30, 5);
    put(x, store, plan, &p.at[3], SWEEP_DONE, 20, 9);
    put(x, store, plan, &p.at[5], SWEEP_REFUSED, 0, 0);
    assert_true(store_confirm(store, p.at[3].key, "rtl", 10020, "fail", &x->f.diag));
    sweep_row_vec rows = rows_of(x, store);
    sweep_close(store);
    const char *table = text_of(x, &rows, sweep_print);
    assert_non_null(strstr(table, "3 points, 2 done"));
    assert_non_null(strstr(table, "fastest: tile 16, unroll 2"));
    rows.at[1].message = "=HYPERLINK(1)";
    const char *csv = text_of(x, &rows, sweep_csv);
    assert_non_null(strstr(csv, "\"'=HYPERLINK(1)\""));
    assert_non_null(strstr(csv, "\"it does not fit, <really> \"\"not\"\" [E0330-capacity]\""));
    assert_non_null(strstr(
        csv, "\"{\"\"tile\"\":\"\"16\"\",\"\"unroll\"\":\"\"2\"\"}\",\"done\",\"pass\",10000,20,510,9,3,4,"
             "50,6,7,0.25,,,,1,\"rtl\",10020,\"fail\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"16\","
             "\"2\"\r\n"));
    const char *page = text_of(x, &rows, sweep_html);
    assert_non_null(strstr(page, "it does not fit, &lt;really&gt; &quot;not&quot; [E0330-capacity]"));
    assert_non_null(strstr(page, "Fastest: <strong>tile 16, unroll 2</strong>"));
    assert_non_null(strstr(page, "best time by unroll"));
    /* 16 tiles of 20 in 470 to the right of 80, 20 us of 30 in 340 above 380 */
    assert_non_null(strstr(page, "cx=\"456.0\" cy=\"153.3\""));
    assert_null(strstr(page, "://"));
    assert_non_null(strstr(
        page, "Content-Security-Policy\" content=\"default-src 'none'")); /* needs nothing from elsewhere */
}

/* A point is best if no other has at most its time and its tiles, and less of either. */
static void the_best_points_are_marked(void **state) {
    static const struct {
        double time, pe;
    } points[] = {{30, 5}, {30, 5}, {20, 9}, {30, 9}, {20, 12}, {25, 9}}; /* the first three */
    sweep_fixture *x = *state;
    char plan[17];
    sweep_point_vec p = points_of(x, plan);
    sweep_store *store = new_store(x, "best.db");
    for (uint32_t i = 0; i < p.len; i++)
        put(x, store, plan, &p.at[i], SWEEP_DONE, points[i].time, points[i].pe);
    sweep_row_vec rows = rows_of(x, store);
    sweep_close(store);
    const char *page = text_of(x, &rows, sweep_html);
    uint32_t marked[2] = {0};
    for (const char *at = strstr(page, "<circle class="); at; at = strstr(at + 1, "<circle class="))
        marked[strncmp(at, "<circle class=\"best", 19) == 0]++;
    assert_int_equal(marked[0], 3);
    assert_int_equal(marked[1], 3);
}

static void other_files_are_refused(void **state) {
    sweep_fixture *x = *state;
    const char *path = path_in(x, "B.mtx");
    put_file(path, "%%MatrixMarket matrix coordinate, and longer than the hundred bytes that a header of "
                   "SQLite has, to be sure\n");
    assert_null(sweep_open(path, true, &x->f.mem, &x->f.diag));
    assert_string_equal(x->f.diag.list.at[0].code, "E0940-store");
    assert_null(sweep_open(path_in(x, "absent.db"), false, &x->f.mem, &x->f.diag));
    assert_string_equal(x->f.diag.list.at[1].code, "E0940-store");
    assert_int_equal(access(path_in(x, "absent.db"), F_OK), -1);
}

/* A message about a mistake of the command is its result; a shortage of the machine is not, and the point is
 * tried again. */
static void what_may_pass_is_no_result(void **state) {
    static const struct {
        const char *says;
        int code;
        sweep_state state;
    } ends[] = {{"cannot write 'o': No space left on device [E0004-write]", 1, SWEEP_CRASHED},
                {"out of memory: 64 bytes more were needed [E0005-memory]", 1, SWEEP_CRASHED},
                {"'B' is not known [E0110-name]", 1, SWEEP_MISTAKE},
                {"does not fit [E0510-too-large]", 2, SWEEP_REFUSED},
                {"", 0, SWEEP_CRASHED}}; /* without a report */
    sweep_fixture *x = *state;
    x->job.plan.axes.len = 1;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char plan[17];
        x->job.jobs = 2;
        x->job.quiet = true;
        put_file(x->job.plan.program,
                 arena_printf(&x->f.mem, "#!/bin/sh\necho \"onyx: error: %s\" >&2\nexit %d\n", ends[i].says,
                              ends[i].code));
        assert_int_equal(chmod(x->job.plan.program, 0700), 0);
        sweep_point_vec points = points_of(x, plan);
        sweep_store *store = sweep_open(path_in(x, "ends.db"), true, &x->f.mem, &x->f.diag);
        x->job.store = store;
        assert_true(sweep_run(&x->job));
        assert_int_equal(x->job.ran, 3);
        sweep_row_vec rows = rows_of(x, store);
        for (uint32_t r = 0; r < rows.len; r++)
            assert_int_equal(rows.at[r].state, ends[i].state);
        assert_int_equal(store_has(store, points.at[0].key), ends[i].state != SWEEP_CRASHED);
        sweep_close(store);
    }
}

/* Waiting for the disk a thousand times would take half a minute. */
static int never_wait_for_the_disk(sqlite3 *db, const char **message,
                                   const struct sqlite3_api_routines *api) {
    (void)message;
    (void)api;
    return sqlite3_exec(db, "PRAGMA synchronous = OFF", NULL, NULL, NULL);
}

/* A cluster takes at most 1000 tasks at once, and limits in whole minutes. This fake cluster keeps its input,
 * and every task ends with code 2 at once. */
static void long_sweeps_are_several_arrays(void **state) {
    enum { POINTS = 1003 };
    sweep_fixture *x = *state;
    const char *bin = path_in(x, "bin"), *path = arena_printf(&x->f.mem, "%s:%s", bin, getenv("PATH")),
               *sbatch = arena_printf(&x->f.mem, "%s/sbatch", bin), *seeds[POINTS + 1] = {NULL};
    size_t length = 0;
    char plan[17];
    assert_true(make_folder(bin, &x->f.diag));
    put_file(sbatch,
             arena_printf(&x->f.mem,
                          "#!/bin/sh\nset -e\n{ echo $2; grep time= $3; } >>%s\n"
                          "awk -F \"'\" '/ ;;$/ { code = $(NF - 1); print 2 >code; close(code) }' $3\n",
                          path_in(x, "ranges")));
    assert_int_equal(chmod(sbatch, 0700), 0);
    for (uint32_t i = 0; i < POINTS; i++)
        seeds[i] = arena_printf(&x->f.mem, "%u", i);
    x->job.plan.axes.len = 0;
    add_axis(x, "seed", "--seed", seeds);
    points_of(x, plan);
    x->job.jobs = 3;
    x->job.quiet = x->job.slurm = true;
    x->job.array_most = 700;
    x->job.time_limit = 61;
    assert_int_equal(sqlite3_auto_extension((void (*)(void))never_wait_for_the_disk), SQLITE_OK);
    sweep_store *store = sweep_open(path_in(x, "long.db"), true, &x->f.mem, &x->f.diag);
    x->job.store = store;
    const char *before = arena_strdup(&x->f.mem, getenv("PATH"));
    setenv("PATH", path, 1);
    bool ran = sweep_run(&x->job);
    setenv("PATH", before, 1);
    if (!ran)
        fail_msg("%s%s", fixture_printed(&x->f),
                 file_read(path_in(x, "long.db.work/sbatch.log"), &x->f.mem, &length, &x->f.diag));
    assert_string_equal(file_read(path_in(x, "ranges"), &x->f.mem, &length, &x->f.diag),
                        "--array=0-699%3\n#SBATCH --time=2\n--array=0-302%3\n#SBATCH --time=2\n");
    assert_int_equal(x->job.ran, POINTS);
    sweep_row_vec rows = rows_of(x, store);
    assert_int_equal(rows.len, POINTS);
    for (uint32_t r = 0; r < rows.len; r++)
        assert_int_equal(rows.at[r].state, SWEEP_REFUSED);
    sweep_close(store);
    sqlite3_reset_auto_extension();
}

RUN_TESTS(cmocka_unit_test_setup_teardown(product_of_axes, begin, end), cmocka_unit_test(counts_by_state),
          cmocka_unit_test_setup_teardown(plain_points, begin, end),
          cmocka_unit_test_setup_teardown(keys_follow_contents, begin, end),
          cmocka_unit_test_setup_teardown(rows_are_kept_and_judged, begin, end),
          cmocka_unit_test_setup_teardown(energy_is_judged, begin, end),
          cmocka_unit_test_setup_teardown(reports_say_it, begin, end),
          cmocka_unit_test_setup_teardown(the_best_points_are_marked, begin, end),
          cmocka_unit_test_setup_teardown(other_files_are_refused, begin, end),
          cmocka_unit_test_setup_teardown(what_may_pass_is_no_result, begin, end),
          cmocka_unit_test_setup_teardown(long_sweeps_are_several_arrays, begin, end))
