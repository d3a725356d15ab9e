/* ir_text.c - the text form of the Onyx-aware dataflow IR; docs/ir_onyx.md is its grammar. */
#include "lower_onyx/lower_int.h"

static const char HEADER[] = "onyx-ir 1";

/* ---- dump ------------------------------------------------------------------------------------ */

static void dump_node(const onyx_graph *g, const onyx_node_data *n, FILE *out) {
    fprintf(out, "node %s %s", onyx_kind_table[n->kind].name, names_text(g->names, n->name));
    if (!name_eq(n->tile, n->name))
        fprintf(out, " tile=%s", names_text(g->names, n->tile));
    for (uint32_t s = 1; s < ONYX_SETTINGS; s++) {
        if (onyx_setting_table[s].kind == n->kind && onyx_get(n, (onyx_setting)s) != 0)
            fprintf(out, " %s=%u", onyx_setting_table[s].name, onyx_get(n, (onyx_setting)s));
    }
    if (n->op != NULL)
        fprintf(out, " op=%s%s", n->op->bf16 ? "fp_" : "", n->op->name);
    for (uint32_t i = 0; i < 3; i++) {
        if (n->constants >> i & 1)
            fprintf(out, " const%u=%u", i, n->constant[i]);
    }
    if (n->whole)
        fputs(" whole=1", out);
    if (n->tensor.v != 0) {
        fprintf(out, " tensor=%s level=", names_text(g->names, n->tensor));
        if (n->level < 0)
            fputs(sam_contents_of(n->level)->text, out);
        else
            fprintf(out, "%d", n->level);
        fprintf(out, " blocks=%u", n->blocks);
        for (uint32_t i = 0; i < n->table.n; i++)
            fprintf(out, "%s%04x", i ? "" : " words=", n->table.word[i]);
    }
    fputc('\n', out);
}

void lower_dump(const onyx_graph *g, FILE *out) {
    fprintf(out, "%s\n", HEADER);
    for (uint32_t i = 0; i < g->nodes.len; i++)
        dump_node(g, &g->nodes.at[i], out);
    for (uint32_t i = 0; i < g->links.len; i++) {
        const onyx_link *l = &g->links.at[i];
        fprintf(out, "link %s.%s -> %s.%s", onyx_node_name(g, l->source),
                onyx_port_table[l->source_port].name, onyx_node_name(g, l->sink),
                onyx_port_table[l->sink_port].name);
        for (uint32_t w = 0; w < l->wires; w++)
            fprintf(out, " %s[%u]%c", onyx_signal_name[l->wire[w].signal], l->wire[w].width,
                    l->wire[w].backward ? '<' : '>');
        fputc('\n', out);
    }
}

/* ---- parse: one statement a line, words separated by blanks ---------------------------------- */

typedef struct {
    const char *text;
    size_t at, end; /* of the current line */
    uint32_t source;
    diagnostics *d;
    onyx_graph *g;
    bool ok;
} reader;

typedef struct {
    const char *text;
    size_t length;
    src_loc loc;
} word;

static word next_word(reader *r) {
    while (r->at < r->end && (r->text[r->at] == ' ' || r->text[r->at] == '\t' || r->text[r->at] == '\r'))
        r->at++;
    size_t start = r->at;
    while (r->at < r->end && r->text[r->at] != ' ' && r->text[r->at] != '\t' && r->text[r->at] != '\r')
        r->at++;
    size_t length = r->at - start;
    return (word){r->text + start, length, src_at(r->source, start, length > 0 ? length : 1)};
}

static bool word_is(word w, const char *text) {
    return w.length == strlen(text) && memcmp(w.text, text, w.length) == 0;
}

static bool syntax(reader *r, src_loc loc, const char *expected, word got) {
    if (r->ok) {
        diag_error(r->d, loc, "E0430-ir-syntax", "expected %s, found \"%.*s\"", expected, (int)got.length,
                   got.text);
        diag_hint(r->d, "docs/ir_onyx.md describes the form: \"node KIND NAME key=value ...\" and "
                        "\"link NODE.PORT -> NODE.PORT wires ...\"");
    }
    r->ok = false;
    return false;
}

/* Reads a decimal number below 2^32 from the whole word. */
static bool number(word w, uint32_t *out) {
    uint64_t value = 0;
    for (size_t i = 0; i < w.length; i++) {
        if (w.text[i] < '0' || w.text[i] > '9' || value > UINT32_MAX / 10u)
            return false;
        value = value * 10 + (uint64_t)(w.text[i] - '0');
    }
    *out = (uint32_t)value;
    return w.length > 0 && value <= UINT32_MAX;
}

static name_id intern_word(reader *r, word w) {
    return names_intern_n(r->g->names, w.text, w.length);
}

