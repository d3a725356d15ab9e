/* described.c - reads descriptions of functions.
 *
 *   file       := (line "\n")*
 *   line       := field ":" text | "#" comment | nothing                  lists of indices: lists.c
 *   call       := [type] name "(" [argument ("," argument)*] ")"
 *   argument   := ["-"] number | ["&"] name | call       name: of a datum of the operand, or of an object
 *   capability := T "(" i ")" "=" name "(" [i ","] T "(" i ")" ["," T "(" i ")"] ")"
 *               | what capability.c reads, where there is a name
 *
 * What is called is a function of C made of the description: it declares the objects, sets up, calls, tears
 * down. It is compiled (load.c) where an expression names the function, so that a folder of many costs
 * nothing.
 */
#include "frontend/described.h"
#include "support/number.h"

#include <stdlib.h>
#include <unistd.h>

#include "frontend/calls.h"
#include "frontend/lists.h"

typedef struct {
    fe_reader in;               /* of the current line: its length is the line's end */
    size_t end;                 /* of the text */
    fe_reader call, capability; /* at the call, and at the capability */
    fe_described *f;
    fe_user_function *user;
    const char *suffix; /* of the function's name */
    src_loc first;      /* of the file: its first line */
    src_loc properties, formats, tags, checker, types, board;
    fe_reader loops, edges;  /* of a bitstream, at their texts */
    fe_texts layouts, wants; /* of formats, tags */
    uint32_t seen;           /* bit of each field present */
    bool integers, other_type;
    diagnostics *d;
} description;

static bool take_name(description *r, const char *what, const char **out) {
    if (r->in.token.kind != FE_NAME) {
        fe_expected(&r->in, what, r->d);
        return false;
    }
    *out = arena_strndup(r->d->mem, r->in.token.at, r->in.token.length);
    fe_advance(&r->in);
    return true;
}

static bool refuse(const description *r, src_loc loc, const char *what, const char *hint) {
    diag_error(r->d, loc, "E0163-description", "%s", what);
    diag_hint(r->d, "%s", hint);
    return false;
}

static bool expect(description *r, char sign, const char *what) {
    if (fe_take_sign(&r->in, sign))
        return true;
    fe_expected(&r->in, what, r->d);
    return false;
}

static bool at_end(description *r) {
    if (r->in.token.kind == FE_END)
        return true;
    fe_expected(&r->in, "the end of the line", r->d);
    return false;
}

/* ---- fields ------------------------------------------------------------------------------------ */

/* Returns the rest of the line, trimmed. */
static const char *rest(const description *r) {
    const char *at = r->in.token.kind == FE_END ? "" : r->in.token.at;
    size_t n = *at ? (size_t)(r->in.text + r->in.length - at) : 0;
    while (n && strchr(" \t\r", at[n - 1]))
        n--;
    return arena_strndup(r->d->mem, at, n);
}

static bool add_words(description *r, fe_texts *to) {
    char *text = arena_strdup(r->d->mem, rest(r)), *state = NULL;
    for (char *word = strtok_r(text, " \t", &state); word; word = strtok_r(NULL, " \t", &state))
        vec_push(r->d->mem, to, word);
    return true;
}

static bool add_line(description *r, fe_texts *to) {
    vec_push(r->d->mem, to, rest(r));
    return true;
}

static bool read_call(description *r) {
    const src_loc loc = r->in.token.loc;
    const char *text = rest(r), *name;
    r->call = r->in;
    r->f->built.returns = "void";
    if (fe_is_word(&r->in.token, "double") || fe_is_word(&r->in.token, "void") ||
        fe_is_word(&r->in.token, "int")) {
        if (!take_name(r, "a type", &r->f->built.returns))
            return false;
        text = rest(r);
    } else {
        return refuse(r, loc, "a call begins with what it returns",
                      "void f(...), or double f(...); on the processor of the chip int f(...)");
    }
    r->f->built.call = text;
    return take_name(r, "the function that is called", &name) && fe_at_sign(&r->in, '(')
               ? true
               : (fe_expected(&r->in, "'('", r->d), false);
}

