/* session.c - see session.h. The host's part of docs/firmware.md, with a debugger's access to memory. */
#include "rtl_models/soc/session.h"
#include "firmware/lists.h"
#include "firmware/sums.h"
#include "rtl_models/soc/waves.h"
#include "support/child.h"

#include <inttypes.h>
#include <stdlib.h>

#define UART0 0x40002000u

enum { MAILBOX_COUNTERS = 4, TOTAL_CYCLES = FW_MAILBOX_CYCLES + 24 };

/* Bytes moved by the host. */
typedef struct {
    uint64_t loaded, kept, collected; /* kept: did not need to be loaded */
} moved;

/* Counts; every member is a sum of 64 bits, except machine.last, which nobody reads here. */
typedef struct {
    uint64_t cycles[MAILBOX_COUNTERS]; /* of the processor, as in the mailbox */
    uint64_t checked;                  /* of the array, while segments were checked */
    uint64_t uncounted;                /* of the processor, during checks and before its own count */
    machine_counters machine;
    moved bytes;
} counts;

/* Runs after `words` configuration words, since the last store before: cycles of the array without cycles of
 * a list's other items in between. The first includes work done once for each bitstream. */
typedef struct {
    uint64_t words, times, first, least, most;
} switches;

/* Checks requested from the program. */
typedef struct {
    fw_puts pending;        /* segments loaded since the last command */
    uint32_t asked;         /* commands so far */
    uint64_t cycles;        /* of the array, for the checks */
    uint64_t since, lately; /* cycle of the first check after the latest store; cycles of checks since then */
    uint64_t uncounted;     /* of the processor: during checks, and before the program's own count */
} checks;

typedef struct {
    const cosim_options *options;
    const char *result, *stats; /* files of the current batches */
    const pnr_board *board;
    machine *m;
    moved bytes;
    counts others;     /* counts of the processes that ran batches of this session */
    uint32_t *hazards; /* raised monitors of these processes, as machine_hazards; by tile */
    fw_puts there;     /* data on the chip, from the host and from stores */
    diagnostics *d;
    arena *mem;
    VEC(switches) switches;
    checks checks;
    uint64_t switched; /* when the latest began */
    uint64_t items_from,
        items_to;     /* when the first item of a list was over since the last store, and the last */
    uint32_t items;   /* finished items of the list at the last poll */
    uint32_t batches; /* of the files before */
    bool calls;       /* the processor runs calls, without movement in the array */
    uint64_t last_progress, moved_at; /* machine_counters.progress, and array time of its last growth */
    int exit_code;
} session;

/* ---- the machine ----------------------------------------------------------------------------- */

machine *cosim_machine(const pnr_board *b, FILE *uart_out, diagnostics *d) {
    if (b->width > 32 || b->glb_tiles > 16 || b->glb_bank_bytes != 0x20000 || b->glb_banks_per_tile != 2 ||
        b->columns_per_glb_tile != 2 || b->tracks != 5 || b->mem_period != 4 || b->mem_phase != 3) {
        diag_error(d, (src_loc){0}, "E0750-board-model", "there is no model of board '%s'", b->name);
        diag_hint(d, "the RTL has at most 32 columns, 5 tracks, MEM in every fourth column and buffer tiles "
                     "of two banks of "
                     "128 KB for two columns each");
        return NULL;
    }
    uint32_t ratio = (b->cgra_mhz + b->cpu_mhz / 2) / b->cpu_mhz;
    machine_config c = {.array_width = b->width,
                        .array_height = b->height - 1,
                        .mem_period = b->mem_period,
                        .mem_phase = b->mem_phase,
                        .code = b->map.code,
                        .code_bytes = b->map.code_bytes,
                        .sram = b->map.sram,
                        .sram_bytes = b->map.sram_bytes,
                        .buffer = b->map.cgra_data,
                        .registers = b->map.cgra_reg,
                        .platform = b->map.platform,
                        .uart = UART0,
                        .irq = b->map.cgra_irq,
                        .array_cycles_per_cpu_cycle = ratio ? ratio : 1,
                        .uart_out = uart_out};
    machine *m = machine_create(&c);
    if (!m) {
        diag_error(d, (src_loc){0}, "E0753-processor",
                   "the processor model cannot be set up with the memory map of board '%s'", b->name);
        diag_hint(d, "memories must not overlap, and start and end at multiples of 4096");
    }
    return m;
}

