/* queries.h - queries on the positions of a tensor's entries, and tensors partitioned by the answers.
 * docs/storage.md. */
#ifndef ONYX_TILING_QUERIES_H
#define ONYX_TILING_QUERIES_H

#include "tiling/formats.h"

/* Reads a query by itself, "(i,j) -> count by (j - i)". `from` is the text's name in messages. E0360,
 * E0361, E0311-order where the map is of another order. */
bool tile_query_read(const char *from, const char *text, uint32_t order, diagnostics *d, tile_query *out);

/* The answers, by keys in order: key[a * query.keys + k], value[a]. Keys without entries have none. */
typedef struct {
    uint32_t n;
    const int64_t *key, *value;
} tile_answers;
/* Answers a query about a tensor of at most 2^32 - 1 entries. O(entries * log(entries) * keys). */
void tile_ask(const tile_tensor *t, const tile_query *q, arena *mem, tile_answers *out);
/* Finds the answer of a query for the keys of each entry. */
void tile_ask_entries(const tile_tensor *t, const tile_query *q, arena *mem, int64_t *value);
/* Takes the entries of a part out of `rest`. */
void tile_take_part(const tile_format_part *part, arena *mem, tile_tensor *rest, tile_tensor *out);

#endif
