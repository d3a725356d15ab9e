/* C of the kind that taco emits (Kjolstad et al., OOPSLA 2017; workspaces: CGO 2019): one loop nest a
 * statement, loops over coordinates that merge compressed levels by a lattice.
 *
 * A lattice point is a set of accesses, bit by access, whose compressed level has the coordinate at hand; the
 * loop of a point ends with the first of its accesses, and exhausted accesses are 0 in the points below. The
 * empty point is every coordinate. Sums around the whole right side may be outside of loops of the result,
 * whose values are then accumulated: in place, for a dense result, or in a workspace of one dimension. */
#include "report/cpu.h"
#include "report/cpu_order.h"

typedef struct {
    uint64_t at[64];
    uint32_t n;
} lattice;

typedef struct {
    const cpu_plan *p;
    FILE *out;
} writer;

/* Loops around an expression: all loops of the result, or the loops of a sum, into its temporary. */
typedef struct {
    sam_var var[CPU_MAX_VARS];
    uint32_t n;
    sam_expr body, sum; /* no sum: the result's */
} nest;

/* ---- the loops as C -------------------------------------------------------------------------- */

/* Returns whether the expression is 0 where the accesses of `dead` are. */
static bool is_nothing(const cpu_plan *p, sam_expr e, uint64_t dead) {
    const sam_expr_data *x = cpu_expr_at(p, e);
    if (x->kind == SAM_EXPR_ACCESS)
        return dead >> cpu_access_of(p, e) & 1;
    if (x->kind == SAM_EXPR_LITERAL)
        return false;
    const bool a = is_nothing(p, x->a, dead);
    if (!x->b.v)
        return a;
    const bool b = is_nothing(p, x->b, dead);
    return x->kind == SAM_EXPR_ADD || x->kind == SAM_EXPR_SUB ? a && b : a || b;
}

static void add_point(lattice *out, uint64_t point) {
    for (uint32_t i = 0; i < out->n; i++) {
        if (out->at[i] == point)
            return;
    }
    BUG_IF(out->n == 64, "a lattice of more than 64 points");
    out->at[out->n++] = point;
}

static void lattice_of(const cpu_plan *p, sam_expr e, sam_var v, uint64_t dead, lattice *out) {
    const sam_expr_data *x = cpu_expr_at(p, e);
    lattice a, b;
    out->n = 0;
    if (is_nothing(p, e, dead))
        return;
    if (x->kind == SAM_EXPR_LITERAL) {
        add_point(out, 0);
        return;
    }
    if (x->kind == SAM_EXPR_ACCESS) {
        const uint32_t n = cpu_access_of(p, e);
        const int l = cpu_level_of(&p->access[n], v);
        add_point(out, l >= 0 && !p->access[n].dense[l] ? (uint64_t)1 << n : 0);
        return;
    }
    if (!x->b.v) {
        lattice_of(p, x->a, v, dead, out);
        return;
    }
    lattice_of(p, x->a, v, dead, &a);
    lattice_of(p, x->b, v, dead, &b);
    for (uint32_t i = 0; i < a.n; i++) {
        for (uint32_t j = 0; j < b.n; j++)
            add_point(out, a.at[i] | b.at[j]);
    }
    for (uint32_t i = 0; i < a.n && x->kind != SAM_EXPR_MUL && x->kind != SAM_EXPR_DIV; i++)
        add_point(out, a.at[i]);
    for (uint32_t j = 0; j < b.n && x->kind != SAM_EXPR_MUL && x->kind != SAM_EXPR_DIV; j++)
        add_point(out, b.at[j]);
}

static int size_of(uint64_t point) {
    return __builtin_popcountll(point);
}

/* Larger points first: each point comes before its subsets. */
static void sort_points(lattice *l) {
    for (uint32_t i = 1; i < l->n; i++) {
        for (uint32_t j = i; j > 0 && size_of(l->at[j]) > size_of(l->at[j - 1]); j--) {
            const uint64_t point = l->at[j];
            l->at[j] = l->at[j - 1];
            l->at[j - 1] = point;
        }
    }
}

