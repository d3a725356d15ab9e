/* Common to every program of the chip as a JSON file: words and register writes. */
#include "exchange/json_file.h"

#include "exchange/exchange_int.h"
#include "firmware/registers.h"
#include "tiling/containers.h"

bool exchange_json_refuse(const exchange_json *file, const char *what) {
    diag_error(file->d, (src_loc){0}, "E0970-chip-file", "%s: %s", file->path, what);
    return diag_hint(file->d,
                     "a program of the chip as one file has \"bitstream\", \"data\" and \"register_writes\": "
                     "docs/exchange.md");
}

cJSON *exchange_open_json(const char *path, arena *mem, diagnostics *d) {
    const size_t length = strlen(path);
    size_t bytes = 0;
    if (length > 2 && strcmp(path + length - 2, ".h") == 0)
        return exchange_of_headers(path, mem, d);
    const char *content = file_read(path, d->mem, &bytes, d);
    tile_bytes text = {path, (const uint8_t *)content, bytes};
    if (!content || (tile_is_gzip(text) && !tile_gunzip(text, d->mem, d, &text)))
        return NULL;
    return json_parse(path, (const char *)text.at, text.length, d);
}

enum { COLUMNS = 32, ROWS = 17 }; /* of the chip's tiles, the IO row included */

bool exchange_json_bits(const exchange_json *file, bits_stream *out) {
    const cJSON *list = json_get_array(file->json, file->path, "bitstream", file->d), *one;
    if (!list)
        return false;
    size_t bytes = 1, at = 0;
    cJSON_ArrayForEach(one, list) {
        if (!cJSON_IsString(one))
            return exchange_json_refuse(file, "\"bitstream\" has texts \"ADDRESS DATA\", hexadecimal");
        bytes += strlen(one->valuestring) + 1;
    }
    char *text = arena_alloc(file->d->mem, bytes);
    cJSON_ArrayForEach(one, list) {
        const size_t n = strlen(one->valuestring);
        memcpy(text + at, one->valuestring, n);
        at += n;
        text[at++] = '\n';
    }
    text[at] = '\0';
    const bool ok = bits_parse(arena_printf(file->d->mem, "%s \"bitstream\"", file->path), text, at,
                               file->mem, file->d, out);
    if (ok)
        bits_order_columns(out, COLUMNS, ROWS, file->d);
    return ok;
}

bool exchange_read_bits(const char *path, arena *mem, diagnostics *d, bits_stream *out) {
    const bool ok = bits_read(path, mem, d, out);
    if (ok)
        bits_order_columns(out, COLUMNS, ROWS, d);
    return ok;
}

static bool read_write(const exchange_json *file, const cJSON *row, fw_write_vec *out) {
    const cJSON *kind = cJSON_GetArrayItem(row, 0), *offset = cJSON_GetArrayItem(row, 1),
                *value = cJSON_GetArrayItem(row, 2);
    if (!cJSON_IsString(kind) || !cJSON_IsNumber(offset) || !cJSON_IsNumber(value))
        return exchange_json_refuse(file, "a register write is [\"Glb\", offset, value]");
    const bool stalls = strcmp(kind->valuestring, "Glc") == 0 && offset->valuedouble == GLC_CGRA_STALL;
    const fw_write write = {(uint32_t)offset->valuedouble, (uint32_t)(int64_t)value->valuedouble};
    if (file->disturbing && (stalls || strcmp(kind->valuestring, "Tile") == 0)) {
        vec_push(file->mem, file->disturbing, write);
        return true;
    }
    if (file->crossbar && strcmp(kind->valuestring, "Glc") == 0 && write.offset == GLC_FLUSH_CROSSBAR) {
        *file->crossbar = (dense_crossbar){true, write.value};
        return true;
    }
    if (strcmp(kind->valuestring, "Glb") != 0)
        return exchange_json_refuse(
            file, arena_printf(file->mem, "a function that prepares streams writes a register of \"%s\"",
                               kind->valuestring));
    vec_push(file->mem, out, write);
    return true;
}

static bool writes_register(const cJSON *function, uint32_t reg) {
    const cJSON *row;
    cJSON_ArrayForEach(row, function) {
        const cJSON *offset = cJSON_GetArrayItem(row, 1);
        if (cJSON_IsNumber(offset) && (uint32_t)offset->valuedouble % GLB_TILE_STRIDE == reg)
            return true;
    }
    return false;
}

const cJSON *exchange_json_function(const exchange_json *file, const char *function) {
    const cJSON *all = cJSON_GetObjectItemCaseSensitive(file->json, "register_writes"), *one,
                *named = cJSON_GetObjectItemCaseSensitive(all, function);
    if (named)
        return named;
    const uint32_t reg =
        strcmp(function, EXCHANGE_STREAMS_FUNCTION) == 0 ? GLB_LD_START_ADDR : GLB_PCFG_NUM_WORDS;
    cJSON_ArrayForEach(one, all) {
        if (writes_register(one, reg))
            return one;
    }
    return NULL;
}

bool exchange_json_writes(const exchange_json *file, const char *function, fw_write_vec *out) {
    const cJSON *row;
    cJSON_ArrayForEach(row, exchange_json_function(file, function)) {
        if (!read_write(file, row, out))
            return false;
    }
    return true;
}
