/* The fields of a description, a line each. */
#include "frontend/functions/described_fields.h"
#include "frontend/functions/capability.h"
#include "frontend/language/cin.h"
#include "frontend/language/statement.h"
#include "support/number.h"

#include <unistd.h>

bool fe_take_name(fe_description *r, const char *what, const char **out) {
    if (r->in.token.kind != FE_NAME)
        return fe_expected(&r->in, what, r->d);
    *out = arena_strndup(r->d->mem, r->in.token.at, r->in.token.length);
    return fe_advance(&r->in);
}

bool fe_refuse_description(const fe_description *r, src_loc loc, const char *what, const char *hint) {
    diag_error(r->d, loc, "E0163-description", "%s", what);
    return diag_hint(r->d, "%s", hint);
}

bool fe_expect_in_description(fe_description *r, char sign, const char *what) {
    return fe_take_sign(&r->in, sign) || fe_expected(&r->in, what, r->d);
}

bool fe_at_end(fe_description *r) {
    return r->in.token.kind == FE_END || fe_expected(&r->in, "the end of the line", r->d);
}

/* Returns the rest of the line, trimmed. */
static const char *rest(const fe_description *r) {
    const char *at = r->in.token.kind == FE_END ? "" : r->in.token.at;
    size_t n = *at ? (size_t)(r->in.text + r->in.length - at) : 0;
    while (n && strchr(" \t\r", at[n - 1]))
        n--;
    return arena_strndup(r->d->mem, at, n);
}

static bool add_words(fe_description *r, fe_texts *to) {
    char *text = arena_strdup(r->d->mem, rest(r)), *state = NULL;
    for (char *word = strtok_r(text, " \t", &state); word; word = strtok_r(NULL, " \t", &state))
        vec_push(r->d->mem, to, word);
    return true;
}

static bool add_line(fe_description *r, fe_texts *to) {
    vec_push(r->d->mem, to, rest(r));
    return true;
}

static bool read_call(fe_description *r) {
    const src_loc loc = r->in.token.loc;
    const char *text = rest(r), *name;
    r->call = r->in;
    r->f->built.returns = "void";
    if (fe_is_word(&r->in.token, "double") || fe_is_word(&r->in.token, "void") ||
        fe_is_word(&r->in.token, "int")) {
        if (!fe_take_name(r, "a type", &r->f->built.returns))
            return false;
        text = rest(r);
    } else {
        return fe_refuse_description(
            r, loc, "a call begins with what it returns",
            "void f(...), or double f(...); on the processor of the chip int f(...)");
    }
    r->f->built.call = text;
    return fe_take_name(r, "the function that is called", &name) && fe_at_sign(&r->in, '(')
               ? true
               : (fe_expected(&r->in, "'('", r->d), false);
}

/* One access T(i) of the capability. */
static bool read_access(fe_description *r, const char **tensor, const char *index) {
    const char *got;
    const src_loc loc = r->in.token.loc;
    if (!fe_take_name(r, "a tensor", tensor) || !fe_expect_in_description(r, '(', "'('") ||
        !fe_take_name(r, "an index", &got) || !fe_expect_in_description(r, ')', "')'"))
        return false;
    return strcmp(got, index) == 0 ||
           fe_refuse_description(r, loc, "all tensors have the same index",
                                 "a function is of values, or along one index: Y(i) = f(i, X(i))");
}

/* Reads the capability after all other fields: a name marks an expression. */
static bool note_capability(fe_description *r) {
    r->capability = r->in;
    return true;
}

/* Reads the title of a description of whole tensors. */
static bool take_title(fe_description *r, const char *what, const char **out) {
    r->user->loc = r->in.token.loc;
    r->f->array = true;
    return fe_take_name(r, what, out) && fe_at_end(r);
}

static bool read_name(fe_description *r) {
    if (!take_title(r, "a name", &r->user->name))
        return false;
    r->f->family = *r->suffix ? r->user->name : NULL;
    r->user->name = arena_printf(r->d->mem, "%s%s", r->user->name, r->suffix);
    return true;
}

