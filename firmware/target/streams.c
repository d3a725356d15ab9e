/* Keeps which streams have finished. The controller keeps done bits until they are cleared and holds its
 * interrupt as long as one is set, so they are moved here. Whoever waits has interrupts masked: the array's
 * line ends the sleep all the same, without the 24 cycles it takes to enter a handler and to leave it.
 *
 * Sleep stops the processor's clock, and with it the cycle counter and the tick, unless a debugger keeps it
 * on: without one
 * nobody sleeps here. Time-outs are counted by both, whichever runs. */
#include "firmware/target/hal.h"
#include "firmware/target/target.h"

static struct {
    volatile uint32_t done[STREAM_KINDS]; /* one bit a GLB tile */
    volatile uint32_t last;               /* cycle of the latest */
    volatile uint32_t ticks;              /* periods since streams_expect */
    uint32_t since;                       /* cycle of it */
    uint32_t timeout, tick_limit;
    bool poll;
} state;

enum { DONE_CYCLES = 5 }; /* cycles of the array: a done pulse sets its bit again as long as it lasts */

static inline uint32_t take(stream_kind kind, uint32_t isr) {
    uint32_t done = glc_read(isr);
    if (done) {
        state.last = cycles_now();
        while (cycles_now() - state.last < DONE_CYCLES)
            continue;
        glc_write(isr, done);
        state.done[kind] |= done;
    }
    return done;
}

/* Takes all done bits over, and returns whether there was any. */
static bool take_all(void) {
    uint32_t done = take(STREAM_STORE, GLC_F2G_ISR) | take(STREAM_LOAD, GLC_G2F_ISR);
    if (done)
        core_write(CORE_NVIC_ICPR, 1u << ONYX_CGRA_IRQ); /* a pending interrupt would end the next sleep */
    return done != 0;
}

void array_interrupt(void) {
    take_all();
}

void tick_interrupt(void) {
    state.ticks++;
}

void streams_enable(bool poll) {
    const uint32_t all = (1u << ONYX_GLB_TILES) - 1;
    state.poll = poll;
    for (uint32_t kind = 0; kind < STREAM_KINDS; kind++) { /* the registers of both stand side by side */
        glc_write(GLC_F2G_ISR + 4 * kind, all);
        glc_write(GLC_F2G_IER + 4 * kind, all);
        state.done[kind] = 0;
    }
    glc_write(GLC_GLOBAL_IER, FIELD(GLC_GLOBAL_IER_F2G, 1) | FIELD(GLC_GLOBAL_IER_G2F, 1));
    core_write(poll ? CORE_NVIC_ICER : CORE_NVIC_ISER, 1u << ONYX_CGRA_IRQ);
}

void streams_set_timeout(uint32_t timeout) {
    const uint32_t longest = 0xffffff;
    uint32_t period = timeout < longest ? timeout : longest;
    state.timeout = timeout;
    state.tick_limit = timeout / period + (timeout % period != 0);
    core_write(CORE_SYST_RELOAD, period - 1);
    streams_expect(0, 0);
    core_write(CORE_SYST_CTRL, FIELD(CORE_SYST_CTRL_ENABLE, 1) | FIELD(CORE_SYST_CTRL_TICKINT, 1) |
                                   FIELD(CORE_SYST_CTRL_CLKSOURCE, 1));
}

void streams_expect(uint32_t loads, uint32_t stores) {
    state.done[STREAM_LOAD] &= ~loads;
    state.done[STREAM_STORE] &= ~stores;
    state.since = cycles_now();
    core_write(CORE_SYST_VALUE, 0);
    state.ticks = 0;
}

uint32_t streams_open(stream_kind kind, uint32_t mask) {
    return mask & ~state.done[kind];
}

uint32_t streams_last_done(void) {
    return state.last;
}

static uint32_t first_complete(const stream_set *sets, uint32_t n) {
    uint32_t i = 0;
    while (i < n && (!sets[i].mask || (sets[i].mask & ~state.done[sets[i].kind])))
        i++;
    return i;
}

/* Gives the tick its turn. */
static void allow_interrupts(void) {
    hal_unmask_interrupts();
    hal_mask_interrupts();
}

static bool may_sleep(void) {
    return !state.poll && (core_read(CORE_DHCSR) & FIELD(CORE_DHCSR_C_DEBUGEN, 1));
}

uint32_t streams_wait(const stream_set *sets, uint32_t n) {
    bool expired = false;
    for (;;) {
        uint32_t complete = first_complete(sets, n);
        if (complete < n)
            return complete;
        if (take_all())
            continue;
        if (expired)
            return n;
        /* Either clock may stand still; look once more after the time is over. */
        expired = cycles_now() - state.since >= state.timeout || state.ticks >= state.tick_limit;
        if (!expired && may_sleep())
            hal_sleep();
        if (!take_all())
            allow_interrupts();
    }
}
