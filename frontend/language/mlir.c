/* mlir.c - a subset of MLIR's text as an expression with formats: one linalg.generic on tensors with
 * encodings of the dialect sparse_tensor.
 *
 * The operation's maps give indices, its iterators the reductions, its body the values; the result begins
 * with the identity of its reduction, whatever outs() holds. Encodings give formats: level types dense,
 * compressed and singleton, in any order of dimensions, in the forms of 2021 (dimLevelType) and of 2023
 * (map).
 */
#include "frontend/language/mlir.h"
#include "frontend/language/subscripts.h"

#include <ctype.h>
#include <string.h>

#define BRACKETS "()[]{}<>"

enum { OPERANDS = 32, VALUES = 128 };

/* A value of the body: its name, and its expression; NULL for the value that is reduced into. */
typedef struct {
    fe_span name;
    const char *text, *reduced; /* reduced: the word of the reduction that makes the value */
} value;

typedef struct {
    const char *text; /* without comments */
    uint32_t source;
    arena *mem;
    diagnostics *d;
    fe_span name[OPERANDS], type[OPERANDS], map[OPERANDS]; /* inputs, then the result */
    uint32_t n;
    fe_span loops, reduced; /* the variables of all loops, and the iterator types */
    value values[VALUES];
    uint32_t n_values;
} reader;

/* ---- text ---------------------------------------------------------------------------------------- */

static bool refuse(const reader *r, const char *at, const char *what, const char *hint) {
    const size_t offset = at ? (size_t)(at - r->text) : 0;
    diag_error(r->d, src_at(r->source, offset, 1), "E0187-mlir", "%s", what);
    return diag_hint(r->d, "%s", hint);
}

static bool is_word(fe_span p, const char *word) {
    return p.n == strlen(word) && strncmp(p.at, word, p.n) == 0;
}

/* Returns the place of a word in a span, or NULL. */
static const char *find(fe_span p, const char *word) {
    const size_t n = strlen(word);
    for (size_t i = 0; i + n <= p.n; i++) {
        if (strncmp(p.at + i, word, n) == 0)
            return p.at + i;
    }
    return NULL;
}

static fe_span from(fe_span p, const char *at) {
    return (fe_span){at, (size_t)(p.at + p.n - at)};
}

/* Returns what is in the brackets that open first behind `word` in p; nothing without them. */
static fe_span inside(fe_span p, const char *word, char open, const char *close) {
    const char *at = find(p, word);
    fe_span rest = at ? from(p, at + strlen(word)) : (fe_span){p.at, 0};
    const char *begins = rest.n ? memchr(rest.at, open, rest.n) : NULL;
    if (!begins)
        return (fe_span){p.at, 0};
    rest = from(rest, begins + 1);
    return (fe_span){rest.at, fe_length_to(rest, close, BRACKETS)};
}

/* Returns the text behind "#name =", to the next alias or function; a span without a leading # is itself. */
static fe_span resolved(const reader *r, fe_span name) {
    if (!name.n || *name.at != '#' || find(name, "<"))
        return name;
    const fe_span all = {r->text, strlen(r->text)};
    for (const char *at = r->text; (at = strchr(at, '#')) != NULL; at++) {
        const fe_span rest =
            fe_trimmed(from(all, at + name.n < all.at + all.n ? at + name.n : all.at + all.n));
        if (strncmp(at, name.at, name.n) == 0 && rest.n && *rest.at == '=') {
            const fe_span body = from(rest, rest.at + 1);
            return (fe_span){body.at, fe_length_to(body, "#%", BRACKETS) < 2
                                          ? body.n
                                          : fe_length_to(from(body, body.at + 2), "#%", BRACKETS) + 2};
        }
    }
    return name;
}

/* ---- formats ------------------------------------------------------------------------------------- */

static char letter_of(fe_span level) {
    static const struct {
        const char *name;
        char letter;
    } letters[] = {{"dense", 'd'},         {"compressed", 's'}, {"compressed(nonunique)", 'u'},
                   {"compressed-nu", 'u'}, {"singleton", 'q'},  {"singleton(nonunique)", 'c'},
                   {"singleton-nu", 'c'}};
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++) {
        if (is_word(level, letters[i].name))
            return letters[i].letter;
    }
    return 0;
}

