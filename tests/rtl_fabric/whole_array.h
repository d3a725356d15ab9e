/* whole_array.h - the chip's array as a single verilated model: the fast view. */
#ifndef ONYX_TESTS_WHOLE_ARRAY_H
#define ONYX_TESTS_WHOLE_ARRAY_H

#include "Vonyx_whole.h"
#include "Vonyx_whole___024root.h"

#include "monolithic.h"

using WholeArray = Monolithic<Vonyx_whole, ONYX_COLUMNS>;

#endif
