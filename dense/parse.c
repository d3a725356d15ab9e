/* The parser of the text form: a line is a form selected by its first word. */
#include "boards/onyx/fabric.h"
#include "dense/text_int.h"

#include <stdlib.h>

#define INSTRUCTION "PE_onyx_inst_onyxpeintf_inst."

typedef struct {
    const char *text;
    size_t length, at; /* at: where the next word of the line begins */
    uint32_t source;
    diagnostics *d;
    dense_design *design;
    dense_tile *tile;
} parser;

/* A word of a line; length 0 at its end. */
typedef struct {
    const char *at;
    size_t length, offset;
} word;

/* ---- words ------------------------------------------------------------------------------------- */

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static word peek(parser *p) {
    while (p->at < p->length && is_blank(p->text[p->at]))
        p->at++;
    size_t end = p->at;
    if (end < p->length && p->text[end] != '#') {
        while (end < p->length && !is_blank(p->text[end]) && p->text[end] != '\n')
            end++;
    }
    return (word){p->text + p->at, end - p->at, p->at};
}

static word next(parser *p) {
    word w = peek(p);
    p->at += w.length;
    return w;
}

static bool is(word w, const char *text) {
    return w.length == strlen(text) && memcmp(w.at, text, w.length) == 0;
}

static bool expected(const parser *p, word w, const char *what) {
    diag_error(p->d, src_at(p->source, w.offset, w.length ? w.length : 1), "E0982-dense-text",
               "expected %s, found %s", what,
               w.length ? arena_printf(p->d->mem, "'%.*s'", (int)(w.length < 60 ? w.length : 60), w.at)
                        : "the end of the line");
    return diag_hint(p->d, "docs/dense.md has the lines of the text form");
}

/* Takes the word if next. */
static bool accept(parser *p, const char *text) {
    bool found = is(peek(p), text);
    if (found)
        next(p);
    return found;
}

static bool to_number(word w, int64_t *out) {
    char digits[24] = "", *end = NULL;
    if (!w.length || w.length >= sizeof digits)
        return false;
    memcpy(digits, w.at, w.length);
    *out = strtoll(digits, &end, 10);
    return !*end && *out >= INT32_MIN && *out <= UINT32_MAX;
}

static bool is_number(word w) {
    int64_t value = 0;
    return to_number(w, &value);
}

static bool number(parser *p, const char *what, int64_t *out) {
    word w = next(p);
    return to_number(w, out) || expected(p, w, what);
}

/* ---- settings ---------------------------------------------------------------------------------- */

/* Sets a field; a negative value is taken modulo its width. */
static bool put(parser *p, const bits_field *f, int64_t value, word w) {
    const uint32_t width = f ? f->hi - f->lo + 1u : 0;
    if (!f)
        return expected(p, w, "a field that the tile has");
    if (value < -((int64_t)1 << (width - 1)) || value > (int64_t)bits_mask(width))
        return expected(p, w,
                        arena_printf(p->d->mem, "a number of %u %s", width, plural(width, "bit", "bits")));
    dense_set(p->tile, f, (uint32_t)value & bits_mask(width), p->d->mem);
    return true;
}

static const bits_field *named(const parser *p, uint32_t feature, const char *name) {
    return bits_find(p->design->map, p->tile->kind, feature, name);
}

static bool put_number(parser *p, const bits_field *f, const char *what) {
    word w = peek(p);
    int64_t value = 0;
    return number(p, what, &value) && put(p, f, value, w);
}

/* ---- units ------------------------------------------------------------------------------------- */

/* Finds the place of a name in a list; n if missing. */
static uint32_t place_of(word w, const char *const *names, uint32_t n) {
    uint32_t i = 0;
    while (i < n && !(names[i] && is(w, names[i])))
        i++;
    return i;
}

static bool read_operation(parser *p) {
    word w = peek(p);
    for (uint32_t kind = 0; kind < DENSE_KINDS; kind++) {
        uint32_t opcode = place_of(w, dense_opcode_names[kind], DENSE_OPCODES);
        if (opcode == DENSE_OPCODES)
            continue;
        next(p);
        return put(p, named(p, 0, INSTRUCTION "kind"), kind, w) &&
               put(p, named(p, 0, INSTRUCTION "opcode"), opcode, w);
    }
    return true;
}

