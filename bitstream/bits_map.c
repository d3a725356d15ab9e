/* The register map: two tables of a board read into one sorted list of fields, with the lookups the
 * assembler and the disassembler share. */
#include "bitstream/bits_int.h"

#include "boards/onyx/fabric.h"

#include <stdlib.h>

const char *const bits_side_name[4] = {"EAST", "SOUTH", "WEST", "NORTH"};
const char *const bits_kind_name[BITS_KINDS] = {"none", "PE", "MEM", "IO"};

/* ---- reading the tables ---------------------------------------------------------------------- */

#define CSV_MAX_COLUMNS 8

typedef struct {
    const char *text;
    size_t length, offset; /* offset in the file */
} csv_cell;

/* One pass over a table: `next` is the offset of the next line. */
typedef struct {
    const char *text;
    size_t length, next;
    uint32_t source;
    uint32_t columns;
    csv_cell cell[CSV_MAX_COLUMNS];
    size_t line; /* offset of the current line */
    size_t line_length;
} csv_table;

static src_loc cell_loc(const csv_table *t, uint32_t column) {
    return src_at(t->source, t->cell[column].offset, t->cell[column].length);
}

/* Returns the offset of the first `sign` from `at` on, or `end`. */
static size_t sign_from(const csv_table *t, size_t at, size_t end, char sign) {
    const char *found = memchr(t->text + at, sign, end - at);
    return found ? (size_t)(found - t->text) : end;
}

/* Splits the next line with data; columns beyond the last kept column are only counted. */
static bool csv_next(csv_table *t) {
    while (t->next < t->length) {
        const size_t begin = t->next;
        size_t end = sign_from(t, begin, t->length, '\n');
        t->next = end + 1;
        if (end > begin && t->text[end - 1] == '\r')
            end--;
        if (end == begin || t->text[begin] == '#')
            continue;
        t->line = begin;
        t->line_length = end - begin;
        t->columns = 0;
        for (size_t at = begin; at <= end; at++) {
            size_t start = at;
            at = sign_from(t, at, end, ',');
            if (t->columns < CSV_MAX_COLUMNS)
                t->cell[t->columns] = (csv_cell){t->text + start, at - start, start};
            t->columns++;
        }
        return true;
    }
    return false;
}

static bool csv_open(csv_table *t, const char *folder, const char *file, const char *header, arena *mem,
                     diagnostics *d) {
    const char *path = arena_printf(mem, "%s/%s", folder, file);
    *t = (csv_table){0};
    t->text = text_read(path, d->mem, &t->length, d);
    if (!t->text)
        return diag_hint(
            d, "the board's \"register_map\" names the folder of its register tables, from the board's own");
    t->source = diag_add_source(d, path, t->text, t->length);
    if (csv_next(t) && t->line_length == strlen(header) && !memcmp(t->text + t->line, header, strlen(header)))
        return true;
    diag_error(d, src_at(t->source, t->line, t->line_length), "E0601-map-header",
               "the first row of a register table must name its columns");
    return diag_hint(d, "write %s", header);
}

/* Reads a cell as a number in [0, limit]. */
static bool cell_number(const csv_table *t, uint32_t column, uint32_t limit, uint32_t *out, diagnostics *d) {
    const csv_cell *c = &t->cell[column];
    uint32_t value = 0;
    bool good = c->length > 0 && c->length <= 6;
    for (size_t i = 0; good && i < c->length; i++) {
        good = c->text[i] >= '0' && c->text[i] <= '9';
        value = value * 10 + (uint32_t)(c->text[i] - '0');
    }
    *out = value;
    return (good && value <= limit) ||
           diag_error(d, cell_loc(t, column), "E0602-map-row", "expected a number from 0 to %u, found '%.*s'",
                      limit, (int)c->length, c->text);
}

static bool cell_is(const csv_cell *c, const char *text) {
    return c->length == strlen(text) && !memcmp(c->text, text, c->length);
}

static bool cell_tile(const csv_table *t, uint8_t *out, diagnostics *d) {
    for (*out = NET_TILE_PE; *out < BITS_KINDS; (*out)++) {
        if (cell_is(&t->cell[0], bits_kind_name[*out]))
            return true;
    }
    return diag_error(d, cell_loc(t, 0), "E0602-map-row", "expected a tile kind PE, MEM or IO, found '%.*s'",
                      (int)t->cell[0].length, t->cell[0].text);
}

