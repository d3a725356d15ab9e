/* onyx sam: prints the graph of an expression or a file, or simulates it. */
#include "cli/cli.h"

/* Simulates on the operands and compares with the reference, if there is an expression to compare with. */
static bool simulate(const cli_options *o, cli_session *s, cli_kernel *k) {
    tile_operands in;
    cli_options engine_sam = *o;
    engine_sam.engine = ENGINE_SAM;
    if (!cli_read_operands(o, s, k, &in) || !cli_run_kernels(&engine_sam, s, k, &in))
        return false;
    const char *check = cli_is_graph(o->expression) ? "none" : cli_check(o, s, k, &in, &k->ran.result);
    uint64_t cycles = k->ran.kernel_cycles;
    for (uint32_t n = 0; n < k->producers.len; n++)
        cycles += k->producers.at[n].ran.kernel_cycles;
    if (!s->quiet)
        printf("%llu %s, %llu %s in the result, check: %s\n", (unsigned long long)cycles,
               plural(cycles, "cycle", "cycles"), (unsigned long long)k->ran.result.nnz,
               plural(k->ran.result.nnz, "nonzero", "nonzeros"), check);
    return cli_write_outputs(o, s, &k->ran.result);
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
    bool ok = cli_parse_options(CLI_SAM, argc, argv, &s, &o);
    ok = ok && (!o.out || make_folder(o.out, &s.diag)) &&
         (cli_is_graph(o.expression) ? cli_read_graph(&o, &s, &k) : cli_compile_sam(&o, false, &s, &k));
    if (ok && !s.quiet)
        note_repacking(&k, &s);
    if (ok && o.inputs.len + o.generators.len)
        ok = simulate(&o, &s, &k);
    else if (ok && (ok = cli_write_outputs(&o, &s, NULL)))
        dump_graphs(&k);
    return cli_session_end(&s, ok);
}
