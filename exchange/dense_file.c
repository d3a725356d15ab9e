/* A program of the dense fabric as a JSON file: arrays are distributed over the tiles of the global buffer
 * named by the file's tables. */
#include "exchange/dense_files.h"
#include "exchange/find.h"
#include "exchange/json_file.h"
#include "firmware/registers.h"

/* Returns whether a name of the data is an operand's: other names are results. */
static bool is_input(const char *name) {
    return strstr(name, "input") || strstr(name, "kernel") || strstr(name, "bias");
}

static const cJSON *array_of(const exchange_json *r, const char *name, bool input) {
    const cJSON *data = cJSON_GetObjectItemCaseSensitive(r->json, "data"), *one;
    const cJSON *named = cJSON_GetObjectItemCaseSensitive(data, name);
    if (named)
        return named;
    cJSON_ArrayForEach(one, data) {
        if (is_input(one->string) == input)
            return one;
    }
    return NULL;
}

static void take_array(const exchange_json *r, const char *name, const cJSON *tiles, bool input,
                       dense_words_vec *to) {
    dense_words w = {.name = arena_strdup(r->mem, name)};
    const cJSON *one;
    cJSON_ArrayForEach(one, array_of(r, name, input)) vec_push(r->mem, &w.words, (uint16_t)one->valuedouble);
    cJSON_ArrayForEach(one, tiles) vec_push(r->mem, &w.tiles, (uint32_t)one->valuedouble % DENSE_GLB_TILES);
    w.anywhere = !tiles;
    if (!tiles)
        vec_push(r->mem, &w.tiles, 0);
    vec_push(r->mem, to, w);
}

static void read_arrays(const exchange_json *r, const char *table, bool input, dense_words_vec *to) {
    const cJSON *rows = cJSON_GetObjectItemCaseSensitive(r->json, table), *row;
    cJSON_ArrayForEach(row, rows) take_array(r, row->string, row, input, to);
    const cJSON *data = cJSON_GetObjectItemCaseSensitive(r->json, "data"), *one;
    const bool placed = cJSON_GetArraySize(rows) > 0;
    cJSON_ArrayForEach(one, data) {
        if (!placed && is_input(one->string) == input)
            take_array(r, one->string, NULL, input, to);
    }
}

static bool may_be_dense(const char *path) {
    return text_ends_with(path, ".json") || text_ends_with(path, ".json.gz") ||
           text_ends_with(path, "_script.h") || text_ends_with(path, ".bs") || exchange_has_dense_meta(path);
}

/* Reads the streams of a meta file in the bitstream's folder, which may be another bitstream's. */
static bool read_companions(const char *path, arena *mem, diagnostics *d, dense_program *out) {
    const char *folder = exchange_folder_of(path, mem);
    const bool ok = exchange_meta_folder(folder, mem) != folder || !exchange_has_dense_meta(folder) ||
                    exchange_read_dense_meta(folder, mem, d, out);
    out->scheduled = false;
    return ok;
}

bool exchange_read_dense(const char *path, arena *mem, diagnostics *d, dense_program *out) {
    path = exchange_stand_for(path, mem);
    *out = (dense_program){.path = path};
    if (!may_be_dense(path))
        return diag_error(d, (src_loc){0}, "E0970-chip-file", "'%s' is no program of the dense fabric", path);
    if (is_folder(path))
        return exchange_read_dense_meta(path, mem, d, out);
    if (text_ends_with(path, ".bs"))
        return exchange_read_bits(path, mem, d, &out->bits) && read_companions(path, mem, d, out);
    cJSON *json = exchange_open_json(path, mem, d);
    fw_write_vec writes = {0}, configure = {0}, disturbing = {0};
    const exchange_json file = {path, json, mem, d, &disturbing, &out->crossbar};
    const bool ok = json && exchange_json_bits(&file, &out->bits) && exchange_take_older_map(&file) &&
                    exchange_json_writes(&file, EXCHANGE_STREAMS_FUNCTION, &writes) &&
                    exchange_json_writes(&file, "bitstream_glb_config", &configure);
    for (uint32_t i = 0; ok && i < writes.len; i++)
        vec_push(mem, &out->writes, (dense_write){writes.at[i].offset, writes.at[i].value});
    for (uint32_t i = 0; ok && i < configure.len; i++)
        vec_push(mem, &out->configure, (dense_write){configure.at[i].offset, configure.at[i].value});
    if (ok) {
        out->disturbs = disturbing.len;
        read_arrays(&file, "glb_tile_of_input", true, &out->inputs);
        read_arrays(&file, "glb_tile_of_output", false, &out->outputs);
    }
    cJSON_Delete(json);
    return ok;
}

