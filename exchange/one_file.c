/* A program of the chip as a JSON file: its words, arrays, and the registers written by its processor code.
 *
 * The register writes give the array of a stream: the DMA of a GLB tile feeds one of its two columns, from
 * the array's address. */
#include "exchange/exchange_int.h"
#include "exchange/json_file.h"
#include "exchange/registers.h"
#include "firmware/registers.h"

#include <stdlib.h>
#include <strings.h>

enum {
    GLB_TILES = EXCHANGE_GLB_TILES,
    TILE_BYTES_LOG = 18
}; /* of the global buffer: two banks of 128 KB each */

typedef struct {
    const char *path;
    const cJSON *json;
    arena *mem;
    diagnostics *d;
    exchange_program *p;
    bool *used;     /* by array of "data": used by a stream */
    bool two_built; /* the table of arrays is not of the build whose registers are written: this was said */
} reader;

static bool refuse(const reader *r, const char *what) {
    const exchange_json file = {r->path, r->json, r->mem, r->d, NULL, NULL};
    return exchange_json_refuse(&file, what);
}

/* ---- arrays ------------------------------------------------------------------------------------ */

static bool take_array(const reader *r, const cJSON *array, exchange_stream *s) {
    const cJSON *one;
    s->name = arena_strdup(r->mem, array->string);
    s->from = r->path;
    s->known = true;
    cJSON_ArrayForEach(one, array) {
        if (!cJSON_IsNumber(one) || one->valuedouble < 0 || one->valuedouble > UINT16_MAX)
            return refuse(r, arena_printf(r->mem, "'%s' has something else than words of 16 bits", s->name));
        vec_push(r->mem, &s->words, (uint16_t)one->valuedouble);
    }
    return true;
}

/* Returns the array that a table puts into the GLB tile, or NULL. */
static const char *array_in(const reader *r, const char *table, uint32_t tile) {
    const cJSON *row, *one;
    cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(r->json, table)) {
        cJSON_ArrayForEach(one, row) {
            if (cJSON_IsNumber(one) && one->valuedouble == tile)
                return row->string;
        }
    }
    return NULL;
}

/* Whether a load takes `words` words of the array: all words, or its first run, which is one block or two. */
static bool is_as_long(const cJSON *array, uint32_t words) {
    const uint32_t n = (uint32_t)cJSON_GetArraySize(array);
    uint32_t end = 0;
    for (int block = 0; block < 2 && end < n && end != words; block++)
        end += 1 + (uint32_t)cJSON_GetArrayItem(array, (int)end)->valuedouble;
    return !words || n == words || end == words;
}

static void say_two_builds(reader *r, const char *name, uint32_t words) {
    if (!r->two_built)
        diag_warning(
            r->d, (src_loc){0}, "E0974-chip-builds",
            "%s: '%s' is said to lie where a load takes %u words: the files are of two builds; arrays are "
            "taken by their length",
            r->path, name, words);
    r->two_built = true;
}

/* Returns whether an array's name is a result's: "tensor_X_mode_0", "output", "gold". */
static bool is_result_name(const char *name) {
    return strncasecmp(name, "tensor_x_", strlen("tensor_x_")) == 0 || strstr(name, "output") ||
           strstr(name, "gold");
}

static uint32_t blocks_in(const cJSON *array) {
    const uint32_t n = (uint32_t)cJSON_GetArraySize(array);
    uint32_t blocks = 0;
    for (uint32_t at = 0; at < n; blocks++)
        at += 1 + (uint32_t)cJSON_GetArrayItem(array, (int)at)->valuedouble;
    return blocks;
}

/* An array that a stream wants: the table and tile that may name it; of a load its words, of a store its
 * blocks. */
typedef struct {
    const char *table;
    uint32_t tile, words, blocks;
} wanted;

/* Rates an array as a guess for a stream: 0 means no, else more is better. */
static uint32_t rate(const cJSON *array, const wanted *w) {
    const bool output = !w->words, by_name = is_result_name(array->string) == output;
    return !is_as_long(array, w->words)
               ? 0u
               : 1u + (by_name ? 2 : 0) + (output && blocks_in(array) == w->blocks ? 1 : 0);
}

/* Finds the array of a stream: by the table or, without a table or for another build, the best unused array,
 * the first of equals. */