static void collision_kind(const machine_collision *c, char *to, size_t size) {
    snprintf(to, size, "GLB tile %u, bank %u: on the chip an access of the %s is lost to the %s", c->glb_tile,
             c->bank, c->lost, c->to);
}

void cosim_collision_text(const machine_collision *c, char *to, size_t size) {
    char kind[160];
    collision_kind(c, kind, sizeof kind);
    snprintf(to, size, "%s (array cycle %" PRIu64 ")", kind, c->cycle);
}

/* ---- mailbox --------------------------------------------------------------------------------- */

static uint32_t mailbox(const session *s, uint32_t offset) {
    return machine_word(s->m, s->board->map.sram + FW_MAILBOX_OFFSET + offset);
}
static uint64_t mailbox_counter(const session *s, uint32_t at) {
    return mailbox(s, at) | (uint64_t)mailbox(s, at + 4) << 32;
}
static void put_mailbox(session *s, uint32_t offset, uint32_t value) {
    uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                        (uint8_t)(value >> 24)};
    machine_load(s->m, s->board->map.sram + FW_MAILBOX_OFFSET + offset, bytes, sizeof bytes);
}

/* ---- ends that are not good ------------------------------------------------------------------ */

/* A note for each line of the machine's description. */
static void note_stuck(session *s) {
    char *text = machine_describe_stuck(s->m);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        diag_note(s->d, (src_loc){0}, "%s", line);
    free(text);
}

static bool target_failed(session *s) {
    const fw_error_info *e = fw_error_find(mailbox(s, FW_MAILBOX_ERROR));
    const char *refused = machine_refused(s->m);
    s->exit_code = COSIM_TARGET;
    diag_error(s->d, (src_loc){0}, "E0760-target", "the program reports error %u: %s",
               mailbox(s, FW_MAILBOX_ERROR), e ? e->message : "not in the firmware's list");
    if (e)
        diag_hint(s->d, "%s", e->hint);
    for (uint32_t i = 0; e && i < 2; i++)
        if (e->detail[i][0])
            diag_note(s->d, (src_loc){0}, "%s: 0x%08x", e->detail[i], mailbox(s, FW_MAILBOX_DETAIL + 4 * i));
    if (refused[0])
        diag_note(s->d, (src_loc){0}, "%s", refused);
    note_stuck(s);
    return false;
}

static bool stopped(session *s) {
    const char *refused = machine_refused(s->m);
    s->exit_code = COSIM_TARGET;
    diag_error(s->d, (src_loc){0}, "E0761-stopped", "the machine stopped: %s", machine_stop_reason(s->m));
    diag_hint(s->d, "look the address up in app.map");
    if (refused[0])
        diag_note(s->d, (src_loc){0}, "%s", refused);
    return false;
}

static bool out_of_time(session *s, const char *code, const char *what, uint64_t limit) {
    s->exit_code = COSIM_WATCHDOG;
    diag_error(s->d, (src_loc){0}, code, "%s %" PRIu64 " array cycles", what, limit);
    diag_hint(
        s->d,
        "follow the open streams below upstream; a design that needs more time gets it with --watchdog and "
        "--max-cycles");
    note_stuck(s);
    return false;
}

/* ---- running --------------------------------------------------------------------------------- */

/* Array cycles per processor cycle. */
static uint64_t ratio_of(const session *s) {
    const uint64_t ratio = (s->board->cgra_mhz + s->board->cpu_mhz / 2) / s->board->cpu_mhz;
    return ratio ? ratio : 1;
}

/* Limit of array cycles for a row of calls, approximately: two minutes of co-simulation. */
static const uint64_t CALLS_MOST = UINT64_C(1) << 29;

/* Time in array cycles at full clock: goes on when the array has no clock. */
static bool in_time(session *s) {
    machine_counters c = machine_count(s->m);
    const uint64_t now = c.cpu_cycles * ratio_of(s);
    if (c.progress != s->last_progress) {
        s->last_progress = c.progress;
        s->moved_at = now;
    }
    if (s->calls && now - s->moved_at > CALLS_MOST)
        return out_of_time(s, "E0770-watchdog", "a function on the processor has not come back after",
                           CALLS_MOST);
    if (!s->calls && now - s->moved_at > s->options->watchdog)
        return out_of_time(s, "E0770-watchdog", "nothing moved for", s->options->watchdog);
    if (s->options->max_cycles && now > s->options->max_cycles)
        return out_of_time(s, "E0771-max-cycles", "not finished after", s->options->max_cycles);
    return true;
}

