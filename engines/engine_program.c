/* Engine program: the kernel's firmware and batches on a board, by host/. */
#include "engines/firmware.h"
#include "engines/session.h"

#include <unistd.h>

/* In a session a single buffer lets operands stay in place: with two, outputs alternate with inputs. */
static bool prepare(compile_engine_run *r, compile_outcome *out) {
    (void)out;
    return compile_firmware_begin(r, r->in->session ? 1 : FW_BUFFERS_MOST);
}

/* Returns whether a program is ready to load, building the program if necessary; a session with the board
 * needs none. */
static bool program_is_there(compile_engine_run *r, compile_outcome *out) {
    const compile_engine_in *in = r->in;
    const compile_firmware *f = r->own;
    return (in->session && compile_session_is_open(in->session)) || compile_firmware_is_there(r, out) ||
           (in->again && access(f->elf, R_OK) == 0) || compile_firmware_build(r, out);
}

/* Has the board run the batches. */
static bool run_on_board(const compile_engine_in *in, const compile_firmware *f, compile_outcome *out) {
    compile_context *ctx = in->ctx;
    compile_on_board *on = in->how.on_board;
    if (in->session && !compile_session_is_open(in->session))
        in->session->program = arena_strdup(ctx->diag->mem, f->elf);
    const host_job job = {.elf = in->session ? in->session->program : f->elf,
                          .batches = f->batches,
                          .result = f->result,
                          .folder = f->final_folder,
                          .design = in->design,
                          .session = in->session ? &in->session->board : NULL};
    compile_stage(ctx, "loading the board", 0);
    bool ok = host_program(&on->board, &job, &on->host, ctx->mem, ctx->diag, &out->host);
    ctx->interrupted = ctx->interrupted || (!ok && out->host.interrupted);
    on->ready += out->host.found == HOST_FOUND_READY;
    on->started += out->host.found > HOST_FOUND_READY;
    out->words.loaded = out->host.words.loaded;
    out->words.kept = out->host.words.kept;
    out->words.collected = out->host.words.collected;
    return ok;
}

static bool finish(compile_engine_run *r, bool good, compile_outcome *out) {
    const compile_engine_in *in = r->in;
    const compile_firmware *f = r->own;
    double start = seconds_now();
    if (!compile_firmware_end(r, good) || !program_is_there(r, out))
        return false;
    out->firmware_s = seconds_now() - start;
    r->result = f->result;
    return in->deferred ? compile_defer_firmware_batch(r, out) : run_on_board(in, f, out);
}

static void count(const compile_engine_in *in, compile_outcome *out) {
    const host_outcome *host = &out->host;
    uint64_t ratio = host_cycles_ratio(in->board);
    out->cycles.config = host->config_cycles * ratio;
    out->cycles.kernel = host->kernel_cycles * ratio;
    out->cycles.firmware = host->firmware_cycles * ratio;
    out->cycles.verify = host->check_cycles * ratio;
    out->cycles.total = out->cycles.config + out->cycles.kernel + out->cycles.firmware;
}

static bool counters(const compile_engine_run *r, compile_outcome *out) {
    if (!out->host.kept) /* or none of these batches is resident on the board */
        compile_firmware_note(r, out);
    count(r->in, out);
    return true;
}

static bool ask(const compile_engine_in *in, const compile_firmware *f, compile_outcome *out) {
    bool ok = run_on_board(in, f, out);
    count(in, out);
    return ok;
}

const compile_engine_row compile_engine_program = {.prepare = prepare,
                                                   .batch = compile_firmware_batch,
                                                   .finish = finish,
                                                   .counters = counters,
                                                   .ask = ask,
                                                   .ahead = true};
