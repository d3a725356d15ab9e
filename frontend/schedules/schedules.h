/* schedules.h - schedules, and program files. */
#ifndef ONYX_FRONTEND_SCHEDULES_H
#define ONYX_FRONTEND_SCHEDULES_H

#include "frontend/schedules/align.h"
#include "frontend/schedules/bindings.h"
#include "frontend/schedules/denser.h"
#include "frontend/schedules/environment.h"
#include "frontend/schedules/inline.h"
#include "frontend/schedules/loosen.h"
#include "frontend/schedules/program.h"
#include "frontend/schedules/schedule.h"
#include "frontend/schedules/split_subexprs.h"
#include "frontend/schedules/staged.h"
#include "frontend/schedules/workspace.h"

#endif
