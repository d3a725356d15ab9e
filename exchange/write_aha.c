/* What the chip's own flow takes of a program: its meta file and raw words, C headers, register writes, a
 * script for a debugger. A program of one run is a folder bin; of several each has a folder of its own, tile0
 * .., whose bitstream is the same. */
#include "exchange/exchange_int.h"
#include "exchange/registers.h"
#include "exchange/write_placed.h"
#include "firmware/controller.h"
#include "firmware/registers.h"

typedef struct {
    compile_context *ctx;
    const exchange_program *p;
    const exchange_array *a;
    const char *folder; /* of all */
    u32_vec *at;        /* by stream, inputs, next outputs: the begin of each run's words, and the end */
} writer;

static const exchange_stream *stream_at(const writer *w, uint32_t s) {
    return s < w->p->inputs.len ? &w->p->inputs.at[s] : &w->p->outputs.at[s - w->p->inputs.len];
}

static uint32_t n_streams(const writer *w) {
    return w->p->inputs.len + w->p->outputs.len;
}

static uint32_t words_in(const writer *w, uint32_t s, uint32_t run) {
    return w->at[s].at[run + 1] - w->at[s].at[run];
}

static void find_runs(writer *w) {
    arena *mem = w->ctx->mem;
    w->at = arena_new_n(mem, u32_vec, n_streams(w));
    for (uint32_t s = 0; s < n_streams(w); s++) {
        const exchange_stream *one = stream_at(w, s);
        uint32_t at = 0;
        vec_push(mem, &w->at[s], at);
        for (uint32_t r = 0; r < w->a->plan.runs.len; r++) {
            at += exchange_words_of_run(one->words.at, one->words.len, at, one->blocks);
            vec_push(mem, &w->at[s], at);
        }
    }
}

/* ---- words -------------------------------------------------------------------------------------- */

/* The chip's test bench counts line feeds and adds one: the last line has none. */
static bool write_bitstream(const writer *w, const char *folder) {
    file_out f;
    if (!exchange_create(w->ctx, &f, folder, "bitstream.bs"))
        return false;
    for (uint32_t i = 0; i < w->p->bits.words.len; i++)
        fprintf(f.stream, "%s%08X %08X", i ? "\n" : "", w->p->bits.words.at[i].address,
                w->p->bits.words.at[i].data);
    return file_commit(&f, w->ctx->diag);
}

static bool write_raw(const writer *w, const char *folder, uint32_t s, uint32_t run) {
    const exchange_stream *one = stream_at(w, s);
    file_out f;
    if (!exchange_create(w->ctx, &f, folder, arena_printf(w->ctx->mem, "%s.raw", one->name)))
        return false;
    for (uint32_t i = w->at[s].at[run]; i < w->at[s].at[run + 1]; i++) {
        fputc(one->words.at[i] >> 8, f.stream);
        fputc(one->words.at[i] & 255, f.stream);
    }
    return file_commit(&f, w->ctx->diag);
}

/* ---- design_meta.json --------------------------------------------------------------------------- */

static void add_number(cJSON *object, const char *name, double value) {
    cJSON_AddItemToArray(cJSON_AddArrayToObject(object, name), cJSON_CreateNumber(value));
}

static void add_io(const writer *w, cJSON *list, uint32_t s, uint32_t run) {
    const exchange_stream *one = stream_at(w, s);
    const bool output = s >= w->p->inputs.len;
    const uint32_t words = words_in(w, s, run);
    cJSON *io = json_add_item(list), *tile, *addr;
    cJSON_AddNumberToObject(io, "bitwidth", 16);
    cJSON_AddStringToObject(io, "datafile", arena_printf(w->ctx->mem, "%s.raw", one->name));
    cJSON_AddStringToObject(io, "name", one->name);
    add_number(io, "shape", words);
    tile = json_add_item(cJSON_AddArrayToObject(io, "io_tiles"));
    cJSON_AddStringToObject(tile, "name", one->name);
    cJSON_AddStringToObject(tile, "mode", "RV");
    if (output)
        cJSON_AddNumberToObject(tile, "num_blocks", one->blocks);
    addr = cJSON_AddObjectToObject(tile, "addr");
    add_number(addr, "cycle_starting_addr", 0);
    add_number(addr, "cycle_stride", 1);
    cJSON_AddNumberToObject(addr, "dimensionality", 1);
    add_number(addr, "extent", words);
    add_number(addr, output ? "write_data_starting_addr" : "read_data_starting_addr", 0);
    add_number(addr, output ? "write_data_stride" : "read_data_stride", 1);
    cJSON_AddNumberToObject(tile, "x_pos", one->column);
    cJSON_AddNumberToObject(tile, "y_pos", 0);
}

