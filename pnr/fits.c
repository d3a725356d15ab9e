/* Does the netlist fit the board at all? Counted before any work, to name every shortage. */
#include "pnr/pnr_int.h"
#include "support/refusals.h"

enum { KINDS = PNR_RESOURCES };

void pnr_count_resources(const netlist *n, const pnr_board *b, pnr_resource table[KINDS]) {
    static const char *const names[KINDS] = {"PE tiles", "MEM tiles", "load streams", "store streams"};
    for (int i = 0; i < KINDS; i++)
        table[i] = (pnr_resource){names[i], 0, i < 2 ? 0 : b->glb_tiles};
    for (uint32_t x = 0; x < b->width; x++)
        table[pnr_site_tile(b, x, 1) == NET_TILE_MEM].have += b->height - 1;
    for (uint32_t i = 0; i < n->cells.len; i++) {
        const net_cell_data *c = &n->cells.at[i];
        net_tile tile = pnr_cell_tile(c);
        BUG_IF(tile == NET_TILE_NONE, "cell %u has block letter '%c'", i, c->tag);
        table[tile == NET_TILE_PE ? 0 : tile == NET_TILE_MEM ? 1 : c->output ? 3 : 2].need++;
    }
}

/* Merges the rows of loads and stores. */
static void share_row(pnr_resource table[KINDS], const char *what, uint32_t have) {
    table[2] = (pnr_resource){what, table[2].need + table[3].need, have};
    table[3].need = 0;
}

void pnr_own_tiles(const pnr_board *b, pnr_resource table[KINDS]) {
    share_row(table, "streams with a global-buffer tile each", b->glb_tiles);
}

bool pnr_fits(const netlist *n, const pnr_board *b, const pnr_options *o, diagnostics *d) {
    pnr_resource table[KINDS];
    bool shared = o->fabric_only || o->own_tiles;
    pnr_count_resources(n, b, table);
    if (o->fabric_only)
        share_row(table, "IO tiles", b->width);
    else if (o->own_tiles)
        pnr_own_tiles(b, table);
    char missing[256] = "", all[256] = "";
    for (int i = 0; i < KINDS - shared; i++) {
        char *to = table[i].need > table[i].have ? missing : all;
        size_t used = strlen(to);
        snprintf(to + used, sizeof all - used, "%s%u %s of %u", used ? ", " : "", table[i].need,
                 table[i].what, table[i].have);
    }
    if (!missing[0])
        return true;
    diag_refuse(d, DIAG_UNMAPPABLE, DIAG_REFUSED_TOO_LARGE, (src_loc){0},
                "the design needs more than board '%s' has: %s", b->name, missing);
    diag_hint(d, "use a larger board, a lower unroll factor, or split the expression into several kernels");
    if (all[0])
        diag_note(d, (src_loc){0}, "what does fit: %s", all);
    return false;
}

const char *pnr_block_id(const net_cell_data *cell, char buffer[16]) {
    snprintf(buffer, 16, "%c%u", cell->tag, cell->number);
    return buffer;
}