static bool row_columns(const csv_table *t, uint32_t expected, diagnostics *d) {
    return t->columns == expected || diag_error(d, src_at(t->source, t->line, t->line_length),
                                                "E0602-map-row", "expected %u %s, found %u", expected,
                                                plural(expected, "column", "columns"), t->columns);
}

/* Reads the columns lo (column `first`), hi and field; `limit` bounds hi. */
static bool row_bits(const csv_table *t, uint32_t first, uint32_t limit, bits_field *f, arena *mem,
                     diagnostics *d) {
    uint32_t lo = 0, hi = 0;
    if (!cell_number(t, first, limit, &lo, d) || !cell_number(t, first + 1, limit, &hi, d))
        return false;
    const csv_cell *name = &t->cell[first + 2];
    if (lo > hi || hi - lo > 31)
        return diag_error(d, cell_loc(t, first + 1), "E0602-map-row",
                          "a field has 1 to 32 bits: hi must be %u to %u, found %u", lo, lo + 31, hi);
    if (!name->length)
        return diag_error(d, src_at(t->source, t->line, t->line_length), "E0602-map-row",
                          "the field has no name");
    f->lo = (uint16_t)lo;
    f->hi = (uint16_t)hi;
    f->name = arena_strndup(mem, name->text, name->length);
    f->loc = cell_loc(t, first + 2);
    return true;
}

/* Returns whether the name is a CONFIG_SPACE word; *k is 12 for "CONFIG_SPACE_12". */
static bool space_word(const char *name, uint32_t *k) {
    static const char prefix[] = "CONFIG_SPACE_";
    char *end = NULL;
    if (strncmp(name, prefix, sizeof prefix - 1) != 0)
        return false;
    const char *digits = name + sizeof prefix - 1;
    *k = (uint32_t)strtoul(digits, &end, 10);
    return *digits >= '0' && *digits <= '9' && !*end && *k < BITS_SPACE_WORDS;
}

static bool read_register_row(const csv_table *t, bits_map *map, arena *mem, diagnostics *d) {
    bits_field f = {.row = map->fields.len};
    uint32_t feature = 0, reg = 0, k = 0;
    if (!row_columns(t, 6, d) || !cell_tile(t, &f.tile, d) || !cell_number(t, 1, 15, &feature, d) ||
        !cell_number(t, 2, 254, &reg, d) || !row_bits(t, 3, 31, &f, mem, d))
        return false;
    f.feature = (uint8_t)feature;
    f.reg = (uint8_t)reg;
    if (space_word(f.name, &k)) {
        if (f.lo != 0)
            return diag_error(d, f.loc, "E0602-map-row", "a CONFIG_SPACE word starts at bit 0, not %u", f.lo);
        map->space_reg[f.tile][feature][k] = (uint8_t)(reg + 1);
    }
    vec_push(mem, &map->fields, f);
    return true;
}

/* Reads the columns tile, feature, mode, controller, lo, hi and field; further ones are the caller's. */
static bool space_field(const csv_table *t, const bits_map *map, arena *mem, diagnostics *d,
                        bits_field *out) {
    bits_field f = {.row = map->fields.len, .space = true, .mode = BITS_ANY_MODE};
    uint32_t feature = 0, mode = BITS_ANY_MODE;
    if (!cell_tile(t, &f.tile, d) || !cell_number(t, 1, 15, &feature, d) ||
        (!cell_is(&t->cell[2], "*") && !cell_number(t, 2, 7, &mode, d)) ||
        !row_bits(t, 4, BITS_SPACE_WORDS * 32 - 1, &f, mem, d))
        return false;
    f.feature = (uint8_t)feature;
    f.mode = (uint8_t)mode;
    for (uint32_t k = f.lo / 32u; k <= f.hi / 32u; k++) {
        if (!map->space_reg[f.tile][feature][k]) {
            diag_error(d, f.loc, "E0602-map-row", "%s feature %u has no word CONFIG_SPACE_%u",
                       bits_kind_name[f.tile], feature, k);
            return diag_hint(d, "add the word to regmap.csv, or correct lo and hi");
        }
    }
    *out = f;
    return true;
}

