/* Compares a sweep's results with an earlier sweep's, point by point: for developers who look for slower
 * results after a change. */
#include "sweep/against.h"
#include "support/number.h"

static const char *const measure_name[SWEEP_MEASURES] = {"cycles", "time", "tiles", "words"};

/* All measures are better when lower. */
static double measure(const sweep_row *r, int which) {
    const double of[SWEEP_MEASURES] = {r->cycles, r->time_us, r->size.pe + r->size.mem + r->size.io,
                                       r->size.words};
    return of[which];
}

static const sweep_row *find(const sweep_row_vec *rows, const sweep_row *wanted) {
    for (uint32_t i = 0; i < rows->len; i++) {
        const sweep_row *r = &rows->at[i];
        if (strcmp(r->plan, wanted->plan) == 0 && strcmp(r->settings, wanted->settings) == 0)
            return r;
    }
    return NULL;
}

/* Prints the measures of a point worse by more than the tolerance; returns whether any is. */
static bool is_worse(const sweep_row *before, const sweep_row *now, const double *tolerance, FILE *out) {
    bool worse = false;
    for (int m = 0; m < SWEEP_MEASURES; m++) {
        const double was = measure(before, m), is = measure(now, m);
        const double percent = was > 0 ? 100 * (is - was) / was : 0;
        if (is == was)
            continue;
        const bool too_much = percent > tolerance[m];
        number_print(out, "  %c %s: %g, was %g (%+.1f %%), at %s %s\n", too_much ? '!' : ' ', measure_name[m],
                     is, was, percent, now->expression, now->settings);
        worse = worse || too_much;
    }
    return worse;
}

void sweep_against(const sweep_row_vec *before, const sweep_row_vec *now, const double *tolerance, FILE *out,
                   diagnostics *d) {
    uint32_t compared = 0, worse = 0;
    for (uint32_t i = 0; i < before->len; i++) {
        const sweep_row *was = &before->at[i], *is = find(now, was);
        if (was->state != SWEEP_DONE)
            continue;
        compared++;
        if (!is || is->state != SWEEP_DONE) {
            fprintf(out, "  ! %s now, was done, at %s %s\n", is ? sweep_state_name[is->state] : "not run",
                    was->expression, was->settings);
            worse++;
        } else if (is_worse(was, is, tolerance, out)) {
            worse++;
        }
    }
    fprintf(out, "%u %s compared, %u worse than tolerated\n", compared, plural(compared, "point", "points"),
            worse);
    if (worse) {
        diag_mismatch(d, (src_loc){0}, "E0943-worse", "%u of %u %s worse than before", worse, compared,
                      plural(compared, "point is", "points are"));
        diag_hint(d, "lines with ! say which and in what; --tolerance says how many per cent may be lost");
    }
}
