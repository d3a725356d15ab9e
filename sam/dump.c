/* The writer: SAM's dialect as the published compiler prints it, in a canonical order, with the ports of
 * every edge as attributes of their own. docs/ir_sam.md is the contract. */
#include "sam/sam.h"
#include "support/sort.h"

typedef struct {
    const char *key, *value;
} pair;
typedef VEC(pair) pairs;

typedef struct {
    const sam_graph *g;
    arena mem;     /* scratch */
    u32_vec edges; /* indices of the live edges by (dst, dst_port, src, src_port) */
    FILE *out;
} writer;

static const char *text_of(const writer *w, name_id id) {
    return names_text(w->g->names, id);
}

/* ---- edges in order -------------------------------------------------------------------------- */

static int compare_edges(const sam_edge_data *a, const sam_edge_data *b) {
    uint32_t ka[] = {a->dst.v, a->dst_port, a->src.v, a->src_port};
    uint32_t kb[] = {b->dst.v, b->dst_port, b->src.v, b->src_port};
    for (int i = 0; i < 4; i++)
        if (ka[i] != kb[i])
            return ka[i] < kb[i] ? -1 : 1;
    return 0;
}

static bool edge_comes_after(const void *graph, uint32_t a, uint32_t b) {
    const sam_graph *g = graph;
    return compare_edges(&g->edges.at[a], &g->edges.at[b]) > 0;
}

/* Returns the first edge into a port, or NULL. */
static const sam_edge_data *edge_into(const writer *w, sam_node dst, uint32_t port) {
    uint32_t low = 0, high = w->edges.len;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        const sam_edge_data *e = &w->g->edges.at[w->edges.at[middle]];
        if (e->dst.v < dst.v || (e->dst.v == dst.v && e->dst_port < port))
            low = middle + 1;
        else
            high = middle;
    }
    const sam_edge_data *e = low < w->edges.len ? &w->g->edges.at[w->edges.at[low]] : NULL;
    return e && e->dst.v == dst.v && e->dst_port == port ? e : NULL;
}

/* ---- names of joiner operands ---------------------------------------------------------------- */

/* Returns the tensor of the references at operand k: the tensor of the first naming node up the reference
 * path. */
static name_id operand_tensor(const writer *w, sam_node joiner, uint32_t k) {
    for (uint32_t steps = 0; steps <= w->g->nodes.len; steps++) {
        const sam_edge_data *e =
            edge_into(w, joiner, sam_is_joiner(sam_node_at(w->g, joiner)->kind) ? 2 * k + 1 : 0);
        const sam_node_data *src = e ? sam_node_at(w->g, e->src) : NULL;
        if (!src || src->tensor.v)
            return src ? src->tensor : (name_id){0};
        if (sam_is_joiner(src->kind) && e->src_port == 0)
            return (name_id){0};
        joiner = e->src;
        k = e->src_port - 1u;
    }
    return (name_id){0};
}

/* Unique within the joiner: a name used by an earlier operand gets the operand's number. */
static const char *operand_name(writer *w, sam_node joiner, uint32_t k) {
    name_id tensor = operand_tensor(w, joiner, k);
    bool taken = !tensor.v;
    for (uint32_t j = 0; j < k && !taken; j++)
        taken = name_eq(operand_tensor(w, joiner, j), tensor);
    return taken ? arena_printf(&w->mem, "%s%u", text_of(w, tensor), k) : text_of(w, tensor);
}

/* ---- writing --------------------------------------------------------------------------------- */

