/* taken.c - values taken by functions along an index. */
#include "report/report.h"

static const sam_expr_data *function_of(const compile_kernel *k) {
    return k->user.rhs.v ? sam_fiber_function_in(&k->user, k->user.rhs) : NULL;
}

/* Coordinate 0 is also the value of a sum over a fiber without values. */
static const char *doubt_of(const sam_program *p) {
    return p->places
               ? "; 0 is coordinate 0, or a fiber that stores nothing (argmax1 and argmin1 count from 1)"
               : "";
}

static void print_one(const compile_kernel *k, const char *indent, FILE *out) {
    const sam_expr_data *x = function_of(k);
    if (!x || x->takes == SAM_TAKES_ALL)
        return;
    fprintf(out, "%s%s: only %s took part, no value that is the fill%s\n", indent, x->program->name,
            x->takes == SAM_TAKES_FIBER ? "fibers that store something" : "what is stored",
            doubt_of(x->program));
}

void compile_print_taken(const compile_kernel *all, const char *indent, FILE *out) {
    for (uint32_t n = 0; n <= all->producers.len; n++)
        print_one(compile_kernel_at(all, n), indent, out);
}

void compile_taken_json(const compile_kernel *k, cJSON *json) {
    static const char *const taken[] = {
        [SAM_TAKES_STORED] = "stored", [SAM_TAKES_FIBER] = "fibers", [SAM_TAKES_ALL] = "all"};
    const sam_expr_data *x = function_of(k);
    if (!x)
        return;
    cJSON *along = cJSON_AddObjectToObject(json, "along");
    cJSON_AddStringToObject(along, "function", x->program->name);
    cJSON_AddStringToObject(along, "takes", taken[x->takes]);
}
