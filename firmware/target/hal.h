/* hal.h - the only interface to the hardware: bus accesses, the processor's cycle counter, interrupts.
 *
 * On the chip each function is a single instruction. Tests compile the firmware for the host with
 * FIRMWARE_ON_HOST and define functions of these names that model the hardware.
 */
#ifndef ONYX_TARGET_HAL_H
#define ONYX_TARGET_HAL_H

#include "app_board.h" /* addresses and sizes of the board; generated, or the test's own */
#include "firmware/protocol.h"
#include "firmware/registers.h"

#ifdef FIRMWARE_ON_HOST

#define HAL_KEEP(x) (void)(x)
uint32_t bus_read32(uint32_t address);
uint16_t bus_read16(uint32_t address);
void bus_write32(uint32_t address, uint32_t value);
extern uint32_t *bus_sram;
static inline void *bus_memory(uint32_t address) { /* of the processor's own */
    return bus_sram + (address - ONYX_SRAM) / 4;
}
static inline void bus_add_pair(uint32_t *address, uint64_t *low, uint64_t *high) {
    const uint32_t at = *address;
    *address = at + 8;
    *low += (uint64_t)*address * bus_read32(at);
    *high += (uint64_t)*address * bus_read32(at + 4);
}
static inline void bus_read_pair(uint32_t address, uint32_t *first, uint32_t *second) {
    *first = bus_read32(address);
    *second = bus_read32(address + 4);
}
/* As on the processor, all words are read before one is written: places may overlap. */
static inline void bus_move_words(uint32_t *from, uint32_t *to, uint32_t by, uint32_t n) {
    uint32_t word[4];
    for (uint32_t i = 0; i < n; i++, *from += 4)
        word[i] = bus_read32(*from);
    for (uint32_t i = 0; i < n; i++, *to += 4)
        bus_write32(*to, word[i] ^ by);
}
static inline void bus_move_pair(uint32_t *from, uint32_t *to, uint32_t by) {
    bus_move_words(from, to, by, 2);
}
static inline void bus_move_four(uint32_t *from, uint32_t *to, uint32_t by) {
    bus_move_words(from, to, by, 4);
}
static inline void bus_set_pair(uint32_t *to, uint32_t first, uint32_t second) {
    bus_write32(*to, first);
    bus_write32(*to + 4, second);
    *to += 8;
}
static inline void bus_copy_four(uint32_t *from, uint32_t *to) {
    bus_move_words(from, to, 0, 4);
}
/* Writes half a word of the buffer; a model without byte strobes needs two accesses. */
static inline void bus_write16(uint32_t address, uint32_t value) {
    const uint32_t at = address & ~3u, shift = address % 4 * 8, others = bus_read32(at) & ~(0xffffu << shift);
    bus_read16(address); /* a model checks the half word's address here */
    bus_write32(at, others | (value & 0xffff) << shift);
}
/* Reads half a word, or writes one, and moves the address after it. */
static inline uint32_t bus_take16(uint32_t *address) {
    *address += 2;
    return bus_read16(*address - 2);
}
static inline void bus_put16(uint32_t *address, uint32_t value) {
    bus_write16(*address, value);
    *address += 2;
}
/* Puts the words before `end` that are not 0 to *value, and their places behind `from` to *place. */
static inline uint32_t bus_put_words(uint32_t from, uint32_t at, uint32_t end, uint32_t *place,
                                     uint32_t *value) {
    for (; at < end; at += 2) {
        const uint32_t word = bus_read16(at);
        if (!word)
            continue;
        bus_put16(place, (at - from) / 2);
        bus_put16(value, word);
    }
    return at;
}
static inline void hal_order(void) {}
static inline void hal_finish(void) {}
void hal_mask_interrupts(void);
void hal_unmask_interrupts(void);
void hal_sleep(void);
_Noreturn void hal_stop(void);

#else

static inline void *bus_memory(uint32_t address) {
    return (void *)address;
}
static inline uint32_t bus_read32(uint32_t address) {
    return *(volatile uint32_t *)address;
}
static inline uint32_t bus_read16(uint32_t address) {
    uint32_t value; /* the compiler would clear the upper half once more */
    __asm volatile("ldrh %0, [%1]" : "=r"(value) : "r"(address) : "memory");
    return value;
}
/* Reads half a word, or writes one, and moves the address after it: an instruction, where the compiler takes
 * two or three. */
