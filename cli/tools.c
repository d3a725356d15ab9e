/* The tools on files: onyx sam, bits, boards. */
#include "cli/cli.h"

#include <argp.h>
#include <dirent.h>
#include <stdlib.h>

enum { OPT_BOARD = 256 };

/* ---- arguments ------------------------------------------------------------------------------- */

typedef struct {
    cli_session *session;
    const char *board, *out;
    text_vec arguments;
} tool_options;

static error_t parse_tool(int key, char *arg, struct argp_state *state) {
    tool_options *o = state->input;
    switch (key) {
    case OPT_BOARD:
        o->board = arg;
        return 0;
    case 'o':
        o->out = arg;
        return 0;
    case ARGP_KEY_ARG:
        vec_push(&o->session->mem, &o->arguments, arg);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static bool only_arguments(const tool_options *o, uint32_t wanted, const char *usage) {
    if (o->arguments.len == wanted)
        return true;
    diag_error(&o->session->diag, (src_loc){0}, "E0904-argument", "%u arguments given, %u expected: %s",
               o->arguments.len, wanted, usage);
    return false;
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

static const char bits_usage[] = "verify|explain|stat FILE.bs\ndiff A.bs B.bs\nto-verilog FILE.bs -o FILE.sv";

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

static bool bits_action(const char *action, const tool_options *o) {
    cli_session *s = o->session;
    bool two = strcmp(action, "diff") == 0;
    bits_file a = {0}, b = {0};
    if (!only_arguments(o, two ? 3 : 2, bits_usage) || !open_bits(o->arguments.at[1], o->board, s, &a))
        return false;
    if (two)
        return open_bits(o->arguments.at[2], o->board, s, &b) && decode(s, &a) && decode(s, &b) &&
               bits_same(&a.design, &b.design, &s->diag);
    if (strcmp(action, "verify") == 0)
        return verify(o->arguments.at[1], s, &a);
    if (strcmp(action, "explain") == 0)
        bits_explain(&a.bits, a.map, stdout);
    else if (strcmp(action, "stat") == 0)
        bits_stat(&a.bits, a.map, stdout);
    else
        return decode(s, &a) && bits_to_verilog(&a.design, a.map, o->out, &s->diag);
    return true;
}

int command_bits(int argc, char **argv) {
    static const char *const actions[] = {"verify", "explain", "stat", "diff", "to-verilog", NULL};
    static const struct argp_option table[] = {
        {"board", OPT_BOARD, "NAME", 0, "Board, from 'onyx boards', or a .json file (default onyx)", 0},
        {"output", 'o', "FILE", 0, "Where the Verilog goes", 0},
        {0}};
    static const struct argp parser = {.options = table, .parser = parse_tool, .args_doc = bits_usage};
    cli_session s;
    cli_session_begin(&s);
    tool_options o = {.session = &s, .board = "onyx"};
    bool ok = cli_parse(&parser, "bits", argc, argv, &s, &o), known = false;
    const char *action = o.arguments.len ? o.arguments.at[0] : "";
    for (int i = 0; actions[i]; i++)
        known = known || strcmp(action, actions[i]) == 0;
    if (ok && !known) {
        diag_error(&s.diag, (src_loc){0}, "E0901-command", "onyx bits needs an action and its files");
        diag_hint(&s.diag, "'onyx bits --help' lists them");
    } else if (ok && !o.out && strcmp(action, "to-verilog") == 0) {
        diag_error(&s.diag, (src_loc){0}, "E0904-argument",
                   "-o FILE.sv is missing: where does the Verilog go?");
    }
    ok = ok && !diag_failed(&s.diag) && bits_action(action, &o);
    return cli_session_end(&s, ok);
}

/* ---- onyx boards ----------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int command_boards(int argc, char **argv) {
    static const struct argp_option table[] = {{0}};
    static const struct argp parser = {.options = table, .parser = parse_tool, .doc = "Lists the boards."};
    cli_session s;
    cli_session_begin(&s);
    tool_options o = {.session = &s};
    bool ok = cli_parse(&parser, "boards", argc, argv, &s, &o) && only_arguments(&o, 0, "none");
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
