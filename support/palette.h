/* palette.h - the colours of all pictures: of the page of `onyx view`, of plots and of drawings. */
#ifndef ONYX_SUPPORT_PALETTE_H
#define ONYX_SUPPORT_PALETTE_H

typedef struct {
    const char *name, *light, *dark; /* "#0072b2": on light and on dark paper */
} palette_colour;

/* Ends with a row without a name. */
extern const palette_colour palette_named[];
enum { PALETTE_SERIES = 8 };
extern const palette_colour palette_series[PALETTE_SERIES];
/* Returns a named colour on light paper. */
const char *palette_light(const char *name);

#endif