/* Reads the value of an operand after `x=`: the mode of its register, or a constant. */
static bool read_operand(parser *p, uint32_t k, word value) {
    int64_t constant = 0;
    uint32_t mode = place_of(value, dense_mode_names, 4);
    if (mode == 4 && !to_number(value, &constant))
        return expected(p, value, "old, wire, delay, or a constant");
    if (mode == 4)
        return put(p, named(p, 0, dense_constant_fields[k]), constant, value);
    return put(p, named(p, 0, dense_mode_fields[k]), mode, value);
}

/* Reads NAME=VALUE of the line `alu`. */
static bool read_assignment(parser *p, word w) {
    const char *equals = memchr(w.at, '=', w.length);
    const size_t name = equals ? (size_t)(equals - w.at) : w.length;
    const word value = {w.at + name + 1, w.length - name - 1, w.offset + name + 1};
    int64_t lut = 0;
    if (!equals)
        return expected(p, w, "signed, if=, lut=, or an operand a= to f=");
    if (name == 1 && w.at[0] >= 'a' && w.at[0] < 'a' + DENSE_OPERANDS)
        return read_operand(p, (uint32_t)(w.at[0] - 'a'), value);
    if (name == 3 && memcmp(w.at, "lut", 3) == 0 && to_number(value, &lut))
        return put(p, named(p, 0, INSTRUCTION "lut"), lut, value);
    uint32_t condition = place_of(value, dense_condition_names, DENSE_CONDITIONS);
    if (name == 2 && memcmp(w.at, "if", 2) == 0 && condition < DENSE_CONDITIONS)
        return put(p, named(p, 0, INSTRUCTION "cond"), condition, value);
    return expected(p, w, "if=CONDITION, lut=NUMBER, or an operand a= to f=");
}

static bool read_instruction(parser *p) {
    bool ok = read_operation(p);
    while (ok && peek(p).length) {
        word w = next(p);
        ok = is(w, "signed") ? put(p, named(p, 0, INSTRUCTION "signed"), 1, w) : read_assignment(p, w);
    }
    return ok;
}

static bool read_word_line(parser *p, word first, const dense_word_line *line) {
    bool ok = true;
    for (uint32_t i = 0; ok && line->fixed[i].field; i++)
        ok = put(p, named(p, line->fixed[i].feature, line->fixed[i].field), line->fixed[i].value, first);
    return ok && (strcmp(line->word, "alu") != 0 || read_instruction(p));
}

/* ---- generators -------------------------------------------------------------------------------- */

static bool read_nest(parser *p, const dense_generator_fields *f, dense_nest *nest) {
    word first = peek(p);
    for (int64_t extent; is_number(peek(p)); nest->dim++) {
        word w = peek(p);
        if (nest->dim == f->dims)
            return expected(p, w, arena_printf(p->d->mem, "at most %u loops", f->dims));
        if (!number(p, "an extent", &extent))
            return false;
        if (extent < 2)
            return expected(p, w, "an extent of 2 or more: a loop of one iteration is left out");
        nest->range[nest->dim] = (uint32_t)(extent - 2);
        if (!put(p, f->range[nest->dim], extent - 2, w))
            return false;
    }
    return put(p, f->dim, nest->dim, first);
}

/* Reads START by STRIDE..: the fields hold the growth of the value from the end of the inner loops on. */
static bool read_affine(parser *p, const bits_field *start, const bits_field *const *increment,
                        const dense_nest *nest) {
    uint32_t inner = 0;
    if (!put_number(p, start, "a start"))
        return false;
    if (nest->dim && !accept(p, "by"))
        return expected(p, peek(p), "'by' and a stride for each loop");
    for (uint32_t i = 0; i < nest->dim; i++) {
        int64_t stride = 0;
        word w = peek(p);
        if (!number(p, "a stride for each loop", &stride))
            return false;
        const uint32_t width = increment[i]->hi - increment[i]->lo + 1u;
        if (stride < -((int64_t)1 << width) || stride >= (int64_t)1 << width)
            return expected(p, w, arena_printf(p->d->mem, "a stride of %u bits", width));
        dense_set(p->tile, increment[i], ((uint32_t)stride - inner) & bits_mask(width), p->d->mem);
        inner += (uint32_t)stride * (nest->range[i] + 1);
    }
    return true;
}

