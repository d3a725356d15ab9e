/* program_cin.c - a program as concrete index notation, written and read.
 *
 *   p := "sequence" "(" p "," p ")" | "multi" "(" p "," p ")" | "swap" "(" tensor "," tensor ")"
 *      | "repeat" "(" (n | "until" "(" condition "," n ")") "," p ")" | a program of cin_parse.c
 *
 * What follows in a sequence is its second step. An earlier value of the result has a name of its own, as in
 * every kernel.
 */
#include "frontend/language/cin_dump.h"
#include "frontend/language/cin_parse.h"
#include "frontend/language/parse.h"
#include "frontend/language/words.h"
#include "frontend/schedules/program_int.h"

/* ---- writing ----------------------------------------------------------------------------------- */

typedef struct {
    const fe_program *p;
    FILE *out;
} writer;

static void write_steps(const writer *w, const char *join, const fe_step *steps, uint32_t n, uint32_t depth);

static const char *tensor_text(const writer *w, uint32_t t) {
    return names_text(w->p->names, w->p->tensors.at[t].name);
}

static void write_assign(const writer *w, const fe_step *step, uint32_t depth) {
    (void)depth;
    arena mem = {0};
    text_out text;
    text_begin(&text);
    fe_cin_dump(&step->cin, text.stream);
    const char *line = text_end(&text, &mem);
    fprintf(w->out, "%.*s", (int)strcspn(line, "\n"), line);
    arena_free(&mem);
}

static void write_swap(const writer *w, const fe_step *step, uint32_t depth) {
    (void)depth;
    fprintf(w->out, "swap(%s, %s)", tensor_text(w, step->swap[0]), tensor_text(w, step->swap[1]));
}

static void write_multi(const writer *w, const fe_step *step, uint32_t depth) {
    (void)depth;
    write_steps(w, "multi", step->body.at, step->body.len, 0);
}

static void write_repeat(const writer *w, const fe_step *step, uint32_t depth) {
    arena mem = {0};
    if (step->until)
        fprintf(w->out, "repeat(until(%s, %u),\n",
                fe_expr_text(&(fe_kernel){.s = step->statement}, step->statement.rhs, &mem), step->passes);
    else
        fprintf(w->out, "repeat(%u,\n", step->passes);
    write_steps(w, "sequence", step->body.at, step->body.len, depth + 1);
    fputc(')', w->out);
    arena_free(&mem);
}

/* By kind; concrete index notation lacks the others, as prints and vectors of a coordinate's place. */
static void (*const write_step[])(const writer *, const fe_step *, uint32_t depth) = {
    [FE_STEP_ASSIGN] = write_assign,
    [FE_STEP_SWAP] = write_swap,
    [FE_STEP_MULTI] = write_multi,
    [FE_STEP_REPEAT] = write_repeat,
};

static bool is_omitted(const fe_step *step) {
    return step->kind >= sizeof write_step / sizeof *write_step || !write_step[step->kind];
}

/* A line for each step. */
static void write_steps(const writer *w, const char *join, const fe_step *steps, uint32_t n, uint32_t depth) {
    while (n && is_omitted(&steps[n - 1]))
        n--;
    for (uint32_t i = 0; i < n; i++) {
        bool joins = i + 1 < n;
        if (is_omitted(&steps[i]))
            continue;
        fprintf(w->out, "%*s%s", (int)(2 * depth), "", joins ? join : "");
        fputs(joins ? "(" : "", w->out);
        write_step[steps[i].kind](w, &steps[i], depth);
        fputs(joins ? ",\n" : "", w->out);
    }
    for (uint32_t i = 1; i < n; i++)
        fputs(is_omitted(&steps[i - 1]) ? "" : ")", w->out);
}

void fe_program_cin_dump(const fe_program *p, FILE *out) {
    const writer w = {p, out};
    write_steps(&w, "sequence", p->steps.at, p->steps.len, 0);
    fputc('\n', out);
}

/* ---- reading ----------------------------------------------------------------------------------- */

static bool read_step(fe_program_reader *r, fe_reader *in, fe_steps *steps);

/* The piece of the text up to its final ',' or ')'; the reader moves there. */
static fe_piece take_piece(const fe_program_reader *r, fe_reader *in) {
    fe_piece piece = r->text;
    piece.first = (size_t)(in->token.at - in->text);
    for (uint32_t depth = 0; in->token.kind != FE_END; fe_advance(in)) {
        bool closes = fe_at_sign(in, ')') || fe_at_sign(in, '}');
        if (!depth && (closes || fe_at_sign(in, ',')))
            break;
        depth += fe_at_sign(in, '(') || fe_at_sign(in, '{');
        depth -= closes;
    }
    piece.end = in->token.kind == FE_END ? in->length : (size_t)(in->token.at - in->text);
    return piece;
}

