/* autoschedule.h - what is chosen unasked, by what the chip is expected to take: all that other rooms see of
 * it. */
#ifndef ONYX_AUTOSCHEDULE_H
#define ONYX_AUTOSCHEDULE_H

#include "autoschedule/blocks.h"
#include "autoschedule/choose.h"
#include "autoschedule/parts.h"

#endif
