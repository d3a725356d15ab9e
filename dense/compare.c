/* Comparison of dense designs, and counts of a design's tiles. */
#include "dense/compare.h"

#include "dense/links.h"
#include "dense/text_int.h"
#include "dense/timing.h"
#include "support/number.h"

/* ---- words ------------------------------------------------------------------------------------- */

static bool same_words(const bits_stream *bits, const bits_stream *again, diagnostics *d) {
    bits_stream sorted = bits_sorted(bits, d->mem);
    for (uint32_t i = 0; i < sorted.words.len; i++) {
        const bits_word *have = &sorted.words.at[i];
        if (i < again->words.len && have->address == again->words.at[i].address &&
            have->data == again->words.at[i].data)
            continue;
        return diag_error(d, have->loc, "E0921-not-canonical",
                          "this word decodes, but encodes to another one");
    }
    return sorted.words.len == again->words.len;
}

bool dense_verify(const bits_stream *bits, const dense_design *design, diagnostics *d) {
    text_out out;
    dense_design again;
    text_begin(&out);
    dense_dump(design, out.stream);
    const char *text = text_end(&out, d->mem);
    if (!dense_parse("its text form", text, design->board, design->map, d, &again))
        return false;
    bits_stream words = dense_encode(&again, d->mem);
    return same_words(bits, &words, d);
}

/* ---- two designs ------------------------------------------------------------------------------- */

typedef struct {
    const dense_design *a, *b;
    FILE *out;
    bool same;
} comparison;

/* The designs may be of two register maps, each with fields of its own. */
static uint32_t value_in(const dense_tile *t, const bits_field *f) {
    for (uint32_t i = 0; i < t->settings.len; i++) {
        const bits_field *own = t->settings.at[i].field;
        if (own == f || (own->feature == f->feature && strcmp(own->name, f->name) == 0))
            return t->settings.at[i].value;
    }
    return 0;
}

static void differs(comparison *c, const dense_tile *t, const bits_field *f, uint32_t first,
                    uint32_t second) {
    c->same = false;
    fprintf(c->out, "x%uy%u: %s is %u in the first, %u in the second\n", t->x, t->y, f->name, first, second);
}

/* Settings of the first that differ, followed by settings only of the second. */
static void compare_settings(comparison *c, const dense_tile *a, const dense_tile *b) {
    for (uint32_t i = 0; i < a->settings.len; i++) {
        const dense_setting *s = &a->settings.at[i];
        if (value_in(b, s->field) != s->value)
            differs(c, a, s->field, s->value, value_in(b, s->field));
    }
    for (uint32_t i = 0; i < b->settings.len; i++) {
        const dense_setting *s = &b->settings.at[i];
        if (!value_in(a, s->field))
            differs(c, b, s->field, 0, s->value);
    }
}

static void compare_contents(comparison *c, const dense_tile *a, const dense_tile *b) {
    const uint32_t n = a->contents.words.len;
    uint32_t i = 0;
    while (i < n && i < b->contents.words.len &&
           a->contents.words.at[i].address == b->contents.words.at[i].address &&
           a->contents.words.at[i].data == b->contents.words.at[i].data)
        i++;
    if (i == n && i == b->contents.words.len)
        return;
    c->same = false;
    fprintf(c->out, "x%uy%u: contents of its memory differ from word %u on\n", a->x, a->y, i);
}

bool dense_diff(const dense_design *a, const dense_design *b, FILE *out) {
    const dense_tile empty = {.x = 0};
    comparison c = {a, b, out, true};
    for (uint32_t i = 0; i < a->tiles.len; i++) {
        const dense_tile *t = &a->tiles.at[i], *other = dense_tile_at(b, t->x, t->y);
        compare_settings(&c, t, other ? other : &empty);
        compare_contents(&c, t, other ? other : &empty);
    }
    for (uint32_t i = 0; i < b->tiles.len; i++) {
        const dense_tile *t = &b->tiles.at[i];
        if (dense_tile_at(a, t->x, t->y))
            continue;
        compare_settings(&c, &empty, t);
        compare_contents(&c, t, &empty);
    }
    return c.same;
}

