/* settings.h - settings of points: JSON objects, an axis to its value. */
#ifndef ONYX_SWEEP_SETTINGS_H
#define ONYX_SWEEP_SETTINGS_H

#include "support/support.h"

/* Prints {"tile":"16","unroll":"2"} as "tile 16, unroll 2". */
void put_settings(const char *settings, FILE *out);

#endif
