/* files.h - files of a netlist and a design (docs/pnr.md). */
#ifndef ONYX_PNR_FILES_H
#define ONYX_PNR_FILES_H

#include "pnr/design.h"

/* Reads a .packed netlist of any tool: cells get their kind from the block letter and no mode; net i of the
 * result is the i-th by source. Errors located: E0540-packed-syntax, E0541-packed-block, E0546-packed-width.
 */
bool pnr_read_packed(const char *path, name_table *names, arena *mem, diagnostics *d, netlist *out);
/* Reads a .place file as fixed sites: *fixed has one entry per cell, PNR_FREE where the file has none. Errors
 * located: E0542-place-syntax, E0543-place-block. A cell without a name may be called anything. */
bool pnr_read_place(const netlist *n, const char *path, arena *mem, diagnostics *d, pnr_site **fixed);
bool pnr_write_packed(const netlist *n, const char *path, diagnostics *d);
bool pnr_write_place(const pnr_design *design, const char *path, diagnostics *d);
/* Routes need not have passed pnr_check; routes out of the array or with more sinks than the netlist are
 * refused: E0533-sink-missed, E0537-off-array. */
bool pnr_write_route(const pnr_design *design, const char *path, diagnostics *d);
/* Reads the routes of a placed design unchecked; pnr_check is the judge. Errors located:
 * E0544-route-syntax. */
bool pnr_read_route(pnr_design *design, const char *path, arena *mem, diagnostics *d);
/* A design.info file says where layout and graphs lie. */
bool pnr_write_info(const char *layout, const char *graph_17, const char *graph_1, const char *path,
                    diagnostics *d);
/* Draws the placement with its routes, or, `heat`, with how full the channels are. */
bool pnr_write_svg(const pnr_design *design, bool heat, const char *path, diagnostics *d);

#endif
