/* sweep.h - a command run over a product of settings, with the results in an SQLite file.
 *
 * A point is the command with a value of every axis. Its key is a hash of the program, of the arguments and
 * of the contents of their files: a finished point is never run again, except after a change of these. */
#ifndef ONYX_SWEEP_SWEEP_H
#define ONYX_SWEEP_SWEEP_H

#include "support/support.h"

typedef VEC(const char *) sweep_text_vec;

/* A value of an axis. */
typedef struct {
    const char *label;     /* as reports name it: "i,k,j" */
    sweep_text_vec words;  /* words in the command of a point: "-s", "reorder(i,k,j)" */
    sweep_text_vec inputs; /* files among the words: their contents count in the keys of these points only */
} sweep_value;

typedef struct {
    const char *name; /* "tile" */
    bool chosen;      /* the search chooses a value where none is given */
    VEC(sweep_value) values;
} sweep_axis;

typedef struct {
    const char *program;      /* the onyx to run */
    const char *engine;       /* its --engine, unless an axis has engines */
    sweep_text_vec arguments; /* of every point, after "run"; the expression first, unless an axis */
    sweep_text_vec inputs;    /* files among the arguments: their contents count */
    VEC(sweep_axis) axes;
} sweep_plan;

typedef struct {
    char key[17];             /* hexadecimal */
    const char *settings;     /* JSON object, axis to value: also the name of the point in its plan; null is a
                                 value that the search chooses */
    sweep_text_vec arguments; /* "run", the common arguments, and the values' arguments */
    const char *engine;
} sweep_point;
typedef VEC(sweep_point) sweep_point_vec;

/* ---- results --------------------------------------------------------------------------------- */

typedef enum {
    SWEEP_NONE,
    SWEEP_DONE,    /* ran, result right or not compared */
    SWEEP_MISTAKE, /* exit 1 */
    SWEEP_REFUSED, /* exit 2: does not fit the hardware */
    SWEEP_WRONG,   /* exit 3 */
    SWEEP_CRASHED, /* ended by a signal, printed no report, or had no memory or disk: will be run again */
    SWEEP_LATE     /* over the time limit: will be run again */
} sweep_state;
extern const char *const sweep_state_name[SWEEP_LATE + 1];

typedef struct {
    double pe, mem, io, words, passes; /* tiles; words of configuration; passes of the array */
} sweep_size;
/* An estimate, and its range; 0 if missing. */
typedef struct {
    double nj, low_nj, high_nj;
} sweep_energy;
/* After a second run by another engine. */
typedef struct {
    const char *engine, *check;
    double cycles;
} sweep_confirmed;
typedef struct {
    const char *verdict, *error, *mean_error,
        *warnings; /* largest and mean relative error; codes with blanks between */
} sweep_accuracy;
/* A row of the results. Texts live in the arena given to sweep_rows; missing texts are empty, not NULL. */
typedef struct {
    const char *plan, *key, *settings, *expression, *engine, *message, *check;
    sweep_state state;
    const char *type; /* of the values */
    double cycles, time_us, fmax_mhz, result_nnz, wall_s;
    sweep_size size;
    sweep_energy energy;
    sweep_confirmed confirm;
    sweep_accuracy accuracy;
    const char *version, *operands; /* of the program; arguments of -i and -g, separated by blanks */
    const char *facts;              /* JSON: "tensors" of the report, or "" */
    const char *page; /* page of its folder by `onyx view`, as a relative path; "" if none was kept */
    bool plain;       /* the search has chosen values of axes, null in the settings */
    bool pareto;      /* no finished point of equal computation is better in one measure and as good in all */
} sweep_row;
typedef VEC(sweep_row) sweep_row_vec;

/* How many rows have each state: in the grid of the axes, and plain rows beside the grid. */
typedef struct {
    uint32_t points, of[SWEEP_LATE + 1], of_plain[SWEEP_LATE + 1];
} sweep_counts;
static inline sweep_counts sweep_count(const sweep_row *rows, uint32_t n) {
    sweep_counts counts = {0};
    for (uint32_t i = 0; i < n; i++) {
        counts.points += !rows[i].plain;
        counts.of[rows[i].state] += !rows[i].plain;
        counts.of_plain[rows[i].state] += rows[i].plain;
    }
    return counts;
}

typedef struct sweep_store sweep_store;
/* Opens, or makes, a results file; NULL after E0940-store. */
sweep_store *sweep_open(const char *path, bool create, arena *mem, diagnostics *d);
void sweep_close(sweep_store *store);
/* Reads the rows, equal computations grouped, in the order of plan, time and key, and marks the Pareto points
 * (time_us, tiles and energy). */
bool sweep_rows(sweep_store *store, arena *mem, diagnostics *d, sweep_row_vec *out);

/* ---- running --------------------------------------------------------------------------------- */

/* A running sweep: texts and points live in `mem`, errors go to `d`. */
typedef struct {
    sweep_plan plan;
    sweep_point_vec
        points;    /* the product of the plan's axes, the last axis changing fastest; then plain points */
    uint32_t grid; /* out: number of points of the product */
    char key[17];  /* of the plan, without the program and the axes */
    sweep_store *store;
    arena *mem;
    diagnostics *d;
    uint32_t jobs;       /* at a time */
    uint32_t time_limit; /* of a point, seconds; 0 = none */
    bool slurm;          /* as a Slurm job array instead of child processes */
    uint32_t array_most; /* tasks of a job array, at least 1 */
    bool keep;           /* the folders of the points */
    bool quiet;          /* no line for each finished point on standard error */
    bool interrupted;    /* out: stopped by SIGINT or SIGTERM; finished points are stored */
    uint32_t ran, known; /* out: points run, points with an existing result */
} sweep_job;

/* Makes the points of the plan, and its key: points of plans with equal keys may be compared. Where the plan
 * has chosen axes, each combination of the other axes has a plain point, too. Error: E0001-file where an
 * input cannot be read. */
bool sweep_points(sweep_job *job);
/* Runs the points without a result. Each result is stored at once: a kill at any time loses only the running
 * points. False after E0940-store, E0941-slurm, E0930-tool. */
bool sweep_run(sweep_job *job);
/* Runs the n fastest finished points of each expression and operands again on another engine and stores its
 * results. */
bool sweep_confirm(sweep_job *job, const char *engine, uint32_t n);

/* ---- reports --------------------------------------------------------------------------------- */

void sweep_print(const sweep_row_vec *rows, FILE *out); /* for people; the recommended setting is last */
void sweep_csv(const sweep_row_vec *rows, FILE *out);
/* Writes a self-contained page: for each plan a table, plots of its points over time, tiles and energy, and
 * its best times by each axis. */
void sweep_html(const sweep_row_vec *rows, FILE *out);

#endif
