/* arena.h - memory by stage, and arrays that grow in it. */
#ifndef ONYX_SUPPORT_ARENA_H
#define ONYX_SUPPORT_ARENA_H

#include <stddef.h>
#include <stdint.h>

typedef struct arena_chunk arena_chunk;
typedef struct arena_end arena_end;
typedef struct {
    arena_chunk *last;
    size_t bytes;    /* handed out so far */
    arena_end *ends; /* what is done before all is freed */
} arena;

void *arena_alloc(arena *a, size_t bytes);      /* zeroed, aligned to 16; never NULL */
char *arena_strdup(arena *a, const char *text); /* a copy */
char *arena_strndup(arena *a, const char *text, size_t length);
char *arena_printf(arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
void arena_free(arena *a); /* frees everything at once; the arena may be used again */
/* Has `end` called when the arena is freed, later ones first: what lies there has more than memory. */
void arena_at_end(arena *a, void (*end)(void *of), void *of);

#define arena_new(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define arena_new_n(a, type, n) ((type *)arena_alloc((a), sizeof(type) * (size_t)(n)))

/* VEC declares an array that grows in an arena: `typedef VEC(int) int_vec;`, then vec_push(a, &v, 7),
 * v.at[i], v.len. Growth copies inside the arena: indices stay valid, pointers to elements do not. */
#define VEC(type)                                                                                            \
    struct {                                                                                                 \
        type *at;                                                                                            \
        uint32_t len, cap;                                                                                   \
    }
#define vec_push(a, v, ...)                                                                                  \
    (vec_reserve((a), (void **)&(v)->at, (v)->len, &(v)->cap, sizeof *(v)->at),                              \
     (v)->at[(v)->len++] = (__VA_ARGS__))
void vec_reserve(arena *a, void **at, uint32_t len, uint32_t *cap, size_t element_bytes);

typedef VEC(uint32_t) u32_vec;
typedef VEC(uint16_t) u16_vec;
typedef VEC(double) f64_vec;

#endif
