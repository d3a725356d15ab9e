/* loaded.h - what a debugger loads of a program that fw_build has made. */
#ifndef ONYX_FIRMWARE_LOADED_H
#define ONYX_FIRMWARE_LOADED_H

#include "firmware/firmware.h"

/* Reads the segments that hold something, at their physical addresses. Errors: E0001-file, E0705-elf. */
bool fw_read_loaded(const char *elf, arena *mem, diagnostics *d, fw_segments *out);

#endif