/* A rule states a tag, and is never called. */
static bool read_rule(fe_description *r) {
    const bool ok = take_title(r, "a tag", &r->f->rule);
    r->user->name = ok ? arena_printf(r->d->mem, "=> %s", r->f->rule) : NULL;
    return ok;
}

bool fe_read_expression(fe_description *r) {
    const fe_capability_in in = {.text = {.source = r->in.source,
                                          .text = r->in.text,
                                          .first = (size_t)(r->capability.token.at - r->in.text),
                                          .end = r->capability.length},
                                 .formats = r->layouts.at,
                                 .n_formats = r->layouts.len,
                                 .tags = r->wants.at,
                                 .n_tags = r->wants.len,
                                 .formats_loc = r->formats,
                                 .tags_loc = r->tags,
                                 .sparse = r->f->bitstream != NULL,
                                 .functions = r->in.functions,
                                 .integers = r->integers != r->other_type};
    return fe_read_capability(&in, r->user->s.names, r->d, &r->f->states);
}

bool fe_read_named(fe_description *r) {
    const char *result, *index, *along;
    fe_described *f = r->f;
    r->in = r->capability;
    if (!fe_take_name(r, "a tensor", &result) || !fe_expect_in_description(r, '(', "'('") ||
        !fe_take_name(r, "an index", &index) || !fe_expect_in_description(r, ')', "')'") ||
        !fe_expect_in_description(r, '=', "'='"))
        return false;
    r->user->loc = r->in.token.loc;
    if (!fe_take_name(r, "the function's name", &r->user->name) || !fe_expect_in_description(r, '(', "'('"))
        return false;
    f->fiber = fe_peek(&r->in) == ',';
    if (f->fiber) {
        const src_loc loc = r->in.token.loc;
        if (!fe_take_name(r, "an index", &along) || !fe_expect_in_description(r, ',', "','"))
            return false;
        if (strcmp(along, index) != 0)
            return fe_refuse_description(r, loc, "the function is not along the index of its operand",
                                         "Y(i) = f(i, X(i))");
    }
    do {
        if (f->parameters == (f->fiber ? 1 : 2))
            return fe_refuse_description(r, r->in.token.loc,
                                         "a function along an index has one operand, others have two at most",
                                         "Y(i) = f(i, X(i)), Z(i) = f(X(i), Y(i))");
        if (!read_access(r, &f->parameter[f->parameters], index))
            return false;
        f->parameters++;
    } while (fe_take_sign(&r->in, ','));
    return fe_expect_in_description(r, ')', "')'") && fe_at_end(r);
}

static bool read_types(fe_description *r) {
    bool mine = false;
    r->f->built.types = rest(r);
    r->types = r->in.token.loc;
    if (strcmp(r->f->built.types, "q15") == 0) {
        r->f->q15 = true;
        r->other_type = true;
        return true;
    }
    do {
        const bool int16 = fe_is_word(&r->in.token, "int16");
        if (!int16 && !fe_is_word(&r->in.token, "bf16"))
            return fe_refuse_description(r, r->in.token.loc, "expected a data type",
                                         "int16, or bf16, or both with a comma; or q15 alone");
        mine = mine || int16 == r->integers;
        fe_advance(&r->in);
    } while (fe_take_sign(&r->in, ','));
    r->other_type = !mine;
    return fe_at_end(r);
}

/* Properties are checked once the capability determines the operands. */
static bool read_properties(fe_description *r) {
    r->properties = r->in.token.loc;
    do {
        const char *name;
        if (!fe_take_name(r, "a property", &name))
            return false;
        vec_push(r->d->mem, &r->f->properties, name);
    } while (fe_take_sign(&r->in, ','));
    return fe_at_end(r);
}

static bool read_above_zero(const fe_description *r, double *out, const char *hint) {
    char *end, *text = arena_strdup(r->d->mem, rest(r));
    *out = number_read(text, &end);
    return (*text && !*end && *out > 0) ||
           fe_refuse_description(r, r->in.token.loc, "expected a number above 0", hint);
}

static bool read_sensitivity(fe_description *r) {
    return read_above_zero(r, &r->f->program->sensitivity,
                           "how many times more than any operand the result may be off");
}

