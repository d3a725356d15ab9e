/* The tools on files: onyx sam, bits, pnr, boards. */
#include "cli/cli.h"

#include <dirent.h>
#include <stdlib.h>

/* ---- arguments ------------------------------------------------------------------------------- */

/* "--name VALUE" or "-x VALUE"; consumes it from argv. NULL when absent. */
static const char *take_option(int *argc, char **argv, const char *name) {
    for (int i = 1; i + 1 < *argc; i++) {
        if (strcmp(argv[i], name) != 0)
            continue;
        const char *value = argv[i + 1];
        memmove(argv + i, argv + i + 2, sizeof *argv * (size_t)(*argc - i - 2));
        *argc -= 2;
        return value;
    }
    return NULL;
}

static bool take_flag(int *argc, char **argv, const char *name) {
    for (int i = 1; i < *argc; i++) {
        if (strcmp(argv[i], name) != 0)
            continue;
        memmove(argv + i, argv + i + 1, sizeof *argv * (size_t)(*argc - i - 1));
        *argc -= 1;
        return true;
    }
    return false;
}

/* After the options were taken: every argument left must be one of `wanted` file names. */
static bool only_arguments(int argc, char **argv, int wanted, const char *usage, cli_session *s) {
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-') {
            diag_error(&s->diag, (src_loc){0}, "E0902-option", "there is no option '%s'", argv[i]);
            diag_hint(&s->diag, "usage: %s", usage);
            return false;
        }
    }
    if (argc - 1 == wanted)
        return true;
    diag_error(&s->diag, (src_loc){0}, "E0904-argument", "%d arguments given, %d expected", argc - 1, wanted);
    diag_hint(&s->diag, "usage: %s", usage);
    return false;
}

static bool is_help(int argc, char **argv, const char *usage) {
    bool help = argc > 1 && strcmp(argv[1], "--help") == 0;
    if (help)
        printf("Usage: %s\n", usage);
    return help;
}

static bool read_board(const char *name, cli_session *s, pnr_board *board) {
    const char *path;
    return cli_read_board(s, name, board, &path);
}

/* ---- onyx sam -------------------------------------------------------------------------------- */

/* Simulates on the operands and compares with the reference, if there is an expression to compare with. */
static bool simulate(const cli_options *o, cli_session *s, cli_kernel *k) {
    tile_operands in;
    cli_outcome out = {0};
    if (!cli_read_operands(o, s, k, &in) || !cli_simulate(o, s, k, &in, &out))
        return false;
    const char *check = cli_is_graph(o->expression) ? "none" : cli_check(o, s, k, &in, &out.result);
    printf("%llu cycles, %llu nonzeros in the result, check: %s\n", (unsigned long long)out.kernel_cycles,
           (unsigned long long)out.result.nnz, check);
    return cli_write_outputs(o, s, &out.result);
}

/* The graph names stored tensors; says which of them are not as the user declared them. */
static void note_repacking(const cli_kernel *k, cli_session *s) {
    for (uint32_t t = 1; t <= k->statement.tensors.len; t++) {
        const char *text = fe_repacked(&k->statement, (sam_tensor){t}, &s->mem);
        if (text)
            diag_note(&s->diag, sam_tensor_at(&k->statement, (sam_tensor){t})->loc, "the host re-packs %s",
                      text);
    }
}

/* All graphs, in the order in which they run. */
static void dump_graphs(const cli_kernel *k) {
    for (uint32_t n = 0; n < k->producers.len; n++)
        sam_dump(&k->producers.at[n].sam, stdout);
    sam_dump(&k->sam, stdout);
}

int command_sam(int argc, char **argv) {
    cli_session s;
    cli_options o;
    cli_kernel k = {0};
    cli_session_begin(&s);
    bool ok = cli_parse_options("sam", argc, argv, &s, &o);
    ok = ok && (!o.out || make_folder(o.out, &s.diag)) &&
         (cli_is_graph(o.expression) ? cli_read_graph(&o, &s, &k) : cli_compile_sam(&o, false, &s, &k));
    if (ok && !o.quiet)
        note_repacking(&k, &s);
    if (ok && o.inputs.len + o.generators.len)
        ok = simulate(&o, &s, &k);
    else if (ok && (ok = cli_write_outputs(&o, &s, NULL)))
        dump_graphs(&k);
    return cli_session_end(&s, ok);
}

/* ---- onyx bits ------------------------------------------------------------------------------- */

