/* Everything from files to a result file: see host.h. */
#include "host/kept.h"
#include "host/ready.h"
#include "host/target.h"

#include <stdlib.h>

static bool changed_meanwhile(host_link *l, const char *folder, uint32_t batch) {
    diag_error(l->d, (src_loc){0}, "E0001-file", "batch %u, written just now, cannot be read back from '%s'",
               batch + 1, folder);
    return diag_hint(l->d, "does another program write there? the same command runs this batch again");
}

/* A batch under way: first on the board, then its results on the host. */
typedef struct {
    uint32_t number; /* all->batches: no batch */
    fw_batch batch;
    host_batch_result result;
    arena mem;
} flight;

typedef struct {
    host_link *link;
    fw_batches *all;
    const char *folder;
    host_kept *kept;
    uint64_t *counters; /* counters after the batch before: configuration, kernel, firmware */
    host_seconds *spent;
} course;

static void spend(double *on, double since) {
    *on += seconds_now() - since;
}

/* Returns the first unfinished batch from `from` on. */
static uint32_t missing(const course *c, uint32_t from) {
    while (from < c->all->batches && c->kept[from].done)
        from++;
    return from;
}

static bool load(course *c, uint32_t number, flight *f) {
    f->number = number;
    if (number == c->all->batches)
        return true;
    double start = seconds_now();
    bool good = fw_batches_get(c->all, number, &f->mem, c->link->d, &f->batch) &&
                host_target_load(c->link, &f->batch, false);
    spend(&c->spent->load, start);
    return good;
}

static bool begin(course *c, const flight *f) {
    return f->number == c->all->batches || host_target_begin(c->link, c->all, f->number, &f->batch);
}

static bool wait_for(course *c, flight *f) {
    double start = seconds_now();
    bool good = host_target_wait(c->link, c->all, f->number, &f->batch, &f->result);
    spend(&c->spent->wait, start);
    return good;
}

/* Collects the results of a batch, keeps them and tells the watcher; nothing of the batch stays in memory. */
static bool finish(course *c, flight *f) {
    host_link *l = c->link;
    double start = seconds_now();
    bool good = host_target_collect(l, c->all, &f->batch, &f->mem, &f->result) && host_nothing_lost(l) &&
                host_kept_write(c->folder, c->all, f->number, &f->result, c->counters, l->d);
    if (good) {
        memcpy(c->counters, f->result.counters, sizeof f->result.counters);
        c->kept[f->number] = host_kept_read(c->folder, c->all, f->number);
        good = c->kept[f->number].done || changed_meanwhile(l, c->folder, f->number);
    }
    if (good) {
        host_tell(l, c->all, f->number, f->batch.runs);
        l->runs_before += f->batch.runs;
    }
    spend(&c->spent->collect, start);
    arena_free(&f->mem);
    return good;
}

/* Runs the unfinished batches. The next batch is loaded during a batch, if both use different buffers; the
 * results of the first batch are collected during the next. */
static bool run_missing(course *c) {
    flight pair[2] = {0}, *now = &pair[0], *next = &pair[1];
    uint32_t none = c->all->batches;
    bool good = load(c, missing(c, 0), now) && begin(c, now);
    while (good && now->number < none) {
        uint32_t number = missing(c, now->number + 1);
        bool ahead = fw_buffer_of(c->all->buffers, number) != fw_buffer_of(c->all->buffers, now->number);
        good = (!ahead || load(c, number, next)) && wait_for(c, now) && (!ahead || begin(c, next)) &&
               finish(c, now) && (ahead || (load(c, number, next) && begin(c, next)));
        flight *done = now;
        now = next;
        next = done;
    }
    arena_free(&pair[0].mem);
    arena_free(&pair[1].mem);
    return good;
}

/* Collects the results of batches run by lists. */
static bool collect_all(course *c) {
    bool good = true;
    for (uint32_t i = 0; good && i < c->all->batches; i++) {
        flight f = {.number = i};
        memcpy(f.result.counters, c->counters, sizeof f.result.counters);
        good = fw_batches_get(c->all, i, &f.mem, c->link->d, &f.batch) &&
               host_target_load(c->link, &f.batch, true) && finish(c, &f);
        arena_free(&f.mem);
    }
    return good;
}

/* Runs a list on the chip, and writes its results. */
static bool run_list(course *c, const char *result, arena *mem) {
    host_link *l = c->link;
    flight f = {0};
    file_out out;
    bool good = load(c, 0, &f) && begin(c, &f) && wait_for(c, &f) &&
                host_target_collect(l, c->all, &f.batch, mem, &f.result) && host_nothing_lost(l) &&
                file_create(&out, result, mem, l->d);
    if (good) {
        memcpy(c->counters, f.result.counters, sizeof f.result.counters);
        fw_write_list_result(out.stream, &f.result.list);
        good = file_commit(&out, l->d);
    }
    arena_free(&f.mem);
    return good;
}

/* ---- a session ------------------------------------------------------------------------------- */

struct host_session {
    arena mem; /* of the link */
    host_link link;
    bool open;
    bool owed;            /* calls not made yet (FW_OVERLAPPED) */
    bool ready;           /* for jobs of later commands */
    uint64_t counters[3]; /* of the program, after the last batch */
    uint64_t checked;     /* cycles of checks, after the last job */
};

static host_session *session_begin(void) {
    host_session *s = calloc(1, sizeof *s);
    if (!s)
        out_of_memory(sizeof *s);
    return s;
}