static bool read_accuracy(fe_description *r) {
    return read_above_zero(
        r, &r->f->accuracy,
        "how far off a value of bf16 may be, as a part of the magnitudes that are added up");
}

static bool read_source(fe_description *r) {
    r->f->built.source = rest(r);
    const char *dot = strrchr(r->f->built.source, '.');
    return (dot && (strcmp(dot, ".c") == 0 || strcmp(dot, ".so") == 0)) ||
           fe_refuse_description(r, r->in.token.loc, "expected a file of C or a shared object",
                                 "softmax.c, or softmax.so");
}

static bool read_table(fe_description *r) {
    r->f->built.table = rest(r);
    r->f->built.returns = "double";
    return *r->f->built.table ||
           fe_refuse_description(r, r->in.token.loc, "expected a file of numbers", "table: gamma.txt");
}

static bool read_formats(fe_description *r) {
    r->formats = r->in.token.loc;
    return add_words(r, &r->layouts);
}

static bool read_tags(fe_description *r) {
    r->tags = r->in.token.loc;
    return add_words(r, &r->wants);
}

static bool read_checker(fe_description *r) {
    r->checker = r->in.token.loc;
    return fe_take_name(r, "a function of C", &r->f->checker) && fe_at_end(r);
}

static bool read_package(fe_description *r) {
    r->f->built.package = rest(r);
    return *r->f->built.package ||
           fe_refuse_description(r, r->in.token.loc, "expected a package", "libblas-dev");
}

/* Takes the only allowed word of a field. */
static bool take_word(fe_description *r, const char *word, const char *what, const char *example) {
    if (!fe_is_word(&r->in.token, word))
        return fe_refuse_description(r, r->in.token.loc, what, example);
    fe_advance(&r->in);
    return fe_at_end(r);
}

static bool read_runs(fe_description *r) {
    r->f->runs = r->in.token.loc;
    r->f->on_processor = take_word(r, "m3", "expected a processor", "runs: m3");
    return r->f->on_processor;
}

static bool read_scalar(fe_description *r) {
    r->f->root = take_word(r, "root", "expected an operation of the chip's processor", "scalar: root");
    return r->f->root;
}

static bool read_cycles(fe_description *r) {
    char *end, *text = arena_strdup(r->d->mem, rest(r));
    r->f->per_call = number_read(text, &end);
    const bool two = end > text && *end == ' ';
    text = end;
    if (two)
        r->f->per_point = number_read(text, &end);
    return (two && end > text && !*end && r->f->per_call >= 0 && r->f->per_point >= 0) ||
           fe_refuse_description(r, r->in.token.loc, "expected two numbers from 0 up",
                                 "cycles: 40 12 is 40 a call, and 12 for each point of its loops");
}

static fe_bitstream *bitstream_of(fe_description *r) {
    if (!r->f->bitstream)
        r->f->bitstream = arena_new(r->d->mem, fe_bitstream);
    return r->f->bitstream;
}

static bool read_folder(fe_description *r, bool generated) {
    fe_bitstream *b = bitstream_of(r);
    b->loc = r->in.token.loc;
    b->generated = generated;
    b->folder = strcmp(rest(r), ".") == 0 ? r->f->folder : fe_described_path(r->f, rest(r), r->d->mem);
    return r->in.token.kind != FE_END ||
           fe_refuse_description(r, r->first, "the bitstream has no folder", "bitstream: .");
}

static bool read_bitstream(fe_description *r) {
    return read_folder(r, false);
}

static bool read_generator(fe_description *r) {
    return read_folder(r, true);
}

static bool note_loops(fe_description *r) {
    bitstream_of(r);
    r->loops = r->in;
    return true;
}

static bool note_edges(fe_description *r) {
    bitstream_of(r);
    r->edges = r->in;
    return true;
}