/* ---- links ------------------------------------------------------------------------------------- */

static const char *link_text(const dense_design *design, const dense_link *l, arena *mem) {
    const net_tile from = pnr_site_tile(design->board, l->from_x, l->from_y);
    return arena_printf(mem, "x%uy%u.%s to x%uy%u.%s", l->from_x, l->from_y,
                        dense_output_name(from, l->width, l->place), l->x, l->y,
                        l->port == DENSE_PORTS ? dense_io_names[l->width] : dense_ports[l->port].name);
}

bool dense_same_links(const dense_design *bits, const dense_design *other, const char *files,
                      diagnostics *d) {
    const dense_links a = dense_links_of(bits, d->mem), b = dense_links_of(other, d->mem);
    for (uint32_t i = 0; i < a.len || i < b.len; i++) {
        const dense_link *l = i < a.len ? &a.at[i] : NULL, *r = i < b.len ? &b.at[i] : NULL;
        const int order = !r ? -1 : !l ? 1 : dense_compare_links(l, r);
        if (!order && l->registers == r->registers)
            continue;
        if (order)
            diag_error(d, order < 0 ? l->loc : r->loc, "E0925-not-the-design",
                       order < 0 ? "the bitstream connects %s, '%s' does not"
                                 : "the bitstream does not connect %s, '%s' does",
                       link_text(bits, order < 0 ? l : r, d->mem), files);
        else
            diag_error(d, r->loc, "E0925-not-the-design", "%s has %u %s in the bitstream, %u in '%s'",
                       link_text(bits, l, d->mem), l->registers,
                       plural(l->registers, "register", "registers"), r->registers, files);
        return false;
    }
    return true;
}

/* ---- counts ------------------------------------------------------------------------------------ */

static void count_setting(const bits_field *f, dense_counts *n) {
    dense_origin at;
    uint32_t width = 0;
    dense_wire_field what = dense_wire_field_of(f->name, &at, &width);
    n->wires[width] += what == DENSE_WIRE_ENABLE;
    n->registers[width] += what == DENSE_WIRE_RMUX;
    n->boxes += strncmp(f->name, "CB_", 3) == 0 && strstr(f->name, "_enable");
}

dense_counts dense_count(const dense_design *design) {
    dense_counts n = {.tiles = design->tiles.len};
    for (uint32_t i = 0; i < design->tiles.len; i++) {
        const dense_tile *t = &design->tiles.at[i];
        const uint32_t units = dense_units_of(design, t);
        n.pes += (units & DENSE_HAS_PE) > 0;
        n.ponds += (units & DENSE_HAS_POND) > 0;
        n.buffers += (units & DENSE_HAS_UB) > 0;
        n.memories += (units & DENSE_HAS_RAM) > 0;
        n.valid += (units & DENSE_HAS_VALID) > 0;
        n.streams += (units & DENSE_HAS_IO) > 0;
        n.contents += t->contents.words.len;
        for (uint32_t k = 0; k < t->settings.len; k++)
            count_setting(t->settings.at[k].field, &n);
    }
    return n;
}

void dense_stat(const bits_stream *bits, const dense_design *design, FILE *out, diagnostics *d) {
    const dense_counts n = dense_count(design);
    dense_timing timing;
    fprintf(out, "words %u\ntiles %u\nPE alu %u\nPE pond %u\n", bits->words.len, n.tiles, n.pes, n.ponds);
    fprintf(out, "MEM buffer %u\nMEM ram %u\nMEM valid_bits %u\nIO stream %u\n", n.buffers, n.memories,
            n.valid, n.streams);
    fprintf(out, "switch-box outputs %u\nswitch-box outputs of bits %u\n", n.wires[0], n.wires[1]);
    fprintf(out, "registers %u\nregisters of bits %u\nconnection boxes %u\ncontents %u\n", n.registers[0],
            n.registers[1], n.boxes, n.contents);
    if (dense_time(design, d, &timing))
        number_print(out, "period_ps %u\nfmax_mhz %.0f\n", timing.period_ps, 1e6 / timing.period_ps);
}
