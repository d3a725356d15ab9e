/* accuracy.c - how good a result is, for people and for programs. */
#include "report/accuracy.h"
#include "frontend/language/language.h"

#include <math.h>

/* A relative error up to which a result is called within it; a sum of so many bf16 may stagnate. */
static const double GOOD = 0.01, LONG_SUM = 64;

static bool is_exact(const tile_accuracy *a) {
    return !a->differing && !a->wrapped;
}

static bool is_within(const tile_accuracy *a) {
    return a->largest_relative <= GOOD && !a->wrapped;
}

void compile_number_json(cJSON *object, const char *key, double value) {
    if (isfinite(value))
        cJSON_AddNumberToObject(object, key, value);
    else
        cJSON_AddStringToObject(object, key, isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
}

static void add_error(cJSON *json, const char *key, double largest, double mean) {
    cJSON *error = cJSON_AddObjectToObject(json, key);
    compile_number_json(error, "largest", largest);
    compile_number_json(error, "mean", mean);
}

/* Returns the operand, or NULL for what the user has not given. */
static const tile_tensor *operand_at(const compile_accuracy *a, uint32_t t) {
    const bool result = a->statement && t + 1 == a->statement->result.v;
    return a->operand && !result ? &a->operand[t] : NULL;
}

static const char *name_at(const compile_accuracy *a, uint32_t t, const name_table *names) {
    const bool named = a->statement && t < a->statement->tensors.len; /* not: parts of an operand's format */
    return names_text(names, named ? sam_user_name(&a->statement->tensors.at[t]) : a->operand[t].name);
}

static void add_operands(const compile_accuracy *a, const name_table *names, cJSON *json) {
    cJSON *all = cJSON_AddArrayToObject(json, "operands");
    for (uint32_t t = 0; t < a->operands; t++) {
        const tile_tensor *one = operand_at(a, t);
        if (!one)
            continue;
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "tensor", name_at(a, t, names));
        compile_number_json(item, "values", (double)one->nnz);
        compile_number_json(item, "rounded", (double)one->rounded);
        compile_number_json(item, "wrapped", (double)one->wrapped);
        compile_number_json(item, "overflowed", (double)one->overflowed);
        compile_number_json(item, "flushed", (double)one->flushed);
        cJSON_AddItemToArray(all, item);
    }
}

void compile_accuracy_json(const compile_accuracy *a, const name_table *names, cJSON *json) {
    const tile_accuracy *of = a->of;
    arena scratch = {0};
    if (!of->is)
        return;
    cJSON *section = cJSON_AddObjectToObject(json, "accuracy");
    cJSON_AddStringToObject(section, "verdict",
                            is_exact(of)    ? "exact"
                            : is_within(of) ? "within"
                                            : "differs");
    cJSON_AddStringToObject(section, "text", compile_accuracy_text(a, names, &scratch));
    arena_free(&scratch);
    compile_number_json(section, "values", (double)of->values);
    compile_number_json(section, "differing", (double)of->differing);
    compile_number_json(section, "wrapped", (double)of->wrapped);
    compile_number_json(section, "unjudged", (double)of->unjudged);
    add_error(section, "relative", of->largest_relative, of->mean_relative);
    add_error(section, "absolute", of->largest, of->mean);
    if (of->differing) {
        cJSON *at = cJSON_AddArrayToObject(section, "at");
        for (uint32_t m = 0; m < of->order; m++)
            cJSON_AddItemToArray(at, cJSON_CreateNumber(of->at[m] + 1));
        compile_number_json(section, "value", of->value);
        compile_number_json(section, "float64", of->exact);
    }
    add_operands(a, names, section);
}

void compile_type_json(const compile_options *o, const sam_statement *statement, const name_table *names,
                       cJSON *json) {
    cJSON *type = cJSON_AddObjectToObject(json, "type");
    cJSON_AddStringToObject(type, "of",
                            o->tensors.scaled                     ? "q16"
                            : o->tensors.dtype == TILE_DTYPE_BF16 ? "bf16"
                                                                  : "int16");
    if (o->tensors.type_why)
        cJSON_AddStringToObject(type, "why", o->tensors.type_why);
    cJSON *scales = o->tensors.scaled ? cJSON_AddObjectToObject(type, "scales") : NULL;
    for (uint32_t t = 0; scales && statement && t < statement->tensors.len; t++) {
        const sam_tensor_data *one = &statement->tensors.at[t];
        const char *name = names_text(statement->names, sam_user_name(one));
        if (!cJSON_GetObjectItemCaseSensitive(scales, name))
            cJSON_AddNumberToObject(scales, name, one->scale);
    }
    for (uint32_t i = 0; scales && !statement && i < o->tensors.scaled->n; i++) {
        const name_id name = o->tensors.scaled->of[i].tensor;
        if (name.v)
            cJSON_AddNumberToObject(scales, names_text(names, name), fe_scale_named(o->tensors.scaled, name));
    }
}

void compile_warnings_json(const diagnostics *d, cJSON *json) {
    cJSON *all = d->warnings ? cJSON_AddArrayToObject(json, "warnings") : NULL;
    for (uint32_t i = 0; all && i < d->list.len; i++) {
        const diagnostic *one = &d->list.at[i];
        if (one->kind != DIAG_WARNING)
            continue;
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "code", one->code);
        cJSON_AddStringToObject(item, "message", one->message);
        cJSON_AddItemToArray(all, item);
    }
}

