/* Test benches of an exported kernel that check themselves: the files that name its ports. What is equal for
 * all kernels lies in rtl_models/bench. */
#include "exchange/write_rtl.h"

static const char *named(const rtl_export *x, const char *form) {
    return arena_printf(x->ctx->mem, form, x->name);
}

/* Copies a file of rtl_models/bench. */
static bool copy_file(const rtl_export *x, const char *name) {
    return exchange_copy(x->ctx, arena_printf(x->ctx->mem, "%s/rtl_models/bench/%s", x->ctx->home, name),
                         arena_printf(x->ctx->mem, "%s/%s", x->folder, name));
}

static uint32_t monitor_words(const rtl_export *x) {
    return (x->monitors.len + 31) / 32;
}

/* ---- Verilator ---------------------------------------------------------------------------------- */

static void write_cpp_head(const rtl_export *x, FILE *out) {
    const char *n = x->name;
    fprintf(
        out,
        "// Plays the words of %s_words through module %s, and compares words and cycles:\n"
        "//   $ verilator --cc --exe --build -O3 --top-module %s -f %s.f %s_bench.cpp -CFLAGS -I.. -o bench\n"
        "//   $ obj_dir/bench\n",
        n, n, n, n, n);
    fprintf(out, "#include \"V%s.h\"\n#include \"onyx_bench.h\"\n#include \"verilated.h\"\n\n", n);
    fprintf(out,
            "int main(int argc, char **argv) {\n    VerilatedContext context;\n"
            "    V%s top(&context, \"%s\");\n"
            "    onyx::Bench bench(\"%s\", argc > 1 ? argv[1] : \"%s_words\", %u, %llu);\n",
            n, n, n, n, x->runs, (unsigned long long)x->cycles);
}

static bool write_cpp(const rtl_export *x) {
    file_out f;
    if (!exchange_create(x->ctx, &f, x->folder, named(x, "%s_bench.cpp")))
        return false;
    write_cpp_head(x, f.stream);
    for (uint32_t i = 0; i < x->streams.len; i++) {
        const char *s = x->streams.at[i].port;
        if (x->streams.at[i].output)
            fprintf(f.stream, "    bench.output(\"%s\", top.%s_valid_o, top.%s_data_o, top.%s_ready_i);\n", s,
                    s, s, s);
        else
            fprintf(f.stream, "    bench.input(\"%s\", top.%s_valid_i, top.%s_data_i, top.%s_ready_o);\n", s,
                    s, s, s);
    }
    for (uint32_t i = 0; i < monitor_words(x); i++)
        fprintf(f.stream, "    bench.monitors(top.hazard_%u_o);\n", i);
    fputs("    return bench.play(top);\n}\n", f.stream);
    return file_commit(&f, x->ctx->diag) && copy_file(x, "onyx_bench.h");
}

/* ---- SystemVerilog ------------------------------------------------------------------------------ */

static void write_wires(const rtl_export *x, FILE *out) {
    const char *comma = "";
    fprintf(out, "  logic flush, next;\n  logic [%u:0] done, failed;\n", x->streams.len - 1);
    for (uint32_t i = 0; i < x->streams.len; i++) {
        const char *s = x->streams.at[i].port;
        fprintf(out, "  logic [15:0] %s_data;\n  logic %s_valid, %s_ready;\n", s, s, s);
    }
    for (uint32_t i = 0; i < monitor_words(x); i++)
        fprintf(out, "  logic [31:0] hazard_%u;\n", i);
    fputs("  logic hazard;\n  assign hazard = |{", out);
    for (uint32_t i = 0; i < monitor_words(x); i++, comma = ", ")
        fprintf(out, "%shazard_%u", comma, i);
    fprintf(out, "%s};\n\n", monitor_words(x) ? "" : "1'b0");
}

static void write_instance(const rtl_export *x, FILE *out) {
    fprintf(out, "  %s u_kernel (\n      .clk_i, .rst_ni, .flush_i(flush)", x->name);
    for (uint32_t i = 0; i < x->streams.len; i++) {
        const char *s = x->streams.at[i].port, *suffix = x->streams.at[i].output ? "o" : "i",
                   *back = x->streams.at[i].output ? "i" : "o";
        fprintf(out, ",\n      .%s_data_%s(%s_data), .%s_valid_%s(%s_valid), .%s_ready_%s(%s_ready)", s,
                suffix, s, s, suffix, s, s, back, s);
    }
    for (uint32_t i = 0; i < monitor_words(x); i++)
        fprintf(out, ",\n      .hazard_%u_o(hazard_%u)", i, i);
    fputs("\n  );\n", out);
}

static void write_player(const rtl_export *x, uint32_t i, FILE *out) {
    const rtl_stream *s = &x->streams.at[i];
    const char *suffix = s->output ? "i" : "o", *back = s->output ? "o" : "i", *n = s->port,
               *failed = s->output ? arena_printf(x->ctx->mem, ", .failed_o(failed[%u])", i) : "";
    fprintf(out,
            "  onyx_bench_%s #(\n      .File({Folder, \"/%s.hex\"}), .Words(%u)\n  ) u_%s (\n"
            "      .clk_i, .rst_ni, .next_i(next), .done_o(done[%u])%s,\n"
            "      .data_%s(%s_data), .valid_%s(%s_valid), .ready_%s(%s_ready)\n  );\n",
            s->output ? "sink" : "source", n, s->words->len, n, i, failed, suffix, n, suffix, n, back, n);
    if (!s->output)
        fprintf(out, "  assign failed[%u] = 1'b0;\n", i);
}

