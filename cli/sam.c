/* onyx sam: prints the graph of an expression or a file, or simulates the graph. */
#include "cli/usage.h"
#include "compile/compile.h"
#include "engines/engines.h"
#include "frontend/lowering/lowering.h"
#include "graphs/graphs.h"
#include "kernel/folder.h"
#include "kernel/operands.h"
#include "kernel/written.h"

/* Simulates on the operands and compares with the reference, if an expression is available. */
static bool simulate(const compile_options *o, cli_session *s, compile_kernel *k) {
    if (!compile_read_operands(o, &s->compile, &k->user, &k->data) ||
        !compile_run_kernels(o, &s->compile, k, &k->data.operands))
        return false;
    const char *check = compile_is_graph(o->written.expression)
                            ? "none"
                            : compile_check(o, &s->compile, k, &k->data.operands, &k->ran.result);
    if (s->diag.errors || !compile_publish(o, &s->compile, NULL))
        return false;
    uint64_t cycles = 0;
    for (uint32_t n = 0; n <= k->producers.len; n++)
        cycles += compile_kernel_at(k, n)->ran.cycles.kernel;
    if (!s->options.every.quiet)
        printf("%llu %s, %llu %s in the result, check: %s\n", (unsigned long long)cycles,
               plural(cycles, "cycle", "cycles"), (unsigned long long)k->ran.result.nnz,
               plural(k->ran.result.nnz, "nonzero", "nonzeros"), check);
    return compile_write_outputs(o, &s->compile, &k->ran.result);
}

/* The graph names stored tensors; notes the tensors stored differently from the user's declaration. */
static void note_repacking(const compile_kernel *k, cli_session *s) {
    for (uint32_t t = 1; t <= k->lowered.statement.tensors.len; t++) {
        const char *text = fe_repacked(&k->lowered.statement, (sam_tensor){t}, &s->mem);
        if (text)
            diag_note(&s->diag, sam_tensor_at(&k->lowered.statement, (sam_tensor){t})->loc,
                      "the host re-packs %s", text);
    }
}

/* Prints all graphs, in execution order. */
static void dump_graphs(const compile_kernel *k) {
    for (uint32_t n = 0; n <= k->producers.len; n++)
        sam_dump(&compile_kernel_at(k, n)->lowered.sam, stdout);
}

int command_sam(int argc, char **argv) {
    cli_session s;
    compile_kernel k = {0};
    cli_session_begin(&s);
    const compile_options *o = &s.options.compile;
    const bool parsed = cli_parse(&s, COMMAND_SAM, argc, argv);
    s.options.compile.target.engine = ENGINE_SAM;
    bool ok = parsed && (!o->files.out || compile_take_folder(&s.compile, o->files.out)) &&
              (compile_is_graph(o->written.expression)
                   ? compile_read_graph(o, &s.compile, &k) && compile_check_names(o, &s.compile, &k.user)
                   : compile_to_graph(o, &s.compile, &k));
    if (ok && !s.options.every.quiet)
        note_repacking(&k, &s);
    if (ok && o->tensors.inputs.len + o->tensors.generators.len)
        ok = simulate(o, &s, &k);
    else if (ok && (ok = compile_write_outputs(o, &s.compile, NULL) && compile_publish(o, &s.compile, NULL)))
        dump_graphs(&k);
    return cli_session_end(&s, ok);
}