static inline __attribute__((always_inline)) uint32_t bus_take16(uint32_t *address) {
    uint32_t value;
    __asm volatile("ldrh %0, [%1], #2" : "=r"(value), "+r"(*address) : : "memory");
    return value;
}
static inline __attribute__((always_inline)) void bus_put16(uint32_t *address, uint32_t value) {
    __asm volatile("strh %1, [%0], #2" : "+&r"(*address) : "r"(value) : "memory");
}
/* Puts the words before `end` that are not 0 to *value, and their places behind `from` to *place; returns the
 * end. A 0 takes four instructions, another word eight; the compiler takes six and thirteen. */
static inline __attribute__((always_inline)) uint32_t bus_put_words(uint32_t from, uint32_t at, uint32_t end,
                                                                    uint32_t *place, uint32_t *value) {
    uint32_t word, n;
    __asm volatile(
        "b 2f\n"
        "1:\tldrh %[word], [%[at]], #2\n\t"
        "cbz %[word], 2f\n\t"
        "subs %[n], %[at], %[base]\n\t"
        "lsrs %[n], %[n], #1\n\t"
        "strh %[n], [%[place]], #2\n\t"
        "strh %[word], [%[value]], #2\n"
        "2:\tcmp %[at], %[end]\n\t"
        "bcc 1b"
        : [at] "+&r"(at), [place] "+&r"(*place), [value] "+&r"(*value), [word] "=&l"(word), [n] "=&l"(n)
        : [base] "r"(from + 2), [end] "r"(end)
        : "memory", "cc");
    return at;
}
/* Makes the compiler compute x once, and not again at each use. */
#define HAL_KEEP(x) __asm("" : "+r"(x))
/* Moves *address after two words, and adds each word times the new *address to its sum: three instructions,
 * not found by the compiler. */
static inline __attribute__((always_inline)) void bus_add_pair(uint32_t *address, uint64_t *low,
                                                               uint64_t *high) {
    uint32_t a, b;
    __asm volatile("ldrd %[a], %[b], [%[at]], #8\n\t"
                   "umlal %Q[low], %R[low], %[a], %[at]\n\t"
                   "umlal %Q[high], %R[high], %[b], %[at]"
                   : [low] "+&r"(*low), [high] "+&r"(*high), [at] "+&r"(*address), [a] "=&r"(a), [b] "=&r"(b)
                   :
                   : "memory");
}
/* Reads two adjacent words. */
static inline __attribute__((always_inline)) void bus_read_pair(uint32_t address, uint32_t *first,
                                                                uint32_t *second) {
    uint32_t a, b;
    __asm volatile("ldrd %[a], %[b], [%[at]]" : [a] "=r"(a), [b] "=r"(b) : [at] "r"(address) : "memory");
    *first = a;
    *second = b;
}
/* Moves two words, with bits changed by `by`, and both addresses after them. */
static inline __attribute__((always_inline)) void bus_move_pair(uint32_t *from, uint32_t *to, uint32_t by) {
    uint32_t a, b;
    __asm volatile("ldrd %[a], %[b], [%[from]], #8\n\t"
                   "eors %[a], %[by]\n\t"
                   "eors %[b], %[by]\n\t"
                   "strd %[a], %[b], [%[to]], #8"
                   : [from] "+&r"(*from), [to] "+&r"(*to), [a] "=&l"(a), [b] "=&l"(b)
                   : [by] "l"(by)
                   : "memory", "cc");
}
static inline __attribute__((always_inline)) void bus_move_four(uint32_t *from, uint32_t *to, uint32_t by) {
    register uint32_t a __asm("r4"), b __asm("r5"), c __asm("r6"), d __asm("r7");
    __asm volatile(
        "ldmia %[from]!, {%[a], %[b], %[c], %[d]}\n\t"
        "eors %[a], %[by]\n\t"
        "eors %[b], %[by]\n\t"
        "eors %[c], %[by]\n\t"
        "eors %[d], %[by]\n\t"
        "stmia %[to]!, {%[a], %[b], %[c], %[d]}"
        : [from] "+&r"(*from), [to] "+&r"(*to), [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d)
        : [by] "l"(by)
        : "memory", "cc");
}
static inline __attribute__((always_inline)) void bus_copy_four(uint32_t *from, uint32_t *to) {
    register uint32_t a __asm("r4"), b __asm("r5"), c __asm("r6"), d __asm("r7");
    __asm volatile(
        "ldmia %[from]!, {%[a], %[b], %[c], %[d]}\n\t"
        "stmia %[to]!, {%[a], %[b], %[c], %[d]}"
        : [from] "+&r"(*from), [to] "+&r"(*to), [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d)
        :
        : "memory");
}
/* Sets two words, and moves the address after them. */
static inline __attribute__((always_inline)) void bus_set_pair(uint32_t *to, uint32_t first,
                                                               uint32_t second) {
    __asm volatile("strd %[first], %[second], [%[to]], #8"
                   : [to] "+&r"(*to)
                   : [first] "r"(first), [second] "r"(second)
                   : "memory");
}
static inline void bus_write32(uint32_t address, uint32_t value) {
    *(volatile uint32_t *)address = value;
}
static inline void bus_write16(uint32_t address, uint32_t value) {
    *(volatile uint16_t *)address = (uint16_t)value;
}
/* Stores to the buffer are done before later accesses of registers and SRAM: each has a port of its own. */
static inline void hal_order(void) {
    __asm volatile("dmb" ::: "memory");
}
/* All stores have arrived. */
static inline void hal_finish(void) {
    __asm volatile("dsb" ::: "memory");
}
/* Between these two calls, an interrupt still ends hal_sleep but its handler waits. */
static inline void hal_mask_interrupts(void) {
    __asm volatile("cpsid i" ::: "memory");
}
static inline void hal_unmask_interrupts(void) {
    __asm volatile("cpsie i\n\tisb" ::: "memory");
}
/* Sleeps until an interrupt is pending. */
static inline void hal_sleep(void) {
    __asm volatile("dsb\n\twfi" ::: "memory");
}
/* Stops for ever; the mailbox says why. */
_Noreturn static inline void hal_stop(void) {
    for (;;)
        __asm volatile("cpsid i\n\twfi" ::: "memory");
}