static void add_switch(session *s, uint64_t words, uint64_t cycles) {
    uint32_t i = 0;
    while (i < s->switches.len && s->switches.at[i].words != words)
        i++;
    if (i == s->switches.len)
        vec_push(s->mem, &s->switches, ((switches){.words = words, .first = cycles, .least = UINT64_MAX}));
    switches *one = &s->switches.at[i];
    if (one->times++) {
        one->least = cycles < one->least ? cycles : one->least;
        one->most = cycles > one->most ? cycles : one->most;
    }
}

/* Looks whether an item of a list is over, and whether another bitstream runs. */
static void watch_switches(session *s) {
    const machine_counters now = machine_count(s->m);
    const machine_switch last = now.last;
    const uint32_t items = mailbox(s, FW_MAILBOX_STEPS);
    if (items != s->items) {
        s->items = items;
        s->items_to = now.array_cycles;
        s->items_from = s->items_from < last.stored ? s->items_to : s->items_from;
    }
    if (last.started == s->switched)
        return;
    s->switched = last.started;
    add_switch(s, last.words,
               last.started - last.left - (s->checks.since > last.left ? s->checks.lately : 0) -
                   (s->items_from > last.left ? s->items_to - s->items_from : 0));
    s->checks.lately = 0;
}

/* Runs until the program has finished batch `number`; 0: until ready for the first batch. */
static bool run_until_done(session *s, uint32_t number) {
    enum { CHECK_TIME_EVERY = 256 };
    for (uint32_t i = 1;; i++) {
        if (!machine_step(s->m))
            return stopped(s);
        watch_switches(s);
        if (i % CHECK_TIME_EVERY == 0 && !in_time(s))
            return false;
        if (mailbox(s, 0) != FW_MAILBOX_MAGIC)
            continue;
        uint32_t state = mailbox(s, FW_MAILBOX_STATE);
        if (state == FW_STATE_FAILED)
            return target_failed(s);
        if (state == FW_STATE_READY && mailbox(s, FW_MAILBOX_DONE) == number)
            return true;
    }
}

/* Words that a store has written in the runs up to now. */
typedef struct {
    uint32_t address, bytes;
    uint8_t *content; /* of a bank's size */
} stored;

static void note_stored(session *s, const stored *one) {
    if (one->bytes)
        fw_is_there(&s->there, &(fw_segment){one->address, one->bytes, one->content}, s->mem);
}

/* The next run's words follow the previous words; with independent starts of copies, another copy's words may
 * be in between. */
static void add_stored(session *s, stored *to, uint32_t address, const uint8_t *content, uint32_t bytes) {
    if (to->address + to->bytes != address || to->bytes + bytes > s->board->glb_bank_bytes) {
        note_stored(s, to);
        *to = (stored){address, 0, to->content};
    }
    memcpy(to->content + to->bytes, content, bytes);
    to->bytes += bytes;
}

/* A stream of a run: length in 16-bit words, words, padding. */
static bool write_output(session *s, uint32_t address, uint32_t words, stored *to, FILE *out) {
    uint32_t bytes = 2 * words, limit = s->board->glb_bank_bytes;
    uint8_t *content = calloc(1, limit + 4);
    if (!content)
        out_of_memory(limit + 4);
    bool good = words <= limit / 2 && machine_dump(s->m, address, content, bytes);
    if (good) {
        s->bytes.collected += (bytes + 3) / 4 * 4;
        add_stored(s, to, address, content, bytes);
        file_put_u32(out, words);
        fwrite(content, 1, (bytes + 3) / 4 * 4, out);
    } else {
        s->exit_code = COSIM_TARGET;
        diag_error(s->d, (src_loc){0}, "E0762-output-range",
                   "the program says an output of %u %s lies at 0x%08x", words,
                   plural(words, "word", "words"), address);
        diag_hint(s->d, "the program belongs to another board or is damaged");
    }
    free(content);
    return good;
}

static bool wrong_runs(session *s, const char *what, uint64_t wanted, uint64_t got) {
    s->exit_code = COSIM_TARGET;
    diag_error(s->d, (src_loc){0}, "E0763-runs", "%s: %" PRIu64 " expected, the program says %" PRIu64, what,
               wanted, got);
    diag_hint(s->d, "the program does not follow docs/firmware.md");
    return false;
}

/* Whether the processor makes calls, in place of runs of the array. */
static bool is_function(const fw_batches *all) {
    return all->part >= FW_FUNCTION && all->part != FW_LIST;
}

