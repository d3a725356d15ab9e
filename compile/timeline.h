/* timeline.h - what the channels of the cycle model do over time, for a page that zooms from a program to a
 * cycle. */
#ifndef ONYX_COMPILE_TIMELINE_H
#define ONYX_COMPILE_TIMELINE_H

#include "compile/model.h"

typedef struct timeline timeline;
/* Watches the model from now on, and passes on what it is told to another watcher with its context. */
timeline *timeline_begin(const compile_modelled *on, cycle_watcher *next, void *of_next, arena *mem);
/* Writes FOLDER/timeline.json (docs/cycle.md). The model must be watched no more. */
bool timeline_end(timeline *t, const compile_context *ctx, const char *folder);

#endif
