/* Random tensors (-g). */
#include "support/number.h"
#include "tiling/containers.h"
#include "tiling/formats.h"
#include "tiling/text_files.h"
#include "tiling/tiling_int.h"

#include <ctype.h>
#include <stdlib.h>

typedef struct {
    uint32_t order, dim[SAM_MAX_ORDER];
    double density;
    uint64_t base;
    bool no_density; /* the number where the density stands is none */
} generator;

static bool parse_generator(const char *spec, uint64_t base_seed, generator *g) {
    *g = (generator){.density = 1, .base = base_seed};
    const char *p = spec;
    while (isdigit((unsigned char)*p)) {
        char *end;
        unsigned long long dim = strtoull(p, &end, 10);
        if (dim < 1 || dim > INT32_MAX || g->order == SAM_MAX_ORDER)
            return false;
        g->dim[g->order++] = (uint32_t)dim;
        p = *end == 'x' ? end + 1 : end;
        if (*end != 'x')
            break;
    }
    if (*p == ':') {
        char *end;
        g->density = number_read(p + 1, &end);
        g->no_density = end == p + 1 || !(g->density >= 0 && g->density <= 1);
        if (g->no_density)
            return false;
        p = end;
    }
    if (*p == ':') {
        char *end;
        g->base = strtoull(p + 1, &end, 10);
        if (!isdigit((unsigned char)p[1]))
            return false;
        p = end;
    }
    return *p == '\0';
}

static bool bad_generator(const char *spec, const char *what, const char *help, diagnostics *d) {
    diag_error(d, (src_loc){0}, "E0313-generator", "'%s' %s", spec, what);
    return diag_hint(d, "%s", help);
}

/* Returns the high half of a * b in 128 bits. */
static uint64_t high_product(uint64_t a, uint64_t b) {
    uint64_t a0 = a & UINT32_MAX, a1 = a >> 32, b0 = b & UINT32_MAX, b1 = b >> 32;
    uint64_t cross = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (cross & UINT32_MAX);
    return a1 * b1 + (cross >> 32) + (other >> 32);
}

/* How many coordinates lie between two entries: n of them with probability p * q^n, q = 1 - p. The binary
 * digits of such a number are independent, digit i being 1 with probability q^(2^i) / (1 + q^(2^i)); so whole
 * numbers are enough, and every platform draws the same. */
enum { GAP_DIGITS = 63 };

typedef struct {
    uint64_t power[GAP_DIGITS]; /* q^(2^i) * 2^64 */
} gap_source;

static gap_source gap_begin(uint64_t limit) {
    gap_source g;
    uint64_t q = UINT64_MAX - limit + 1;
    for (uint32_t i = 0; i < GAP_DIGITS; i++, q = high_product(q, q))
        g.power[i] = q;
    return g;
}

static uint64_t gap_next(const gap_source *g, prng *p) {
    uint64_t gap = 0;
    for (uint32_t i = 0; i < GAP_DIGITS && g->power[i]; i++) {
        uint64_t q = g->power[i], draw = prng_next(p); /* draw * (1 + q) < q */
        gap |= (uint64_t)(draw < q && high_product(draw, q) < q - draw) << i;
    }
    return gap;
}

static void add_random(const generator *g, uint64_t point, prng *p, tile_dtype dtype, tile_entries *e,
                       arena *mem) {
    uint64_t value = 1 + (prng_next(p) >> 33) % 9;
    uint32_t tuple[SAM_MAX_ORDER];
    for (uint32_t m = g->order; m-- > 0; point /= g->dim[m])
        tuple[m] = (uint32_t)(point % g->dim[m]);
    for (uint32_t m = 0; m < g->order; m++)
        vec_push(mem, &e->crd, tuple[m]);
    vec_push(mem, &e->val, dtype == TILE_DTYPE_BF16 ? bf16_from_float((float)value) : (uint16_t)value);
}

/* Limit of individually visited coordinates, as in the published generator; limits of coordinates and of
 * their words. */
#define VISIT_MOST (UINT64_C(1) << 28)

#define POINTS_MOST (UINT64_C(1) << 62)

#define WORDS_MOST (UINT64_C(1) << 30)

bool tile_generate(const char *spec, name_id name, uint32_t operand, uint64_t base_seed, tile_dtype dtype,
                   arena *mem, diagnostics *d, tile_tensor *out) {
    generator g;
    if (!parse_generator(spec, base_seed, &g) && g.no_density)
        return bad_generator(spec, "states a density that is no number from 0 to 1",
                             "write the share of the coordinates with an entry, such as 100x80:0.05", d);
    if (!parse_generator(spec, base_seed, &g))
        return bad_generator(spec, "is not a generator",
                             "write dimensions, density and seed, such as 100x80:0.05:7", d);
    *out = (tile_tensor){.name = name, .order = g.order};
    memcpy(out->dim, g.dim, sizeof g.dim);
    uint64_t points = 1;
    for (uint32_t m = 0; m < g.order; m++) {
        if (points > POINTS_MOST / g.dim[m])
            return bad_generator(spec, "has more than 2^62 coordinates", "smaller dimensions", d);
        points *= g.dim[m];
    }
    bool all = g.density >= 1;
    uint64_t limit = all ? UINT64_MAX : (uint64_t)(g.density * 18446744073709551616.0);
    if ((all ? points : high_product(points, limit)) > WORDS_MOST / (g.order + 1))
        return bad_generator(spec, "would have more entries than there is room for",
                             "a smaller density or smaller dimensions", d);
    prng p = prng_seed(g.base * 1000 + operand);
    tile_entries e = {0};
    arena scratch = {0};
    if (points <= VISIT_MOST) {
        for (uint64_t point = 0; point < points; point++)
            if (prng_next(&p) < limit || all)
                add_random(&g, point, &p, dtype, &e, &scratch);
    } else if (limit) {
        const gap_source gaps = gap_begin(limit);
        for (uint64_t point = gap_next(&gaps, &p); point < points; point += 1 + gap_next(&gaps, &p))
            add_random(&g, point, &p, dtype, &e, &scratch);
    }
    tile_normalise(out, &e, dtype, mem);
    arena_free(&scratch);
    return true;
}