/* Results of a batch out of its run table; `first_run`: earlier start pulses. */
static bool write_runs(session *s, const fw_batches *all, const fw_batch *b, uint64_t first_run, stored *to,
                       FILE *out) {
    uint32_t row_bytes = fw_row_bytes(all->inputs, all->outputs);
    for (uint32_t run = 0; run < b->runs; run++) {
        uint32_t row = b->table + run * row_bytes, end = row + row_bytes - FW_END_BYTES,
                 start = machine_word(s->m, end + FW_AT_end_start) >> FW_LOW_end_start;
        if (start >= b->runs)
            return wrong_runs(s, "starts in a batch", b->runs, start + 1ull);
        uint64_t cycles = is_function(all) || fw_is_collecting(all)
                              ? (uint64_t)machine_word(s->m, end + FW_AT_end_cycles) * ratio_of(s)
                              : machine_run_cycles(s->m, first_run + start);
        file_put_u32(out, (uint32_t)cycles);
        file_put_u32(out, (uint32_t)(cycles >> 32));
        for (uint32_t o = 0; o < all->outputs; o++) {
            uint32_t cell = row + fw_store_cell(all->inputs, o);
            if (!write_output(s, fw_place(s->board, machine_word(s->m, cell)),
                              machine_word(s->m, cell + FW_AT_cell_words), &to[o], out))
                return false;
        }
    }
    return true;
}

static bool write_results(session *s, const fw_batches *all, const fw_batch *b, uint64_t first_run,
                          FILE *out) {
    arena scratch = {0};
    stored *to = arena_new_n(&scratch, stored, all->outputs);
    for (uint32_t o = 0; o < all->outputs; o++)
        to[o].content = arena_alloc(&scratch, s->board->glb_bank_bytes);
    bool good = write_runs(s, all, b, first_run, to, out);
    for (uint32_t o = 0; o < all->outputs && good; o++)
        note_stored(s, &to[o]);
    arena_free(&scratch);
    return good;
}

/* Returns whether an earlier batch left the segment's contents on the chip: the host tracks its own writes
 * and the stores'. The program completes a run table, and leaves its loads unchanged. */
static bool is_there(session *s, const fw_batch *b, uint32_t k) {
    arena scratch = {0};
    const fw_segment *g = &b->segments.at[k];
    bool there = fw_may_stay(&s->there, g, fw_is_again(b, k), s->mem);
    if (there && g->address >= s->board->map.cgra_data) {
        uint8_t *now = arena_alloc(&scratch, g->bytes);
        there = machine_dump(s->m, g->address, now, g->bytes) && memcmp(now, g->content, g->bytes) == 0;
    }
    arena_free(&scratch);
    return there;
}

static void load(session *s, const fw_batch *b, uint32_t k) {
    const fw_segment *g = &b->segments.at[k];
    if (is_there(s, b, k)) {
        s->bytes.kept += g->bytes;
        return;
    }
    BUG_IF(!machine_load(s->m, g->address, g->content, g->bytes), "segment at 0x%x", g->address);
    s->bytes.loaded += g->bytes;
    if (!s->options->unchecked)
        vec_push(s->mem, &s->checks.pending,
                 ((fw_put){g->address, g->bytes, fw_sum(g->address, g->content, g->bytes)}));
}

static void load_batch(session *s, const fw_batch *b) {
    for (uint32_t k = 0; k < b->segments.len; k++)
        load(s, b, k);
}

static bool put_word(void *of, uint32_t offset, uint32_t value) {
    put_mailbox(of, offset, value);
    return true;
}
static bool wait_number(void *of, uint32_t number) {
    return run_until_done(of, number);
}

/* Makes the program check the loaded segments. */
static bool check_loaded(session *s) {
    const machine_counters before = machine_count(s->m);
    if (s->checks.since <= before.last.stored) {
        s->checks.since = before.array_cycles;
        s->checks.lately = 0;
    }
    const bool good =
        fw_check_loaded(&(fw_check_by){s, put_word, wait_number}, &s->checks.pending, &s->checks.asked);
    const machine_counters now = machine_count(s->m);
    s->checks.cycles += now.array_cycles - before.array_cycles;
    s->checks.lately += now.array_cycles - before.array_cycles;
    s->checks.uncounted += now.cpu_cycles - before.cpu_cycles;
    return good;
}

