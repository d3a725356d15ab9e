#include <stdlib.h>

#include "tests/random/cases.h"

/* The current case, and room for the next candidate. */
typedef struct {
    note *n, *c;
    case_test *wrong;
    void *context;
} shrinking;

/* Takes the candidate if still wrong. */
static bool accept(const shrinking *s) {
    bool still = s->wrong(s->c, s->context);
    if (still)
        *s->n = *s->c;
    return still;
}

/* Each function tries every candidate of a kind and returns whether a candidate was taken. */

static bool fewer_operators(const shrinking *s) {
    note *n = s->n, *c = s->c;
    for (uint8_t e = 0; e < n->n_nodes; e++) {
        note_node x = n->node[e];
        for (int side = 0; side < 2; side++) {
            if (x.kind <= NOTE_LITERAL || (side == 1 && (x.kind == NOTE_NEG || x.kind >= NOTE_SUM)))
                continue;
            *c = *n;
            c->node[e] = n->node[side ? x.b : x.a];
            if (accept(s))
                return true;
        }
    }
    return false;
}

/* Removes the command at `from`. */
static void drop_command(char *schedule, char *from) {
    char *end = strstr(from, "), ");
    if (end)
        memmove(from, end + 3, strlen(end + 3) + 1);
    else if (from > schedule)
        from[-2] = '\0'; /* with the comma before it */
    else
        *from = '\0';
}

static bool fewer_commands(const shrinking *s) {
    note *n = s->n, *c = s->c;
    for (const char *at = n->schedule; at && *at; at = strstr(at, "), ") ? strstr(at, "), ") + 3 : NULL) {
        *c = *n;
        drop_command(c->schedule, c->schedule + (at - n->schedule));
        if (accept(s))
            return true;
    }
    return false;
}

static bool simpler_settings(const shrinking *s) {
    note *n = s->n, *c = s->c;
    bool taken = false;
    for (uint8_t t = 0; t < n->n_tensors; t++) {
        for (uint8_t l = 0; l < n->tensor[t].order; l++) {
            *c = *n;
            c->tensor[t].level[l] = 's';
            taken = (n->tensor[t].level[l] == 'd' && accept(s)) || taken;
        }
        *c = *n;
        for (uint8_t l = 0; l < n->tensor[t].order; l++)
            c->tensor[t].mode[l] = l;
        taken = (memcmp(c->tensor[t].mode, n->tensor[t].mode, sizeof n->tensor[t].mode) != 0 && accept(s)) ||
                taken;
    }
    return taken;
}

static bool fewer_results(const shrinking *s) {
    note *n = s->n, *c = s->c;
    for (uint8_t i = 0; i < n->tensor[0].order; i++) {
        note_tensor *x = &c->tensor[0];
        *c = *n;
        memmove(c->result_index + i, c->result_index + i + 1, sizeof c->result_index - i - 1u);
        x->order--;
        for (uint8_t l = 0; l <= x->order; l++)
            x->mode[l] = l;
        x->level[x->order] = '\0';
        if (note_set_dimensions(c) && accept(s))
            return true;
    }
    return false;
}

/* The cells of `from` that exist in the smaller dimensions of `to`. */
static void crop(const note_tensor *from, note_tensor *to) {
    for (uint32_t cell = 0; cell < to->cells; cell++) {
        uint32_t rest = cell, crd[SAM_MAX_ORDER] = {0}, old = 0;
        for (uint8_t i = to->order; i-- > 0;) {
            crd[i] = rest % to->dim[i];
            rest /= to->dim[i];
        }
        for (uint8_t i = 0; i < to->order; i++)
            old = old * from->dim[i] + crd[i];
        to->value[cell] = from->value[old];
        to->stored[cell] = from->stored[old];
    }
}

static bool smaller_extents(const shrinking *s) {
    note *n = s->n, *c = s->c;
    for (uint8_t v = 0; v < n->n_vars; v++) {
        for (uint32_t extent = 1; extent < n->extent[v]; extent++) {
            *c = *n;
            c->extent[v] = extent;
            note_set_dimensions(c);
            for (uint8_t t = 1; t < n->n_tensors; t++)
                crop(&n->tensor[t], &c->tensor[t]);
            if (accept(s))
                return true;
        }
    }
    return false;
}

