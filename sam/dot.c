/* This is DOT syntax: a lexer and a recursive-descent reader. */
#include "sam/dot.h"

typedef enum { TOKEN_END, TOKEN_ID, TOKEN_STRING, TOKEN_ARROW, TOKEN_PUNCTUATION } token_kind;

typedef struct {
    token_kind kind;
    char punctuation; /* TOKEN_PUNCTUATION */
    name_id text;     /* TOKEN_ID, TOKEN_STRING */
    src_loc loc;
} token;

typedef struct {
    const char *text;
    size_t length, at;
    uint32_t source;
    token next;      /* one token of look-ahead */
    u32_vec node_of; /* by name: index + 1 of the node with this id, 0 = none */
    name_table *names;
    arena *mem;
    diagnostics *d;
    dot_graph *out;
} reader;

/* ---- tokens ---------------------------------------------------------------------------------- */

static bool is_id_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || (unsigned char)c >= 0x80;
}

static bool starts(const reader *r, const char *what) {
    size_t n = strlen(what);
    return r->length - r->at >= n && memcmp(r->text + r->at, what, n) == 0;
}

/* Skips blanks and comments; false after an error in a comment. */
static bool skip_blank(reader *r) {
    while (r->at < r->length) {
        char c = r->text[r->at];
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            r->at++;
        } else if (c == '#' || starts(r, "//")) {
            while (r->at < r->length && r->text[r->at] != '\n')
                r->at++;
        } else if (starts(r, "/*")) {
            size_t begin = r->at;
            for (r->at += 2; r->at < r->length && !starts(r, "*/"); r->at++)
                ;
            if (r->at == r->length) {
                diag_error(r->d, src_at(r->source, begin, 2), "E0202-dot-string",
                           "this comment is never closed");
                return diag_hint(r->d, "end it with */");
            }
            r->at += 2;
        } else {
            break;
        }
    }
    return true;
}

/* A quoted string: backslash-quote is a quote, every other escape stays unchanged. */
static bool lex_string(reader *r) {
    size_t begin = r->at, end = begin + 1;
    while (end < r->length && r->text[end] != '"' && r->text[end] != '\0')
        end += r->text[end] == '\\' && end + 1 < r->length ? 2 : 1;
    if (end >= r->length || r->text[end] != '"') {
        diag_error(r->d, src_at(r->source, begin, 1), "E0202-dot-string", "this string is never closed");
        return diag_hint(r->d, "end it with \"");
    }
    char *value = arena_alloc(r->mem, end - begin);
    size_t n = 0;
    for (size_t i = begin + 1; i < end; i++) {
        if (r->text[i] == '\\' && r->text[i + 1] == '"')
            i++;
        else if (r->text[i] == '\\')
            value[n++] = r->text[i++];
        value[n++] = r->text[i];
    }
    r->at = end + 1;
    r->next =
        (token){TOKEN_STRING, 0, names_intern_n(r->names, value, n), src_at(r->source, begin, r->at - begin)};
    return true;
}

static bool advance(reader *r) {
    if (!skip_blank(r))
        return false;
    size_t begin = r->at;
    if (begin == r->length) {
        r->next = (token){TOKEN_END, 0, {0}, src_at(r->source, begin, 1)};
        return true;
    }
    if (r->text[begin] == '"')
        return lex_string(r);
    if (is_id_char(r->text[begin])) {
        while (r->at < r->length && is_id_char(r->text[r->at]))
            r->at++;
        name_id text = names_intern_n(r->names, r->text + begin, r->at - begin);
        r->next = (token){TOKEN_ID, 0, text, src_at(r->source, begin, r->at - begin)};
        return true;
    }
    if (starts(r, "->")) {
        r->at += 2;
        r->next = (token){TOKEN_ARROW, 0, {0}, src_at(r->source, begin, 2)};
        return true;
    }
    r->at++;
    r->next = (token){TOKEN_PUNCTUATION, r->text[begin], {0}, src_at(r->source, begin, 1)};
    return true;
}

static bool syntax_error(reader *r, const char *expected) {
    const token *t = &r->next;
    if (t->kind == TOKEN_END)
        diag_error(r->d, t->loc, "E0201-dot-syntax", "expected %s, but the text ends here", expected);
    else
        diag_error(r->d, t->loc, "E0201-dot-syntax", "expected %s, found '%.*s'", expected,
                   (int)(t->loc.length < 40 ? t->loc.length : 40), r->text + t->loc.offset);
    return false;
}

static bool at_punctuation(const reader *r, char c) {
    return r->next.kind == TOKEN_PUNCTUATION && r->next.punctuation == c;
}

static bool at_word(const reader *r, const char *word) {
    return r->next.kind == TOKEN_ID && strcmp(names_text(r->names, r->next.text), word) == 0;
}

static bool take(reader *r, char c, const char *expected) {
    return at_punctuation(r, c) ? advance(r) : syntax_error(r, expected);
}

