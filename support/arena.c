/* Arenas: a list of chunks, each twice the size of the one before; freed together. Some of the smaller ones
 * stay for the next arena: a short command fills and frees some 200, and what is mapped already costs neither
 * a call of the kernel nor a fault for each page. */
#include "support/number.h"
#include "support/poison.h"
#include "support/support.h"

#include <stdatomic.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <sys/mman.h>

/* The address sanitizer sees a chunk as a whole. Only allocated bytes of a chunk are unpoisoned, and APART
 * bytes after each piece stay poisoned: an access past a piece is detected as with malloc. */
#ifdef ARENA_POISONS
enum { APART = 16 };
#else
enum { APART = 0 };
#endif

struct arena_chunk {
    arena_chunk *previous;
    size_t used, size;
    size_t backed; /* up to here the kernel was asked for memory */
    /* pieces are aligned to 16 bytes */
    _Alignas(16) unsigned char bytes[];
};

enum {
    ARENA_FIRST = 1 << 14,
    ARENA_LARGEST_STEP = 1 << 24,
    ARENA_SMALL = 1 << 16,
    ARENA_AHEAD = 1 << 18,
    PAGE = 1 << 12
};

/* Chunks without an arena, SPARES of each size from ARENA_FIRST on, 2 MB in all (32 MB with the sanitizer,
 * which maps larger blocks and its shadow anew each time). Threads share the chunks: each place is taken and
 * filled by an atomic exchange. */
#ifdef ARENA_POISONS
enum { SPARE_SIZES = 9, SPARES = 4 };
#else
enum { SPARE_SIZES = 5, SPARES = 4 };
#endif
static _Atomic(arena_chunk *) spare[SPARE_SIZES][SPARES];

/* Returns the kept size with room for `bytes`: SPARE_SIZES, if none. */
static int spare_size(size_t bytes) {
    int i = 0;
    while (i < SPARE_SIZES && bytes > (size_t)ARENA_FIRST << i)
        i++;
    return i;
}

/* Returns a chunk of `size` bytes or more, without allocated pieces. */
static arena_chunk *chunk_new(size_t size) {
    const int kept = spare_size(size);
    arena_chunk *chunk = NULL;
    for (int i = 0; kept < SPARE_SIZES && i < SPARES && !chunk; i++)
        chunk = atomic_exchange(&spare[kept][i], NULL);
    if (!chunk) {
        if (kept < SPARE_SIZES)
            size = (size_t)ARENA_FIRST << kept;
        chunk = malloc(sizeof *chunk + size);
        if (!chunk)
            out_of_memory(size);
        *chunk = (arena_chunk){.size = size};
        ASAN_POISON_MEMORY_REGION(chunk->bytes, size);
    }
    chunk->used = 0;
    return chunk;
}

static void chunk_free(arena_chunk *chunk) {
    const int kept = spare_size(chunk->size);
    ASAN_POISON_MEMORY_REGION(chunk->bytes, chunk->used); /* before another thread can take the chunk */
    for (int i = 0; kept < SPARE_SIZES && i < SPARES; i++) {
        arena_chunk *none = NULL;
        if (atomic_compare_exchange_strong(&spare[kept][i], &none, chunk))
            return;
    }
    free(chunk);
}

#ifdef ARENA_POISONS
/* At its end the leak check stops the process and reads all of its variables, of which 13 MB are the
 * sanitizer's: more than half of the time of a short command. The check is left out if all allocations since
 * the start are freed, except stdio's buffers: nothing can have leaked. */
size_t __sanitizer_get_current_allocated_bytes(void);
int __lsan_is_turned_off(void);

static size_t at_start;

__attribute__((constructor)) static void note_start(void) {
    at_start = __sanitizer_get_current_allocated_bytes();
}

int __lsan_is_turned_off(void) {
    for (int i = 0; i < SPARE_SIZES * SPARES; i++)
        free(atomic_exchange(&spare[i / SPARES][i % SPARES], NULL));
    const size_t streams = __fbufsize(stdin) + __fbufsize(stdout) + __fbufsize(stderr);
    return __sanitizer_get_current_allocated_bytes() <= at_start + streams;
}
#endif

/* What `bytes` take in a chunk. */
static size_t round_up(size_t bytes) {
    size_t need = ((bytes + 15u) & ~(size_t)15u) + APART;
    if (need < bytes)
        out_of_memory(bytes);
    return need;
}

