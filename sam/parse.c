/* From DOT statements to a SAM graph: tensors, nodes, and (in parse_ports.c) the ports of the edges. */
#include "sam/parse_int.h"

#include <stdlib.h>

/* ---- the graph comment ----------------------------------------------------------------------- */

static bool bad_tensor(parser *p, src_loc loc, const char *entry, size_t length) {
    diag_error(p->d, loc, "E0208-tensor-comment", "'%.*s' does not describe a tensor", (int)length, entry);
    return diag_hint(
        p->d, "one letter a level (d dense, s compressed), then the mode each level holds: B=ss01, c=d0; "
              "a scalar is b=none");
}

/* A mode in the comment is one character: a digit or a letter. SAM_MAX_ORDER for any other character. */
static uint32_t mode_of(char c) {
    if (c >= '0' && c <= '9')
        return (uint32_t)(c - '0');
    return c >= 'a' && c <= 'z' ? (uint32_t)(c - 'a') + 10 : SAM_MAX_ORDER;
}

/* "B=ss10": two levels, compressed, the outer level holds mode 1. */
static bool parse_tensor(parser *p, src_loc loc, const char *entry, size_t length) {
    const char *equals = memchr(entry, '=', length);
    if (!equals || equals == entry)
        return bad_tensor(p, loc, entry, length);
    sam_graph_tensor t = {.name = names_intern_n(p->g->names, entry, (size_t)(equals - entry))};
    const char *spec = equals + 1;
    size_t n = length - (size_t)(spec - entry);
    if (n == 4 && memcmp(spec, "none", 4) == 0)
        n = 0;
    else if (n == 0 || n % 2 || n / 2 > SAM_MAX_ORDER)
        return bad_tensor(p, loc, entry, length);
    t.order = (uint32_t)(n / 2);
    uint32_t seen = 0;
    for (uint32_t l = 0; l < t.order; l++) {
        char format = spec[l], digit = spec[t.order + l];
        uint32_t mode = mode_of(digit);
        if ((format != 'd' && format != 's') || mode >= t.order || seen & 1u << mode)
            return bad_tensor(p, loc, entry, length);
        seen |= 1u << mode;
        t.level[l] = format == 'd' ? SAM_LEVEL_DENSE : SAM_LEVEL_COMPRESSED;
        t.mode[l] = (uint8_t)mode;
    }
    if (sam_find_tensor(p->g, t.name)) {
        diag_error(p->d, loc, "E0208-tensor-comment", "tensor '%s' is described twice",
                   names_text(p->g->names, t.name));
        return diag_hint(p->d, "name each tensor once");
    }
    vec_push(p->g->mem, &p->g->tensors, t);
    return true;
}

static bool parse_tensors(parser *p) {
    const dot_attribute *comment = dot_find(&p->dot.attributes, p->g->names, "comment");
    const char *at = comment ? names_text(p->g->names, comment->value) : "";
    bool good = true;
    p->g->loc = comment ? comment->loc : p->dot.loc;
    while (*at && good) {
        size_t n = strcspn(at, ",");
        good = parse_tensor(p, comment->loc, at, n);
        at += n;
        if (*at == ',')
            at++;
    }
    return good;
}

/* ---- attributes of a node -------------------------------------------------------------------- */

/* A backslash belongs to the next character: an escaped character cannot end a part of the comment. */
static bool ends_in_escape(const char *text, size_t n) {
    size_t backslashes = 0;
    while (backslashes < n && text[n - 1 - backslashes] == '\\')
        backslashes++;
    return backslashes % 2;
}

/* Adds the attributes given only by the comment "type=mul,k=v" to `list`. If both give a value, the attribute
 * counts; a difference with another meaning of the node is worth a warning. */
