/* session.c - see session.h. The host's part of docs/firmware.md, with a debugger's access to memory. */
#include "rtl_models/soc/session.h"
#include "firmware/lists.h"
#include "firmware/sums.h"
#include "rtl_models/soc/machine_watch.h"
#include "rtl_models/soc/session_report.h"
#include "rtl_models/soc/session_shares.h"
#include "rtl_models/soc/waves.h"

#include <stdlib.h>

#define UART0 0x40002000u
#define WATCHDOG 0x40004000u

/* ---- the machine ----------------------------------------------------------------------------- */

static machine_times times_of(const pnr_board *b) {
    machine_times t = {.known = b->waits.known};
    for (unsigned end = 0; end < MACHINE_ENDS; end++) {
        t.code_wait[end] = b->waits.code[end];
        t.sram_wait[end] = b->waits.sram[end];
        t.interconnect[end] = b->waits.interconnect[end];
    }
    return t;
}

machine *cosim_machine(const pnr_board *b, cosim_chip chip, FILE *uart_out, diagnostics *d) {
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
                        .watchdog = WATCHDOG,
                        .irq = b->map.cgra_irq,
                        .array_cycles_per_cpu_cycle = ratio ? ratio : 1,
                        .uart_out = uart_out,
                        .times = times_of(b),
                        .clocking = chip.clocking,
                        .fault = chip.fault,
                        .hostile = chip.hostile,
                        .dense = chip.dense};
    machine *m = machine_create(&c);
    if (!m) {
        diag_error(d, (src_loc){0}, "E0753-processor",
                   "the processor model cannot be set up with the memory map of board '%s'", b->name);
        diag_hint(d, "memories must not overlap, and start and end at multiples of 4096");
    }
    return m;
}

/* ---- results ----------------------------------------------------------------------------------- */

/* Runs a file of batches, and leaves its results. */
static bool run_file(cosim_session *s, fw_batches *all, double begin, arena *mem) {
    file_out out;
    if (!file_create(&out, s->result, mem, s->d))
        return false;
    const uint32_t head[] = {0x52584e4fu /* "ONXR" */, 1, (uint32_t)all->runs, all->outputs};
    for (size_t i = 0; i < sizeof head / sizeof *head && all->callee != FW_COMMAND_LIST; i++)
        file_put_u32(out.stream, head[i]);
    const uint32_t n = session_processes(s->options, all);
    if (!(n > 1 ? session_run_shares(s, all, n, out.stream, mem)
                : session_run_batches(s, all, 0, all->batches, out.stream))) {
        file_abandon(&out);
        return false;
    }
    s->batches += all->batches;
    return file_commit(&out, s->d) && (!s->stats || session_write_statistics(s, seconds_now() - begin));
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
static const char *next_batches(cosim_session *s) {
    puts("done");
    fflush(stdout);
    const char *batches = read_name(s->mem);
    s->result = batches ? read_name(s->mem) : NULL;
    s->stats = s->result ? read_name(s->mem) : NULL;
    return s->stats ? batches : NULL;
}

/* Before its own count the program checks what was loaded; it may count before the array has a clock. */
static void count_boot(cosim_session *s) {
    const machine_counters now = machine_count(s->m);
    const uint64_t counted = session_mailbox_counter(s, TOTAL_CYCLES), of_array = counted * session_ratio(s);
    s->checks.uncounted = now.cpu_cycles - counted;
    s->checks.cycles = now.array_cycles > of_array ? now.array_cycles - of_array : 0;
}

/* Configured once, the array takes file after file. */
static bool run_all(cosim_session *s, fw_batches *all, arena *mem) {
    double begin = seconds_now();
    const char *batches;
    s->result = s->options->result;
    s->stats = s->options->stats;
    machine_reset(s->m);
    bool good = session_run_until_done(s, 0);
    if (good)
        count_boot(s);
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

static void run(cosim_session *s, fw_batches *batches, arena *mem) {
    const cosim_options *o = s->options;
    s->m = cosim_machine(s->board, (cosim_chip){o->dense, 0, o->hostile, o->clocking}, o->uart_out, s->d);
    if (!s->m)
        return;
    wave *waves = o->waves ? cosim_waves_begin(o->waves, s->m, mem, s->d) : NULL;
    if ((waves || !o->waves) && cosim_load_elf(s->m, o->elf, mem, s->d) && run_all(s, batches, mem))
        s->exit_code = COSIM_OK;
    session_warn_of_collisions(s);
    machine_destroy(s->m);
    if (waves && !wave_end(waves, s->d))
        s->exit_code = COSIM_USAGE;
}

int cosim_run(const cosim_options *o, const pnr_board *board, arena *mem, diagnostics *d) {
    fw_batches batches;
    cosim_session s = {.options = o, .board = board, .d = d, .mem = mem, .exit_code = COSIM_USAGE};
    s.hazards = arena_new_n(mem, uint32_t, session_hazard_tiles(&s));
    if (!fw_batches_open(o->batches, board, mem, d, &batches))
        return COSIM_USAGE;
    run(&s, &batches, mem);
    fw_batches_close(&batches);
    return s.exit_code;
}
