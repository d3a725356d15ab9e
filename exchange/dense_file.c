/* A program of the dense fabric as one JSON file: arrays are dealt out over the tiles of the global buffer
 * that the file's tables name. */
#include "exchange/json_file.h"

/* Returns whether a name of the data is one of operands: others are results. */
static bool is_input(const char *name) {
    return strstr(name, "input") || strstr(name, "kernel") || strstr(name, "bias");
}

static const cJSON *array_of(const exchange_json *r, const char *name, bool input) {
    const cJSON *data = cJSON_GetObjectItemCaseSensitive(r->json, "data"), *one;
    const cJSON *named = name ? cJSON_GetObjectItemCaseSensitive(data, name) : NULL;
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
    dense_words w = {.name = name ? arena_strdup(r->mem, name) : input ? "input" : "output"};
    const cJSON *one;
    cJSON_ArrayForEach(one, array_of(r, name, input)) vec_push(r->mem, &w.words, (uint16_t)one->valuedouble);
    cJSON_ArrayForEach(one, tiles) vec_push(r->mem, &w.tiles, (uint32_t)one->valuedouble % DENSE_GLB_TILES);
    if (!tiles)
        vec_push(r->mem, &w.tiles, 0);
    vec_push(r->mem, to, w);
}

static void read_arrays(const exchange_json *r, const char *table, bool input, dense_words_vec *to) {
    const cJSON *rows = cJSON_GetObjectItemCaseSensitive(r->json, table), *row;
    cJSON_ArrayForEach(row, rows) take_array(r, row->string, row, input, to);
    if (!cJSON_GetArraySize(rows) && array_of(r, NULL, input))
        take_array(r, NULL, NULL, input, to);
}

bool exchange_read_dense(const char *path, arena *mem, diagnostics *d, dense_program *out) {
    cJSON *json = exchange_open_json(path, mem, d);
    const exchange_json file = {path, json, mem, d};
    fw_write_vec writes = {0};
    *out = (dense_program){.path = path};
    const bool ok = json && exchange_json_bits(&file, &out->bits) &&
                    exchange_json_writes(&file, "app_glb_config", &writes);
    for (uint32_t i = 0; ok && i < writes.len; i++)
        vec_push(mem, &out->writes, (dense_write){writes.at[i].offset, writes.at[i].value});
    if (ok) {
        read_arrays(&file, "glb_tile_of_input", true, &out->inputs);
        read_arrays(&file, "glb_tile_of_output", false, &out->outputs);
    }
    cJSON_Delete(json);
    return ok;
}
