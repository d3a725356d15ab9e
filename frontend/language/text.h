/* text.h - tokens: one reader for expressions, formats and schedules. */
#ifndef ONYX_FRONTEND_TEXT_H
#define ONYX_FRONTEND_TEXT_H

#include "sam/sam.h"

/* The user's functions, from files by fe_read_functions. */
typedef struct fe_functions fe_functions;

typedef enum { FE_END, FE_NAME, FE_NUMBER, FE_SIGN, FE_BAD } fe_token_kind;

/* Signs of two characters. */
enum { FE_EQ = 'a', FE_NE, FE_LE, FE_GE, FE_AND, FE_OR, FE_SHL, FE_SHR };

typedef struct {
    fe_token_kind kind;
    char sign; /* FE_SIGN: the character, or one of the above */
    src_loc loc;
    const char *at;
    size_t length;
} fe_token;

/* A reader has a text and the token at its position. */
typedef struct {
    uint32_t source;
    const char *text;
    size_t length, pos;
    bool underscores; /* allowed in names, such as names of loops; in an expression B_i is an access */
    bool counts;      /* nnz(T) is a scalar: of a program */
    bool infinite;    /* inf is a number: of concrete index notation, where fills are */
    const fe_functions *functions; /* the user's; NULL: none */
    fe_token token;
} fe_reader;

/* Registers a copy of the text with the diagnostics and reads the first token. */
fe_reader fe_read(const char *name, const char *text, diagnostics *d);
bool fe_advance(fe_reader *r); /* to the next token; returns true */
bool fe_at_sign(const fe_reader *r, char sign);
bool fe_take_sign(fe_reader *r, char sign); /* advances if it is there */
char fe_peek(const fe_reader *r);           /* the first character after the token and blanks; 0 at the end */
bool fe_is_word(const fe_token *t, const char *word);
/* Returns the token's value if an integer up to 2^31 - 1, otherwise `other`. */
uint32_t fe_whole_number(const fe_token *t, uint32_t other);
/* Reports E0101-character or E0102-syntax at the current token: "expected WHAT, found ...". Returns
 * false. */
bool fe_expected(const fe_reader *r, const char *what, diagnostics *d);
/* Returns whether the word stands here, and a parenthesis behind it. */
bool fe_at_call(const fe_reader *r, const char *word);
/* Takes a comma or a parenthesis, or reports that the mark is expected. */
bool fe_take_mark(fe_reader *r, char sign, diagnostics *d);
/* Takes a sign, or reports that `what` is expected. */
bool fe_want_sign(fe_reader *r, char sign, const char *what, diagnostics *d);

/* A piece of a text known to the diagnostics, between two bytes, in which nnz(T) is a scalar. */
typedef struct fe_piece fe_piece;
struct fe_piece {
    uint32_t source;
    const char *text;
    size_t first, end;
    bool value;     /* only the right side */
    const char *as; /* the scalar that gets the value; NULL: a scalar whose name no tensor can have */
};
fe_reader fe_read_piece(const fe_piece *piece);

#endif