/* Returns the place of a name in a list, or -1. */
static int place_in(fe_span list, fe_span name) {
    for (int at = 0; list.n; at++) {
        if (fe_same(fe_next_item(&list, BRACKETS), name))
            return at;
    }
    return -1;
}

/* Adds a level of an encoding to the letters and to the modes. */
static bool add_level(reader *r, fe_span dims, fe_span level, const char **letters, const char **modes) {
    const size_t n = fe_length_to(level, ":", BRACKETS);
    const bool named = n < level.n;
    fe_span type = fe_trimmed(named ? from(level, level.at + n + 1) : level);
    if (type.n > 1 && *type.at == '"')
        type = (fe_span){type.at + 1, type.n - 2};
    const char letter = letter_of(type);
    const fe_span dim = fe_trimmed((fe_span){level.at, n});
    const int mode = named ? place_in(dims, dim) : (int)strlen(*letters);
    if (!letter || mode < 0)
        return refuse(r, level.at,
                      "a level of an encoding is not dense, compressed or singleton along a dimension",
                      "state the format with -f, and leave the encoding out");
    *letters = arena_printf(r->mem, "%s%c", *letters, letter);
    *modes = arena_printf(r->mem, "%s%s%d", *modes, **modes ? "," : "", mode);
    return true;
}

/* Reads an ordering of dimensions, affine_map<(i,j) -> (j,i)>, as modes. */
static const char *ordering(const reader *r, fe_span map) {
    fe_span dims = inside(map, "<", '(', ")"), levels = inside(map, "->", '(', ")");
    const char *modes = "";
    while (levels.n) {
        const int mode = place_in(dims, fe_next_item(&levels, BRACKETS));
        modes = arena_printf(r->mem, "%s%s%d", modes, *modes ? "," : "", mode);
    }
    return modes;
}

/* Adds "A:ds:0,1" for a tensor with an encoding. */
static bool add_format(reader *r, uint32_t n, const char *name, const char **formats) {
    fe_span type = inside(r->type[n], "tensor", '<', ">");
    fe_next_item(&type, BRACKETS);
    const fe_span encoding = resolved(r, fe_trimmed(type));
    const char *letters = "", *modes = "", *order;
    if (!encoding.n)
        return true;
    fe_span dims = inside(encoding, "map =", '(', ")"), levels = inside(encoding, "->", '(', ")");
    if (!find(encoding, "map ="))
        levels = inside(encoding, find(encoding, "lvlTypes") ? "lvlTypes" : "dimLevelType", '[', "]");
    if (!levels.n)
        return refuse(r, r->type[n].at, "an encoding without levels",
                      "map = (i, j) -> (i : dense, j : compressed)");
    while (levels.n) {
        if (!add_level(r, dims, fe_next_item(&levels, BRACKETS), &letters, &modes))
            return false;
    }
    if (find(encoding, "dimOrdering") || find(encoding, "dimToLvl")) {
        order = find(encoding, "dimOrdering") ? "dimOrdering" : "dimToLvl";
        modes = ordering(r, from(encoding, find(encoding, order)));
    }
    *formats = arena_printf(r->mem, "%s%s%s:%s:%s", *formats, **formats ? " " : "", name, letters, modes);
    return true;
}

/* ---- operands ------------------------------------------------------------------------------------ */

/* Reads "%a, %b : type, type" of ins() or outs(). */
static bool take_operands(reader *r, fe_span list) {
    const size_t n = fe_length_to(list, ":", BRACKETS);
    fe_span names = {list.at, n}, types = n < list.n ? from(list, list.at + n + 1) : (fe_span){list.at, 0};
    while (names.n) {
        if (r->n == OPERANDS)
            return refuse(r, names.at, "more than 32 operands", "split the operation");
        const fe_span one = fe_next_item(&names, BRACKETS);
        if (one.n < 2 || *one.at != '%' || !types.n)
            return refuse(r, one.at, "an operand without a type",
                          "ins(%a, %b : tensor<?xf32>, tensor<?xf32>)");
        r->name[r->n] = (fe_span){one.at + 1, one.n - 1};
        r->type[r->n++] = fe_next_item(&types, BRACKETS);
    }
    return true;
}

static const char *tensor_name(const reader *r, uint32_t n) {
    const fe_span p = r->name[n];
    return arena_printf(r->mem, "%s%.*s", isdigit((unsigned char)*p.at) ? "t" : "", (int)p.n, p.at);
}