static const char bits_usage[] = "onyx bits verify|explain|stat FILE.bs [--board NAME]\n"
                                 "       onyx bits diff A.bs B.bs [--board NAME]\n"
                                 "       onyx bits to-verilog FILE.bs -o FILE.sv [--board NAME]";

/* A bitstream file taken apart. */
typedef struct {
    pnr_board board;
    bits_map *map;
    bits_stream bits;
    netlist net;
    pnr_design design;
    uint32_t unknown;
} bits_file;

static bool open_bits(const char *path, const char *board, cli_session *s, bits_file *f) {
    return read_board(board, s, &f->board) && bits_map_read(&f->board, &s->mem, &s->diag, &f->map) &&
           bits_read(path, &s->mem, &s->diag, &f->bits);
}

static bool decode(cli_session *s, bits_file *f) {
    return bits_decode(&f->bits, &f->board, f->map, &s->names, &s->mem, &s->diag, &f->net, &f->design,
                       &f->unknown);
}

/* Decodes, encodes again, compares word by word. */
static bool verify(const char *path, cli_session *s, bits_file *f) {
    bits_stream again;
    if (!decode(s, f) || !bits_encode(&f->design, f->map, &s->mem, &s->diag, &again))
        return false;
    bits_order_as(&again, &f->bits, &s->mem);
    for (uint32_t w = 0; w < f->bits.words.len; w++) {
        const bits_word *have = &f->bits.words.at[w], *want = &again.words.at[w];
        if (w < again.words.len && have->address == want->address && have->data == want->data)
            continue;
        diag_error(&s->diag, have->loc, "E0921-not-canonical",
                   "this word decodes, but encodes to another one");
        return false;
    }
    printf("%s: %u words, %u cells, %u nets, no unknown bit; encodes to the same words\n", path,
           f->bits.words.len, f->net.cells.len, f->net.nets.len);
    return true;
}

static bool bits_action(const char *action, int argc, char **argv, const char *board, const char *out,
                        cli_session *s) {
    bool two = strcmp(action, "diff") == 0;
    bits_file a = {0}, b = {0};
    if (!only_arguments(argc, argv, two ? 2 : 1, bits_usage, s) || !open_bits(argv[1], board, s, &a))
        return false;
    if (two)
        return open_bits(argv[2], board, s, &b) && decode(s, &a) && decode(s, &b) &&
               bits_same(&a.design, &b.design, &s->diag);
    if (strcmp(action, "verify") == 0)
        return verify(argv[1], s, &a);
    if (strcmp(action, "explain") == 0)
        bits_explain(&a.bits, a.map, stdout);
    else if (strcmp(action, "stat") == 0)
        bits_stat(&a.bits, a.map, stdout);
    else
        return decode(s, &a) && bits_to_verilog(&a.design, a.map, out, &s->diag);
    return true;
}

int command_bits(int argc, char **argv) {
    static const char *const actions[] = {"verify", "explain", "stat", "diff", "to-verilog", NULL};
    cli_session s;
    if (is_help(argc, argv, bits_usage))
        return EXIT_OK;
    cli_session_begin(&s);
    const char *board = take_option(&argc, argv, "--board"), *out = take_option(&argc, argv, "-o");
    bool known = false;
    for (int i = 0; argc > 1 && actions[i]; i++)
        known = known || strcmp(argv[1], actions[i]) == 0;
    if (known && !out && strcmp(argv[1], "to-verilog") == 0)
        known = false;
    if (!known) {
        diag_error(&s.diag, (src_loc){0}, "E0901-command", "onyx bits needs an action and its files");
        diag_hint(&s.diag, "usage: %s", bits_usage);
    }
    bool ok = known && bits_action(argv[1], argc - 1, argv + 1, board ? board : "onyx", out, &s);
    return cli_session_end(&s, ok);
}

/* ---- onyx pnr -------------------------------------------------------------------------------- */

static const char pnr_usage[] =
    "onyx pnr NAME.packed [--fixed NAME.place] [--board NAME] [--seed N] [--no-pipeline] [--json] -o DIR";

static bool number(const char *text, uint64_t *value, cli_session *s) {
    char *end = NULL;
    if (!text)
        return true;
    *value = strtoull(text, &end, 10);
    if (end != text && *end == '\0' && *text != '-')
        return true;
    diag_error(&s->diag, (src_loc){0}, "E0903-option-value", "--seed '%s' must be a whole number", text);
    return false;
}

