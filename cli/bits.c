/* onyx bits: reads, checks, explains and compares bitstreams. */
#include "cli/cli.h"

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

static bool open_bits(const char *path, const cli_tool *o, bits_file *f) {
    cli_session *s = o->session;
    return cli_read_board(s, o->board, &f->board, NULL) &&
           pnr_board_set_profile(&f->board, o->profile, &s->diag) &&
           bits_map_read(&f->board, &s->mem, &s->diag, &f->map) &&
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

static bool bits_action(const char *action, const cli_tool *o) {
    cli_session *s = o->session;
    bool two = strcmp(action, "diff") == 0;
    bits_file a = {0}, b = {0};
    if (!cli_want_arguments(o, two ? 3 : 2, bits_usage) || !open_bits(o->arguments.at[1], o, &a))
        return false;
    if (two)
        return open_bits(o->arguments.at[2], o, &b) && decode(s, &a) && decode(s, &b) &&
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
        CLI_OPTION_BOARD, CLI_OPTION_PROFILE, {"output", 'o', "FILE", 0, "Where the Verilog goes", 0}, {0}};
    static const struct argp parser = {.options = table, .parser = cli_parse_tool, .args_doc = bits_usage};
    cli_session s;
    cli_session_begin(&s);
    cli_tool o = {.session = &s, .board = "onyx", .profile = PNR_PROFILE};
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
