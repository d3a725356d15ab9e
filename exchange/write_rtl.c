/* A kernel as RTL for other people's simulators and FPGAs: the netlist with ports by tensor and level, the
 * modules it stands on, a map of its ports, and the words of its streams. */
#include "exchange/write_rtl.h"
#include "kernel/streams.h"

#include <ctype.h>
#include <unistd.h>

#define LIBRARY "rtl_models/rtl"

/* ---- the name ----------------------------------------------------------------------------------- */

/* Words that no module may be called, of SystemVerilog, which has Verilog's. */
static const char reserved[] =
    " accept_on alias always always_comb always_ff always_latch and assert assign assume automatic before "
    "begin bind bins binsof bit break buf bufif0 bufif1 byte case casex casez cell chandle checker class "
    "clocking cmos config const constraint context continue cover covergroup coverpoint cross deassign "
    "default defparam design disable dist do edge else end endcase endchecker endclass endclocking endconfig "
    "endfunction endgenerate endgroup endinterface endmodule endpackage endprimitive endprogram endproperty "
    "endsequence endspecify endtable endtask enum event eventually expect export extends extern final "
    "first_match for force foreach forever fork forkjoin function generate genvar global highz0 highz1 if "
    "iff "
    "ifnone ignore_bins illegal_bins implements implies import incdir include initial inout input inside "
    "instance int integer interconnect interface intersect join join_any join_none large let liblist library "
    "local localparam logic longint macromodule matches medium modport module nand negedge nettype new "
    "nexttime nmos nor noshowcancelled not notif0 notif1 null or output package packed parameter pmos "
    "posedge primitive priority program property protected pull0 pull1 pulldown pullup "
    "pulsestyle_ondetect pulsestyle_onevent pure rand randc randcase randsequence rcmos real realtime ref "
    "reg "
    "reject_on release repeat restrict return rnmos rpmos rtran rtranif0 rtranif1 s_always s_eventually "
    "s_nexttime s_until s_until_with scalared sequence shortint shortreal showcancelled signed small soft "
    "solve specify specparam static string strong strong0 strong1 struct super supply0 supply1 "
    "sync_accept_on sync_reject_on table tagged task this throughout time timeprecision timeunit tran "
    "tranif0 tranif1 tri tri0 tri1 triand trior trireg type typedef union unique unique0 unsigned until "
    "until_with untyped use uwire var vectored virtual void wait wait_order wand weak weak0 weak1 while "
    "wildcard wire with within wor xnor xor ";

/* Modules of the library begin with "onyx_". */
static bool is_name(const char *name, arena *mem) {
    bool good = isalpha((unsigned char)*name) || *name == '_';
    for (const char *c = name; *c; c++)
        good = good && text_in_name(*c) && (unsigned char)*c < 128;
    return good && strncmp(name, "onyx_", 5) != 0 && !strstr(reserved, arena_printf(mem, " %s ", name));
}

static bool find_name(rtl_export *x, const char *asked, const compile_kernel *k) {
    const sam_statement *s = &k->lowered.statement;
    x->name = asked ? asked
                    : arena_printf(x->ctx->mem, "kernel_%s",
                                   names_text(x->ctx->names, s->tensors.at[s->result.v - 1].name));
    if (is_name(x->name, x->ctx->mem))
        return true;
    diag_error(x->ctx->diag, (src_loc){0}, "E0976-export", "'%s' cannot be the name of a module", x->name);
    return diag_hint(x->ctx->diag,
                     "--name takes letters, digits and _, no word of SystemVerilog, and no name that "
                     "begins with onyx_, as those of the library do");
}

/* ---- streams ------------------------------------------------------------------------------------ */