static bool read_name(fe_program_reader *r, fe_reader *in, uint32_t *out) {
    if (in->token.kind != FE_NAME)
        return fe_expected(in, "a tensor", r->d);
    name_id name = names_intern_n(r->out->names, in->token.at, in->token.length);
    *out = fe_program_find(r->out, name);
    if (*out == r->out->tensors.len)
        fe_program_add(r->out, name, in->token.loc, FE_NO_ORDER);
    return fe_advance(in);
}

static bool read_passes(fe_program_reader *r, fe_reader *in, fe_step *step) {
    step->until = fe_at_call(in, "until");
    if (!step->until)
        return fe_parse_number(in, 0, INT32_MAX, r->d, &step->passes);
    fe_advance(in);
    fe_advance(in); /* skips the "(" that at_word saw */
    fe_piece condition = take_piece(r, in);
    condition.value = true;
    /* The text has no data type: operations of integers, and non-integers, are allowed. */
    diagnostics quiet;
    diag_init(&quiet, r->out->mem);
    fe_in value = {.piece = &condition, .integers = true};
    value.integers = fe_parse(&value, r->out->names, r->out->mem, &quiet, &step->statement);
    return fe_parse(&value, r->out->names, r->out->mem, r->d, &step->statement) &&
           fe_program_bind(r->out, r->d, step) && fe_take_mark(in, ',', r->d) &&
           fe_parse_number(in, 0, INT32_MAX, r->d, &step->passes) && fe_take_mark(in, ')', r->d);
}

static bool read_pair(fe_program_reader *r, fe_reader *in, fe_steps *steps) {
    return read_step(r, in, steps) && fe_take_mark(in, ',', r->d) && read_step(r, in, steps) &&
           fe_take_mark(in, ')', r->d);
}

static bool read_kernels(fe_program_reader *r, fe_reader *in, fe_step *step) {
    fe_piece piece = take_piece(r, in);
    if (!fe_cin_read(fe_read_piece(&piece), r->out->names, r->out->mem, r->d, &step->cin))
        return false;
    step->statement = step->cin.kernels.at[step->cin.kernels.len - 1].s;
    return fe_program_bind(r->out, r->d, step);
}

/* Adds the current step: a multi in a multi continues the outer one, as for sequences. */
static bool read_step(fe_program_reader *r, fe_reader *in, fe_steps *steps) {
    fe_step step = {.loc = in->token.loc};
    bool ok, sequence = fe_at_call(in, "sequence"), multi = fe_at_call(in, "multi"),
             swap = fe_at_call(in, "swap");
    bool repeat = fe_at_call(in, "repeat");
    if (r->depth == FE_MAX_DEPTH)
        return diag_error(r->d, step.loc, "E0118-too-large", "nested more than %d deep", FE_MAX_DEPTH);
    if (sequence || multi || swap || repeat) {
        fe_advance(in);
        fe_advance(in); /* skips the "(" that at_word saw */
    }
    r->depth++;
    if (sequence || (multi && r->within_multi)) {
        ok = read_pair(r, in, steps);
        r->depth--;
        return ok;
    }
    if (multi) {
        step.kind = FE_STEP_MULTI;
        r->within_multi = true;
        ok = read_pair(r, in, &step.body);
        r->within_multi = false;
    } else if (swap) {
        step.kind = FE_STEP_SWAP;
        ok = read_name(r, in, &step.swap[0]) && fe_take_mark(in, ',', r->d) &&
             read_name(r, in, &step.swap[1]) && fe_take_mark(in, ')', r->d);
    } else if (repeat) {
        step.kind = FE_STEP_REPEAT;
        ok = read_passes(r, in, &step) && fe_take_mark(in, ',', r->d) && read_step(r, in, &step.body) &&
             fe_take_mark(in, ')', r->d);
    } else {
        ok = read_kernels(r, in, &step);
    }
    r->depth--;
    vec_push(r->out->mem, steps, step);
    return ok;
}

bool fe_program_cin_parse(const char *text, name_table *names, arena *mem, diagnostics *d, fe_program *out) {
    *out = (fe_program){.mem = mem, .names = names, .undeclared = true};
    const size_t length = strlen(text);
    const char *copy = arena_strndup(d->mem, text, length);
    fe_program_reader r = {.out = out, .d = d};
    r.text = (fe_piece){.source = diag_add_source(d, "<cin>", copy, length), .text = copy, .end = length};
    fe_reader in = fe_read_piece(&r.text);
    return read_step(&r, &in, &out->steps) && (in.token.kind == FE_END || fe_expected(&in, "the end", d));
}
