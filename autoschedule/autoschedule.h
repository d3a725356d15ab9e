/* autoschedule.h - choices that the user leaves open, by the chip's predicted time: the interface for other
 * rooms. */
#ifndef ONYX_AUTOSCHEDULE_H
#define ONYX_AUTOSCHEDULE_H

#include "autoschedule/blocks.h"
#include "autoschedule/choose.h"
#include "autoschedule/parts.h"

#endif