/* Makes the program run loaded batch `i`, from run `first` on. */
static bool make_runs(session *s, const fw_batches *all, uint32_t i, const fw_batch *b, uint32_t first) {
    if (!check_loaded(s))
        return false;
    put_mailbox(s, FW_MAILBOX_RUNS, b->runs - first);
    put_mailbox(s, FW_MAILBOX_TABLE, b->table + first * fw_row_bytes(all->inputs, all->outputs));
    put_mailbox(s, FW_MAILBOX_OUTPUTS, b->outputs);
    put_mailbox(s, FW_MAILBOX_PART, all->part);
    put_mailbox(s, FW_MAILBOX_COMMAND, s->batches + i + 1);
    if (s->calls != is_function(all))
        s->moved_at = machine_count(s->m).cpu_cycles * ratio_of(s);
    s->calls = is_function(all);
    return run_until_done(s, s->batches + i + 1);
}

/* Takes the result of a list, and forgets data overwritten by its stores. */
static bool write_list(session *s, const fw_batch *b, FILE *out) {
    arena scratch = {0};
    fw_list_result r = {.steps = mailbox(s, FW_MAILBOX_STEPS), .n = machine_word(s->m, b->table)};
    r.cycles = arena_alloc(&scratch, sizeof *r.cycles * ((size_t)r.n + 1));
    for (uint32_t i = 0; i < r.n; i++) {
        const uint32_t at = b->table + FW_LIST_HEAD + i * FW_ITEM_BYTES + FW_ITEM_CYCLES;
        for (uint32_t c = 0; c < FW_ITEM_COUNTERS; c++)
            r.cycles[i][c] = machine_word(s->m, at + 4 * c);
    }
    s->bytes.collected += sizeof *r.cycles * r.n;
    for (uint32_t i = 0; i < b->left.len; i++)
        fw_is_there(&s->there, &b->left.at[i], s->mem);
    /* The program counts in the list, which has changed. */
    fw_is_there(&s->there, &(fw_segment){b->table, FW_LIST_HEAD + r.n * FW_ITEM_BYTES, NULL}, s->mem);
    const bool good = fw_write_list_result(out, &r);
    arena_free(&scratch);
    return good;
}

static bool run_batch(session *s, const fw_batches *all, uint32_t i, const fw_batch *b, FILE *out) {
    uint64_t first_run = machine_count(s->m).runs;
    if (fw_is_collecting(all)) {
        load_batch(s, b);
        return check_loaded(s) && write_results(s, all, b, first_run, out);
    }
    machine_forget_runs(s->m);
    if (!(is_function(all) && all->part & FW_REST)) /* resident, half of the runs done */
        load_batch(s, b);
    if (all->part == FW_LIST)
        return make_runs(s, all, i, b, 0) && write_list(s, b, out);
    if (!make_runs(s, all, i, b, 0))
        return false;
    if (is_function(all) && all->part & FW_BESIDE)
        return true; /* the rows come with FW_REST */
    const uint64_t runs = machine_count(s->m).runs - first_run, wanted = is_function(all) ? 0 : b->runs;
    return runs == wanted ? write_results(s, all, b, first_run, out)
                          : wrong_runs(s, "start pulses of a batch", wanted, runs);
}

/* Each batch is in memory while running. */
static bool run_batches(session *s, fw_batches *all, uint32_t first, uint32_t end, FILE *out) {
    bool good = true;
    for (uint32_t i = first; good && i < end; i++) {
        arena mem = {0};
        fw_batch batch;
        good = fw_batches_get(all, i, &mem, s->d, &batch) && run_batch(s, all, i, &batch, out);
        arena_free(&mem);
    }
    return good;
}

/* ---- batches in several processes -------------------------------------------------------------- */

static counts count_now(const session *s) {
    counts c = {.machine = machine_count(s->m), .bytes = s->bytes};
    for (uint32_t i = 0; i < MAILBOX_COUNTERS; i++)
        c.cycles[i] = mailbox_counter(s, FW_MAILBOX_CYCLES + 8 * i);
    c.checked = s->checks.cycles;
    c.uncounted = s->checks.uncounted;
    return c;
}

/* Adds another process' counts to *c, `times` times. */
static void add_counts(counts *c, const counts *of, uint64_t times) {
    uint64_t *to = (uint64_t *)c;
    const uint64_t *from = (const uint64_t *)of;
    for (size_t i = 0; i < sizeof *c / sizeof *to; i++)
        to[i] += times * from[i];
}

static uint32_t hazard_tiles(const session *s) {
    return s->board->width * (s->board->height + 1);
}

static uint32_t *tile_hazards(const session *s, uint32_t x, uint32_t y) {
    return &s->hazards[y * s->board->width + x];
}