/* Returns "A(i,j)" of an operand: the results of its map. */
static const char *access_text(const reader *r, uint32_t n) {
    const fe_span index = inside(r->map[n], "->", '(', ")");
    const char *name = tensor_name(r, n);
    return fe_trimmed(index).n ? arena_printf(r->mem, "%s(%.*s)", name, (int)index.n, index.at) : name;
}

static bool take_maps(reader *r, fe_span attributes) {
    fe_span maps = inside(attributes, "indexing_maps", '[', "]");
    for (uint32_t i = 0; i < r->n; i++) {
        r->map[i] = resolved(r, fe_next_item(&maps, BRACKETS));
        if (!find(r->map[i], "->"))
            return refuse(r, attributes.at, "an operand has no map",
                          "indexing_maps has a map for each operand");
    }
    r->loops = inside(r->map[0], "affine_map", '(', ")");
    r->reduced = inside(attributes, "iterator_types", '[', "]");
    return true;
}

/* ---- values -------------------------------------------------------------------------------------- */

static value *value_called(reader *r, fe_span name) {
    value *found = NULL;
    for (uint32_t i = 0; i < r->n_values; i++)
        found = fe_same(r->values[i].name, name) ? &r->values[i] : found;
    return found;
}

/* The operations of a body: a sign between operands, or a function; `reduces`: the word of its reduction. */
static const struct {
    const char *name, *sign, *function, *reduces;
} operations[] = {{"arith.mulf", " * ", NULL, "prod"},    {"arith.muli", " * ", NULL, "prod"},
                  {"arith.addf", " + ", NULL, "sum"},     {"arith.addi", " + ", NULL, "sum"},
                  {"arith.subf", " - ", NULL, NULL},      {"arith.subi", " - ", NULL, NULL},
                  {"arith.divf", " / ", NULL, NULL},      {"arith.divsi", " / ", NULL, NULL},
                  {"arith.maximumf", NULL, "max", "max"}, {"arith.minimumf", NULL, "min", "min"},
                  {"arith.maxsi", NULL, "max", "max"},    {"arith.minsi", NULL, "min", "min"},
                  {"arith.andi", NULL, "and", "and"},     {"arith.ori", NULL, "or", "or"},
                  {"arith.xori", NULL, "xor", "xor"},     {"math.absf", NULL, "abs", NULL},
                  {"math.absi", NULL, "abs", NULL},       {"arith.negf", "-", NULL, NULL}};

/* Reads "%c = arith.mulf %a, %b : f64". */
static bool take_operation(reader *r, fe_span line) {
    const size_t n = fe_length_to(line, "=", BRACKETS);
    const fe_span made = fe_trimmed((fe_span){line.at, n}), rest = fe_trimmed(from(line, line.at + n + 1));
    const size_t word = strcspn(rest.at, " ") < rest.n ? strcspn(rest.at, " ") : rest.n;
    size_t o = 0;
    while (o < sizeof operations / sizeof *operations &&
           !is_word((fe_span){rest.at, word}, operations[o].name))
        o++;
    if (o == sizeof operations / sizeof *operations || r->n_values == VALUES)
        return refuse(
            r, rest.at, "an operation of the body that is not known here",
            "arith.mulf, addf, subf, divf, maximumf, minimumf, negf, their forms of integers, math.absf");
    fe_span operands = from(rest, rest.at + word);
    operands.n = fe_length_to(operands, ":", BRACKETS);
    const value *a = value_called(r, fe_next_item(&operands, BRACKETS)),
                *b = operands.n ? value_called(r, fe_next_item(&operands, BRACKETS)) : NULL;
    if (!a || (!b && operations[o].sign && operations[o].sign[0] == ' '))
        return refuse(r, rest.at, "an operand of the body that no block argument and no operation makes",
                      "constants are not read: write the expression by hand");
    value *v = &r->values[r->n_values++];
    *v = (value){.name = made};
    if (b && (!a->text || !b->text)) { /* a text goes into the result */
        v->text = a->text ? a->text : b->text;
        v->reduced = operations[o].reduces;
        return (v->text && v->reduced) ||
               refuse(r, rest.at, "the result's old value in something else than a reduction",
                      "a sum, a product, max, min, and, or, xor");
    }
    if (operations[o].function)
        v->text = b ? arena_printf(r->mem, "%s(%s, %s)", operations[o].function, a->text, b->text)
                    : arena_printf(r->mem, "%s(%s)", operations[o].function, a->text);
    else
        v->text = b ? arena_printf(r->mem, "(%s%s%s)", a->text, operations[o].sign, b->text)
                    : arena_printf(r->mem, "(-%s)", a->text);
    return true;
}

