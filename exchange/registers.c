/* Register writes of a program: their meaning, and their agreement with the bitstream and the words. */
#include "firmware/registers.h"
#include "exchange/exchange_int.h"
#include "exchange/registers.h"

bool exchange_written(const exchange_program *p, uint32_t tile, uint32_t reg, uint32_t *value) {
    const fw_write_vec *all = &p->writes.start;
    bool is = false;
    for (uint32_t i = 0; i < all->len; i++) {
        if (all->at[i].offset == tile * GLB_TILE_STRIDE + reg) {
            *value = all->at[i].value;
            is = true;
        }
    }
    return is;
}

uint32_t exchange_words_of_load(const exchange_program *p, uint32_t tile) {
    uint32_t dim = 1, range = 0;
    exchange_written(p, tile, GLB_LD_DIM, &dim);
    return dim && exchange_written(p, tile, GLB_LD_RANGE, &range) ? range + 2 : 1;
}

static bool is_written(const exchange_program *p, uint32_t tile, uint32_t reg, uint32_t value) {
    uint32_t is;
    return exchange_written(p, tile, reg, &is) && is == value;
}

/* Returns the field of the bitstream's loading that disagrees with these words, or NULL. */
static const char *configures_other(const exchange_program *p) {
    const fw_write_vec *all = &p->writes.configure;
    bool starts = false, counts = false;
    for (uint32_t i = 0; i < all->len; i++) {
        starts = starts || (all->at[i].offset == GLB_PCFG_START_ADDR && all->at[i].value == 0);
        counts = counts || (all->at[i].offset == GLB_PCFG_NUM_WORDS && all->at[i].value == p->bits.words.len);
    }
    return counts && starts ? NULL
                            : "they load another number of words of configuration, or from another place";
}

/* Returns the field of the streams that disagrees with the firmware's batches, or NULL. */
static const char *streams_other(const exchange_program *p, const exchange_array *a) {
    const pnr_board *b = &a->board;
    const uint32_t per_tile = b->columns_per_glb_tile, tile_bytes = b->glb_banks_per_tile * b->glb_bank_bytes;
    for (uint32_t i = 0; i < p->inputs.len; i++) {
        const uint32_t tile = p->inputs.at[i].column / per_tile;
        if (!is_written(p, tile, GLB_LD_START_ADDR, tile * tile_bytes) ||
            exchange_words_of_load(p, tile) != a->plan.inputs.at[i].blocks.at[1].length)
            return "a load is not of the first run's words, from the start of its tile of the global buffer";
    }
    for (uint32_t o = 0; o < p->outputs.len; o++) {
        const uint32_t tile = p->outputs.at[o].column / per_tile;
        if (!is_written(p, tile, GLB_ST_START_ADDR, tile * tile_bytes + b->glb_bank_bytes) ||
            !is_written(p, tile, GLB_ST_NUM_BLOCKS, p->outputs.at[o].blocks))
            return "a store is not to the start of the second bank of its tile, or of another number of "
                   "blocks";
    }
    return NULL;
}

void exchange_take_registers(const compile_options *o, compile_context *ctx, const exchange_program *p,
                             exchange_array *a) {
    const bool by_processor = o->target.engine == ENGINE_SOC || o->target.engine == ENGINE_PROGRAM;
    if (!by_processor || !p->writes.start.len)
        return;
    const char *why = configures_other(p);
    why = why ? why : streams_other(p, a);
    why = why || !o->running.verify_config ? why : "--verify-config reads back what they configure";
    if (why)
        diag_warning(
            ctx->diag, (src_loc){0}, "E0975-chip-registers",
            "%s: its register writes are not made as they stand, the firmware of onyx sets up streams: %s",
            p->path, why);
    else
        a->bare.writes = &p->writes;
}

/* ---- writes that load a bitstream -------------------------------------------------------------- */

uint32_t exchange_config_tiles(const bits_stream *bits, const pnr_board *b) {
    uint32_t last = 0;
    for (uint32_t i = 0; i < bits->words.len; i++) {
        const uint32_t column = bits_x(bits->words.at[i].address);
        last = column > last ? column : last;
    }
    return last / b->columns_per_glb_tile + 1;
}

uint32_t exchange_broadcast(uint32_t tile) {
    const uint32_t from = tile ? BROADCAST_FROM_WEST : BROADCAST_OWN_DMA;
    return FIELD(GLB_PCFG_BROADCAST_MUX_EAST, from) | FIELD(GLB_PCFG_BROADCAST_MUX_SOUTH, from);
}

void exchange_configure_writes(const bits_stream *bits, const pnr_board *b, arena *mem, fw_write_vec *to) {
    vec_push(mem, to, ((fw_write){GLB_PCFG_CTRL, 1}));
    vec_push(mem, to, ((fw_write){GLB_PCFG_START_ADDR, 0}));
    vec_push(mem, to, ((fw_write){GLB_PCFG_NUM_WORDS, bits->words.len}));
    for (uint32_t t = 0; t < exchange_config_tiles(bits, b); t++)
        vec_push(mem, to, ((fw_write){GLB_TILE_STRIDE * t + GLB_PCFG_BROADCAST_MUX, exchange_broadcast(t)}));
}