/* ---- writing ----------------------------------------------------------------------------------- */

static cJSON *words_as_json(const bits_stream *bits) {
    cJSON *list = cJSON_CreateArray();
    for (uint32_t i = 0; i < bits->words.len; i++) {
        char text[24];
        snprintf(text, sizeof text, "%08X %08X", bits->words.at[i].address, bits->words.at[i].data);
        cJSON_AddItemToArray(list, cJSON_CreateString(text));
    }
    return list;
}

static void add_write(cJSON *list, const char *kind, uint32_t offset, uint32_t value) {
    cJSON *row = cJSON_CreateArray();
    cJSON_AddItemToArray(row, cJSON_CreateString(kind));
    cJSON_AddItemToArray(row, cJSON_CreateNumber(offset));
    cJSON_AddItemToArray(row, cJSON_CreateNumber(value));
    cJSON_AddItemToArray(list, row);
}

static cJSON *writes_as_json(const dense_program *p) {
    cJSON *list = cJSON_CreateArray();
    for (uint32_t i = 0; i < p->writes.len; i++)
        add_write(list, "Glb", p->writes.at[i].offset, p->writes.at[i].value);
    if (p->crossbar.set)
        add_write(list, "Glc", GLC_FLUSH_CROSSBAR, p->crossbar.groups);
    return list;
}

/* The register writes that load the bitstream have the number of its words in a single register. */
static void count_words(const cJSON *rows, uint32_t words) {
    cJSON *row;
    cJSON_ArrayForEach(row, rows) {
        const cJSON *offset = cJSON_GetArrayItem(row, 1);
        if (cJSON_IsNumber(offset) && (uint32_t)offset->valuedouble % GLB_TILE_STRIDE == GLB_PCFG_NUM_WORDS)
            cJSON_SetNumberValue(cJSON_GetArrayItem(row, 2), words);
    }
}

static void add_arrays(const dense_words_vec *arrays, cJSON *data, cJSON *table) {
    for (uint32_t i = 0; i < arrays->len; i++) {
        const dense_words *w = &arrays->at[i];
        cJSON *words = cJSON_AddArrayToObject(data, w->name), *tiles = cJSON_AddArrayToObject(table, w->name);
        for (uint32_t k = 0; k < w->words.len; k++)
            cJSON_AddItemToArray(words, cJSON_CreateNumber(w->words.at[k]));
        for (uint32_t k = 0; k < w->tiles.len; k++)
            cJSON_AddItemToArray(tiles, cJSON_CreateNumber(w->tiles.at[k]));
    }
}

/* Makes the one file of a folder's program; words and register writes are added by the caller. */
static cJSON *folder_as_json(const dense_program *p) {
    cJSON *json = cJSON_CreateObject(), *data = cJSON_AddObjectToObject(json, "data");
    cJSON_AddArrayToObject(json, "bitstream");
    cJSON_AddArrayToObject(cJSON_AddObjectToObject(json, "register_writes"), "app_glb_config");
    add_arrays(&p->inputs, data, cJSON_AddObjectToObject(json, "glb_tile_of_input"));
    add_arrays(&p->outputs, data, cJSON_AddObjectToObject(json, "glb_tile_of_output"));
    return json;
}

bool exchange_write_dense(const dense_program *p, const char *path, diagnostics *d) {
    cJSON *json = is_folder(p->path) ? folder_as_json(p) : exchange_open_json(p->path, d->mem, d),
          *writes = cJSON_GetObjectItemCaseSensitive(json, "register_writes");
    const exchange_json file = {p->path, json, d->mem, d, NULL, NULL};
    if (!json || !exchange_take_older_map(&file)) {
        cJSON_Delete(json);
        return false;
    }
    cJSON_ReplaceItemInObjectCaseSensitive(json, "bitstream", words_as_json(&p->bits));
    if (cJSON_HasObjectItem(json, "words"))
        cJSON_ReplaceItemInObjectCaseSensitive(json, "words", cJSON_CreateNumber(p->bits.words.len));
    if (p->writes.len)
        cJSON_ReplaceItemInObjectCaseSensitive(writes, "app_glb_config", writes_as_json(p));
    count_words(cJSON_GetObjectItemCaseSensitive(writes, "bitstream_glb_config"), p->bits.words.len);
    const bool ok = json_write(json, path, d);
    cJSON_Delete(json);
    return ok;
}
