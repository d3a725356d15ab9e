/* Batches of a session in several processes, and what all of them counted. */
#include "rtl_models/soc/session_shares.h"
#include "firmware/lists.h"
#include "firmware/sums.h"
#include "rtl_models/soc/machine_watch.h"
#include "support/child.h"

cosim_counts session_count_now(const cosim_session *s) {
    cosim_counts c = {.machine = machine_count(s->m), .bytes = s->bytes};
    for (uint32_t i = 0; i < MAILBOX_COUNTERS; i++)
        c.cycles[i] = session_mailbox_counter(s, FW_MAILBOX_CYCLES + 8 * i);
    c.checked = s->checks.cycles;
    c.uncounted = s->checks.uncounted;
    for (unsigned end = 0; end < MACHINE_ENDS; end++)
        c.lag[end] = s->checks.lag[end];
    return c;
}

void session_add_counts(cosim_counts *c, const cosim_counts *of, uint64_t times) {
    uint64_t *to = (uint64_t *)c;
    const uint64_t *from = (const uint64_t *)of;
    for (size_t i = 0; i < sizeof *c / sizeof *to; i++)
        to[i] += times * from[i];
}

uint32_t session_hazard_tiles(const cosim_session *s) {
    return s->board->width * (s->board->height + 1);
}

uint32_t *session_tile_hazards(const cosim_session *s, uint32_t x, uint32_t y) {
    return &s->hazards[y * s->board->width + x];
}

static void note_hazards(cosim_session *s) {
    for (uint32_t y = 1; y <= s->board->height; y++) {
        for (uint32_t x = 0; x < s->board->width; x++)
            *session_tile_hazards(s, x, y) |= machine_hazards(s->m, x, y);
    }
}

typedef struct {
    cosim_session *s;
    uint32_t batches, n;
} shared_file;

/* Brings the machine to its state before batch `first`. State of the program, the array and the buffer's
 * registers that survives a batch is of its last run; a new start of stores shows only after a move, which
 * takes two runs. Hence the last two runs of the previous batch are made, too; loads of all earlier batches
 * are put in place. */
static bool come_to(cosim_session *s, fw_batches *all, uint32_t first) {
    bool good = true;
    for (uint32_t i = 0; good && i < first; i++) {
        arena mem = {0};
        fw_batch batch;
        good = fw_batches_get(all, i, &mem, s->d, &batch);
        if (good)
            session_load_batch(s, &batch);
        s->checks.pending.len = 0; /* the process that runs those batches checks them */
        if (good && i + 1 == first)
            good = session_make_runs(s, all, i, &batch, batch.runs > 2 ? batch.runs - 2 : 0);
        arena_free(&mem);
    }
    return good;
}

/* Runs the n-th share of the batches, in a process with a copy of the machine in its ready state. Writes its
 * counts, the monitors, and the results. */
static bool make_share(void *context, uint32_t n, FILE *out) {
    const shared_file *f = context;
    cosim_session *s = f->s;
    const uint32_t first = (uint32_t)((uint64_t)f->batches * n / f->n),
                   end = (uint32_t)((uint64_t)f->batches * (n + 1) / f->n);
    fw_batches all; /* all copies share the file position of the parent's file */
    cosim_counts c = {0};
    machine_collision met;
    if (!fw_batches_open(s->options->batches, s->board, s->mem, s->d, &all) || !come_to(s, &all, first))
        return false;
    const cosim_counts before = session_count_now(s);
    fwrite(&c, sizeof c, 1, out);
    fwrite(s->hazards, sizeof *s->hazards, session_hazard_tiles(s), out);
    const bool good = session_run_batches(s, &all, first, end, out) && !machine_collided(s->m, 0, &met);
    fw_batches_close(&all);
    c = session_count_now(s);
    session_add_counts(&c, &before, UINT64_MAX); /* takes the earlier counts away */
    note_hazards(s);
    return good && fseek(out, 0, SEEK_SET) == 0 && fwrite(&c, sizeof c, 1, out) == 1 &&
           fwrite(s->hazards, sizeof *s->hazards, session_hazard_tiles(s), out) == session_hazard_tiles(s);
}

static bool copy_rest(FILE *from, FILE *to) {
    char block[1 << 14];
    size_t n;
    while ((n = fread(block, 1, sizeof block, from)) > 0)
        fwrite(block, 1, n, to);
    return !ferror(from);
}

/* Adds up the counts of the shares; false: a share is incomplete. */
static bool add_shares(cosim_session *s, const child_result *shares, uint32_t n, arena *mem) {
    const uint32_t tiles = session_hazard_tiles(s);
    uint32_t *raised = arena_new_n(mem, uint32_t, tiles);
    cosim_counts all = {0}, one;
    for (uint32_t i = 0; i < n; i++) {
        if (shares[i].end != 0 || fread(&one, sizeof one, 1, shares[i].found) != 1 ||
            fread(raised, sizeof *raised, tiles, shares[i].found) != tiles)
            return false;
        session_add_counts(&all, &one, 1);
        for (uint32_t t = 0; t < tiles; t++)
            s->hazards[t] |= raised[t];
    }
    s->others = all;
    return true;
}

bool session_run_shares(cosim_session *s, fw_batches *all, uint32_t n, FILE *out, arena *mem) {
    shared_file f = {s, all->batches, n};
    child_result *shares = arena_new_n(mem, child_result, n);
    child_run(shares, n, make_share, &f);
    const bool whole = add_shares(s, shares, n, mem);
    bool good = true;
    for (uint32_t i = 0; i < n; i++) {
        good = good && (!whole || copy_rest(shares[i].found, out));
        if (shares[i].found)
            fclose(shares[i].found);
    }
    return whole ? good : session_run_batches(s, all, 0, all->batches, out);
}

uint32_t session_processes(const cosim_options *o, const fw_batches *all) {
    const uint32_t most = session_is_function(all) ? 1 : o->jobs,
                   n = most < all->batches ? most : all->batches;
    return n && !o->more && !o->waves && !o->max_cycles ? n : 1;
}
