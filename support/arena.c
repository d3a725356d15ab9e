/* Arenas: a list of chunks, each twice the size of the one before; freed together. */
#include "support/support.h"

#include <stdlib.h>

struct arena_chunk {
    arena_chunk *previous;
    size_t used, size;
    /* what is handed out is aligned to 16 bytes */
    _Alignas(16) unsigned char bytes[];
};

enum { ARENA_FIRST = 1 << 14, ARENA_LARGEST_STEP = 1 << 24 };

void *arena_alloc(arena *a, size_t bytes) {
    size_t need = (bytes + 15u) & ~(size_t)15u;
    if (need < bytes)
        out_of_memory(bytes);
    arena_chunk *chunk = a->last;
    if (!chunk || chunk->size - chunk->used < need) {
        size_t size = chunk ? chunk->size * 2 : ARENA_FIRST;
        if (size > ARENA_LARGEST_STEP)
            size = ARENA_LARGEST_STEP;
        if (size < need)
            size = need;
        chunk = malloc(sizeof *chunk + size);
        if (!chunk)
            out_of_memory(size);
        *chunk = (arena_chunk){.previous = a->last, .size = size};
        a->last = chunk;
    }
    void *p = chunk->bytes + chunk->used;
    chunk->used += need;
    a->bytes += need;
    return memset(p, 0, need);
}

char *arena_strndup(arena *a, const char *text, size_t length) {
    char *copy = arena_alloc(a, length + 1);
    memcpy(copy, text, length);
    return copy;
}

char *arena_strdup(arena *a, const char *text) {
    return arena_strndup(a, text, strlen(text));
}

char *arena_printf(arena *a, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    BUG_IF(length < 0, "bad format '%s'", format);
    char *text = arena_alloc(a, (size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

void arena_free(arena *a) {
    while (a->last) {
        arena_chunk *previous = a->last->previous;
        free(a->last);
        a->last = previous;
    }
    a->bytes = 0;
}

void vec_reserve(arena *a, void **at, uint32_t len, uint32_t *cap, size_t element_bytes) {
    if (len < *cap)
        return;
    uint32_t larger = *cap ? *cap * 2 : 8;
    if (larger <= *cap) /* more than 32 bits count */
        out_of_memory(2 * (size_t)*cap * element_bytes);
    void *moved = arena_alloc(a, larger * element_bytes);
    if (len)
        memcpy(moved, *at, len * element_bytes);
    *at = moved;
    *cap = larger;
}