static bool read_space_row(const csv_table *t, bits_map *map, arena *mem, diagnostics *d) {
    bits_field f;
    if (!row_columns(t, 7, d) || !space_field(t, map, mem, d, &f))
        return false;
    vec_push(mem, &map->fields, f);
    return true;
}

/* Reads a row of a profile's table: the columns of space_field, then the field's meaning, the rest of the
 * line. */
static bool read_profile_row(const csv_table *t, const char *profile, bits_map *map, arena *mem,
                             diagnostics *d) {
    bits_field f;
    if (t->columns < 8) {
        row_columns(t, 8, d);
        return false;
    }
    if (!space_field(t, map, mem, d, &f))
        return false;
    const csv_cell *what = &t->cell[7];
    f.profile = profile;
    f.what = arena_strndup(mem, what->text, t->line + t->line_length - what->offset);
    if (strcmp(profile, map->board->profile) == 0)
        vec_push(mem, &map->fields, f);
    else
        vec_push(mem, &map->others, f);
    return true;
}

typedef bool row_reader(const csv_table *t, bits_map *map, arena *mem, diagnostics *d);

static bool read_table(bits_map *map, const char *file, const char *header, row_reader *row, arena *mem,
                       diagnostics *d) {
    csv_table t;
    bool good = csv_open(&t, map->board->folder, file, header, mem, d);
    while (good && csv_next(&t))
        good = row(&t, map, mem, d);
    return good;
}

/* Reads the tables of all profiles of the board. The fields of the profile in use belong to the map. */
static bool read_profiles(bits_map *map, arena *mem, diagnostics *d) {
    const cJSON *m = cJSON_GetObjectItemCaseSensitive(map->board->json, "profiles");
    bool good = true;
    for (m = m ? m->child : NULL; good && m; m = m->next) {
        csv_table t;
        good = csv_open(&t, map->board->folder, arena_printf(mem, "%s.csv", m->valuestring),
                        "tile,feature,mode,controller,lo,hi,field,what", mem, d);
        while (good && csv_next(&t))
            good = read_profile_row(&t, m->valuestring, map, mem, d);
    }
    return good;
}

/* ---- order ----------------------------------------------------------------------------------- */

static int order(uint32_t a, uint32_t b) {
    return a < b ? -1 : a > b;
}

static int by_name(const void *left, const void *right) {
    const bits_field *a = left, *b = right;
    int c = order(a->tile, b->tile);
    c = c ? c : strcmp(a->name, b->name);
    c = c ? c : order(a->feature, b->feature);
    return c ? c : order(a->row, b->row);
}

/* The sort key of by_place stands next to the field's number: qsort needs no context. */
typedef struct {
    uint64_t key;
    uint32_t number;
} place_key;

static uint64_t place(uint32_t tile, uint32_t feature, bool space, uint32_t reg, uint32_t lo) {
    return (uint64_t)tile << 48 | (uint64_t)feature << 40 | (uint64_t)space << 36 | (uint64_t)reg << 16 | lo;
}

static uint64_t field_place(const bits_field *f) {
    return place(f->tile, f->feature, f->space, f->reg, f->lo);
}

static int by_key(const void *left, const void *right) {
    const place_key *a = left, *b = right;
    return a->key != b->key ? (a->key < b->key ? -1 : 1) : order(a->number, b->number);
}

static void sort_fields(bits_map *map, arena *mem) {
    qsort(map->fields.at, map->fields.len, sizeof *map->fields.at, by_name);
    place_key *keys = arena_new_n(mem, place_key, map->fields.len);
    for (uint32_t i = 0; i < map->fields.len; i++)
        keys[i] = (place_key){field_place(bits_field_at(map, i)), i};
    qsort(keys, map->fields.len, sizeof *keys, by_key);
    for (uint32_t i = 0; i < map->fields.len; i++)
        vec_push(mem, &map->by_place, keys[i].number);
}

