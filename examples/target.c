/* target.c - a program of your own for the chip's Cortex-M3 with onyx's dispatcher, for the first days with a board: a
 * log on UART 0 or, with OWN=-DLOG_BY_DEBUGGER, by semihosting, and a watchdog. Built by make -f target.mk ONYX=HOME
 * FOLDER=out/firmware; any host runs batches as on app.elf (docs/host.md). */
#include "firmware/onyx_dispatch.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))
enum { UART = 0x40002000, WATCHDOG = 0x40004000, PLATFORM = 0x40007000, MAILBOX_DONE = 0x2000005c };
enum { DIVIDER = 4340, UART_AND_WATCHDOG = 1 << 12 | 1 << 14 }; /* 115,200 baud at 500 MHz */
#ifndef WATCHDOG_CYCLES
#define WATCHDOG_CYCLES 0x10000000u /* more than a batch may take */
#endif

extern uint32_t stack_top[], data_load[], data_begin[], data_end[], bss_begin[], bss_end[]; /* of onyx.ld */

#ifdef LOG_BY_DEBUGGER
/* Stops the processor until the debugger has read the text, by the JTAG wires alone; without a debugger nothing. */
static void say(const char *text) {
    register uint32_t write_text __asm("r0") = 4;
    register const char *from __asm("r1") = text;
    if (REGISTER(0xe000edf0) & 1)
        __asm volatile("bkpt 0xab" : "+r"(write_text) : "r"(from) : "memory");
}
#else
static void say(const char *text) {
    for (; *text; text++) {
        while (REGISTER(UART + 4) & 1) /* the queue is full */
            continue;
        REGISTER(UART) = (uint32_t)*text;
    }
}
#endif

static void hangs(void) { /* the watchdog's interrupt; a reset follows after the same time */
    say("hangs\n");
    for (;;)
        __asm volatile("wfi");
}

static void reset(void) {
    for (uint32_t *from = data_load, *to = data_begin; to < data_end;)
        *to++ = *from++;
    for (uint32_t *to = bss_begin; to < bss_end;)
        *to++ = 0;
    REGISTER(PLATFORM + 0x44) &= ~(uint32_t)UART_AND_WATCHDOG; /* clocks */
    REGISTER(PLATFORM + 0x4c) &= ~(uint32_t)UART_AND_WATCHDOG; /* resets */
    REGISTER(UART + 0x10) = DIVIDER;
    REGISTER(UART + 8) = 1;
    say("starts\n");
    onyx_start();
    say("ready\n");
    REGISTER(WATCHDOG + 0xc00) = 0x1acce551; /* unlocked */
    REGISTER(WATCHDOG) = WATCHDOG_CYCLES;
    REGISTER(WATCHDOG + 8) = 3;
    for (;;) {
        const uint32_t before = REGISTER(MAILBOX_DONE);
        onyx_serve();
        REGISTER(WATCHDOG + 0xc) = 1;
        if (REGISTER(MAILBOX_DONE) != before)
            say("batch done\n");
    }
}

static void stop(void) {
    say("an exception\n");
    for (;;)
        __asm volatile("wfi");
}

typedef void (*handler)(void);
__attribute__((section(".vectors"), used)) static const handler vectors[16 + 13] = {
    (handler)stack_top,
    reset,
    hangs,
    [3 ... 14] = stop,
    [15] = tick_interrupt,
    [16 ... 16 + ONYX_ARRAY_INTERRUPT - 1] = stop,
    [16 + ONYX_ARRAY_INTERRUPT] = array_interrupt,
    [16 + ONYX_ARRAY_INTERRUPT + 1 ... 28] = stop,
};
