#include "kernels.h"

#include "array_play.h"

#include <time.h>

enum { MOST_WORDS = 1 << 20, SLACK = 1000 };

bool kernel_gave_nothing(fixture *f, const char *folder) {
    cJSON *report = json_read(arena_printf(&f->mem, "%s/report.json", folder), &f->diag);
    uint32_t entries = 0;
    assert_true(report && json_get_u32(report, "report.json", "result_nnz", &entries, &f->diag));
    cJSON_Delete(report);
    return entries == 0;
}

void kernel_read(const char *path, name_table *names, arena *mem, diagnostics *d, kernel *k) {
    uint32_t unknown = 0;
    bool ok = pnr_board_read("onyx", mem, d, &k->board) && pnr_board_set_profile(&k->board, "onyx-ext", d) &&
              bits_map_read(&k->board, mem, d, &k->map) && bits_read(path, mem, d, &k->bits) &&
              bits_decode(&k->bits, k->map, names, d, &k->decoded, &unknown) &&
              cycle_load(&k->decoded, k->map, mem, d, &k->design);
    if (!ok)
        diag_print(d, 0, stderr, false);
    assert_true(ok);
    assert_int_equal(unknown, 0);
    for (uint32_t c = 0; c < k->decoded.site.len; c++)
        vec_push(mem, &k->column, k->decoded.site.at[c].x);
}

kernel_pair kernel_start(const kernel *k, arena *mem) {
    uint32_t *words = arena_new_n(mem, uint32_t, 2 * k->bits.words.len + 1);
    for (uint32_t w = 0; w < k->bits.words.len; w++) {
        words[2 * w] = k->bits.words.at[w].address;
        words[2 * w + 1] = k->bits.words.at[w].data;
    }
    return (kernel_pair){cycle_build(&k->design, mem), array_open(words, k->bits.words.len), k, 0};
}

static void compare_hazards(const kernel_pair *p, arena *mem) {
    const kernel *k = p->k;
    const cycle_hazards *met = cycle_hazards_of(p->model);
    uint32_t *raised = arena_new_n(mem, uint32_t, k->design.cells.len + 1);
    for (uint32_t i = 0; i < met->len; i++)
        raised[met->at[i].cell] |= 1u << met->at[i].kind;
    for (uint32_t c = 0; c < k->design.cells.len; c++) {
        uint32_t x = k->decoded.site.at[c].x, y = k->decoded.site.at[c].y,
                 rtl = array_hazards(p->array, x, y);
        if (rtl != raised[c])
            fail_msg("x%uy%u raises hazards %x, in the model %x", x, y, rtl, raised[c]);
    }
}

void kernel_stop(kernel_pair *p, uint64_t cycles, arena *mem) {
    cycle_channels channels;
    cycle_channels_of(p->model, mem, &channels);
    for (uint32_t i = 0; i < channels.len; i++) {
        const cycle_channel *c = &channels.at[i];
        assert_int_equal(c->moved + c->stalled + c->held + c->starved + c->idle, cycles);
    }
    compare_hazards(p, mem);
    array_close(p->array);
}

static uint32_t cell_of(const kernel *k, const kernel_stream *s) {
    for (uint32_t c = 0; c < k->design.cells.len; c++) {
        cycle_kind kind = k->design.cells.at[c].kind;
        if (k->column.at[c] == s->column && kind == (s->output ? CYCLE_IO_OUT : CYCLE_IO_IN))
            return c;
    }
    fail_msg("no stream at column %u", s->column);
    return 0;
}

cycle_stream *kernel_streams(const kernel *k, const kernel_stream *streams, uint32_t n, arena *mem) {
    cycle_stream *model = arena_new_n(mem, cycle_stream, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        const kernel_stream *s = &streams[i];
        model[i] = (cycle_stream){
            .cell = cell_of(k, s), .words = s->words, .length = s->length, .blocks = s->blocks};
    }
    return model;
}

static void compare(const cycle_stream *model, const array_stream *rtl) {
    const char *direction = rtl->output ? "out" : "in";
    for (uint32_t i = 0; i < rtl->count && i < model->stamp.len; i++) {
        if (rtl->output && rtl->got[i] != model->got.at[i])
            fail_msg("%s %u: word %u is %u, of the model %u", direction, rtl->column, i, rtl->got[i],
                     model->got.at[i]);
        if (rtl->stamp[i] != model->stamp.at[i])
            fail_msg("%s %u: word %u comes in cycle %u, of the model %u", direction, rtl->column, i,
                     rtl->stamp[i], model->stamp.at[i]);
    }
    if (rtl->count != model->stamp.len)
        fail_msg("%s %u: %u words, of the model %u", direction, rtl->column, rtl->count, model->stamp.len);
}

