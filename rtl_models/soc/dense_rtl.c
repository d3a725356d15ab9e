/* dense_rtl.c - see dense_rtl.h. A cycle as in the cycle model: outputs in the order of the nodes, then a
 * clock edge of all tiles. */
#include "rtl_models/soc/dense_rtl.h"

#include "rtl_models/soc/dense_tiles.h"

enum { COLUMNS = 256, SITES = COLUMNS * 256 };

typedef struct {
    dense_rtl_tile *tile;
    uint32_t x;
    bool late;
} placed;

struct dense_rtl {
    const dense_array *array;
    dense_order order;
    dense_rtl_tiles *tiles;
    dense_rtl_tile **of; /* of a node */
    uint16_t *value;
    VEC(placed) all;
    uint32_t flush_before;
    arena *mem;
};

static const struct {
    dense_rtl_kind kind;
    unsigned unit;
    bool drives, takes; /* the array's wires */
} units[] = {
    [DENSE_NODE_REGISTER] = {DENSE_RTL_REGISTER, 0, true, true},
    [DENSE_NODE_PE] = {DENSE_RTL_PE, DENSE_UNIT_PE, true, true},
    [DENSE_NODE_POND] = {DENSE_RTL_PE, DENSE_UNIT_POND, true, true},
    [DENSE_NODE_UB] = {DENSE_RTL_MEM, DENSE_UNIT_UB, true, true},
    [DENSE_NODE_RAM] = {DENSE_RTL_MEM, DENSE_UNIT_RAM, true, true},
    [DENSE_NODE_VALID] = {DENSE_RTL_MEM, DENSE_UNIT_VALID, true, false},
    [DENSE_NODE_INPUT] = {DENSE_RTL_IO, DENSE_UNIT_INPUT, true, false},
    [DENSE_NODE_OUTPUT] = {DENSE_RTL_IO, DENSE_UNIT_OUTPUT, false, true},
};

/* ---- making ------------------------------------------------------------------------------------ */

static dense_rtl_tile *add_tile(dense_rtl *r, const dense_node *n) {
    placed p = {dense_rtl_tile_add(r->tiles, units[n->kind].kind, n->x, n->y), n->x, n->late};
    vec_push(r->mem, &r->all, p);
    return p.tile;
}

/* Units of a tile share the tile's object. */
static void add_nodes(dense_rtl *r, dense_rtl_tile **site) {
    for (uint32_t i = 0; i < r->array->nodes.len; i++) {
        const dense_node *n = &r->array->nodes.at[i];
        dense_rtl_tile **at = &site[n->y * COLUMNS + n->x];
        if (n->kind == DENSE_NODE_REGISTER) {
            r->of[i] = add_tile(r, n);
            continue;
        }
        if (!*at)
            *at = add_tile(r, n);
        r->of[i] = *at;
    }
}

dense_rtl *dense_rtl_create(const dense_array *array, const bits_stream *words, arena *mem, uint32_t *ring) {
    dense_rtl *r = arena_new(mem, dense_rtl);
    dense_rtl_tile **site = arena_new_n(mem, dense_rtl_tile *, SITES);
    *r = (dense_rtl){.array = array, .mem = mem};
    if (!dense_sort(array, mem, &r->order, ring))
        return NULL;
    r->tiles = dense_rtl_tiles_create();
    r->of = arena_new_n(mem, dense_rtl_tile *, array->nodes.len + 1);
    r->value = arena_new_n(mem, uint16_t, array->values);
    r->value[1] = 1;
    add_nodes(r, site);
    for (uint32_t i = 0; i < words->words.len; i++) {
        const bits_word *w = &words->words.at[i];
        dense_rtl_tile *at = site[bits_y(w->address) * COLUMNS + bits_x(w->address)];
        if (at)
            dense_rtl_tile_write(at, w->address, w->data);
    }
    for (uint32_t i = 0; i < r->all.len; i++)
        dense_rtl_tile_release(r->all.at[i].tile);
    return r;
}

void dense_rtl_destroy(dense_rtl *r) {
    dense_rtl_tiles_destroy(r->tiles);
}

/* ---- a cycle ----------------------------------------------------------------------------------- */

static void set_inputs(const dense_rtl *r, uint32_t i) {
    const dense_node *n = &r->array->nodes.at[i];
    uint16_t in[DENSE_RTL_INS];
    for (uint32_t k = 0; k < DENSE_RTL_INS; k++)
        in[k] = r->value[n->in[k]];
    dense_rtl_tile_set(r->of[i], units[n->kind].unit, in);
}

static void take_outputs(const dense_rtl *r, uint32_t i) {
    const dense_node *n = &r->array->nodes.at[i];
    uint16_t out[DENSE_RTL_OUTS] = {0};
    if (!units[n->kind].drives)
        return;
    dense_rtl_tile_get(r->of[i], units[n->kind].unit, out);
    for (uint32_t o = 0; o < DENSE_RTL_OUTS; o++) {
        if (n->out[o])
            r->value[n->out[o]] = out[o];
    }
}

static void cycle(void *of, uint32_t groups) {
    dense_rtl *r = of;
    for (uint32_t i = 0; i < r->order.before.len; i++)
        take_outputs(r, r->order.before.at[i]);
    for (uint32_t i = 0; i < r->order.combinational.len; i++) {
        const uint32_t node = r->order.combinational.at[i];
        set_inputs(r, node);
        dense_rtl_tile_settle(r->of[node]);
        take_outputs(r, node);
    }
    for (uint32_t i = 0; i < r->array->nodes.len; i++) {
        if (units[r->array->nodes.at[i].kind].takes)
            set_inputs(r, i);
    }
    for (uint32_t i = 0; i < r->all.len; i++) {
        const placed *p = &r->all.at[i];
        const uint32_t flush = p->late ? r->flush_before : groups;
        dense_rtl_tile_clock(p->tile, flush >> p->x / DENSE_FLUSH_COLUMNS & 1);
    }
    r->flush_before = groups;
}

static void drive(void *of, uint32_t node, uint16_t word, bool bit) {
    const dense_rtl *r = of;
    const uint16_t in[DENSE_RTL_INS] = {word, bit};
    dense_rtl_tile_set(r->of[node], DENSE_UNIT_INPUT, in);
}

static uint32_t taken(const void *of, uint32_t node) {
    const dense_rtl *r = of;
    uint16_t out[DENSE_RTL_OUTS] = {0};
    dense_rtl_tile_get(r->of[node], DENSE_UNIT_OUTPUT, out);
    return out[0] | (uint32_t)out[1] << 16;
}

dense_machine dense_rtl_machine(dense_rtl *r) {
    return (dense_machine){r, drive, cycle, taken, NULL};
}