#endif

static inline uint32_t core_read(uint32_t offset) {
    return bus_read32(CORE_BASE + offset);
}
static inline void core_write(uint32_t offset, uint32_t value) {
    bus_write32(CORE_BASE + offset, value);
}
static inline uint32_t platform_read(uint32_t offset) {
    return bus_read32(ONYX_PLATFORM + offset);
}
static inline void platform_write(uint32_t offset, uint32_t value) {
    bus_write32(ONYX_PLATFORM + offset, value);
}
static inline uint32_t glc_read(uint32_t offset) {
    return bus_read32(ONYX_CGRA_REG + offset);
}
static inline void glc_write(uint32_t offset, uint32_t value) {
    bus_write32(ONYX_CGRA_REG + offset, value);
}
/* An "or" keeps the compiler from another order of additions, which takes an instruction more. */
static inline uint32_t glb_registers(uint32_t tile) {
    return (ONYX_CGRA_REG + GLB_FROM_GLC) | GLB_TILE_STRIDE * tile;
}
_Static_assert((ONYX_CGRA_REG + GLB_FROM_GLC) % (GLB_TILE_STRIDE * ONYX_GLB_TILES) == 0, "glb_registers");
static inline void glb_write(uint32_t tile, uint32_t offset, uint32_t value) {
    bus_write32(glb_registers(tile) + offset, value);
}
/* Reads a word of the global buffer, by its byte address. */
static inline uint32_t glb_data32(uint32_t address) {
    return bus_read32(ONYX_CGRA_DATA + address);
}
static inline uint32_t glb_data16(uint32_t address) {
    return bus_read16(ONYX_CGRA_DATA + address);
}
/* Returns processor cycles modulo 2^32: differences are right up to 8 seconds. */
static inline uint32_t cycles_now(void) {
    return core_read(CORE_DWT_CYCCNT);
}

/* Reads a cell of a row, two adjacent words in the order of row.def; writes a cell, and leaves the address of
 * the next cell. */
static inline __attribute__((always_inline)) void read_cell(uint32_t cell, uint32_t *first, uint32_t *words) {
    if (FW_AT_cell_first < FW_AT_cell_words)
        bus_read_pair(cell, first, words);
    else
        bus_read_pair(cell, words, first);
}
static inline __attribute__((always_inline)) void set_cell(uint32_t *cell, uint32_t first, uint32_t words) {
    if (FW_AT_cell_first < FW_AT_cell_words)
        bus_set_pair(cell, first, words);
    else
        bus_set_pair(cell, words, first);
}

#endif