static void write_quoted(FILE *out, const char *text) {
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('\\', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void write_id(FILE *out, const char *text) {
    bool plain = *text != '\0';
    for (const char *c = text; *c; c++)
        plain = plain && ((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
                          *c == '_');
    static const char *const reserved[] = {"node", "edge", "graph", "subgraph"};
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        plain = plain && strcmp(text, reserved[i]) != 0;
    if (plain)
        fputs(text, out);
    else
        write_quoted(out, text);
}

static void write_tensors(const writer *w) {
    if (!w->g->tensors.len)
        return;
    fputs("    comment=\"", w->out);
    for (uint32_t i = 0; i < w->g->tensors.len; i++) {
        const sam_graph_tensor *t = &w->g->tensors.at[i];
        fprintf(w->out, "%s%s=%s", i ? "," : "", text_of(w, t->name), t->order ? "" : "none");
        for (uint32_t l = 0; l < t->order; l++)
            fputc(t->level[l] == SAM_LEVEL_DENSE ? 'd' : 's', w->out);
        for (uint32_t l = 0; l < t->order; l++)
            fputc(t->mode[l] < 10 ? '0' + t->mode[l] : 'a' + t->mode[l] - 10, w->out);
    }
    fputs("\"\n", w->out);
}

/* ---- sizes of a writer's arrays, in the published generator's form --------------------------- */

/* Returns the size of an index variable as "B0_dim", by the first operand of the graph comment scanned by the
 * variable. */
static const char *dimension_of(writer *w, name_id index) {
    for (uint32_t t = 0; t < w->g->tensors.len; t++)
        for (uint32_t i = 0; i < w->g->nodes.len; i++) {
            const sam_node_data *n = &w->g->nodes.at[i];
            if (n->kind == SAM_FIBERLOOKUP && index.v && name_eq(n->index, index) &&
                name_eq(n->tensor, w->g->tensors.at[t].name))
                return arena_printf(&w->mem, "%s%d_dim", text_of(w, n->tensor), n->mode);
        }
    return NULL;
}

/* Returns the product over the first `levels` storage levels of a written tensor, as "B0_dim*C1_dim"; NULL if
 * unknown. */
static const char *product_of(writer *w, const sam_graph_tensor *t, uint32_t levels) {
    const char *product = "";
    for (uint32_t l = 0; l < levels; l++) {
        const char *dimension = NULL;
        for (uint32_t i = 0; i < w->g->nodes.len && !dimension; i++) {
            const sam_node_data *n = &w->g->nodes.at[i];
            if (n->kind == SAM_FIBERWRITE && name_eq(n->tensor, t->name) && n->mode == t->mode[l])
                dimension = dimension_of(w, n->index);
        }
        if (!dimension)
            return NULL;
        product = arena_printf(&w->mem, "%s%s%s", product, l ? "*" : "", dimension);
    }
    return product;
}

static void add(writer *w, pairs *list, const char *key, const char *value) {
    if (value && *value)
        vec_push(&w->mem, list, (pair){key, value});
}

static void add_sizes(writer *w, const sam_node_data *n, pairs *list) {
    const sam_graph_tensor *t = sam_find_tensor(w->g, n->tensor);
    if (!t)
        return;
    if (n->mode == SAM_MODE_VALS) {
        const char *all = product_of(w, t, t->order);
        if (all)
            add(w, list, "size", arena_printf(&w->mem, "1%s%s", *all ? "*" : "", all));
        return;
    }
    int level = sam_storage_level(t, n->mode);
    if (level < 0 || n->format != SAM_LEVEL_COMPRESSED)
        return;
    const char *outer = product_of(w, t, (uint32_t)level), *all = product_of(w, t, (uint32_t)level + 1);
    if (outer)
        add(w, list, "segsize", *outer ? arena_printf(&w->mem, "%s+1", outer) : "2");
    add(w, list, "crdsize", all);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static const char *format_word(sam_level_format f) {
    static const char *const word[] = {"", "dense", "compressed"};
    return word[f];
}

/* This is how a node looks: its label and colour. */
static const char *node_label(writer *w, const sam_node_data *n, const char **colour) {
    const char *index = text_of(w, n->index), *tensor = text_of(w, n->tensor);
    switch (n->kind) {
    case SAM_FIBERLOOKUP:
        *colour = "green4";
        return arena_printf(&w->mem, "FiberLookup %s: %s%d\\n%s", index, tensor, n->mode,
                            format_word(n->format));
    case SAM_BVLOOKUP:
        *colour = "green4";
        return arena_printf(&w->mem, "BVLookup %s: %s%d", index, tensor, n->mode);
    case SAM_LOCATE:
        *colour = "green4";
        return arena_printf(&w->mem, "Locate %s: %s%d\\n%s", index, tensor, n->mode, format_word(n->format));
    case SAM_ARRAYSTORE:
        *colour = "green2";
        return arena_printf(&w->mem, "Array Store: %s", tensor);
    case SAM_FIBERWRITE:
        *colour = "green3";
        if (n->mode == SAM_MODE_VALS)
            return arena_printf(&w->mem, "FiberWrite Vals: %s", tensor);
        return arena_printf(&w->mem, "FiberWrite %s: %s%d\\n%s", index, tensor, n->mode,
                            format_word(n->format));
    case SAM_ARRAYVALS:
        *colour = "green2";
        return arena_printf(&w->mem, "Array Vals: %s", tensor);
    case SAM_REPEAT:
        *colour = "cyan2";
        return arena_printf(&w->mem, "Repeat %s: %s", index, tensor);
    case SAM_REPSIGGEN:
        *colour = "cyan3";
        return arena_printf(&w->mem, "RepeatSignalGenerator %s", index);
    case SAM_BVCONVERT:
        *colour = "cyan3";
        return arena_printf(&w->mem, "BVConvert %s", index);
    case SAM_INTERSECT:
    case SAM_UNION:
    case SAM_BVINTERSECT:
    case SAM_BVUNION:
        *colour = "purple";
        return arena_printf(&w->mem, "%s %s", sam_primitive_table[n->kind].type, index);
    case SAM_ALU:
        *colour = "brown";
        return arena_printf(&w->mem, "%s%s", n->fp ? "fp_" : "", text_of(w, n->alu));
    case SAM_REDUCE:
        *colour = "brown";
        return "Reduce";
    case SAM_CRDDROP:
        *colour = "orange";
        return arena_printf(&w->mem, "CrdDrop %s%s,%s", n->compress ? "Compression " : "",
                            text_of(w, n->outer), text_of(w, n->inner));
    case SAM_CRDHOLD:
        *colour = "orange";
        return arena_printf(&w->mem, "CrdHold %s,%s", text_of(w, n->outer), text_of(w, n->inner));
    case SAM_VECTORREDUCER:
        *colour = "brown";
        return arena_printf(&w->mem, "VectorReducer %s", index);
    case SAM_SPACCUMULATOR:
        *colour = "brown";
        return "SparseAccumulator";
    case SAM_PARALLELIZE:
    case SAM_SERIALIZE:
        *colour = "gold";
        return arena_printf(&w->mem, "%s %s", n->kind == SAM_SERIALIZE ? "Serialize" : "Parallelize", index);
    case SAM_BROADCAST:
    case SAM_NONE:
    case SAM_PRIMITIVES:
        break;
    }
    BUG("no label for primitive %d", (int)n->kind);
}

static const char *type_of(writer *w, const sam_node_data *n) {
    if (n->kind != SAM_ALU)
        return sam_primitive_table[n->kind].type;
    const char *alu = text_of(w, n->alu);
    if (n->fp)
        return arena_printf(&w->mem, "fp_%s", alu);
    return strcmp(alu, "sub") == 0 ? "add" : alu;
}

/* All attributes of a node, in printing order. */
static pairs node_pairs(writer *w, const sam_node_data *n) {
    pairs list = {0};
    bool memory = sam_reads_level(n->kind) || n->kind == SAM_FIBERWRITE;
    const char *alu = n->kind == SAM_ALU && !n->fp ? text_of(w, n->alu) : "";
    add(w, &list, "type", type_of(w, n));
    add(w, &list, "index", text_of(w, n->index));
    add(w, &list, "tensor", text_of(w, n->tensor));
    if (memory)
        add(w, &list, "mode", n->mode == SAM_MODE_VALS ? "vals" : arena_printf(&w->mem, "%d", n->mode));
    add(w, &list, "format", format_word(n->format));
    add(w, &list, "outer", text_of(w, n->outer));
    add(w, &list, "inner", text_of(w, n->inner));
    if (n->compress)
        add(w, &list, n->kind == SAM_REDUCE ? "empty" : "mode", n->kind == SAM_REDUCE ? "drop" : "0");
    if (n->kind == SAM_PARALLELIZE || n->kind == SAM_SERIALIZE ||
        (n->kind == SAM_VECTORREDUCER && n->depth > 1))
        add(w, &list, "depth", arena_printf(&w->mem, "%u", n->depth));
    if (strcmp(alu, "add") == 0 || strcmp(alu, "sub") == 0)
        add(w, &list, "sub", alu[0] == 's' ? "1" : "0");
    if (n->width)
        add(w, &list, "width", arena_printf(&w->mem, "%u", n->width));
    if (n->kind == SAM_FIBERLOOKUP && n->depth)
        add(w, &list, "singletons", arena_printf(&w->mem, "%u", n->depth));
    if (n->words)
        add(w, &list, "words", sam_words_name[n->words]);
    if (n->kind != SAM_ALU)
        add(w, &list, "op", text_of(w, n->alu));
    if (n->fill)
        add(w, &list, "fill", arena_printf(&w->mem, "0x%04x", n->fill));
    if (n->kind == SAM_FIBERWRITE) {
        add_sizes(w, n, &list);
        add(w, &list, "sink", "true");
    }
    if (sam_reads_level(n->kind))
        add(w, &list, "src", "true");
    if (n->root || sam_reads_level(n->kind) || n->kind == SAM_REPEAT)
        add(w, &list, "root", n->root ? "true" : "false");
    if (n->kind == SAM_VECTORREDUCER)
        add(w, &list, "accum_index", text_of(w, n->index));
    if (n->fp && n->kind != SAM_ALU)
        add(w, &list, "fp", "true");
    for (uint32_t i = 0; i < n->extra.len; i++)
        vec_push(&w->mem, &list, (pair){text_of(w, n->extra.at[i].key), text_of(w, n->extra.at[i].value)});
    return list;
}

static void write_node(writer *w, const sam_node_data *n) {
    pairs list = node_pairs(w, n);
    const char *comment = "", *colour = NULL;
    for (uint32_t i = 0; i < list.len; i++) /* a comment cannot hold a value with a comma */
        if (!strchr(list.at[i].value, ','))
            comment = arena_printf(&w->mem, "%s%s%s=%s", comment, *comment ? "," : "", list.at[i].key,
                                   list.at[i].value);
    fputs("    ", w->out);
    write_id(w->out, text_of(w, n->id));
    fputs(" [comment=", w->out);
    write_quoted(w->out, comment);
    if (n->kind == SAM_BROADCAST) {
        fputs(" shape=point style=invis", w->out);
    } else {
        fputs(" label=", w->out);
        write_quoted(w->out, node_label(w, n, &colour));
        fprintf(w->out, " color=%s shape=box style=filled", colour);
    }
    for (uint32_t i = 0; i < list.len; i++) {
        fputc(' ', w->out);
        write_id(w->out, list.at[i].key);
        fputc('=', w->out);
        write_quoted(w->out, list.at[i].value);
    }
    fputs("]\n", w->out);
}

/* ---- edges ----------------------------------------------------------------------------------- */

static const char *dropper_hint(writer *w, const sam_node_data *n, uint32_t port,
                                const char *const prefix[2]) {
    return arena_printf(&w->mem, "%s-%s", prefix[port != 0], text_of(w, port ? n->inner : n->outer));
}

static const char *accumulator_hint(writer *w, sam_node n, uint32_t port, const char *prefix) {
    name_id index = sam_attribute_of(w->g, n, arena_printf(&w->mem, "in%u", port));
    return index.v ? arena_printf(&w->mem, "%s%s", prefix, text_of(w, index)) : "";
}

/* Output 1 + n + k of a joiner of n operands lets operand k skip. */
static uint32_t skipped_operand(const writer *w, const sam_edge_data *e) {
    uint32_t operands = 0;
    while (edge_into(w, e->src, 2 * operands))
        operands++;
    return e->src_port > operands ? e->src_port - operands - 1u : 0;
}

/* Returns the dialect's names for the ports of an edge; "" for none. */
static const char *edge_hint(writer *w, const sam_edge_data *e) {
    static const char *const named[2] = {"outer", "inner"}, *const in[2] = {"in", "in"};
    const sam_node_data *src = sam_node_at(w->g, e->src), *dst = sam_node_at(w->g, e->dst);
    if (sam_is_joiner(dst->kind))
        return arena_printf(&w->mem, "in-%s", operand_name(w, e->dst, e->dst_port / 2u));
    if (e->stream == SAM_STREAM_SKIP)
        return arena_printf(&w->mem, "skip-%s", operand_name(w, e->src, skipped_operand(w, e)));
    if (sam_is_joiner(src->kind) && e->src_port)
        return arena_printf(&w->mem, "out-%s", operand_name(w, e->src, e->src_port - 1u));
    if (dst->kind == SAM_LOCATE && e->dst_port == 0)
        return arena_printf(&w->mem, "in-%s", text_of(w, dst->tensor));
    if (src->kind == SAM_LOCATE && e->src_port == 2)
        return arena_printf(&w->mem, "out-%s", text_of(w, src->tensor));
    if (src->kind == SAM_CRDDROP || src->kind == SAM_CRDHOLD)
        return dropper_hint(w, src, e->src_port, named);
    if (dst->kind == SAM_CRDDROP || dst->kind == SAM_CRDHOLD)
        return dropper_hint(w, dst, e->dst_port, in);
    if (src->kind == SAM_SPACCUMULATOR)
        return accumulator_hint(w, e->src, e->src_port, "out-");
    if (dst->kind == SAM_SPACCUMULATOR)
        return accumulator_hint(w, e->dst, e->dst_port, "");
    return "";
}

static void write_edge(writer *w, const sam_edge_data *e) {
    static const char *const style[] = {"", " style=dashed", " style=bold", "", " style=dotted",
                                        "", " style=dotted"};
    const char *hint = edge_hint(w, e);
    fputs("    ", w->out);
    write_id(w->out, text_of(w, sam_node_at(w->g, e->src)->id));
    fputs(" -> ", w->out);
    write_id(w->out, text_of(w, sam_node_at(w->g, e->dst)->id));
    fputs(" [label=", w->out);
    write_quoted(w->out, arena_printf(&w->mem, "%s%s%s", sam_stream_name(e->stream), *hint ? "_" : "", hint));
    fprintf(w->out, "%s type=\"%s\"", style[e->stream], sam_stream_name(e->stream));
    if (*hint) {
        fputs(" comment=", w->out);
        write_quoted(w->out, hint);
    }
    fprintf(w->out, " src_port=\"%u\" dst_port=\"%u\"]\n", e->src_port, e->dst_port);
}

void sam_dump(const sam_graph *g, FILE *out) {
    writer w = {.g = g, .out = out};
    for (uint32_t i = 0; i < g->edges.len; i++)
        if (g->edges.at[i].src.v)
            vec_push(&w.mem, &w.edges, i);
    sort_numbers(w.edges.at, w.edges.len, arena_new_n(&w.mem, uint32_t, w.edges.len + 1), edge_comes_after,
                 g);
    fputs("digraph SAM {\n", out);
    write_tensors(&w);
    for (uint32_t i = 0; i < g->nodes.len; i++)
        if (g->nodes.at[i].kind != SAM_NONE)
            write_node(&w, &g->nodes.at[i]);
    for (uint32_t i = 0; i < w.edges.len; i++)
        write_edge(&w, &g->edges.at[w.edges.at[i]]);
    fputs("}\n", out);
    arena_free(&w.mem);
}
