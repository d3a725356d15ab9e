/* A dense program on the cycle model: the global buffer's streams around the array. */
#include "dense/run.h"

#include "dense/load.h"
#include "dense/waves.h"
#include "firmware/registers.h"
#include "support/file.h"

enum { TILE_WORDS = 0x20000, OUTPUT_WORDS = 0x10000, GLB_WORDS = DENSE_GLB_BYTES / 2 };
enum { LONGEST_GAP = 0x10000 /* cycles between two words of a stream, at most */ };

uint16_t *dense_memory_of(const dense_program *p, arena *mem) {
    uint16_t *memory = arena_new_n(mem, uint16_t, GLB_WORDS);
    for (uint32_t a = 0; a < p->inputs.len; a++) {
        const dense_words *w = &p->inputs.at[a];
        for (uint32_t i = 0; i < w->words.len; i++)
            memory[(w->tiles.at[i % w->tiles.len] * TILE_WORDS + i / w->tiles.len) % GLB_WORDS] =
                w->words.at[i];
    }
    return memory;
}

bool dense_write_memory(const uint16_t *memory, const char *path, diagnostics *d) {
    file_out f;
    if (!file_create(&f, path, d->mem, d))
        return false;
    for (uint32_t i = 0; i < GLB_WORDS; i += 2)
        file_put_u32(f.stream, memory[i] | (uint32_t)memory[i + 1] << 16);
    return file_commit(&f, d);
}

bool dense_read_memory(const char *path, diagnostics *d, uint16_t *memory) {
    size_t length = 0;
    const uint8_t *bytes = (const uint8_t *)file_read(path, d->mem, &length, d);
    for (uint32_t i = 0; bytes && i < GLB_WORDS && 2 * i + 1 < length; i++)
        memory[i] = (uint16_t)(bytes[2 * i] | bytes[2 * i + 1] << 8);
    return bytes != NULL;
}

/* Takes what a stream of the statistics did into the program's stream of this column and direction. */
static bool read_stream(const cJSON *one, const char *path, diagnostics *d, dense_outcome *out) {
    const bool store = cJSON_IsTrue(cJSON_GetObjectItem(one, "store"));
    dense_stream_state did = {.words = 0};
    uint32_t column;
    if (!json_get_u32(one, path, "column", &column, d) || !json_get_u32(one, path, "words", &did.words, d) ||
        !json_get_u32(one, path, "first", &did.first, d) || !json_get_u32(one, path, "last", &did.last, d))
        return false;
    if (store && did.words && did.last + 1 > out->cycles)
        out->cycles = did.last + 1;
    out->done = out->done && cJSON_IsTrue(cJSON_GetObjectItem(one, "done"));
    did.first += DENSE_FIRST_CYCLE;
    did.last += DENSE_FIRST_CYCLE;
    for (uint32_t i = 0; i < out->streams.len; i++) {
        dense_ran_stream *s = &out->streams.at[i];
        if (s->stream.column == column && s->stream.store == store)
            s->state = did;
    }
    return true;
}

bool dense_read_streams(const char *path, const dense_streams *streams, diagnostics *d, dense_outcome *out) {
    cJSON *json = json_read(path, d);
    const cJSON *one;
    bool ok = json != NULL;
    out->done = ok;
    for (uint32_t i = 0; i < streams->len; i++)
        vec_push(d->mem, &out->streams, (dense_ran_stream){.stream = streams->at[i]});
    cJSON_ArrayForEach(one, cJSON_GetObjectItem(json, "dense_streams")) ok =
        ok && read_stream(one, path, d, out);
    cJSON_Delete(json);
    return ok;
}

uint32_t dense_equal_words(const dense_words *expected, const uint16_t *memory, uint32_t *first) {
    uint32_t equal = 0, tiles = expected->tiles.len;
    *first = expected->words.len;
    for (uint32_t i = 0; i < expected->words.len; i++) {
        uint32_t at = expected->tiles.at[i % tiles] * TILE_WORDS + OUTPUT_WORDS + i / tiles;
        bool same = memory[at % GLB_WORDS] == expected->words.at[i];
        if (!same && *first == expected->words.len)
            *first = i;
        equal += same;
    }
    return equal;
}

typedef struct {
    const dense_streams *streams;
    dense_outcome *out;
    const dense_machine *machine;
    u32_vec node; /* of the array, by stream */
    uint32_t cycle, moved;
} runner;

static bool find_nodes(runner *r, const dense_array *array, diagnostics *d) {
    for (uint32_t i = 0; i < r->streams->len; i++) {
        const dense_stream *s = &r->streams->at[i];
        uint32_t node = dense_io_node(array, s->store ? DENSE_NODE_OUTPUT : DENSE_NODE_INPUT, s->column);
        vec_push(d->mem, &r->node, node);
        if (node != UINT32_MAX)
            continue;
        diag_error(d, (src_loc){0}, "E0981-dense-stream",
                   "a stream %s IO column %u, whose tile the bitstream does not enable",
                   s->store ? "stores from" : "loads into", s->column);
        return diag_hint(d, "do the register writes belong to this bitstream?");
    }
    return true;
}