/* One access T(i) of the capability. */
static bool read_access(description *r, const char **tensor, const char *index) {
    const char *got;
    const src_loc loc = r->in.token.loc;
    if (!take_name(r, "a tensor", tensor) || !expect(r, '(', "'('") || !take_name(r, "an index", &got) ||
        !expect(r, ')', "')'"))
        return false;
    return strcmp(got, index) == 0 ||
           refuse(r, loc, "all tensors have the same index",
                  "a function is of values, or along one index: Y(i) = f(i, X(i))");
}

/* Reads the capability after all other fields: a name marks an expression. */
static bool note_capability(description *r) {
    r->capability = r->in;
    return true;
}

/* Reads the title of a description of whole tensors. */
static bool take_title(description *r, const char *what, const char **out) {
    r->user->loc = r->in.token.loc;
    r->f->array = true;
    return take_name(r, what, out) && at_end(r);
}

static bool read_name(description *r) {
    if (!take_title(r, "a name", &r->user->name))
        return false;
    r->f->family = *r->suffix ? r->user->name : NULL;
    r->user->name = arena_printf(r->d->mem, "%s%s", r->user->name, r->suffix);
    return true;
}

/* A rule states a tag, and is never called. */
static bool read_rule(description *r) {
    const bool ok = take_title(r, "a tag", &r->f->rule);
    r->user->name = ok ? arena_printf(r->d->mem, "=> %s", r->f->rule) : NULL;
    return ok;
}

static bool read_expression(description *r) {
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

/* Reads T(i) = name(...). */
static bool read_named(description *r) {
    const char *result, *index, *along;
    fe_described *f = r->f;
    r->in = r->capability;
    if (!take_name(r, "a tensor", &result) || !expect(r, '(', "'('") || !take_name(r, "an index", &index) ||
        !expect(r, ')', "')'") || !expect(r, '=', "'='"))
        return false;
    r->user->loc = r->in.token.loc;
    if (!take_name(r, "the function's name", &r->user->name) || !expect(r, '(', "'('"))
        return false;
    f->fiber = fe_peek(&r->in) == ',';
    if (f->fiber) {
        const src_loc loc = r->in.token.loc;
        if (!take_name(r, "an index", &along) || !expect(r, ',', "','"))
            return false;
        if (strcmp(along, index) != 0)
            return refuse(r, loc, "the function is not along the index of its operand", "Y(i) = f(i, X(i))");
    }
    do {
        if (f->parameters == (f->fiber ? 1 : 2))
            return refuse(r, r->in.token.loc,
                          "a function along an index has one operand, others have two at most",
                          "Y(i) = f(i, X(i)), Z(i) = f(X(i), Y(i))");
        if (!read_access(r, &f->parameter[f->parameters], index))
            return false;
        f->parameters++;
    } while (fe_take_sign(&r->in, ','));
    return expect(r, ')', "')'") && at_end(r);
}

static bool read_types(description *r) {
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
            return refuse(r, r->in.token.loc, "expected a data type",
                          "int16, or bf16, or both with a comma; or q15 alone");
        mine = mine || int16 == r->integers;
        fe_advance(&r->in);
    } while (fe_take_sign(&r->in, ','));
    r->other_type = !mine;
    return at_end(r);
}

/* Properties are checked once the capability determines the operands. */
static bool read_properties(description *r) {
    r->properties = r->in.token.loc;
    do {
        const char *name;
        if (!take_name(r, "a property", &name))
            return false;
        vec_push(r->d->mem, &r->f->properties, name);
    } while (fe_take_sign(&r->in, ','));
    return at_end(r);
}

static bool read_above_zero(const description *r, double *out, const char *hint) {
    char *end, *text = arena_strdup(r->d->mem, rest(r));
    *out = number_read(text, &end);
    return (*text && !*end && *out > 0) || refuse(r, r->in.token.loc, "expected a number above 0", hint);
}
static bool read_sensitivity(description *r) {
    return read_above_zero(r, &r->f->program->sensitivity,
                           "how many times more than any operand the result may be off");
}
static bool read_accuracy(description *r) {
    return read_above_zero(
        r, &r->f->accuracy,
        "how far off a value of bf16 may be, as a part of the magnitudes that are added up");
}