/* Two meanings of a bit, or a name for two fields of a feature, would make decoding ambiguous. */
static bool check_overlaps(const bits_map *map, diagnostics *d) {
    bool good = true;
    for (uint32_t i = 0; i + 1 < map->fields.len; i++) {
        const bits_field *a = bits_field_at(map, i), *b = a + 1;
        if (a->tile == b->tile && a->feature == b->feature && !strcmp(a->name, b->name)) {
            diag_error(d, b->loc, "E0603-map-overlap", "field '%s' is defined twice", b->name);
            diag_note(d, a->loc, "first defined here");
            good = false;
        }
    }
    for (uint32_t i = 0; i < map->by_place.len; i++) {
        const bits_field *a = bits_field_at(map, map->by_place.at[i]);
        for (uint32_t j = i + 1; j < map->by_place.len; j++) {
            const bits_field *b = bits_field_at(map, map->by_place.at[j]);
            if (field_place(b) > place(a->tile, a->feature, a->space, a->reg, a->hi))
                break;
            if (a->mode != b->mode && a->mode != BITS_ANY_MODE && b->mode != BITS_ANY_MODE)
                continue;
            diag_error(d, b->loc, "E0603-map-overlap", "field '%s' overlaps field '%s'", b->name, a->name);
            diag_note(d, a->loc, "the other field");
            good = false;
        }
    }
    return good;
}

/* ---- the fields the assembler itself writes -------------------------------------------------- */

static bool require(const bits_map *map, net_tile tile, uint32_t *number, diagnostics *d, const char *name) {
    const bits_field *f = bits_find(map, tile, BITS_ANY_FEATURE, name);
    *number = f ? (uint32_t)(f - map->fields.at) : BITS_NO_FIELD;
    if (!f) {
        diag_error(d, (src_loc){0}, "E0604-map-incomplete",
                   "the register map of '%s' has no field %s for %s tiles", map->board->folder, name,
                   bits_kind_name[tile]);
        diag_hint(d, "add it to regmap.csv");
    }
    return f != NULL;
}

static bool require_sb(bits_map *map, net_tile tile, uint32_t side, uint32_t track, arena *mem,
                       diagnostics *d) {
    bits_sb *sb = &map->sb[tile][side][track];
    const char *s = bits_side_name[side];
    return require(map, tile, &sb->enable, d, arena_printf(mem, "SB_T%u_%s_SB_OUT_B17_enable", track, s)) &&
           require(map, tile, &sb->sel, d, arena_printf(mem, "SB_T%u_%s_SB_OUT_B17_sel", track, s)) &&
           require(map, tile, &sb->rmux, d, arena_printf(mem, "RMUX_T%u_%s_B17_sel", track, s)) &&
           require(map, tile, &sb->fifo, d, arena_printf(mem, "REG_T%u_%s_B17_fifo", track, s)) &&
           require(map, tile, &sb->start, d, arena_printf(mem, "REG_T%u_%s_B17_start", track, s)) &&
           require(map, tile, &sb->end, d, arena_printf(mem, "REG_T%u_%s_B17_end", track, s));
}

static bool require_core(bits_map *map, net_tile tile, const char *name, uint32_t *number, diagnostics *d) {
    const bits_field *f = bits_find(map, tile, 0, name);
    *number = f ? (uint32_t)(f - map->fields.at) : BITS_NO_FIELD;
    if (!f)
        diag_error(d, (src_loc){0}, "E0604-map-incomplete",
                   "the register map of '%s' has no field %s in feature 0 of %s tiles", map->board->folder,
                   name, bits_kind_name[tile]);
    return f != NULL;
}

