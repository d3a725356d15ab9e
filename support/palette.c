/* The colours of palette.def as data. */
#include "support/palette.h"

#include "support/fault.h"

#include <string.h>

/* clang-format off */
#define SERIES(light, dark)
#define PALETTE(name, light, dark) {#name, light, dark},
const palette_colour palette_named[] = {
#include "support/palette.def"
    {NULL, NULL, NULL}
};
#undef SERIES
#undef PALETTE
#define PALETTE(name, light, dark)
#define SERIES(light, dark) {"", light, dark},
const palette_colour palette_series[PALETTE_SERIES] = {
#include "support/palette.def"
};
/* clang-format on */

const char *palette_light(const char *name) {
    const palette_colour *c = palette_named;
    while (c->name && strcmp(c->name, name) != 0)
        c++;
    BUG_IF(!c->name, "no colour '%s'", name);
    return c->light;
}
