/* frontend.h - from the user's text to a SAM graph: tensor index notation, formats and a schedule become a
 * sam_statement (every reduction explicit, loops ordered), then a SAM graph. For users of the libraries.
 */
#ifndef ONYX_FRONTEND_H
#define ONYX_FRONTEND_H

#include "frontend/functions/functions.h"
#include "frontend/language/language.h"
#include "frontend/lowering/lowering.h"
#include "frontend/schedules/schedules.h"

#endif
