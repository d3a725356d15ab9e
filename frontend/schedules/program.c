/* program.c - reads a program file: its blocks first, then each statement as fe_parse does.
 *
 *   program := item*                  an item ends at ';', at the end of a line outside of brackets, or
 * before '}' item    := declaration | statement | "swap" name "," name | "result" name ("," name)* | "multi"
 * "{" item* "}" | "repeat" (whole | "until" terms "max" whole ["else" "fail"]) "{" item* "}" | "if" terms "{"
 * item* "}" ["else" (item | "{" item* "}")] | "print" part ("," part)* | "include" string
 *
 * A word begins an item of its own only where no '(', '=', '+' or '_' follows: elsewhere it is a tensor. From
 * '#' on a line is a comment.
 */
#include "frontend/schedules/program_blocks.h"
#include "frontend/schedules/program_coordinates.h"
#include "frontend/schedules/program_names.h"
#include "frontend/schedules/program_pairs.h"
#include "frontend/schedules/program_values.h"

/* ---- where items end --------------------------------------------------------------------------- */

/* Returns the first of `ends` outside of brackets from `at` on, or the end of the text. A name in quotes ends
 * with its line. */
static size_t find_end(const fe_piece *text, size_t at, const char *ends) {
    uint32_t depth = 0;
    bool quoted = false;
    for (; at < text->end; at++) {
        char c = text->text[at];
        quoted = c == '"' ? !quoted : quoted && c != '\n';
        if (quoted)
            continue;
        if (depth == 0 && strchr(ends, c))
            return at;
        depth += c == '(' || c == '{' || c == '[';
        depth -= depth && (c == ')' || c == '}' || c == ']');
    }
    return at;
}

static size_t skip_blanks(const fe_piece *text, size_t at) {
    while (at < text->end && text->text[at] && strchr(" \t\r\n;", text->text[at]))
        at++;
    return at;
}

static fe_piece piece_of(const fe_program_reader *r, size_t first, size_t end) {
    fe_piece piece = r->text;
    piece.first = first;
    piece.end = end;
    return piece;
}

static bool at_end(const fe_reader *in, diagnostics *d) {
    return in->token.kind == FE_END || fe_expected(in, "the end of the line, or ';'", d);
}

/* ---- blocks ------------------------------------------------------------------------------------ */

static bool read_items(fe_program_reader *r, fe_steps *steps);

/* Reads "{ items }" at r->at. */
static bool read_block(fe_program_reader *r, src_loc loc, fe_steps *body) {
    const fe_piece *text = &r->text;
    r->at = skip_blanks(text, r->at);
    if (r->at == text->end || text->text[r->at] != '{') {
        return diag_error(r->d, loc, "E0102-syntax", "expected '{' and what is in this block");
    }
    if (r->depth == FE_MAX_DEPTH)
        return diag_error(r->d, loc, "E0118-too-large", "nested more than %d deep", FE_MAX_DEPTH);
    r->at++;
    r->depth++;
    if (!read_items(r, body))
        return false;
    r->depth--;
    if (!body->len)
        return diag_error(r->d, loc, "E0102-syntax", "the block that begins here has no statement");
    if (r->at == text->end)
        return diag_error(r->d, loc, "E0102-syntax", "the block that begins here has no '}'");
    r->at++;
    return true;
}

/* Returns the position of the header's last `max` that is not a function. */
static bool find_max(const fe_piece *header, fe_token *max) {
    bool found = false;
    for (fe_reader in = fe_read_piece(header); in.token.kind != FE_END; fe_advance(&in)) {
        if (!fe_is_word(&in.token, "max") || fe_peek(&in) == '(')
            continue;
        *max = in.token;
        found = true;
    }
    return found;
}

/* Reads a condition; functions of tensors in it become statements of scalars in `steps`. */
static bool read_condition(fe_program_reader *r, fe_reader *in, fe_step *step, fe_steps *steps) {
    fe_piece condition = piece_of(r, (size_t)(in->token.at - r->text.text) + in->token.length, in->length);
    fe_token max;
    step->until = true;
    if (!find_max(&condition, &max)) {
        diag_error(r->d, in->token.loc, "E0102-syntax",
                   "expected 'max' and how many passes there are at most");
        return diag_hint(r->d, "repeat until nnz(front) == 0 max 1000 { ... }");
    }
    condition.end = (size_t)(max.at - r->text.text);
    condition.value = true;
    in->pos = condition.end + max.length;
    fe_advance(in);
    fe_piece plain;
    return fe_program_values(r, &condition, &plain, steps) && fe_program_statement(r, &plain, step);
}

