/* A kernel of ours as a program for other tools: the words of its streams from the job of its runs, and the
 * words stored by the cycle model as the expected results. */
#include "exchange/exchange_int.h"
#include "kernel/streams.h"

/* A job file (docs/dump.md), read word by word. */
typedef struct {
    const uint8_t *at;
    size_t words; /* remaining words, of 32 bits */
} job;

static uint32_t next_word(job *j) {
    BUG_IF(!j->words, "a job that is cut off");
    const uint32_t word = file_u32_at(j->at);
    j->at += 4;
    j->words--;
    return word;
}

static void read_runs(job *j, exchange_streams *inputs, uint32_t runs, arena *mem) {
    for (uint32_t r = 0; r < runs; r++) {
        for (uint32_t i = 0; i < inputs->len; i++) {
            const uint32_t length = next_word(j);
            for (uint32_t w = 0, pair = 0; w < length; w++) {
                pair = w % 2 ? pair >> 16 : next_word(j);
                vec_push(mem, &inputs->at[i].words, (uint16_t)pair);
            }
        }
    }
}

static bool read_job(const char *path, exchange_program *p, arena *mem, diagnostics *d) {
    size_t length = 0;
    job j = {(const uint8_t *)file_read(path, mem, &length, d), 0};
    if (!j.at)
        return false;
    j.words = length / 4;
    next_word(&j);
    next_word(&j);
    const uint32_t inputs = next_word(&j), outputs = next_word(&j);
    BUG_IF(inputs != p->inputs.len || outputs != p->outputs.len, "a job of other streams");
    for (uint32_t o = 0; o < outputs; o++)
        next_word(&j);
    const uint32_t runs = next_word(&j);
    read_runs(&j, &p->inputs, runs, mem);
    if (!runs) {
        diag_error(d, (src_loc){0}, "E0976-export", "the kernel has no run on its data: nothing meets");
        diag_hint(d, "other data, or -O0, which leaves out fewer runs");
    }
    return runs > 0;
}

/* The name of a stream in the chip's flow: "tensor_B_mode_0", "tensor_B_mode_vals". */
static const char *stream_name(const tile_copy_stream *s, const name_table *names, arena *mem) {
    const char *tensor = names_text(names, s->stream.tensor);
    const char *copy = s->copy ? arena_printf(mem, "_u%u", s->copy) : "";
    return s->stream.level < 0 ? arena_printf(mem, "tensor_%s_mode_vals%s", tensor, copy)
                               : arena_printf(mem, "tensor_%s_mode_%d%s", tensor, s->stream.level, copy);
}

bool exchange_of_kernel(const compile_options *o, compile_context *ctx, const compile_kernel *k,
                        exchange_program *p, exchange_array *a) {
    arena *mem = ctx->mem;
    compile_streams streams;
    const char *folder = k->final_folder;
    *p = (exchange_program){.name = "app", .path = folder, .bits = k->bits.stream, .net = &k->array.net};
    compile_streams_of(&k->array.design, k->array.kernel, &streams);
    for (uint32_t i = 0; i < streams.n_in; i++)
        vec_push(mem, &p->inputs,
                 ((exchange_stream){.name = stream_name(&streams.in[i], ctx->names, mem),
                                    .column = streams.in_column[i],
                                    .known = true}));
    for (uint32_t i = 0; i < streams.n_out; i++)
        vec_push(mem, &p->outputs,
                 ((exchange_stream){.name = stream_name(&streams.out[i], ctx->names, mem),
                                    .column = streams.out_column[i]}));
    exchange_outcome ran = {0};
    if (!read_job(arena_printf(mem, "%s/job.bin", folder), p, mem, ctx->diag) ||
        !exchange_place(o, ctx, p, a))
        return false;
    a->bare.folder = a->bare.final_folder = folder;
    if (!exchange_run(o, ctx, p, a, &ran))
        return false;
    for (uint32_t i = 0; i < p->outputs.len; i++) {
        p->outputs.at[i].words = ran.stored[i].words;
        p->outputs.at[i].known = true;
    }
    return true;
}

bool exchange_write(compile_context *ctx, const compile_kernel *k, const exchange_program *p,
                    const exchange_array *a, const exchange_target *how) {
    return how->form == EXCHANGE_AHA ? exchange_write_aha(ctx, p, a, how->folder)
                                     : exchange_write_rtl(ctx, k, p, a, how);
}
