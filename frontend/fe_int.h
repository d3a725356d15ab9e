/* fe_int.h - shared by the files of frontend/ only: the token reader of the three small languages, the steps
 * of fe_parse, and the scopes of a statement.
 */
#ifndef ONYX_FE_INT_H
#define ONYX_FE_INT_H

#include "frontend/check.h"
#include "frontend/cin.h"
#include "frontend/cin_dump.h"
#include "frontend/expression.h"
#include "frontend/guard.h"
#include "frontend/locate.h"
#include "frontend/nest.h"
#include "frontend/precompute.h"
#include "frontend/presence.h"
#include "frontend/reach.h"
#include "frontend/scope.h"
#include "frontend/settings.h"
#include "frontend/statement.h"
#include "frontend/text.h"
#include "frontend/tiled.h"
#include "frontend/words.h"

#endif