/* How a run ended: with all blocks of the outputs, or without any change to come. */
typedef struct {
    bool done;
    uint64_t cycles;
} kernel_end;

/* Plays a run on both, the array for SLACK cycles longer than the model, and compares word by word. */
static kernel_end play_both(kernel_pair *p, const kernel_stream *streams, uint32_t n, arena *mem,
                            cycle_stream **outputs) {
    cycle_stream *model = kernel_streams(p->k, streams, n, mem);
    array_stream *rtl = arena_new_n(mem, array_stream, n + 1);
    kernel_end end = {0};
    uint64_t rtl_cycles = 0;
    for (uint32_t i = 0; i < n; i++) {
        const kernel_stream *s = &streams[i];
        rtl[i] = (array_stream){.column = s->column,
                                .output = s->output,
                                .words = s->words,
                                .length = s->length,
                                .blocks = s->blocks};
    }
    end.done = cycle_run(p->model, model, n, true, mem, &end.cycles) == CYCLE_DONE;
    for (uint32_t i = 0; i < n; i++) { /* a few words more than the model had: the RTL may differ */
        rtl[i].most = (streams[i].output ? model[i].got.len : streams[i].length) + SLACK;
        assert_true(rtl[i].most < MOST_WORDS);
        rtl[i].got = arena_new_n(mem, uint16_t, rtl[i].most);
        rtl[i].stamp = arena_new_n(mem, uint32_t, rtl[i].most);
    }
    clock_t start = clock();
    bool complete = array_play(p->array, rtl, n, end.cycles + SLACK, &rtl_cycles);
    p->array_clocks += (uint64_t)(clock() - start);
    for (uint32_t i = 0; i < n; i++)
        compare(&model[i], &rtl[i]);
    assert_int_equal(complete, end.done);
    assert_true(!complete || end.cycles == rtl_cycles);
    *outputs = model;
    return end;
}

uint64_t kernel_run(kernel_pair *p, const kernel_stream *streams, uint32_t n, arena *mem,
                    cycle_stream **outputs) {
    const kernel_end end = play_both(p, streams, n, mem, outputs);
    if (!end.done)
        fail_msg("the model is stuck after %llu cycles:\n%s", (unsigned long long)end.cycles,
                 cycle_wait_graph(p->model, mem));
    return end.cycles;
}

void kernel_hang(kernel_pair *p, const kernel_stream *streams, uint32_t n, arena *mem,
                 cycle_stream **outputs) {
    if (play_both(p, streams, n, mem, outputs).done)
        fail_msg("the model and the array finish the run");
    compare_hazards(p, mem);
    array_close(p->array);
}

/* ---- jobs ------------------------------------------------------------------------------------ */

static uint32_t job_word(kernel_job *j) {
    assert_true(j->at + 4 <= j->end);
    uint32_t w = j->at[0] | (uint32_t)j->at[1] << 8 | (uint32_t)j->at[2] << 16 | (uint32_t)j->at[3] << 24;
    j->at += 4;
    return w;
}

static void job_words(kernel_job *j, arena *mem, kernel_stream *s) {
    s->length = job_word(j);
    uint16_t *words = arena_new_n(mem, uint16_t, s->length + 2);
    for (uint32_t i = 0; i < s->length; i += 2) {
        uint32_t pair = job_word(j);
        words[i] = (uint16_t)pair;
        words[i + 1] = (uint16_t)(pair >> 16);
    }
    s->words = words;
}

static void list_streams(const kernel *k, kernel_job *j) {
    for (int output = 0; output < 2; output++) {
        for (uint32_t c = 0; c < k->design.cells.len; c++) /* in the order of x */
            if (k->design.cells.at[c].kind == (output ? CYCLE_IO_OUT : CYCLE_IO_IN))
                j->stream[j->n++] = (kernel_stream){.column = k->column.at[c], .output = output};
        if (!output)
            j->inputs = j->n;
    }
}

kernel_job kernel_open_job(fixture *f, const kernel *k, const char *path) {
    kernel_job j = {.n = 0};
    size_t length = 0;
    list_streams(k, &j);
    const char *bytes = file_read(path, &f->mem, &length, &f->diag);
    assert_non_null(bytes);
    j.at = (const unsigned char *)bytes;
    j.end = j.at + length;
    assert_int_equal(job_word(&j), 0x4a584e4f);
    assert_int_equal(job_word(&j), 1);
    assert_int_equal(job_word(&j), j.inputs);
    assert_int_equal(job_word(&j), j.n - j.inputs);
    for (uint32_t i = j.inputs; i < j.n; i++)
        j.stream[i].blocks = job_word(&j);
    j.runs = job_word(&j);
    return j;
}