static bool is_name(const reader *r) {
    return r->next.kind == TOKEN_ID || r->next.kind == TOKEN_STRING;
}

static bool take_name(reader *r, const char *expected, token *out) {
    if (!is_name(r) || !r->next.text.v)
        return syntax_error(r, expected);
    *out = r->next;
    return advance(r);
}

/* ---- statements ------------------------------------------------------------------------------ */

/* Reads the text after a key: "= value". */
static bool read_value(reader *r, token key, dot_attributes *into) {
    if (!take(r, '=', "'=' and a value"))
        return false;
    if (!is_name(r))
        return syntax_error(r, "a value");
    if (into)
        vec_push(r->mem, into, (dot_attribute){key.text, r->next.text, r->next.loc});
    return advance(r);
}

/* Reads zero or more lists "[key=value, key=value; ...]". */
static bool read_lists(reader *r, dot_attributes *into) {
    while (at_punctuation(r, '[')) {
        if (!advance(r))
            return false;
        while (!at_punctuation(r, ']')) {
            token key;
            if (!take_name(r, "an attribute or ']'", &key) || !read_value(r, key, into))
                return false;
            if ((at_punctuation(r, ',') || at_punctuation(r, ';')) && !advance(r))
                return false;
        }
        if (!advance(r))
            return false;
    }
    return true;
}

/* Returns the index of the node with this id, made on its first mention. */
static uint32_t mention(reader *r, token id) {
    while (r->node_of.len <= id.text.v)
        vec_push(r->mem, &r->node_of, 0);
    uint32_t *known = &r->node_of.at[id.text.v];
    if (!*known) {
        vec_push(r->mem, &r->out->nodes, (dot_node){.id = id.text, .loc = id.loc});
        *known = r->out->nodes.len;
    }
    return *known - 1;
}

/* After the first id of an edge statement: "-> id -> id ... [attributes]"; the attributes hold for each. */
static bool read_edges(reader *r, token from) {
    uint32_t first = r->out->edges.len;
    while (r->next.kind == TOKEN_ARROW) {
        token to;
        if (!advance(r) || !take_name(r, "a node id after '->'", &to))
            return false;
        dot_edge e = {.src = mention(r, from)};
        e.dst = mention(r, to);
        e.loc = src_at(r->source, from.loc.offset, to.loc.offset + to.loc.length - from.loc.offset);
        vec_push(r->mem, &r->out->edges, e);
        from = to;
    }
    dot_attributes list = {0};
    if (!read_lists(r, &list))
        return false;
    for (uint32_t i = first; i < r->out->edges.len; i++)
        r->out->edges.at[i].attributes = list;
    return true;
}

static bool read_statement(reader *r) {
    bool defaults = at_word(r, "node") || at_word(r, "edge") || at_word(r, "graph");
    token first;
    if (at_word(r, "subgraph"))
        return syntax_error(r, "a node, an edge or an attribute (subgraphs have no meaning in a SAM graph)");
    if (!take_name(r, "a node, an edge, an attribute or '}'", &first))
        return false;
    if (at_punctuation(r, '='))
        return read_value(r, first, &r->out->attributes);
    if (r->next.kind == TOKEN_ARROW)
        return read_edges(r, first);
    if (defaults && at_punctuation(r, '['))
        return read_lists(r, NULL);
    uint32_t index = mention(r, first);
    dot_node *node = &r->out->nodes.at[index];
    if (!node->declared)
        node->loc = first.loc;
    node->declared = true;
    return read_lists(r, &node->attributes);
}

static bool read_graph(reader *r) {
    if (!advance(r))
        return false;
    if (at_word(r, "strict") && !advance(r))
        return false;
    if (!at_word(r, "digraph"))
        return syntax_error(r, "'digraph'");
    r->out->loc = r->next.loc;
    if (!advance(r))
        return false;
    if (is_name(r) && !advance(r))
        return false;
    if (!take(r, '{', "'{'"))
        return false;
    while (!at_punctuation(r, '}')) {
        if (at_punctuation(r, ';') || at_punctuation(r, ',')) {
            if (!advance(r))
                return false;
        } else if (!read_statement(r)) {
            return false;
        }
    }
    return advance(r) && (r->next.kind == TOKEN_END || syntax_error(r, "the end of the text after '}'"));
}

bool dot_read(const char *name, const char *text, size_t length, name_table *names, diagnostics *d,
              dot_graph *out) {
    *out = (dot_graph){0};
    reader r = {.text = text, .length = length, .names = names, .mem = d->mem, .d = d, .out = out};
    r.source = diag_add_source(d, name, text, length);
    return read_graph(&r);
}

const dot_attribute *dot_find(const dot_attributes *list, const name_table *names, const char *key) {
    for (uint32_t i = list->len; i-- > 0;)
        if (strcmp(names_text(names, list->at[i].key), key) == 0)
            return &list->at[i];
    return NULL;
}