static bool fewer_entries(const shrinking *s) {
    note *n = s->n, *c = s->c;
    bool taken = false;
    uint32_t used = note_used_tensors(n, n->root);
    for (uint8_t t = 1; t < n->n_tensors; t++) {
        for (uint32_t cell = 0; used >> t & 1 && cell < n->tensor[t].cells; cell++) {
            *c = *n;
            c->tensor[t].stored[cell] = false;
            c->tensor[t].value[cell] = 0;
            if (n->tensor[t].stored[cell] && accept(s)) {
                taken = true;
                continue;
            }
            *c = *n;
            c->tensor[t].value[cell] = 1;
            taken = (n->tensor[t].stored[cell] && n->tensor[t].value[cell] != 1 && accept(s)) || taken;
        }
    }
    return taken;
}

void case_shrink(note *n, case_test *wrong, void *context) {
    note *candidate = malloc(sizeof *candidate);
    BUG_IF(!candidate, "no memory");
    const shrinking s = {n, candidate, wrong, context};
    while (fewer_operators(&s) || fewer_commands(&s) || simpler_settings(&s) || fewer_results(&s) ||
           smaller_extents(&s) || fewer_entries(&s))
        ;
    free(candidate);
}

/* ---- telling --------------------------------------------------------------------------------- */

static void write_operand(const note_tensor *t, const char *path, arena *mem) {
    FILE *out = fopen(path, "w");
    note_entries entries = note_stored(t, mem);
    BUG_IF(!out, "cannot write %s", path);
    if (t->order <= 2)
        fprintf(out, "%%%%MatrixMarket matrix coordinate integer general\n%u %u %u\n",
                t->order ? t->dim[0] : 1, t->order == 2 ? t->dim[1] : 1, entries.len);
    for (uint32_t i = 0; i < entries.len; i++) {
        for (uint32_t m = 0; m < (t->order <= 2 ? 2u : t->order); m++)
            fprintf(out, "%u ", m < t->order ? entries.at[i].crd[m] + 1 : 1);
        fprintf(out, "%d\n", (int16_t)entries.at[i].value);
    }
    fclose(out);
}

/* The variables of the case: of its result, and below node e. */
static uint32_t variables_below(const note *n, uint8_t e) {
    const note_node *x = &n->node[e];
    uint32_t vars = note_free_vars(n, e);
    if (x->kind == NOTE_SUM)
        vars |= 1u << x->var;
    if (x->kind > NOTE_LITERAL)
        vars |= variables_below(n, x->a);
    if (x->kind >= NOTE_ADD && x->kind <= NOTE_DIV)
        vars |= variables_below(n, x->b);
    return vars;
}

static uint32_t variables_of(const note *n) {
    uint32_t vars = variables_below(n, n->root);
    for (uint8_t i = 0; i < n->tensor[0].order; i++)
        vars |= 1u << n->result_index[i];
    return vars;
}

char *case_settings(const note *n, arena *mem) {
    uint32_t used = note_used_tensors(n, n->root) | 1, vars = variables_of(n);
    char *text = arena_printf(mem, "\"%s\"", note_text(n, mem));
    for (uint8_t t = 0; t < n->n_tensors; t++) {
        const char *format = note_format(&n->tensor[t], mem);
        if (format && used >> t & 1)
            text = arena_printf(mem, "%s -f %s", text, format);
    }
    for (uint8_t v = 0; v < n->n_vars; v++)
        if (n->sized && vars >> v & 1)
            text = arena_printf(mem, "%s -d %s:%u", text, n->var[v], n->extent[v]);
    return *n->schedule ? arena_printf(mem, "%s -s \"%s\"", text, n->schedule) : text;
}

static const char *sizes(const note_tensor *t, arena *mem) {
    const char *text = "";
    for (uint8_t i = 0; i < t->order; i++)
        text = arena_printf(mem, "%s%s%u", text, i ? "x" : "", t->dim[i]);
    return text;
}

char *case_command(const note *n, const char *what, const char *folder, arena *mem) {
    uint32_t used = note_used_tensors(n, n->root);
    char *text = arena_printf(mem, "onyx %s %s", what, case_settings(n, mem));
    for (uint8_t t = 1; t < n->n_tensors; t++) {
        const note_tensor *x = &n->tensor[t];
        if (!(used >> t & 1))
            continue;
        if (x->order > 2 && !note_stored(x, mem).len) { /* an empty .tns file has no order */
            text = arena_printf(mem, "%s -g %s:%s:0", text, x->name, sizes(x, mem));
            continue;
        }
        const char *path = arena_printf(mem, "%s/%s.%s", folder, x->name, x->order <= 2 ? "mtx" : "tns");
        write_operand(x, path, mem);
        text = arena_printf(mem, "%s -i %s:%s", text, x->name, path);
    }
    return text;
}
