/* program_blocks.c - the items "if", "print" and "include" of a program.
 *
 * `if C { A } else { B }` becomes a scalar with the value of C, assigned once, and two loops of at most one
 * pass: A until the scalar is 0, B until it is not 0. So everything that knows loops knows branches.
 */
#include "frontend/schedules/program_blocks.h"
#include "frontend/schedules/program_coordinates.h"
#include "frontend/schedules/program_names.h"
#include "frontend/schedules/program_values.h"

enum { MOST_FILES = 16 }; /* included inside each other */

/* Adds the statement that assigns the value of the piece to a new scalar. */
static bool add_value(fe_program_reader *r, fe_piece piece, const char *name, src_loc loc, fe_steps *steps) {
    fe_step step = {.loc = loc, .hidden = true};
    piece.value = true;
    piece.as = name;
    fe_piece plain, placed;
    if (!fe_program_values(r, &piece, &plain, steps) || !fe_program_coordinate(r, &plain, &placed, steps) ||
        !fe_program_statement(r, &placed, &step))
        return false;
    if (step.statement.vars.len) {
        diag_error(r->d, src_at(piece.source, piece.first, 1), "E0173-scalars",
                   "a condition and a printed expression are of scalars, and this one has indices");
        return diag_hint(r->d, "assign it to a scalar first");
    }
    step.text = arena_printf(r->out->mem, "%s = %s", name, fe_program_trimmed(r, &piece));
    vec_push(r->out->mem, steps, step);
    return true;
}

static size_t skip_blanks(const fe_piece *text, size_t at) {
    while (at < text->end && strchr(" \t\r\n", text->text[at]))
        at++;
    return at;
}

/* ---- if ---------------------------------------------------------------------------------------- */

/* Reads a block as a loop of at most one pass, until `text` holds. */
static bool add_branch(fe_program_reader *r, fe_branch branch, const char *text, fe_step *step) {
    const size_t length = strlen(text);
    const fe_piece condition = {.source = diag_add_source(r->d, "the condition of an if", text, length),
                                .text = text,
                                .end = length,
                                .value = true};
    step->kind = FE_STEP_REPEAT;
    step->until = true;
    step->passes = 1;
    step->branch = branch;
    return fe_program_statement(r, &condition, step);
}

/* Goes behind the word "else" if it stands at r->at, perhaps behind blanks. */
static bool take_else(fe_program_reader *r, src_loc *loc) {
    fe_piece rest = r->text;
    rest.first = r->at;
    const fe_reader in = fe_read_piece(&rest);
    if (!fe_is_word(&in.token, "else"))
        return false;
    *loc = in.token.loc;
    r->at = (size_t)(in.token.at - r->text.text) + in.token.length;
    return true;
}

/* Reads what follows "else": a block, or another if with its header up to '{'. */
static bool read_else(fe_program_reader *r, src_loc loc, fe_steps *body) {
    fe_piece header = r->text;
    header.first = r->at;
    const fe_reader in = fe_read_piece(&header);
    if (!fe_is_word(&in.token, "if"))
        return r->block(r, loc, body);
    const char *brace = memchr(r->text.text + r->at, '{', r->text.end - r->at);
    header.end = brace ? (size_t)(brace - r->text.text) : r->text.end;
    r->at = header.end;
    if (r->depth == FE_MAX_DEPTH)
        return diag_error(r->d, in.token.loc, "E0118-too-large", "nested more than %d deep", FE_MAX_DEPTH);
    r->depth++;
    const bool ok = fe_program_if(r, &header, body);
    r->depth--;
    return ok;
}

