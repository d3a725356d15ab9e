/* balance.h - reconvergent paths. */
#ifndef ONYX_PNR_BALANCE_H
#define ONYX_PNR_BALANCE_H

#include "pnr/design.h"

/* Paths that fork at a cell and meet at another, where the shortest cannot hold the tokens that wait for the
 * longest: the kernel runs below a token a cycle. pnr_balance lists the worst of each join, by cell index. */
typedef struct {
    uint32_t fork, join;
    uint32_t latency, room; /* cycles of the longest path, tokens the shortest holds */
} pnr_imbalance;
typedef VEC(pnr_imbalance) pnr_imbalance_vec;
void pnr_balance(const pnr_design *design, arena *mem, pnr_imbalance_vec *out);

#endif
