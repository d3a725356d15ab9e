/* firmware.h - host side of the firmware: the application of one kernel, and what it leaves behind.
 * See firmware/README.md for the target side.
 */
#ifndef ONYX_FIRMWARE_H
#define ONYX_FIRMWARE_H

#include "bitstream/bitstream.h"
#include "tiling/tiling.h"

#endif
