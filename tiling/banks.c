/* banks.c - coordinates dealt to banks by a format, and moved to where their bank lies. */
#include "tiling/banks.h"
#include "tiling/formats_int.h"
#include "tiling/tiling_int.h"

uint32_t tile_banks(const tile_format *f) {
    const tile_format_level *level = &f->level[0];
    const tile_map_term *term = &level->sum.term[0];
    if (!f->levels || level->kind != TILE_KIND_DENSE)
        return 0;
    if (level->how == TILE_MAP_SCHEDULE)
        return level->banks;
    const bool one = level->how == TILE_MAP_DIRECT && level->sum.terms == 1 && !level->sum.constant;
    return one && term->factor == 1 && term->divide == 1 ? term->modulo : 0;
}

uint32_t tile_banked_index(const tile_format *f) {
    return f->level[0].sum.term[0].index;
}

const uint32_t *tile_bank_of(const tile_tensor *t, uint32_t mode, const tile_format *f, uint32_t n,
                             arena *mem) {
    const uint32_t banks = tile_banks(f);
    uint32_t *bank = arena_new_n(mem, uint32_t, n + 1);
    const bool by_load = f->level[0].how == TILE_MAP_SCHEDULE;
    const uint32_t *dealt = by_load ? tile_deal_banks(t, mode, banks, mem) : NULL;
    for (uint32_t c = 0; c < n; c++)
        bank[c] = dealt && c < t->dim[mode] ? dealt[c] : c % banks;
    return bank;
}

uint64_t tile_bank_load(const tile_tensor *t, const tile_format *f, arena *mem) {
    const uint32_t index = tile_banked_index(f);
    const uint32_t *bank = tile_bank_of(t, index, f, t->dim[index], mem);
    uint64_t *load = arena_new_n(mem, uint64_t, tile_banks(f) + 1), most = 0;
    for (uint64_t e = 0; e < t->nnz; e++) {
        const uint64_t now = ++load[bank[t->crd[e * t->order + index]]];
        most = now > most ? now : most;
    }
    return most;
}

bool tile_deal(const uint32_t *bank, uint32_t n, uint32_t groups, uint32_t edge, arena *mem,
               tile_dealt *out) {
    arena scratch = {0};
    uint32_t *next = arena_new_n(&scratch, uint32_t, groups), longest = 0;
    uint32_t *to = arena_new_n(mem, uint32_t, n + 1);
    for (uint32_t c = 0; c < n; c++) {
        const uint32_t group = bank[c] % groups, at = next[group]++;
        const uint64_t place = ((uint64_t)(at / edge) * groups + group) * edge + at % edge;
        to[c] = place < INT32_MAX ? (uint32_t)place : TILE_NOWHERE;
        longest = next[group] > longest ? next[group] : longest;
    }
    arena_free(&scratch);
    const uint64_t extent = (uint64_t)tile_split_extent(longest, edge) * groups * edge;
    if (extent > INT32_MAX)
        return false;
    uint32_t *from = arena_new_n(mem, uint32_t, extent + 1);
    for (uint64_t at = 0; at < extent; at++)
        from[at] = TILE_NOWHERE;
    for (uint32_t c = 0; c < n; c++)
        from[to[c]] = c;
    *out = (tile_dealt){n, (uint32_t)extent, to, from};
    return true;
}

void tile_move(const tile_tensor *t, uint32_t modes, const uint32_t *to, uint32_t extent, tile_dtype dtype,
               arena *mem, tile_tensor *out) {
    arena scratch = {0};
    tile_entries moved = {0};
    const tile_tensor from = *t;
    *out = from;
    for (uint32_t m = 0; m < from.order; m++)
        out->dim[m] = modes >> m & 1 ? extent : from.dim[m];
    for (uint64_t e = 0; e < from.nnz; e++) {
        uint32_t at[SAM_MAX_ORDER];
        bool somewhere = true;
        for (uint32_t m = 0; m < from.order; m++) {
            const uint32_t c = from.crd[e * from.order + m];
            at[m] = modes >> m & 1 ? to[c] : c;
            somewhere = somewhere && at[m] != TILE_NOWHERE;
        }
        for (uint32_t m = 0; m < from.order && somewhere; m++)
            vec_push(&scratch, &moved.crd, at[m]);
        if (somewhere)
            vec_push(&scratch, &moved.val, from.val[e]);
    }
    tile_normalise(out, &moved, dtype, mem);
    arena_free(&scratch);
}
