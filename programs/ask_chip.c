/* What the chip is asked, of a file, and what its answers are held against. */
#include "programs/ask_chip.h"
#include "engines/engines.h"

compile_firmware compile_files_of(arena *mem, const compile_statement_plan *plan, const char *what,
                                  const char *elf) {
    const compile_kernel *k = &plan->kernel;
    const char *folder = arena_printf(mem, "%s/firmware", k->folder);
    return (compile_firmware){.folder = folder,
                              .final_folder = arena_printf(mem, "%s/firmware", k->final_folder),
                              .elf = elf ? elf : arena_printf(mem, "%s/app.elf", folder),
                              .batches = arena_printf(mem, "%s/%s.bin", folder, what),
                              .result = arena_printf(mem, "%s/%s.result", folder, what)};
}

bool compile_ask_chip(interpreter *m, compile_context *ctx, const compile_statement_plan *plan,
                      const compile_firmware *f, compile_outcome *out) {
    compile_kernel k = plan->kernel;
    k.chip.session = &m->session;
    k.chip.configs = m->a->configs;
    bool ok = compile_ask(&plan->options, ctx, &k, f, out);
    m->ctx->interrupted = m->ctx->interrupted || ctx->interrupted;
    return ok;
}

bool compile_differs(interpreter *m, const char *what, src_loc loc) {
    diag_mismatch(m->ctx->diag, loc, "E0344-later", "%s", what);
    diag_hint(m->ctx->diag, "please report it; -O0 has the host start every run");
    m->a->check = "fail";
    return false;
}

const compile_statement_plan *compile_array_plan(const interpreter *m, const compile_statement_plan *plan) {
    if (!plan || compile_runs_on_host(plan) || plan->by_commands)
        return m->ready ? m->ready : m->configured;
    const compile_joint *joint = compile_joint_of(m->a, plan);
    return joint ? joint->of[0] : plan;
}