static void let_go(host_session *s) {
    if (s->ready)
        host_leave_ready(&s->link);
    if (s->open)
        host_link_close(&s->link);
    arena_free(&s->mem);
    *s = (host_session){0};
}

void host_session_end(host_session *s) {
    if (s)
        let_go(s);
    free(s);
}

/* Loads the board and starts its program for the first job, unless the program runs already; later jobs find
 * the program ready. */
static bool make_ready(host_session *s, const fw_batches *all, const host_job *job, const host_options *o,
                       diagnostics *d, host_outcome *out) {
    const fw_batches *tried = job->session ? NULL : all; /* later jobs may have any batches */
    host_link *l = &s->link;
    l->d = d;
    if (s->open)
        return !host_interrupted;
    s->open = true;
    if (!host_link_open(l, all->board, o, arena_strdup(&s->mem, job->folder), &s->mem, d) ||
        !host_find_ready(l, job->elf, tried, &out->found, s->counters, &s->checked))
        return false;
    return out->found == HOST_FOUND_READY ||
           (host_link_halt(l) && host_target_start(l, job->elf, tried, &out->rewritten));
}

/* ---- a job ----------------------------------------------------------------------------------- */

/* Counts the cycles in which the chip checked the segments of the job. */
static bool count_checks(host_session *s, host_outcome *out) {
    uint32_t words[2];
    if (!host_read_words(&s->link, host_mailbox(&s->link, FW_MAILBOX_CHECKED), words, 2))
        return false;
    const uint64_t before = s->checked;
    s->checked = words[0] | (uint64_t)words[1] << 32;
    out->check_cycles = s->checked - before;
    return true;
}

/* Runs the unfinished batches of a job, and counts its time. */
static bool run_job(host_session *s, course *c, const host_job *job, arena *mem, host_outcome *out) {
    host_link *l = &s->link;
    const uint64_t before[] = {s->counters[0], s->counters[1], s->counters[2]}, loaded = l->bytes.loaded,
                   kept = l->bytes.kept, collected = l->bytes.collected;
    const uint32_t how =
        c->all->callee < FW_FUNCTION || c->all->callee == FW_COMMAND_LIST ? 0 : c->all->callee;
    l->design = job->design;
    l->runs_before = 0;
    s->ready = false;
    for (uint32_t i = 0; i < c->all->batches; i++)
        l->runs_before += c->kept[i].done ? c->all->list[i].runs : 0;
    bool good = c->all->callee == FW_COMMAND_LIST ? run_list(c, job->result, mem)
                : fw_is_collecting(c->all)        ? collect_all(c)
                                                  : run_missing(c);
    good = good && count_checks(s, out);
    l->batches_before += c->all->batches;
    s->owed = how & FW_OVERLAPPED || (s->owed && !(how & FW_REST));
    s->ready = good && !s->owed;
    out->config_cycles = s->counters[0] - before[0];
    if (c->all->callee == FW_COMMAND_LIST) {
        out->kernel_cycles = s->counters[1] - before[1];
        out->firmware_cycles = s->counters[2] - before[2];
    }
    out->words.loaded = l->bytes.loaded / 4 - loaded / 4;
    out->words.kept = l->bytes.kept / 4 - kept / 4;
    out->words.collected = l->bytes.collected / 4 - collected / 4;
    return good;
}

static bool run_all(host_session *s, fw_batches *all, const host_job *job, const host_options *o,
                    diagnostics *d, host_outcome *out) {
    arena *mem = d->mem;
    const bool list = all->callee == FW_COMMAND_LIST;
    const char *folder = host_kept_folder(job, all, mem, d);
    if (folder && (list || fw_is_collecting(all))) { /* another program's, before a cut, is none of this */
        remove_folder(folder);
        folder = host_kept_folder(job, all, mem, d);
    }
    if (!folder)
        return false;
    host_kept *kept = arena_new_n(mem, host_kept, all->batches + 1);
    for (uint32_t i = 0; i < all->batches; i++) {
        kept[i] = host_kept_read(folder, all, i);
        out->kept += kept[i].done;
    }
    course c = {.link = &s->link,
                .all = all,
                .folder = folder,
                .kept = kept,
                .counters = s->counters,
                .spent = &out->seconds};
    bool good =
        out->kept == all->batches || (make_ready(s, all, job, o, d, out) && run_job(s, &c, job, mem, out));
    out->interrupted = host_interrupted;
    if (!good || (!list && !host_kept_merge(job->result, folder, all, mem, d)))
        return false;
    out->batches = all->batches;
    out->buffers = all->buffers;
    for (uint32_t i = 0; i < all->batches && !list; i++) {
        out->kernel_cycles += kept[i].kernel_cycles;
        out->firmware_cycles += kept[i].firmware_cycles;
    }
    remove_folder(folder);
    return true;
}

bool host_program(const pnr_board *board, const host_job *job, const host_options *o, arena *mem,
                  diagnostics *d, host_outcome *out) {
    fw_batches all;
    host_session alone = {0}, *s = &alone;
    if (job->session)
        s = *job->session = *job->session ? *job->session : session_begin();
    *out = (host_outcome){0};
    if (!s->open)
        host_interrupted = 0;
    if (!fw_batches_open(job->batches, board, mem, d, &all))
        return false;
    bool good = run_all(s, &all, job, o, d, out);
    fw_batches_close(&all);
    if (!job->session || !good)
        let_go(s);
    return good;
}