static void write_value(const writer *w, sam_expr e, uint64_t dead) {
    static const char sign[] = {
        [SAM_EXPR_ADD] = '+', [SAM_EXPR_SUB] = '-', [SAM_EXPR_MUL] = '*', [SAM_EXPR_DIV] = '/'};
    const sam_expr_data *x = cpu_expr_at(w->p, e);
    if (is_nothing(w->p, e, dead)) {
        fputs("(V)0", w->out);
    } else if (x->kind == SAM_EXPR_ACCESS) {
        const uint32_t a = cpu_access_of(w->p, e), order = w->p->access[a].order;
        fprintf(w->out, order ? "a%u_val[p%u_%u]" : "a%u_val[0]", a, a, order - 1);
    } else if (x->kind == SAM_EXPR_LITERAL) {
        fprintf(w->out, "(V)(%lld)", (long long)x->literal);
    } else if (x->kind == SAM_EXPR_SUM) {
        fprintf(w->out, "t%u", e.v);
    } else {
        fputs(x->kind == SAM_EXPR_NEG ? "(V)(-" : x->kind == SAM_EXPR_DIV ? "divided(" : "(V)(", w->out);
        write_value(w, x->a, dead);
        if (x->b.v) {
            fprintf(w->out, " %c ", x->kind == SAM_EXPR_DIV ? ',' : sign[x->kind]);
            write_value(w, x->b, dead);
        }
        fputc(')', w->out);
    }
}

static void write_loops(const writer *w, const nest *n, uint32_t at, uint64_t dead);

/* Computes the outermost sums of the expression. */
static void write_sums(const writer *w, sam_expr e, uint64_t dead) {
    const cpu_plan *p = w->p;
    const sam_expr_data *x = cpu_expr_at(p, e);
    if (is_nothing(p, e, dead))
        return;
    if (x->kind != SAM_EXPR_SUM) {
        if (x->a.v)
            write_sums(w, x->a, dead);
        if (x->b.v)
            write_sums(w, x->b, dead);
        return;
    }
    nest inner = {.sum = e};
    const uint64_t vars = cpu_chain_of(p, e, &inner.body);
    for (uint32_t i = 0; i < p->loops; i++) {
        if (vars >> (p->loop[i].v - 1) & 1)
            inner.var[inner.n++] = p->loop[i];
    }
    fprintf(w->out, "V t%u = 0;\n{\n", e.v);
    write_loops(w, &inner, 0, dead);
    fputs("}\n", w->out);
}

/* The result's variables in the order of the loops; returns how many. */
static uint32_t result_vars(const cpu_plan *p, sam_var out[CPU_MAX_VARS]) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->loops; i++) {
        if (sam_is_result_var(p->st, p->loop[i]))
            out[n++] = p->loop[i];
    }
    return n;
}

static void write_target(const writer *w) {
    sam_var var[CPU_MAX_VARS];
    const uint32_t n = result_vars(w->p, var);
    fputs("out_val[", w->out);
    for (uint32_t i = 1; i < n; i++)
        fputc('(', w->out);
    fprintf(w->out, n ? "(size_t)v%u" : "0", n ? var[0].v : 0);
    for (uint32_t i = 1; i < n; i++)
        fprintf(w->out, ") * e%u + v%u", var[i].v, var[i].v);
    fputc(']', w->out);
}

