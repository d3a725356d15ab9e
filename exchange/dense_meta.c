/* A dense program's design_meta.json: loop nests of the streams, and the files of their words, which are
 * dealt out over the IO tiles of an array. The global buffer has inputs in the first bank of a tile, outputs
 * in the second. */
#include "exchange/dense_files.h"
#include "exchange/json_file.h"

#include <unistd.h>

enum { TILE_BYTES = 0x40000, OUTPUT_BYTE = 0x20000, WORD = 2 };

typedef struct {
    const char *folder, *path;
    diagnostics *d;
    dense_program *p;
    dense_streams streams;
} reader;

static bool wrong(const reader *r, const char *name, const char *what) {
    return diag_error(r->d, (src_loc){0}, "E0970-chip-file", "%s: '%s' %s", r->path, name, what);
}

bool exchange_has_dense_meta(const char *path) {
    arena mem = {0};
    diagnostics quiet;
    diag_init(&quiet, &mem);
    const char *folder = exchange_meta_folder(path, &mem);
    cJSON *json = folder ? json_read(arena_printf(&mem, "%s/design_meta.json", folder), &quiet) : NULL;
    const cJSON *inputs = cJSON_GetObjectItem(cJSON_GetObjectItem(json, "IOs"), "inputs"),
                *tile = cJSON_GetArrayItem(cJSON_GetObjectItem(cJSON_GetArrayItem(inputs, 0), "io_tiles"), 0);
    const char *mode = cJSON_GetStringValue(cJSON_GetObjectItem(tile, "mode"));
    const bool dense = mode && strcmp(mode, "STATIC") == 0 && cJSON_GetObjectItem(tile, "addr");
    cJSON_Delete(json);
    arena_free(&mem);
    return dense;
}

/* ---- streams ----------------------------------------------------------------------------------- */

/* Returns whether the lists have a number for each loop. */
static bool has_loops(const reader *r, const char *name, const cJSON *addr, uint32_t loops,
                      const char *const lists[3]) {
    for (uint32_t i = 0; i < 3; i++) {
        const int numbers = cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(addr, lists[i]));
        if ((uint32_t)numbers < loops)
            return wrong(r, name,
                         arena_printf(r->d->mem, "has %u %s, and \"%s\" has %d %s", loops,
                                      plural(loops, "loop", "loops"), lists[i], numbers,
                                      plural((uint32_t)numbers, "number", "numbers")));
    }
    return true;
}

static int64_t number(const cJSON *addr, const char *list, uint32_t i) {
    const cJSON *one = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(addr, list), (int)i);
    return cJSON_IsNumber(one) ? (int64_t)one->valuedouble : 0;
}

/* Takes the loops; a loop of extent 1 does not exist in the registers. Strides become the growth from the end
 * of the inner loops on. */
static void take_loops(const cJSON *addr, uint32_t loops, const char *strides, dense_stream *s) {
    int64_t inner = 0, inner_cycles = 0;
    for (uint32_t i = 0; i < loops; i++) {
        const int64_t extent = number(addr, "extent", i), stride = WORD * number(addr, strides, i),
                      cycles = number(addr, "cycle_stride", i);
        const uint32_t at = s->g.nest.dim;
        if (extent < 2)
            continue;
        s->g.nest.range[at] = (uint32_t)(extent - 2);
        s->g.address[0].increment[at] = (uint32_t)(stride - inner);
        s->g.at.increment[at] = (uint32_t)(cycles - inner_cycles);
        inner += stride * (extent - 1);
        inner_cycles += cycles * (extent - 1);
        s->g.nest.dim++;
    }
}

static bool add_stream(reader *r, const char *name, const cJSON *tile, bool store) {
    const cJSON *addr = json_get_object(tile, r->path, "addr", r->d);
    const char *mode = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(tile, "mode")),
               *strides = store ? "write_data_stride" : "read_data_stride";
    dense_stream s = {.mode = store ? DENSE_STREAM_VALID : DENSE_STREAM_STATIC, .store = store};
    uint32_t loops = 0;
    if (!addr || !json_get_u32(tile, r->path, "x_pos", &s.column, r->d) ||
        !json_get_u32(addr, r->path, "dimensionality", &loops, r->d))
        return false;
    if (!mode || strcmp(mode, store ? "VALID" : "STATIC") != 0)
        return wrong(r, name,
                     arena_printf(r->d->mem, "has mode \"%s\", and onyx knows %s", mode ? mode : "",
                                  store ? "stores with valid bits (VALID)" : "loads by schedule (STATIC)"));
    if (loops > (store ? DENSE_LOOPS - 1 : DENSE_LOOPS) || s.column >= 2 * DENSE_GLB_TILES)
        return wrong(r, name, "has more loops, or stands in a higher column, than the chip has");
    if (!has_loops(r, name, addr, loops,
                   (const char *const[]){"extent", strides, store ? strides : "cycle_stride"}))
        return false;
    s.g.enable = true;
    s.g.address[0].start =
        s.column / 2 * TILE_BYTES + (store ? OUTPUT_BYTE : 0) +
        (uint32_t)(WORD * number(addr, store ? "write_data_starting_addr" : "read_data_starting_addr", 0));
    s.g.at.start = (uint32_t)number(addr, "cycle_starting_addr", 0);
    take_loops(addr, loops, strides, &s);
    vec_push(r->d->mem, &r->streams, s);
    return true;
}