static void add_stream(rtl_export *x, const tile_copy_stream *s, uint32_t column, bool output) {
    arena *mem = x->ctx->mem;
    rtl_stream one = {.tensor = names_text(x->ctx->names, s->stream.tensor),
                      .level = s->stream.level,
                      .output = output,
                      .copy = s->copy,
                      .column = column};
    const char *copy = s->copy ? arena_printf(mem, "_u%u", s->copy) : "";
    one.port = one.level < 0 ? arena_printf(mem, "%s_vals%s", one.tensor, copy)
                             : arena_printf(mem, "%s_%d_crd%s", one.tensor, one.level, copy);
    for (uint32_t i = 0; i < x->streams.len; i++) {
        if (strcmp(x->streams.at[i].port, one.port) == 0)
            one.port = arena_printf(mem, "%s_x%u", one.port, column);
    }
    vec_push(mem, &x->streams, one);
}

/* Takes words and blocks of the program's stream at the same column. */
static void take_words(rtl_export *x, const exchange_streams *from, bool output) {
    for (uint32_t i = 0; i < x->streams.len; i++) {
        rtl_stream *s = &x->streams.at[i];
        for (uint32_t k = 0; s->output == output && k < from->len; k++) {
            if (from->at[k].column != s->column)
                continue;
            s->words = &from->at[k].words;
            s->blocks = from->at[k].blocks;
        }
        BUG_IF(s->output == output && !s->words, "no words at column %u", s->column);
    }
}

static void find_streams(rtl_export *x, const compile_kernel *k, const exchange_program *p) {
    compile_streams of;
    compile_streams_of(&k->array.design, k->array.kernel, &of);
    for (uint32_t i = 0; i < of.n_in; i++)
        add_stream(x, &of.in[i], of.in_column[i], false);
    for (uint32_t i = 0; i < of.n_out; i++)
        add_stream(x, &of.out[i], of.out_column[i], true);
    take_words(x, &p->inputs, false);
    take_words(x, &p->outputs, true);
}

/* Writes a word a line; bit 16 marks the last word of a run. */
static bool write_words(const rtl_export *x, const rtl_stream *s) {
    file_out f;
    if (!exchange_create(x->ctx, &f, x->folder,
                         arena_printf(x->ctx->mem, "%s_words/%s.hex", x->name, s->port)))
        return false;
    for (uint32_t run = 0, at = 0; run < x->runs; run++) {
        const uint32_t n = exchange_words_of_run(s->words->at, s->words->len, at, s->blocks);
        BUG_IF(!n, "no words of run %u at %s", run, s->port);
        for (uint32_t i = 0; i < n; i++, at++)
            fprintf(f.stream, "%x%04x\n", i + 1 == n, s->words->at[at]);
    }
    return file_commit(&f, x->ctx->diag);
}

static bool write_all_words(const rtl_export *x) {
    bool ok = make_folder(arena_printf(x->ctx->mem, "%s/%s_words", x->folder, x->name), x->ctx->diag);
    for (uint32_t i = 0; i < x->streams.len && ok; i++)
        ok = write_words(x, &x->streams.at[i]);
    return ok;
}

/* ---- the library -------------------------------------------------------------------------------- */

static bool is_listed(const text_vec *all, const char *name) {
    bool found = false;
    for (uint32_t i = 0; i < all->len; i++)
        found |= strcmp(all->at[i], name) == 0;
    return found;
}

static bool add_file(rtl_export *x, const char *file, text_vec *begun);

/* Adds the files of the library that the text names: modules, packages, included files. */
static bool add_named(rtl_export *x, const char *text, text_vec *begun) {
    arena *mem = x->ctx->mem;
    bool ok = true;
    for (const char *c = strstr(text, "onyx_"); c && ok; c = strstr(c, "onyx_")) {
        const size_t length = text_name_length(c);
        const bool header = strncmp(c + length, ".svh", 4) == 0;
        const char *file = arena_printf(mem, "%.*s%s", (int)length, c, header ? ".svh" : ".sv");
        if (access(arena_printf(mem, "%s/" LIBRARY "/%s", x->ctx->home, file), R_OK) == 0)
            ok = add_file(x, file, begun);
        c += length;
    }
    return ok;
}