static const cJSON *array_of(reader *r, const wanted *w) {
    const cJSON *data = cJSON_GetObjectItemCaseSensitive(r->json, "data"), *array, *best = NULL;
    const char *name = array_in(r, w->table, w->tile);
    const cJSON *named = name ? cJSON_GetObjectItemCaseSensitive(data, name) : NULL;
    if (named && !is_as_long(named, w->words)) {
        say_two_builds(r, name, w->words);
        named = NULL;
    }
    uint32_t i = 0, at = 0, most = 0;
    cJSON_ArrayForEach(array, data) {
        const uint32_t rated = named ? array == named : r->used[i] ? 0 : rate(array, w);
        if (rated > most) {
            most = rated;
            best = array;
            at = i;
        }
        i++;
    }
    r->used[at] = r->used[at] || best;
    return best;
}

static uint32_t field(uint32_t value, uint32_t lsb, uint32_t width) {
    return value >> lsb & ((1u << width) - 1);
}

/* Each side: the registers of its DMA, and the file's table of arrays' places. */
static const struct side {
    uint32_t control, mux, start;
    const char *table;
} sides[] = {{GLB_LD_CTRL, GLB_LD_CTRL_DATA_MUX_LSB, GLB_LD_START_ADDR, "glb_tile_of_input"},
             {GLB_ST_CTRL, GLB_ST_CTRL_DATA_MUX_LSB, GLB_ST_START_ADDR, "glb_tile_of_output"}};

/* Adds the stream served by the tile's DMA on this side, if any. */
static bool find_stream(reader *r, uint32_t tile, bool output) {
    const struct side *side = &sides[output];
    uint32_t control, at = 0;
    if (!exchange_written(r->p, tile, side->control, &control) ||
        !field(control, GLB_LD_CTRL_MODE_LSB, GLB_LD_CTRL_MODE_WIDTH))
        return true;
    exchange_written(r->p, tile, side->start, &at);
    const bool odd = field(control, side->mux, GLB_LD_CTRL_DATA_MUX_WIDTH) == GLB_COLUMN_ODD;
    exchange_stream s = {.column = 2 * tile + odd};
    s.name = arena_printf(r->mem, "x%u", s.column);
    wanted w = {.table = side->table, .tile = at >> TILE_BYTES_LOG};
    if (output)
        exchange_written(r->p, tile, GLB_ST_NUM_BLOCKS, &w.blocks);
    else
        w.words = exchange_words_of_load(r->p, tile);
    const cJSON *array = array_of(r, &w);
    if (array && !take_array(r, array, &s))
        return false;
    vec_push(r->mem, output ? &r->p->outputs : &r->p->inputs, s);
    return true;
}

/* Warns if the bitstream's DMA does not load these words. */
static void look_at_words(const reader *r) {
    const exchange_program *p = r->p;
    for (uint32_t i = 0; i < p->writes.configure.len; i++) {
        const fw_write *w = &p->writes.configure.at[i];
        if (w->offset % GLB_TILE_STRIDE == GLB_PCFG_NUM_WORDS && w->value != p->bits.words.len)
            diag_warning(
                r->d, (src_loc){0}, "E0974-chip-builds",
                "%s: its registers load %u words of configuration, and its bitstream has %u: the files are "
                "of two builds",
                r->path, w->value, p->bits.words.len);
    }
}

static bool read_streams(reader *r) {
    const cJSON *data = cJSON_GetObjectItemCaseSensitive(r->json, "data");
    const exchange_json file = {r->path, r->json, r->mem, r->d, NULL, NULL};
    if (!data && text_ends_with(r->path, "_script.h")) {
        refuse(r, "no array of words in the header of its arrays, NAME_input_script.h");
        return diag_hint(r->d, "uint16_t app_NAME_data[] = {..}; holds the words of a stream");
    }
    if (!json_get_object(r->json, r->path, "data", r->d) || !exchange_take_older_map(&file) ||
        !exchange_json_writes(&file, EXCHANGE_BITSTREAM_FUNCTION, &r->p->writes.configure) ||
        !exchange_json_writes(&file, EXCHANGE_STREAMS_FUNCTION, &r->p->writes.start))
        return false;
    if (!r->p->writes.start.len)
        return refuse(r, "no register write says which stream loads which array");
    look_at_words(r);
    r->used = arena_new_n(r->mem, bool, (uint32_t)cJSON_GetArraySize(data) + 1);
    bool ok = true;
    for (uint32_t t = 0; t < 2 * GLB_TILES && ok; t++)
        ok = find_stream(r, t % GLB_TILES, t >= GLB_TILES);
    return ok;
}

bool exchange_read_json(const char *path, arena *mem, diagnostics *d, exchange_program *p) {
    cJSON *json = exchange_open_json(path, mem, d);
    const exchange_json file = {path, json, mem, d, NULL, NULL};
    reader r = {.path = path, .json = json, .mem = mem, .d = d, .p = p};
    const bool ok = json && exchange_json_bits(&file, &p->bits) && read_streams(&r);
    cJSON_Delete(json);
    return ok;
}
