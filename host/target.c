/* The host's part of docs/firmware.md: load, start, give batches, take results. */
#include <time.h>

#include "firmware/fault.h"
#include "firmware/lists.h"
#include "firmware/registers.h"
#include "firmware/sums.h"
#include "host/ready.h"
#include "host/target.h"
#include "host/tcl.h"

/* The pause between two reads of the mailbox grows between the bounds; a fixed share of the reads includes
 * the run table. Pauses are not shorter since OpenOCD logs each read. */
enum { FIRST_POLL_NS = 2000000, LAST_POLL_NS = 100000000, TABLE_EVERY = 4 };
enum { STATE, ERROR, DETAIL, DETAIL_1, COMMAND, DONE, POLLED_WORDS }; /* from FW_MAILBOX_STATE on */

static bool set_bit_off(host_link *l, uint32_t offset, uint32_t bit) {
    uint32_t value;
    return host_read_words(l, l->board->map.platform + offset, &value, 1) &&
           host_write_word(l, l->board->map.platform + offset, value & ~bit);
}

bool host_array_on(host_link *l) {
    return host_write_word(l, l->board->map.platform + PLATFORM_CGRA_CLK_SELECT, 0) &&
           set_bit_off(l, PLATFORM_CLK_GATE_EN, FIELD(PLATFORM_CLK_GATE_EN_CGRA, 1)) &&
           set_bit_off(l, PLATFORM_RESET_REQ, FIELD(PLATFORM_RESET_REQ_CGRA, 1));
}

static bool not_loaded(host_link *l, const char *elf, const char *what) {
    diag_error(l->d, (src_loc){0}, "E0785-load", "'%s' is not in the board's memory as it should be: %s", elf,
               what);
    return diag_hint(
        l->d,
        "a slower adapter speed in the board's OpenOCD configuration; or the file is damaged: compile again");
}

bool host_target_keeps(host_link *l, uint32_t first, uint32_t *words, uint32_t n, uint32_t flips,
                       uint32_t *bad) {
    for (uint32_t i = 0; i < n; i++)
        words[i] = host_pattern(first + 4 * i) ^ flips;
    if (!host_write(l, first, words, 4 * n) || !host_read(l, first, words, 4 * n))
        return false;
    *bad = 0;
    while (*bad < n && words[*bad] == (host_pattern(first + 4 * *bad) ^ flips))
        ++*bad;
    return true;
}

/* Tests words of SRAM as host_target_keeps: a word that keeps nothing is an error. */
static bool keeps_pattern(host_link *l, uint32_t first, uint32_t *words, uint32_t n, uint32_t flips) {
    uint32_t bad;
    if (!host_target_keeps(l, first, words, n, flips, &bad))
        return false;
    if (bad == n)
        return true;
    diag_error(l->d, (src_loc){0}, "E0789-sram",
               "the board's SRAM does not keep what is written: 0x%08x holds 0x%08x after a write of 0x%08x",
               first + 4 * bad, words[bad], host_pattern(first + 4 * bad) ^ flips);
    return diag_hint(l->d,
                     "power and adapter speed; if it is always the same word or bit, this chip's memory is "
                     "damaged and no program can be trusted on it");
}

/* Returns the end of the batches' use of SRAM: the end of the last run table. */
static uint32_t end_of_tables(const fw_batches *all) {
    uint32_t end = all ? FW_TABLE_OFFSET : FW_TABLE_END;
    for (uint32_t i = 0; all && i < all->batches; i++) {
        uint32_t of_batch =
            fw_table_offset(all->buffers, i) + all->list[i].runs * fw_row_bytes(all->inputs, all->outputs);
        end = of_batch > end ? of_batch : end;
    }
    return end;
}

bool host_target_try(host_link *l, const fw_batches *all, uint32_t first) {
    arena mem = {0};
    const uint32_t end = end_of_tables(all), n = end > first ? (end - first) / 4 : 0,
                   at = l->board->map.sram + first;
    uint32_t *words = arena_new_n(&mem, uint32_t, n + 1);
    const bool good = keeps_pattern(l, at, words, n, 0) && keeps_pattern(l, at, words, n, UINT32_MAX);
    arena_free(&mem);
    l->tried = good && n ? end : l->tried;
    return good;
}