/* Adds a file behind those that it names. */
static bool add_file(rtl_export *x, const char *file, text_vec *begun) {
    arena *mem = x->ctx->mem;
    size_t length = 0;
    if (is_listed(begun, file))
        return true;
    vec_push(mem, begun, file);
    const char *text =
        file_read(arena_printf(mem, "%s/" LIBRARY "/%s", x->ctx->home, file), mem, &length, x->ctx->diag);
    if (!text || !add_named(x, text, begun))
        return false;
    const char *to = arena_printf(mem, "rtl/%s", file);
    if (strstr(file, ".svh"))
        vec_push(mem, &x->headers, to);
    else
        vec_push(mem, &x->sources, to);
    return exchange_copy(x->ctx, arena_printf(mem, "%s/" LIBRARY "/%s", x->ctx->home, file),
                         arena_printf(mem, "%s/%s", x->folder, to));
}

/* Writes every module a netlist may contain: kernels of one folder share the library. */
static bool write_library(rtl_export *x) {
    text_vec begun = {0};
    bool ok = make_folder(arena_printf(x->ctx->mem, "%s/rtl", x->folder), x->ctx->diag) &&
              add_file(x, "onyx_pkg.sv", &begun) && add_file(x, "onyx_fifo2.sv", &begun) &&
              add_file(x, "onyx_split_fifo.sv", &begun);
    for (int mode = 0; mode < NET_MODES && ok; mode++) {
        const char *module = bits_module_of((net_mode)mode);
        ok = !module || add_file(x, arena_printf(x->ctx->mem, "%s.sv", module), &begun);
    }
    return ok;
}

static bool write_list(const rtl_export *x) {
    file_out f;
    if (!exchange_create(x->ctx, &f, x->folder, arena_printf(x->ctx->mem, "%s.f", x->name)))
        return false;
    fputs("+incdir+rtl\n", f.stream);
    for (uint32_t i = 0; i < x->sources.len; i++)
        fprintf(f.stream, "%s\n", x->sources.at[i]);
    fprintf(f.stream, "%s.sv\n", x->name);
    return file_commit(&f, x->ctx->diag);
}

/* FuseSoC: a core of the library, which all kernels share, and the kernel's. */
static bool write_cores(const rtl_export *x) {
    file_out f;
    if (!exchange_create(x->ctx, &f, x->folder, "onyx_rtl.core"))
        return false;
    fputs("CAPI=2:\nname: onyx::rtl:0\ndescription: Primitives of onyx\nfilesets:\n  rtl:\n    files:\n",
          f.stream);
    for (uint32_t i = 0; i < x->headers.len; i++)
        fprintf(f.stream, "      - %s: {is_include_file: true}\n", x->headers.at[i]);
    for (uint32_t i = 0; i < x->sources.len; i++)
        fprintf(f.stream, "      - %s\n", x->sources.at[i]);
    fputs("    file_type: systemVerilogSource\ntargets:\n  default:\n    filesets: [rtl]\n", f.stream);
    if (!file_commit(&f, x->ctx->diag) ||
        !exchange_create(x->ctx, &f, x->folder, arena_printf(x->ctx->mem, "%s.core", x->name)))
        return false;
    fprintf(
        f.stream,
        "CAPI=2:\nname: onyx::%s:0\ndescription: A kernel of onyx\nfilesets:\n  rtl:\n    files: [%s.sv]\n"
        "    file_type: systemVerilogSource\n    depend: [\"onyx::rtl\"]\n"
        "targets:\n  default:\n    filesets: [rtl]\n    toplevel: %s\n",
        x->name, x->name, x->name);
    return file_commit(&f, x->ctx->diag);
}

/* ---- the map ------------------------------------------------------------------------------------ */

