/* Formats as text. */
#include "tiling/formats.h"
#include "tiling/formats_int.h"

static const char *sum_text(const tile_format *f, const tile_map_sum *sum, arena *mem) {
    const char *text = "";
    for (uint32_t t = 0; t < sum->terms; t++) {
        const tile_map_term *term = &sum->term[t];
        int32_t size = term->factor < 0 ? -term->factor : term->factor;
        text = arena_printf(mem, "%s%s%s", text, term->factor < 0 ? (t ? " - " : "-") : (t ? " + " : ""),
                            size != 1 ? arena_printf(mem, "%d * ", size) : "");
        text = arena_printf(mem, "%s%s", text, f->index[term->index]);
        if (term->divide != 1)
            text = arena_printf(mem, "%s div %u", text, term->divide);
        if (term->modulo)
            text = arena_printf(mem, "%s mod %u", text, term->modulo);
    }
    if (!sum->terms)
        return arena_printf(mem, "%d", sum->constant);
    return sum->constant ? arena_printf(mem, "%s %c %d", text, sum->constant < 0 ? '-' : '+',
                                        sum->constant < 0 ? -sum->constant : sum->constant)
                         : text;
}

static const char *query_text(const tile_format *f, const tile_query *q, arena *mem) {
    const char *text = tile_aggregates[q->what];
    if (q->what != TILE_COUNT && !q->of_values)
        text = arena_printf(mem, "%s(%s)", text, sum_text(f, &q->of, mem));
    text = arena_printf(mem, "%s by (", text);
    for (uint32_t k = 0; k < q->keys; k++)
        text = arena_printf(mem, "%s%s%s", text, k ? ", " : "", sum_text(f, &q->key[k], mem));
    return arena_printf(mem, "%s)", text);
}

static const char *coordinate_text(const tile_format *f, const tile_format_level *level, arena *mem) {
    const tile_map_sum *sum = &level->sum;
    if (level->how == TILE_MAP_ENUMERATE)
        return arena_printf(mem, "enumerate(%s)", f->index[sum->term[0].index]);
    if (level->how == TILE_MAP_SCHEDULE)
        return arena_printf(mem, "schedule(%s, %u)", f->index[sum->term[0].index], level->banks);
    if (level->how == TILE_MAP_DIRECT)
        return sum_text(f, sum, mem);
    const bool alone = !sum->terms && !sum->constant, minus = level->times < 0;
    const int32_t size = minus ? -level->times : level->times;
    return arena_printf(mem, "%s%s%s%s", alone ? "" : sum_text(f, sum, mem),
                        minus ? (alone ? "-" : " - ") : (alone ? "" : " + "),
                        size != 1 ? arena_printf(mem, "%d * ", size) : "", query_text(f, level->query, mem));
}

static const char *parts_text(const tile_format *f, arena *mem) {
    const char *text = "decompose(";
    for (uint32_t p = 0; p < f->parts; p++) {
        const tile_format_part *part = &f->part[p];
        text = arena_printf(mem, "%s%s%s", text, p ? ", " : "", part->format->name);
        if (part->query)
            text = arena_printf(mem, "%s where %s %s %u", text, query_text(f, part->query, mem),
                                tile_compares[part->compare], part->bound);
    }
    return arena_printf(mem, "%s)", text);
}

const char *tile_format_text(const tile_format *f, arena *mem) {
    const char *left = "", *right = "", *kinds = "";
    for (uint32_t i = 0; i < f->order; i++)
        left = arena_printf(mem, "%s%s%s", left, i ? "," : "", f->index[i]);
    if (f->parts)
        return arena_printf(mem, "format %s = (%s) -> %s", f->name, left, parts_text(f, mem));
    for (uint32_t l = 0; l < f->levels; l++) {
        right = arena_printf(mem, "%s%s%s", right, l ? ", " : "", coordinate_text(f, &f->level[l], mem));
        kinds = arena_printf(mem, "%s%s%s", kinds, l ? ", " : "", tile_kind_rows[f->level[l].kind].name);
    }
    const bool named = f->name[0] >= 'A' && f->name[0] <= 'Z'; /* otherwise a format of letters */
    return arena_printf(mem, "format %s = (%s) -> (%s) levels(%s)", named ? f->name : "Letters", left, right,
                        kinds);
}

const char *tile_format_scanned(const tile_format *f, arena *mem, bool *same) {
    const char *letters = "", *modes = "";
    uint32_t seen = 0, n = 0;
    *same = f->levels == f->order && !f->parts;
    for (uint32_t l = 0; l < f->levels; l++) {
        const tile_format_level *level = &f->level[l];
        for (uint32_t t = 0; t < level->sum.terms; t++) {
            uint32_t index = level->sum.term[t].index;
            bool scanned = tile_is_plain(level) &&
                           (level->kind == TILE_KIND_DENSE || level->kind == TILE_KIND_COMPRESSED);
            *same = *same && scanned;
            if (seen >> index & 1)
                continue;
            seen |= 1u << index;
            letters =
                arena_printf(mem, "%s%c", letters, scanned && level->kind == TILE_KIND_DENSE ? 'd' : 's');
            modes = arena_printf(mem, "%s%s%u", modes, n++ ? "," : "", index);
        }
    }
    /* The parts of a tensor are put together again. */
    for (uint32_t i = 0; i < f->order && f->parts; i++) {
        letters = arena_printf(mem, "%ss", letters);
        modes = arena_printf(mem, "%s%s%u", modes, i ? "," : "", i);
    }
    return arena_printf(mem, "%s:%s", letters, modes);
}