static void write_leaf(const writer *w, const nest *n, uint64_t dead) {
    const cpu_plan *p = w->p;
    const bool adds = p->outer < cpu_result_order(p);
    sam_var var[CPU_MAX_VARS];
    const uint32_t order = result_vars(p, var);
    write_sums(w, n->body, dead);
    if (n->sum.v) {
        fprintf(w->out, "t%u += ", n->sum.v);
    } else if (p->dense) {
        write_target(w);
        fputs(adds ? " += " : " = ", w->out);
    } else if (adds) {
        const uint32_t v = var[order - 1].v;
        fprintf(w->out,
                "if (!work_set[v%u]) {\nwork_set[v%u] = 1;\nwork[v%u] = 0;\nwork_list[work_n++] = v%u;\n}\n",
                v, v, v, v);
        fprintf(w->out, "work[v%u] += ", v);
    } else {
        fprintf(w->out, "append(%u, v%u);\nout_val[level[%u].n - 1] = ", order - 1, var[order - 1].v,
                order - 1);
    }
    write_value(w, n->body, dead);
    fputs(";\n", w->out);
}

/* Continues inside of the loops of the result outside of every sum. Entries of a workspace are appended in
 * order: sorted, or found by a scan if the workspace is full enough. */
static void write_below(const writer *w, const nest *n, uint32_t at, uint64_t dead) {
    sam_var var[CPU_MAX_VARS];
    const uint32_t order = result_vars(w->p, var);
    const bool work = !n->sum.v && !w->p->dense && w->p->outer < order && at == w->p->outer;
    if (work)
        fputs("work_n = 0;\n", w->out);
    write_loops(w, n, at, dead);
    if (work)
        fprintf(w->out,
                "if (work_n > e%u / 16) {\n"
                "work_n = 0;\nfor (unsigned c = 0; c < e%u; c++) {\nwork_list[work_n] = c;\n"
                "work_n += work_set[c];\n}\n"
                "} else {\nsort(work_list, work_n);\n}\n"
                "for (unsigned q = 0; q < work_n; q++) {\n"
                "append(%u, work_list[q]);\n"
                "out_val[level[%u].n - 1] = work[work_list[q]];\nwork_set[work_list[q]] = 0;\n}\n",
                var[order - 1].v, var[order - 1].v, order - 1, order - 1);
}

/* Writes the body of a loop, once its variable has its coordinate. */
static void write_inside(const writer *w, const nest *n, uint32_t at, uint64_t dead) {
    const cpu_plan *p = w->p;
    const bool level = !n->sum.v && !p->dense && at + 1 < cpu_result_order(p);
    for (uint32_t a = 0; a < p->accesses; a++) {
        const int l = cpu_level_of(&p->access[a], n->var[at]);
        if (l < 0 || !p->access[a].dense[l] || (dead >> a & 1))
            continue;
        fprintf(w->out, "size_t p%u_%d = ", a, l);
        if (l > 0)
            fprintf(w->out, "p%u_%d * e%u + ", a, l - 1, n->var[at].v);
        fprintf(w->out, "v%u;\n", n->var[at].v);
    }
    if (level)
        fprintf(w->out, "unsigned had%u = level[%u].n;\n", at, at + 1);
    write_below(w, n, at + 1, dead);
    if (level)
        fprintf(w->out,
                "if (level[%u].n > had%u) {\nappend(%u, v%u);\nlevel[%u].end[level[%u].n - 1] = "
                "level[%u].n;\n}\n",
                at + 1, at, at, n->var[at].v, at, at, at + 1);
}

static void write_all_of(const writer *w, uint64_t point, const uint8_t *level, const char *format,
                         const char *between) {
    const char *before = "";
    for (uint32_t a = 0; a < w->p->accesses; a++) {
        if (!(point >> a & 1))
            continue;
        fputs(before, w->out);
        for (const char *c = format; *c; c++) {
            if (*c == '@')
                fprintf(w->out, "%u_%u", a, level[a]);
            else
                fputc(*c, w->out);
        }
        before = between;
    }
}

/* A loop of a nest, with the points of its lattice, and by access the level along the loop. */
typedef struct {
    const nest *n;
    uint32_t at;
    uint64_t dead;
    lattice points;
    uint8_t level[CPU_MAX_ACCESSES];
} merging;

