/* m3_probes.h - between m3_probes.c and its host, test_m3_probes.c. */
#ifndef ONYX_TESTS_M3_PROBES_H
#define ONYX_TESTS_M3_PROBES_H

#include <stdint.h>

typedef struct {
    uint32_t which, done;
    uint32_t exception, status, address; /* of the fault; exception 0: none */
    uint32_t result;
} m3_probe;
#define PROBE_STATE 0x20000000u
#define PROBE_WORDS 0x20000100u
#define PROBE_STACK 0x20010000u
#define PROBE_DEVICE 0x40000000u
#define PROBE_REFUSED 0x40000100u

#endif
