/* foreign.c - calls of foreign functions, written to the child's memory. */
#include "sam/foreign.h"
#include "support/number.h"

#include <fenv.h>
#include <unistd.h>

enum { KNOWN = 1 << 14 };

/* A call in the child's layout: all pointers are into the memory after the call. */
typedef struct {
    enum { CALL_PLAIN, CALL_EACH, CALL_FIBER, CALL_ARRAYS, CALL_CHECKS } kind;
    double x, y, value;   /* PLAIN */
    int n, answer;        /* EACH, FIBER; CHECKS */
    const int *numbers;   /* coordinates; extents of ARRAYS */
    double *in, *out;     /* EACH, FIBER; out of ARRAYS */
    const double **array; /* operands of ARRAYS */
    double one;
    const char *text; /* CHECKS */
} request;

/* A known value of a function. */
typedef struct {
    double x, y, value;
    bool known;
} known_value;

struct sam_foreign {
    arena *mem;
    isolate *isolate;
    sam_foreign_how how;
    sam_symbols symbols; /* of the child */
    known_value *known;  /* by a hash of the values; NULL: none yet */
    const char *missing;
    const char *what; /* arguments of the call with a fault */
};

/* ---- the child ------------------------------------------------------------------------------------ */

static bool begin(void *context, char *why) {
    sam_foreign *f = context;
    return f->how.load(f->how.object, &f->symbols, why);
}

/* No value finds the rounding that an earlier one left. */
static void serve_each(const sam_symbols *s, const request *r) {
    for (int i = 0; i < r->n; i++) {
        fesetenv(FE_DFL_ENV);
        r->out[i] = s->plain(r->in[i], 0);
    }
}

static void serve(void *context, void *call) {
    const sam_symbols *s = &((const sam_foreign *)context)->symbols;
    request *r = call;
    switch (r->kind) {
    case CALL_PLAIN:
        r->value = s->plain(r->x, r->y);
        break;
    case CALL_EACH:
        serve_each(s, r);
        break;
    case CALL_FIBER:
        s->fiber(r->n, r->numbers, r->in, r->out, r->one);
        break;
    case CALL_ARRAYS:
        s->arrays(r->numbers, r->array, r->out);
        break;
    case CALL_CHECKS:
        r->answer = s->checks(r->text);
        break;
    }
}

sam_foreign *sam_foreign_new(const sam_foreign_how *how, arena *mem) {
    sam_foreign *f = arena_new(mem, sam_foreign);
    *f = (sam_foreign){.mem = mem, .how = *how};
    f->isolate = isolate_new(&(isolate_work){begin, serve, f, how->object, how->seconds}, mem);
    f->missing = isolate_fault(f->isolate);
    return f;
}

/* ---- room ----------------------------------------------------------------------------------------- */

enum { APART = 64 };

static size_t round_up(size_t bytes) {
    return (bytes + APART - 1) & ~(size_t)(APART - 1);
}

/* Takes bytes of the memory after a request; copies `from` there unless NULL. */
static void *take(unsigned char **at, const void *from, size_t bytes) {
    unsigned char *here = *at;
    if (from && bytes)
        memcpy(here, from, bytes);
    *at += round_up(bytes);
    return here;
}

static request *begin_request(const sam_foreign *f, size_t bytes, unsigned char **at) {
    request *r = isolate_room(f->isolate, round_up(sizeof *r) + bytes);
    if (!r)
        return NULL;
    *at = (unsigned char *)r + round_up(sizeof *r);
    *r = (request){0};
    return r;
}

/* Makes the call. After a fault the call's arguments are kept for the message. */
static bool make(sam_foreign *f, double more, const char *of, uint64_t n) {
    const bool ok = isolate_call(f->isolate, more);
    if (!ok && !f->what)
        f->what = arena_printf(f->mem, of, (unsigned long long)n, plural(n, "value", "values"));
    return ok;
}

/* ---- calls ---------------------------------------------------------------------------------------- */

