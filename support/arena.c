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

static size_t round_up(size_t bytes) {
    size_t need = (bytes + 15u) & ~(size_t)15u;
    if (need < bytes)
        out_of_memory(bytes);
    return need;
}

/* As arena_alloc, but the bytes are whatever they were. */
static void *take(arena *a, size_t bytes) {
    size_t need = round_up(bytes);
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
    return p;
}

void *arena_alloc(arena *a, size_t bytes) {
    return memset(take(a, bytes), 0, bytes);
}

/* Makes what the arena gave last, `bytes` at p, larger where it stands; false if something else was given
 * since, or its chunk has no room. */
static bool extend(arena *a, const void *p, size_t bytes, size_t larger) {
    arena_chunk *chunk = a->last;
    const size_t old = round_up(bytes), more = round_up(larger) - old;
    if (!chunk || !p || (const unsigned char *)p + old != chunk->bytes + chunk->used ||
        chunk->size - chunk->used < more)
        return false;
    chunk->used += more;
    a->bytes += more;
    return true;
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
    const size_t held = len * element_bytes, room = larger * element_bytes;
    if (!extend(a, *at, *cap * element_bytes, room)) {
        void *moved = take(a, room);
        if (len)
            memcpy(moved, *at, held);
        *at = moved;
    }
    memset((unsigned char *)*at + held, 0, room - held);
    *cap = larger;
}