/* Reads "2", or "2 apart". */
static bool read_copies(fe_description *r) {
    fe_bitstream *b = bitstream_of(r);
    b->copies = fe_whole_number(&r->in.token, UINT32_MAX);
    if (b->copies > FE_MAX_COPIES || !b->copies)
        return fe_refuse_description(r, r->in.token.loc,
                                     "expected how many copies of the kernel the bitstream has",
                                     "copies: 2, or where each starts by itself copies: 2 apart");
    fe_advance(&r->in);
    b->apart = fe_is_word(&r->in.token, "apart");
    if (b->apart)
        fe_advance(&r->in);
    return fe_at_end(r);
}

/* Reads "onyx", or "onyx onyx-ext" with a profile. */
static bool read_board(fe_description *r) {
    fe_bitstream *b = bitstream_of(r);
    char *text = arena_strdup(r->d->mem, rest(r)), *state = NULL;
    b->board = strtok_r(text, " \t", &state);
    b->profile = strtok_r(NULL, " \t", &state);
    b->profile = b->profile ? b->profile : b->board;
    return (b->board && !strtok_r(NULL, " \t", &state)) ||
           fe_refuse_description(r, r->in.token.loc,
                                 "expected a board, and a profile where it is not the board's own",
                                 "board: onyx, board: onyx onyx-ext");
}

static bool take_index(fe_description *r, sam_var *out) {
    const sam_statement *s = &r->f->states.s;
    const src_loc loc = r->in.token.loc;
    const char *name;
    if (!fe_take_name(r, "an index", &name))
        return false;
    *out = fe_find_var(s, names_find(s->names, name));
    return out->v ||
           fe_refuse_description(r, loc, "the capability has no such index", "an index of its tensors");
}

bool fe_take_loops(fe_description *r) {
    sam_statement *s = &r->f->states.s;
    uint64_t seen = 0;
    uint32_t n = 0;
    r->in = r->loops;
    do {
        sam_var v;
        const src_loc loc = r->in.token.loc;
        if (!take_index(r, &v))
            return false;
        if (seen >> (v.v - 1) & 1)
            return fe_refuse_description(r, loc, "this loop is there already", "each index once");
        seen |= (uint64_t)1 << (v.v - 1);
        s->loops.at[n++] = v;
    } while (fe_take_sign(&r->in, ','));
    return (n == s->vars.len ||
            fe_refuse_description(r, r->in.token.loc, "an index of the capability is missing",
                                  "loops: i,k,j names all, outermost first")) &&
           fe_at_end(r);
}

bool fe_take_edges(fe_description *r) {
    uint32_t *edge = arena_new_n(r->d->mem, uint32_t, r->f->states.s.vars.len + 1);
    r->f->bitstream->edge = edge;
    if (!r->edges.text)
        return true;
    r->in = r->edges;
    do {
        sam_var v;
        if (!take_index(r, &v) || !fe_expect_in_description(r, ':', "':' and an edge"))
            return false;
        edge[v.v - 1] = fe_whole_number(&r->in.token, UINT32_MAX);
        if (!edge[v.v - 1] || edge[v.v - 1] > UINT16_MAX)
            return fe_refuse_description(r, r->in.token.loc, "expected an edge from 1 to 65535",
                                         "edges: k:40");
        fe_advance(&r->in);
    } while (fe_take_sign(&r->in, ','));
    return fe_at_end(r);
}

typedef struct {
    const char *name;
    bool (*read)(fe_description *r);
    bool once, needed;
    bool (*add)(fe_description *r, fe_texts *to); /* in place of `read`: adds to a list of fe_described */
    size_t list;
} field_row;

