/* Engine rtl: the RTL of the configured array on a job file, in two forms with equal cycles. The tiles of
 * rtl_models/soc (onyx-array) are verilated with onyx's own build, and configured by the words of the
 * bitstream. The netlist is the decoded bitstream as SystemVerilog, built by Verilator for this kernel alone:
 * three times as fast, once built. Its program is kept in the folder, and used again by the next run into the
 * same folder with an equal netlist. */
#define _GNU_SOURCE /* statx */
#include "engines/model.h"
#include "engines/waves.h"
#include "kernel/streams.h"
#include "support/child.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- ingredients of the program -------------------------------------------------------------- */

static int is_module(const struct dirent *entry) {
    return strstr(entry->d_name, ".sv") != NULL;
}

static bool hash_file(const char *path, compile_context *ctx, uint64_t *hash) {
    size_t length = 0;
    const char *text = file_read(path, ctx->mem, &length, ctx->diag);
    if (text)
        *hash = hash_more(*hash, text, length);
    return text != NULL;
}

/* Contents of the netlist, its ports, the harness and the modules of rtl_models/rtl in the order of their
 * names, and their paths: 16 digits, NULL after errors. The installed Verilator and compiler are not
 * examined. */
static const char *ingredients(compile_context *ctx, const char *folder) {
    arena *mem = ctx->mem;
    const char *home = ctx->home, *rtl = arena_printf(mem, "%s/rtl_models/rtl", home);
    uint64_t hash = hash_more(0, home, strlen(home));
    bool ok = hash_file(arena_printf(mem, "%s/onyx_design.sv", folder), ctx, &hash) &&
              hash_file(arena_printf(mem, "%s/onyx_design_io.h", folder), ctx, &hash) &&
              hash_file(arena_printf(mem, "%s/rtl_models/soc/design_main.cpp", home), ctx, &hash) &&
              hash_file(arena_printf(mem, "%s/rtl_models/soc/job_run.h", home), ctx, &hash);
    struct dirent **entries = NULL;
    int count = scandir(rtl, &entries, is_module, alphasort);
    if (count < 0) {
        diag_error(ctx->diag, (src_loc){0}, "E0001-file", "cannot read '%s': %s", rtl, strerror(errno));
        ok = false;
    }
    for (int i = 0; i < count; i++) {
        ok = ok && hash_file(arena_printf(mem, "%s/%s", rtl, entries[i]->d_name), ctx, &hash);
        free(entries[i]);
    }
    free(entries);
    return ok ? arena_printf(mem, "%016llx\n", (unsigned long long)hash) : NULL;
}

/* Optimised, the program takes three times as long to build and a third of the time to run: with the 27 tiles
 * of SpM*SpM, 20 s in place of 6 s, and 0.55 million cycles a second in place of 0.16. They break even
 * here.
 */
enum { MANY_CYCLES = 3000000 };

/* Below this number the tiles end sooner than the netlist, its build included: they run 0.15 million cycles a
 * second. */
enum { TILES_CYCLES = 4000000 };

/* Allowed cycles of a run beyond its last result, uncounted by the model: the rest of its operands comes
 * in. */
enum { MOST_DRAINED = 2000000 };

/* Builds of the program: quick, optimised, or quick with waveforms or coverage counts. */
typedef enum { BUILD_SMALL, BUILD_FAST, BUILD_WAVES, BUILD_COVERAGE } build_kind;
static const char *const build_name[] = {"small\n", "fast\n", "waves\n", "coverage\n"};

/* Identifies the file by properties that an archive cannot carry: its device, inode and creation time. The
 * program of a folder from elsewhere is never run. */
