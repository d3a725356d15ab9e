/* Register writes of the map before the tape-out: tiles of the global buffer are 0x200 bytes apart, not
 * 0x100.
 *
 * Registers within a tile are the same in both maps: the writes of one product in each map agree, write for
 * write, but for the tile's place. */
#include "exchange/json_file.h"
#include "firmware/registers.h"

enum { OLDER_STRIDE = 2 * GLB_TILE_STRIDE, TILE_BYTES_LOG = 18 }; /* a tile has two banks of 128 KB */

static uint32_t number_at(const cJSON *write, int at) {
    const cJSON *number = cJSON_GetArrayItem(write, at);
    return cJSON_IsNumber(number) ? (uint32_t)number->valuedouble : UINT32_MAX;
}

/* Returns whether the writes are of the older map: there are several loads, and by that map each reads the
 * memory of its own tile. By the chip's map each would read from the tile of half its number. */
static bool is_older(const cJSON *writes) {
    uint32_t loads = 0, own = 0;
    const cJSON *one;
    cJSON_ArrayForEach(one, writes) {
        const uint32_t offset = number_at(one, 1);
        if (offset % GLB_TILE_STRIDE != GLB_LD_START_ADDR)
            continue;
        loads++;
        own += offset == (number_at(one, 2) >> TILE_BYTES_LOG) * OLDER_STRIDE + GLB_LD_START_ADDR;
    }
    return loads > 1 && own == loads;
}

static bool move_writes(const cJSON *writes, const exchange_json *file) {
    cJSON *one;
    cJSON_ArrayForEach(one, writes) {
        const uint32_t from = number_at(one, 1), tile = from / OLDER_STRIDE, reg = from % OLDER_STRIDE,
                       to = tile * GLB_TILE_STRIDE + reg;
        if (tile >= EXCHANGE_GLB_TILES || reg >= GLB_TILE_STRIDE)
            return exchange_json_refuse(
                file, arena_printf(file->mem,
                                   "0x%x is no register of the map before the tape-out, whose tiles of the "
                                   "global buffer are 0x200 bytes apart",
                                   from));
        cJSON_SetNumberValue(cJSON_GetArrayItem(one, 1), to);
    }
    return true;
}

/* A program is read as dense first, then as sparse. */
static bool is_said(const diagnostics *d) {
    bool said = false;
    for (uint32_t i = 0; i < d->list.len; i++)
        said = said || strcmp(d->list.at[i].code, "E0978-older-map") == 0;
    return said;
}

bool exchange_take_older_map(const exchange_json *file) {
    const cJSON *all = cJSON_GetObjectItemCaseSensitive(file->json, "register_writes"), *function;
    if (!is_older(exchange_json_function(file, EXCHANGE_STREAMS_FUNCTION)))
        return true;
    cJSON_ArrayForEach(function, all) {
        if (!move_writes(function, file))
            return false;
    }
    if (!is_said(file->d))
        diag_warning(
            file->d, (src_loc){0}, "E0978-older-map",
            "%s: its register writes are of the map before the tape-out, with 0x200 bytes a tile of the "
            "global buffer; they are made at the chip's 0x100 bytes a tile",
            file->path);
    return true;
}
