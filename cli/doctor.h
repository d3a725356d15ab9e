/* doctor.h - the debug probes of this machine. */
#ifndef ONYX_DOCTOR_H
#define ONYX_DOCTOR_H

#include "support/support.h"

typedef struct {
    const char *name;  /* the device's own name */
    const char *where; /* its file, /dev/bus/usb/001/004 */
    bool open;         /* accessible to this user */
} doctor_probe;
typedef VEC(doctor_probe) doctor_probes;

/* Lists the debug probes among the devices of a folder like /sys/bus/usb/devices, by their files: devices
 * with an OpenOCD driver, by vendor, and devices named CMSIS-DAP. `dev` is the folder of their device files,
 * /dev. */
doctor_probes doctor_find_probes(const char *devices, const char *dev, arena *mem);

#endif
