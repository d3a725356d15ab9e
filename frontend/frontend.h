/* frontend.h - from the user's text to a SAM graph: tensor index notation, formats and a schedule become a
 * sam_statement (every reduction explicit, loops ordered), then a SAM graph.
 */
#ifndef ONYX_FRONTEND_H
#define ONYX_FRONTEND_H

#include "frontend/check.h"
#include "frontend/cin.h"
#include "frontend/cin_dump.h"
#include "frontend/cin_parse.h"
#include "frontend/distribute.h"
#include "frontend/expand.h"
#include "frontend/parse.h"
#include "frontend/schedule.h"
#include "frontend/separate.h"
#include "frontend/staged.h"

#endif