void kernel_next_run(kernel_job *j, arena *mem) {
    for (uint32_t i = 0; i < j->inputs; i++)
        job_words(j, mem, &j->stream[i]);
}

static void put_word(FILE *out, uint32_t w) {
    const unsigned char b[4] = {(unsigned char)w, (unsigned char)(w >> 8), (unsigned char)(w >> 16),
                                (unsigned char)(w >> 24)};
    fwrite(b, 1, 4, out);
}

static void put_run(FILE *out, uint64_t cycles, const cycle_stream *outputs, uint32_t n) {
    put_word(out, (uint32_t)cycles);
    put_word(out, (uint32_t)(cycles >> 32));
    for (uint32_t i = 0; i < n; i++) {
        uint32_t length = outputs[i].got.len;
        put_word(out, length);
        for (uint32_t w = 0; w < length; w += 2)
            put_word(out,
                     outputs[i].got.at[w] | (w + 1 < length ? (uint32_t)outputs[i].got.at[w + 1] << 16 : 0));
    }
}

static void put_trace(FILE *out, uint32_t run, const kernel_stream *s, const cycle_stream *got) {
    fprintf(out, "run %u %s %u:", run, s->output ? "out" : "in", s->column);
    for (uint32_t w = 0; w < got->stamp.len; w++)
        fprintf(out, " %u", got->stamp.at[w]);
    fputc('\n', out);
}

/* Closes an open_memstream and moves its text into `mem`. */
static const char *text_of(FILE *stream, char **text, size_t *length, arena *mem) {
    fclose(stream);
    char *copy = arena_new_n(mem, char, *length + 1);
    memcpy(copy, *text, *length);
    free(*text);
    return copy;
}

kernel_replayed kernel_replay(fixture *f, const char *bits, const char *job_path) {
    arena *mem = &f->mem;
    kernel k = {0};
    kernel_replayed r = {0};
    kernel_read(bits, &f->names, mem, &f->diag, &k);
    kernel_job j = kernel_open_job(f, &k, job_path);
    uint32_t outputs = j.n - j.inputs;
    char *trace_text = NULL, *result_text = NULL;
    size_t trace_length = 0;
    FILE *trace = open_memstream(&trace_text, &trace_length);
    FILE *result = open_memstream(&result_text, &r.result_length);
    put_word(result, 0x52584e4f);
    put_word(result, 1);
    put_word(result, j.runs);
    put_word(result, outputs);
    kernel_pair pair = kernel_start(&k, mem);
    for (uint32_t run = 0; run < j.runs; run++) {
        cycle_stream *got;
        kernel_next_run(&j, mem);
        uint64_t cycles = kernel_run(&pair, j.stream, j.n, mem, &got);
        r.cycles += cycles;
        put_run(result, cycles, got + j.inputs, outputs);
        for (uint32_t i = 0; i < j.n; i++)
            put_trace(trace, run, &j.stream[i], &got[i]);
    }
    kernel_stop(&pair, r.cycles, mem);
    r.rtl_clocks = pair.array_clocks;
    pnr_board_free(&k.board);
    r.trace = text_of(trace, &trace_text, &trace_length, mem);
    r.result = text_of(result, &result_text, &r.result_length, mem);
    return r;
}

/* ---- recorded runs --------------------------------------------------------------------------- */

static uint32_t count_blocks(const uint16_t *words, uint32_t length) {
    uint32_t blocks = 0;
    for (uint32_t at = 0; at < length; at += 1u + words[at])
        blocks++;
    return blocks;
}

void kernel_recorded(const cJSON *object, bool output, arena *mem, kernel_recording *r) {
    const cJSON *list, *word;
    cJSON_ArrayForEach(list, object) {
        u16_vec words = {0};
        cJSON_ArrayForEach(word, list) vec_push(mem, &words, (uint16_t)word->valueint);
        assert_true(r->n < sizeof r->stream / sizeof *r->stream);
        kernel_stream *s = &r->stream[r->n];
        *s = (kernel_stream){.column = (uint32_t)atoi(list->string), .output = output};
        if (output) {
            r->expected[r->n] = words.at;
            r->expected_length[r->n] = words.len;
            s->blocks = count_blocks(words.at, words.len);
        } else {
            s->words = words.at;
            s->length = words.len;
        }
        r->n++;
    }
}

void kernel_expect(const kernel_recording *r, const cycle_stream *got) {
    for (uint32_t i = 0; i < r->n; i++) {
        if (!r->stream[i].output)
            continue;
        assert_int_equal(got[i].got.len, r->expected_length[i]);
        assert_memory_equal(got[i].got.at, r->expected[i], r->expected_length[i] * sizeof *r->expected[i]);
    }
}