static void note_hazards(session *s) {
    for (uint32_t y = 1; y <= s->board->height; y++) {
        for (uint32_t x = 0; x < s->board->width; x++)
            *tile_hazards(s, x, y) |= machine_hazards(s->m, x, y);
    }
}

typedef struct {
    session *s;
    uint32_t batches, n;
} shared_file;

/* Brings the machine to its state before batch `first`. State of the program, the array and the buffer's
 * registers that survives a batch is of its last run; a new start of stores shows only after a move, which
 * takes two runs. Hence the last two runs of the previous batch are made, too; loads of all earlier batches
 * are put in place. */
static bool come_to(session *s, fw_batches *all, uint32_t first) {
    bool good = true;
    for (uint32_t i = 0; good && i < first; i++) {
        arena mem = {0};
        fw_batch batch;
        good = fw_batches_get(all, i, &mem, s->d, &batch);
        if (good)
            load_batch(s, &batch);
        s->checks.pending.len = 0; /* the process that runs those batches checks them */
        if (good && i + 1 == first)
            good = make_runs(s, all, i, &batch, batch.runs > 2 ? batch.runs - 2 : 0);
        arena_free(&mem);
    }
    return good;
}

/* Runs the n-th part of the batches, in a process with a copy of the machine in its ready state. Writes its
 * counts, the monitors, and the results. */
static bool make_share(void *context, uint32_t n, FILE *out) {
    const shared_file *f = context;
    session *s = f->s;
    const uint32_t first = (uint32_t)((uint64_t)f->batches * n / f->n),
                   end = (uint32_t)((uint64_t)f->batches * (n + 1) / f->n);
    fw_batches all; /* all copies share the file position of the parent's file */
    counts c = {0};
    machine_collision met;
    if (!fw_batches_open(s->options->batches, s->board, s->mem, s->d, &all) || !come_to(s, &all, first))
        return false;
    const counts before = count_now(s);
    fwrite(&c, sizeof c, 1, out);
    fwrite(s->hazards, sizeof *s->hazards, hazard_tiles(s), out);
    const bool good = run_batches(s, &all, first, end, out) && !machine_collided(s->m, 0, &met);
    fw_batches_close(&all);
    c = count_now(s);
    add_counts(&c, &before, UINT64_MAX); /* taken away */
    note_hazards(s);
    return good && fseek(out, 0, SEEK_SET) == 0 && fwrite(&c, sizeof c, 1, out) == 1 &&
           fwrite(s->hazards, sizeof *s->hazards, hazard_tiles(s), out) == hazard_tiles(s);
}

static bool copy_rest(FILE *from, FILE *to) {
    char block[1 << 14];
    size_t n;
    while ((n = fread(block, 1, sizeof block, from)) > 0)
        fwrite(block, 1, n, to);
    return !ferror(from);
}

/* Adds up the counts of the parts; false: a part is incomplete. */
static bool add_parts(session *s, const child_part *parts, uint32_t n, arena *mem) {
    const uint32_t tiles = hazard_tiles(s);
    uint32_t *raised = arena_new_n(mem, uint32_t, tiles);
    counts all = {0}, one;
    for (uint32_t i = 0; i < n; i++) {
        if (parts[i].end != 0 || fread(&one, sizeof one, 1, parts[i].found) != 1 ||
            fread(raised, sizeof *raised, tiles, parts[i].found) != tiles)
            return false;
        add_counts(&all, &one, 1);
        for (uint32_t t = 0; t < tiles; t++)
            s->hazards[t] |= raised[t];
    }
    s->others = all;
    return true;
}

/* If a process fails or meets a collision, this process runs all batches, and reports. */
static bool run_shares(session *s, fw_batches *all, uint32_t n, FILE *out, arena *mem) {
    shared_file f = {s, all->batches, n};
    child_part *parts = arena_new_n(mem, child_part, n);
    child_parts(parts, n, make_share, &f);
    const bool whole = add_parts(s, parts, n, mem);
    bool good = true;
    for (uint32_t i = 0; i < n; i++) {
        good = good && (!whole || copy_rest(parts[i].found, out));
        if (parts[i].found)
            fclose(parts[i].found);
    }
    return whole ? good : run_batches(s, all, 0, all->batches, out);
}

/* Returns how many processes make the batches. */
static uint32_t processes(const cosim_options *o, const fw_batches *all) {
    const uint32_t most = is_function(all) ? 1 : o->jobs, n = most < all->batches ? most : all->batches;
    return n && !o->more && !o->waves && !o->max_cycles ? n : 1;
}

