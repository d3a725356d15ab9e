/* controller.h - how far the registers of the chip's controller reach. */
#ifndef ONYX_FIRMWARE_CONTROLLER_H
#define ONYX_FIRMWARE_CONTROLLER_H

#include "pnr/pnr.h"

/* Returns whether the registers reach all of the board; E0720-controller at the board's member that is too
 * large. */
bool fw_is_controlled(const pnr_board *b, diagnostics *d);

#endif