static bool read_source(description *r) {
    r->f->built.source = rest(r);
    const char *dot = strrchr(r->f->built.source, '.');
    return (dot && (strcmp(dot, ".c") == 0 || strcmp(dot, ".so") == 0)) ||
           refuse(r, r->in.token.loc, "expected a file of C or a shared object", "softmax.c, or softmax.so");
}

static bool read_table(description *r) {
    r->f->built.table = rest(r);
    r->f->built.returns = "double";
    return *r->f->built.table || refuse(r, r->in.token.loc, "expected a file of numbers", "table: gamma.txt");
}

static bool read_formats(description *r) {
    r->formats = r->in.token.loc;
    return add_words(r, &r->layouts);
}
static bool read_tags(description *r) {
    r->tags = r->in.token.loc;
    return add_words(r, &r->wants);
}
static bool read_checker(description *r) {
    r->checker = r->in.token.loc;
    return take_name(r, "a function of C", &r->f->checker) && at_end(r);
}
static bool read_package(description *r) {
    r->f->built.package = rest(r);
    return *r->f->built.package || refuse(r, r->in.token.loc, "expected a package", "libblas-dev");
}
static bool read_objects(description *r) {
    return add_line(r, &r->f->built.objects);
}
static bool read_setup(description *r) {
    return add_line(r, &r->f->built.setup);
}
static bool read_teardown(description *r) {
    return add_line(r, &r->f->built.teardown);
}
/* Takes the only allowed word of a field. */
static bool take_word(description *r, const char *word, const char *what, const char *example) {
    if (!fe_is_word(&r->in.token, word))
        return refuse(r, r->in.token.loc, what, example);
    fe_advance(&r->in);
    return at_end(r);
}
static bool read_runs(description *r) {
    r->f->runs = r->in.token.loc;
    r->f->on_processor = take_word(r, "m3", "expected a processor", "runs: m3");
    return r->f->on_processor;
}
static bool read_scalar(description *r) {
    r->f->root = take_word(r, "root", "expected an operation of the chip's processor", "scalar: root");
    return r->f->root;
}
static bool read_cycles(description *r) {
    char *end, *text = arena_strdup(r->d->mem, rest(r));
    r->f->per_call = number_read(text, &end);
    const bool two = end > text && *end == ' ';
    text = end;
    if (two)
        r->f->per_point = number_read(text, &end);
    return (two && end > text && !*end && r->f->per_call >= 0 && r->f->per_point >= 0) ||
           refuse(r, r->in.token.loc, "expected two numbers from 0 up",
                  "cycles: 40 12 is 40 a call, and 12 for each point of its loops");
}

/* ---- of a bitstream: loops and edges are read once the capability is --------------------------------- */

static fe_bitstream *bitstream_of(description *r) {
    if (!r->f->bitstream)
        r->f->bitstream = arena_new(r->d->mem, fe_bitstream);
    return r->f->bitstream;
}

static bool read_folder(description *r, bool generated) {
    fe_bitstream *b = bitstream_of(r);
    b->loc = r->in.token.loc;
    b->generated = generated;
    b->folder = strcmp(rest(r), ".") == 0 ? r->f->folder : fe_described_path(r->f, rest(r), r->d->mem);
    return r->in.token.kind != FE_END || refuse(r, r->first, "the bitstream has no folder", "bitstream: .");
}
static bool read_bitstream(description *r) {
    return read_folder(r, false);
}
static bool read_generator(description *r) {
    return read_folder(r, true);
}
static bool note_loops(description *r) {
    bitstream_of(r);
    r->loops = r->in;
    return true;
}
static bool note_edges(description *r) {
    bitstream_of(r);
    r->edges = r->in;
    return true;
}

/* Reads "2", or "2 apart". */
static bool read_copies(description *r) {
    fe_bitstream *b = bitstream_of(r);
    b->copies = fe_whole_number(&r->in.token, UINT32_MAX);
    if (b->copies > FE_MAX_COPIES || !b->copies)
        return refuse(r, r->in.token.loc, "expected how many copies of the kernel the bitstream has",
                      "copies: 2, or where each starts by itself copies: 2 apart");
    fe_advance(&r->in);
    b->apart = fe_is_word(&r->in.token, "apart");
    if (b->apart)
        fe_advance(&r->in);
    return at_end(r);
}

