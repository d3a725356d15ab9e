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
#include "frontend/functions/described.h"
#include "frontend/functions/described_fields.h"
#include "frontend/functions/library.h"
#include "frontend/functions/lists.h"
#include "frontend/language/statement.h"

#include <unistd.h>

/* Returns whether a declaration's last name equals `name`: "gsl_permutation *p". */
static bool declares(const char *object, const char *name) {
    const size_t n = strlen(name), length = strcspn(object, "=[;");
    size_t end = length;
    while (end && object[end - 1] == ' ')
        end--;
    return end > n && strncmp(object + end - n, name, n) == 0 && strchr(" *", object[end - n - 1]);
}

static bool is_known(const fe_description *r, const char *name) {
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

static bool check_arguments(fe_description *r, uint32_t depth) {
    if (fe_take_sign(&r->in, ')'))
        return true;
    do {
        const char *name;
        const src_loc loc = r->in.token.loc;
        if (depth == 8)
            return fe_refuse_description(r, loc, "calls are nested more than 8 deep",
                                         "let a function of C do that");
        const bool number = fe_take_sign(&r->in, '-') || !fe_take_sign(&r->in, '&');
        if (number && r->in.token.kind == FE_NUMBER) {
            fe_advance(&r->in);
            continue;
        }
        if (!fe_take_name(r, "an argument", &name))
            return false;
        if (fe_take_sign(&r->in, '(')) {
            if (!check_arguments(r, depth + 1))
                return false;
        } else if (!is_known(r, name)) {
            return fe_refuse_description(
                r, loc, arena_printf(r->d->mem, "'%s' is nothing that is handed over", name),
                r->f->fiber   ? "length, coordinates, values, result, one, or an object"
                : r->f->array ? "a tensor or an index of the capability, or an object"
                              : "a tensor of the capability, or an object");
        }
    } while (fe_take_sign(&r->in, ','));
    return fe_expect_in_description(r, ')', "',' or ')'");
}

/* Checks the call once all other fields are known. */
static bool check_call(fe_description *r) {
    const char *name;
    r->in = r->call;
    const src_loc loc = r->in.token.loc;
    const char *number = r->f->on_processor ? "int" : "double";
    const bool value = strcmp(r->f->built.returns, number) == 0;
    if (!value && strcmp(r->f->built.returns, "void") != 0)
        return fe_refuse_description(r, loc,
                                     r->f->on_processor ? "the processor of the chip has no floating point"
                                                        : "the host hands over and takes back doubles",
                                     arena_printf(r->d->mem, "%s f(...), or void f(...)", number));
    if (r->f->array && value && sam_tensor_at(&r->f->states.s, r->f->states.s.result)->order)
        return fe_refuse_description(r, loc, "a function of tensors writes the result, and returns nothing",
                                     "only the value of a scalar is returned");
    if (!r->f->array && !r->f->fiber != value)
        return fe_refuse_description(
            r, loc,
            r->f->fiber ? "a function along an index writes result[], and returns nothing"
                        : "a function of values returns one",
            arena_printf(r->d->mem, "void f(...) along an index, %s f(...) of values", number));
    fe_advance(&r->in); /* skips the type */
    return fe_take_name(r, "the function that is called", &name) && fe_expect_in_description(r, '(', "'('") &&
           check_arguments(r, 0) && fe_at_end(r);
}

/* The processor takes only C compiled with its program. */
static bool check_processor(const fe_description *r) {
    const fe_described *f = r->f;
    if (!f->on_processor)
        return (f->per_call <= 0 && f->per_point <= 0) ||
               fe_refuse_description(r, r->first, "cycles are of a function on the processor of the chip",
                                     "runs: m3");
    if (!f->built.source || fe_is_object(f))
        return fe_refuse_description(r, f->runs, "what the processor of the chip runs is C of its own",
                                     "source: FILE.c");
    if (f->built.libraries.len || f->built.flags.len || f->built.package)
        return fe_refuse_description(
            r, f->runs, "there are no libraries, flags and packages on the processor of the chip",
            "C that needs nothing but its own headers");
    return true;
}

/* A rule states the operand of its tag only. */
static bool check_rule(fe_description *r) {
    static const char *const these[] = {"rule", "capability", "datatypes", "tags"};
    return fe_has_only(r, "rule", these, 4, 3) && fe_read_expression(r);
}

/* A bitstream is configured, never called. A generated bitstream gets its edges from its calls. */
static bool check_bitstream(fe_description *r) {
    static const char *const these[] = {"name",  "capability", "datatypes", "board", "bitstream",
                                        "loops", "formats",    "copies",    "edges"},
                             *const generated[] = {"name",      "capability", "datatypes", "board",
                                                   "generator", "loops",      "formats",   "copies"};
    fe_bitstream *b = r->f->bitstream;
    if (*r->suffix)
        return fe_refuse_description(r, r->first, "a bitstream is of one shape", "no lists of indices");
    if (!(b->generated ? fe_has_only(r, "generator of bitstreams", generated, 8, 5)
                       : fe_has_only(r, "bitstream", these, 9, 6)) ||
        !fe_read_expression(r) || (r->loops.text && !fe_take_loops(r)) || !fe_take_edges(r))
        return false;
    b->copies = b->copies ? b->copies : 1;
    return true;
}

static bool is_new(const fe_description *r);

static bool check_properties(fe_description *r);

/* A table is a function of one value. */
static bool check_table(fe_description *r) {
    static const char *const these[] = {"table", "capability", "datatypes", "properties"};
    if (!fe_has_only(r, "table", these, 4, 3) || !fe_read_named(r) || !is_new(r))
        return false;
    if (r->f->fiber || r->f->parameters != 1)
        return fe_refuse_description(r, r->user->loc, "a table is a function of one value", "Z(i) = f(X(i))");
    return check_properties(r);
}

static bool is_new(const fe_description *r) {
    return !fe_is_defined(r->in.functions, r->user->name) ||
           fe_refuse_description(r, r->user->loc,
                                 arena_printf(r->d->mem, "there is a '%s' already", r->user->name),
                                 "choose another name");
}

static bool check_properties(fe_description *r) {
    for (uint32_t i = 0; i < r->f->properties.len; i++) {
        if (!fe_is_property(r->f, r->f->properties.at[i]))
            return fe_refuse_description(
                r, r->properties,
                arena_printf(r->d->mem, "such a function has no property '%s'", r->f->properties.at[i]),
                "docs/functions.md has those of values and those along an index");
    }
    return true;
}

static bool check(fe_description *r) {
    if (r->f->rule)
        return check_rule(r);
    if (r->f->bitstream)
        return check_bitstream(r) && is_new(r);
    if (r->f->built.table)
        return check_table(r);
    if (!fe_has_needed(r))
        return false;
    if (!check_processor(r))
        return false;
    const bool has_expression_fields = r->layouts.len || r->wants.len || r->f->checker;
    if (*r->suffix && !r->f->array)
        return fe_refuse_description(
            r, r->first, "lists of indices are of a function that states an expression", "name: add");
    if (!r->f->array && has_expression_fields)
        return fe_refuse_description(r,
                                     r->layouts.len ? r->formats
                                     : r->wants.len ? r->tags
                                                    : r->checker,
                                     "this is of a function that states an expression", "name: gemv");
    if (!r->f->array && r->f->q15)
        return fe_refuse_description(r, r->types, "q15 is of a function that states an expression",
                                     "others are of words, whatever these stand for: int16");
    if (!r->f->array && r->f->accuracy > 0)
        return fe_refuse_description(r, r->first, "the accuracy is of a function that states an expression",
                                     "sensitivity says how far off other functions may be");
    if (r->f->array && r->f->properties.len)
        return fe_refuse_description(r, r->properties,
                                     "a function that states an expression has no other properties",
                                     "tags says what operands have");
    return (r->f->array ? fe_read_expression(r) : fe_read_named(r)) && is_new(r) && check_properties(r) &&
           check_call(r);
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
    fe_description r = {
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
    if (!fe_read_lines(&r) || !check(&r))
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
    p->chooses = p->places || (f->fiber && states(f, "selection"));
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
