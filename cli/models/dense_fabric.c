/* dense_fabric.c - see dense_fabric.h. */
#include "cli/models/dense_fabric.h"

#include "dense/load.h"
#include "dense/program.h"
#include "rtl_models/soc/dense_side.h"

/* The last word of an address holds, except for contents of memories, which go on lane by lane. */
static bits_stream latest_words(const bits_stream *words, const bits_map *map, arena *mem) {
    const bits_stream sorted = bits_sorted(words, mem);
    bits_stream latest = {0};
    for (uint32_t i = 0; i < sorted.words.len; i++) {
        const bits_word *w = &sorted.words.at[i];
        const bool again = i + 1 < sorted.words.len && w[1].address == w->address;
        if (!again || dense_is_contents(bits_tile(map, w->address), bits_feature(w->address)))
            vec_push(mem, &latest.words, *w);
    }
    return latest;
}

static const char *array_of(const bits_stream *words, const pnr_board *board, diagnostics *d,
                            dense_array *out) {
    bits_map *map = NULL;
    dense_design *design = arena_new(d->mem, dense_design);
    if (!bits_map_read(board, d->mem, d, &map))
        return "the board's register map cannot be read";
    const bits_stream latest = latest_words(words, map, d->mem);
    return dense_decode(&latest, board, map, d, design) && dense_load(design, d, out)
               ? NULL
               : "the words that arrived configure no dense program";
}

static bool streams_of(const uint32_t *registers, diagnostics *d, dense_streams *out) {
    dense_program p = {.path = "registers of the global buffer"};
    for (uint32_t i = 0; i < DENSE_SIDE_TILES * DENSE_SIDE_REGISTERS; i++) {
        if (registers[i])
            vec_push(d->mem, &p.writes, ((dense_write){4 * i, registers[i]}));
    }
    return dense_streams_of(&p, d->mem, d, out);
}

dense_fabric cli_dense_fabric(const pnr_board *board) {
    return (dense_fabric){board, array_of, streams_of};
}
