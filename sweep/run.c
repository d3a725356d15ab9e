/* Which points have to run, and who runs them. */
#include "sweep/sweep_int.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Takes a lock that is held while points run, so that two sweeps do not write the same files. The lock goes
 * with the process. */
static int take_lock(const sweep_store *store, arena *mem, diagnostics *d) {
    const char *path = arena_printf(mem, "%s/lock", store_folder(store));
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file >= 0 && fcntl(file, F_SETLK, &lock) == 0)
        return file;
    diag_error(d, (src_loc){0}, "E0940-store", "cannot lock '%s': %s", path, strerror(errno));
    if (file >= 0 && (errno == EACCES || errno == EAGAIN))
        diag_hint(d, "another sweep writes these results: wait for it, or name another file with --db");
    if (file >= 0)
        close(file);
    return -1;
}

static bool run_batch(sweep_store *store, const batch *b, sweep_run_options *o, arena *mem, diagnostics *d) {
    if (!b->n)
        return true;
    int lock = make_folder(store_folder(store), d) ? take_lock(store, mem, d) : -1;
    if (lock < 0)
        return false;
    bool ok = o->slurm ? run_slurm(store, b, o, mem, d) : run_local(store, b, o, mem, d);
    close(lock);
    return ok;
}

bool sweep_run(sweep_store *store, const sweep_plan *plan, const sweep_point_vec *points,
               const char *plan_key, sweep_run_options *o, arena *mem, diagnostics *d) {
    u32_vec todo = {0};
    for (uint32_t i = 0; i < points->len; i++) {
        if (store_has(store, points->at[i].key))
            o->known++;
        else
            vec_push(mem, &todo, i);
    }
    const batch b = {plan, points, plan_key, plan->engine, todo.at, todo.len, false};
    o->ran = 0;
    return run_batch(store, &b, o, mem, d);
}

bool sweep_confirm(sweep_store *store, const sweep_plan *plan, const sweep_point_vec *points,
                   const char *plan_key, const char *engine, uint32_t n, sweep_run_options *o, arena *mem,
                   diagnostics *d) {
    sweep_row_vec rows = {0};
    u32_vec todo = {0};
    uint32_t best = 0;
    if (!sweep_rows(store, mem, d, &rows))
        return false;
    for (uint32_t r = 0; r < rows.len && best < n; r++) {
        const sweep_row *row = &rows.at[r];
        for (uint32_t i = 0; i < points->len; i++) {
            if (row->state != SWEEP_DONE || strcmp(row->plan, plan_key) != 0 ||
                strcmp(row->key, points->at[i].key) != 0)
                continue;
            best++;
            if (strcmp(row->confirm_engine, engine) != 0)
                vec_push(mem, &todo, i);
        }
    }
    const batch b = {plan, points, plan_key, engine, todo.at, todo.len, true};
    o->ran = 0;
    return run_batch(store, &b, o, mem, d);
}