/* Reads the body's block arguments and operations; *yields is the value of linalg.yield. */
static bool take_body(reader *r, fe_span body, const value **yields) {
    fe_span arguments = inside(body, "^", '(', ")");
    for (uint32_t i = 0; i < r->n; i++) {
        const fe_span one = fe_next_item(&arguments, BRACKETS);
        r->values[r->n_values++] =
            (value){.name = fe_trimmed((fe_span){one.at, fe_length_to(one, ":", BRACKETS)}),
                    .text = i + 1 < r->n ? access_text(r, i) : NULL};
    }
    for (const char *at = body.at; at < body.at + body.n; at += strcspn(at, "\n") + 1) {
        const fe_span line = fe_trimmed((fe_span){at, strcspn(at, "\n")});
        if (line.n && *line.at == '%' && fe_length_to(line, "=", BRACKETS) < line.n &&
            !take_operation(r, line))
            return false;
    }
    const char *yield = find(body, "linalg.yield");
    fe_span of = yield ? from(body, yield + strlen("linalg.yield")) : (fe_span){body.at, 0};
    of = fe_trimmed((fe_span){of.at, fe_length_to(of, ":\n", BRACKETS)});
    *yields = value_called(r, of);
    return (*yields && (*yields)->text) || refuse(r, body.at, "the body yields no value",
                                                  "linalg.yield %1 : f64, of an operation of the body");
}

/* Returns the expression of the yielded value. */
static const char *expression_of(const reader *r, const value *yields) {
    fe_span loops = r->loops, kinds = r->reduced;
    const char *right = yields->text;
    const char *over = "";
    while (loops.n && kinds.n) {
        const fe_span v = fe_next_item(&loops, BRACKETS);
        if (is_word(fe_next_item(&kinds, BRACKETS), "\"reduction\""))
            over = arena_printf(r->mem, "%s%.*s, ", over, (int)v.n, v.at);
    }
    if (*over)
        right = arena_printf(r->mem, "%s(%s%s)", yields->reduced ? yields->reduced : "sum", over, right);
    return arena_printf(r->mem, "%s = %s", access_text(r, r->n - 1), right);
}

static char *without_comments(const char *text, arena *mem) {
    char *own = arena_strndup(mem, text, strlen(text));
    for (char *at = own; (at = strstr(at, "//")) != NULL;) {
        while (*at && *at != '\n')
            *at++ = ' ';
    }
    return own;
}

bool fe_mlir_expression(const char *path, const char *text, arena *mem, diagnostics *d,
                        const char **expression, const char **formats) {
    reader *r = arena_new(mem, reader);
    *r = (reader){.text = without_comments(text, mem), .mem = mem, .d = d};
    r->source = diag_add_source(d, path, r->text, strlen(r->text));
    const fe_span all = {r->text, strlen(r->text)};
    const char *at = find(all, "linalg.generic");
    const value *yields;
    *formats = "";
    if (!at || find(from(all, at + 1), "linalg.generic"))
        return refuse(r, at ? at : r->text, "a module has one linalg.generic here", "split the module");
    const fe_span operation = from(all, at);
    const char *ins = find(operation, "ins"), *outs = find(operation, "outs");
    const fe_span head = fe_trimmed(from(operation, at + strlen("linalg.generic")));
    if (!outs)
        return refuse(r, at, "linalg.generic without outs()", "ins(...) outs(...) { ^bb(...): ... }");
    const fe_span attributes =
        *head.at == '#' ? resolved(r, (fe_span){head.at, strcspn(head.at, " \n(")})
                        : (fe_span){head.at, fe_length_to(from(head, head.at + 1), "}", BRACKETS) + 1};
    if ((ins && ins < outs && !take_operands(r, inside(operation, "ins", '(', ")"))) ||
        !take_operands(r, inside(operation, "outs", '(', ")")) || !take_maps(r, attributes) ||
        !take_body(r, inside(from(operation, outs), ")", '{', "}"), &yields))
        return false;
    for (uint32_t i = 0; i < r->n; i++) {
        if (!add_format(r, i, tensor_name(r, i), formats))
            return false;
    }
    *expression = expression_of(r, yields);
    return true;
}