/* The JSON scripts read: what pnr measured, plus the names the command line promises. */
static bool print_pnr(const pnr_design *design, double seconds, bool json, const char *out, cli_session *s) {
    cJSON *report = pnr_report(design);
    cJSON_DeleteItemFromObject(report, "seconds");
    cJSON_AddNumberToObject(report, "seconds", seconds);
    bool ok = json_write(report, arena_printf(&s->mem, "%s/report.json", out), &s->diag);
    if (json) {
        char *text = cJSON_Print(report);
        puts(text);
        cJSON_free(text);
    } else {
        printf("%u cells, HPWL %u, %u hops, %.1f ms\n", design->net->cells.len, pnr_hpwl(design),
               pnr_hops(design), seconds * 1e3);
    }
    cJSON_Delete(report);
    return ok;
}

static bool run_pnr(const char *path, const char *fixed, const char *board_name, const pnr_options *given,
                    bool json, const char *out, cli_session *s) {
    pnr_board board;
    netlist net;
    pnr_design design = {0};
    pnr_options options = *given;
    pnr_site *sites = NULL;
    if (!read_board(board_name, s, &board) || !pnr_read_packed(path, &s->names, &s->mem, &s->diag, &net) ||
        (fixed && !pnr_read_place(&net, fixed, &s->mem, &s->diag, &sites)) || !make_folder(out, &s->diag))
        return false;
    options.fixed = sites;
    options.fabric_only = fixed != NULL;
    double start = seconds_now();
    bool ok =
        pnr_fits(&net, &board, &s->diag) && pnr_place(&net, &board, &options, &s->mem, &s->diag, &design);
    bool placed = ok;
    ok = ok && pnr_route_all(&design, &options, &s->mem, &s->diag) && pnr_check(&design, &s->diag);
    double seconds = seconds_now() - start;
    /* What there is of an unroutable design is kept: the placement and the routes so far. */
    if (placed)
        ok = pnr_write_place(&design, arena_printf(&s->mem, "%s/design.place", out), &s->diag) &&
             pnr_write_route(&design, arena_printf(&s->mem, "%s/design.route", out), &s->diag) && ok;
    return ok && print_pnr(&design, seconds, json, out, s);
}

int command_pnr(int argc, char **argv) {
    cli_session s;
    if (is_help(argc, argv, pnr_usage))
        return EXIT_OK;
    cli_session_begin(&s);
    pnr_options options = pnr_options_default();
    const char *fixed = take_option(&argc, argv, "--fixed"), *board = take_option(&argc, argv, "--board");
    const char *seed = take_option(&argc, argv, "--seed"), *out = take_option(&argc, argv, "-o");
    options.pipeline = !take_flag(&argc, argv, "--no-pipeline");
    bool json = take_flag(&argc, argv, "--json");
    bool ok = number(seed, &options.seed, &s) && only_arguments(argc, argv, 1, pnr_usage, &s);
    if (ok && !out) {
        diag_error(&s.diag, (src_loc){0}, "E0905-folder", "-o DIR is missing: where should the results go?");
        ok = false;
    }
    ok = ok && run_pnr(argv[1], fixed, board ? board : "onyx", &options, json, out, &s);
    return cli_session_end(&s, ok);
}

/* ---- onyx boards ----------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int command_boards(int argc, char **argv) {
    static const char usage[] = "onyx boards";
    cli_session s;
    if (is_help(argc, argv, usage))
        return EXIT_OK;
    cli_session_begin(&s);
    bool ok = only_arguments(argc, argv, 0, usage, &s);
    const char *folder = arena_printf(&s.mem, "%s/boards", cli_home());
    DIR *d = ok ? opendir(folder) : NULL;
    if (ok && !d)
        diag_error(&s.diag, (src_loc){0}, "E0001-file", "cannot read '%s'", folder);
    text_vec files = {0};
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        size_t n = strlen(e->d_name);
        if (n > 5 && strcmp(e->d_name + n - 5, ".json") == 0)
            vec_push(&s.mem, &files, arena_printf(&s.mem, "%s/%s", folder, e->d_name));
    }
    if (d)
        closedir(d);
    if (files.len)
        qsort(files.at, files.len, sizeof *files.at, by_name);
    for (uint32_t i = 0; i < files.len; i++) {
        pnr_board b;
        if (!read_board(files.at[i], &s, &b))
            continue;
        printf("%-12s %u x %u tiles and an IO row, %u tracks, MEM where x %% %u == %u, %u global-buffer "
               "tiles of %u KB\n",
               b.name, b.width, b.height - 1, b.tracks, b.mem_period, b.mem_phase, b.glb_tiles,
               b.glb_banks_per_tile * b.glb_bank_bytes / 1024);
    }
    return cli_session_end(&s, !diag_failed(&s.diag));
}