/* Hands out the next bytes of the chunk. The kernel is asked for a quarter of a megabyte at once: single page
 * faults take a fifth of the time of a short command (docs/notebook/speed.md). A kernel without this call
 * refuses, and gives single pages. */
static void hand_out(arena *a, arena_chunk *chunk, size_t bytes) {
    chunk->used += bytes;
    a->bytes += bytes;
#ifdef MADV_POPULATE_WRITE
    if (chunk->used <= chunk->backed || chunk->size < ARENA_SMALL)
        return;
    const size_t room = chunk->size - chunk->used, ahead = room < ARENA_AHEAD ? room : ARENA_AHEAD;
    unsigned char *from = chunk->bytes + chunk->backed, *to = chunk->bytes + chunk->used + ahead;
    chunk->backed = chunk->used + ahead;
    from += -(uintptr_t)from % PAGE;
    to -= (uintptr_t)to % PAGE;
    if (from < to)
        madvise(from, (size_t)(to - from), MADV_POPULATE_WRITE);
#endif
}

/* As arena_alloc, but the bytes are uninitialised. */
static void *take(arena *a, size_t bytes) {
    size_t need = round_up(bytes);
    arena_chunk *chunk = a->last;
    if (!chunk || chunk->size - chunk->used < need) {
        size_t size = chunk ? chunk->size * 2 : ARENA_FIRST;
        if (size > ARENA_LARGEST_STEP)
            size = ARENA_LARGEST_STEP;
        if (size < need)
            size = need;
        chunk = chunk_new(size);
        chunk->previous = a->last;
        a->last = chunk;
    }
    void *p = chunk->bytes + chunk->used;
    hand_out(a, chunk, need);
    ASAN_UNPOISON_MEMORY_REGION(p, bytes);
    return p;
}

void *arena_alloc(arena *a, size_t bytes) {
    return memset(take(a, bytes), 0, bytes);
}

/* Enlarges the arena's last piece, `bytes` at p, in place; false if another piece followed, or its chunk has
 * no room. */
static bool extend(arena *a, const void *p, size_t bytes, size_t larger) {
    arena_chunk *chunk = a->last;
    const size_t old = round_up(bytes), more = round_up(larger) - old;
    if (!chunk || !p || (const unsigned char *)p + old != chunk->bytes + chunk->used ||
        chunk->size - chunk->used < more)
        return false;
    hand_out(a, chunk, more);
    ASAN_UNPOISON_MEMORY_REGION(p, larger);
    return true;
}

char *arena_strndup(arena *a, const char *text, size_t length) {
    char *copy = take(a, length + 1);
    if (length)
        memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

char *arena_strdup(arena *a, const char *text) {
    return arena_strndup(a, text, strlen(text));
}

/* Most texts are short: one pass over the format makes them. */
char *arena_printf(arena *a, const char *format, ...) {
    char first[256];
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = number_text_of(first, sizeof first, format, args);
    va_end(args);
    BUG_IF(length < 0, "bad format '%s'", format);
    const size_t bytes = (size_t)length + 1;
    char *text = take(a, bytes);
    if (bytes <= sizeof first)
        memcpy(text, first, bytes);
    else
        number_text_of(text, bytes, format, again);
    va_end(again);
    return text;
}

struct arena_end {
    void (*end)(void *of);
    void *of;
    arena_end *before;
};

void arena_at_end(arena *a, void (*end)(void *of), void *of) {
    arena_end *one = arena_new(a, arena_end);
    *one = (arena_end){end, of, a->ends};
    a->ends = one;
}

void arena_free(arena *a) {
    for (const arena_end *one = a->ends; one; one = one->before)
        one->end(one->of);
    a->ends = NULL;
    while (a->last) {
        arena_chunk *previous = a->last->previous;
        chunk_free(a->last);
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
    const size_t used = len * element_bytes, room = larger * element_bytes;
    if (!extend(a, *at, *cap * element_bytes, room)) {
        void *moved = take(a, room);
        if (len)
            memcpy(moved, *at, used);
        *at = moved;
    }
    memset((unsigned char *)*at + used, 0, room - used);
    *cap = larger;
}

void vec_take(arena *a, void **at, uint32_t *cap, uint64_t n, size_t element_bytes) {
    if (n > UINT32_MAX)
        out_of_memory(n);
    *at = take(a, (size_t)n * element_bytes);
    *cap = (uint32_t)n;
}