/* Writes the cases of a loop: the subsets of the point `top`. */
static void write_cases(const writer *w, const merging *m, uint64_t top) {
    const lattice *l = &m->points;
    const char *before = "";
    uint64_t all = 0;
    for (uint32_t i = 0; i < l->n; i++)
        all |= l->at[i];
    for (uint32_t i = 0; i < l->n; i++) {
        if ((l->at[i] & top) != l->at[i])
            continue;
        fputs(before, w->out);
        if (l->at[i]) {
            fputs("if (", w->out);
            write_all_of(w, l->at[i], m->level, "has@", " & ");
            fputs(") ", w->out);
        }
        fputs("{\n", w->out);
        write_inside(w, m->n, m->at, m->dead | (all & ~l->at[i]));
        fputs("}\n", w->out);
        before = "else ";
    }
}

/* Writes the loop of the point `top`: while all its fibers go on. */
static void write_merge(const writer *w, const merging *in, uint64_t top) {
    const uint8_t *level = in->level;
    const uint32_t v = in->n->var[in->at].v;
    fputs("while (", w->out);
    write_all_of(w, top, level, "p@ < end@", " && ");
    fprintf(w->out, ") {\nunsigned v%u = UINT_MAX;\n", v);
    for (uint32_t a = 0; a < w->p->accesses; a++) {
        const uint32_t m = level[a];
        if (top >> a & 1)
            fprintf(w->out,
                    "const unsigned c%u_%u = a%u_crd%u[p%u_%u];\nv%u = c%u_%u < v%u ? c%u_%u : v%u;\n", a, m,
                    a, m, a, m, v, a, m, v, a, m, v);
    }
    for (uint32_t a = 0; a < w->p->accesses; a++) {
        if (top >> a & 1)
            fprintf(w->out, "const int has%u_%u = c%u_%u == v%u;\n", a, level[a], a, level[a], v);
    }
    write_cases(w, in, top);
    write_all_of(w, top, level, "p@ += has@;\n", "");
    fputs("}\n", w->out);
}

/* Declares where the fibers of the accesses `all` begin and end. */
static void write_fibers(const writer *w, uint64_t all, const uint8_t *level) {
    for (uint32_t a = 0; a < w->p->accesses; a++) {
        const uint32_t l = level[a];
        if (!(all >> a & 1))
            continue;
        if (l)
            fprintf(w->out, "size_t p%u_%u = a%u_pos%u[p%u_%u], end%u_%u = a%u_pos%u[p%u_%u + 1];\n", a, l, a,
                    l, a, l - 1, a, l, a, l, a, l - 1);
        else
            fprintf(w->out, "size_t p%u_0 = a%u_pos0[0], end%u_0 = a%u_pos0[1];\n", a, a, a, a);
    }
}

/* A single operand has all relevant coordinates. */
static void write_scan(const writer *w, const merging *m, uint64_t all) {
    uint32_t a = 0;
    while (!(all >> a & 1))
        a++;
    const uint32_t v = m->n->var[m->at].v, l = m->level[a];
    fprintf(w->out, "for (; p%u_%u < end%u_%u; p%u_%u++) {\nconst unsigned v%u = a%u_crd%u[p%u_%u];\n", a, l,
            a, l, a, l, v, a, l, a, l);
    write_inside(w, m->n, m->at, m->dead);
    fputs("}\n", w->out);
}

/* Every coordinate counts; compressed operands go along. */
static void write_everywhere(const writer *w, const merging *m, uint64_t all) {
    const uint8_t *level = m->level;
    const uint32_t v = m->n->var[m->at].v;
    fprintf(w->out, "for (unsigned v%u = 0; v%u < e%u; v%u++) {\n", v, v, v, v);
    for (uint32_t a = 0; a < w->p->accesses; a++) {
        const uint32_t l = level[a];
        if (all >> a & 1)
            fprintf(w->out, "const int has%u_%u = p%u_%u < end%u_%u && a%u_crd%u[p%u_%u] == v%u;\n", a, l, a,
                    l, a, l, a, l, a, l, v);
    }
    write_cases(w, m, all);
    write_all_of(w, all, level, "p@ += has@;\n", "");
    fputs("}\n", w->out);
}