static bool load(host_link *l, const char *elf) {
    const char *reply;
    bool failed;
    if (!host_command(l, &reply, &failed, "load_image %s 0 elf", host_tcl_word(elf, l->mem)))
        return false;
    if (failed)
        return not_loaded(l, elf, *reply ? reply : "OpenOCD cannot load it");
    return host_command(l, &reply, &failed, "verify_image %s 0 elf", host_tcl_word(elf, l->mem)) &&
           (!failed || not_loaded(l, elf, *reply ? reply : "it reads back differently"));
}

/* Adds the record of a fault, if the program left one in SRAM. */
static void note_fault(host_link *l) {
    fw_fault_record record;
    const pnr_memory_map *map = &l->board->map;
    uint32_t at;
    if (host_read_words(l, host_mailbox(l, FW_MAILBOX_RECORD), &at, 1) && at % 4 == 0 &&
        at - map->sram < map->sram_bytes - sizeof record &&
        host_read_words(l, at, (uint32_t *)&record, sizeof record / 4))
        fw_note_fault(&record, l->d);
}

static bool target_failed(host_link *l, const uint32_t *polled) {
    const fw_error_info *e = fw_error_find(polled[ERROR]);
    diag_error(l->d, (src_loc){0}, "E0787-target", "the program reports error %u: %s", polled[ERROR],
               e ? e->message : "not in the firmware's list");
    if (e)
        diag_hint(l->d, "%s", e->hint);
    for (uint32_t i = 0; e && i < 2; i++)
        if (e->detail[i][0])
            diag_note(l->d, (src_loc){0}, "%s: 0x%08x", e->detail[i], polled[DETAIL + i]);
    if (l->design && polled[ERROR] == FW_ERROR_RUN_TIMEOUT)
        fw_note_open_streams(l->design, polled[DETAIL], l->d);
    if (polled[ERROR] == FW_ERROR_HARD_FAULT)
        note_fault(l);
    host_nothing_lost(l); /* says the reason of a failure */
    return false;
}

static bool too_long(host_link *l, const char *what) {
    diag_error(l->d, (src_loc){0}, "E0783-no-answer", "board '%s' does not answer: %s for %.0f seconds",
               l->board->name, what, l->options->timeout);
    diag_hint(l->d, "a longer --timeout, if the program needs it; or start again");
    host_note_kept(l);
    host_nothing_lost(l); /* says the reason of a failure */
    return false;
}

void host_pause(uint32_t n) {
    long pause = n < 6 ? FIRST_POLL_NS << n : LAST_POLL_NS;
    nanosleep(&(const struct timespec){.tv_nsec = pause}, NULL);
}

static bool wait_until_ready(host_link *l) {
    double limit = seconds_now() + l->options->timeout;
    uint32_t head[2], polled[POLLED_WORDS];
    for (uint32_t n = 0; !host_interrupted; n++) {
        if (!host_read_words(l, host_mailbox(l, 0), head, 2) ||
            !host_read_words(l, host_mailbox(l, FW_MAILBOX_STATE), polled, POLLED_WORDS))
            return false;
        bool booted = head[0] == FW_MAILBOX_MAGIC;
        if (booted && head[1] != FW_PROTOCOL_VERSION) {
            diag_error(l->d, (src_loc){0}, "E0786-firmware",
                       "the program speaks version %u of the protocol, this onyx version %u", head[1],
                       (unsigned)FW_PROTOCOL_VERSION);
            return diag_hint(l->d, "compile again, so that both are of one version");
        }
        if (booted && polled[STATE] == FW_STATE_FAILED)
            return target_failed(l, polled);
        if (booted && polled[STATE] == FW_STATE_READY)
            return true;
        if (seconds_now() > limit)
            return too_long(l, "the program has not come up");
        host_pause(n);
    }
    return false;
}