static bool write_check(const rtl_export *x) {
    file_out f;
    uint32_t inputs = 0;
    if (!exchange_create(x->ctx, &f, x->folder, named(x, "%s_check.sv")))
        return false;
    fprintf(
        f.stream,
        "// Module %s with the words of its runs around it. Contract: begins when reset ends; done_o stays "
        "set,\n// failed_o says then whether a word or the number of cycles was wrong.\n"
        "module %s_check #(\n    parameter Folder = \"%s_words\"\n) (\n"
        "    input  logic clk_i,\n    input  logic rst_ni,\n    output logic done_o,\n"
        "    output logic failed_o\n);\n",
        x->name, x->name, x->name);
    write_wires(x, f.stream);
    write_instance(x, f.stream);
    for (uint32_t i = 0; i < x->streams.len; i++) {
        write_player(x, i, f.stream);
        inputs += !x->streams.at[i].output;
    }
    fprintf(f.stream,
            "  onyx_bench_runs #(\n      .Name(\"%s\"), .Runs(%u), .Cycles(%llu)\n  ) u_runs (\n"
            "      .clk_i, .rst_ni, .flush_o(flush), .next_o(next), .sources_done_i(&done[%u:0]),\n"
            "      .sinks_done_i(&done[%u:%u]), .failed_i(|failed), .hazard_i(hazard), .done_o, .failed_o\n"
            "  );\nendmodule\n",
            x->name, x->runs, (unsigned long long)x->cycles, inputs - 1, x->streams.len - 1, inputs);
    return file_commit(&f, x->ctx->diag);
}

static bool write_sv(const rtl_export *x) {
    static const char *const files[] = {"onyx_bench_source.sv", "onyx_bench_sink.sv", "onyx_bench_runs.sv"};
    file_out f;
    const char *n = x->name;
    bool ok = true;
    for (size_t i = 0; i < sizeof files / sizeof *files && ok; i++)
        ok = copy_file(x, files[i]);
    if (!ok || !write_check(x) || !exchange_create(x->ctx, &f, x->folder, named(x, "%s_bench.sv")))
        return false;
    fprintf(f.stream,
            "// A clock and a reset for %s_check:\n"
            "//   $ verilator --binary --timing -O3 --top-module %s_bench -f %s_bench.f -o bench\n"
            "//   $ obj_dir/bench\n"
            "module %s_bench;\n  logic clk = 1'b0, rst_n = 1'b0, done, failed;\n  initial forever #5 clk = "
            "~clk;\n"
            "  %s_check u_check (.clk_i(clk), .rst_ni(rst_n), .done_o(done), .failed_o(failed));\n"
            "  initial begin\n    repeat (2) @(negedge clk);\n    rst_n = 1'b1;\n    while (!done) @(negedge "
            "clk);\n"
            "    if (failed) $fatal(1, \"%s: words or cycles differ\");\n    $finish;\n  end\nendmodule\n",
            n, n, n, n, n, n);
    if (!file_commit(&f, x->ctx->diag) || !exchange_create(x->ctx, &f, x->folder, named(x, "%s_bench.f")))
        return false;
    fputs("+incdir+rtl\n", f.stream);
    for (uint32_t i = 0; i < x->sources.len; i++)
        fprintf(f.stream, "%s\n", x->sources.at[i]);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        fprintf(f.stream, "%s\n", files[i]);
    fprintf(f.stream, "%s.sv\n%s_check.sv\n%s_bench.sv\n", n, n, n);
    return file_commit(&f, x->ctx->diag);
}

/* ---- cocotb ------------------------------------------------------------------------------------- */

static bool write_cocotb(const rtl_export *x) {
    file_out f;
    const char *n = x->name;
    if (!exchange_create(x->ctx, &f, x->folder, arena_printf(x->ctx->mem, "test_%s.py", n)))
        return false;
    fprintf(f.stream,
            "\"\"\"Plays the words of %s_words through module %s: make -f %s.mk\"\"\"\n"
            "import os\n\nimport cocotb\nfrom onyx_bench import play\n\n\n"
            "@cocotb.test()\nasync def words_and_cycles_are_as_recorded(dut):\n"
            "    await play(dut, os.path.join(os.path.dirname(os.path.abspath(__file__)), '%s.json'))\n",
            n, n, n, n);
    if (!file_commit(&f, x->ctx->diag) || !exchange_create(x->ctx, &f, x->folder, named(x, "%s.mk")))
        return false;
    fprintf(f.stream,
            "# cocotb: make -f %s.mk, with SIM=questa, xcelium, vcs ... for another simulator.\n"
            "SIM ?= verilator\nTOPLEVEL_LANG = verilog\nTOPLEVEL = %s\nCOCOTB_TOPLEVEL = %s\n"
            "MODULE = test_%s\nCOCOTB_TEST_MODULES = test_%s\nVERILOG_SOURCES =",
            n, n, n, n, n);
    for (uint32_t i = 0; i < x->sources.len; i++)
        fprintf(f.stream, " $(CURDIR)/%s", x->sources.at[i]);
    fprintf(f.stream,
            " $(CURDIR)/%s.sv\nVERILOG_INCLUDE_DIRS = $(CURDIR)/rtl\n"
            "export PYTHONPATH := $(CURDIR):$(PYTHONPATH)\n"
            "include $(shell cocotb-config --makefiles)/Makefile.sim\n",
            n);
    return file_commit(&f, x->ctx->diag) && copy_file(x, "onyx_bench.py");
}

bool exchange_write_bench(const rtl_export *x, uint32_t bench) {
    return bench == EXCHANGE_BENCH_SV       ? write_sv(x)
           : bench == EXCHANGE_BENCH_COCOTB ? write_cocotb(x)
                                            : write_cpp(x);
}
