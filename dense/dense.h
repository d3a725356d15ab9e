/* dense.h - programs of the dense fabric: their tiles read from a bitstream, as text, checked, and run. */
#ifndef ONYX_DENSE_H
#define ONYX_DENSE_H

#include "dense/check.h"
#include "dense/compare.h"
#include "dense/design.h"
#include "dense/load.h"
#include "dense/packed.h"
#include "dense/place.h"
#include "dense/program.h"
#include "dense/run.h"
#include "dense/text.h"
#include "dense/timing.h"
#include "dense/verilog.h"

#endif
