/* sweep_int.h - common to the files of sweep/. */
#ifndef ONYX_SWEEP_SWEEP_INT_H
#define ONYX_SWEEP_SWEEP_INT_H

#include "sweep/sweep.h"

/* Returns the folder of a store for the output of running points: "results.db.work". */
const char *store_folder(const sweep_store *store);
bool store_has(sweep_store *store, const char *key);
/* Stores a result, replacing an older result of the same plan and settings. */
bool store_put(sweep_store *store, const sweep_row *row, const sweep_point *point, const char *report,
               diagnostics *d);
bool store_confirm(sweep_store *store, const char *key, const char *engine, double cycles, const char *check,
                   diagnostics *d);

/* Measures for comparing points: their time in microseconds, or in cycles on an engine without a clock, and
 * their tiles. */
double row_time(const sweep_row *r);
double row_tiles(const sweep_row *r);

/* The files of a point, under way or finished, in the store's folder. */
typedef struct {
    const char *folder; /* of onyx run -o */
    const char *json;   /* its standard output */
    const char *log;    /* its standard error */
    const char *exit;   /* Slurm: its exit code, written last */
} point_files;
point_files files_of(const sweep_store *store, const char *key, const char *engine, arena *mem);
void files_remove(const point_files *f);

/* The points left to run. */
typedef struct {
    sweep_job *job;
    const char *confirms; /* the engine that confirms results; NULL: points run on their own */
    u32_vec todo;         /* indices of points */
} batch;

static inline const char *point_engine(const batch *b, const sweep_point *point) {
    return b->confirms ? b->confirms : point->engine;
}
/* Returns the command of a point, NULL at its end. */
const char *const *point_argv(const batch *b, const sweep_point *point, const point_files *f, arena *mem);

/* How the process of a point ended. */
typedef struct {
    int code;    /* exit code, or minus the ending signal */
    bool late;   /* killed at the time limit */
    double wall; /* seconds; 0: its report says */
} point_end;

/* Makes a row from a point's end and its files; stores and reports the row. */
bool finish_point(const batch *b, uint32_t index, const point_end *end);

bool run_local(const batch *b);
bool run_slurm(const batch *b);

#endif
