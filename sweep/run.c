/* Selects the points to run, and their executor. */
#include "sweep/settings.h"
#include "sweep/sweep_int.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Takes a lock for the time of running points, to keep two sweeps from writing the same files. The lock ends
 * with the process. */
static int take_lock(const sweep_job *job) {
    const char *path = arena_printf(job->mem, "%s/lock", store_folder(job->store));
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file >= 0 && fcntl(file, F_SETLK, &lock) == 0)
        return file;
    diag_error(job->d, (src_loc){0}, "E0940-store", "cannot lock '%s': %s", path, strerror(errno));
    if (file >= 0 && (errno == EACCES || errno == EAGAIN))
        diag_hint(job->d, "another sweep writes these results: wait for it, or name another file with --db");
    if (file >= 0)
        close(file);
    return -1;
}

static bool run_batch(const batch *b) {
    b->job->ran = 0;
    if (!b->todo.len)
        return true;
    int lock = make_folder(store_folder(b->job->store), b->job->d) ? take_lock(b->job) : -1;
    if (lock < 0)
        return false;
    bool ok = b->job->slurm ? run_slurm(b) : run_local(b);
    close(lock);
    return ok;
}

bool sweep_run(sweep_job *job) {
    batch b = {.job = job};
    for (uint32_t i = 0; i < job->points.len; i++) {
        if (store_has(job->store, job->points.at[i].key))
            job->known++;
        else
            vec_push(job->mem, &b.todo, i);
    }
    return run_batch(&b);
}

/* Returns the job's point of a result row, or the number of points. */
static uint32_t point_of(const sweep_job *job, const sweep_row *row) {
    uint32_t i = 0;
    while (i < job->points.len && strcmp(row->key, job->points.at[i].key) != 0)
        i++;
    return row->state == SWEEP_DONE && strcmp(row->plan, job->key) == 0 ? i : job->points.len;
}

bool sweep_confirm(sweep_job *job, const char *engine, uint32_t n) {
    batch b = {.job = job, .confirms = engine};
    sweep_row_vec rows = {0};
    uint32_t best = 0;
    if (!sweep_rows(job->store, job->mem, job->d, &rows))
        return false;
    for (uint32_t r = 0; r < rows.len; r++) {
        const uint32_t point = point_of(job, &rows.at[r]);
        if (r && !sweep_alike(&rows.at[r - 1], &rows.at[r]))
            best = 0;
        if (point == job->points.len || best++ >= n)
            continue;
        if (strcmp(rows.at[r].confirm.engine, engine) != 0)
            vec_push(job->mem, &b.todo, point);
    }
    return run_batch(&b);
}
