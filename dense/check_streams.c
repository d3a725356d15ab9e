/* Rules 16 to 19 and 23: streams of the global buffer against the tiles and each other. */
#include "dense/check_int.h"
#include "dense/wires.h"

enum { RULE_VALID = 16, RULE_BANK, RULE_STREAM, RULE_CYCLES, RULE_DISTURB = 23 };
enum { BANK_BYTES = 0x20000, GLB_BYTES = 0x400000, HALF_OF_CYCLES = 0x8000 };

typedef struct {
    uint32_t least, most;  /* bytes */
    bool odd, stuck, back; /* an odd address; two words in a cycle; a word before its predecessor */
} extent;

static void broken(diagnostics *d, const dense_stream *s, uint32_t rule, const char *what) {
    diag_error(d, (src_loc){0}, "E0983-dense-rule", "the %s of IO column %u: rule %u: %s",
               s->store ? "store" : "load", s->column, rule, what);
    diag_hint(d, "docs/dense.md has the rules");
}

static void warn(diagnostics *d, const dense_stream *s, uint32_t rule, const char *what) {
    diag_warning(d, (src_loc){0}, "E0985-dense-doubt", "the %s of IO column %u: rule %u: %s",
                 s->store ? "store" : "load", s->column, rule, what);
}

static extent extent_of(const dense_stream *s) {
    arena scratch = {0};
    extent e = {.least = UINT32_MAX};
    const dense_events all = dense_events_of(&s->g, &scratch, &e.stuck);
    for (uint32_t i = 0; i < all.len; i++) {
        const uint32_t at = all.at[i].address[0];
        e.odd = e.odd || (at & 1);
        e.back = e.back || (i && all.at[i].at - all.at[i - 1].at >= HALF_OF_CYCLES);
        e.least = at < e.least ? at : e.least;
        e.most = at > e.most ? at : e.most;
    }
    arena_free(&scratch);
    return e;
}

/* Finds the generator of valid bits behind the bit of an IO column; false: another unit. */
static bool find_valid(const dense_wiring *w, uint32_t column, dense_generator *out) {
    const pnr_board *b = w->design->board;
    dense_origin at = {.kind = DENSE_FROM_WIRE, .x = column, .y = 1, .side = PNR_NORTH};
    for (uint32_t steps = 0; at.kind == DENSE_FROM_WIRE && steps < 4 * b->width * b->height * b->tracks;
         steps++)
        at = dense_behind_wire(w, at, DENSE_BIT);
    const dense_tile *t = at.kind == DENSE_FROM_CORE ? dense_tile_at(w->design, at.x, at.y) : NULL;
    if (!t || t->kind != NET_TILE_MEM || at.port != 2)
        return false;
    *out = dense_generator_of(w->design, t, DENSE_GENERATOR_VALID);
    return true;
}

/* Returns the first word whose distance from the first one differs between two lists of as many events; 0:
 * none. */
static uint32_t other_distance(const dense_events *a, const dense_events *b) {
    for (uint32_t i = 1; i < a->len; i++) {
        if (a->at[i].at - a->at[0].at != b->at[i].at - b->at[0].at)
            return i;
    }
    return 0;
}

/* A store with valid bits ignores its cycles: they may be off by a constant, and zeros say nothing. */
static void check_valid(const dense_wiring *w, const dense_stream *s, diagnostics *d) {
    arena scratch = {0};
    dense_generator valid;
    bool gap = false, none = true;
    if (s->mode == DENSE_STREAM_VALID && find_valid(w, s->column, &valid)) {
        const dense_events bits = dense_events_of(&valid, &scratch, &gap),
                           words = dense_events_of(&s->g, &scratch, &gap);
        for (uint32_t i = 0; i < s->g.nest.dim && i < DENSE_LOOPS; i++)
            none = none && !s->g.at.increment[i];
        const uint32_t other = bits.len == words.len && !none ? other_distance(&bits, &words) : 0;
        if (bits.len && bits.len != words.len)
            broken(d, s, RULE_VALID,
                   arena_printf(d->mem, "it takes %u words, and %u are valid", words.len, bits.len));
        if (other)
            warn(d, s, RULE_CYCLES,
                 arena_printf(d->mem,
                              "its cycles, which no store with valid bits reads, differ from "
                              "the valid bits' from word %u on",
                              other));
    }
    arena_free(&scratch);
}