/* Says how many words of the configuration had to be written twice. */
static bool count_rewritten(host_link *l, uint32_t *rewritten) {
    if (!host_read_words(l, host_mailbox(l, FW_MAILBOX_REWRITTEN), rewritten, 1))
        return false;
    if (*rewritten) {
        diag_warning(l->d, (src_loc){0}, "E0790-rewritten",
                     "%u %s of the configuration did not read back and %s written again", *rewritten,
                     plural(*rewritten, "word", "words"), plural(*rewritten, "was", "were"));
        diag_hint(l->d, "all of them are right now; power and clock of the board");
    }
    return true;
}

bool host_target_start(host_link *l, const char *elf, const fw_batches *all, uint32_t *rewritten) {
    return host_array_on(l) && host_target_try(l, all, FW_MAILBOX_OFFSET) && load(l, elf) &&
           host_write_word(l, host_mailbox(l, 0), 0) && /* no magic is there before the program's own */
           host_command(l, NULL, NULL, "reset run") && wait_until_ready(l) && count_rewritten(l, rewritten);
}

/* Counts the finished runs of the batch by the cycles in the table. Runs finish nearly in order, near enough
 * for a progress bar: a binary search from the known runs on. */
static bool count_runs(host_link *l, const fw_batch *b, uint32_t row_bytes, uint32_t *known) {
    uint32_t low = *known, high = b->runs;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2, cycles;
        if (!host_read_words(l, b->table + (middle + 1) * row_bytes - FW_END_BYTES + FW_AT_end_cycles,
                             &cycles, 1))
            return false;
        if (cycles)
            low = middle + 1;
        else
            high = middle;
    }
    *known = low;
    return true;
}

void host_tell(const host_link *l, const fw_batches *all, uint32_t batch, uint32_t done) {
    const host_options *o = l->options;
    if (o->progress)
        o->progress(o->context, &(const host_progress){batch, all->batches, done, all->list[batch].runs,
                                                       l->runs_before + done, all->runs});
}

static bool read_counters(host_link *l, host_batch_result *out) {
    uint32_t counters[6];
    if (!host_read_words(l, host_mailbox(l, FW_MAILBOX_CYCLES), counters, 6))
        return false;
    for (uint32_t i = 0; i < 3; i++)
        out->counters[i] = counters[2 * i] | (uint64_t)counters[2 * i + 1] << 32;
    return true;
}

bool host_target_wait(host_link *l, const fw_batches *all, uint32_t batch, const fw_batch *b,
                      host_batch_result *out) {
    uint32_t row_bytes = fw_row_bytes(all->inputs, all->outputs), runs = 0, polled[POLLED_WORDS];
    double moved = seconds_now();
    host_tell(l, all, batch, 0);
    for (uint32_t n = 1; !host_interrupted; n++) {
        uint32_t before = runs;
        if (!host_read_words(l, host_mailbox(l, FW_MAILBOX_STATE), polled, POLLED_WORDS))
            return false;
        if (polled[STATE] == FW_STATE_FAILED)
            return target_failed(l, polled);
        if (polled[STATE] == FW_STATE_READY && polled[DONE] == l->batches_before + batch + 1)
            return read_counters(l, out);
        if (n % TABLE_EVERY == 0 &&
            !(all->callee == FW_COMMAND_LIST ? host_read_words(l, host_mailbox(l, FW_MAILBOX_STEPS), &runs, 1)
                                             : count_runs(l, b, row_bytes, &runs)))
            return false;
        if (runs != before)
            moved = seconds_now();
        if (runs != before && runs < b->runs) /* the last run is told when the batch is kept */
            host_tell(l, all, batch, runs);
        if (seconds_now() - moved > l->options->timeout)
            return too_long(l, "no run has finished");
        host_pause(n);
    }
    return false;
}

static bool bad_range(host_link *l, uint32_t address, uint32_t words) {
    diag_error(l->d, (src_loc){0}, "E0788-output-range", "the program says an output of %u %s lies at 0x%08x",
               words, plural(words, "word", "words"), address);
    return diag_hint(l->d, "the program belongs to another board or is damaged: compile again");
}

