/* doctor.h - the debug probes of this machine. */
#ifndef ONYX_DOCTOR_H
#define ONYX_DOCTOR_H

#include "support/support.h"

typedef struct {
    const char *name;  /* what the device says it is */
    const char *where; /* its file, /dev/bus/usb/001/004 */
    bool open;         /* this user may talk to it */
} doctor_probe;
typedef VEC(doctor_probe) doctor_probes;

/* Lists the debug probes among the devices of a folder like /sys/bus/usb/devices, by their files: what
 * OpenOCD has a driver for by its vendor, or what calls itself CMSIS-DAP. `dev` is where their device files
 * are, /dev. */
doctor_probes doctor_find_probes(const char *devices, const char *dev, arena *mem);

#endif