static void check_stream(const dense_wiring *w, const dense_stream *s, const extent *e, diagnostics *d) {
    check_valid(w, s, d);
    if (e->stuck && s->mode == DENSE_STREAM_STATIC)
        broken(d, s, RULE_STREAM, "two words in one cycle");
    if (e->back && s->mode == DENSE_STREAM_STATIC)
        broken(d, s, RULE_STREAM, "its schedule does not increase");
    if (s->store && s->mode == DENSE_STREAM_STATIC && s->g.at.start < DENSE_FLUSH_CYCLE)
        broken(d, s, RULE_STREAM, "its first word is due before the first cycle of the array, which is at 7");
    if (e->odd || e->most >= GLB_BYTES || e->least / BANK_BYTES != e->most / BANK_BYTES)
        broken(d, s, RULE_STREAM, "an address is odd, or outside the bank where the stream begins");
}

bool dense_check_streams(const dense_design *design, const dense_streams *streams, diagnostics *d) {
    const uint32_t errors = d->errors;
    arena scratch = {0};
    const dense_wiring w = dense_wire_up(design, &scratch);
    extent *e = arena_new_n(&scratch, extent, streams->len + 1);
    for (uint32_t i = 0; i < streams->len; i++) {
        e[i] = extent_of(&streams->at[i]);
        check_stream(&w, &streams->at[i], &e[i], d);
        for (uint32_t k = 0; k < i; k++) {
            if (e[i].least / BANK_BYTES == e[k].least / BANK_BYTES)
                broken(d, &streams->at[i], RULE_BANK,
                       arena_printf(d->mem, "its bank is also that of IO column %u", streams->at[k].column));
            if (streams->at[i].column == streams->at[k].column)
                broken(d, &streams->at[i], RULE_BANK, "a load and a store have one IO column");
        }
    }
    arena_free(&scratch);
    return d->errors == errors;
}

/* ---- flush ------------------------------------------------------------------------------------- */

static bool has_tiles(const dense_design *design, uint32_t group) {
    bool any = false;
    for (uint32_t i = 0; i < design->tiles.len; i++) {
        const dense_tile *t = &design->tiles.at[i];
        any = any || (t->x / design->board->flush_columns == group && dense_units_of(design, t));
    }
    return any;
}

static bool is_loaded(const dense_design *design, const dense_streams *streams, uint32_t tile) {
    bool any = false;
    for (uint32_t i = 0; i < streams->len; i++)
        any = any ||
              (!streams->at[i].store && streams->at[i].column / design->board->columns_per_glb_tile == tile);
    return any;
}

/* A program that does not write the crossbar leaves it to the processor, which names a tile that loads. */
bool dense_check_flush(const dense_design *design, const dense_streams *streams, const dense_program *p,
                       diagnostics *d) {
    const uint32_t errors = d->errors;
    bool any = false;
    for (uint32_t i = 0; i < streams->len; i++)
        any = any || !streams->at[i].store;
    if (!any)
        diag_error(d, (src_loc){0}, "E0983-dense-rule",
                   "%s: rule %u: no load starts, and the start of a load alone flushes the array", p->path,
                   RULE_BANK);
    for (uint32_t g = 0; any && p->crossbar.set && g * design->board->flush_columns < design->board->width;
         g++) {
        const uint32_t tile = p->crossbar.groups >> 4 * g & 15;
        if (has_tiles(design, g) && !is_loaded(design, streams, tile))
            diag_error(d, (src_loc){0}, "E0983-dense-rule",
                       "%s: rule %u: the crossbar lets GLB tile %u flush columns %u to %u, and no load of "
                       "this tile starts",
                       p->path, RULE_BANK, tile, g * design->board->flush_columns,
                       (g + 1) * design->board->flush_columns - 1);
    }
    return d->errors == errors;
}

bool dense_check_writes(const dense_program *p, diagnostics *d) {
    if (!p->disturbs)
        return true;
    diag_error(
        d, (src_loc){0}, "E0983-dense-rule",
        "%s: rule %u: %u %s of the function that sets up streams stall columns, or configure tiles: streams "
        "that run lose words",
        p->path, RULE_DISTURB, p->disturbs, plural(p->disturbs, "write", "writes"));
    return diag_hint(d, "docs/dense.md has the rules");
}
