/* Inputs of the simulator's memories, and the result of its writers. */
#include "sam/sim_data.h"

const sam_tensor_levels *sim_find_operand(const sam_tensor_levels *operands, uint32_t n_operands,
                                          name_id name) {
    for (uint32_t i = 0; i < n_operands && name.v; i++)
        if (name_eq(operands[i].name, name))
            return &operands[i];
    return NULL;
}

uint32_t sim_fibers(const sam_tensor_levels *t, uint32_t level) {
    uint64_t fibers = 1;
    for (uint32_t l = 0; l < level; l++)
        fibers = t->level[l].format == SAM_LEVEL_DENSE ? fibers * t->level[l].dim : t->level[l].n_crd;
    return (uint32_t)fibers;
}

/* ---- operands -------------------------------------------------------------------------------- */

static bool segments_ascend(const sam_level_data *level, uint64_t fibers) {
    if (level->n_seg != fibers + 1 || level->seg[0] != 0 || level->seg[fibers] != level->n_crd)
        return false;
    for (uint64_t f = 0; f < fibers; f++)
        if (level->seg[f] > level->seg[f + 1])
            return false;
    return true;
}

static bool coordinates_ascend(const sam_level_data *level, uint64_t fibers) {
    for (uint64_t f = 0; f < fibers; f++)
        for (uint32_t i = level->seg[f]; i < level->seg[f + 1]; i++)
            if (level->crd[i] >= level->dim || (i > level->seg[f] && level->crd[i] <= level->crd[i - 1]))
                return false;
    return true;
}

/* The fault of the levels, or NULL. */
static const char *operand_fault(const sam_tensor_levels *t, const sam_graph_tensor *described, arena *mem) {
    if (t->order != described->order)
        return arena_printf(mem, "has %u %s, the graph describes %u", t->order,
                            plural(t->order, "level", "levels"), described->order);
    uint64_t fibers = 1;
    for (uint32_t l = 0; l < t->order; l++) {
        const sam_level_data *level = &t->level[l];
        bool dense = level->format == SAM_LEVEL_DENSE;
        if (level->format != described->level[l])
            return arena_printf(mem, "level %u is %s, the graph says %s", l, dense ? "dense" : "compressed",
                                dense ? "compressed" : "dense");
        if (!dense && !segments_ascend(level, fibers))
            return arena_printf(mem, "level %u: the segments do not divide the coordinates into %llu %s", l,
                                (unsigned long long)fibers, plural(fibers, "fiber", "fibers"));
        if (!dense && !coordinates_ascend(level, fibers))
            return arena_printf(mem, "level %u: coordinates do not ascend below %u", l, level->dim);
        fibers = dense ? fibers * level->dim : level->n_crd;
        if (fibers >= SIM_STOP)
            return arena_printf(mem, "level %u has 2^31 positions or more", l);
    }
    if (t->n_vals != fibers)
        return arena_printf(mem, "has %u %s, its levels have %llu %s", t->n_vals,
                            plural(t->n_vals, "value", "values"), (unsigned long long)fibers,
                            plural(fibers, "position", "positions"));
    return NULL;
}

bool sim_check_operands(const sam_graph *g, const sam_tensor_levels *operands, uint32_t n_operands,
                        arena *mem, diagnostics *d) {
    for (uint32_t i = 0; i < g->nodes.len; i++) {
        const sam_node_data *n = &g->nodes.at[i];
        bool of_result = g->tensors.len && name_eq(n->tensor, g->tensors.at[0].name); /* a locator may be */
        if ((!sam_reads_level(n->kind) && n->kind != SAM_ARRAYVALS) || of_result)
            continue;
        const sam_tensor_levels *t = sim_find_operand(operands, n_operands, n->tensor);
        const char *fault = t ? operand_fault(t, sam_find_tensor(g, n->tensor), mem) : "has no data";
        if (fault) {
            diag_error(d, n->loc, "E0233-operand", "operand %s %s", names_text(g->names, n->tensor), fault);
            return diag_hint(d, "give every operand of the graph in the formats of its comment");
        }
    }
    return true;
}

/* ---- the result ------------------------------------------------------------------------------ */

static const sim_unit *writer_of(const sim_machine *m, name_id tensor, int mode) {
    for (uint32_t v = 1; v <= m->g->nodes.len; v++) {
        const sam_node_data *n = &m->g->nodes.at[v - 1];
        if (n->kind == SAM_FIBERWRITE && name_eq(n->tensor, tensor) && n->mode == mode)
            return &m->units[v];
    }
    BUG("no writer of mode %d", mode);
}

uint32_t sim_dimension_of(const sam_graph *g, name_id index, const sam_tensor_levels *operands,
                          uint32_t n_operands) {
    for (uint32_t i = 0; i < g->nodes.len; i++) {
        const sam_node_data *n = &g->nodes.at[i];
        const sam_tensor_levels *t = sim_find_operand(operands, n_operands, n->tensor);
        if (sam_reads_level(n->kind) && t && index.v && name_eq(n->index, index))
            return t->level[sam_storage_level(sam_find_tensor(g, n->tensor), n->mode)].dim;
    }
    return 0;
}

static bool result_fault(const sim_machine *m, sam_node n, const char *what) {
    diag_error(m->d, sam_node_at(m->g, n)->loc, "E0232-result", "%s %s", sam_node_label(m->g, n, m->mem),
               what);
    return diag_hint(
        m->d, "drop coordinates before a reducer, not after it: a reducer makes a zero of an empty fiber");
}