/* Adds the statements of the condition, from steps->at[first] on, to the end of each pass. */
static bool repeat_condition(fe_program_reader *r, const fe_steps *steps, uint32_t first, fe_steps *body) {
    bool ok = true;
    for (uint32_t i = first; ok && i < steps->len; i++) {
        const fe_step *made = &steps->at[i];
        const char *name = names_text(r->out->names, r->out->tensors.at[fe_step_result(made)].name);
        ok = fe_program_assign_value(r, name, made->loc, made->text + strlen(name) + strlen(" = "), body);
    }
    return ok;
}

static bool read_repeat(fe_program_reader *r, fe_reader *in, fe_step *step, fe_steps *steps) {
    const uint32_t first = steps->len;
    step->kind = FE_STEP_REPEAT;
    fe_advance(in);
    if (fe_is_word(&in->token, "until") && !read_condition(r, in, step, steps))
        return false;
    if (!fe_program_whole(r, in, &step->passes))
        return false;
    if (step->until && fe_is_word(&in->token, "else")) {
        fe_advance(in);
        if (!fe_is_word(&in->token, "fail"))
            return fe_expected(in, "'fail'", r->d);
        fe_advance(in);
        step->fails = true;
    }
    return at_end(in, r->d) && read_block(r, step->loc, &step->body) &&
           repeat_condition(r, steps, first, &step->body);
}

/* The results of a multi are distinct tensors, and its operands have their earlier values. */
static bool check_multi(const fe_program_reader *r, const fe_step *step) {
    for (uint32_t i = 0; i < step->body.len; i++) {
        const fe_step *one = &step->body.at[i];
        if (one->kind != FE_STEP_ASSIGN)
            return diag_error(r->d, one->loc, "E0174-multi", "multi has assignments only");
        for (uint32_t k = 0; k < i; k++) {
            const fe_step *other = &step->body.at[k];
            if (fe_step_result(one) != fe_step_result(other))
                continue;
            diag_error(r->d, one->loc, "E0174-multi", "a second assignment of one tensor in a multi");
            return diag_note(r->d, other->loc, "the first one");
        }
    }
    return true;
}

static bool read_swap(fe_program_reader *r, fe_reader *in, fe_step *step) {
    step->kind = FE_STEP_SWAP;
    fe_advance(in);
    if (!fe_program_tensor(r, in, &step->swap[0]))
        return false;
    if (!fe_take_sign(in, ','))
        return fe_expected(in, "',' and the other tensor", r->d);
    if (!fe_program_tensor(r, in, &step->swap[1]) || !at_end(in, r->d))
        return false;
    const fe_shared *a = &r->out->tensors.at[step->swap[0]], *b = &r->out->tensors.at[step->swap[1]];
    bool fills = strcmp(a->fill ? a->fill : "0", b->fill ? b->fill : "0") == 0;
    if (strcmp(a->format, b->format) != 0 || !fills || a->constant || b->constant) {
        diag_error(r->d, step->loc, "E0172-swap", "'%s' and '%s' differ in their %s",
                   names_text(r->out->names, a->name), names_text(r->out->names, b->name),
                   !fills                       ? "fills"
                   : a->constant || b->constant ? "kind: one is a param"
                                                : "levels");
        return diag_hint(r->d, "a swap moves no data; declare both alike, or assign one to the other");
    }
    bool first = fe_program_knows(r, step->swap[0]), second = fe_program_knows(r, step->swap[1]);
    for (uint32_t i = 0; i < 2; i++) {
        fe_program_assigned(r, step->swap[i]);
        r->known.at[step->swap[i]] = i ? first : second;
    }
    return true;
}

static bool read_results(fe_program_reader *r, fe_reader *in) {
    fe_advance(in);
    do {
        uint32_t t;
        if (!fe_program_tensor(r, in, &t))
            return false;
        vec_push(r->out->mem, &r->out->results, t);
    } while (fe_take_sign(in, ','));
    return at_end(in, r->d);
}

/* ---- items ------------------------------------------------------------------------------------- */

static bool is_keyword(const fe_reader *in, const char *word) {
    char next = fe_peek(in);
    return fe_is_word(&in->token, word) && !(next && strchr("(=+_", next));
}

