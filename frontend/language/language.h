/* language.h - index notation, formats and dimensions as statements; concrete index notation. */
#ifndef ONYX_FRONTEND_LANGUAGE_H
#define ONYX_FRONTEND_LANGUAGE_H

#include "frontend/language/apply.h"
#include "frontend/language/check.h"
#include "frontend/language/cin.h"
#include "frontend/language/cin_dump.h"
#include "frontend/language/cin_parse.h"
#include "frontend/language/coordinates.h"
#include "frontend/language/einsum.h"
#include "frontend/language/load.h"
#include "frontend/language/mlir.h"
#include "frontend/language/parse.h"
#include "frontend/language/scales.h"
#include "frontend/language/settings.h"
#include "frontend/language/spans.h"
#include "frontend/language/statement.h"
#include "frontend/language/singles.h"
#include "frontend/language/subscripts.h"
#include "frontend/language/tables.h"
#include "frontend/language/text.h"

#endif