static cJSON *stream_json(const rtl_export *x, const rtl_stream *s) {
    cJSON *one = cJSON_CreateObject();
    arena *mem = x->ctx->mem;
    const char *suffix = s->output ? "o" : "i", *back = s->output ? "i" : "o";
    cJSON_AddStringToObject(one, "port", s->port);
    cJSON_AddStringToObject(one, "direction", s->output ? "out" : "in");
    cJSON_AddStringToObject(one, "tensor", s->tensor);
    cJSON_AddStringToObject(one, "holds", s->level < 0 ? "values" : "level");
    if (s->level >= 0)
        cJSON_AddNumberToObject(one, "level", s->level);
    cJSON_AddNumberToObject(one, "copy", s->copy);
    cJSON_AddNumberToObject(one, "column", s->column);
    cJSON_AddNumberToObject(one, "blocks", s->blocks);
    cJSON_AddStringToObject(one, "data", arena_printf(mem, "%s_data_%s", s->port, suffix));
    cJSON_AddStringToObject(one, "valid", arena_printf(mem, "%s_valid_%s", s->port, suffix));
    cJSON_AddStringToObject(one, "ready", arena_printf(mem, "%s_ready_%s", s->port, back));
    cJSON_AddStringToObject(one, "words", arena_printf(mem, "%s_words/%s.hex", x->name, s->port));
    cJSON_AddNumberToObject(one, "count", s->words->len);
    return one;
}

static cJSON *monitor_json(const rtl_export *x, uint32_t i) {
    cJSON *one = cJSON_CreateObject();
    cJSON_AddStringToObject(one, "port", arena_printf(x->ctx->mem, "hazard_%u_o", i / 32));
    cJSON_AddNumberToObject(one, "bit", i % 32);
    cJSON_AddStringToObject(one, "kind", x->monitors.at[i].kind);
    cJSON_AddStringToObject(one, "tile", x->monitors.at[i].tile);
    return one;
}

static bool write_map(const rtl_export *x) {
    static const char *const controls[][2] = {{"clock", "clk_i"}, {"reset", "rst_ni"}, {"flush", "flush_i"}};
    json_begin();
    cJSON *map = cJSON_CreateObject();
    cJSON_AddNumberToObject(map, "format_version", 1);
    cJSON_AddStringToObject(map, "module", x->name);
    for (size_t i = 0; i < sizeof controls / sizeof *controls; i++)
        cJSON_AddStringToObject(map, controls[i][0], controls[i][1]);
    cJSON_AddNumberToObject(map, "runs", x->runs);
    cJSON_AddNumberToObject(map, "cycles", (double)x->cycles);
    cJSON *streams = cJSON_AddArrayToObject(map, "streams");
    for (uint32_t i = 0; i < x->streams.len; i++)
        cJSON_AddItemToArray(streams, stream_json(x, &x->streams.at[i]));
    cJSON *monitors = cJSON_AddArrayToObject(map, "monitors");
    for (uint32_t i = 0; i < x->monitors.len; i++)
        cJSON_AddItemToArray(monitors, monitor_json(x, i));
    const char *path = arena_printf(x->ctx->mem, "%s/%s.json", x->folder, x->name);
    const bool ok = json_write(map, path, x->ctx->diag);
    cJSON_Delete(map);
    return ok;
}

/* ---- the whole ---------------------------------------------------------------------------------- */

static bool write_netlist(const rtl_export *x, const exchange_array *a) {
    const char **port = arena_new_n(x->ctx->mem, const char *, a->board.width);
    for (uint32_t i = 0; i < x->streams.len; i++)
        port[x->streams.at[i].column] = x->streams.at[i].port;
    return bits_to_verilog(&a->design, a->bare.map,
                           &(bits_verilog_options){.module = x->name, .port = port, .enables = true},
                           arena_printf(x->ctx->mem, "%s/%s.sv", x->folder, x->name), x->ctx->diag);
}

bool exchange_write_rtl(compile_context *ctx, const compile_kernel *k, const exchange_program *p,
                        const exchange_array *a, const exchange_target *how) {
    rtl_export x = {
        .ctx = ctx, .folder = how->folder, .runs = a->plan.runs.len, .cycles = k->ran.cycles.kernel};
    if (!find_name(&x, how->name, k) || !make_folder(how->folder, ctx->diag))
        return false;
    find_streams(&x, k, p);
    bits_monitors_of(&a->design, ctx->mem, &x.monitors);
    return write_netlist(&x, a) && write_library(&x) && write_all_words(&x) && write_list(&x) &&
           write_cores(&x) && write_map(&x) && exchange_write_bench(&x, how->form);
}
