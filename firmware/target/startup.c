/* The way from reset to the firmware: vectors, memory, and exceptions nobody expects. The processor is a
 * Cortex-M3 with 13 interrupts. */
#include "firmware/target/hal.h"
#include "firmware/target/mailbox.h"
#include "firmware/target/streams.h"
#include "firmware/target/sums.h"
#include "firmware/target/target.h"

SMALL_FROM_HERE

/* Symbols of the linker script. */
extern uint32_t stack_top[], data_load[], data_begin[], data_end[], bss_begin[], bss_end[];
extern const uint32_t code_sum[];

void reset_handler(void);
void unexpected_exception(void);
void hard_fault_handler(void);
void hard_fault_report(const uint32_t *frame);

#define WEAK_HANDLER __attribute__((weak, alias("unexpected_exception")))
void nmi_handler(void) WEAK_HANDLER;
void memory_fault_handler(void) WEAK_HANDLER;
void bus_fault_handler(void) WEAK_HANDLER;
void usage_fault_handler(void) WEAK_HANDLER;
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
    handler reset, nmi, hard_fault, memory_fault, bus_fault, usage_fault;
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
    .hard_fault = hard_fault_handler,
    .memory_fault = memory_fault_handler,
    .bus_fault = bus_fault_handler,
    .usage_fault = usage_fault_handler,
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

/* Checks the code against the built code. The check itself may be damaged: most of the code is elsewhere.
 */
static ONCE void check_program(void) {
    const uint32_t begin = (uint32_t)&vectors;
    const uint64_t sum = image_sum(begin, (uint32_t)code_sum - begin);
    if (((uint32_t)sum ^ code_sum[0]) | ((uint32_t)(sum >> 32) ^ code_sum[1]))
        fail(FW_ERROR_PROGRAM_SUMS, (uint32_t)sum, code_sum[0]);
}

void reset_handler(void) {
    const uint32_t *from = data_load;
    for (uint32_t *to = data_begin; to < data_end;)
        *to++ = *from++;
    for (uint32_t *to = bss_begin; to < bss_end; to += 4)
        to[0] = to[1] = to[2] = to[3] = 0;
    if (!kernel.unchecked)
        check_program();
    firmware_boot(&kernel);
    for (;;)
        firmware_serve(&kernel);
}

void unexpected_exception(void) {
    uint32_t number;
    __asm volatile("mrs %0, ipsr" : "=r"(number));
    fail(FW_ERROR_UNEXPECTED_EXCEPTION, number, 0);
}

/* The stack in use holds r0-r3, r12, lr, pc, xpsr of the faulting code. */
__attribute__((naked)) void hard_fault_handler(void) {
    __asm volatile("tst lr, #4\n\t"
                   "ite eq\n\t"
                   "mrseq r0, msp\n\t"
                   "mrsne r0, psp\n\t"
                   "b hard_fault_report");
}

__attribute__((used)) void hard_fault_report(const uint32_t *frame) {
    fail(FW_ERROR_HARD_FAULT, core_read(CORE_CFSR), frame[6]);
}