static bool read_generator(parser *p, dense_generator_key key) {
    const dense_generator_fields f = dense_fields_of(p->design->map, key);
    dense_nest nest = {.dim = 0};
    word first = peek(p);
    if ((!accept(p, "off") && !put(p, f.enable, 1, first)) || (accept(p, "over") && !read_nest(p, &f, &nest)))
        return false;
    if (!accept(p, "at"))
        return expected(p, peek(p), "'at' and the cycle of the first event");
    return read_affine(p, f.at, f.at_stride, &nest) &&
           (!f.address[0] || !accept(p, "address") || read_affine(p, f.address[0], f.stride[0], &nest)) &&
           (!f.address[1] || !accept(p, "row") || read_affine(p, f.address[1], f.stride[1], &nest)) &&
           (!f.delay || !accept(p, "delay") || put_number(p, f.delay, "a number of cycles"));
}

/* ---- routing ----------------------------------------------------------------------------------- */

/* Returns the side of this name; 4 for none. */
static uint32_t side_of(word w) {
    return place_of(w, bits_side_name, 4);
}

static bool read_arrow(parser *p) {
    return accept(p, "<-") || expected(p, peek(p), "'<-' and a source");
}

/* Reads xNyM.OUTPUT and a number of registers: the source of the input without a route. *found: the next word
 * has this form. */
static bool read_link(parser *p, uint32_t port, uint32_t width, bool *found) {
    dense_link l = {.x = p->tile->x, .y = p->tile->y, .port = port, .width = width};
    unsigned x = 0, y = 0;
    int name = 0;
    int64_t registers = 0;
    const word w = peek(p);
    const char *text = arena_strndup(p->d->mem, w.at, w.length);
    *found = sscanf(text, "x%3uy%3u.%n", &x, &y, &name) == 2 && name;
    if (!*found)
        return true;
    next(p);
    const net_tile kind = pnr_site_tile(p->design->board, x, y);
    for (l.place = 0; l.place < 4; l.place++) {
        const char *output = dense_output_name(kind, width, l.place);
        if (output && strcmp(output, text + name) == 0)
            break;
    }
    if (l.place == 4)
        return expected(p, w,
                        width == DENSE_WORD ? "an output of words of a tile" : "an output of bits of a tile");
    const word count = peek(p);
    if (is_number(count) &&
        (!number(p, "a number of registers", &registers) || registers < 0 || registers > 255))
        return expected(p, count, "0 to 255 registers");
    l.from_x = x;
    l.from_y = y;
    l.registers = (uint32_t)registers;
    l.loc = src_at(p->source, w.offset, w.length);
    vec_push(p->d->mem, &p->design->links, l);
    return true;
}

/* Reads an IO tile's source for the global buffer: word or bit. */
static bool read_io(parser *p, word first, bool *found) {
    const uint32_t width = place_of(first, dense_io_names, DENSE_WIDTHS);
    bool linked = false;
    *found = p->tile->kind == NET_TILE_IO && width < DENSE_WIDTHS;
    return !*found || (read_arrow(p) && read_link(p, DENSE_PORTS, width, &linked) &&
                       (linked || expected(p, peek(p), "an output of a tile, as x3y1.out0")));
}

static bool read_box(parser *p, dense_port port, word first) {
    const dense_port_row *row = &dense_ports[port];
    const bits_field *enable = named(p, row->feature, arena_printf(p->d->mem, "%s_enable", row->box)),
                     *select = named(p, row->feature, arena_printf(p->d->mem, "%s_sel", row->box));
    bool linked = false;
    if (!read_arrow(p) || !read_link(p, port, row->width, &linked))
        return false;
    if (linked)
        return true;
    if (!put(p, enable, 1, first))
        return false;
    if (accept(p, "select"))
        return put_number(p, select, "the number of an input");
    word w = next(p);
    int64_t track = 0;
    for (uint32_t inner = row->last - 1u; inner <= row->last; inner++) {
        if (dense_inner_name(port, inner) && is(w, dense_inner_name(port, inner)))
            return put(p, select, inner, w);
    }
    if (side_of(w) == 4)
        return expected(p, w, "a side, zero, an output of the tile, or 'select' and a number");
    if (!number(p, "a track", &track))
        return false;
    if (track < 0 || track >= p->design->board->tracks)
        return expected(p, w, "a track of the board");
    return put(p, select, bits_cb_select(side_of(w), (uint32_t)track), w);
}

