/* program_int.h - what program.c, program_text.c and program_cin.c share with the readers of expressions. */
#ifndef ONYX_FE_PROGRAM_INT_H
#define ONYX_FE_PROGRAM_INT_H

#include "frontend/fe_int.h"
#include "frontend/program.h"

/* A program file while it is read. */
typedef struct {
    const fe_program_in *in;
    fe_program *out;
    diagnostics *d;
    fe_piece text;     /* the whole, where comments are blanks */
    size_t at;         /* what is read next */
    uint32_t depth;    /* of blocks */
    bool within_multi; /* of concrete index notation */
    VEC(bool) known;   /* by tensor: something was given or assigned before */
} fe_program_reader;

/* Adds a tensor of that name, which has no other, compressed. */
uint32_t fe_program_add(fe_program *p, name_id name, src_loc loc, uint32_t order);
/* Reads `tensor`, `scalar` or `param`: what follows that word. E0102, E0170, E0173. */
bool fe_program_declare(fe_program_reader *r, fe_reader *in, const fe_token *word);
/* Reads a whole number, or the param of that name. E0102, E0170. */
bool fe_program_whole(const fe_program_reader *r, fe_reader *in, uint32_t *out);
/* Reads a statement, or a condition, into a step. Those of fe_parse, E0104, E0170, E0173. */
bool fe_program_statement(fe_program_reader *r, const fe_piece *piece, fe_step *step);
/* Counts an assignment, or the tensors of a swap, as one that gives a tensor its values. */
void fe_program_assigned(fe_program_reader *r, uint32_t tensor);
bool fe_program_knows(fe_program_reader *r, uint32_t tensor);
/* Gives the step's statement its `use`, and the program the tensors that are new. E0104-rank. */
bool fe_program_bind(fe_program *p, diagnostics *d, fe_step *step);
/* Reads concrete index notation from the reader on, to the end of its piece. */
bool fe_cin_read(fe_reader in, name_table *names, arena *mem, diagnostics *d, fe_cin *out);

#endif