/* ---- results ----------------------------------------------------------------------------------- */

/* "hazards": the tiles with raised monitors, with their kinds, a bit each. */
static void list_hazards(const session *s, cJSON *json) {
    cJSON *list = cJSON_AddArrayToObject(json, "hazards");
    for (uint32_t y = 1; y <= s->board->height; y++) {
        for (uint32_t x = 0; x < s->board->width; x++) {
            uint32_t kinds = machine_hazards(s->m, x, y) | *tile_hazards(s, x, y);
            if (!kinds)
                continue;
            cJSON *one = cJSON_CreateObject();
            cJSON_AddNumberToObject(one, "x", x);
            cJSON_AddNumberToObject(one, "y", y);
            cJSON_AddNumberToObject(one, "kinds", kinds);
            cJSON_AddItemToArray(list, one);
        }
    }
}

/* "switches": by the loaded words of the bitstream. */
static void list_switches(const session *s, cJSON *json) {
    cJSON *list = cJSON_AddArrayToObject(json, "switches");
    for (uint32_t i = 0; i < s->switches.len; i++) {
        const switches *of = &s->switches.at[i];
        cJSON *one = json_add_item(list);
        cJSON_AddNumberToObject(one, "words", (double)of->words);
        cJSON_AddNumberToObject(one, "times", (double)of->times);
        cJSON_AddNumberToObject(one, "first", (double)of->first);
        if (of->times > 1) {
            cJSON_AddNumberToObject(one, "least", (double)of->least);
            cJSON_AddNumberToObject(one, "most", (double)of->most);
        }
    }
}

/* "collisions": where two accesses met in a bank of the global buffer, and whose is lost on the chip. */
static void list_collisions(const session *s, cJSON *json) {
    cJSON *list = cJSON_AddArrayToObject(json, "collisions");
    machine_collision c;
    char text[200];
    for (size_t i = 0; machine_collided(s->m, i, &c); i++) {
        cJSON *one = cJSON_CreateObject();
        collision_kind(&c, text, sizeof text);
        cJSON_AddStringToObject(one, "text", text);
        cJSON_AddNumberToObject(one, "glb_tile", c.glb_tile);
        cJSON_AddNumberToObject(one, "bank", c.bank);
        cJSON_AddStringToObject(one, "lost", c.lost);
        cJSON_AddStringToObject(one, "to", c.to);
        cJSON_AddNumberToObject(one, "cycle", (double)c.cycle);
        cJSON_AddItemToArray(list, one);
    }
}

static bool write_statistics(const session *s, double seconds) {
    static const char *const names[MAILBOX_COUNTERS] = {"config", "kernel", "firmware", "total"};
    counts all = count_now(s);
    add_counts(&all, &s->others, 1);
    const machine_counters c = all.machine;
    cJSON *json = cJSON_CreateObject(), *cpu = cJSON_AddObjectToObject(json, "cycles");
    for (uint32_t i = 0; i < MAILBOX_COUNTERS; i++)
        cJSON_AddNumberToObject(cpu, names[i], (double)all.cycles[i]);
    cJSON_AddNumberToObject(json, "check_cycles", (double)all.checked);
    cJSON_AddNumberToObject(json, "runs", (double)c.runs);
    cJSON_AddNumberToObject(json, "function_calls", mailbox(s, FW_MAILBOX_CALLS));
    cJSON_AddNumberToObject(json, "function_cycles_beside",
                            (double)mailbox(s, FW_MAILBOX_BESIDE) * (double)ratio_of(s));
    cJSON_AddNumberToObject(json, "cgra_cycles", (double)c.array_cycles);
    cJSON_AddNumberToObject(json, "cgra_cycles_kernel", (double)c.kernel);
    cJSON_AddNumberToObject(json, "cgra_cycles_evaluated", (double)c.array_stepped);
    cJSON_AddNumberToObject(json, "tile_evaluations", (double)c.evaluations);
    cJSON_AddNumberToObject(json, "cpu_cycles", (double)c.cpu_cycles);
    cJSON_AddNumberToObject(json, "cpu_cycles_counted", (double)(c.cpu_cycles - all.uncounted));
    cJSON_AddNumberToObject(json, "instructions", (double)c.instructions);
    cJSON_AddNumberToObject(json, "wall_seconds", seconds);
    cJSON_AddNumberToObject(json, "cgra_cycles_per_second",
                            seconds > 0 ? (double)c.array_cycles / seconds : 0);
    cJSON *host = cJSON_AddObjectToObject(json, "host_words");
    cJSON_AddNumberToObject(host, "loaded", (double)(all.bytes.loaded / 4));
    cJSON_AddNumberToObject(host, "kept", (double)(all.bytes.kept / 4));
    cJSON_AddNumberToObject(host, "collected", (double)(all.bytes.collected / 4));
    list_hazards(s, json);
    list_switches(s, json);
    list_collisions(s, json);
    bool good = json_write(json, s->stats, s->d);
    cJSON_Delete(json);
    return good;
}