static bool merge_comment(parser *p, const dot_node *node, dot_attributes *list) {
    static const char *const matters[] = {"type",  "index", "tensor", "mode",  "format", "root",      "sub",
                                          "outer", "inner", "depth",  "width", "words",  "singletons"};
    const dot_attribute *comment = dot_find(&node->attributes, p->g->names, "comment");
    const char *at = comment ? names_text(p->g->names, comment->value) : "";
    while (*at) {
        size_t n = strcspn(at, ",");
        const char *equals = memchr(at, '=', n);
        if (ends_in_escape(at, n) || (equals && ends_in_escape(at, (size_t)(equals - at)))) {
            diag_error(p->d, comment->loc, "E0204-attribute",
                       "'%.*s' in the comment has a backslash before a separator", (int)n, at);
            return diag_hint(p->d, "remove the backslash");
        }
        if (equals && equals > at) {
            name_id key = names_intern_n(p->g->names, at, (size_t)(equals - at));
            name_id value = names_intern_n(p->g->names, equals + 1, n - (size_t)(equals + 1 - at));
            const dot_attribute *said = dot_find(list, p->g->names, names_text(p->g->names, key));
            if (!said)
                vec_push(p->g->mem, list, (dot_attribute){key, value, comment->loc});
            for (size_t i = 0; said && !name_eq(said->value, value) && i < sizeof matters / sizeof *matters;
                 i++)
                if (strcmp(names_text(p->g->names, key), matters[i]) == 0)
                    diag_warning(
                        p->d, said->loc, "E0209-comment-differs",
                        "the attribute says %s=\"%s\", the comment says \"%s\"; the attribute counts",
                        matters[i], names_text(p->g->names, said->value), names_text(p->g->names, value));
        }
        at += n;
        if (*at == ',')
            at++;
    }
    return true;
}

static bool bad_attribute(parser *p, const dot_attribute *a, const char *expected) {
    return diag_error(p->d, a->loc, "E0204-attribute", "%s is '%s', expected %s",
                      names_text(p->g->names, a->key), names_text(p->g->names, a->value), expected);
}

static bool parse_bool(parser *p, const dot_attribute *a, bool *out) {
    const char *value = names_text(p->g->names, a->value);
    *out = strcmp(value, "true") == 0 || strcmp(value, "1") == 0;
    return *out || strcmp(value, "false") == 0 || strcmp(value, "0") == 0 ||
           bad_attribute(p, a, "true or false");
}

static bool parse_mode(parser *p, const dot_attribute *a, sam_node_data *n) {
    const char *value = names_text(p->g->names, a->value);
    char *end;
    unsigned long mode = value[0] >= '0' && value[0] <= '9' ? strtoul(value, &end, 10) : SAM_MAX_ORDER;
    bool number = mode < SAM_MAX_ORDER && *end == '\0';
    if (n->kind == SAM_CRDDROP) {
        n->compress = mode == 0;
        return (number && mode <= 1) || bad_attribute(p, a, "0 (drop zero values) or 1 (drop empty fibers)");
    }
    if (n->kind == SAM_FIBERWRITE && strcmp(value, "vals") == 0)
        n->mode = SAM_MODE_VALS;
    else if (number)
        n->mode = (int)mode;
    else
        return bad_attribute(
            p, a, n->kind == SAM_FIBERWRITE ? "a mode of the tensor or vals" : "a mode of the tensor");
    return true;
}

static bool parse_format(parser *p, const dot_attribute *a, sam_node_data *n) {
    const char *value = names_text(p->g->names, a->value);
    if (strcmp(value, "dense") == 0)
        n->format = SAM_LEVEL_DENSE;
    else if (strcmp(value, "compressed") == 0)
        n->format = SAM_LEVEL_COMPRESSED;
    else
        return bad_attribute(p, a, "dense or compressed");
    return true;
}

static bool is_bit_vector(sam_primitive k) {
    return k == SAM_BVLOOKUP || k == SAM_BVCONVERT || k == SAM_BVINTERSECT || k == SAM_BVUNION;
}

static bool parse_words(parser *p, const dot_attribute *a, sam_node_data *n) {
    for (uint32_t w = 0; sam_words_name[w]; w++) {
        if (strcmp(names_text(p->g->names, a->value), sam_words_name[w]) != 0)
            continue;
        n->words = (sam_words)w;
        return true;
    }
    return bad_attribute(p, a, "bits, blocks or runs");
}

static bool parse_empty(parser *p, const dot_attribute *a, sam_node_data *n) {
    const char *value = names_text(p->g->names, a->value);
    n->compress = strcmp(value, "drop") == 0;
    return n->compress || strcmp(value, "zero") == 0 || bad_attribute(p, a, "zero or drop");
}

static bool parse_count(parser *p, const dot_attribute *a, uint32_t least, uint32_t most, uint8_t *out) {
    const char *value = names_text(p->g->names, a->value);
    uint32_t count = *value ? 0 : UINT32_MAX;
    for (const char *c = value; *c && count <= most; c++)
        count = *c >= '0' && *c <= '9' ? count * 10 + (uint32_t)(*c - '0') : UINT32_MAX;
    *out = (uint8_t)count;
    return (count >= least && count <= most) ||
           bad_attribute(p, a, arena_printf(p->g->mem, "a number from %u to %u", least, most));
}

