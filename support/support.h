/* support.h - the base of every room.
 *
 * Conventions: nothing here is global and mutable; zero-initialised structures are valid and empty; memory
 * comes from arenas and is released with them; a program without memory ends (E0005-memory, exit 1).
 */
#ifndef ONYX_SUPPORT_H
#define ONYX_SUPPORT_H

#include "support/arena.h"
#include "support/diagnostics.h"
#include "support/diagnostics_print.h"
#include "support/fault.h"
#include "support/file.h"
#include "support/folder.h"
#include "support/hash.h"
#include "support/json.h"
#include "support/names.h"
#include "support/prng.h"
#include "support/program.h"
#include "support/text.h"

#include <stdarg.h>
#include <string.h>

#endif
