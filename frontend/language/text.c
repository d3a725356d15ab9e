/* text.c - the token reader of expressions, formats and schedules. */
#include "frontend/language/text.h"

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static size_t skip_digits(const fe_reader *r, size_t end) {
    while (end < r->length && is_digit(r->text[end]))
        end++;
    return end;
}

/* 12, 1.5, .5, 2e-3; `start` is at a digit or at a dot before a digit. */
static size_t number_end(const fe_reader *r, size_t start) {
    size_t end = skip_digits(r, start);
    if (end < r->length && r->text[end] == '.')
        end = skip_digits(r, end + 1);
    if (end < r->length && (r->text[end] == 'e' || r->text[end] == 'E')) {
        size_t exponent = end + 1;
        if (exponent < r->length && (r->text[exponent] == '+' || r->text[exponent] == '-'))
            exponent++;
        if (exponent < r->length && is_digit(r->text[exponent]))
            end = skip_digits(r, exponent);
    }
    return end;
}

static size_t name_end(const fe_reader *r, size_t start) {
    size_t end = start;
    while (end < r->length &&
           (is_letter(r->text[end]) || is_digit(r->text[end]) || (r->underscores && r->text[end] == '_')))
        end++;
    return end;
}

/* Operators of two characters, each a single token. */
static const struct {
    char text[3], sign;
} pairs[] = {{"==", FE_EQ},  {"!=", FE_NE}, {"<=", FE_LE},  {">=", FE_GE},
             {"&&", FE_AND}, {"||", FE_OR}, {"<<", FE_SHL}, {">>", FE_SHR}};

bool fe_advance(fe_reader *r) {
    while (r->pos < r->length && is_blank(r->text[r->pos]))
        r->pos++;
    size_t start = r->pos, end = start;
    char c = start < r->length ? r->text[start] : 0;
    fe_token t = {.at = r->text + start};
    if (start == r->length) {
        t.kind = FE_END;
    } else if (is_letter(c)) {
        t.kind = FE_NAME;
        end = name_end(r, start);
    } else if (is_digit(c) || (c == '.' && start + 1 < r->length && is_digit(r->text[start + 1]))) {
        t.kind = FE_NUMBER;
        end = number_end(r, start);
    } else {
        t.kind = c != 0 && strchr("+-*/%=(),:;_{}&|^~<>", c) ? FE_SIGN : FE_BAD;
        t.sign = c;
        end = start + 1;
        for (size_t i = 0; i < sizeof pairs / sizeof *pairs && end < r->length; i++) {
            if (r->text[start] != pairs[i].text[0] || r->text[start + 1] != pairs[i].text[1])
                continue;
            t.kind = FE_SIGN;
            t.sign = pairs[i].sign;
            end = start + 2;
            break;
        }
    }
    t.length = end - start;
    t.loc = src_at(r->source, start, t.length ? t.length : 1);
    r->pos = end;
    r->token = t;
    return true;
}

fe_reader fe_read(const char *name, const char *text, diagnostics *d) {
    size_t length = strlen(text);
    const char *copy = arena_strndup(d->mem, text, length);
    fe_reader r = {.source = diag_add_source(d, name, copy, length), .text = copy, .length = length};
    fe_advance(&r);
    return r;
}

fe_reader fe_read_piece(const fe_piece *piece) {
    fe_reader r = {.source = piece->source,
                   .text = piece->text,
                   .length = piece->end,
                   .pos = piece->first,
                   .counts = true};
    fe_advance(&r);
    return r;
}

bool fe_at_sign(const fe_reader *r, char sign) {
    return r->token.kind == FE_SIGN && r->token.sign == sign;
}

bool fe_take_sign(fe_reader *r, char sign) {
    if (!fe_at_sign(r, sign))
        return false;
    return fe_advance(r);
}

bool fe_is_word(const fe_token *t, const char *word) {
    return t->kind == FE_NAME && t->length == strlen(word) && memcmp(t->at, word, t->length) == 0;
}

uint32_t fe_whole_number(const fe_token *t, uint32_t other) {
    uint64_t value = 0;
    for (size_t i = 0; i < t->length; i++) {
        if (t->kind != FE_NUMBER || !is_digit(t->at[i]) || value > INT32_MAX / 10)
            return other;
        value = value * 10 + (uint64_t)(t->at[i] - '0');
    }
    return t->kind == FE_NUMBER && value <= INT32_MAX ? (uint32_t)value : other;
}

char fe_peek(const fe_reader *r) {
    size_t pos = r->pos;
    while (pos < r->length && is_blank(r->text[pos]))
        pos++;
    return pos < r->length ? r->text[pos] : 0;
}

bool fe_expected(const fe_reader *r, const char *what, diagnostics *d) {
    const fe_token *t = &r->token;
    switch (t->kind) {
    case FE_BAD:
        if (t->sign >= ' ' && t->sign < 127)
            diag_error(d, t->loc, "E0101-character", "'%c' has no meaning here", t->sign);
        else
            diag_error(d, t->loc, "E0101-character", "byte 0x%02x has no meaning here",
                       (unsigned)(unsigned char)t->sign);
        if (t->sign == '[' || t->sign == '?')
            diag_hint(d, t->sign == '[' ? "indices stand in parentheses: B(i,j)"
                                        : "one of two values is ifelse(c, x, y)");
        return false;
    case FE_END:
        return diag_error(d, t->loc, "E0102-syntax", "expected %s, found the end", what);
    case FE_NAME:
    case FE_NUMBER:
    case FE_SIGN:
        break;
    }
    return diag_error(d, t->loc, "E0102-syntax", "expected %s, found '%.*s'", what, (int)t->length, t->at);
}

bool fe_at_call(const fe_reader *r, const char *word) {
    return fe_is_word(&r->token, word) && fe_peek(r) == '(';
}

bool fe_want_sign(fe_reader *r, char sign, const char *what, diagnostics *d) {
    return fe_take_sign(r, sign) || fe_expected(r, what, d);
}

bool fe_take_mark(fe_reader *r, char sign, diagnostics *d) {
    return fe_want_sign(r, sign, sign == ',' ? "','" : sign == '(' ? "'('" : "')'", d);
}