/* Runs a file of batches, and leaves its results. */
static bool run_file(session *s, fw_batches *all, double begin, arena *mem) {
    file_out out;
    if (!file_create(&out, s->result, mem, s->d))
        return false;
    const uint32_t head[] = {0x52584e4fu /* "ONXR" */, 1, (uint32_t)all->runs, all->outputs};
    for (size_t i = 0; i < sizeof head / sizeof *head && all->part != FW_LIST; i++)
        file_put_u32(out.stream, head[i]);
    const uint32_t n = processes(s->options, all);
    if (!(n > 1 ? run_shares(s, all, n, out.stream, mem)
                : run_batches(s, all, 0, all->batches, out.stream))) {
        file_abandon(&out);
        return false;
    }
    s->batches += all->batches;
    return file_commit(&out, s->d) && (!s->stats || write_statistics(s, seconds_now() - begin));
}

/* Reads a name up to its zero byte; NULL if missing. */
static const char *read_name(arena *mem) {
    char *line = NULL;
    size_t room = 0;
    const ssize_t n = getdelim(&line, &room, '\0', stdin);
    const char *name = n > 1 && !line[n - 1] ? arena_strdup(mem, line) : NULL;
    free(line);
    return name;
}

/* Answers with a line, and waits for the next request: a file of batches, or NULL at the end. */
static const char *next_batches(session *s) {
    puts("done");
    fflush(stdout);
    const char *batches = read_name(s->mem);
    s->result = batches ? read_name(s->mem) : NULL;
    s->stats = s->result ? read_name(s->mem) : NULL;
    return s->stats ? batches : NULL;
}

/* Configured once, the array takes file after file. */
static bool run_all(session *s, fw_batches *all, arena *mem) {
    double begin = seconds_now();
    const char *batches;
    s->result = s->options->result;
    s->stats = s->options->stats;
    machine_reset(s->m);
    bool good = run_until_done(s, 0);
    s->checks.uncounted = good ? machine_count(s->m).cpu_cycles - mailbox_counter(s, TOTAL_CYCLES) : 0;
    good = good && run_file(s, all, begin, mem);
    while (good && s->options->more && (batches = next_batches(s))) {
        arena own = {0};
        fw_batches next;
        good = fw_batches_open(batches, s->board, &own, s->d, &next);
        if (good) {
            good = run_file(s, &next, begin, &own);
            fw_batches_close(&next);
        }
        arena_free(&own);
    }
    return good;
}

/* After any end of the run: collisions may be the cause. */
static void warn_of_collisions(const session *s) {
    machine_collision c;
    char text[200];
    for (size_t i = 0; machine_collided(s->m, i, &c); i++) {
        cosim_collision_text(&c, text, sizeof text);
        diag_warning(s->d, (src_loc){0}, "E0805-bank-collision", "%s", text);
    }
}

static void run(session *s, fw_batches *batches, arena *mem) {
    const cosim_options *o = s->options;
    s->m = cosim_machine(s->board, o->uart_out, s->d);
    if (!s->m)
        return;
    wave *waves = o->waves ? cosim_waves_begin(o->waves, s->m, mem, s->d) : NULL;
    if ((waves || !o->waves) && cosim_load_elf(s->m, o->elf, mem, s->d) && run_all(s, batches, mem))
        s->exit_code = COSIM_OK;
    warn_of_collisions(s);
    machine_destroy(s->m);
    if (waves && !wave_end(waves, s->d))
        s->exit_code = COSIM_USAGE;
}

int cosim_run(const cosim_options *o, const pnr_board *board, arena *mem, diagnostics *d) {
    fw_batches batches;
    session s = {.options = o, .board = board, .d = d, .mem = mem, .exit_code = COSIM_USAGE};
    s.hazards = arena_new_n(mem, uint32_t, hazard_tiles(&s));
    if (!fw_batches_open(o->batches, board, mem, d, &batches))
        return COSIM_USAGE;
    run(&s, &batches, mem);
    fw_batches_close(&batches);
    return s.exit_code;
}
