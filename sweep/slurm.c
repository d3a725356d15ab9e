/* Points as a Slurm job array. Tasks write files next to the results file, and only this process writes into
 * the results file: SQLite's locks are unreliable across the machines of a cluster. The next sweep takes in
 * the files of an interrupted sweep. */
#include "sweep/sweep_int.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

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
    const char *const *argv = point_argv(b, point, f, mem);
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
static bool write_script(const batch *b, const u32_vec *tasks, const char *path) {
    const sweep_job *job = b->job;
    file_out script;
    if (!file_create(&script, path, job->mem, job->d))
        return false;
    fputs("#!/bin/sh\n#SBATCH --job-name=onyx-sweep\n#SBATCH --output=/dev/null\n#SBATCH --ntasks=1\n",
          script.stream);
    if (job->time_limit)
        fprintf(script.stream, "#SBATCH --time=%u\n", (job->time_limit + 59) / 60);
    fputs("case $SLURM_ARRAY_TASK_ID in\n", script.stream);
    for (uint32_t i = 0; i < tasks->len; i++) {
        const sweep_point *point = &job->points.at[tasks->at[i]];
        const point_files f = files_of(job->store, point->key, point_engine(b, point), job->mem);
        fprintf(script.stream, "%u) ", i);
        put_command(b, point, &f, job->mem, script.stream);
    }
    fputs("esac\n", script.stream);
    return file_commit(&script, job->d);
}

/* Reads the exit code left by a task; returns false while missing. */
static bool read_exit(const point_files *f, int *code) {
    FILE *in = fopen(f->exit, "r");
    bool ok = in && fscanf(in, "%d", code) == 1;
    if (in)
        fclose(in);
    return ok;
}

/* Stores the available results; the tasks without a result stay in `tasks`. */
static bool take_in(const batch *b, u32_vec *tasks) {
    uint32_t remaining = 0;
    for (uint32_t i = 0; i < tasks->len; i++) {
        const uint32_t point = tasks->at[i];
        const sweep_point *of = &b->job->points.at[point];
        const point_files f = files_of(b->job->store, of->key, point_engine(b, of), b->job->mem);
        int code = 0;
        if (!read_exit(&f, &code))
            tasks->at[remaining++] = point;
        else if (!finish_point(b, point, &(point_end){.code = code > 128 ? 128 - code : code}))
            return false;
    }
    tasks->len = remaining;
    return true;
}

static bool submit(const batch *b, const u32_vec *tasks) {
    sweep_job *job = b->job;
    const char *script = arena_printf(job->mem, "%s/array.sh", store_folder(job->store));
    const char *log = arena_printf(job->mem, "%s/sbatch.log", store_folder(job->store));
    const char *range = arena_printf(job->mem, "--array=0-%u%%%u", tasks->len - 1, job->jobs);
    const char *const argv[] = {"sbatch", "--wait", range, script, NULL};
    if (!write_script(b, tasks, script))
        return false;
    unlink(log);
    int status = program_run(argv, log);
    if (status == -SIGINT || status == -SIGTERM)
        job->interrupted = true;
    else if (status == PROGRAM_MISSING) {
        diag_error(job->d, (src_loc){0}, "E0941-slurm", "there is no 'sbatch' here");
        return diag_hint(job->d,
                         "leave out --slurm to run on this machine, or run on a node that submits jobs");
    }
    return true; /* sbatch --wait ends with the worst task's code: each point has its own */
}

static void missing_results(const sweep_job *job, uint32_t remaining, uint32_t n) {
    const char *log = arena_printf(job->mem, "%s/sbatch.log", store_folder(job->store));
    const char *said = file_error_line(log, job->mem);
    diag_error(job->d, (src_loc){0}, "E0941-slurm", "%u of %u %s left no result; what sbatch said is in '%s'",
               remaining, n, plural(n, "task", "tasks"), log);
    diag_hint(job->d,
              "%s%sgive the same command again once the cluster runs jobs: only these points will run; "
              "--slurm-array for a cluster that takes smaller arrays",
              said, *said ? "\n    " : "");
}

bool run_slurm(const batch *b) {
    sweep_job *job = b->job;
    u32_vec todo = {0};
    for (uint32_t i = 0; i < b->todo.len; i++)
        vec_push(job->mem, &todo, b->todo.at[i]);
    if (!take_in(b, &todo))
        return false;
    for (uint32_t at = 0; at < todo.len && !job->interrupted; at += job->array_most) {
        const uint32_t n = todo.len - at < job->array_most ? todo.len - at : job->array_most;
        u32_vec tasks = {.at = todo.at + at, .len = n};
        if (!submit(b, &tasks) || !take_in(b, &tasks))
            return false;
        if (tasks.len && !job->interrupted) {
            missing_results(job, tasks.len, n);
            return false;
        }
    }
    return true;
}
