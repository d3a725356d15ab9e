/* lower_onyx.h - from a hardware-legal SAM graph to a netlist of tiles: the Onyx-aware dataflow IR (memory
 * triplets, neighbour rules, concrete signal bundles) and its packing into PE, MEM and IO tiles.
 */
#ifndef ONYX_LOWER_ONYX_H
#define ONYX_LOWER_ONYX_H

#include "lower_onyx/deadlock.h"
#include "lower_onyx/early.h"
#include "lower_onyx/lower.h"
#include "lower_onyx/netlist.h"

#endif
