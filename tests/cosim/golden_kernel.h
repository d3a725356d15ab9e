/* golden_kernel.h - a kernel of the golden array (tiles of the reference netlist) as input for the
 * co-simulation: its bitstream, and a batch file with several runs. */
#ifndef ONYX_TESTS_GOLDEN_KERNEL_H
#define ONYX_TESTS_GOLDEN_KERNEL_H

#include "firmware/sums.h"
#include "rtl_models/soc/session.h"
#include "tests/test.h"

enum { GOLDEN_MAX_STREAMS = 32, GOLDEN_MAX_WORDS = 16384 };

typedef struct {
    uint32_t column, blocks, len;
    uint16_t words[GOLDEN_MAX_WORDS];
} golden_stream;

typedef struct {
    golden_stream in[GOLDEN_MAX_STREAMS], out[GOLDEN_MAX_STREAMS]; /* by column, ascending */
    uint32_t n_in, n_out;
    bits_stream bits;
    double cycles; /* of the reference */
} golden_kernel;

/* Length-headed blocks in the stream; the last block must end with the stream. */
static inline uint32_t golden_count_blocks(const golden_stream *s) {
    uint32_t blocks = 0, at = 0;
    for (; at < s->len; blocks++)
        at += 1u + s->words[at];
    assert_int_equal(at, s->len);
    return blocks;
}

static inline uint32_t golden_read_streams(const cJSON *object, golden_stream *to) {
    uint32_t n = 0;
    for (const cJSON *list = object->child; list; list = list->next) {
        golden_stream s = {.column = (uint32_t)strtoul(list->string, NULL, 10)};
        for (const cJSON *word = list->child; word; word = word->next)
            s.words[s.len++] = (uint16_t)word->valueint;
        s.blocks = golden_count_blocks(&s);
        uint32_t at = n++;
        for (; at > 0 && to[at - 1].column > s.column; at--)
            to[at] = to[at - 1];
        to[at] = s;
    }
    return n;
}

/* NULL without the data. */
static inline golden_kernel *golden_read(fixture *f, const char *name) {
    const char *stem = arena_printf(&f->mem, ONYX_SHARED_DIR "/data/onyx_bitstreams/golden_array/%s", name);
    const char *path = arena_printf(&f->mem, "%s.bs", stem);
    if (access(path, R_OK) != 0)
        return NULL;
    golden_kernel *k = arena_new(&f->mem, golden_kernel);
    cJSON *json = json_read(arena_printf(&f->mem, "%s.json", stem), &f->diag);
    assert_non_null(json);
    assert_true(bits_read(path, &f->mem, &f->diag, &k->bits));
    k->n_in = golden_read_streams(cJSON_GetObjectItem(json, "inputs"), k->in);
    k->n_out = golden_read_streams(cJSON_GetObjectItem(json, "expected"), k->out);
    k->cycles = cJSON_GetObjectItem(json, "golden_total_cycles")->valuedouble;
    cJSON_Delete(json);
    return k;
}

static inline void golden_add_cell(fixture *f, netlist *net, pnr_design *design, const golden_stream *s,
                                   bool output) {
    const net_cell_data cell = {.mode = output ? NET_MODE_IO_OUT : NET_MODE_IO_IN,
                                .tag = 'I',
                                .number = net->cells.len,
                                .output = output,
                                .tensor = names_intern(&f->names, output ? "X" : "B"),
                                .level = s->blocks == 2 ? 0 : SAM_MODE_VALS,
                                .num_blocks = s->blocks};
    vec_push(&f->mem, &net->cells, cell);
    vec_push(&f->mem, &design->site, (pnr_site){(uint16_t)s->column, 0});
}

/* The firmware of the kernel; path of its ELF file. */
static inline const char *golden_build(fixture *f, const golden_kernel *k, const pnr_board *board,
                                       const fw_options *o) {
    netlist net = {.mem = &f->mem, .names = &f->names};
    pnr_design design = {.net = &net, .board = board};
    for (uint32_t i = 0; i < k->n_in; i++)
        golden_add_cell(f, &net, &design, &k->in[i], false);
    for (uint32_t i = 0; i < k->n_out; i++)
        golden_add_cell(f, &net, &design, &k->out[i], true);
    fw_app app;
    const fw_image image = {.design = &design, .bits = &k->bits};
    if (!fw_build(&image, 1, o, &f->mem, &f->diag, &app))
        fail_msg("%s", fixture_printed(f));
    return app.elf;
}

static inline void golden_put(FILE *out, uint32_t value) {
    fwrite(&value, 4, 1, out);
}

/* `batches` batches of `runs` runs, all with the kernel's inputs. `words_off` is added to the length of the
 * first load: a nonzero value makes an endless run. */
static inline void golden_write_batches(const golden_kernel *k, const pnr_board *b, uint32_t batches,
                                        uint32_t runs, int words_off, const char *path) {
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    const uint32_t head[] = {FW_BATCH_MAGIC, FW_BATCH_VERSION, k->n_in, k->n_out, batches, 1, 0};
    fwrite(head, sizeof head, 1, out);
    uint32_t table = b->map.sram + FW_TABLE_OFFSET, row_bytes = fw_row_bytes(k->n_in, k->n_out);
    for (uint32_t i = 0; i < batches; i++) {
        const uint32_t start[] = {runs, table, k->n_in + 1};
        fwrite(start, sizeof start, 1, out);
        for (uint32_t s = 0; s < k->n_in; s++) {
            golden_put(out, b->map.cgra_data + (k->in[s].column / 2 << 18));
            golden_put(out, 2 * k->in[s].len);
            fwrite(k->in[s].words, 2, (k->in[s].len + 1) / 2 * 2, out);
        }
        golden_put(out, table);
        golden_put(out, runs * row_bytes);
        for (uint32_t r = 0; r < runs; r++) {
            for (uint32_t s = 0; s < k->n_in; s++) {
                golden_put(out, k->in[s].column / 2 << 18);
                golden_put(out, (uint32_t)((int)k->in[s].len + (s == 0 ? words_off : 0)));
            }
            for (uint32_t w = 0; w < 2 * (k->n_out + 1); w++)
                golden_put(out, 0);
        }
    }
    assert_int_equal(fclose(out), 0);
    assert_true(fw_seal(path));
}

#endif