/* Widens the pieces until the pieces hold all outputs; an output lies in a single bank. */
static bool find_pieces(host_link *l, const fw_batches *all, const fw_batch *b, const uint32_t *table,
                        host_piece *banks) {
    uint32_t row_words = fw_row_bytes(all->inputs, all->outputs) / 4, bank = l->board->glb_bank_bytes;
    uint32_t n = l->board->glb_tiles * l->board->glb_banks_per_tile;
    for (uint32_t i = 0; i < b->runs * all->outputs; i++) {
        const uint32_t *cell =
            &table[i / all->outputs * row_words + fw_store_cell(all->inputs, i % all->outputs) / 4];
        const uint32_t first = cell[FW_WORD_cell_first], words = cell[FW_WORD_cell_words],
                       at = host_bank_of(l->board, first), begin = first & ~3u,
                       offset = at == n ? first & ~FW_SCRATCH : first % bank,
                       room = at == n ? FW_SCRATCH_END - FW_SCRATCH_OFFSET : bank;
        if (at > n || words > room / 2 || offset + 2 * words > room)
            return bad_range(l, first, words);
        if (words == 0)
            continue;
        host_piece *p = &banks[at];
        uint32_t end = (first + 2 * words + 3) & ~3u, old = p->first + p->bytes;
        p->first = p->bytes && p->first < begin ? p->first : begin;
        p->bytes = (old > end && p->bytes ? old : end) - p->first;
    }
    return true;
}

/* Records the words left by the stores: a run's words follow the previous run's, unless copies start
 * independently. */
static void note_outputs(host_link *l, const fw_batches *all, const fw_batch *b, const host_batch_result *r) {
    const uint32_t row_words = fw_row_bytes(all->inputs, all->outputs) / 4, bank = l->board->glb_bank_bytes;
    for (uint32_t o = 0; o < all->outputs; o++) {
        fw_segment stored = {0};
        for (uint32_t run = 0; run < b->runs; run++) {
            const uint32_t *cell = &r->table[run * row_words + fw_store_cell(all->inputs, o) / 4],
                           first = cell[FW_WORD_cell_first], words = cell[FW_WORD_cell_words],
                           address = fw_address(l->board, first);
            const host_piece *p = &r->banks[host_bank_of(l->board, first)];
            if (!words)
                continue;
            if (stored.bytes && (stored.address + stored.bytes != address || first % bank == 0)) {
                fw_is_there(&l->there, &stored, l->mem);
                stored.bytes = 0;
            }
            if (!stored.bytes)
                stored = (fw_segment){address, 0, p->content + (first - p->first)};
            stored.bytes += 2 * words;
        }
        if (stored.bytes)
            fw_is_there(&l->there, &stored, l->mem);
    }
}

/* Reads the results of a list, and forgets words overwritten by its stores. */
static bool collect_list(host_link *l, const fw_batch *b, arena *mem, fw_list_result *out) {
    uint32_t head[2];
    *out = (fw_list_result){0};
    if (!host_read_words(l, host_mailbox(l, FW_MAILBOX_STEPS), &out->steps, 1) ||
        !host_read_words(l, b->table, head, 2))
        return false;
    const uint32_t bytes = FW_LIST_HEAD + head[0] * FW_COMMAND_BYTES;
    if (head[0] > (FW_TABLE_END - FW_TABLE_OFFSET) / FW_COMMAND_BYTES)
        return bad_range(l, b->table, bytes / 2);
    fw_command *commands = arena_new_n(mem, fw_command, head[0] + 1);
    out->n = head[0];
    out->cycles = arena_alloc(mem, sizeof *out->cycles * ((size_t)head[0] + 1));
    if (!host_read(l, b->table + FW_LIST_HEAD, commands, bytes - FW_LIST_HEAD))
        return false;
    for (uint32_t i = 0; i < head[0]; i++)
        memcpy(out->cycles[i], &commands[i].word[FW_COMMAND_CYCLES / 4], sizeof *out->cycles);
    l->bytes.collected += bytes - FW_LIST_HEAD;
    for (uint32_t i = 0; i < b->stored.len; i++)
        fw_is_there(&l->there, &b->stored.at[i], l->mem);
    /* The program counts in the list's words, which therefore differ from the loaded words. */
    fw_is_there(&l->there, &(fw_segment){b->table, bytes, NULL}, l->mem);
    return true;
}

