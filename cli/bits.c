/* onyx bits and bitgen: bitstreams made of a routed netlist's files, checked, explained and compared. */
#include "cli/dense.h"
#include "cli/usage.h"

/* A bitstream file taken apart. */
typedef struct {
    pnr_board board;
    bits_map *map;
    bits_stream bits;
    pnr_design design;
    uint32_t unknown;
} bits_file;

static bool open_board(cli_session *s, bits_file *f) {
    const compile_options *o = &s->options.compile;
    return compile_read_board(&s->compile, o->target.board, &f->board, NULL) &&
           pnr_board_set_profile(&f->board, o->target.profile, &s->diag) &&
           bits_map_read(&f->board, &s->mem, &s->diag, &f->map);
}

static bool open_bits(const char *path, cli_session *s, bits_file *f) {
    return open_board(s, f) && bits_read_on(&f->board, path, &s->mem, &s->diag, &f->bits);
}

static bool decode(cli_session *s, bits_file *f) {
    return bits_decode(&f->bits, f->map, &s->names, &s->diag, &f->design, &f->unknown);
}

/* Reads the netlist, placement and routes in a folder of run, compile or bitgen, and checks them again. */
static bool read_design(const char *folder, const pnr_board *board, cli_session *s, netlist *net,
                        pnr_design *design) {
    pnr_options options = pnr_options_default();
    cJSON *json = json_read(arena_printf(&s->mem, "%s/netlist.json", folder), &s->diag);
    bool ok = json && net_from_json(json, &s->names, &s->mem, &s->diag, net);
    cJSON_Delete(json);
    return ok &&
           cli_read_placement(s, arena_printf(&s->mem, "%s/design.place", folder), &options, net, board,
                              design) &&
           pnr_read_route(design, arena_printf(&s->mem, "%s/design.route", folder), &s->mem, &s->diag) &&
           pnr_check(design, &s->diag);
}

/* Decodes, checks the netlist, encodes again, compares word by word; and compares with the routed netlist of
 * a folder, if named. */
static bool verify(const char *path, const char *folder, cli_session *s, bits_file *f) {
    bits_stream again;
    netlist net;
    pnr_design design;
    if (!decode(s, f) || !net_check(f->design.net, &s->diag) ||
        !bits_encode(&f->design, f->map, &s->mem, &s->diag, &again))
        return false;
    bits_order_as(&again, &f->bits, &s->mem);
    for (uint32_t w = 0; w < f->bits.words.len; w++) {
        const bits_word *have = &f->bits.words.at[w], *want = &again.words.at[w];
        if (w < again.words.len && have->address == want->address && have->data == want->data)
            continue;
        return diag_error(&s->diag, have->loc, "E0921-not-canonical",
                          "this word decodes, but encodes to another one");
    }
    if (folder &&
        !(read_design(folder, &f->board, s, &net, &design) && bits_same(&f->design, &design, &s->diag)))
        return false;
    if (s->options.every.quiet)
        return true;
    uint32_t words = f->bits.words.len, cells = f->design.net->cells.len, nets = f->design.net->nets.len;
    printf("%s: %u %s, %u %s, %u %s, no unknown bit; encodes to the same words\n", path, words,
           plural(words, "word", "words"), cells, plural(cells, "cell", "cells"), nets,
           plural(nets, "net", "nets"));
    if (folder)
        printf("it is the routed netlist in %s: tiles, configurations, pins, hops, registers\n", folder);
    return true;
}

static bool differ(cli_session *s, const char *a, const char *b) {
    return diag_error(&s->diag, (src_loc){0}, "E0924-differ", "'%s' and '%s' are different circuits", a, b);
}

static cli_dense_file as_dense(const bits_file *f, const char *path) {
    return (cli_dense_file){.path = path, .board = &f->board, .map = f->map, .bits = &f->bits};
}

/* Does the action on dense bitstreams. Words are explained by their fields, whatever the fabric. */
static bool dense_action(const char *action, cli_session *s, const bits_file *a, const bits_file *b) {
    const text_vec *files = &s->options.arguments;
    cli_dense_file first = as_dense(a, files->at[1]), second = {0};
    if (b)
        second = as_dense(b, files->at[2]);
    return cli_dense_action(s, action, &first, &second);
}