static bool require_all(bits_map *map, arena *mem, diagnostics *d) {
    BUG_IF(map->board->tracks > BITS_MAX_TRACKS, "%u tracks", map->board->tracks);
    bool good = true;
    map->mode[NET_TILE_NONE] = map->mode[NET_TILE_IO] = BITS_NO_FIELD;
    for (net_tile tile = NET_TILE_PE; tile <= NET_TILE_IO; tile++)
        good = require_core(map, tile, "tile_en", &map->tile_en[tile], d) && good;
    for (net_tile tile = NET_TILE_PE; good && tile <= NET_TILE_MEM; tile++) {
        const char *kind = bits_kind_name[tile];
        good = require_core(map, tile, "mode", &map->mode[tile], d);
        for (uint32_t i = 0; good && i < 4 * map->board->tracks; i++)
            good = require_sb(map, tile, i % 4, i / 4, mem, d);
        for (uint32_t port = 0; good && port < 4; port++) {
            bits_cb *cb = &map->cb[tile][port];
            const char *node = arena_printf(mem, "CB_%s_input_width_17_num_%u", kind, port);
            good = require(map, tile, &cb->enable, d, arena_printf(mem, "%s_enable", node)) &&
                   require(map, tile, &cb->sel, d, arena_printf(mem, "%s_sel", node));
        }
    }
    return good;
}

static void list_core_fields(bits_map *map, arena *mem) {
    uint32_t k = 0;
    for (uint32_t i = 0; i < map->fields.len; i++) {
        const bits_field *f = bits_field_at(map, i);
        if (f->feature == 0 && !space_word(f->name, &k))
            vec_push(mem, &map->core[f->tile], i);
    }
}

/* Lists the three inputs of every output of the switch box, none from its own side. */
static void invert_switches(bits_map *map) {
    const pnr_board *b = map->board;
    for (uint32_t i = 0; i < 16 * b->tracks; i++) {
        pnr_side in = (pnr_side)(i % 4), out = (pnr_side)(i / 4 % 4);
        uint32_t track = i / 16, to = 0, select = 0;
        if (!pnr_switch_track(b, in, track, out, &to) || !pnr_switch_select(b, in, track, out, to, &select))
            continue;
        BUG_IF(select > 2, "switch-box input %u", select);
        map->switch_input[out][to][select] = (bits_wire){(uint8_t)in, (uint8_t)track};
    }
}

bool bits_map_read(const pnr_board *b, arena *mem, diagnostics *d, bits_map **out) {
    bits_map *map = arena_new(mem, bits_map);
    map->board = b;
    if (!read_table(map, "regmap.csv", "tile,feature,register,lo,hi,field", read_register_row, mem, d) ||
        !read_table(map, "config_space.csv", "tile,feature,mode,controller,lo,hi,field", read_space_row, mem,
                    d) ||
        !read_profiles(map, mem, d))
        return false;
    sort_fields(map, mem);
    if (!check_overlaps(map, d) || !require_all(map, mem, d))
        return false;
    list_core_fields(map, mem);
    invert_switches(map);
    *out = map;
    return true;
}

/* ---- lookups --------------------------------------------------------------------------------- */