static bool write_meta(const writer *w, const char *folder, uint32_t run) {
    cJSON *json = cJSON_CreateObject(), *testing = cJSON_AddObjectToObject(json, "testing"),
          *ios = cJSON_AddObjectToObject(json, "IOs"), *inputs = cJSON_AddArrayToObject(ios, "inputs"),
          *outputs = cJSON_AddArrayToObject(ios, "outputs");
    cJSON_AddItemToArray(cJSON_AddArrayToObject(testing, "interleaved_input"),
                         cJSON_CreateString("input.pgm"));
    cJSON_AddItemToArray(cJSON_AddArrayToObject(testing, "interleaved_output"),
                         cJSON_CreateString("gold.pgm"));
    cJSON_AddStringToObject(testing, "bitstream", "bitstream.bs");
    cJSON_AddStringToObject(testing, "coreir", "design_top.json");
    cJSON_AddStringToObject(testing, "placement", "design.place");
    for (uint32_t s = 0; s < n_streams(w); s++)
        add_io(w, s < w->p->inputs.len ? inputs : outputs, s, run);
    const bool ok = json_write(json, arena_printf(w->ctx->mem, "%s/design_meta.json", folder), w->ctx->diag);
    cJSON_Delete(json);
    return ok;
}

/* ---- register writes ---------------------------------------------------------------------------- */

static void put(const writer *w, fw_write_vec *to, uint32_t tile, uint32_t reg, uint32_t value) {
    vec_push(w->ctx->mem, to, (fw_write){GLB_TILE_STRIDE * tile + reg, value});
}

static uint32_t mux_of(const writer *w, const exchange_stream *s) {
    return s->column % w->a->board.columns_per_glb_tile ? GLB_COLUMN_ODD : GLB_COLUMN_EVEN;
}

/* A single loop over the words, two bytes and a cycle a step; a single word is no loop. */
static void put_load(const writer *w, fw_write_vec *to, uint32_t s) {
    const exchange_stream *one = stream_at(w, s);
    const pnr_board *b = &w->a->board;
    const uint32_t tile = one->column / b->columns_per_glb_tile, words = words_in(w, s, 0);
    put(w, to, tile, GLB_LD_CTRL,
        FIELD(GLB_LD_CTRL_MODE, DMA_ONCE) | FIELD(GLB_LD_CTRL_VALID_MODE, LD_READY_VALID) |
            FIELD(GLB_LD_CTRL_DATA_MUX, mux_of(w, one)));
    put(w, to, tile, GLB_LD_DIM, words > 1);
    put(w, to, tile, GLB_LD_START_ADDR, tile * b->glb_banks_per_tile * b->glb_bank_bytes);
    put(w, to, tile, GLB_LD_CYCLE_START, 0);
    put(w, to, tile, GLB_LD_RANGE, words - 2);
    put(w, to, tile, GLB_LD_CYCLE_STRIDE, 1);
    put(w, to, tile, GLB_LD_STRIDE, 2);
}

static void put_store(const writer *w, fw_write_vec *to, uint32_t s) {
    const exchange_stream *one = stream_at(w, s);
    const pnr_board *b = &w->a->board;
    const uint32_t tile = one->column / b->columns_per_glb_tile;
    put(w, to, tile, GLB_ST_CTRL,
        FIELD(GLB_ST_CTRL_MODE, DMA_ONCE) | FIELD(GLB_ST_CTRL_VALID_MODE, ST_READY_VALID) |
            FIELD(GLB_ST_CTRL_DATA_MUX, mux_of(w, one)));
    put(w, to, tile, GLB_ST_NUM_BLOCKS, one->blocks);
    put(w, to, tile, GLB_ST_DIM, 1);
    put(w, to, tile, GLB_ST_START_ADDR, (tile * b->glb_banks_per_tile + 1) * b->glb_bank_bytes);
    put(w, to, tile, GLB_ST_CYCLE_START, 0);
    put(w, to, tile, GLB_ST_RANGE, words_in(w, s, 0) - 2);
    put(w, to, tile, GLB_ST_CYCLE_STRIDE, 1);
    put(w, to, tile, GLB_ST_STRIDE, 2);
}

