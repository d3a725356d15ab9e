/* debug_program.c - the program under the debuggers of openocd.sh and gdb.sh: nested calls, and a result. */
#include <stdint.h>

volatile uint32_t rounds = 3, result;

__attribute__((noinline)) static uint32_t innermost(uint32_t n) {
    __asm volatile("" : "+r"(n));
    return n * n;
}

__attribute__((noinline)) static uint32_t middle(uint32_t n) {
    return innermost(n + 1) + 1;
}

__attribute__((noinline)) void outermost(void) {
    for (uint32_t i = 0; i < rounds; i++)
        result += middle(i);
}

_Noreturn void start(void) {
    rounds = 3;
    result = 0;
    outermost(); /* (1 + 1) + (4 + 1) + (9 + 1) */
    for (;;)
        __asm volatile("wfi");
}

__attribute__((section(".vectors"), used)) static const void *const vectors[] = {(void *)0x20001000,
                                                                                 (void *)start};
