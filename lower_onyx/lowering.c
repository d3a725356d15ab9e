/* What all visits of a lowering share: names, nodes of one primitive, roots. */
#include "lower_onyx/lowering.h"
#include "sam/coordinates.h"
#include "sam/operators.h"

const char *lowering_unique_name(lowering *l, const char *base) {
    char *clean = arena_strdup(l->g->mem, base);
    for (char *p = clean; *p != '\0'; p++) {
        bool word = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9');
        if (!word)
            *p = '_';
    }
    return onyx_free_name(l->g, clean);
}

const char *lowering_level_name(lowering *l, const char *tensor, int level) {
    if (level == SAM_MODE_VALS)
        return arena_printf(l->g->mem, "%s_vals", tensor);
    char last = tensor[0] == '\0' ? '0' : tensor[strlen(tensor) - 1];
    const char *gap = last >= '0' && last <= '9' ? "_" : "";
    return arena_printf(l->g->mem, "%s%s%d", tensor, gap, level);
}

const char *lowering_processing_name(lowering *l, const sam_node_data *s) {
    const name_table *names = l->sam->names;
    const char *what = s->kind == SAM_ALU         ? names_text(names, s->alu)
                       : s->kind == SAM_REPSIGGEN ? "rsg"
                                                  : sam_primitive_table[s->kind].type;
    const char *name = what;
    const name_id labels[] = {s->kind == SAM_REPEAT ? s->tensor : (name_id){0}, s->index, s->outer, s->inner};
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
        if (labels[i].v != 0)
            name = arena_printf(l->g->mem, "%s_%s", name, names_text(names, labels[i]));
    }
    return lowering_unique_name(l, name);
}

uint32_t lowering_inputs_of(const sam_graph *s, sam_node node) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->edges.len; i++)
        n += s->edges.at[i].src.v != 0 && s->edges.at[i].dst.v == node.v;
    return n;
}

void lowering_set_root(lowering *l, onyx_node node, onyx_setting setting, onyx_port ref_in, bool root) {
    if (root && l->outermost.v != 0)
        onyx_connect(l->g, l->outermost, ONYX_PORT_READ_SCANNER_POS_OUT, node, ref_in);
    else
        onyx_set(onyx_node_at(l->g, node), setting, root);
}

uint32_t lowering_edge_along(const lower_options *o, name_id index) {
    for (uint32_t i = 0; i < o->n_edges; i++) {
        if (name_eq(o->edges[i].index, index))
            return o->edges[i].edge;
    }
    return o->tile_edge;
}

onyx_node lowering_add_constant_pe(onyx_graph *g, const char *name, src_loc loc, const char *operation,
                                   uint16_t constant, onyx_node from) {
    const alu_wanted wanted = {operation, false, 2, {{0}, {true, constant}}, onyx_free_name(g, name), loc};
    const alu_made made = alu_make(g, &wanted);
    for (uint32_t k = 0; k < made.sinks && from.v != 0; k++)
        onyx_connect(g, from, ONYX_PORT_ALU_RES, made.sink[k].node, made.sink[k].port);
    return made.result;
}

onyx_node lowering_refuse(lowering *l, sam_node h, const char *hint) {
    diag_unmappable(l->d, sam_node_at(l->sam, h)->loc, "E0410-not-on-chip", "%s: Onyx has no such primitive",
                    sam_node_label(l->sam, h, l->g->mem));
    diag_hint(l->d, "%s", hint);
    return (onyx_node){0};
}

onyx_node lowering_add_processing(lowering *l, sam_node h, onyx_kind kind) {
    const char *name = lowering_processing_name(l, sam_node_at(l->sam, h));
    return onyx_add_node(l->g, kind, name, name, sam_node_at(l->sam, h)->loc);
}
