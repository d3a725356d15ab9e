/* fe_int.h - what the files of frontend/ share. */
#ifndef ONYX_FE_INT_H
#define ONYX_FE_INT_H

#include "frontend/check.h"
#include "frontend/cin.h"
#include "frontend/cin_dump.h"
#include "frontend/cin_parse.h"
#include "frontend/expression.h"
#include "frontend/frontend.h"
#include "frontend/guard.h"
#include "frontend/locate.h"
#include "frontend/nest.h"
#include "frontend/precompute.h"
#include "frontend/presence.h"
#include "frontend/reach.h"
#include "frontend/relations.h"
#include "frontend/scope.h"
#include "frontend/settings.h"
#include "frontend/statement.h"
#include "frontend/text.h"
#include "frontend/tiled.h"
#include "frontend/words.h"

#endif
