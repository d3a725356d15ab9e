/* The way from reset to the firmware: vectors, memory, and exceptions nobody expects. The processor is a
 * Cortex-M3 with 13 interrupts. */
#include "firmware/target/hal.h"
#include "firmware/target/mailbox.h"
#include "firmware/target/streams.h"
#include "firmware/target/sums.h"
#include "firmware/target/target.h"

SMALL_FROM_HERE

/* Symbols of the linker script. */
extern uint32_t stack_top[], stack_fence[], data_load[], data_begin[], data_end[], bss_begin[], bss_end[];
extern const uint32_t code_sum[];

void reset_handler(void);
void unexpected_exception(void);
void hard_fault_handler(void);
void hard_fault_report(fw_fault_record *r);

#define WEAK_HANDLER __attribute__((weak, alias("unexpected_exception")))
void nmi_handler(void) WEAK_HANDLER;
void svc_handler(void) WEAK_HANDLER;
void debug_handler(void) WEAK_HANDLER;
void pendsv_handler(void) WEAK_HANDLER;
void timer0_handler(void) WEAK_HANDLER;
void timer1_handler(void) WEAK_HANDLER;
void uart0_handler(void) WEAK_HANDLER;
void uart1_handler(void) WEAK_HANDLER;
void uart_overflow_handler(void) WEAK_HANDLER;
void dma0_0_handler(void) WEAK_HANDLER;
void dma0_1_handler(void) WEAK_HANDLER;
void dma1_0_handler(void) WEAK_HANDLER;
void dma1_1_handler(void) WEAK_HANDLER;
void tlx_handler(void) WEAK_HANDLER;
void xgcd0_handler(void) WEAK_HANDLER;
void xgcd1_handler(void) WEAK_HANDLER;

typedef void (*handler)(void);

typedef struct {
    uint32_t *stack_top;
    handler reset, nmi, fault[4]; /* hard, memory management, bus and usage */
    handler reserved_7_to_10[4];
    handler svc, debug, reserved_13, pendsv, tick;
    handler timer[2], uart[2], uart_overflow, dma[2][2], array, tlx, xgcd[2];
} vector_table;
_Static_assert(offsetof(vector_table, array) == 4 * (16 + ONYX_CGRA_IRQ), "interrupt number of the array");

extern const vector_table vectors;
__attribute__((section(".vectors"), used)) const vector_table vectors = {
    .stack_top = stack_top,
    .reset = reset_handler,
    .nmi = nmi_handler,
    .fault = {hard_fault_handler, hard_fault_handler, hard_fault_handler, hard_fault_handler},
    .svc = svc_handler,
    .debug = debug_handler,
    .pendsv = pendsv_handler,
    .tick = tick_interrupt,
    .timer = {timer0_handler, timer1_handler},
    .uart = {uart0_handler, uart1_handler},
    .uart_overflow = uart_overflow_handler,
    .dma = {{dma0_0_handler, dma0_1_handler}, {dma1_0_handler, dma1_1_handler}},
    .array = array_interrupt,
    .tlx = tlx_handler,
    .xgcd = {xgcd0_handler, xgcd1_handler},
};

/* Checks the code against the built code. The check itself may be damaged: most of the code is elsewhere. */
static ONCE void check_program(void) {
    const uint32_t begin = (uint32_t)&vectors;
    const uint64_t sum = image_sum(begin, (uint32_t)code_sum - begin);
    if (((uint32_t)sum ^ code_sum[0]) | ((uint32_t)(sum >> 32) ^ code_sum[1]))
        fail(FW_ERROR_PROGRAM_SUMS, (uint32_t)sum, code_sum[0]);
}

static ONCE __attribute__((noinline)) void copy(uint32_t *to, uint32_t from, uint32_t words) {
    for (; words; words--, from += 4)
        *to++ = bus_read32(from);
}

/* Forbids accesses of 2^(size + 1) bytes. */
static ONCE void forbid(uint32_t region, uint32_t at, uint32_t size) {
    core_write(CORE_MPU_RBAR, at | FIELD(CORE_MPU_RBAR_VALID, 1) | FIELD(CORE_MPU_RBAR_REGION, region));
    core_write(CORE_MPU_RASR,
               FIELD(CORE_MPU_RASR_XN, 1) | FIELD(CORE_MPU_RASR_SIZE, size) | FIELD(CORE_MPU_RASR_ENABLE, 1));
}

/* Null pointers, which would meet the first 16 vectors, and a stack that grows into the variables are faults.
 * The processor's own fetch of a vector is none. A processor without
 * memory protection ignores these writes. */
static ONCE void guard_memories(void) {
    forbid(0, 0, 5);
    forbid(1, (uint32_t)stack_fence, 4);
    core_write(CORE_MPU_CTRL, FIELD(CORE_MPU_CTRL_ENABLE, 1) | FIELD(CORE_MPU_CTRL_PRIVDEFENA, 1));
    __asm volatile("dsb\n\tisb" ::: "memory");
}

void reset_handler(void) {
    copy(data_begin, (uint32_t)data_load, (uint32_t)(data_end - data_begin));
    for (uint32_t *to = bss_begin; to < bss_end; to += 4)
        to[0] = to[1] = to[2] = to[3] = 0;
    core_write(CORE_VTOR, (uint32_t)&vectors);         /* a debugger may have left another table */
    core_write(CORE_CCR, FIELD(CORE_CCR_STKALIGN, 1)); /* quotients by 0 are no faults */
    if (!kernel.unchecked)
        check_program();
    guard_memories();
    firmware_boot(&kernel);
    for (;;)
        firmware_serve(&kernel);
}

void unexpected_exception(void) {
    uint32_t number;
    __asm volatile("mrs %0, ipsr" : "=r"(number));
    fail(FW_ERROR_UNEXPECTED_EXCEPTION, number, 0);
}

extern fw_fault_record fault_record; /* used by the handler alone */
__attribute__((used)) fw_fault_record fault_record;

/* Keeps the stack pointer, under which the exception has put r0-r3, r12, lr, pc and xpsr, r4-r11 and
 * EXC_RETURN; the program has no process stack. The handler goes on at the top of the stack, since the stack
 * may be at its end. Nothing returns from here. */
__attribute__((naked)) void hard_fault_handler(void) {
    __asm volatile("mov r3, sp\n\t"
                   "ldr r0, =fault_record\n\t"
                   "stmia r0, {r3-r11, lr}\n\t"
                   "ldr r1, =stack_top\n\t"
                   "mov sp, r1\n\t"
                   "b hard_fault_report\n\t"
                   ".ltorg");
}

/* Status and addresses of faults are registers in a row, in the order of the record. */
__attribute__((used)) void hard_fault_report(fw_fault_record *r) {
    if (r->msp - ONYX_SRAM < FW_TABLE_OFFSET - 32)
        copy(&r->r0, r->msp, 8);
    copy(&r->cfsr, CORE_BASE + CORE_CFSR, 5);
    mailbox.record = (uint32_t)r;
    fail(FW_ERROR_HARD_FAULT, r->cfsr, r->pc);
}