/* Finds the select of a switch-box output for the next words: a side and track, a core output, or a number.
 */
static bool read_source(parser *p, dense_origin at, uint32_t width, int64_t *select) {
    word w = next(p);
    int64_t track = 0;
    if (is(w, "select"))
        return number(p, "the number of an input", select);
    uint32_t side = side_of(w), core = place_of(w, dense_core_outputs[p->tile->kind][width], 4), s = 0;
    *select = core + ONYX_SELECTS;
    if (core < 4)
        return true;
    if (side == 4)
        return expected(p, w, "a side, an output of the tile, or 'select' and a number");
    if (!number(p, "a track", &track))
        return false;
    for (s = 0; s < ONYX_SELECTS; s++) {
        if (onyx_switch_input[at.side * ONYX_TRACKS + at.track][s] == side * ONYX_TRACKS + (uint32_t)track)
            break;
    }
    *select = s;
    return s < ONYX_SELECTS || expected(p, w, "a wire that the switch box leads to this output");
}

static bool read_wire(parser *p, word first) {
    const uint32_t width = first.at[0] == 'T' ? DENSE_WORD : DENSE_BIT;
    dense_origin at = {.kind = DENSE_FROM_WIRE, .track = (uint32_t)(first.at[1] - '0')};
    const bits_map *map = p->design->map;
    word w = next(p);
    int64_t select = 0;
    at.side = side_of(w);
    if (at.side == 4 || at.track >= p->design->board->tracks)
        return expected(p, w, "a track and a side");
    if (!read_arrow(p) || !read_source(p, at, width, &select) ||
        !put(p, dense_find_wire_field(map, p->tile->kind, DENSE_WIRE_ENABLE, at, width), 1, first) ||
        !put(p, dense_find_wire_field(map, p->tile->kind, DENSE_WIRE_SELECT, at, width), select, first))
        return false;
    return !accept(p, "register") ||
           put(p, dense_find_wire_field(map, p->tile->kind, DENSE_WIRE_RMUX, at, width), 1, first);
}

/* ---- the rest ---------------------------------------------------------------------------------- */

/* Reads FEATURE.REGISTER as an address of the tile. */
static bool read_place(parser *p, uint32_t *address) {
    word w = next(p);
    const char *dot = memchr(w.at, '.', w.length);
    const size_t before = dot ? (size_t)(dot - w.at) : 0;
    int64_t feature = 0, reg = 0;
    if (!dot || !to_number((word){w.at, before, w.offset}, &feature) ||
        !to_number((word){dot + 1, w.length - before - 1, w.offset}, &reg) || feature < 0 || feature > 15 ||
        reg < 0 || reg > 255)
        return expected(p, w, "FEATURE.REGISTER");
    *address = bits_address((uint32_t)reg, (uint32_t)feature, p->tile->x, p->tile->y);
    return true;
}

static bool read_contents(parser *p) {
    uint32_t address = 0;
    int64_t data = 0;
    word first = peek(p);
    if (!read_place(p, &address))
        return false;
    if (!dense_is_contents(p->tile->kind, bits_feature(address)))
        return expected(p, first, "a word of the tile's memory");
    while (is_number(peek(p))) {
        if (!number(p, "a word", &data))
            return false;
        vec_push(p->d->mem, &p->tile->contents.words, (bits_word){address, (uint32_t)data, {0}});
    }
    return true;
}

static bool read_zeros(parser *p) {
    while (peek(p).length) {
        uint32_t address = 0;
        if (!read_place(p, &address))
            return false;
        vec_push(p->d->mem, &p->tile->zeros, address);
    }
    return true;
}

static bool read_set(parser *p) {
    int64_t feature = 0;
    if (!number(p, "a feature", &feature))
        return false;
    word w = next(p);
    const char *name = arena_strndup(p->d->mem, w.at, w.length);
    return put_number(p, named(p, (uint32_t)feature, name), "a value");
}

static bool read_named(parser *p, word first, bool *found) {
    for (uint32_t i = 0; i < dense_named_count; i++) {
        const dense_named *n = &dense_named_settings[i];
        if (n->tile != p->tile->kind || !is(first, n->name))
            continue;
        *found = true;
        return put_number(p, named(p, n->feature, n->field), "a number");
    }
    return true;
}

