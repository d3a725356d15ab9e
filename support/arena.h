/* arena.h - memory by pass, and growing arrays in an arena. */
#ifndef ONYX_SUPPORT_ARENA_H
#define ONYX_SUPPORT_ARENA_H

#include <stddef.h>
#include <stdint.h>

typedef struct arena_chunk arena_chunk;
typedef struct arena_end arena_end;
typedef struct {
    arena_chunk *last;
    size_t bytes;    /* handed out so far */
    arena_end *ends; /* functions called before all is freed */
} arena;

void *arena_alloc(arena *a, size_t bytes);      /* zeroed, aligned to 16; never NULL */
char *arena_strdup(arena *a, const char *text); /* a copy */
/* A copy of the first bytes and a 0; of no bytes, `text` may be NULL. */
char *arena_strndup(arena *a, const char *text, size_t length);
char *arena_printf(arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
void arena_free(arena *a); /* frees everything at once; the arena may be used again */
/* Calls `end` when the arena is freed, in reverse order of registration: for objects with resources other
 * than memory. */
void arena_at_end(arena *a, void (*end)(void *of), void *of);

#define arena_new(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define arena_new_n(a, type, n) ((type *)arena_alloc((a), sizeof(type) * (size_t)(n)))

/* VEC declares a growing array in an arena: `typedef VEC(int) int_vec;`, vec_push(a, &v, 7), v.at[i], v.len.
 * Growth copies inside the arena: indices stay valid, pointers to elements do not. */
#define VEC(type)                                                                                            \
    struct {                                                                                                 \
        type *at;                                                                                            \
        uint32_t len, cap;                                                                                   \
    }
#define vec_push(a, v, ...)                                                                                  \
    ((v)->len < (v)->cap ? (void)0                                                                           \
                         : vec_reserve((a), (void **)&(v)->at, (v)->len, &(v)->cap, sizeof *(v)->at),        \
     (v)->at[(v)->len++] = (__VA_ARGS__))
void vec_reserve(arena *a, void **at, uint32_t len, uint32_t *cap, size_t element_bytes);
/* Gives an empty array room for n elements at once, uninitialised. */
#define vec_room(a, v, n) (vec_take((a), (void **)&(v)->at, &(v)->cap, (n), sizeof *(v)->at), (v)->len = 0)
void vec_take(arena *a, void **at, uint32_t *cap, uint64_t n, size_t element_bytes);
/* Fills an empty array with the elements of another. */
#define vec_copy(a, v, from)                                                                                 \
    (vec_room(a, v, (from)->len),                                                                            \
     (from)->len ? (void)memcpy((v)->at, (from)->at, (from)->len * sizeof *(v)->at) : (void)0,               \
     (v)->len = (from)->len)

typedef VEC(uint32_t) u32_vec;
typedef VEC(uint16_t) u16_vec;
typedef VEC(double) f64_vec;

#endif