/* ---- for people -------------------------------------------------------------------------------- */

static int scale_of(const compile_accuracy *a, uint32_t t) {
    if (!a->statement && a->scaled)
        return fe_scale_named(a->scaled, a->operand[t].name);
    return a->statement && t < a->statement->tensors.len ? a->statement->tensors.at[t].scale : 0;
}

/* Returns the first number of the expression that scaled integers round, and its value: "0.3 became 0.25". */
static const char *rounded_number(const compile_accuracy *a, arena *mem) {
    for (uint32_t i = 0; a->scaled && i < a->scaled->n; i++) {
        const fe_scale *x = &a->scaled->of[i];
        const int scale = fe_scale_of(a->scaled, &a->scaled->sum[i]);
        const double now = ldexp(nearbyint(ldexp(x->number, scale)), -scale);
        if (!x->tensor.v && now != x->number)
            return arena_printf(mem, "the number %.9g became %.9g", x->number, now);
    }
    return NULL;
}

/* Returns what most operands lost, the worst first: "229 of 294 values of B were rounded to whole numbers".
 */
static const char *loss_of_operands(const compile_accuracy *a, const name_table *names, arena *mem) {
    enum { ROUNDED = 3 };
    static const char *const causes[] = {"wrapped around in 16 bits", "became infinite", "became 0",
                                         "rounded to whole numbers"};
    for (uint32_t kind = 0; kind <= ROUNDED; kind++) {
        for (uint32_t t = 0; t < a->operands; t++) {
            const tile_tensor *one = operand_at(a, t);
            const char *how = kind < ROUNDED || !scale_of(a, t)
                                  ? causes[kind]
                                  : arena_printf(mem, "rounded to multiples of 2^%d", -scale_of(a, t));
            const uint64_t n = !one                           ? 0
                               : kind == 0                    ? one->wrapped
                               : kind == 1                    ? one->overflowed
                               : kind == 2                    ? one->flushed
                               : a->dtype == TILE_DTYPE_INT16 ? one->rounded
                                                              : 0;
            if (n)
                return arena_printf(mem, "%llu of %llu %s of %s %s%s", (unsigned long long)n,
                                    (unsigned long long)one->nnz, plural(one->nnz, "value", "values"),
                                    name_at(a, t, names), kind == ROUNDED ? plural(n, "was ", "were ") : "",
                                    how);
        }
    }
    return NULL;
}

static const char *reason(const compile_accuracy *a, const name_table *names, arena *mem) {
    const char *lost = loss_of_operands(a, names, mem);
    if (lost)
        return lost;
    if (a->of->wrapped)
        return arena_printf(mem, "%llu %s wrapped around in 16 bits, or %s made of one that did",
                            (unsigned long long)a->of->wrapped, plural(a->of->wrapped, "value", "values"),
                            plural(a->of->wrapped, "is", "are"));
    const char *number = rounded_number(a, mem);
    if (number)
        return number;
    if (a->dtype == TILE_DTYPE_INT16)
        return "values of int16 are whole";
    if (!isfinite(a->of->largest_relative))
        return "bf16 has no number beyond 3.4e38";
    if (a->of->addends >= LONG_SUM)
        return arena_printf(mem, "sums of %u bf16 terms%s", a->of->addends,
                            a->of->largest_relative > 0.1 ? " stagnate" : "");
    return "bf16 has 8 significant bits, and sums may cancel";
}

static const char *percent(double relative, arena *mem) {
    return arena_printf(mem, relative < 0.995 ? "%.2g %%" : "%.0f %%", 100 * relative);
}

static const char *coordinates_text(const tile_accuracy *a, arena *mem) {
    const char *text = a->order ? " at (" : "";
    for (uint32_t m = 0; m < a->order; m++)
        text = arena_printf(mem, "%s%s%u", text, m ? "," : "", a->at[m] + 1);
    return a->order ? arena_printf(mem, "%s)", text) : text;
}

const char *compile_accuracy_text(const compile_accuracy *a, const name_table *names, arena *mem) {
    const tile_accuracy *of = a->of;
    if (!of->is)
        return NULL;
    if (is_exact(of))
        return "exact";
    if (is_within(of))
        return arena_printf(mem, "within %s of float64", percent(of->largest_relative, mem));
    if (!of->differing)
        return arena_printf(mem, "exact, though %s", reason(a, names, mem));
    if (!isfinite(of->largest_relative))
        return arena_printf(mem, "differs from float64%s, with %.3g in place of %.3g: %s",
                            coordinates_text(of, mem), of->value, of->exact, reason(a, names, mem));
    return arena_printf(mem, "differs from float64 by up to %s%s: %s", percent(of->largest_relative, mem),
                        coordinates_text(of, mem), reason(a, names, mem));
}

const char *compile_accuracy_check(const compile_accuracy *a, const char *check) {
    const bool differs = a->of->is && !is_exact(a->of) && !is_within(a->of);
    return differs && strcmp(check, "pass") == 0 ? "as the reference" : check;
}

bool compile_accuracy_is_worse(const compile_accuracy *a, const compile_accuracy *b) {
    const int of_a = is_exact(a->of) ? 0 : is_within(a->of) ? 1 : 2;
    const int of_b = is_exact(b->of) ? 0 : is_within(b->of) ? 1 : 2;
    return of_a != of_b ? of_a > of_b : a->of->largest_relative > b->of->largest_relative;
}