const bits_field *bits_find(const bits_map *map, net_tile tile, uint32_t feature, const char *name) {
    uint32_t low = 0, high = map->fields.len;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        const bits_field *f = bits_field_at(map, middle);
        int c = order(f->tile, tile);
        c = c ? c : strcmp(f->name, name);
        c = c ? c : (feature == BITS_ANY_FEATURE ? 0 : order(f->feature, feature));
        if (c == 0)
            return f;
        if (c < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

bool bits_is_elsewhere(const bits_map *map, net_tile tile, const char *name) {
    for (uint32_t i = 0; i < map->others.len; i++) {
        if (map->others.at[i].tile == tile && strcmp(map->others.at[i].name, name) == 0)
            return true;
    }
    return false;
}

static void list_field(const bits_field *f, const char *indent, FILE *out) {
    if (f->profile)
        fprintf(out, "%s%s, %s mode %u: %s (%s)\n", indent, f->profile, bits_kind_name[f->tile], f->mode,
                f->what, f->name);
}

void bits_list_profiles(const bits_map *map, const char *indent, FILE *out) {
    for (uint32_t i = 0; i < map->fields.len; i++)
        list_field(bits_field_at(map, i), indent, out);
    for (uint32_t i = 0; i < map->others.len; i++)
        list_field(&map->others.at[i], indent, out);
}

uint32_t bits_pieces(const bits_map *map, const bits_field *f, bits_piece piece[2]) {
    uint32_t width = f->hi - f->lo + 1u;
    if (!f->space) {
        piece[0] = (bits_piece){f->reg, (uint8_t)f->lo, (uint8_t)width, 0};
        return 1;
    }
    const uint8_t *reg = map->space_reg[f->tile][f->feature];
    uint32_t k = f->lo / 32u, shift = f->lo % 32u;
    uint32_t first = width < 32 - shift ? width : 32 - shift;
    piece[0] = (bits_piece){(uint8_t)(reg[k] - 1), (uint8_t)shift, (uint8_t)first, 0};
    if (first == width)
        return 1;
    piece[1] = (bits_piece){(uint8_t)(reg[k + 1] - 1), 0, (uint8_t)(width - first), (uint8_t)first};
    return 2;
}

/* Returns the first position in by_place whose key is not below `key`. */
static uint32_t place_from(const bits_map *map, uint64_t key) {
    uint32_t low = 0, high = map->by_place.len;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (field_place(bits_field_at(map, map->by_place.at[middle])) < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Visits the fields of CONFIG_SPACE_k. A field may begin in the word before, since fields have at most 32
 * bits. */
static uint32_t each_space_field(const bits_map *map, bits_register at, uint32_t k, bits_visit *visit,
                                 void *context) {
    uint32_t begin = k * 32, mask = 0;
    uint32_t i = place_from(map, place(at.tile, at.feature, true, 0, begin >= 32 ? begin - 31 : 0));
    for (; i < map->by_place.len; i++) {
        const bits_field *f = bits_field_at(map, map->by_place.at[i]);
        if (field_place(f) > place(at.tile, at.feature, true, 0, begin + 31))
            break;
        if (f->hi < begin || (f->mode != BITS_ANY_MODE && f->mode != at.mode))
            continue;
        for (uint32_t bit = f->lo; bit <= f->hi; bit++)
            mask |= bit >= begin && bit < begin + 32 ? 1u << (bit - begin) : 0;
        visit(context, f);
    }
    return mask;
}

uint32_t bits_each_field(const bits_map *map, bits_register at, bits_visit *visit, void *context) {
    uint32_t mask = 0, k = 0;
    if (at.feature > 15)
        return 0;
    for (uint32_t i = place_from(map, place(at.tile, at.feature, false, at.reg, 0)); i < map->by_place.len;
         i++) {
        const bits_field *f = bits_field_at(map, map->by_place.at[i]);
        if (field_place(f) > place(at.tile, at.feature, false, at.reg, 31))
            break;
        if (space_word(f->name, &k)) {
            mask |= each_space_field(map, at, k, visit, context);
        } else {
            mask |= bits_mask(f->hi - f->lo + 1u) << f->lo;
            visit(context, f);
        }
    }
    return mask;
}

net_tile bits_tile(const bits_map *map, uint32_t address) {
    uint32_t x = bits_x(address), y = bits_y(address);
    bool inside = x < map->board->width && y < map->board->height;
    return inside ? pnr_site_tile(map->board, x, y) : NET_TILE_NONE;
}

uint32_t bits_value(const bits_map *map, const bits_stream *sorted, const bits_field *f, uint32_t x,
                    uint32_t y) {
    bits_piece piece[2];
    uint32_t value = 0, pieces = bits_pieces(map, f, piece);
    for (uint32_t i = 0; i < pieces; i++) {
        uint32_t data = bits_data(sorted, bits_address(piece[i].reg, f->feature, x, y));
        value |= (data >> piece[i].shift & bits_mask(piece[i].width)) << piece[i].from;
    }
    return value;
}

uint32_t bits_mode(const bits_map *map, const bits_stream *sorted, uint32_t x, uint32_t y) {
    uint32_t field = map->mode[bits_tile(map, bits_address(0, 0, x, y))];
    return field == BITS_NO_FIELD ? 0 : bits_value(map, sorted, bits_field_at(map, field), x, y);
}

/* ---- connection boxes ------------------------------------------------------------------------ */

uint32_t bits_cb_select(uint32_t side, uint32_t track) {
    uint32_t rank = 0;
    while (onyx_box_side[rank] != side)
        rank++;
    return 4 * track + rank;
}

bool bits_cb_wire(const pnr_board *b, uint32_t select, pnr_side *side, uint32_t *track) {
    *side = (pnr_side)onyx_box_side[select % 4];
    *track = select / 4;
    return *track < b->tracks;
}
