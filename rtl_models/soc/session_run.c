/* Batches and lists of a session, run: what is loaded, until the program is done, what it stored. */
#include "firmware/fault.h"
#include "firmware/lists.h"
#include "firmware/sums.h"
#include "rtl_models/soc/machine_memory.h"
#include "rtl_models/soc/machine_watch.h"
#include "rtl_models/soc/session_int.h"

#include <inttypes.h>
#include <stdlib.h>

uint32_t session_mailbox(const cosim_session *s, uint32_t offset) {
    return machine_word(s->m, s->board->map.sram + FW_MAILBOX_OFFSET + offset);
}

uint64_t session_mailbox_counter(const cosim_session *s, uint32_t at) {
    return session_mailbox(s, at) | (uint64_t)session_mailbox(s, at + 4) << 32;
}

static void put_mailbox(cosim_session *s, uint32_t offset, uint32_t value) {
    uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                        (uint8_t)(value >> 24)};
    machine_load(s->m, s->board->map.sram + FW_MAILBOX_OFFSET + offset, bytes, sizeof bytes);
}

/* A note for each line of the machine's description. */
static void note_stuck(cosim_session *s) {
    char *text = machine_describe_stuck(s->m);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        diag_note(s->d, (src_loc){0}, "%s", line);
    free(text);
}

/* Adds the record of a fault, if the program left one in SRAM. */
static void note_fault(cosim_session *s) {
    fw_fault_record record;
    const uint32_t at = session_mailbox(s, FW_MAILBOX_RECORD);
    if (machine_dump(s->m, at, &record, sizeof record))
        fw_note_fault(&record, s->d);
}

static bool target_failed(cosim_session *s) {
    const fw_error_info *e = fw_error_find(session_mailbox(s, FW_MAILBOX_ERROR));
    const char *refused = machine_refused(s->m);
    s->exit_code = COSIM_TARGET;
    diag_error(s->d, (src_loc){0}, "E0760-target", "the program reports error %u: %s",
               session_mailbox(s, FW_MAILBOX_ERROR), e ? e->message : "not in the firmware's list");
    if (e)
        diag_hint(s->d, "%s", e->hint);
    for (uint32_t i = 0; e && i < 2; i++)
        if (e->detail[i][0])
            diag_note(s->d, (src_loc){0}, "%s: 0x%08x", e->detail[i],
                      session_mailbox(s, FW_MAILBOX_DETAIL + 4 * i));
    if (refused[0])
        diag_note(s->d, (src_loc){0}, "%s", refused);
    if (session_mailbox(s, FW_MAILBOX_ERROR) == FW_ERROR_HARD_FAULT)
        note_fault(s);
    note_stuck(s);
    return false;
}

static bool stopped(cosim_session *s) {
    const char *refused = machine_refused(s->m);
    s->exit_code = COSIM_TARGET;
    diag_error(s->d, (src_loc){0}, "E0761-stopped", "the machine stopped: %s", machine_stop_reason(s->m));
    diag_hint(s->d, "look the address up in app.map");
    if (refused[0])
        diag_note(s->d, (src_loc){0}, "%s", refused);
    return false;
}

static bool out_of_time(cosim_session *s, const char *code, const char *what, uint64_t limit) {
    s->exit_code = COSIM_WATCHDOG;
    diag_error(s->d, (src_loc){0}, code, "%s %" PRIu64 " array cycles", what, limit);
    diag_hint(
        s->d,
        "follow the open streams below upstream; a design that needs more time gets it with --watchdog and "
        "--max-cycles");
    note_stuck(s);
    return false;
}

uint64_t session_ratio(const cosim_session *s) {
    const uint64_t ratio = (s->board->cgra_mhz + s->board->cpu_mhz / 2) / s->board->cpu_mhz;
    return ratio ? ratio : 1;
}

/* Limit of array cycles for a row of calls, approximately: two minutes of co-simulation. */
static const uint64_t CALLS_MOST = UINT64_C(1) << 29;