static bool same(double a, double b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

static known_value *place_of(sam_foreign *f, double x, double y) {
    const double both[2] = {x, y};
    if (!f->known)
        f->known = arena_new_n(f->mem, known_value, KNOWN);
    return &f->known[hash_bytes(both, sizeof both) % KNOWN];
}

double sam_foreign_plain(sam_foreign *f, double x, double y) {
    unsigned char *at;
    known_value *place = place_of(f, x, y);
    if (place->known && same(place->x, x) && same(place->y, y))
        return place->value;
    request *r = begin_request(f, 0, &at);
    if (!r)
        return 0;
    r->x = x;
    r->y = y;
    if (!isolate_call(f->isolate, 0)) {
        f->what = f->what ? f->what : arena_printf(f->mem, f->how.parameters > 1 ? "(%g, %g)" : "(%g)", x, y);
        return 0;
    }
    *place = (known_value){x, y, r->value, true};
    return r->value;
}

void sam_foreign_each(sam_foreign *f, uint32_t n, const double *in, double *out) {
    const size_t bytes = (size_t)n * sizeof(double);
    unsigned char *at;
    request *r = begin_request(f, 2 * round_up(bytes), &at);
    memset(out, 0, bytes);
    if (!r)
        return;
    r->kind = CALL_EACH;
    r->n = (int)n;
    r->in = take(&at, in, bytes);
    r->out = take(&at, NULL, bytes);
    if (make(f, 0, " of %llu %s", n))
        memcpy(out, r->out, bytes);
}

arena *sam_foreign_memory(const sam_foreign *f) {
    return f->mem;
}

bool sam_foreign_has_fault(const sam_foreign *f) {
    return f->what || isolate_fault(f->isolate);
}

void sam_foreign_fiber(sam_foreign *f, const sam_fiber_call *c) {
    const size_t all = ((size_t)c->n + c->behind) * sizeof(double), crd = (size_t)c->n * sizeof(int);
    unsigned char *at;
    request *r = begin_request(f, 2 * round_up(all) + round_up(crd), &at);
    memset(c->out, 0, r ? 0 : all);
    if (!r)
        return;
    r->kind = CALL_FIBER;
    r->n = c->n;
    r->one = c->one;
    r->numbers = take(&at, c->crd, crd);
    r->in = take(&at, c->in, all);
    r->out = take(&at, c->behind ? c->out : NULL, all);
    if (!c->behind)
        memset(r->out, 0, all);
    if (!make(f, 0, " of %llu %s", (uint64_t)c->n)) {
        memset(c->out, 0, all);
        return;
    }
    memcpy(c->out, r->out, all);
    if (c->behind)
        memcpy(c->in, r->in, all);
}

/* Time of products of large arrays: 10 ns per loop iteration. */
static const double PER_POINT = 1e-8;

static double points_of(const sam_array_call *c) {
    double points = 1;
    for (uint32_t v = 0; v < c->vars; v++)
        points *= c->extent[v];
    return points;
}

void sam_foreign_arrays(sam_foreign *f, const sam_array_call *c) {
    unsigned char *at;
    size_t bytes = round_up(c->vars * sizeof(int)) + round_up(c->arrays * sizeof(double *));
    for (uint32_t t = 0; t < c->arrays; t++)
        bytes += round_up(c->values[t] * sizeof(double));
    request *r = begin_request(f, bytes, &at);
    if (!r)
        return;
    r->kind = CALL_ARRAYS;
    r->numbers = take(&at, c->extent, c->vars * sizeof(int));
    r->array = take(&at, NULL, c->arrays * sizeof(double *));
    r->out = take(&at, c->array[0], c->values[0] * sizeof(double));
    for (uint32_t t = 1; t < c->arrays; t++)
        r->array[t - 1] = take(&at, c->array[t], c->values[t] * sizeof(double));
    if (!make(f, points_of(c) * PER_POINT, " with a result of %llu %s", c->values[0]))
        return;
    memcpy(c->array[0], r->out, c->values[0] * sizeof(double));
    for (uint32_t t = 1; t < c->arrays && c->back; t++)
        memcpy(c->array[t], r->array[t - 1], c->values[t] * sizeof(double));
}

bool sam_foreign_checks(sam_foreign *f, const char *expression) {
    unsigned char *at;
    request *r = begin_request(f, strlen(expression) + 1, &at);
    if (!r)
        return false;
    r->kind = CALL_CHECKS;
    r->text = take(&at, expression, strlen(expression) + 1);
    return make(f, 0, ", its checker,", 0) && r->answer;
}

/* ---- faults --------------------------------------------------------------------------------------- */

void sam_foreign_anew(sam_foreign *f) {
    isolate_forgive(f->isolate);
    if (f->known)
        memset(f->known, 0, KNOWN * sizeof *f->known);
    f->what = NULL;
}

const char *sam_foreign_missing(const sam_foreign *f) {
    return f->missing;
}

bool sam_foreign_ended(const sam_foreign *f, const char *name, src_loc loc, diagnostics *d) {
    const char *fault = isolate_fault(f->isolate);
    if (!fault)
        return true;
    diag_error(d, loc, "E0181-function-fault", "%s%s %s", name, f->what ? f->what : "", fault);
    return diag_hint(
        d,
        "the C that this description calls runs in a process of its own; --call-seconds N lets a call take "
        "longer");
}