static fw_writes writes_of(const writer *w) {
    fw_writes all = {0};
    exchange_configure_writes(&w->p->bits, &w->a->board, w->ctx->mem, &all.configure);
    for (uint32_t s = 0; s < n_streams(w); s++) {
        if (s < w->p->inputs.len)
            put_load(w, &all.start, s);
        else
            put_store(w, &all.start, s);
    }
    return all;
}

static void print_function(FILE *out, const char *name, const fw_write_vec *list) {
    fprintf(out, "static void %s()\n{\n", name);
    for (uint32_t i = 0; i < list->len; i++)
        fprintf(out, "HAL_Cgra_Glb_WriteReg(0x%x, 0x%x);\n", list->at[i].offset, list->at[i].value);
    fprintf(out, "}\n\n");
}

static bool write_registers(const writer *w, const fw_writes *all) {
    file_out f;
    if (!exchange_create(w->ctx, &f, w->folder, "app_reg_write.h"))
        return false;
    print_function(f.stream, "bitstream_glb_config", &all->configure);
    print_function(f.stream, "app_glb_config", &all->start);
    return file_commit(&f, w->ctx->diag);
}

/* ---- C headers ---------------------------------------------------------------------------------- */

static bool write_script(const writer *w) {
    const bits_stream *bits = &w->p->bits;
    file_out f;
    if (!exchange_create(w->ctx, &f, w->folder, "app_script.h"))
        return false;
    fprintf(f.stream, "#ifndef BITSTREAM_H\n#define BITSTREAM_H\n\nconst int app_size = %u;\n\n",
            bits->words.len);
    fprintf(f.stream, "uint32_t app_addrs_script[] = {\n");
    for (uint32_t i = 0; i < bits->words.len; i++)
        fprintf(f.stream, "  0x%08X,\n", bits->words.at[i].address);
    fprintf(f.stream, "};\n\nuint32_t app_datas_script[] = {\n");
    for (uint32_t i = 0; i < bits->words.len; i++)
        fprintf(f.stream, "  0x%08X,\n", bits->words.at[i].data);
    fprintf(f.stream, "};\n\n#endif\n");
    return file_commit(&f, w->ctx->diag);
}

/* The words of all runs in order, operands and expected results. */
static bool write_arrays(const writer *w) {
    file_out f;
    if (!exchange_create(w->ctx, &f, w->folder, "app_input_script.h"))
        return false;
    fprintf(f.stream, "#ifndef DATA_H\n#define DATA_H\n\nconst int runs = %u;\n", w->a->plan.runs.len);
    for (uint32_t s = 0; s < n_streams(w); s++) {
        const exchange_stream *one = stream_at(w, s);
        fprintf(f.stream, "uint16_t app_%s_data[] = {\n", one->name);
        for (uint32_t i = 0; i < one->words.len; i++)
            fprintf(f.stream, "%s0x%04x", i ? ", " : "", one->words.at[i]);
        fprintf(f.stream, "\n};\nconst unsigned int app_%s_data_size = %u;\n", one->name, one->words.len);
    }
    fprintf(f.stream, "\n#endif\n");
    return file_commit(&f, w->ctx->diag);
}

/* The tile of the global buffer of each array, the streams with a common start, and the begin and end of each
 * run's words. */