/* Writes the loops of a variable, and their bodies. */
static void write_loops(const writer *w, const nest *n, uint32_t at, uint64_t dead) {
    merging m = {.n = n, .at = at, .dead = dead};
    const lattice *l = &m.points;
    uint64_t all = 0;
    if (at == n->n) {
        write_leaf(w, n, dead);
        return;
    }
    lattice_of(w->p, n->body, n->var[at], dead, &m.points);
    sort_points(&m.points);
    for (uint32_t i = 0; i < l->n; i++)
        all |= l->at[i];
    for (uint32_t a = 0; a < w->p->accesses; a++) {
        if (all >> a & 1)
            m.level[a] = (uint8_t)cpu_level_of(&w->p->access[a], n->var[at]);
    }
    write_fibers(w, all, m.level);
    if (l->at[l->n - 1] == 0) {
        write_everywhere(w, &m, all);
    } else if (l->n == 1 && size_of(all) == 1) {
        write_scan(w, &m, all);
    } else {
        for (uint32_t i = 0; i < l->n; i++)
            write_merge(w, &m, l->at[i]);
    }
}

/* ---- the program ----------------------------------------------------------------------------- */

static const char head[] =
    "#include <limits.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
    "#include <time.h>\n"
    "typedef int16_t V;\n"
    "static void *in[2048];\n"
    "static struct {\nunsigned *crd;\nsize_t *end, n, room;\n} level[16];\n"
    "static V *out_val, *work;\n"
    "static unsigned char *work_set;\n"
    "static unsigned *work_list, work_n;\n"
    "static inline V divided(V a, V b) {\nreturn (V)(b ? a / b : 0);\n}\n"
    "static void *checked(void *p) {\nif (!p)\nexit(3);\nreturn p;\n}\n"
    "static inline void sort(unsigned *a, unsigned n) {\n" /* Shell's, by Ciura's gaps: no call for each
                                                              comparison */
    "static const unsigned gap[] = {1750, 701, 301, 132, 57, 23, 10, 4, 1};\n"
    "for (int g = 0; g < 9; g++) {\nfor (unsigned i = gap[g]; i < n; i++) {\nconst unsigned x = a[i];\n"
    "unsigned j = i;\nfor (; j >= gap[g] && a[j - gap[g]] > x; j -= gap[g])\na[j] = a[j - gap[g]];\n"
    "a[j] = x;\n}\n}\n}\n"
    "static inline void append(unsigned l, unsigned c) {\n"
    "if (level[l].n == level[l].room) {\n"
    "const size_t room = level[l].room = 2 * level[l].room + 64;\n"
    "level[l].crd = checked(realloc(level[l].crd, room * sizeof *level[l].crd));\n"
    "level[l].end = checked(realloc(level[l].end, room * sizeof *level[l].end));\n"
    "if (l + 1 == ORDER)\nout_val = checked(realloc(out_val, room * sizeof *out_val));\n}\n"
    "level[l].crd[level[l].n++] = c;\n}\n";

