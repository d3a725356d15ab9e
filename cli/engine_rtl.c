/* Engine rtl: the decoded bitstream as a SystemVerilog netlist, built by Verilator, run on the job file. */
#include "cli/cli.h"

static bool build(cli_session *s, const char *folder, const char *log) {
    arena *mem = &s->mem;
    const char *home = cli_home(s);
    const char *const argv[] = {"verilator",
                                "--cc",
                                "--exe",
                                "--build",
                                "-j",
                                "2",
                                "-O3",
                                "--x-assign",
                                "fast",
                                "--x-initial",
                                "fast",
                                "--noassert",
                                "-Wno-fatal",
                                "-Wno-UNOPTFLAT",
                                "--top-module",
                                "onyx_design",
                                arena_printf(mem, "-I%s/rtl_models/rtl", home),
                                "-Mdir",
                                arena_printf(mem, "%s/obj", folder),
                                "-CFLAGS",
                                "-I..",
                                "-MAKEFLAGS",
                                "OPT_FAST=-O1", /* reset and set-up code stays at -O0: it runs once */
                                "-o",
                                "design_sim",
                                arena_printf(mem, "%s/onyx_design.sv", folder),
                                arena_printf(mem, "%s/rtl_models/harness/design_main.cpp", home),
                                NULL};
    return cli_spawn(argv, log, &s->diag);
}

bool cli_run_rtl(const cli_options *o, cli_session *s, cli_kernel *k, const tile_plan *plan,
                 tile_collector *c, cli_outcome *out) {
    arena *mem = &s->mem;
    const char *folder = arena_printf(mem, "%s/rtl", o->out),
               *log = arena_printf(mem, "%s/build.log", folder);
    const char *job = arena_printf(mem, "%s/job.bin", folder),
               *result = arena_printf(mem, "%s/result.bin", folder);
    const char *run_log = arena_printf(mem, "%s/run.log", folder);
    if (!make_folder(folder, &s->diag) ||
        !bits_to_verilog(&k->decoded, k->map, arena_printf(mem, "%s/onyx_design.sv", folder), &s->diag) ||
        !bits_write_ports(&k->decoded, arena_printf(mem, "%s/onyx_design_io.h", folder), &s->diag) ||
        !tile_job_write(plan, job, &s->diag))
        return false;
    cli_remove_folder(
        arena_printf(mem, "%s/obj", folder)); /* objects of another design, or of another tree */
    remove(log);
    remove(run_log);
    remove(result);
    const char *const argv[] = {arena_printf(mem, "%s/obj/design_sim", folder), job, result,
                                o->io_trace ? arena_printf(mem, "%s/io.trace", o->out) : NULL, NULL};
    bool ok = build(s, folder, log) && cli_spawn(argv, run_log, &s->diag) &&
              tile_job_collect(result, plan, c, &out->kernel_cycles, &s->diag);
    out->total_cycles = out->kernel_cycles;
    return ok;
}