/* A dense level holds no coordinates: each of its fibers must have all coordinates. */
static bool check_dense(const sim_machine *m, const sim_unit *u, const u32_vec *seg, const u32_vec *crd,
                        uint32_t dim) {
    for (uint32_t f = 0; f + 1 < seg->len; f++) {
        bool full = seg->at[f + 1] - seg->at[f] == dim;
        for (uint32_t i = seg->at[f]; i < seg->at[f + 1] && full; i++)
            full = crd->at[i] == i - seg->at[f];
        if (!full)
            return result_fault(m, u->node, "is dense, but did not receive every coordinate of a fiber");
    }
    return true;
}

/* Reads a writer's tokens as coordinates and their fibers. The published writers (`nonempty`) give an empty
 * fiber no segment: the stops tell the empty fiber in this case. */
static void cut_fibers(const sim_machine *m, const sim_unit *u, bool nonempty, u32_vec *seg, u32_vec *crd) {
    seg->len = crd->len = 0;
    vec_push(m->mem, seg, 0);
    for (uint32_t i = 0; i < u->s.write.tokens.len; i++) {
        sim_token t = u->s.write.tokens.at[i];
        bool ends = nonempty ? crd->len > seg->at[seg->len - 1] : !sim_hollow(t);
        if (sim_is_number(t))
            vec_push(m->mem, crd, t);
        else if (ends)
            vec_push(m->mem, seg, crd->len);
    }
}

static bool read_level(const sim_machine *m, const sim_unit *u, uint32_t fibers, uint32_t dim,
                       sam_level_data *out, uint32_t *positions) {
    u32_vec seg = {0}, crd = {0};
    bool published = m->timing == SAM_TIMING_PUBLISHED;
    cut_fibers(m, u, published, &seg, &crd);
    if (published && seg.len - 1 < fibers)
        cut_fibers(m, u, false, &seg, &crd);
    if (seg.len - 1 != fibers)
        return result_fault(m, u->node,
                            arena_printf(m->mem, "wrote %u %s where the level above has %u", seg.len - 1,
                                         plural(seg.len - 1, "fiber", "fibers"), fibers));
    bool dense = sam_node_at(m->g, u->node)->format == SAM_LEVEL_DENSE;
    *positions = crd.len;
    *out = (sam_level_data){.format = SAM_LEVEL_COMPRESSED,
                            .dim = dim,
                            .seg = seg.at,
                            .crd = crd.at,
                            .n_seg = seg.len,
                            .n_crd = crd.len};
    if (!dense)
        return true;
    *out = (sam_level_data){.format = SAM_LEVEL_DENSE, .dim = dim};
    return check_dense(m, u, &seg, &crd, dim);
}

/* Makes the levels of a dense result whose values an array stored. */
static bool stored_result(const sim_machine *m, const sam_tensor_levels *operands, uint32_t n_operands,
                          sam_tensor_levels *out) {
    const sam_graph_tensor *t = &m->g->tensors.at[0];
    for (uint32_t v = 1; v <= m->g->nodes.len; v++) {
        const sam_node_data *n = &m->g->nodes.at[v - 1];
        const sim_unit *u = &m->units[v];
        if (n->kind != SAM_ARRAYSTORE)
            continue;
        out->n_vals = u->s.store.n_vals;
        out->vals = memcpy(arena_new_n(m->mem, uint16_t, out->n_vals), u->s.store.vals,
                           out->n_vals * sizeof *out->vals);
        for (uint32_t l = 0; l < t->order; l++) {
            uint32_t dim = sim_dimension_of(m->g, sam_stored_index(m->g, u->node, l), operands, n_operands);
            out->level[l] = (sam_level_data){.format = SAM_LEVEL_DENSE, .dim = dim};
        }
        return true;
    }
    return false;
}

/* If droppers removed coordinates but their zeros were written, the nonzero values belong to the remaining
 * coordinates. */
static uint32_t without_zeros(uint16_t *vals, uint32_t n) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++)
        if (vals[i])
            vals[kept++] = vals[i];
    return kept;
}

bool sim_result_of(const sim_machine *m, const sam_tensor_levels *operands, uint32_t n_operands,
                   sam_tensor_levels *out, uint64_t *stored) {
    const sam_graph_tensor *t = &m->g->tensors.at[0];
    *out = (sam_tensor_levels){.name = t->name, .order = t->order};
    if (stored_result(m, operands, n_operands, out)) {
        *stored = out->n_vals;
        return true;
    }
    uint32_t positions = 1;
    for (uint32_t l = 0; l < t->order; l++) {
        const sim_unit *u = writer_of(m, t->name, t->mode[l]);
        uint32_t dim = sim_dimension_of(m->g, sam_node_at(m->g, u->node)->index, operands, n_operands);
        if (!read_level(m, u, positions, dim, &out->level[l], &positions))
            return false;
    }
    const sim_unit *u = writer_of(m, t->name, SAM_MODE_VALS);
    u16_vec vals = {0};
    for (uint32_t i = 0; i < u->s.write.tokens.len; i++)
        if (sim_is_number(u->s.write.tokens.at[i]))
            vec_push(m->mem, &vals, (uint16_t)u->s.write.tokens.at[i]);
    *stored = vals.len;
    if (m->timing == SAM_TIMING_PUBLISHED && vals.len != positions)
        vals.len = without_zeros(vals.at, vals.len);
    out->vals = vals.at;
    out->n_vals = vals.len;
    if (vals.len != positions)
        return result_fault(m, u->node,
                            arena_printf(m->mem, "wrote %u %s for %u %s", vals.len,
                                         plural(vals.len, "value", "values"), positions,
                                         plural(positions, "coordinate", "coordinates")));
    return true;
}
