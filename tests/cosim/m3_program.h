/* m3_program.h - between m3_program.c and its host. */
#ifndef ONYX_TESTS_M3_PROGRAM_H
#define ONYX_TESTS_M3_PROGRAM_H

#include <stdint.h>

enum {
    CASE_IRQ,
    CASE_NESTED,
    CASE_NOT_NESTED,
    CASE_SLEEP,
    CASE_TICK,
    CASE_SVC,
    CASE_UNMAPPED,
    CASE_LOCKUP,
    CASE_REFUSED,
    CASE_BUS_FAULT,
    CASE_UNDEFINED,
    CASE_PROCESS_STACK,
    CASE_BASE_PRIORITY
};

#define M3_LOG 0x20000000u
#define M3_STACK 0x20010000u
#define M3_PROCESS_STACK 0x20008004u
#define M3_LINES 0x40000000u   /* + 4 n: level of interrupt line n */
#define M3_LATER 0x40000080u   /* line 9 rises after the written number of cycles */
#define M3_REFUSED 0x40000100u /* bus fault */
#define M3_NOWHERE 0x50000000u

typedef struct {
    uint32_t which, done, len, value[61];
} m3_log;

#endif
