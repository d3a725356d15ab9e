/* Runs on an emulated Cortex-M3 in place of firmware.c: start-up, memory, system tick and sleep,
 * exceptions. Ends by semihosting with exit code 0, or the number of the line that found something wrong. */
#include "firmware/target/streams.h"
#include "tests/firmware/leave.h"

static volatile uint32_t initialised = 0x12345678, zeroed;
static volatile uint32_t expected_error;

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition))                                                                                    \
            leave(__LINE__);                                                                                 \
    } while (0)

extern uint32_t stack_fence[];
extern fw_fault_record fault_record;
#ifdef FORBIDDEN /* an address: 0, or stack_fence */
#define REFUSED ((uint32_t)(FORBIDDEN) + 12)
#define STATUS (1u << 1 | 1u << 7)
#define FAULT_ADDRESS fault_record.mmfar
#else
#define REFUSED 0xa0000000u
#define STATUS (1u << 9 | 1u << 15)
#define FAULT_ADDRESS fault_record.bfar
#endif

/* The last check is a fault: fail() must receive the address of the faulting load, and the record has the
 * registers of this place. */
_Noreturn void fail(uint32_t error, uint32_t detail0, uint32_t detail1) {
    CHECK(expected_error && error == expected_error);
    CHECK(error != FW_ERROR_HARD_FAULT || (detail0 == STATUS && detail1 < 0x20000));
    CHECK(error != FW_ERROR_HARD_FAULT ||
          (FAULT_ADDRESS == REFUSED && fault_record.pc == detail1 && fault_record.hfsr >> 30 == 1 &&
           fault_record.r7 == 0x77777777 && fault_record.r12 == 0xcccccccc &&
           mailbox.record == (uint32_t)&fault_record));
    leave(0);
}

void firmware_boot(const kernel_description *k) {
    CHECK(k == &kernel && k->timeout == 1000);
    CHECK(initialised == 0x12345678 && zeroed == 0);
    uint32_t when;
    const uint32_t sets[] = {0x50005, 0};
    streams_start(0x50005);
    streams_set_timeout(20000); /* nobody finishes: the tick must end the sleep */
    CHECK(streams_wait(sets, 2, &when) == 2 && streams_open(0x70005) == 0x70005);
#if !defined UNEXPECTED && !defined FORBIDDEN
    streams_set_timeout(17000000); /* more than 24 bits: several ticks */
    CHECK(streams_wait(sets, 1, &when) == 1);
    streams_set_timeout(20000);
#endif
    streams_start(0x50005); /* a new run has the whole time */
    CHECK(streams_wait(sets, 1, &when) == 1);
    hal_unmask_interrupts();
#ifdef UNEXPECTED
    expected_error = FW_ERROR_UNEXPECTED_EXCEPTION;
    __asm volatile("svc 0");
#else
    expected_error = FW_ERROR_HARD_FAULT;
    __asm volatile("mov r7, #0x77777777\n mov r12, #0xcccccccc\n ldr r0, [%0]" ::"r"(REFUSED)
                   : "r0", "r7", "r12", "memory");
#endif
    leave(__LINE__);
}
