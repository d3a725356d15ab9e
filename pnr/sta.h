/* sta.h - timing from FIFO to FIFO (docs/pnr.md, Timing). */
#ifndef ONYX_PNR_STA_H
#define ONYX_PNR_STA_H

#include "pnr/design.h"

/* Signals of a path between FIFOs: data and valid, ready, or, LOOP, ready back to the source tile and valid
 * out again. */
typedef enum { PNR_PATH_DATA, PNR_PATH_LOOP, PNR_PATH_READY } pnr_path_kind;

typedef struct {
    const char *what; /* "launch", "data", "valid", "ready", "capture", "launch from SplitFIFO" */
    bool on_hop;      /* the switch-box output (at, side, track) is stated */
    pnr_site at;
    uint8_t side, track;
    uint32_t delay_ps, arrival_ps;
} pnr_timing_step;

/* The slowest FIFO-to-FIFO path of a net. */
typedef struct {
    uint32_t net, sink; /* sink: the path's sink, PNR_NO_HOP if the path ends at a SplitFIFO or goes back */
    pnr_path_kind kind;
    uint32_t delay_ps;
    uint32_t floor_ps; /* no placement and no routing is faster */
    bool shared_trunk; /* the net forks after a hop: no FIFO may stand before the fork */
    VEC(pnr_timing_step) steps;
} pnr_timing_path;

enum { PNR_SLACK_BINS = 10 };
typedef struct {
    VEC(pnr_timing_path) paths; /* a path per routed net, in order of nets */
    uint32_t worst_net;         /* index into paths; PNR_NO_HOP if a tile's core is slower than every net */
    uint32_t period_ps, core_ps, floor_ps;
    uint32_t histogram[PNR_SLACK_BINS]; /* paths by slack, in tenths of the period */
    const char *corner;                 /* name of the board's other table of delays; NULL: none */
    uint32_t corner_ps;                 /* the period by that */
} pnr_timing;

/* Measures every path between FIFOs by the board's delays. Error: E0550-no-delay. */
bool pnr_sta(const pnr_design *design, arena *mem, diagnostics *d, pnr_timing *out);
/* Returns {"period_ps", "fmax_mhz", "floor_ps", "corner": {"name", "period_ps", "fmax_mhz"}, "limited_by",
 * "critical_path": [{"what", "x", "y", "side", "track", "delay_ps", "arrival_ps"}, ...], "slack_histogram",
 * "exceptions": [...]}; an exception is a net slower than the design's floor, with the reason. The caller
 * deletes the report. */
cJSON *pnr_timing_report(const pnr_design *design, const pnr_timing *t);

#endif
