/* Points as a Slurm job array. Tasks write files next to the results file, and only this process writes into
 * that: SQLite's locks are not to be relied on across the machines of a cluster. What an interrupted sweep
 * left behind is taken in by the next one. */
#include "sweep/sweep_int.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum { ARRAY_MOST = 1000 }; /* Slurm's MaxArraySize is 1001 unless a site raises it */

static void quote(const char *text, FILE *out) {
    fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", out);
        else
            fputc(*text, out);
    }
    fputc('\'', out);
}

static void put_command(const batch *b, const sweep_point *point, const point_files *f, arena *mem,
                        FILE *out) {
    const char *const *argv = point_argv(b->plan, point, b->engine, f, mem);
    for (; *argv; argv++) {
        quote(*argv, out);
        fputc(' ', out);
    }
    fputs("> ", out);
    quote(f->json, out);
    fputs(" 2> ", out);
    quote(f->log, out);
    fputs("; echo $? > ", out);
    quote(arena_printf(mem, "%s.part", f->exit), out);
    fputs("; mv ", out);
    quote(arena_printf(mem, "%s.part", f->exit), out);
    fputc(' ', out);
    quote(f->exit, out);
    fputs(" ;;\n", out);
}

/* Writes a script whose task number n runs the n-th of the points. */
static bool write_script(sweep_store *store, const batch *b, const uint32_t *todo, uint32_t n,
                         const sweep_run_options *o, const char *path, arena *mem, diagnostics *d) {
    file_out script;
    if (!file_create(&script, path, mem, d))
        return false;
    fputs("#!/bin/sh\n#SBATCH --job-name=onyx-sweep\n#SBATCH --output=/dev/null\n#SBATCH --ntasks=1\n",
          script.stream);
    if (o->time_limit)
        fprintf(script.stream, "#SBATCH --time=%u\n", (o->time_limit + 59) / 60);
    fputs("case $SLURM_ARRAY_TASK_ID in\n", script.stream);
    for (uint32_t i = 0; i < n; i++) {
        const sweep_point *point = &b->points->at[todo[i]];
        const point_files f = files_of(store, point->key, b->engine, mem);
        fprintf(script.stream, "%u) ", i);
        put_command(b, point, &f, mem, script.stream);
    }
    fputs("esac\n", script.stream);
    return file_commit(&script, d);
}

/* Reads the exit code that a task left; returns false while there is none. */
static bool read_exit(const point_files *f, int *code) {
    FILE *in = fopen(f->exit, "r");
    bool ok = in && fscanf(in, "%d", code) == 1;
    if (in)
        fclose(in);
    return ok;
}

/* Stores the results that are there; `left` gets the points without one. */
static bool take_in(sweep_store *store, const batch *b, const uint32_t *todo, uint32_t n, uint32_t *left,
                    uint32_t *n_left, sweep_run_options *o, arena *mem, diagnostics *d) {
    *n_left = 0;
    for (uint32_t i = 0; i < n; i++) {
        const point_files f = files_of(store, b->points->at[todo[i]].key, b->engine, mem);
        int code = 0;
        if (!read_exit(&f, &code))
            left[(*n_left)++] = todo[i];
        else if (!finish_point(store, b, todo[i], code > 128 ? 128 - code : code, false, 0, o, d))
            return false;
    }
    return true;
}

static bool submit(sweep_store *store, const batch *b, const uint32_t *todo, uint32_t n, sweep_run_options *o,
                   arena *mem, diagnostics *d) {
    const char *script = arena_printf(mem, "%s/array.sh", store_folder(store));
    const char *log = arena_printf(mem, "%s/sbatch.log", store_folder(store));
    const char *range = arena_printf(mem, "--array=0-%u%%%u", n - 1, o->jobs);
    const char *const argv[] = {"sbatch", "--wait", range, script, NULL};
    if (!write_script(store, b, todo, n, o, script, mem, d))
        return false;
    unlink(log);
    int status = program_run(argv, log);
    if (status == -SIGINT || status == -SIGTERM)
        o->interrupted = true;
    else if (status == PROGRAM_MISSING) {
        diag_error(d, (src_loc){0}, "E0941-slurm", "there is no 'sbatch' here");
        diag_hint(d, "leave out --slurm to run on this machine, or run on a node that submits jobs");
        return false;
    }
    return true; /* sbatch --wait ends with the worst task's code: each point has its own */
}

bool run_slurm(sweep_store *store, const batch *b, sweep_run_options *o, arena *mem, diagnostics *d) {
    uint32_t *todo = arena_new_n(mem, uint32_t, b->n + 1), *left = arena_new_n(mem, uint32_t, b->n + 1),
             n_todo = 0;
    if (!take_in(store, b, b->todo, b->n, todo, &n_todo, o, mem, d))
        return false;
    for (uint32_t at = 0; at < n_todo && !o->interrupted; at += ARRAY_MOST) {
        uint32_t n = n_todo - at < ARRAY_MOST ? n_todo - at : ARRAY_MOST, n_left = 0;
        if (!submit(store, b, todo + at, n, o, mem, d) ||
            !take_in(store, b, todo + at, n, left, &n_left, o, mem, d))
            return false;
        if (n_left && !o->interrupted) {
            const char *said = file_error_line(arena_printf(mem, "%s/sbatch.log", store_folder(store)), mem);
            diag_error(d, (src_loc){0}, "E0941-slurm",
                       "%u of %u %s left no result; what sbatch said is in '%s/sbatch.log'", n_left, n,
                       plural(n, "task", "tasks"), store_folder(store));
            diag_hint(
                d, "%s%sgive the same command again once the cluster runs jobs: only these points will run",
                said, *said ? "\n    " : "");
            return false;
        }
    }
    return true;
}
