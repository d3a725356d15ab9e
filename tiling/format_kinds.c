/* Kinds of levels: those that a map implies, and those that do not fit it. */
#include "tiling/formats.h"
#include "tiling/formats_int.h"

bool tile_is_plain(const tile_format_level *level) {
    return level->how == TILE_MAP_DIRECT && level->sum.terms == 1 && !level->sum.constant &&
           level->sum.term[0].factor == 1 && level->sum.term[0].divide == 1 && !level->sum.term[0].modulo;
}

bool tile_difference(const tile_format *f, uint32_t l, uint32_t *plus, uint32_t *minus) {
    const tile_format_level *level = &f->level[l];
    if (level->how != TILE_MAP_DIRECT || level->sum.terms != 2 || level->sum.constant)
        return false;
    for (uint32_t t = 0; t < 2; t++) {
        const tile_map_term *term = &level->sum.term[t];
        if (term->divide != 1 || term->modulo || (term->factor != 1 && term->factor != -1))
            return false;
        *(term->factor > 0 ? plus : minus) = term->index;
    }
    return level->sum.term[0].factor != level->sum.term[1].factor;
}

const char *tile_unfit(const tile_format *f, uint32_t l) {
    const tile_format_level *level = &f->level[l], *above = l ? level - 1 : NULL;
    uint32_t plus, minus;
    switch (level->kind) {
    case TILE_KIND_RANGE:
        if (!l || !tile_difference(f, l - 1, &plus, &minus) || !tile_is_plain(level) ||
            (level->sum.term[0].index != plus && level->sum.term[0].index != minus))
            return "a range is one of two indices whose difference is the level above";
        return NULL;
    case TILE_KIND_OFFSET:
        return l && above->kind == TILE_KIND_RANGE && tile_is_plain(level) ? NULL
                                                                           : "an offset stands below a range";
    case TILE_KIND_RUNS:
    case TILE_KIND_PACKBITS:
        return l + 1 == f->levels ? NULL : "runs of values are the last level";
    case TILE_KIND_TRIANGULAR:
    case TILE_KIND_SYMMETRIC:
    case TILE_KIND_SKEW:
        return l == 1 && f->levels == 2 && tile_is_plain(level) && tile_is_plain(above)
                   ? NULL
                   : "half a matrix has two levels, of one index below another";
    case TILE_KIND_SINGLETON_DUPLICATES:
        if (!l ||
            (above->kind != TILE_KIND_COMPRESSED_DUPLICATES && above->kind != TILE_KIND_SINGLETON_DUPLICATES))
            return "it stands below a level that repeats its coordinates";
        /* fallthrough */
    case TILE_KIND_COMPRESSED_DUPLICATES:
        return l + 1 < f->levels && (level[1].kind == TILE_KIND_SINGLETON ||
                                     level[1].kind == TILE_KIND_SINGLETON_DUPLICATES)
                   ? NULL
                   : "a singleton must stand below what repeats its coordinates";
    case TILE_KIND_SINGLETON:
        return l ? NULL : "a singleton stands below another level";
    case TILE_KIND_NONE:
    case TILE_KIND_DENSE:
    case TILE_KIND_COMPRESSED:
    case TILE_KIND_HASHED:
    case TILE_KIND_BAND:
    case TILE_KIND_BLOCKS:
    case TILE_KIND_BITMAP:
    case TILE_KIND_RAGGED:
    case TILE_KINDS:
        break;
    }
    return NULL;
}