static bool parse_setting(onyx_node_data *n, word key, word value) {
    for (uint32_t s = 1; s < ONYX_SETTINGS; s++) {
        const onyx_setting_info *info = &onyx_setting_table[s];
        uint32_t v;
        if (info->kind != n->kind || !word_is(key, info->name))
            continue;
        if (!number(value, &v) || v >> info->bits != 0)
            return false;
        onyx_set(n, (onyx_setting)s, v);
        return true;
    }
    return false;
}

static bool parse_level(onyx_node_data *n, word value) {
    uint32_t level;
    if (sam_find_contents(value.text, value.length, &n->level))
        return true;
    if (!number(value, &level) || level >= SAM_MAX_ORDER)
        return false;
    n->level = (int)level;
    return true;
}

/* Reads the words of a table: four hexadecimal digits each. */
static bool parse_table(reader *r, onyx_node_data *n, word value) {
    static const char digits[] = "0123456789abcdef";
    uint16_t *words = arena_new_n(r->g->mem, uint16_t, value.length / 4 + 1);
    for (size_t i = 0; i < value.length; i++) {
        const char *digit = strchr(digits, value.text[i]);
        if (!digit || !*digit)
            return false;
        words[i / 4] = (uint16_t)(words[i / 4] << 4 | (digit - digits));
    }
    n->table = (sam_table){words, (uint32_t)value.length / 4};
    return value.length % 4 == 0 && n->table.n;
}

static bool parse_op(reader *r, onyx_node_data *n, word value) {
    const char *name = names_text(r->g->names, intern_word(r, value));
    bool bf16 = strncmp(name, "fp_", 3) == 0;
    n->op = onyx_alu_find(bf16 ? name + 3 : name, bf16);
    return n->op != NULL;
}

static bool parse_constant(onyx_node_data *n, uint32_t operand, word value) {
    uint32_t v;
    if (!number(value, &v) || v > UINT16_MAX)
        return false;
    n->constants |= (uint8_t)(1u << operand);
    n->constant[operand] = (uint16_t)v;
    return true;
}

static bool parse_attribute(reader *r, onyx_node_data *n, word w) {
    const char *equals = memchr(w.text, '=', w.length);
    if (equals == NULL)
        return syntax(r, w.loc, "key=value", w);
    word key = {w.text, (size_t)(equals - w.text), w.loc};
    word value = {equals + 1, w.length - key.length - 1, w.loc};
    bool glb = n->kind == ONYX_GLB_IN || n->kind == ONYX_GLB_OUT;
    uint32_t whole = 0;
    bool good;
    if (value.length > 0 && word_is(key, "tile")) {
        n->tile = intern_word(r, value);
        good = true;
    } else if (glb && value.length > 0 && word_is(key, "tensor")) {
        n->tensor = intern_word(r, value);
        good = true;
    } else if (glb && word_is(key, "level")) {
        good = parse_level(n, value);
    } else if (glb && word_is(key, "blocks")) {
        good = number(value, &n->blocks);
    } else if (n->kind == ONYX_GLB_IN && word_is(key, "words")) {
        good = parse_table(r, n, value);
    } else if (n->kind == ONYX_READ_SCANNER && word_is(key, "whole")) {
        good = number(value, &whole) && whole <= 1;
        n->whole = whole == 1;
    } else if (n->kind == ONYX_ALU && word_is(key, "op")) {
        good = parse_op(r, n, value);
    } else if (n->kind == ONYX_ALU && key.length == 6 && memcmp(key.text, "const", 5) == 0 &&
               key.text[5] >= '0' && key.text[5] <= '2') {
        good = parse_constant(n, (uint32_t)(key.text[5] - '0'), value);
    } else {
        good = parse_setting(n, key, value);
    }
    return good || syntax(r, w.loc, "a setting of this kind of node with a value that fits", w);
}

static onyx_node find_node(const onyx_graph *g, name_id name) {
    for (uint32_t i = 0; i < g->nodes.len; i++) {
        if (name_eq(g->nodes.at[i].name, name))
            return (onyx_node){i + 1};
    }
    return (onyx_node){0};
}

static bool parse_node(reader *r) {
    word kind = next_word(r), name = next_word(r);
    onyx_node_data n = {.kind = ONYX_NONE, .loc = name.loc};
    for (uint32_t k = 1; k < ONYX_KINDS; k++) {
        if (word_is(kind, onyx_kind_table[k].name))
            n.kind = (onyx_kind)k;
    }
    if (n.kind == ONYX_NONE)
        return syntax(r, kind.loc, "a kind of node", kind);
    if (name.length == 0)
        return syntax(r, name.loc, "a name", name);
    n.name = n.tile = intern_word(r, name);
    if (find_node(r->g, n.name).v != 0)
        return syntax(r, name.loc, "a name no other node has", name);
    for (word w = next_word(r); w.length > 0; w = next_word(r)) {
        if (!parse_attribute(r, &n, w))
            return false;
    }
    if (n.kind == ONYX_ALU && n.op == NULL)
        return syntax(r, name.loc, "op=... of the alu", (word){"", 0, name.loc});
    if ((n.kind == ONYX_GLB_IN || n.kind == ONYX_GLB_OUT) && n.tensor.v == 0)
        return syntax(r, name.loc, "tensor=... of the global buffer stream", (word){"", 0, name.loc});
    vec_push(r->g->mem, &r->g->nodes, n);
    return true;
}