static const char *identity(compile_context *ctx, const char *program) {
    struct statx info;
    if (statx(AT_FDCWD, program, 0, STATX_BASIC_STATS | STATX_BTIME, &info) != 0 || info.stx_uid != geteuid())
        return "none\n";
    const bool birth = info.stx_mask & STATX_BTIME;
    const struct statx_timestamp when = birth ? info.stx_btime : info.stx_ctime;
    return arena_printf(ctx->mem, "%u:%u %llu %lld.%09u\n", info.stx_dev_major, info.stx_dev_minor,
                        (unsigned long long)info.stx_ino, (long long)when.tv_sec, when.tv_nsec);
}

/* Whether the existing program was made of `key` by this user in this place, in the wanted kind or better. */
static bool is_built(compile_context *ctx, const char *folder, const char *key, build_kind kind) {
    size_t length = 0;
    const char *program = arena_printf(ctx->mem, "%s/obj/design_sim", folder), *is = identity(ctx, program);
    if (access(program, X_OK) != 0)
        return false;
    const char *kept = file_read_if_there(arena_printf(ctx->mem, "%s/built_from", folder), ctx->mem, &length);
    if (!kept || strncmp(kept, key, strlen(key)) != 0)
        return false;
    kept += strlen(key);
    return strcmp(kept, arena_printf(ctx->mem, "%s%s", build_name[kind], is)) == 0 ||
           (kind == BUILD_SMALL &&
            strcmp(kept, arena_printf(ctx->mem, "%s%s", build_name[BUILD_FAST], is)) == 0);
}

/* ---- build and run --------------------------------------------------------------------------- */

static bool verilate(compile_context *ctx, const char *folder, build_kind kind, const char *log) {
    arena *mem = ctx->mem;
    const char *home = ctx->home;
    /* Compiled once, with onyx itself; without code for waveforms and counts. */
    bool runtime = kind != BUILD_WAVES && kind != BUILD_COVERAGE && access(ONYX_VERILATED_LIB, R_OK) == 0;
    /* Reset and set-up code stays at -O0 next to -O2: it runs once. Most of a file is its headers: a single
     * file compiles soonest, and without optimisation clang takes half of gcc's time. A clang++ may lack the
     * library of C++. */
    const char *const works[] = {"clang++",       "-x",        "c++", "-include", "cstdint",
                                 "-fsyntax-only", "/dev/null", NULL};
    const char *how = kind == BUILD_FAST ? "OPT_FAST=-O2"
                      : program_run(works, log) == 0
                          ? "OPT_FAST=-O0 OPT_GLOBAL=-O0 VM_PARALLEL_BUILDS=0 CXX=clang++"
                          : "OPT_FAST=-O0 OPT_GLOBAL=-O0 VM_PARALLEL_BUILDS=0";
    const char *argv[40] = {"verilator",
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
                            how,
                            "-o",
                            "design_sim",
                            arena_printf(mem, "%s/rtl_models/rtl/onyx_pkg.sv", home),
                            arena_printf(mem, "%s/onyx_design.sv", folder),
                            arena_printf(mem, "%s/rtl_models/soc/design_main.cpp", home)};
    size_t n = 0;
    while (argv[n])
        n++;
    if (kind == BUILD_WAVES) {
        argv[n++] = "--trace-fst";
        argv[n++] = "--trace-structs"; /* prints valid and data of a stream by name */
    }
    if (kind == BUILD_COVERAGE)
        argv[n++] = "--coverage-line"; /* counts of each wire would take minutes to compile */
    if (runtime) {
        argv[n++] = ONYX_VERILATED_LIB;
        argv[n++] = "-MAKEFLAGS";
        argv[n] = "VM_GLOBAL_FAST=";
    }
    compile_stage(ctx, "Verilator builds the netlist", 0);
    return compile_spawn(ctx, argv, log, (const char *const[]){NULL});
}

/* Links Verilator's inputs into `made`, an empty folder. */
static bool link_sources(compile_context *ctx, const char *folder, const char *made) {
    static const char *const names[] = {"onyx_design.sv", "onyx_design_io.h"};
    char here[4096] = "";
    bool ok = *folder == '/' || getcwd(here, sizeof here);
    for (size_t i = 0; ok && i < sizeof names / sizeof *names; i++)
        ok = symlink(arena_printf(ctx->mem, "%s%s%s/%s", here, *here ? "/" : "", folder, names[i]),
                     arena_printf(ctx->mem, "%s/%s", made, names[i])) == 0;
    return ok;
}