/* Reads "onyx", or "onyx onyx-ext" with a profile. */
static bool read_board(description *r) {
    fe_bitstream *b = bitstream_of(r);
    char *text = arena_strdup(r->d->mem, rest(r)), *state = NULL;
    b->board = strtok_r(text, " \t", &state);
    b->profile = strtok_r(NULL, " \t", &state);
    b->profile = b->profile ? b->profile : b->board;
    return (b->board && !strtok_r(NULL, " \t", &state)) ||
           refuse(r, r->in.token.loc, "expected a board, and a profile where it is not the board's own",
                  "board: onyx, board: onyx onyx-ext");
}

static bool take_index(description *r, sam_var *out) {
    const sam_statement *s = &r->f->states.s;
    const src_loc loc = r->in.token.loc;
    const char *name;
    if (!take_name(r, "an index", &name))
        return false;
    *out = fe_find_var(s, names_find(s->names, name));
    return out->v || refuse(r, loc, "the capability has no such index", "an index of its tensors");
}

/* Gives the capability the loops of the bitstream: all of its indices, outermost first. */
static bool take_loops(description *r) {
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
            return refuse(r, loc, "this loop is there already", "each index once");
        seen |= (uint64_t)1 << (v.v - 1);
        s->loops.at[n++] = v;
    } while (fe_take_sign(&r->in, ','));
    return (n == s->vars.len || refuse(r, r->in.token.loc, "an index of the capability is missing",
                                       "loops: i,k,j names all, outermost first")) &&
           at_end(r);
}

static bool take_edges(description *r) {
    uint32_t *edge = arena_new_n(r->d->mem, uint32_t, r->f->states.s.vars.len + 1);
    r->f->bitstream->edge = edge;
    if (!r->edges.text)
        return true;
    r->in = r->edges;
    do {
        sam_var v;
        if (!take_index(r, &v) || !expect(r, ':', "':' and an edge"))
            return false;
        edge[v.v - 1] = fe_whole_number(&r->in.token, UINT32_MAX);
        if (!edge[v.v - 1] || edge[v.v - 1] > UINT16_MAX)
            return refuse(r, r->in.token.loc, "expected an edge from 1 to 65535", "edges: k:40");
        fe_advance(&r->in);
    } while (fe_take_sign(&r->in, ','));
    return at_end(r);
}

static bool read_headers(description *r) {
    return add_words(r, &r->f->built.headers);
}
static bool read_include(description *r) {
    return add_words(r, &r->f->built.include);
}
static bool read_libraries(description *r) {
    return add_words(r, &r->f->built.libraries);
}
static bool read_flags(description *r) {
    return add_words(r, &r->f->built.flags);
}

static const struct {
    const char *name;
    bool (*read)(description *r);
    bool once, needed;
} fields[] = {
    {"call", read_call, true, true},
    {"capability", note_capability, true, true},
    {"datatypes", read_types, true, true},
    {"name", read_name, true, false},
    {"rule", read_rule, true, false},
    {"formats", read_formats, true, false},
    {"tags", read_tags, true, false},
    {"checker", read_checker, true, false},
    {"package", read_package, true, false},
    {"source", read_source, true, false},
    {"table", read_table, true, false},
    {"sensitivity", read_sensitivity, true, false},
    {"accuracy", read_accuracy, true, false},
    {"properties", read_properties, true, false},
    {"runs", read_runs, true, false},
    {"scalar", read_scalar, true, false},
    {"cycles", read_cycles, true, false},
    {"object", read_objects, false, false},
    {"setup", read_setup, false, false},
    {"teardown", read_teardown, false, false},
    {"headers", read_headers, false, false},
    {"include", read_include, false, false},
    {"libraries", read_libraries, false, false},
    {"flags", read_flags, false, false},
    {"bitstream", read_bitstream, true, false},
    {"generator", read_generator, true, false},
    {"loops", note_loops, true, false},
    {"edges", note_edges, true, false},
    {"copies", read_copies, true, false},
    {"board", read_board, true, false},
};
enum { FIELDS = sizeof fields / sizeof *fields };

