#include "pe_design.h"

#include "Vonyx_pe_core.h"
#include "Vonyx_pe_core___024root.h"
#include "core_design.h"

CORE_DESIGN(pe, TWIN_PE, 3)