bool fe_program_if(fe_program_reader *r, const fe_piece *header, fe_steps *steps) {
    const fe_reader in = fe_read_piece(header);
    const src_loc loc = in.token.loc;
    const char *name = fe_program_new_name(r, "if", loc);
    fe_piece condition = *header;
    fe_step then = {.loc = loc}, other = {0};
    condition.first = skip_blanks(header, (size_t)(in.token.at - r->text.text) + in.token.length);
    if (!add_value(r, condition, name, loc, steps) ||
        !add_branch(r, FE_BRANCH_IF, arena_printf(r->out->mem, "%s == 0", name), &then) ||
        !r->block(r, loc, &then.body))
        return false;
    vec_push(r->out->mem, steps, then);
    if (!take_else(r, &other.loc))
        return true;
    if (!add_branch(r, FE_BRANCH_ELSE, arena_printf(r->out->mem, "%s != 0", name), &other) ||
        !read_else(r, other.loc, &other.body))
        return false;
    vec_push(r->out->mem, steps, other);
    return true;
}

/* ---- print ------------------------------------------------------------------------------------- */

/* Returns the end of a printed expression: the next ',' outside of brackets, or the end of the item. */
static size_t end_of_printed(const fe_reader *in) {
    uint32_t depth = 0;
    fe_reader at = *in;
    while (at.token.kind != FE_END && (depth || !fe_at_sign(&at, ','))) {
        depth += fe_at_sign(&at, '(');
        depth -= depth && fe_at_sign(&at, ')');
        fe_advance(&at);
    }
    return (size_t)(at.token.at - in->text);
}

/* A tensor by its name, or the value of an expression of scalars. */
static bool read_printed(fe_program_reader *r, fe_reader *in, fe_steps *steps, fe_print *out) {
    const char next = fe_peek(in);
    if (in->token.kind == FE_NAME && (!next || next == ','))
        return fe_program_tensor(r, in, &out->tensor);
    const char *name = fe_program_new_name(r, "print", in->token.loc);
    fe_piece piece = r->text;
    piece.first = (size_t)(in->token.at - r->text.text);
    piece.end = end_of_printed(in);
    if (!add_value(r, piece, name, in->token.loc, steps))
        return false;
    out->tensor = fe_program_find(r->out, names_intern(r->out->names, name));
    in->pos = piece.end;
    return fe_advance(in);
}

bool fe_program_print(fe_program_reader *r, fe_reader *in, fe_steps *steps) {
    fe_step step = {.kind = FE_STEP_PRINT, .loc = in->token.loc};
    fe_advance(in);
    do {
        fe_print one = {0};
        const bool text = in->token.kind != FE_END && *in->token.at == '"';
        if (text)
            one.text = fe_program_string(in, r->d);
        if (text ? !one.text : !read_printed(r, in, steps, &one))
            return false;
        vec_push(r->out->mem, &step.prints, one);
    } while (fe_take_sign(in, ','));
    vec_push(r->out->mem, steps, step);
    return true;
}

/* ---- include ----------------------------------------------------------------------------------- */

static const fe_included *included_as(const fe_program_reader *r, const char *name) {
    for (uint32_t i = 0; r->in->included && i < r->in->included->len; i++) {
        if (strcmp(r->in->included->at[i].name, name) == 0)
            return &r->in->included->at[i];
    }
    return NULL;
}

bool fe_program_include(fe_program_reader *r, fe_reader *in, fe_steps *steps) {
    const src_loc loc = in->token.loc;
    fe_advance(in);
    const char *name = fe_program_string(in, r->d);
    const fe_included *file = name ? included_as(r, name) : NULL;
    if (!name)
        return false;
    if (!file || r->files == MOST_FILES)
        return diag_error(r->d, loc, "E0102-syntax",
                          file ? "files include each other more than %d deep"
                               : "an include stands on a line of its own",
                          MOST_FILES);
    fe_program_reader inner = *r;
    inner.text = (fe_piece){.source = diag_add_source(r->d, file->path, file->text, file->length),
                            .text = fe_program_plain(file->text, file->length, r->out->mem),
                            .end = file->length};
    inner.at = inner.depth = 0;
    inner.files++;
    const bool ok = inner.items(&inner, steps);
    r->known = inner.known;
    r->reach = inner.reach;
    return ok;
}
