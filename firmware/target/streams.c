/* Starts streams and finds finished streams. The controller keeps a done bit of each until cleared, and
 * raises its interrupt while any bit is set. A bit is cleared before its stream starts again, and before the
 * processor sleeps.
 *
 * Sleep stops the processor's clock, and with the clock the cycle counter and the tick, unless a debugger
 * keeps the clock on: the firmware does not sleep without a debugger. A waiting function has interrupts
 * masked, and the array's interrupt is enabled only during sleep: its line ends the sleep without entering a
 * handler. Time-outs are counted by the cycle counter and the tick, whichever runs. */
#include "firmware/target/streams.h"
#include "firmware/target/hal.h"
#include "firmware/target/switch.h"

static struct {
    uint32_t done;        /* seen done, and not started since */
    uint32_t last, since; /* cycle of the latest return of streams_wait, and of the latest start */
    volatile uint32_t ticks;
    uint32_t timeout, tick_limit;
    uint32_t looks; /* before any other work; SLEEPER: sleep when idle */
    uint32_t awake; /* AWAKE_POLLS, or AWAKE_WORKS; 0: sleep is allowed */
    bool (*work)(void);
} state;

enum { DONE_CYCLES = 5 }; /* cycles of the array: a done pulse sets its bit again throughout the pulse */
enum { SLEEPER = 1, WORKER = 2, LOOKS = 64 };
enum { AWAKE_POLLS = 1, AWAKE_WORKS = 2 };

SMALL_FROM_HERE

/* The interrupt is enabled only while it cannot occur. */
void array_interrupt(void) {
    core_write(CORE_NVIC_ICER, 1u << ONYX_CGRA_IRQ);
}

void tick_interrupt(void) {
    state.ticks++;
}

void streams_enable(bool poll) {
    const uint32_t all = (1u << ONYX_GLB_TILES) - 1;
    state.awake = poll;
    state.done = 0;
    for (uint32_t kind = 0; kind < 2; kind++) { /* the registers of both stand side by side */
        glc_write(GLC_F2G_ISR + 4 * kind, all);
        glc_write(GLC_F2G_IER + 4 * kind, all);
    }
    glc_write(GLC_GLOBAL_IER, FIELD(GLC_GLOBAL_IER_F2G, 1) | FIELD(GLC_GLOBAL_IER_G2F, 1));
    core_write(CORE_NVIC_ICER, 1u << ONYX_CGRA_IRQ);
}

static void restart_timeout(uint32_t now) {
    state.since = now;
    core_write(CORE_SYST_VALUE, 0);
    state.ticks = 0;
}

void streams_set_timeout(uint32_t timeout) {
    const uint32_t longest = 0xffffff;
    uint32_t period = timeout < longest ? timeout : longest;
    state.timeout = timeout;
    state.tick_limit = (timeout - 1) / period + 1;
    core_write(CORE_SYST_RELOAD, period - 1);
    restart_timeout(cycles_now());
    core_write(CORE_SYST_CTRL, FIELD(CORE_SYST_CTRL_ENABLE, 1) | FIELD(CORE_SYST_CTRL_TICKINT, 1) |
                                   FIELD(CORE_SYST_CTRL_CLKSOURCE, 1));
}

/* Clears done bits, whose pulses are over. */
static void clear(uint32_t done) {
    while (cycles_now() - state.last < DONE_CYCLES)
        continue;
    glc_write(GLC_F2G_ISR, done >> STREAM_STORES);
    glc_write(GLC_G2F_ISR, done & STREAM_LOADS);
}

uint32_t streams_open(uint32_t streams) {
    return streams & ~state.done;
}

void streams_overlap(bool (*work)(void)) {
    state.work = work;
    state.awake = (state.awake & AWAKE_POLLS) | (work ? AWAKE_WORKS : 0);
}

/* No set is complete, and these done bits are set. Returns whether the time is over; otherwise does other
 * work, whose time belongs to no run, or sleeps if allowed. */
static ONCE __attribute__((noinline)) bool idle(uint32_t done) {
    hal_unmask_interrupts(); /* the tick may interrupt here */
    hal_mask_interrupts();
    state.last = cycles_now();
    if (state.last - state.since >= state.timeout || state.ticks >= state.tick_limit)
        return true;
    if (state.looks != SLEEPER) {
        if (state.looks == WORKER && state.work && state.work())
            restart_timeout(cycles_now());
        return false;
    }
    if (done) {
        clear(done); /* they would end the sleep */
    } else {
        core_write(CORE_NVIC_ISER, 1u << ONYX_CGRA_IRQ);
        hal_sleep();
        core_write(CORE_NVIC_ICER, 1u << ONYX_CGRA_IRQ);
    }
    core_write(CORE_NVIC_ICPR, 1u << ONYX_CGRA_IRQ); /* forgets earlier interrupts */
    return false;
}

SMALL_TO_HERE

void streams_rest(uint32_t streams) {
    if (state.done & streams)
        clear(streams);
    state.done &= ~streams;
}

uint32_t streams_start(uint32_t streams) {
    if (state.done & streams)
        clear(streams);
    hal_mask_interrupts();
    const uint32_t now = cycles_now();
    hal_order();
    glc_write(GLC_STREAM_START, streams);
    const bool debugger = core_read(CORE_DHCSR) & FIELD(CORE_DHCSR_C_DEBUGEN, 1);
    state.looks = debugger && !state.awake ? SLEEPER : state.awake & AWAKE_WORKS ? WORKER : LOOKS;
    state.done &= ~streams;
    restart_timeout(now);
    return now;
}

bool streams_end(const uint32_t *streams, uint32_t *when) {
    const uint32_t all = *streams;
    uint32_t looks = state.looks, done;
    do {
        done = glc_read(GLC_F2G_ISR) << STREAM_STORES;
        done |= glc_read(GLC_G2F_ISR);
    } while (all & ~done && --looks);
    if (looks) {
        state.done |= done;
        *when = state.last = cycles_now();
        return true;
    }
    return !streams_wait(streams, 1, when);
}

uint32_t streams_wait(const uint32_t *sets, uint32_t n, uint32_t *when) {
    for (bool expired = false;;) {
        const uint32_t before = state.done;
        uint32_t looks = state.looks, done, i;
        do {
            done = glc_read(GLC_F2G_ISR) << STREAM_STORES;
            done |= glc_read(GLC_G2F_ISR);
            i = 0;
            while (!sets[i] || (sets[i] & ~(before | done))) {
                if (++i == n)
                    break;
            }
        } while (i == n && --looks);
        state.done = before | done;
        if (i < n || expired) { /* looked at once more: either clock may stand still */
            *when = state.last = cycles_now();
            return i;
        }
        expired = idle(done);
    }
}