static bool write_unrolling(const writer *w) {
    const uint32_t per_tile = w->a->board.columns_per_glb_tile;
    uint32_t pulse[2] = {0, 0};
    file_out f;
    if (!exchange_create(w->ctx, &f, w->folder, "app_unrolling.h"))
        return false;
    for (uint32_t s = 0; s < n_streams(w); s++) {
        const exchange_stream *one = stream_at(w, s);
        const bool output = s >= w->p->inputs.len;
        const char *count = output ? "banks" : "unroll", *list = output ? "bank_array" : "unroll_array";
        pulse[output] |= 1u << one->column / per_tile;
        fprintf(f.stream, "int %s_%s = 1;\nint %s_%s[1] = {\n%u\n};\n", one->name, count, one->name, list,
                one->column / per_tile);
        fprintf(f.stream, "int %s_extents[%u] = {", one->name, 2 * w->a->plan.runs.len);
        for (uint32_t r = 0; r < w->a->plan.runs.len; r++)
            fprintf(f.stream, "%s%u, %u", r ? ", " : "", w->at[s].at[r], w->at[s].at[r + 1]);
        fprintf(f.stream, "};\n");
    }
    fprintf(f.stream, "int stream_pulse_g2f = 0x%x;\nint stream_pulse_f2g = 0x%x;\n", pulse[0], pulse[1]);
    return file_commit(&f, w->ctx->diag);
}

/* ---- a debugger's script ------------------------------------------------------------------------ */

static void set_word(FILE *out, uint32_t address, uint32_t value) {
    fprintf(out, "set {unsigned int}0x%08x = 0x%x\n", address, value);
}

static void change_word(FILE *out, uint32_t address, const char *operation, uint32_t mask) {
    fprintf(out, "set {unsigned int}0x%08x = *(unsigned int*)0x%08x %s 0x%08x\n", address, address, operation,
            mask);
}

/* 16-bit words in the debugger's order for memory, low byte first. */
static bool write_bin(const writer *w, uint32_t s) {
    const exchange_stream *one = stream_at(w, s);
    file_out f;
    if (!exchange_create(w->ctx, &f, w->folder, arena_printf(w->ctx->mem, "%s.bin", one->name)))
        return false;
    for (uint32_t i = 0; i < w->at[s].at[1]; i++) {
        fputc(one->words.at[i] & 255, f.stream);
        fputc(one->words.at[i] >> 8, f.stream);
    }
    return file_commit(&f, w->ctx->diag);
}

static bool write_image(const writer *w) {
    file_out f;
    if (!exchange_create(w->ctx, &f, w->folder, "bitstream.bin"))
        return false;
    for (uint32_t i = 0; i < w->p->bits.words.len; i++) {
        file_put_u32(f.stream, w->p->bits.words.at[i].data);
        file_put_u32(f.stream, w->p->bits.words.at[i].address);
    }
    return file_commit(&f, w->ctx->diag);
}

static void set_all(const writer *w, FILE *out, const fw_write_vec *list) {
    for (uint32_t i = 0; i < list->len; i++)
        set_word(out, w->a->board.map.cgra_reg + GLB_FROM_GLC + list->at[i].offset, list->at[i].value);
}

static void wait_for(FILE *out, uint32_t address, uint32_t bits) {
    fprintf(out, "while (*(unsigned int*)0x%08x & 0x%x) != 0x%x\nend\n", address, bits, bits);
}

/* Clock of the array, a reset that ends what ran before, and the bitstream: columns stand still meanwhile. */
static void script_begin(const writer *w, FILE *out, const fw_writes *all) {
    const pnr_board *b = &w->a->board;
    const uint32_t p = b->map.platform, glc = b->map.cgra_reg;
    const uint32_t reset = FIELD(PLATFORM_RESET_REQ_CGRA, 1);
    set_word(out, p + PLATFORM_CGRA_CLK_SELECT, 0);
    change_word(out, p + PLATFORM_CLK_GATE_EN, "&", ~FIELD(PLATFORM_CLK_GATE_EN_CGRA, 1));
    change_word(out, p + PLATFORM_RESET_REQ, "|", reset);
    wait_for(out, p + PLATFORM_RESET_ACK, reset);
    change_word(out, p + PLATFORM_RESET_REQ, "&", ~reset);
    set_word(out, glc + GLC_CGRA_STALL, UINT32_MAX);
    fprintf(out, "restore bitstream.bin binary 0x%08x\n", b->map.cgra_data);
    set_word(out, glc + GLC_PCFG_IER, 1);
    set_all(w, out, &all->configure);
    set_word(out, glc + GLC_PC_START, 1);
    wait_for(out, glc + GLC_PCFG_ISR, 1);
}