/* Reads a line whose first word belongs to a table. */
static bool read_of_table(parser *p, word first, bool *found) {
    *found = true;
    for (uint32_t i = 0; i < dense_word_line_count; i++) {
        if (dense_word_lines[i].fixed->tile == p->tile->kind && is(first, dense_word_lines[i].word))
            return read_word_line(p, first, &dense_word_lines[i]);
    }
    for (dense_generator_key key = 0; key < DENSE_GENERATORS; key++) {
        const dense_generator_fields f = dense_fields_of(p->design->map, key);
        if (f.tile == p->tile->kind && is(first, f.name))
            return read_generator(p, key);
    }
    for (dense_port port = 0; port < DENSE_PORTS; port++) {
        if (dense_ports[port].tile == p->tile->kind && is(first, dense_ports[port].name))
            return read_box(p, port, first);
    }
    const bool ok = read_io(p, first, found);
    return *found ? ok : read_named(p, first, found);
}

static bool read_tile(parser *p) {
    word w = next(p);
    unsigned x = 0, y = 0;
    int length = 0;
    const char *site = arena_strndup(p->d->mem, w.at, w.length);
    if (sscanf(site, "x%3uy%3u%n", &x, &y, &length) != 2 || site[length])
        return expected(p, w, "a tile such as x3y4");
    dense_tile t = {.x = x, .y = y, .kind = pnr_site_tile(p->design->board, x, y)};
    t.loc = src_at(p->source, w.offset, w.length);
    const dense_tile *before = p->design->tiles.len ? &p->design->tiles.at[p->design->tiles.len - 1] : NULL;
    if (before && (before->x > x || (before->x == x && before->y >= y)))
        return expected(p, w, "tiles in the order of x, then y");
    w = next(p);
    if (t.kind == NET_TILE_NONE || !is(w, bits_kind_name[t.kind]))
        return expected(p, w, t.kind == NET_TILE_NONE ? "a tile of the board" : bits_kind_name[t.kind]);
    vec_push(p->d->mem, &p->design->tiles, t);
    p->tile = &p->design->tiles.at[p->design->tiles.len - 1];
    return true;
}

static bool read_line(parser *p) {
    word first = next(p);
    bool found = false;
    if (!first.length)
        return true;
    if (is(first, "tile"))
        return read_tile(p);
    if (!p->tile)
        return expected(p, first, "a tile");
    if (is(first, "set"))
        return read_set(p);
    if (is(first, "contents"))
        return read_contents(p);
    if (is(first, "zero"))
        return read_zeros(p);
    if (first.length == 2 && (first.at[0] == 'T' || first.at[0] == 'B') && first.at[1] >= '0' &&
        first.at[1] <= '9' && p->tile->kind != NET_TILE_IO)
        return read_wire(p, first);
    return read_of_table(p, first, &found) && (found || expected(p, first, "a line of this tile"));
}

/* Moves to the next line; the rest of this line is a comment. */
static bool end_line(parser *p) {
    word w = peek(p);
    if (w.length)
        return expected(p, w, "the end of the line");
    while (p->at < p->length && p->text[p->at] != '\n')
        p->at++;
    p->at++;
    return true;
}

bool dense_parse(const char *path, const char *text, const pnr_board *board, const bits_map *map,
                 diagnostics *d, dense_design *out) {
    parser p = {.d = d, .design = out, .text = text, .length = text ? strlen(text) : 0};
    *out = (dense_design){.board = board, .map = map};
    if (!text)
        p.text = text_read(path, d->mem, &p.length, d);
    if (!p.text)
        return false;
    p.source = diag_add_source(d, path, p.text, p.length);
    while (!peek(&p).length && p.at < p.length)
        end_line(&p);
    if (!accept(&p, "dense") || !is(peek(&p), board->name))
        return expected(&p, peek(&p), arena_printf(d->mem, "'dense %s' in the first line", board->name));
    next(&p);
    bool ok = end_line(&p);
    while (ok && p.at < p.length)
        ok = read_line(&p) && end_line(&p);
    for (uint32_t i = 0; ok && i < out->tiles.len; i++)
        out->tiles.at[i].mode = dense_value(out, &out->tiles.at[i], 0, "mode");
    return ok;
}