/* ---- words ------------------------------------------------------------------------------------- */

/* Expected words may be missing. Where only the file with the low byte first lies there, it is read. */
static bool read_words(const reader *r, const char *file, bool expected, u16_vec *out) {
    arena *mem = r->d->mem;
    const char *path = arena_printf(mem, "%s/%s", r->folder, file), *dot = strrchr(path, '.');
    const char *other = arena_printf(mem, "%.*s.leraw", (int)(dot ? dot - path : 0), path);
    if (access(path, R_OK) != 0 && access(other, R_OK) == 0)
        path = other;
    return (expected && access(path, R_OK) != 0) || exchange_read_words(path, mem, r->d, out);
}

static bool read_array(reader *r, const cJSON *io, bool output) {
    const char *name, *file;
    dense_words w = {.name = NULL};
    if (!json_get_text(io, r->path, "name", &name, r->d) ||
        !json_get_text(io, r->path, "datafile", &file, r->d) || !read_words(r, file, output, &w.words))
        return false;
    const cJSON *tiles = json_get_array(io, r->path, "io_tiles", r->d), *tile;
    cJSON_ArrayForEach(tile, tiles) {
        if (!add_stream(r, name, tile, output))
            return false;
        vec_push(r->d->mem, &w.tiles, r->streams.at[r->streams.len - 1].column / 2);
    }
    if (!w.tiles.len)
        return tiles && wrong(r, name, "has no IO tile");
    w.name = arena_strdup(r->d->mem, name);
    vec_push(r->d->mem, output ? &r->p->outputs : &r->p->inputs, w);
    return true;
}

static bool read_side(reader *r, const cJSON *ios, const char *side, bool output) {
    const cJSON *list = json_get_array(ios, r->path, side, r->d), *one;
    bool ok = list != NULL;
    cJSON_ArrayForEach(one, list) ok = ok && read_array(r, one, output);
    return ok;
}

/* The folder's own register writes stand above the loop nests of the meta file. */
static bool take_writes(const reader *r) {
    const char *header = arena_printf(r->d->mem, "%s/reg_write.h", r->folder);
    fw_write_vec writes = {0};
    if (access(header, R_OK) != 0) {
        dense_writes_of(&r->streams, r->d->mem, r->p);
        return true;
    }
    cJSON *json = exchange_writes_of_header(header, r->d->mem, r->d);
    const exchange_json file = {header, json, r->d->mem, r->d, NULL, &r->p->crossbar};
    const bool ok = exchange_json_writes(&file, EXCHANGE_STREAMS_FUNCTION, &writes);
    for (uint32_t i = 0; i < writes.len; i++)
        vec_push(r->d->mem, &r->p->writes, ((dense_write){writes.at[i].offset, writes.at[i].value}));
    cJSON_Delete(json);
    return ok;
}

bool exchange_read_dense_meta(const char *path, arena *mem, diagnostics *d, dense_program *out) {
    const char *folder = exchange_meta_folder(path, mem), *bits;
    reader r = {.folder = folder, .path = arena_printf(mem, "%s/design_meta.json", folder), .d = d, .p = out};
    cJSON *json = json_read(r.path, d);
    out->scheduled = true;
    const cJSON *ios = json ? json_get_object(json, r.path, "IOs", d) : NULL,
                *testing = ios ? json_get_object(json, r.path, "testing", d) : NULL;
    const bool ok = testing && json_get_text(testing, r.path, "bitstream", &bits, d) &&
                    (out->bits.words.len ||
                     exchange_read_bits(arena_printf(mem, "%s/%s", folder, bits), mem, d, &out->bits)) &&
                    read_side(&r, ios, "inputs", false) && read_side(&r, ios, "outputs", true) &&
                    take_writes(&r);
    cJSON_Delete(json);
    return ok;
}