static bool bits_action(const char *action, cli_session *s) {
    const command_line *o = &s->options;
    bool two = strcmp(action, "diff") == 0;
    bits_file a = {0}, b = {0};
    const char *usage = arena_printf(&s->mem, "onyx bits %s %s", action, two ? "A.bs B.bs" : "FILE.bs");
    if (!cli_want_arguments(s, two ? 3 : 2, usage) || !open_bits(o->arguments.at[1], s, &a))
        return false;
    if (two && !open_bits(o->arguments.at[2], s, &b))
        return false;
    if (strcmp(action, "explain") != 0 &&
        (dense_is(&a.bits, a.map) || (two && dense_is(&b.bits, b.map)) || strcmp(action, "to-text") == 0))
        return dense_action(action, s, &a, two ? &b : NULL);
    if (two)
        return decode(s, &a) && decode(s, &b) &&
               (bits_diff(&a.design, &b.design, stdout, &s->mem) ||
                differ(s, o->arguments.at[1], o->arguments.at[2]));
    if (strcmp(action, "verify") == 0)
        return verify(o->arguments.at[1], o->design, s, &a);
    if (strcmp(action, "explain") == 0)
        bits_explain(&a.bits, a.map, stdout);
    else if (strcmp(action, "stat") == 0)
        bits_stat(&a.bits, a.map, stdout);
    else
        return decode(s, &a) &&
               bits_to_verilog(&a.design, a.map, &(bits_verilog_options){0}, o->compile.files.out, &s->diag);
    return true;
}

int command_bits(int argc, char **argv) {
    static const char *const actions[] = {"verify", "explain", "stat", "diff", "to-text", "to-verilog", NULL};
    cli_session s;
    cli_session_begin(&s);
    const command_line *o = &s.options;
    const bool ok = cli_parse(&s, COMMAND_BITS, argc, argv);
    bool known = false;
    const char *action = ok && o->arguments.len ? o->arguments.at[0] : "";
    for (int i = 0; actions[i]; i++)
        known = known || strcmp(action, actions[i]) == 0;
    if (ok && !known) {
        diag_error(&s.diag, (src_loc){0}, "E0901-command", "onyx bits needs an action and its files");
        diag_hint(&s.diag, "'onyx bits --help' lists them");
    } else if (ok && !o->compile.files.out && strcmp(action, "to-verilog") == 0) {
        diag_error(&s.diag, (src_loc){0}, "E0904-argument",
                   "-o FILE.sv is missing: where does the Verilog go?");
    }
    if (known && strcmp(action, "verify") != 0)
        cli_refuse_option(&s, OPTION_DESIGN, "onyx bits verify");
    if (known && strcmp(action, "to-verilog") != 0)
        cli_refuse_option(&s, OPTION_VERILOG, "onyx bits to-verilog");
    return cli_session_end(&s, ok && !diag_failed(&s.diag) && bits_action(action, &s));
}

/* ---- onyx bitgen ------------------------------------------------------------------------------ */

static bool is_text_form(const char *path) {
    static const char ending[] = ".dense";
    const size_t length = strlen(path), end = sizeof ending - 1;
    return length > end && strcmp(path + length - end, ending) == 0;
}

/* Assembled words are decoded again and compared before writing. */
static bool assemble(cli_session *s) {
    const command_line *o = &s->options;
    bits_file f = {0};
    netlist net;
    pnr_design design;
    if (!o->compile.files.out)
        return diag_error(&s->diag, (src_loc){0}, "E0904-argument",
                          "-o FILE.bs is missing: where does the bitstream go?");
    if (!open_board(s, &f))
        return false;
    if (is_text_form(o->arguments.at[0])) {
        const cli_dense_file file = as_dense(&f, o->arguments.at[0]);
        return cli_dense_assemble(s, &file, o->compile.files.out);
    }
    return read_design(o->arguments.at[0], &f.board, s, &net, &design) &&
           bits_encode(&design, f.map, &s->mem, &s->diag, &f.bits) && decode(s, &f) &&
           bits_same(&f.design, &design, &s->diag) && bits_write(&f.bits, o->compile.files.out, &s->diag);
}

int command_bitgen(int argc, char **argv) {
    cli_session s;
    cli_session_begin(&s);
    bool ok = cli_parse(&s, COMMAND_BITGEN, argc, argv) &&
              cli_want_arguments(&s, 1, option_commands[COMMAND_BITGEN].arguments) && assemble(&s);
    return cli_session_end(&s, ok);
}