/* Time in array cycles at full clock: goes on when the array has no clock. */
static bool in_time(cosim_session *s) {
    machine_counters c = machine_count(s->m);
    const uint64_t now = c.cpu_cycles * session_ratio(s);
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

static void add_switch(cosim_session *s, uint64_t words, uint64_t cycles) {
    uint32_t i = 0;
    while (i < s->switches.len && s->switches.at[i].words != words)
        i++;
    if (i == s->switches.len)
        vec_push(s->mem, &s->switches,
                 ((cosim_switches){.words = words, .first = cycles, .least = UINT64_MAX}));
    cosim_switches *one = &s->switches.at[i];
    if (one->times++) {
        one->least = cycles < one->least ? cycles : one->least;
        one->most = cycles > one->most ? cycles : one->most;
    }
}

/* Looks whether a command of a list is over, and whether another bitstream runs. */
static void watch_switches(cosim_session *s) {
    const machine_counters now = machine_count(s->m);
    const machine_switch last = now.last;
    const uint32_t commands = session_mailbox(s, FW_MAILBOX_STEPS);
    if (commands != s->commands) {
        s->commands = commands;
        s->commands_to = now.array_cycles;
        s->commands_from = s->commands_from < last.stored ? s->commands_to : s->commands_from;
    }
    if (last.started == s->switched)
        return;
    s->switched = last.started;
    add_switch(s, last.words,
               last.started - last.departed - (s->checks.since > last.departed ? s->checks.lately : 0) -
                   (s->commands_from > last.departed ? s->commands_to - s->commands_from : 0));
    s->checks.lately = 0;
}

static bool wrong_version(cosim_session *s) {
    s->exit_code = COSIM_TARGET;
    diag_error(s->d, (src_loc){0}, "E0760-target", "the program speaks version %u of the protocol, not %u",
               session_mailbox(s, FW_MAILBOX_VERSION), (unsigned)FW_PROTOCOL_VERSION);
    diag_hint(s->d, "compile again, so that program and onyx-cosim are of one version");
    return false;
}

bool session_run_until_done(cosim_session *s, uint32_t number) {
    enum { CHECK_TIME_EVERY = 256 };
    for (uint32_t i = 1;; i++) {
        if (!machine_step(s->m))
            return stopped(s);
        watch_switches(s);
        if (i % CHECK_TIME_EVERY == 0 && !in_time(s))
            return false;
        if (session_mailbox(s, 0) != FW_MAILBOX_MAGIC)
            continue;
        uint32_t state = session_mailbox(s, FW_MAILBOX_STATE);
        if (state == FW_STATE_FAILED)
            return target_failed(s);
        if (session_mailbox(s, FW_MAILBOX_VERSION) != FW_PROTOCOL_VERSION)
            return wrong_version(s);
        if (state == FW_STATE_READY && session_mailbox(s, FW_MAILBOX_DONE) == number)
            return true;
    }
}

/* Words that a store has written in the runs up to now. */
typedef struct {
    uint32_t address, bytes;
    uint8_t *content; /* of a bank's size */
} stored;

static void note_stored(cosim_session *s, const stored *one) {
    if (one->bytes)
        fw_is_there(&s->there, &(fw_segment){one->address, one->bytes, one->content}, s->mem);
}

/* The next run's words follow the previous words; with independent starts of copies, another copy's words may
 * be in between. */
static void add_stored(cosim_session *s, stored *to, uint32_t address, const uint8_t *content,
                       uint32_t bytes) {
    if (to->address + to->bytes != address || to->bytes + bytes > s->board->glb_bank_bytes) {
        note_stored(s, to);
        *to = (stored){address, 0, to->content};
    }
    memcpy(to->content + to->bytes, content, bytes);
    to->bytes += bytes;
}

/* A stream of a run: length in 16-bit words, words, padding. */
static bool write_output(cosim_session *s, uint32_t address, uint32_t words, stored *to, FILE *out) {
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

static bool wrong_runs(cosim_session *s, const char *what, uint64_t wanted, uint64_t got) {
    s->exit_code = COSIM_TARGET;
    diag_error(s->d, (src_loc){0}, "E0763-runs", "%s: %" PRIu64 " expected, the program says %" PRIu64, what,
               wanted, got);
    diag_hint(s->d, "the program does not follow docs/firmware.md");
    return false;
}

bool session_is_function(const fw_batches *all) {
    return all->callee >= FW_FUNCTION && all->callee != FW_COMMAND_LIST;
}

/* Results of a batch out of its run table; `first_run`: earlier start pulses. */
static bool write_runs(cosim_session *s, const fw_batches *all, const fw_batch *b, uint64_t first_run,
                       stored *to, FILE *out) {
    uint32_t row_bytes = fw_row_bytes(all->inputs, all->outputs);
    for (uint32_t run = 0; run < b->runs; run++) {
        uint32_t row = b->table + run * row_bytes, end = row + row_bytes - FW_END_BYTES,
                 start = machine_word(s->m, end + FW_AT_end_start) >> FW_LOW_end_start;
        if (start >= b->runs)
            return wrong_runs(s, "starts in a batch", b->runs, start + 1ull);
        uint64_t cycles = session_is_function(all) || fw_is_collecting(all)
                              ? (uint64_t)machine_word(s->m, end + FW_AT_end_cycles) * session_ratio(s)
                              : machine_run_cycles(s->m, first_run + start);
        file_put_u32(out, (uint32_t)cycles);
        file_put_u32(out, (uint32_t)(cycles >> 32));
        for (uint32_t o = 0; o < all->outputs; o++) {
            uint32_t cell = row + fw_store_cell(all->inputs, o);
            if (!write_output(s, fw_address(s->board, machine_word(s->m, cell + FW_AT_cell_first)),
                              machine_word(s->m, cell + FW_AT_cell_words), &to[o], out))
                return false;
        }
    }
    return true;
}

static bool write_results(cosim_session *s, const fw_batches *all, const fw_batch *b, uint64_t first_run,
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
static bool is_there(cosim_session *s, const fw_batch *b, uint32_t k) {
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

static void load(cosim_session *s, const fw_batch *b, uint32_t k) {
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

void session_load_batch(cosim_session *s, const fw_batch *b) {
    for (uint32_t k = 0; k < b->segments.len; k++)
        load(s, b, k);
}

static bool put_word(void *of, uint32_t offset, uint32_t value) {
    put_mailbox(of, offset, value);
    return true;
}

static bool wait_number(void *of, uint32_t number) {
    return session_run_until_done(of, number);
}

/* Makes the program check the loaded segments. */
static bool check_loaded(cosim_session *s) {
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
    for (unsigned end = 0; end < MACHINE_ENDS; end++)
        s->checks.lag[end] += now.lag[end] - before.lag[end];
    return good;
}

bool session_make_runs(cosim_session *s, const fw_batches *all, uint32_t i, const fw_batch *b,
                       uint32_t first) {
    if (!check_loaded(s))
        return false;
    put_mailbox(s, FW_MAILBOX_RUNS, b->runs - first);
    put_mailbox(s, FW_MAILBOX_TABLE, b->table + first * fw_row_bytes(all->inputs, all->outputs));
    put_mailbox(s, FW_MAILBOX_OUTPUTS, b->outputs);
    put_mailbox(s, FW_MAILBOX_CALLEE, all->callee);
    put_mailbox(s, FW_MAILBOX_COMMAND, s->batches + i + 1);
    if (s->calls != session_is_function(all))
        s->moved_at = machine_count(s->m).cpu_cycles * session_ratio(s);
    s->calls = session_is_function(all);
    return session_run_until_done(s, s->batches + i + 1);
}

/* Takes the result of a list, and forgets data overwritten by its stores. */
static bool write_list(cosim_session *s, const fw_batch *b, FILE *out) {
    arena scratch = {0};
    fw_list_result r = {.steps = session_mailbox(s, FW_MAILBOX_STEPS), .n = machine_word(s->m, b->table)};
    r.cycles = arena_alloc(&scratch, sizeof *r.cycles * ((size_t)r.n + 1));
    for (uint32_t i = 0; i < r.n; i++) {
        const uint32_t at = b->table + FW_LIST_HEAD + i * FW_COMMAND_BYTES + FW_COMMAND_CYCLES;
        for (uint32_t c = 0; c < FW_COMMAND_COUNTERS; c++)
            r.cycles[i][c] = machine_word(s->m, at + 4 * c);
    }
    s->bytes.collected += sizeof *r.cycles * r.n;
    for (uint32_t i = 0; i < b->stored.len; i++)
        fw_is_there(&s->there, &b->stored.at[i], s->mem);
    /* The program counts in the list, which has changed. */
    fw_is_there(&s->there, &(fw_segment){b->table, FW_LIST_HEAD + r.n * FW_COMMAND_BYTES, NULL}, s->mem);
    const bool good = fw_write_list_result(out, &r);
    arena_free(&scratch);
    return good;
}

static bool run_batch(cosim_session *s, const fw_batches *all, uint32_t i, const fw_batch *b, FILE *out) {
    uint64_t first_run = machine_count(s->m).runs;
    if (fw_is_collecting(all)) {
        session_load_batch(s, b);
        return check_loaded(s) && write_results(s, all, b, first_run, out);
    }
    machine_forget_runs(s->m);
    if (!(session_is_function(all) &&
          all->callee & FW_REST)) /* the function is resident, and half of the runs are done */
        session_load_batch(s, b);
    if (all->callee == FW_COMMAND_LIST)
        return session_make_runs(s, all, i, b, 0) && write_list(s, b, out);
    if (!session_make_runs(s, all, i, b, 0))
        return false;
    if (session_is_function(all) && all->callee & FW_OVERLAPPED)
        return true; /* the rows come with FW_REST */
    const uint64_t runs = machine_count(s->m).runs - first_run,
                   wanted = session_is_function(all) ? 0 : b->runs;
    return runs == wanted ? write_results(s, all, b, first_run, out)
                          : wrong_runs(s, "start pulses of a batch", wanted, runs);
}

bool session_run_batches(cosim_session *s, fw_batches *all, uint32_t first, uint32_t end, FILE *out) {
    bool good = true;
    for (uint32_t i = first; good && i < end; i++) {
        arena mem = {0};
        fw_batch batch;
        good = fw_batches_get(all, i, &mem, s->d, &batch) && run_batch(s, all, i, &batch, out);
        arena_free(&mem);
    }
    return good;
}
