/* loaded.h - segments that a debugger loads from a program made by fw_build. */
#ifndef ONYX_FIRMWARE_LOADED_H
#define ONYX_FIRMWARE_LOADED_H

#include "firmware/firmware.h"

/* Reads the nonempty segments, at their physical addresses. Errors: E0001-file, E0705-elf. */
bool fw_read_loaded(const char *elf, arena *mem, diagnostics *d, fw_segments *out);

#endif