static void script_data(const writer *w, FILE *out, bool outputs) {
    const pnr_board *b = &w->a->board;
    const uint32_t first = outputs ? w->p->inputs.len : 0, end = outputs ? n_streams(w) : w->p->inputs.len;
    for (uint32_t s = first; s < end; s++) {
        const exchange_stream *one = stream_at(w, s);
        const uint32_t tile = one->column / b->columns_per_glb_tile;
        const uint32_t at = b->map.cgra_data + (tile * b->glb_banks_per_tile + outputs) * b->glb_bank_bytes;
        if (outputs)
            fprintf(out, "dump binary memory %s.out 0x%08x 0x%08x\n", one->name, at,
                    at + 2 * words_in(w, s, 0));
        else
            fprintf(out, "restore %s.bin binary 0x%08x\n", one->name, at);
    }
}

static bool write_debugger(const writer *w, const fw_writes *all) {
    const uint32_t glc = w->a->board.map.cgra_reg, tiles = (1u << w->a->board.glb_tiles) - 1;
    uint32_t loads = 0, stores = 0;
    file_out f;
    if (!exchange_create(w->ctx, &f, w->folder, "app.gdb"))
        return false;
    for (uint32_t s = 0; s < n_streams(w); s++)
        *(s < w->p->inputs.len ? &loads : &stores) |=
            1u << stream_at(w, s)->column / w->a->board.columns_per_glb_tile;
    fprintf(f.stream, "set mem inaccessible-by-default off\n");
    script_begin(w, f.stream, all);
    script_data(w, f.stream, false);
    set_all(w, f.stream, &all->start);
    set_word(f.stream, glc + GLC_FLUSH_CROSSBAR,
             0x11111111u * (w->p->inputs.at[0].column / w->a->board.columns_per_glb_tile));
    set_word(f.stream, glc + GLC_F2G_IER, tiles);
    set_word(f.stream, glc + GLC_G2F_IER, tiles);
    set_word(f.stream, glc + GLC_CGRA_STALL, 0);
    set_word(f.stream, glc + GLC_STREAM_START, stores << GLC_STREAM_START_F2G_LSB | loads);
    wait_for(f.stream, glc + GLC_F2G_ISR, stores);
    script_data(w, f.stream, true);
    return file_commit(&f, w->ctx->diag);
}

/* ---- all of it ---------------------------------------------------------------------------------- */

static bool write_run(const writer *w, const char *folder, uint32_t run) {
    bool ok = make_folder(folder, w->ctx->diag) && write_bitstream(w, folder) && write_meta(w, folder, run) &&
              exchange_write_placed(w->ctx, w->p, folder);
    for (uint32_t s = 0; s < n_streams(w) && ok; s++)
        ok = write_raw(w, folder, s, run);
    return ok;
}

/* Removes the meta files of an earlier export from folders unused by this export, to keep tools from reading
 * them as runs of this program. */
static void forget_runs(const writer *w, uint32_t runs) {
    arena *mem = w->ctx->mem;
    if (runs > 1)
        remove(arena_printf(mem, "%s/bin/design_meta.json", w->folder));
    for (uint32_t r = runs > 1 ? runs : 0;
         remove(arena_printf(mem, "%s/tile%u/design_meta.json", w->folder, r)) == 0; r++)
        continue;
}

bool exchange_write_aha(compile_context *ctx, const exchange_program *p, const exchange_array *a,
                        const char *folder) {
    writer w = {.ctx = ctx, .p = p, .a = a, .folder = folder};
    const uint32_t runs = a->plan.runs.len;
    if (!fw_is_controlled(&a->board, ctx->diag))
        return false;
    find_runs(&w);
    forget_runs(&w, runs);
    const fw_writes all = writes_of(&w);
    bool ok = make_folder(folder, ctx->diag) && write_registers(&w, &all) && write_script(&w) &&
              write_arrays(&w) && write_unrolling(&w) && write_image(&w) && write_debugger(&w, &all);
    for (uint32_t s = 0; s < p->inputs.len && ok; s++)
        ok = write_bin(&w, s);
    for (uint32_t r = 0; r < runs && ok; r++)
        ok = write_run(&w,
                       runs == 1 ? arena_printf(ctx->mem, "%s/bin", folder)
                                 : arena_printf(ctx->mem, "%s/tile%u", folder, r),
                       r);
    return ok;
}
