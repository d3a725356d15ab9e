/* settings.h - what points compute, and with which settings: JSON objects, an axis to its value. */
#ifndef ONYX_SWEEP_SETTINGS_H
#define ONYX_SWEEP_SETTINGS_H

#include "sweep/sweep.h"

/* Prints {"tile":"16","unroll":"2"} as "tile 16, unroll 2". */
void put_settings(const char *settings, FILE *out);

/* Returns whether two points of a plan compute the same on one engine: their expressions and operands are
 * equal. */
bool sweep_alike(const sweep_row *a, const sweep_row *b);

#endif
