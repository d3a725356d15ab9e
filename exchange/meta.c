/* design_meta.json: the file loaded or expected by each stream, and its IO column. */
#include "exchange/exchange_int.h"
#include "exchange/json_file.h"

#include <unistd.h>

static const char *meta_in(const char *folder, arena *mem) {
    const char *path = arena_printf(mem, "%s/design_meta.json", folder);
    return access(path, R_OK) == 0 ? path : NULL;
}

const char *exchange_meta_folder(const char *folder, arena *mem) {
    const char *bin = arena_printf(mem, "%s/bin", folder);
    return meta_in(folder, mem) ? folder : meta_in(bin, mem) ? bin : NULL;
}

typedef struct {
    const char *folder, *path;
    arena *mem;
    diagnostics *d;
} reader;

static bool wrong(const reader *r, const char *name, const char *what) {
    return diag_error(r->d, (src_loc){0}, "E0970-chip-file", "%s: '%s' %s", r->path, name, what);
}

/* A statically scheduled stream does not belong to the sparse fabric. */
static bool takes_ready_valid(const reader *r, const cJSON *tile, const char *name) {
    const char *mode = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(tile, "mode"));
    if (mode && strcmp(mode, "RV") == 0)
        return true;
    wrong(r, name, arena_printf(r->mem, "has mode \"%s\"", mode ? mode : ""));
    return diag_hint(
        r->d,
        "streams of sparse programs have mode \"RV\"; all streams of a dense program have \"STATIC\" or "
        "\"VALID\"");
}

static bool read_stream(const reader *r, const cJSON *io, bool output, exchange_streams *to) {
    const char *name, *file;
    exchange_stream s = {.known = true};
    if (!json_get_text(io, r->path, "name", &name, r->d) ||
        !json_get_text(io, r->path, "datafile", &file, r->d))
        return false;
    const cJSON *tiles = json_get_array(io, r->path, "io_tiles", r->d), *tile = tiles ? tiles->child : NULL;
    if (!tiles)
        return false;
    if (cJSON_GetArraySize(tiles) != 1)
        return wrong(r, name, "has not one IO tile: its words would be dealt out");
    if (!takes_ready_valid(r, tile, name) || !json_get_u32(tile, r->path, "x_pos", &s.column, r->d))
        return false;
    s.name = arena_strdup(r->mem, name);
    s.from = arena_printf(r->mem, "%s/%s", r->folder, file);
    if (output && !cJSON_HasObjectItem(tile, "num_blocks"))
        return wrong(r, name, "does not say its \"num_blocks\"");
    if (output && !json_get_u32(tile, r->path, "num_blocks", &s.blocks, r->d))
        return false;
    if (output && access(s.from, R_OK) != 0)
        s.known = false;
    else if (!exchange_read_words(s.from, r->mem, r->d, &s.words))
        return false;
    vec_push(r->mem, to, s);
    return true;
}

static bool read_side(const reader *r, const cJSON *ios, const char *side, bool output,
                      exchange_streams *to) {
    const cJSON *list = json_get_array(ios, r->path, side, r->d), *one;
    if (!list)
        return false;
    cJSON_ArrayForEach(one, list) {
        if (!read_stream(r, one, output, to))
            return false;
    }
    return true;
}

bool exchange_read_meta(const char *folder, arena *mem, diagnostics *d, exchange_program *p) {
    const char *path = arena_printf(mem, "%s/design_meta.json", folder), *bits;
    const reader r = {folder, path, mem, d};
    cJSON *json = json_read(path, d);
    const cJSON *ios = json ? json_get_object(json, path, "IOs", d) : NULL,
                *testing = ios ? json_get_object(json, path, "testing", d) : NULL;
    const bool ok = testing && json_get_text(testing, path, "bitstream", &bits, d) &&
                    (p->bits.words.len ||
                     exchange_read_bits(arena_printf(mem, "%s/%s", folder, bits), mem, d, &p->bits)) &&
                    read_side(&r, ios, "inputs", false, &p->inputs) &&
                    read_side(&r, ios, "outputs", true, &p->outputs);
    cJSON_Delete(json);
    return ok;
}
