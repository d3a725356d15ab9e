/* onyx bits and bitgen on bitstreams of the dense fabric. */
#include "cli/dense.h"
#include "cli/usage.h"

static bool decode(cli_session *s, const cli_dense_file *f, dense_design *out) {
    return dense_decode(f->bits, f->board, f->map, &s->diag, out);
}

/* Compares with a folder's netlist on its sites, and with its routes. */
static bool is_design(cli_session *s, const char *folder, const dense_design *design) {
    const char *name[] = {"packed", "place", "route"};
    const dense_design on = {.board = design->board, .map = design->map};
    dense_packed files;
    for (int i = 0; i < 3; i++)
        name[i] = arena_printf(&s->mem, "%s/design.%s", folder, name[i]);
    if (!dense_read_packed(name[0], name[1], &on, &s->diag, &files) ||
        !dense_same_links(design, &files.design, name[0], &s->diag))
        return false;
    files.design.links.len = 0;
    return dense_read_routes(name[2], &files.design, &s->diag) &&
           dense_same_links(design, &files.design, name[2], &s->diag);
}

static bool verify(cli_session *s, const cli_dense_file *f, const dense_design *design) {
    if (!dense_verify(f->bits, design, &s->diag) ||
        (s->options.design && !is_design(s, s->options.design, design)) || !dense_check(design, &s->diag) ||
        !dense_check_order(f->bits, design, &s->diag))
        return false;
    const dense_counts n = dense_count(design);
    if (!s->options.every.quiet)
        printf(
            "%s: %u words, %u tiles: %u %s, %u %s, %u %s, %u %s, no unknown bit; encodes to the same words\n",
            f->path, f->bits->words.len, n.tiles, n.pes, plural(n.pes, "PE", "PEs"), n.ponds,
            plural(n.ponds, "Pond", "Ponds"), n.buffers, plural(n.buffers, "buffer", "buffers"), n.streams,
            plural(n.streams, "IO tile", "IO tiles"));
    if (s->options.design && !s->options.every.quiet)
        printf("it is the routed netlist in %s: blocks, connections, registers\n", s->options.design);
    return true;
}

static bool diff(cli_session *s, const cli_dense_file *a, const cli_dense_file *b) {
    dense_design first, second;
    if (!decode(s, a, &first) || !decode(s, b, &second))
        return false;
    return dense_diff(&first, &second, stdout) ||
           diag_error(&s->diag, (src_loc){0}, "E0924-differ", "'%s' and '%s' are different circuits", a->path,
                      b->path);
}

bool cli_dense_action(cli_session *s, const char *action, const cli_dense_file *file,
                      const cli_dense_file *other) {
    dense_design design;
    if (strcmp(action, "diff") == 0)
        return diff(s, file, other);
    if (!decode(s, file, &design))
        return false;
    if (strcmp(action, "verify") == 0)
        return verify(s, file, &design);
    if (strcmp(action, "to-verilog") == 0)
        return dense_to_verilog(&design, s->options.compile.files.out, &s->diag);
    if (strcmp(action, "stat") == 0)
        dense_stat(file->bits, &design, stdout, &s->diag);
    else
        dense_dump(&design, stdout);
    return true;
}

bool cli_dense_assemble(cli_session *s, const cli_dense_file *file, const char *out) {
    dense_design design;
    if (!dense_parse(file->path, NULL, file->board, file->map, &s->diag, &design))
        return false;
    if (design.links.len) {
        diag_error(&s->diag, design.links.at[0].loc, "E0982-dense-text",
                   "this input is fed by name, and a bitstream needs a route");
        return diag_hint(&s->diag, "onyx pnr %s -o DIR makes routes, and DIR/design.bs", file->path);
    }
    bits_stream bits = dense_encode(&design, &s->mem);
    return dense_verify(&bits, &design, &s->diag) && bits_write(&bits, out, &s->diag);
}