/* Reads "B0.read.coord_out": everything before the last dot is the node. */
static bool parse_end(reader *r, bool output, onyx_node *node, onyx_port *port) {
    word w = next_word(r);
    size_t dot = w.length;
    while (dot > 0 && w.text[dot - 1] != '.')
        dot--;
    if (dot < 2)
        return syntax(r, w.loc, "NODE.PORT", w);
    *node = find_node(r->g, intern_word(r, (word){w.text, dot - 1, w.loc}));
    if (node->v == 0)
        return syntax(r, w.loc, "a node declared above", w);
    word name = {w.text + dot, w.length - dot, w.loc};
    for (uint32_t p = 1; p < ONYX_PORTS; p++) {
        const onyx_port_info *info = &onyx_port_table[p];
        if (info->kind == onyx_node_at(r->g, *node)->kind && info->output == output &&
            word_is(name, info->name)) {
            *port = (onyx_port)p;
            return true;
        }
    }
    return syntax(r, w.loc, output ? "an output port of that node" : "an input port of that node", w);
}

/* Reads a wire, "ready[1]<". */
static bool parse_wire(reader *r, word w, onyx_wire *wire) {
    const char *bracket = memchr(w.text, '[', w.length);
    size_t name_length = bracket == NULL ? 0 : (size_t)(bracket - w.text);
    bool shape = name_length > 0 && w.length >= name_length + 4 && w.text[w.length - 2] == ']' &&
                 (w.text[w.length - 1] == '<' || w.text[w.length - 1] == '>');
    uint32_t width = 0;
    if (shape)
        shape = number((word){bracket + 1, w.length - name_length - 3, w.loc}, &width) && width <= 64;
    for (uint32_t s = 1; shape && s < ONYX_SIGNALS; s++) {
        if (word_is((word){w.text, name_length, w.loc}, onyx_signal_name[s])) {
            *wire = (onyx_wire){(onyx_signal)s, (uint8_t)width, w.text[w.length - 1] == '<'};
            return true;
        }
    }
    return syntax(r, w.loc, "a wire such as data[17]> or ready[1]<", w);
}

static bool parse_link(reader *r) {
    onyx_link l = {.loc = src_at(r->source, r->at, 1)};
    if (!parse_end(r, true, &l.source, &l.source_port))
        return false;
    word arrow = next_word(r);
    if (!word_is(arrow, "->"))
        return syntax(r, arrow.loc, "->", arrow);
    if (!parse_end(r, false, &l.sink, &l.sink_port))
        return false;
    for (word w = next_word(r); w.length > 0; w = next_word(r)) {
        if (l.wires == ONYX_MAX_WIRES)
            return syntax(r, w.loc, "at most three wires", w);
        if (!parse_wire(r, w, &l.wire[l.wires++]))
            return false;
    }
    vec_push(r->g->mem, &r->g->links, l);
    return true;
}

static bool parse_line(reader *r, bool *header) {
    word first = next_word(r);
    if (first.length == 0 || first.text[0] == '#')
        return true;
    if (!*header) {
        *header = true;
        word version = next_word(r);
        bool good = word_is(first, "onyx-ir") && word_is(version, "1") && next_word(r).length == 0;
        return good || syntax(r, first.loc, "\"onyx-ir 1\"", first);
    }
    if (word_is(first, "node"))
        return parse_node(r);
    if (word_is(first, "link"))
        return parse_link(r);
    return syntax(r, first.loc, "node or link", first);
}

bool lower_parse(const char *name, const char *text, size_t length, name_table *names, diagnostics *d,
                 onyx_graph **out) {
    reader r = {.text = text, .source = diag_add_source(d, name, text, length), .d = d, .ok = true};
    r.g = arena_new(d->mem, onyx_graph);
    r.g->mem = d->mem;
    r.g->names = names;
    bool header = false;
    const char *zero = memchr(text, '\0', length);
    if (zero) /* a name would end there */
        return syntax(&r, src_at(r.source, (size_t)(zero - text), 1), "text", (word){"a zero byte", 11, {0}});
    for (size_t start = 0; start < length && r.ok;) {
        const char *newline = memchr(text + start, '\n', length - start);
        r.at = start;
        r.end = newline == NULL ? length : (size_t)(newline - text);
        parse_line(&r, &header);
        start = r.end + 1;
    }
    if (!header)
        syntax(&r, src_at(r.source, 0, 1), "\"onyx-ir 1\"", (word){"", 0, {0}});
    *out = r.g;
    return r.ok;
}