/* Stores take the outputs' words of the cycle. */
static void store_words(runner *r) {
    for (uint32_t i = 0; i < r->streams->len; i++) {
        dense_ran_stream *s = &r->out->streams.at[i];
        uint32_t at = 0, taken;
        if (s->stream.store) {
            taken = r->machine->taken(r->machine->of, r->node.at[i]);
            s->before = s->state.words ? s->before : s->departed;
            s->behind = s->state.words && s->state.last + 1 == r->cycle ? taken : s->behind;
            s->departed = taken;
            if (dense_stream_store(&s->stream, &s->state, r->cycle, taken >> 16, &at)) {
                r->out->memory[at / 2 % GLB_WORDS] = (uint16_t)taken;
                r->moved = r->cycle;
                if (r->machine->waves)
                    dense_waves_move(r->machine->waves, r->node.at[i], r->cycle, (uint16_t)taken);
                r->out->cycles = r->cycle + 1 - DENSE_FIRST_CYCLE;
            }
        }
    }
}

/* Loads give the inputs' words of the cycle. */
static void drive_inputs(runner *r) {
    for (uint32_t i = 0; i < r->streams->len; i++) {
        dense_ran_stream *s = &r->out->streams.at[i];
        uint32_t at = 0;
        if (s->stream.store)
            continue;
        bool word = dense_stream_load(&s->stream, &s->state, r->cycle, &at);
        const uint16_t given = word ? r->out->memory[at / 2 % GLB_WORDS] : 0;
        r->machine->drive(r->machine->of, r->node.at[i], given, false);
        if (word && r->machine->waves)
            dense_waves_move(r->machine->waves, r->node.at[i], r->cycle, given);
        r->moved = word ? r->cycle : r->moved;
    }
}

static bool all_finished(const runner *r) {
    bool all = true;
    for (uint32_t i = 0; i < r->out->streams.len; i++)
        all = all && r->out->streams.at[i].state.now.finished;
    return all;
}

/* Runs until all streams have ended, or no word has moved for as long as two events of a schedule may be
 * apart. */
static void run_cycles(runner *r) {
    while (!all_finished(r) && r->cycle - r->moved <= LONGEST_GAP) {
        store_words(r);
        drive_inputs(r);
        r->machine->cycle(r->machine->of, r->cycle == DENSE_FLUSH_CYCLE ? UINT32_MAX : 0);
        if (r->machine->waves)
            dense_waves_cycle(r->machine->waves, r->machine->of, r->cycle);
        r->cycle++;
    }
    r->out->done = all_finished(r);
    if (r->out->done)
        store_words(r); /* nothing but what leaves behind the last word */
}

bool dense_run_machine(const dense_machine *machine, const dense_array *array, const dense_streams *streams,
                       uint16_t *memory, diagnostics *d, dense_outcome *out) {
    runner r = {.streams = streams, .out = out, .machine = machine};
    *out = (dense_outcome){.memory = memory};
    if (!find_nodes(&r, array, d))
        return false;
    for (uint32_t i = 0; i < streams->len; i++) {
        dense_ran_stream s = {.stream = streams->at[i]};
        dense_stream_start(&s.stream, &s.state);
        vec_push(d->mem, &out->streams, s);
    }
    run_cycles(&r);
    return !machine->waves || dense_waves_end(machine->waves, d);
}

bool dense_run_waves(const dense_design *design, const dense_streams *streams, uint16_t *memory,
                     const char *folder, diagnostics *d, dense_outcome *out) {
    dense_array *array = arena_new(d->mem, dense_array);
    return dense_load(design, d, array) && dense_run_array(array, streams, memory, folder, d, out);
}

/* ---- the cycle model as a machine -------------------------------------------------------------- */

static void drive_model(void *of, uint32_t node, uint16_t word, bool bit) {
    dense_drive(of, node, word, bit);
}

static void cycle_model(void *of, uint32_t groups) {
    dense_cycle(of, groups);
}

static uint32_t model_taken(const void *of, uint32_t node) {
    return dense_taken(of, node);
}

void dense_report_ring(const dense_array *array, uint32_t ring, diagnostics *d) {
    const dense_node *n = &array->nodes.at[ring];
    diag_error(d, (src_loc){0}, "E0631-wire-loop", "tile x%uy%u feeds itself without a register", n->x, n->y);
}

bool dense_run_array(const dense_array *array, const dense_streams *streams, uint16_t *memory,
                     const char *folder, diagnostics *d, dense_outcome *out) {
    uint32_t ring = 0;
    dense_model *model = dense_build(array, d->mem, &ring);
    dense_machine machine = {model, drive_model, cycle_model, model_taken, NULL};
    if (!model)
        dense_report_ring(array, ring, d);
    else if (folder)
        machine.waves = dense_waves_begin(folder, array, d);
    return model && (!folder || machine.waves) && dense_run_machine(&machine, array, streams, memory, d, out);
}

bool dense_run(const dense_design *design, const dense_streams *streams, uint16_t *memory, diagnostics *d,
               dense_outcome *out) {
    return dense_run_waves(design, streams, memory, NULL, d, out);
}