static bool read_field(description *r) {
    const fe_token t = r->in.token;
    uint32_t at = 0;
    while (at < FIELDS && !fe_is_word(&t, fields[at].name))
        at++;
    if (at == FIELDS)
        return refuse(
            r, t.loc, "expected a field",
            "call, capability, datatypes, name, rule, formats, tags, checker, package, source, table, "
            "sensitivity, accuracy, runs, scalar, cycles, "
            "properties, list, object, setup, teardown, headers, include, libraries, flags, "
            "bitstream, generator, loops, edges, copies, board");
    if (r->seen >> at & 1 && fields[at].once)
        return refuse(r, t.loc, arena_printf(r->d->mem, "there is a '%s' already", fields[at].name),
                      "each field once, but for object, setup, teardown and lists");
    r->seen |= 1u << at;
    fe_advance(&r->in);
    return expect(r, ':', "':'") && fields[at].read(r);
}

/* Reads line by line. Blank lines and comment lines are skipped. */
static bool read_lines(description *r) {
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

/* ---- the call ---------------------------------------------------------------------------------- */

/* Returns whether a declaration's last name equals `name`: "gsl_permutation *p". */
static bool declares(const char *object, const char *name) {
    const size_t n = strlen(name), length = strcspn(object, "=[;");
    size_t end = length;
    while (end && object[end - 1] == ' ')
        end--;
    return end > n && strncmp(object + end - n, name, n) == 0 && strchr(" *", object[end - n - 1]);
}

static bool is_known(const description *r, const char *name) {
    static const char *const data[] = {"length", "coordinates", "values", "result", "one"};
    bool known = false;
    const name_id id = names_find(r->user->s.names, name);
    if (r->f->array && id.v)
        known = fe_find_var(&r->f->states.s, id).v || fe_find_tensor(&r->f->states.s, id).v;
    for (uint32_t i = 0; r->f->fiber && i < sizeof data / sizeof *data; i++)
        known = known || strcmp(name, data[i]) == 0;
    for (uint32_t i = 0; i < r->f->parameters && !r->f->fiber; i++)
        known = known || strcmp(name, r->f->parameter[i]) == 0;
    for (uint32_t i = 0; i < r->f->built.objects.len; i++)
        known = known || declares(r->f->built.objects.at[i], name);
    return known;
}

static bool check_arguments(description *r, uint32_t depth) {
    if (fe_take_sign(&r->in, ')'))
        return true;
    do {
        const char *name;
        const src_loc loc = r->in.token.loc;
        if (depth == 8)
            return refuse(r, loc, "calls are nested more than 8 deep", "let a function of C do that");
        const bool number = fe_take_sign(&r->in, '-') || !fe_take_sign(&r->in, '&');
        if (number && r->in.token.kind == FE_NUMBER) {
            fe_advance(&r->in);
            continue;
        }
        if (!take_name(r, "an argument", &name))
            return false;
        if (fe_take_sign(&r->in, '(')) {
            if (!check_arguments(r, depth + 1))
                return false;
        } else if (!is_known(r, name)) {
            return refuse(r, loc, arena_printf(r->d->mem, "'%s' is nothing that is handed over", name),
                          r->f->fiber   ? "length, coordinates, values, result, one, or an object"
                          : r->f->array ? "a tensor or an index of the capability, or an object"
                                        : "a tensor of the capability, or an object");
        }
    } while (fe_take_sign(&r->in, ','));
    return expect(r, ')', "',' or ')'");
}

/* Checks the call once all other fields are known. */
static bool check_call(description *r) {
    const char *name;
    r->in = r->call;
    const src_loc loc = r->in.token.loc;
    const char *number = r->f->on_processor ? "int" : "double";
    const bool value = strcmp(r->f->built.returns, number) == 0;
    if (!value && strcmp(r->f->built.returns, "void") != 0)
        return refuse(r, loc,
                      r->f->on_processor ? "the processor of the chip has no floating point"
                                         : "the host hands over and takes back doubles",
                      arena_printf(r->d->mem, "%s f(...), or void f(...)", number));
    if (r->f->array && value && sam_tensor_at(&r->f->states.s, r->f->states.s.result)->order)
        return refuse(r, loc, "a function of tensors writes the result, and returns nothing",
                      "only the value of a scalar is returned");
    if (!r->f->array && !r->f->fiber != value)
        return refuse(r, loc,
                      r->f->fiber ? "a function along an index writes result[], and returns nothing"
                                  : "a function of values returns one",
                      arena_printf(r->d->mem, "void f(...) along an index, %s f(...) of values", number));
    fe_advance(&r->in); /* the type */
    return take_name(r, "the function that is called", &name) && expect(r, '(', "'('") &&
           check_arguments(r, 0) && at_end(r);
}

/* The processor takes only C compiled with its program. */
static bool check_processor(const description *r) {
    const fe_described *f = r->f;
    if (!f->on_processor)
        return (f->per_call <= 0 && f->per_point <= 0) ||
               refuse(r, r->first, "cycles are of a function on the processor of the chip", "runs: m3");
    if (!f->built.source || fe_is_object(f))
        return refuse(r, f->runs, "what the processor of the chip runs is C of its own", "source: FILE.c");
    if (f->built.libraries.len || f->built.flags.len || f->built.package)
        return refuse(r, f->runs, "there are no libraries, flags and packages on the processor of the chip",
                      "C that needs nothing but its own headers");
    return true;
}

/* Returns whether the description has only the listed fields, the first `needed` of them required. */
static bool has_only(const description *r, const char *what, const char *const *these, uint32_t n,
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
            return refuse(r, r->first, arena_printf(r->d->mem, "a %s has no '%s'", what, fields[i].name),
                          list);
        if (!has && k < needed)
            return refuse(r, r->first, arena_printf(r->d->mem, "the %s has no '%s'", what, fields[i].name),
                          list);
    }
    return true;
}