static bool copy_program(compile_context *ctx, const char *from, const char *folder) {
    size_t length = 0;
    const char *bytes = file_read(from, ctx->mem, &length, ctx->diag),
               *to = arena_printf(ctx->mem, "%s/design_sim", folder);
    file_out f;
    if (!bytes || !make_folder(folder, ctx->diag) || !file_create(&f, to, ctx->mem, ctx->diag))
        return false;
    fwrite(bytes, 1, length, f.stream);
    return file_commit(&f, ctx->diag) && chmod(to, 0777) == 0;
}

/* make takes some characters of a path for its own. Where the folder has one, the program is built in another
 * and copied. */
static bool verilate_anywhere(compile_context *ctx, const char *folder, build_kind kind, const char *log) {
    char here[4096] = "";
    const char *temporary = getenv("TMPDIR"),
               *whole = *folder == '/' || !getcwd(here, sizeof here) ? "" : here;
    static const char special[] = " \t\n$#%:;=,&|<>()'\"`\\*?[]~!{}";
    if (!folder[strcspn(folder, special)] && !whole[strcspn(whole, special)])
        return verilate(ctx, folder, kind, log);
    char *made = arena_printf(ctx->mem, "%s/onyx-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    if (!mkdtemp(made) || !link_sources(ctx, folder, made))
        return diag_error(ctx->diag, (src_loc){0}, "E0004-write", "cannot build in '%s': %s", made,
                          strerror(errno));
    bool ok =
        verilate(ctx, made, kind, log) && copy_program(ctx, arena_printf(ctx->mem, "%s/obj/design_sim", made),
                                                       arena_printf(ctx->mem, "%s/obj", folder));
    remove_folder(made);
    return ok;
}

static bool build(compile_context *ctx, const char *folder, build_kind kind, const char *log) {
    const char *key = ingredients(ctx, folder);
    if (!key)
        return false;
    if (is_built(ctx, folder, key, kind))
        return true;
    /* The objects may be of another design, or of another tree. */
    const char *built_from = arena_printf(ctx->mem, "%s/built_from", folder);
    remove(built_from);
    remove_folder(arena_printf(ctx->mem, "%s/obj", folder));
    file_out file;
    if (!verilate_anywhere(ctx, folder, kind, log) || !file_create(&file, built_from, ctx->mem, ctx->diag))
        return false;
    fprintf(file.stream, "%s%s%s", key, build_name[kind],
            identity(ctx, arena_printf(ctx->mem, "%s/obj/design_sim", folder)));
    return file_commit(&file, ctx->diag);
}

/* Processor time of the ended child programs. */
static double children_s(void) {
    struct rusage r;
    getrusage(RUSAGE_CHILDREN, &r);
    return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
           1e-6 * (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}

/* The RTL's monitors, lines "hazard KIND TILE" of the log, must equal those of the model ahead: both see the
 * same tokens in the same cycles. */
static bool same_hazards(compile_context *ctx, const compile_modelled *met, const char *log) {
    size_t length = 0;
    char *text = file_read(log, ctx->mem, &length, ctx->diag);
    uint32_t raised = 0, modelled = cycle_hazards_of(met->model)->len;
    for (char *line = text ? strtok(text, "\n") : NULL; line; line = strtok(NULL, "\n")) {
        char kind[32], tile[64];
        if (sscanf(line, "hazard %31s %63[^\n]", kind, tile) != 2)
            continue;
        raised++;
        if (!compile_model_raised(met, kind, tile))
            return diag_mismatch(ctx->diag, (src_loc){0}, "E0804-monitors",
                                 "%s: the RTL raises %s, the cycle model does not", tile, kind);
    }
    if (text && raised != modelled)
        diag_mismatch(ctx->diag, (src_loc){0}, "E0804-monitors",
                      "the cycle model raises %u %s, the RTL %u of them", modelled,
                      plural(modelled, "hazard", "hazards"), raised);
    return text && raised == modelled;
}

/* ---- several processes ------------------------------------------------------------------------- */

enum { MOST_WORDS = 9, RESULT_HEADER = 16 };

/* A command for all runs of a job, and its shares: each makes an equal number of consecutive runs. */
typedef struct {
    compile_context *ctx;
    const char *const *argv; /* `words` words; argv[result] names the result file */
    size_t words, result;
    const char *folder;
    uint32_t runs, n;
} shared_job;

static const char *share_file(const shared_job *s, const char *name, uint32_t i) {
    return arena_printf(s->ctx->mem, "%s/%s.%u", s->folder, name, i);
}

/* The n-th share, into files of its own. Ends as the program did. */
static bool make_share(void *context, uint32_t i, FILE *out) {
    const shared_job *s = context;
    const char *argv[MOST_WORDS + 1] = {NULL};
    (void)out;
    memcpy(argv, s->argv, sizeof *argv * s->words);
    argv[s->result] = share_file(s, "result.bin", i);
    argv[s->words] = arena_printf(s->ctx->mem, "%llu:%llu", (unsigned long long)s->runs * i / s->n,
                                  (unsigned long long)s->runs * (i + 1) / s->n);
    const int code = program_run(argv, share_file(s, "run.log", i));
    if (code < 0 && code != PROGRAM_NOT_RUN) {
        signal(-code, SIG_DFL);
        raise(-code);
    }
    return code == 0;
}

/* Joins the results of the shares: their runs, after a header with the total number. */
static bool join_results(const shared_job *s, const char *result) {
    compile_context *ctx = s->ctx;
    file_out f;
    bool ok = file_create(&f, result, ctx->mem, ctx->diag);
    for (uint32_t i = 0; i < s->n && ok; i++) {
        arena scratch = {0};
        size_t length = 0;
        const char *share = file_read(share_file(s, "result.bin", i), &scratch, &length, ctx->diag);
        ok = share && length >= RESULT_HEADER;
        if (ok && i == 0) {
            fwrite(share, 1, 8, f.stream);
            file_put_u32(f.stream, s->runs);
            fwrite(share + 12, 1, 4, f.stream);
        }
        if (ok)
            fwrite(share + RESULT_HEADER, 1, length - RESULT_HEADER, f.stream);
        arena_free(&scratch);
    }
    if (!ok)
        file_abandon(&f);
    return ok && file_commit(&f, ctx->diag);
}

/* Joins the logs of the shares, every line once. */
static bool join_logs(const shared_job *s, const char *log) {
    compile_context *ctx = s->ctx;
    const char *all = "\n";
    for (uint32_t i = 0; i < s->n; i++) {
        size_t length = 0;
        char *text = file_read(share_file(s, "run.log", i), ctx->mem, &length, ctx->diag), *rest = NULL;
        if (!text)
            return false;
        for (const char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
            if (!strstr(all, arena_printf(ctx->mem, "\n%s\n", line)))
                all = arena_printf(ctx->mem, "%s%s\n", all, line);
        }
    }
    file_out f;
    if (!file_create(&f, log, ctx->mem, ctx->diag))
        return false;
    fputs(all + 1, f.stream);
    return file_commit(&f, ctx->diag);
}

/* Runs the shares and joins their files. *alone: a share failed, and a process for all runs will report the
 * reason. */
static bool run_shares(const shared_job *s, const char *result, const char *log, bool *alone) {
    compile_context *ctx = s->ctx;
    child_result *shares = arena_new_n(ctx->mem, child_result, s->n);
    child_run(shares, s->n, make_share, (void *)(uintptr_t)s);
    bool ok = true;
    for (uint32_t i = 0; i < s->n; i++) {
        if (shares[i].found)
            fclose(shares[i].found);
        *alone = *alone || shares[i].end > 0;
        if (ok && shares[i].end < 0)
            ok = compile_share_failed(ctx, arena_printf(ctx->mem, "runs 0 to %u", s->runs - 1), i, s->n,
                                      shares[i].end);
    }
    ok = ok && !*alone && join_results(s, result) && join_logs(s, log);
    for (uint32_t i = 0; i < s->n; i++) {
        remove(share_file(s, "result.bin", i));
        remove(share_file(s, "run.log", i));
    }
    return ok;
}

/* ---- the engine ------------------------------------------------------------------------------ */

typedef struct {
    const char *folder, *job_path;
    tile_job job;
    uint32_t runs;
} rtl_engine;

static bool prepare(compile_engine_run *r, compile_outcome *out) {
    compile_context *ctx = r->in->ctx;
    if (r->in->how.rtl == COMPILE_RTL_COVERAGE && r->in->how.wave) {
        diag_error(ctx->diag, (src_loc){0}, "E0902-option", "--rtl coverage counts, and leaves no waves");
        return diag_hint(ctx->diag, "--wave with --rtl netlist does");
    }
    rtl_engine *e = r->own = arena_new(ctx->mem, rtl_engine);
    (void)out;
    e->folder = arena_printf(ctx->mem, "%s/rtl", r->in->final_folder);
    e->job_path = arena_printf(ctx->mem, "%s/job.bin", e->folder);
    return make_folder(e->folder, ctx->diag) && tile_job_begin(&e->job, e->job_path, false, ctx->diag);
}

static bool batch(compile_engine_run *r, const tile_plan *plan) {
    rtl_engine *e = r->own;
    tile_job_add(&e->job, plan);
    e->runs += plan->runs.len;
    return true;
}

/* By column, whether the kernel has a stream: streams of other kernels on the array stand still. */
static const bool *driven_columns(const compile_engine_in *in) {
    bool *driven = arena_new_n(in->ctx->mem, bool, in->board->width);
    compile_streams of;
    compile_streams_of(in->design, in->kernel, &of);
    for (uint32_t i = 0; i < of.n_in; i++)
        driven[of.in_column[i]] = true;
    for (uint32_t i = 0; i < of.n_out; i++)
        driven[of.out_column[i]] = true;
    return driven;
}

/* What onyx-array reads: the geometry, the IO columns in the order of the job's streams, the names of the
 * tiles, and the words. */
static bool write_array(const compile_engine_in *in, const char *path) {
    compile_context *ctx = in->ctx;
    const pnr_board *b = in->board;
    const netlist *n = in->decoded->net;
    const bool *driven = driven_columns(in);
    file_out f;
    if (!file_create(&f, path, ctx->mem, ctx->diag))
        return false;
    fprintf(f.stream, "array %u %u %u %u\n", b->width, b->height, b->mem_period, b->mem_phase);
    for (uint32_t x = 0; x < b->width; x++) {
        for (uint32_t i = 0; i < n->cells.len; i++) {
            if (net_mode_table[n->cells.at[i].mode].tile == NET_TILE_IO && in->decoded->site.at[i].x == x &&
                driven[x])
                fprintf(f.stream, "%s %u\n", n->cells.at[i].output ? "out" : "in", x);
        }
    }
    for (uint32_t i = 0; i < n->cells.len; i++)
        fprintf(f.stream, "tile %u %u %s\n", in->decoded->site.at[i].x, in->decoded->site.at[i].y,
                net_mode_table[n->cells.at[i].mode].name);
    for (uint32_t i = 0; i < in->bits->words.len; i++)
        fprintf(f.stream, "word %08X %08X\n", in->bits->words.at[i].address, in->bits->words.at[i].data);
    return file_commit(&f, ctx->diag);
}

static bool write_netlist(const compile_engine_in *in, const char *folder) {
    compile_context *ctx = in->ctx;
    return bits_to_verilog(in->decoded, in->map, &(bits_verilog_options){0},
                           arena_printf(ctx->mem, "%s/onyx_design.sv", folder), ctx->diag) &&
           bits_write_ports(in->decoded, driven_columns(in),
                            arena_printf(ctx->mem, "%s/onyx_design_io.h", folder), ctx->diag) &&
           (!in->how.wave || compile_write_netlist_waves(in->decoded, in->folder, ctx));
}

/* Whether the tiles end sooner than the netlist, build included. */
static bool takes_tiles(const compile_engine_in *in, uint64_t cycles) {
    if (in->how.wave || in->how.rtl == COMPILE_RTL_NETLIST || in->how.rtl == COMPILE_RTL_COVERAGE)
        return false;
    return in->how.rtl == COMPILE_RTL_TILES || cycles < TILES_CYCLES;
}

static bool finish(compile_engine_run *r, bool good, compile_outcome *out) {
    const compile_engine_in *in = r->in;
    compile_context *ctx = in->ctx;
    arena *mem = ctx->mem;
    rtl_engine *e = r->own;
    bool tiles = takes_tiles(in, out->modelled.cycles);
    const char *log = arena_printf(mem, "%s/run.log", e->folder),
               *array = arena_printf(mem, "%s/array.txt", e->folder);
    if (!tile_job_end(&e->job, good, ctx->diag) ||
        !(tiles ? write_array(in, array) : write_netlist(in, e->folder)))
        return false;
    r->result = arena_printf(mem, "%s/result.bin", e->folder);
    const char *trace = arena_printf(mem, "%s/io.trace", in->folder),
               *record = in->how.wave ? arena_printf(mem, "%s/waves.fst", in->folder)
                         : in->how.rtl == COMPILE_RTL_COVERAGE
                             ? arena_printf(mem, "%s/coverage.dat", in->folder)
                             : NULL;
    const char *argv[MOST_WORDS] = {0};
    size_t n = 0;
    argv[n++] =
        tiles ? compile_program(ctx, "onyx-array") : arena_printf(mem, "%s/obj/design_sim", e->folder);
    if (tiles)
        argv[n++] = array;
    argv[n++] = e->job_path;
    const size_t result = n;
    argv[n++] = r->result;
    argv[n++] = in->how.io_trace ? trace : "";
    if (!tiles)
        argv[n++] = record ? record : "";
    /* Every run ends in the cycle of the model ahead. */
    argv[n++] = arena_printf(mem, "%llu", (unsigned long long)out->modelled.cycles + MOST_DRAINED);
    build_kind kind = in->how.wave                          ? BUILD_WAVES
                      : in->how.rtl == COMPILE_RTL_COVERAGE ? BUILD_COVERAGE
                      : out->modelled.cycles >= MANY_CYCLES ? BUILD_FAST
                                                            : BUILD_SMALL;
    double start = seconds_now();
    if (!tiles && !build(ctx, e->folder, kind, arena_printf(mem, "%s/build.log", e->folder)))
        return false;
    out->build_s = seconds_now() - start;
    double before = children_s();
    compile_stage(ctx, tiles ? "running the tiles" : "running the netlist", 0);
    const uint32_t jobs = in->how.jobs < e->runs ? in->how.jobs : e->runs;
    const shared_job shared = {ctx, argv, n, result, e->folder, e->runs, jobs};
    bool alone = jobs < 2, ok = !alone && run_shares(&shared, r->result, log, &alone);
    if (alone)
        ok = compile_spawn(ctx, argv, log, (const char *const[]){r->result, trace, record, NULL});
    out->cpu_s = children_s() - before;
    return ok && same_hazards(ctx, &out->modelled, log);
}

static bool counters(const compile_engine_run *r, compile_outcome *out) {
    out->cycles.kernel = out->cycles.total = r->result_cycles;
    return true;
}

const compile_engine_row compile_engine_rtl = {
    .prepare = prepare, .batch = batch, .finish = finish, .counters = counters, .ahead = true};