bool host_target_collect(host_link *l, const fw_batches *all, const fw_batch *b, arena *mem,
                         host_batch_result *out) {
    if (all->callee == FW_COMMAND_LIST)
        return collect_list(l, b, mem, &out->list);
    uint32_t table_bytes = b->runs * fw_row_bytes(all->inputs, all->outputs);
    const uint32_t banks = l->board->glb_tiles * l->board->glb_banks_per_tile + 1;
    out->table = arena_alloc(mem, table_bytes);
    out->banks = arena_new_n(mem, host_piece, banks);
    if (!host_read(l, b->table, out->table, table_bytes) || !find_pieces(l, all, b, out->table, out->banks))
        return false;
    for (uint32_t i = 0; i < banks; i++) {
        host_piece *p = &out->banks[i];
        p->content = arena_alloc(mem, p->bytes);
        if (!host_read(l, fw_address(l->board, p->first), p->content, p->bytes))
            return false;
        l->bytes.collected += p->bytes;
    }
    note_outputs(l, all, b, out);
    return true;
}

/* Whether an earlier run table can stay. Cycles in a run table show the progress of a batch, and old cycles
 * would be wrong; nobody reads the progress of a short batch. */
static bool may_stay(const host_link *l, const fw_batch *b, const fw_segment *g) {
    enum { SHORT_BATCH = 64 };
    return g->address >= l->board->map.cgra_data || b->runs <= SHORT_BATCH;
}

/* Waits for the end of command `number`, during which the array stands still. */
static bool wait_for_check(host_link *l, uint32_t number) {
    const double limit = seconds_now() + l->options->timeout;
    uint32_t polled[POLLED_WORDS];
    for (uint32_t n = 0; !host_interrupted; n++) {
        if (!host_read_words(l, host_mailbox(l, FW_MAILBOX_STATE), polled, POLLED_WORDS))
            return false;
        if (polled[STATE] == FW_STATE_FAILED)
            return target_failed(l, polled);
        if (polled[STATE] == FW_STATE_READY && polled[DONE] == number)
            return true;
        if (seconds_now() > limit)
            return too_long(l, "the program has not checked what was loaded");
        host_pause(n);
    }
    return false;
}

static bool put_word(void *link, uint32_t offset, uint32_t value) {
    host_link *l = link;
    return host_write_word(l, host_mailbox(l, offset), value);
}
static bool wait_number(void *link, uint32_t number) {
    return wait_for_check(link, number);
}

/* Lets the program check the segments loaded since the last batch began. */
static bool check_loaded(host_link *l) {
    return fw_check_loaded(&(fw_check_by){l, put_word, wait_number}, &l->unchecked, &l->checks);
}

bool host_target_load(host_link *l, const fw_batch *b, bool now) {
    for (uint32_t i = 0; i < b->segments.len; i++) {
        const fw_segment *g = &b->segments.at[i];
        if (fw_may_stay(&l->there, g, fw_is_again(b, i), l->mem) && may_stay(l, b, g)) {
            l->bytes.kept += g->bytes;
            continue;
        }
        if (!host_write(l, g->address, g->content, g->bytes))
            return false;
        l->bytes.loaded += g->bytes;
        if (!l->options->unchecked)
            vec_push(l->mem, &l->unchecked,
                     ((fw_put){g->address, g->bytes, fw_sum(g->address, g->content, g->bytes)}));
    }
    return !now || check_loaded(l);
}

bool host_target_begin(host_link *l, const fw_batches *all, uint32_t batch, const fw_batch *b) {
    return check_loaded(l) && host_write_word(l, host_mailbox(l, FW_MAILBOX_RUNS), b->runs) &&
           host_write_word(l, host_mailbox(l, FW_MAILBOX_TABLE), b->table) &&
           host_write_word(l, host_mailbox(l, FW_MAILBOX_OUTPUTS), b->outputs) &&
           host_write_word(l, host_mailbox(l, FW_MAILBOX_CALLEE), all->callee) &&
           host_write_word(l, host_mailbox(l, FW_MAILBOX_COMMAND), l->batches_before + batch + 1);
}
