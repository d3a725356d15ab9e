/* m3_program.c - program of test_m3.c for the processor model: the host chooses a case a call. The program
 * logs to SRAM. Built for Cortex-M3 without any library. */
#include <stdint.h>

#include "m3_program.h"

#define REG(address) (*(volatile uint32_t *)(address))
#define SCS(offset) REG(0xE000E000u + (offset))
#define NAKED __attribute__((naked))

static volatile m3_log *const out = (volatile m3_log *)M3_LOG;

static void note(uint32_t value) {
    out->value[out->len++] = value;
}
static uint32_t ipsr(void) {
    uint32_t n;
    __asm volatile("mrs %0, ipsr" : "=r"(n));
    return n;
}
static void line(uint32_t n, uint32_t level) {
    REG(M3_LINES + 4 * n) = level;
    __asm volatile("nop");
}
static void set_priority(uint32_t exception, uint8_t priority) {
    volatile uint8_t *bytes =
        (volatile uint8_t *)(exception < 16 ? 0xE000ED14u + exception : 0xE000E3F0u + exception);
    *bytes = priority;
}
static void enable(uint32_t irqs) {
    SCS(0x100) = irqs;
}

/* ---- handlers -------------------------------------------------------------------------------- */

void irq3(void) {
    note(ipsr());
    line(3, 0);
    if (out->which == CASE_NESTED || out->which == CASE_NOT_NESTED)
        line(9, 1);
    note(0x30);
}
void irq9(void) {
    note(ipsr());
    line(9, 0);
    note(0x90);
}
void systick(void) {
    note(ipsr());
}
void pendsv(void) {
    note(ipsr());
}
/* frame: r0 r1 r2 r3 r12 lr pc xpsr */
__attribute__((used)) void svc_body(uint32_t *frame) {
    note(ipsr());
    note(*(uint8_t *)(frame[6] - 2)); /* the number in the instruction */
    SCS(0xD04) = 1u << 28;            /* PendSV */
    frame[0] += 1;
    note(0x50);
}
__attribute__((used)) void fault_body(uint32_t *frame) {
    note(ipsr());
    note(SCS(0xD28)); /* CFSR */
    note(SCS(0xD2C)); /* HFSR */
    note(SCS(0xD38)); /* BFAR */
    if (out->which == CASE_LOCKUP)
        (void)REG(M3_NOWHERE);
    SCS(0xD28) = ~0u;
    frame[6] += 2; /* skip the 16-bit instruction */
}
NAKED void svc(void) {
    __asm volatile("tst lr, #4\n ite eq\n mrseq r0, msp\n mrsne r0, psp\n b svc_body");
}
NAKED void fault(void) {
    __asm volatile("tst lr, #4\n ite eq\n mrseq r0, msp\n mrsne r0, psp\n b fault_body");
}

/* ---- cases ----------------------------------------------------------------------------------- */

/* Registers around an interrupt in the middle. */
static NAKED uint32_t raise_and_sum(uint32_t address) {
    __asm volatile("push {r4, lr}\n movs r4, #1\n movs r1, #2\n movs r2, #3\n movs r3, #4\n mov r12, #5\n"
                   "str r4, [r0]\n nop\n nop\n"
                   "add r4, r1\n add r4, r2\n add r4, r3\n add r4, r12\n mov r0, r4\n pop {r4, pc}");
}
static void case_irq(void) {
    enable(1u << 9);
    note(raise_and_sum(M3_LINES + 4 * 9));
    note(ipsr());
}
static void case_nested(uint8_t priority_of_9) {
    set_priority(16 + 3, 0x40);
    set_priority(16 + 9, priority_of_9);
    enable(1u << 3 | 1u << 9);
    line(3, 1);
    note(ipsr());
}
static void case_sleep(void) {
    enable(1u << 9);
    __asm volatile("cpsid i");
    REG(M3_LATER) = 100; /* line 9, after 100 cycles */
    __asm volatile("wfi");
    note(1);
    __asm volatile("cpsie i\n isb");
    note(2);
}
static void case_tick(void) {
    SCS(0xDFC) = 1u << 24;
    REG(0xE0001004u) = 0;
    REG(0xE0001000u) = 1;
    SCS(0x014) = 999;
    SCS(0x018) = 0;
    SCS(0x010) = 7;
    while (out->len < 3)
        __asm volatile("wfi");
    SCS(0x010) = 0;
    note(REG(0xE0001004u));
}
static void case_svc(void) {
    register uint32_t r0 __asm("r0") = 41;
    set_priority(14, 0xE0);
    __asm volatile("svc 7" : "+r"(r0) : : "r1", "r2", "r3", "memory");
    note(r0);
}
static NAKED uint32_t load_from(uint32_t address) {
    __asm volatile("ldr r1, [r0]\n mov r0, #77\n bx lr");
}
static void undefined(void) {
    __asm volatile("udf #1");
}
/* Thread mode on the process stack, misaligned by 4. */
static NAKED uint32_t on_process_stack(uint32_t top) {
    __asm volatile("push {r4, lr}\n msr psp, r0\n movs r4, #2\n msr control, r4\n isb\n"
                   "svc 9\n nop\n"
                   "mrs r0, psp\n movs r4, #0\n msr control, r4\n isb\n pop {r4, pc}");
}
static void case_base_priority(void) {
    set_priority(16 + 9, 0x40);
    enable(1u << 9);
    __asm volatile("msr basepri, %0" : : "r"(0x40));
    line(9, 1);
    note(1); /* still held back */
    __asm volatile("msr basepri, %0\n nop" : : "r"(0));
    note(2);
}

void start(void) {
    switch (out->which) {
    case CASE_IRQ:
        case_irq();
        break;
    case CASE_NESTED:
        case_nested(0x20);
        break;
    case CASE_NOT_NESTED:
        case_nested(0x40);
        break;
    case CASE_SLEEP:
        case_sleep();
        break;
    case CASE_TICK:
        case_tick();
        break;
    case CASE_SVC:
        case_svc();
        break;
    case CASE_UNMAPPED:
    case CASE_LOCKUP:
        note(load_from(M3_NOWHERE));
        break;
    case CASE_REFUSED:
        note(load_from(M3_REFUSED));
        break;
    case CASE_BUS_FAULT:
        SCS(0xD24) = 1u << 17;
        note(load_from(M3_REFUSED));
        break;
    case CASE_UNDEFINED:
        undefined();
        note(78);
        break;
    case CASE_PROCESS_STACK:
        note(on_process_stack(M3_PROCESS_STACK));
        break;
    case CASE_BASE_PRIORITY:
        case_base_priority();
        break;
    default:
        break;
    }
    out->done = 1;
    for (;;)
        __asm volatile("wfi");
}

__attribute__((section(".vectors"), used)) static void (*const vectors[16 + 13])(void) = {
    [0] = (void (*)(void))M3_STACK,
    [1] = start,
    [2] = fault,
    [3] = fault,
    [4] = fault,
    [5] = fault,
    [6] = fault,
    [11] = svc,
    [14] = pendsv,
    [15] = systick,
    [16 + 3] = irq3,
    [16 + 9] = irq9};