static bool is_reducer(sam_primitive k) {
    return k == SAM_REDUCE || k == SAM_VECTORREDUCER || k == SAM_SPACCUMULATOR;
}

/* A word, as 0x7f80 or as an integer of 16 bits. */
static bool parse_fill(parser *p, const dot_attribute *a, sam_node_data *n) {
    const char *value = names_text(p->g->names, a->value);
    char *end;
    long word = strtol(value, &end, 0);
    n->fill = (uint16_t)word;
    return (*value && !*end && word >= INT16_MIN && word <= UINT16_MAX) ||
           bad_attribute(p, a, "a word: 0x0000 to 0xffff, or -32768 to 65535");
}

/* "vals" is another spelling of "val" in droppers and holds. */
static name_id dropper_index(parser *p, name_id value) {
    return strcmp(names_text(p->g->names, value), "vals") == 0 ? names_intern(p->g->names, "val") : value;
}

static bool one_of(const char *key, const char *const *list) {
    for (; *list; list++)
        if (strcmp(key, *list) == 0)
            return true;
    return false;
}

/* An attribute whose meaning is independent of other attributes. */
static bool parse_attribute(parser *p, const dot_attribute *a, sam_node_data *n) {
    /* Attributes of the node's look, or derived again by the writer. */
    static const char *const derived[] = {"comment", "label", "color",   "shape",   "style", "type",
                                          "src",     "sink",  "segsize", "crdsize", "size",  NULL};
    const char *key = names_text(p->g->names, a->key);
    bool memory = sam_reads_level(n->kind) || n->kind == SAM_FIBERWRITE;
    bool dropper = n->kind == SAM_CRDDROP || n->kind == SAM_CRDHOLD;
    if (one_of(key, derived) || (n->kind == SAM_ALU && strcmp(key, "sub") == 0))
        return true;
    if (strcmp(key, "index") == 0 || (n->kind == SAM_VECTORREDUCER && strcmp(key, "accum_index") == 0))
        n->index = a->value;
    else if (strcmp(key, "tensor") == 0)
        n->tensor = a->value;
    else if (strcmp(key, "mode") == 0 && (memory || n->kind == SAM_CRDDROP))
        return parse_mode(p, a, n);
    else if (strcmp(key, "format") == 0 && memory)
        return parse_format(p, a, n);
    else if (strcmp(key, "root") == 0)
        return parse_bool(p, a, &n->root);
    else if (strcmp(key, "outer") == 0 && dropper)
        n->outer = a->value;
    else if (strcmp(key, "inner") == 0 && dropper)
        n->inner = dropper_index(p, a->value);
    else if (strcmp(key, "vals") == 0 && n->kind == SAM_CRDDROP)
        return parse_bool(p, a, &n->compress);
    else if (strcmp(key, "depth") == 0 &&
             (n->kind == SAM_VECTORREDUCER || n->kind == SAM_PARALLELIZE || n->kind == SAM_SERIALIZE))
        return parse_count(p, a, n->kind == SAM_VECTORREDUCER, SAM_MAX_ORDER, &n->depth);
    else if (strcmp(key, "width") == 0 && is_bit_vector(n->kind))
        return parse_count(p, a, 1, 64, &n->width);
    else if (strcmp(key, "singletons") == 0 && n->kind == SAM_FIBERLOOKUP)
        return parse_count(p, a, 0, SAM_MAX_ORDER - 1, &n->depth);
    else if (strcmp(key, "words") == 0 && is_bit_vector(n->kind) && n->kind != SAM_BVCONVERT)
        return parse_words(p, a, n);
    else if (strcmp(key, "op") == 0 && (n->kind == SAM_ARRAYSTORE || is_reducer(n->kind)))
        n->alu = a->value;
    else if (strcmp(key, "fill") == 0 && n->kind == SAM_ARRAYVALS)
        return parse_fill(p, a, n);
    else if (strcmp(key, "empty") == 0 && n->kind == SAM_REDUCE)
        return parse_empty(p, a, n);
    else if (strcmp(key, "fp") == 0)
        return parse_bool(p, a, &n->fp);
    else
        vec_push(p->g->mem, &n->extra, (sam_attribute){a->key, a->value});
    return true;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static sam_primitive primitive_of(const char *type) {
    for (int k = SAM_NONE + 1; k < SAM_PRIMITIVES; k++)
        if (k != SAM_ALU && strcmp(sam_primitive_table[k].type, type) == 0)
            return (sam_primitive)k;
    return SAM_ALU; /* whatever is no primitive of SAM is an operation of the processing element */
}

/* "add" with sub="1" is "sub"; "fp_mul" is "mul" in bfloat16. */
static bool parse_operation(parser *p, const dot_attributes *list, const char *type, sam_node_data *n) {
    const dot_attribute *sub = dot_find(list, p->g->names, "sub");
    bool subtract = false;
    if (strncmp(type, "fp_", 3) == 0 && type[3]) {
        n->fp = true;
        type += 3;
    }
    if (sub && strcmp(type, "add") == 0 && !parse_bool(p, sub, &subtract))
        return false;
    n->alu = names_intern(p->g->names, subtract ? "sub" : type);
    return true;
}

static bool no_type(parser *p, const dot_node *node) {
    const char *id = names_text(p->g->names, node->id);
    if (node->declared) {
        diag_error(p->d, node->loc, "E0203-node-type", "node %s has no type", id);
        diag_hint(p->d, "add type=\"...\": fiberlookup, intersect, mul, ...");
    } else {
        diag_error(p->d, node->loc, "E0203-node-type", "node %s is used in an edge but never declared", id);
        diag_hint(p->d, "add a statement: %s [type=\"...\"]", id);
    }
    return false;
}

static bool parse_node(parser *p, const dot_node *node) {
    dot_attributes list = {0};
    for (uint32_t i = 0; i < node->attributes.len; i++)
        vec_push(p->g->mem, &list, node->attributes.at[i]);
    if (!merge_comment(p, node, &list))
        return false;
    const dot_attribute *type = dot_find(&list, p->g->names, "type");
    const char *type_text = type ? names_text(p->g->names, type->value) : "";
    if (!*type_text)
        return no_type(p, node);
    sam_node_data n = {.kind = primitive_of(type_text), .id = node->id, .loc = node->loc};
    n.depth = n.kind == SAM_VECTORREDUCER;
    bool good = n.kind != SAM_ALU || parse_operation(p, &list, type_text, &n);
    for (uint32_t i = 0; i < list.len && good; i++)
        if (&list.at[i] == dot_find(&list, p->g->names, names_text(p->g->names, list.at[i].key)))
            good = parse_attribute(p, &list.at[i], &n);
    vec_push(p->g->mem, &p->g->nodes, n);
    return good;
}

/* ---- edges ----------------------------------------------------------------------------------- */

static bool parse_stream(parser *p, const dot_edge *e, sam_stream *out) {
    const dot_attribute *type = dot_find(&e->attributes, p->g->names, "type");
    const char *text = type ? names_text(p->g->names, type->value) : "";
    for (int s = SAM_STREAM_CRD; s <= SAM_STREAM_SKIP; s++) {
        if (strcmp(text, sam_stream_name((sam_stream)s)) == 0) {
            *out = (sam_stream)s;
            return true;
        }
    }
    if (type)
        diag_error(p->d, type->loc, "E0205-edge-type", "'%s' is no stream type", text);
    else
        diag_error(p->d, e->loc, "E0205-edge-type", "this edge has no type");
    return diag_hint(p->d, "type=\"crd\", \"ref\", \"val\", \"repsig\", \"bv\" or \"skip\"");
}

bool sam_parse(const char *name, const char *text, size_t length, name_table *names, diagnostics *d,
               sam_graph *out) {
    parser p = {.g = out, .d = d};
    sam_graph_init(out, d->mem, names);
    if (!dot_read(name, text, length, names, d, &p.dot))
        return false;
    bool good = parse_tensors(&p);
    for (uint32_t i = 0; i < p.dot.nodes.len; i++)
        good = parse_node(&p, &p.dot.nodes.at[i]) && good;
    for (uint32_t i = 0; i < p.dot.edges.len; i++) {
        const dot_edge *e = &p.dot.edges.at[i];
        sam_edge_data edge = {.src = {e->src + 1}, .dst = {e->dst + 1}, .loc = e->loc};
        good = parse_stream(&p, e, &edge.stream) && good;
        vec_push(d->mem, &out->edges, edge);
    }
    return good && parse_ports(&p);
}