/* A rule states the operand of its tag only. */
static bool check_rule(description *r) {
    static const char *const these[] = {"rule", "capability", "datatypes", "tags"};
    return has_only(r, "rule", these, 4, 3) && read_expression(r);
}

/* A bitstream is configured, never called. A generated bitstream gets its edges from its calls. */
static bool check_bitstream(description *r) {
    static const char *const these[] = {"name",  "capability", "datatypes", "board", "bitstream",
                                        "loops", "formats",    "copies",    "edges"},
                             *const generated[] = {"name",      "capability", "datatypes", "board",
                                                   "generator", "loops",      "formats",   "copies"};
    fe_bitstream *b = r->f->bitstream;
    if (*r->suffix)
        return refuse(r, r->first, "a bitstream is of one shape", "no lists of indices");
    if (!(b->generated ? has_only(r, "generator of bitstreams", generated, 8, 5)
                       : has_only(r, "bitstream", these, 9, 6)) ||
        !read_expression(r) || (r->loops.text && !take_loops(r)) || !take_edges(r))
        return false;
    b->copies = b->copies ? b->copies : 1;
    return true;
}

static bool is_new(const description *r);
static bool check_properties(description *r);

/* A table is a function of one value. */
static bool check_table(description *r) {
    static const char *const these[] = {"table", "capability", "datatypes", "properties"};
    if (!has_only(r, "table", these, 4, 3) || !read_named(r) || !is_new(r))
        return false;
    if (r->f->fiber || r->f->parameters != 1)
        return refuse(r, r->user->loc, "a table is a function of one value", "Z(i) = f(X(i))");
    return check_properties(r);
}

static bool is_new(const description *r) {
    return !fe_is_defined(r->in.functions, r->user->name) ||
           refuse(r, r->user->loc, arena_printf(r->d->mem, "there is a '%s' already", r->user->name),
                  "choose another name");
}

static bool check_properties(description *r) {
    for (uint32_t i = 0; i < r->f->properties.len; i++) {
        if (!fe_is_property(r->f, r->f->properties.at[i]))
            return refuse(
                r, r->properties,
                arena_printf(r->d->mem, "such a function has no property '%s'", r->f->properties.at[i]),
                "docs/functions.md has those of values and those along an index");
    }
    return true;
}