static const field_row fields[] = {
    {"call", read_call, true, true, NULL, 0},
    {"capability", note_capability, true, true, NULL, 0},
    {"datatypes", read_types, true, true, NULL, 0},
    {"name", read_name, true, false, NULL, 0},
    {"rule", read_rule, true, false, NULL, 0},
    {"formats", read_formats, true, false, NULL, 0},
    {"tags", read_tags, true, false, NULL, 0},
    {"checker", read_checker, true, false, NULL, 0},
    {"package", read_package, true, false, NULL, 0},
    {"source", read_source, true, false, NULL, 0},
    {"table", read_table, true, false, NULL, 0},
    {"sensitivity", read_sensitivity, true, false, NULL, 0},
    {"accuracy", read_accuracy, true, false, NULL, 0},
    {"properties", read_properties, true, false, NULL, 0},
    {"runs", read_runs, true, false, NULL, 0},
    {"scalar", read_scalar, true, false, NULL, 0},
    {"cycles", read_cycles, true, false, NULL, 0},
    {"object", .add = add_line, .list = offsetof(fe_described, built.objects)},
    {"setup", .add = add_line, .list = offsetof(fe_described, built.setup)},
    {"teardown", .add = add_line, .list = offsetof(fe_described, built.teardown)},
    {"headers", .add = add_words, .list = offsetof(fe_described, built.headers)},
    {"include", .add = add_words, .list = offsetof(fe_described, built.include)},
    {"libraries", .add = add_words, .list = offsetof(fe_described, built.libraries)},
    {"flags", .add = add_words, .list = offsetof(fe_described, built.flags)},
    {"bitstream", read_bitstream, true, false, NULL, 0},
    {"generator", read_generator, true, false, NULL, 0},
    {"loops", note_loops, true, false, NULL, 0},
    {"edges", note_edges, true, false, NULL, 0},
    {"copies", read_copies, true, false, NULL, 0},
    {"board", read_board, true, false, NULL, 0},
};

enum { FIELDS = sizeof fields / sizeof *fields };

static bool read_field(fe_description *r) {
    const fe_token t = r->in.token;
    uint32_t at = 0;
    while (at < FIELDS && !fe_is_word(&t, fields[at].name))
        at++;
    if (at == FIELDS)
        return fe_refuse_description(
            r, t.loc, "expected a field",
            "call, capability, datatypes, name, rule, formats, tags, checker, package, source, table, "
            "sensitivity, accuracy, runs, scalar, cycles, "
            "properties, list, object, setup, teardown, headers, include, libraries, flags, "
            "bitstream, generator, loops, edges, copies, board");
    if (r->seen >> at & 1 && fields[at].once)
        return fe_refuse_description(r, t.loc,
                                     arena_printf(r->d->mem, "there is a '%s' already", fields[at].name),
                                     "each field once, but for object, setup, teardown and lists");
    r->seen |= 1u << at;
    fe_advance(&r->in);
    const field_row *f = &fields[at];
    return fe_expect_in_description(r, ':', "':'") &&
           (f->read ? f->read(r) : f->add(r, (fe_texts *)((char *)r->f + f->list)));
}

bool fe_read_lines(fe_description *r) {
    for (size_t start = 0; start < r->end;) {
        const char *line = r->in.text + start, *stop = memchr(line, '\n', r->end - start);
        const size_t end = stop ? (size_t)(stop - r->in.text) : r->end, blank = strspn(line, " \t\r");
        r->in.pos = start;
        r->in.length = end;
        if (start + blank < end && line[blank] != '#') {
            fe_advance(&r->in);
            if (!read_field(r))
                return false;
        }
        start = end + 1;
    }
    return true;
}

bool fe_has_only(const fe_description *r, const char *what, const char *const *these, uint32_t n,
                 uint32_t needed) {
    const char *list = "";
    for (uint32_t k = 0; k < n; k++)
        list = arena_printf(r->d->mem, "%s%s%s", list, k ? ", " : "", these[k]);
    for (uint32_t i = 0; i < FIELDS; i++) {
        uint32_t k = 0;
        while (k < n && strcmp(fields[i].name, these[k]) != 0)
            k++;
        const bool has = r->seen >> i & 1;
        if (has && k == n)
            return fe_refuse_description(
                r, r->first, arena_printf(r->d->mem, "a %s has no '%s'", what, fields[i].name), list);
        if (!has && k < needed)
            return fe_refuse_description(
                r, r->first, arena_printf(r->d->mem, "the %s has no '%s'", what, fields[i].name), list);
    }
    return true;
}

bool fe_has_needed(fe_description *r) {
    for (uint32_t i = 0; i < FIELDS; i++) {
        if (fields[i].needed && !(r->seen >> i & 1))
            return fe_refuse_description(
                r, r->first, arena_printf(r->d->mem, "the description has no '%s'", fields[i].name),
                "call, capability and datatypes are always there");
    }
    return true;
}