/* Suggests the equivalent of another language's block opening. */
static bool is_foreign(const fe_reader *in, diagnostics *d) {
    static const struct {
        const char *word, *here;
    } all[] = {{"for", "repeat 10 { ... }"},
               {"while", "the opposite condition: repeat until nnz(front) == 0 max 1000 { ... }"},
               {"loop", "repeat 10 { ... }"},
               {"else", "behind the block of an if: if error > 3 { ... } else { ... }"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (!is_keyword(in, all[i].word))
            continue;
        diag_error(d, in->token.loc, "E0102-syntax", "a program has no '%s'", all[i].word);
        diag_hint(d, "%s", all[i].here);
        return true;
    }
    return false;
}

/* ---- what a program states of itself ------------------------------------------------------------ */

static const char *const stated_words[] = {"dtype", "profile", "board", "functions"};
enum { STATED = sizeof stated_words / sizeof *stated_words };

/* Returns which of them the item says; STATED: none. */
static uint32_t stated_by(const fe_reader *in) {
    uint32_t which = 0;
    while (which < STATED && !is_keyword(in, stated_words[which]))
        which++;
    return which;
}

/* Takes the rest of the item, without blanks around it. */
static bool take_stated(const fe_piece *item, const fe_token *word, arena *mem, diagnostics *d,
                        const char **out) {
    const char *at = word->at + word->length, *end = item->text + item->end;
    while (at < end && strchr(" \t\r", *at))
        at++;
    while (end > at && strchr(" \t\r", end[-1]))
        end--;
    if (at == end || *out)
        return diag_error(d, word->loc, "E0102-syntax",
                          *out ? "a second '%.*s' of the program" : "expected a word behind '%.*s'",
                          (int)word->length, word->at);
    *out = arena_strndup(mem, at, (size_t)(end - at));
    return true;
}

bool fe_program_stated(const fe_program_in *in, arena *mem, diagnostics *d, fe_program_options *out) {
    const char **const to[] = {&out->dtype, &out->profile, &out->board, &out->functions};
    const fe_piece all = {.source = diag_add_source(d, in->name, in->text, in->length),
                          .text = fe_program_plain(in->text, in->length, mem),
                          .end = in->length};
    *out = (fe_program_options){0};
    for (size_t at = skip_blanks(&all, 0); at < all.end;) {
        fe_piece item = all;
        item.first = at;
        item.end = find_end(&all, at, ";\n");
        const fe_reader reader = fe_read_piece(&item);
        const uint32_t which = stated_by(&reader);
        if (which < STATED && !take_stated(&item, &reader.token, mem, d, to[which]))
            return false;
        at = skip_blanks(&all, item.end);
    }
    return true;
}

/* A header of `if` ends at '{'; a tensor of that name has its indices or '=' behind it. */
static bool begins_if(const fe_program_reader *r, const fe_reader *in) {
    const size_t end = find_end(&r->text, r->at, ";\n{");
    return fe_is_word(&in->token, "if") && !strchr("=+_", fe_peek(in) ? fe_peek(in) : '=') &&
           (fe_peek(in) != '(' || (end < r->text.end && r->text.text[end] == '{'));
}

/* An included file states nothing of the program. */
static bool refuse_stated(const fe_program_reader *r, const fe_token *word) {
    return diag_error(r->d, word->loc, "E0102-syntax",
                      "'%.*s' stands in the program, not in a file that it includes", (int)word->length,
                      word->at);
}

/* The header of a block ends at its '{', every other item at the end of its line. */
static bool read_item(fe_program_reader *r, fe_steps *steps) {
    fe_piece piece = piece_of(r, r->at, find_end(&r->text, r->at, ";\n}"));
    fe_reader in = fe_read_piece(&piece);
    const fe_token word = in.token;
    fe_step step = {.loc = word.loc};
    bool repeat = is_keyword(&in, "repeat"), multi = is_keyword(&in, "multi"), ok;
    const bool decides = begins_if(r, &in);
    if (repeat || multi || decides) {
        piece.end = find_end(&r->text, r->at, ";\n{");
        in = fe_read_piece(&piece);
    }
    r->at = piece.end;
    if (stated_by(&in) < STATED)
        return !r->files || refuse_stated(r, &word); /* fe_program_stated has read the word */
    if (decides)
        return fe_program_if(r, &piece, steps);
    if (is_keyword(&in, "print"))
        return fe_program_print(r, &in, steps) && at_end(&in, r->d);
    if (is_keyword(&in, "include"))
        return fe_program_include(r, &in, steps) && at_end(&in, r->d);
    if (multi) {
        step.kind = FE_STEP_MULTI;
        fe_advance(&in);
        r->within_multi = true;
        ok = at_end(&in, r->d) && read_block(r, step.loc, &step.body) && check_multi(r, &step);
        r->within_multi = false;
    } else if (repeat) {
        ok = read_repeat(r, &in, &step, steps);
    } else if (is_keyword(&in, "swap")) {
        ok = read_swap(r, &in, &step);
    } else if (is_keyword(&in, "result")) {
        return read_results(r, &in);
    } else if (is_keyword(&in, "tensor") ||
               ((fe_is_word(&word, "scalar") || fe_is_word(&word, "param")) &&
                is_keyword(&in, fe_is_word(&word, "param") ? "param" : "scalar"))) {
        fe_advance(&in);
        return fe_program_declare(r, &in, &word) && at_end(&in, r->d);
    } else if (fe_is_pair(piece.text + piece.first, piece.end - piece.first)) {
        return fe_program_pair(r, &piece, steps);
    } else {
        fe_piece plain, placed;
        if (is_foreign(&in, r->d))
            return false;
        ok = fe_program_values(r, &piece, &plain, steps) &&
             fe_program_coordinate(r, &plain, &placed, steps) && fe_program_statement(r, &placed, &step);
        if (ok && placed.text != piece.text) /* reports show the statement as it was written */
            step.text = fe_program_trimmed(r, &piece);
    }
    vec_push(r->out->mem, steps, step);
    return ok;
}

static bool read_items(fe_program_reader *r, fe_steps *steps) {
    for (;;) {
        r->at = skip_blanks(&r->text, r->at);
        bool end = r->at == r->text.end, closes = !end && r->text.text[r->at] == '}';
        if (end || (closes && r->depth))
            return true;
        if (closes)
            return diag_error(r->d, src_at(r->text.source, r->at, 1), "E0102-syntax",
                              "'}' ends no block here");
        if (!read_item(r, steps))
            return false;
    }
}

/* ---- the whole --------------------------------------------------------------------------------- */

static bool check_settings(fe_program_reader *r) {
    for (uint32_t i = 0; i < r->in->n_settings; i++) {
        const char *text = r->in->settings[i];
        size_t length = strcspn(text, "=");
        uint32_t t = fe_program_find(r->out, names_intern_n(r->out->names, text, length));
        if (text[length] && t < r->out->tensors.len && r->out->tensors.at[t].declared &&
            !r->out->tensors.at[t].order)
            continue;
        diag_error(r->d, (src_loc){0}, "E0171-setting",
                   "--set %s names no param and no scalar of the program", text);
        return diag_hint(r->d, "write --set NAME=NUMBER");
    }
    return true;
}

static const fe_step *last_assignment(const fe_steps *steps) {
    const fe_step *last = NULL;
    for (uint32_t i = 0; i < steps->len; i++) {
        const fe_step *one = &steps->at[i], *inner = last_assignment(&one->body);
        last = one->kind == FE_STEP_ASSIGN && !one->hidden ? one : inner ? inner : last;
    }
    return last;
}

bool fe_program_parse(const fe_program_in *in, name_table *names, arena *mem, diagnostics *d,
                      fe_program *out) {
    *out = (fe_program){.mem = mem, .names = names};
    fe_program_reader r = {.in = in, .out = out, .d = d, .block = read_block, .items = read_items};
    r.text = (fe_piece){.source = diag_add_source(d, in->name, in->text, in->length),
                        .text = fe_program_plain(in->text, in->length, mem),
                        .end = in->length};
    if (!read_items(&r, &out->steps) || !check_settings(&r))
        return false;
    const fe_step *last = last_assignment(&out->steps);
    if (!last)
        return diag_error(d, src_at(r.text.source, 0, 1), "E0102-syntax", "the program has no statement");
    const bool named = out->results.len > 0;
    if (!named && last->paired)
        vec_push(mem, &out->results, fe_step_result(last - 1));
    if (!named)
        vec_push(mem, &out->results, fe_step_result(last));
    return true;
}