static bool check(description *r) {
    if (r->f->rule)
        return check_rule(r);
    if (r->f->bitstream)
        return check_bitstream(r) && is_new(r);
    if (r->f->built.table)
        return check_table(r);
    for (uint32_t i = 0; i < FIELDS; i++) {
        if (fields[i].needed && !(r->seen >> i & 1))
            return refuse(r, r->first, arena_printf(r->d->mem, "the description has no '%s'", fields[i].name),
                          "call, capability and datatypes are always there");
    }
    if (!check_processor(r))
        return false;
    const bool has_expression_fields = r->layouts.len || r->wants.len || r->f->checker;
    if (*r->suffix && !r->f->array)
        return refuse(r, r->first, "lists of indices are of a function that states an expression",
                      "name: add");
    if (!r->f->array && has_expression_fields)
        return refuse(r,
                      r->layouts.len ? r->formats
                      : r->wants.len ? r->tags
                                     : r->checker,
                      "this is of a function that states an expression", "name: gemv");
    if (!r->f->array && r->f->q15)
        return refuse(r, r->types, "q15 is of a function that states an expression",
                      "others are of words, whatever these stand for: int16");
    if (!r->f->array && r->f->accuracy > 0)
        return refuse(r, r->first, "the accuracy is of a function that states an expression",
                      "sensitivity says how far off other functions may be");
    if (r->f->array && r->f->properties.len)
        return refuse(r, r->properties, "a function that states an expression has no other properties",
                      "tags says what operands have");
    if (!(r->f->array ? read_expression(r) : read_named(r)))
        return false;
    return is_new(r) && check_properties(r) && check_call(r);
}

static const char *folder_of(const char *path, arena *mem) {
    const char *slash = strrchr(path, '/');
    const char *folder = slash ? arena_strndup(mem, path, (size_t)(slash - path) + 1) : "./";
    char here[4096];
    return *folder == '/' || !getcwd(here, sizeof here) ? folder : arena_printf(mem, "%s/%s", here, folder);
}

static bool states(const fe_described *f, const char *property) {
    for (uint32_t i = 0; i < f->properties.len; i++) {
        if (strcmp(f->properties.at[i], property) == 0)
            return true;
    }
    return false;
}

static bool read_member(const fe_member *member, bool integers, name_table *names, arena *mem, diagnostics *d,
                        fe_functions **all) {
    const fe_function_file *file = &member->file;
    fe_described *f = arena_new(mem, fe_described);
    fe_user_function user = {.s = {.mem = mem, .names = names, .integers = integers}, .described = f};
    description r = {
        .f = f, .user = &user, .suffix = member->suffix, .end = file->length, .integers = integers, .d = d};
    r.in = (fe_reader){.source = diag_add_source(d, file->name, file->text, file->length),
                       .text = file->text,
                       .length = file->length,
                       .underscores = true,
                       .functions = *all};
    r.first = src_at(r.in.source, 0, strcspn(file->text, "\n"));
    f->folder = folder_of(file->name, mem);
    f->program = arena_new(mem, sam_program);
    f->seconds = ISOLATE_SECONDS;
    f->mem = mem;
    if (!read_lines(&r) || !check(&r))
        return false;
    sam_program *p = f->program;
    p->name = user.name;
    p->loc = user.loc;
    p->parameters = f->parameters;
    p->takes_fiber = f->fiber;
    p->of = (sam_operator){.fp = !integers, .program = p};
    p->on_processor = f->on_processor;
    p->root = f->root;
    p->places = f->fiber && states(f, "place");
    p->accumulates = f->fiber && states(f, "running_sum");
    user.parameters = f->parameters;
    user.other_type = r.other_type;
    vec_push(mem, &(*all)->all, user);
    return true;
}

bool fe_read_described(const fe_function_file *file, bool integers, name_table *names, arena *mem,
                       diagnostics *d, fe_functions **all) {
    fe_members members = {0};
    if (!*all)
        *all = arena_new(mem, fe_functions);
    if (!fe_write_out_lists(file, d, &members))
        return false;
    for (uint32_t i = 0; i < members.len; i++) {
        if (!read_member(&members.at[i], integers, names, mem, d, all))
            return false;
    }
    return true;
}

bool fe_is_member(const fe_user_function *f, const char *name) {
    return strcmp(f->name, name) == 0 ||
           (f->described && f->described->family && strcmp(f->described->family, name) == 0);
}