static const char tail[] =
    "static void entries(FILE *f, unsigned l, size_t from, size_t to, unsigned *at) {\n"
    "for (size_t i = from; i < to; i++) {\nat[l] = level[l].crd[i];\n"
    "if (l + 1 < ORDER) {\nentries(f, l + 1, i ? level[l].end[i - 1] : 0, level[l].end[i], at);\n"
    "} else {\nfwrite(at, sizeof *at, ORDER, f);\nfwrite(&out_val[i], sizeof *out_val, 1, f);\n}\n}\n}\n"
    "static double now(void) {\nstruct timespec t;\nclock_gettime(CLOCK_MONOTONIC, &t);\n"
    "return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;\n}\n"
    "int main(int argc, char **argv) {\n"
    "FILE *f = argc == 3 ? fopen(argv[1], \"rb\") : NULL;\nuint64_t n;\n"
    "for (int i = 0; f && fread(&n, sizeof n, 1, f) == 1; i++) {\nin[i] = checked(malloc(n + 1));\n"
    "if (fread(in[i], 1, n, f) != n)\nreturn 3;\n}\n"
    "if (!f || fclose(f))\nreturn 3;\n"
    "prepare();\n"
    "double best = 1e30;\n"
    "for (int i = 0; i < 10; i++) {\nconst double start = now();\nkernel();\nconst double took = now() - "
    "start;\n"
    "best = took < best ? took : best;\n}\n"
    "f = fopen(argv[2], \"wb\");\nif (!f)\nreturn 3;\n"
    "if (DENSE) {\nfwrite(out_val, sizeof *out_val, out_n, f);\n} else {\nunsigned at[ORDER + 1];\n"
    "entries(f, 0, 0, level[0].n, at);\n}\n"
    "printf(\"%.9f\\n\", best);\nreturn fclose(f) != 0;\n}\n";

/* Names the arrays of the operands, in the program's order of reading. */
static void write_arrays(const cpu_plan *p, FILE *out) {
    uint32_t at = 1;
    for (uint32_t i = 0; i < p->loops; i++)
        fprintf(out, "const unsigned e%u = ((const unsigned *)in[0])[%u];\n", p->loop[i].v, i);
    for (uint32_t a = 0; a < p->accesses; a++) {
        for (uint32_t l = 0; l < p->access[a].order; l++) {
            if (p->access[a].dense[l])
                continue;
            fprintf(out, "const unsigned *restrict a%u_pos%u = in[%u], *restrict a%u_crd%u = in[%u];\n", a, l,
                    at, a, l, at + 1);
            at += 2;
        }
        fprintf(out, "const V *restrict a%u_val = in[%u];\n", a, at++);
    }
}

const char *cpu_program(const cpu_plan *p, arena *mem) {
    text_out text;
    sam_var var[CPU_MAX_VARS];
    const uint32_t order = result_vars(p, var);
    nest all = {.body = p->st->rhs};
    if (p->outer < order)
        cpu_chain_of(p, p->st->rhs, &all.body);
    all.n = p->outer < order ? p->loops : order;
    memcpy(all.var, p->loop, sizeof all.var);
    text_begin(&text);
    const writer w = {p, text.stream};
    fprintf(w.out, "enum { ORDER = %u, DENSE = %d };\n%s", order, p->dense, head);
    fputs("static size_t out_n = 1;\nstatic void prepare(void) {\nconst unsigned *e = in[0];\n", w.out);
    for (uint32_t i = 0; i < p->loops; i++) {
        if (p->dense && sam_is_result_var(p->st, p->loop[i]))
            fprintf(w.out, "out_n *= e[%u];\n", i);
    }
    if (p->dense)
        fputs("out_val = checked(malloc((out_n + 1) * sizeof *out_val));\n", w.out);
    else if (p->outer < order)
        fprintf(
            w.out,
            "work = checked(malloc((e[%u] + 1) * sizeof *work));\nwork_set = checked(calloc(e[%u] + 1, 1));\n"
            "work_list = checked(malloc((e[%u] + 1) * sizeof *work_list));\n",
            cpu_place_of(p, var[order - 1]), cpu_place_of(p, var[order - 1]),
            cpu_place_of(p, var[order - 1]));
    fputs("}\nstatic void kernel(void) {\n", w.out);
    write_arrays(p, w.out);
    fputs(p->dense ? "memset(out_val, 0, out_n * sizeof *out_val);\n"
                   : "for (unsigned l = 0; l < ORDER; l++)\nlevel[l].n = 0;\n",
          w.out);
    write_below(&w, &all, 0, 0);
    fprintf(w.out, "}\n%s", tail);
    return text_end(&text, mem);
}
