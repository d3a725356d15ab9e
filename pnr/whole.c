/* A netlist placed cell by cell: its start, then an anneal (anneal.c) per seed. The anneals run in parallel
 * and the cheapest is kept, the first among equals. */
#include "pnr/spread.h"

#include <pthread.h>

enum { MOST_THREADS = 64 };

typedef struct {
    const placer *p;
    uint32_t first, step; /* this thread's seeds: first, first + step, ... */
    uint32_t seeds;
    anneal_result best;
    uint64_t best_seed;
    pnr_site *at;
} anneal_job;

static void *anneal_seeds(void *argument) {
    anneal_job *job = argument;
    arena scratch = {0};
    pnr_site *at = arena_new_n(&scratch, pnr_site, job->p->cells);
    job->best.cost = INT64_MAX;
    for (uint32_t i = job->first; i < job->seeds; i += job->step) {
        arena one = {0};
        anneal_result r = place_anneal(job->p, job->p->options->seed + i, &one, at);
        r.moves += job->best.moves;
        r.out_of_time |= job->best.out_of_time;
        if (r.cost < job->best.cost) {
            job->best.cost = r.cost;
            job->best_seed = job->p->options->seed + i;
            memcpy(job->at, at, job->p->cells * sizeof *at);
        }
        job->best.moves = r.moves;
        job->best.out_of_time = r.out_of_time;
        arena_free(&one);
    }
    arena_free(&scratch);
    return NULL;
}

/* Runs every job, the first on this thread; if a thread cannot start, its job runs here, too. */
static void run_jobs(anneal_job *job, uint32_t jobs) {
    pthread_t thread[MOST_THREADS];
    bool started[MOST_THREADS] = {false};
    for (uint32_t i = 1; i < jobs; i++)
        started[i] = pthread_create(&thread[i], NULL, anneal_seeds, &job[i]) == 0;
    for (uint32_t i = 0; i < jobs; i++) {
        if (started[i])
            BUG_IF(pthread_join(thread[i], NULL) != 0, "a thread cannot be joined");
        else
            anneal_seeds(&job[i]);
    }
}

/* Picks the cheapest of all seeds, the first among equals: the result is independent of the number of
 * threads. */
static int64_t anneal(placer *p, arena *scratch, pnr_stats *stats) {
    const pnr_options *o = p->options;
    uint32_t seeds = o->seeds ? o->seeds : 1, jobs = o->threads ? o->threads : 1;
    jobs = jobs > seeds ? seeds : jobs > MOST_THREADS ? MOST_THREADS : jobs;
    anneal_job *job = arena_new_n(scratch, anneal_job, jobs), *best = job;
    for (uint32_t i = 0; i < jobs; i++)
        job[i] = (anneal_job){
            .p = p, .first = i, .step = jobs, .seeds = seeds, .at = arena_new_n(scratch, pnr_site, p->cells)};
    run_jobs(job, jobs);
    for (uint32_t i = 0; i < jobs; i++) {
        if (job[i].best.cost < best->best.cost ||
            (job[i].best.cost == best->best.cost && job[i].best_seed < best->best_seed))
            best = &job[i];
        stats->moves += job[i].best.moves;
        stats->out_of_time |= job[i].best.out_of_time;
    }
    stats->seed = best->best_seed;
    stats->seeds = seeds;
    memcpy(p->at, best->at, p->cells * sizeof *p->at);
    place_spread(p, scratch);
    return best->best.cost;
}

bool place_whole(const place_task *t, pnr_stats *stats, pnr_site *at, int64_t *cost) {
    placer *p = arena_new(t->mem, placer);
    *cost = 0;
    if (!place_start(t, p))
        return false;
    if (p->movable.len)
        *cost = anneal(p, t->mem, stats);
    memcpy(at, p->at, p->cells * sizeof *at);
    return true;
}
