/* A drawing of a design: tiles, their cells, routes, and the fill of the channels between tiles. */
#include "pnr/pnr_int.h"
#include "support/palette.h"

enum { TILE = 40, GAP = 24, PITCH = TILE + GAP, MARGIN = 20 };

static uint32_t left_of(uint32_t x) {
    return MARGIN + x * PITCH;
}

static void draw_tiles(const pnr_design *design, FILE *to) {
    const char *const fill[] = {"none", palette_light("pe"), palette_light("mem"), palette_light("io")};
    for (uint32_t y = 0; y < design->board->height; y++)
        for (uint32_t x = 0; x < design->board->width; x++)
            fprintf(to, "<rect x=\"%u\" y=\"%u\" width=\"%d\" height=\"%d\" fill=\"%s\" stroke=\"#bbb\"/>\n",
                    left_of(x), left_of(y), TILE, TILE, fill[pnr_site_tile(design->board, x, y)]);
}

static void draw_cells(const pnr_design *design, FILE *to) {
    for (uint32_t i = 0; i < design->site.len; i++) {
        pnr_site at = design->site.at[i];
        char id[16];
        fprintf(to,
                "<rect x=\"%u\" y=\"%u\" width=\"%d\" height=\"%d\" fill=\"#fff\" stroke=\"#333\"/>"
                "<text x=\"%u\" y=\"%u\" text-anchor=\"middle\">%s</text>\n",
                left_of(at.x) + 4, left_of(at.y) + 4, TILE - 8, TILE - 8, left_of(at.x) + TILE / 2,
                left_of(at.y) + TILE / 2 + 4, pnr_block_id(&design->net->cells.at[i], id));
    }
}

/* A hop is a line across its gap, shifted by its track; opposite directions lie apart. */
static void draw_hop(const pnr_hop *h, uint32_t net, const char *id, uint32_t tracks, FILE *to) {
    uint32_t across = (h->track + 1u) * TILE / (2 * tracks + 2) + (h->side >= PNR_WEST ? TILE / 2u : 0u);
    uint32_t x = left_of(h->x), y = left_of(h->y), x2, y2;
    bool level = h->side == PNR_EAST || h->side == PNR_WEST;
    x += level ? (h->side == PNR_EAST ? TILE : 0) : across;
    y += level ? across : (h->side == PNR_SOUTH ? TILE : 0);
    x2 = h->side == PNR_EAST ? x + GAP : h->side == PNR_WEST ? x - GAP : x;
    y2 = h->side == PNR_SOUTH ? y + GAP : h->side == PNR_NORTH ? y - GAP : y;
    fprintf(to,
            "<line x1=\"%u\" y1=\"%u\" x2=\"%u\" y2=\"%u\" stroke=\"hsl(%u,70%%,40%%)\" "
            "stroke-width=\"2\"><title>%s</title></line>\n",
            x, y, x2, y2, net * 47 % 360, id);
    if (h->registered)
        fprintf(to, "<circle cx=\"%u\" cy=\"%u\" r=\"3\" fill=\"%s\"><title>SplitFIFO %s</title></circle>\n",
                x, y, h->fifo_start ? "#080" : "#a00", h->fifo_start ? "start" : "end");
}

static void draw_routes(const pnr_design *design, arena *mem, FILE *to) {
    for (uint32_t n = 0; n < design->route.len; n++) {
        const char *id = net_id_text(design->net, n, mem);
        for (uint32_t i = 0; i < design->route.at[n].hops.len; i++)
            draw_hop(&design->route.at[n].hops.at[i], n, id, design->board->tracks, to);
    }
}

/* Draws the redness of every gap: the share of used wires, both directions together. */
static void draw_heat(const pnr_design *design, arena *scratch, FILE *to) {
    const pnr_board *b = design->board;
    uint32_t *used =
        arena_new_n(scratch, uint32_t, b->width * b->height * 2); /* a tile has a gap east and a gap south */
    for (uint32_t n = 0; n < design->route.len; n++)
        for (uint32_t i = 0; i < design->route.at[n].hops.len; i++) {
            const pnr_hop *h = &design->route.at[n].hops.at[i];
            uint32_t x = h->x - (h->side == PNR_WEST ? 1u : 0u), y = h->y - (h->side == PNR_NORTH ? 1u : 0u);
            used[(y * b->width + x) * 2 + (h->side == PNR_SOUTH || h->side == PNR_NORTH)]++;
        }
    for (uint32_t i = 0; i < b->width * b->height * 2; i++) {
        uint32_t x = i / 2 % b->width, y = i / 2 / b->width;
        if (!used[i])
            continue;
        fprintf(to,
                "<rect x=\"%u\" y=\"%u\" width=\"%d\" height=\"%d\" fill=\"#d00\" "
                "fill-opacity=\"%u.%02u\"><title>%u of %u "
                "wires</title></rect>\n",
                left_of(x) + (i % 2 ? 0 : TILE), left_of(y) + (i % 2 ? TILE : 0), i % 2 ? TILE : GAP,
                i % 2 ? GAP : TILE, used[i] / (2 * b->tracks), used[i] * 100 / (2 * b->tracks) % 100, used[i],
                2 * b->tracks);
    }
}

bool pnr_write_svg(const pnr_design *design, bool heat, const char *path, diagnostics *d) {
    file_out f;
    if (!file_create(&f, path, d->mem, d))
        return false;
    fprintf(f.stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" font-family=\"sans-serif\" "
            "font-size=\"11\">\n",
            2 * MARGIN + design->board->width * PITCH, 2 * MARGIN + design->board->height * PITCH);
    draw_tiles(design, f.stream);
    if (heat) {
        arena scratch = {0};
        draw_heat(design, &scratch, f.stream);
        arena_free(&scratch);
    } else {
        draw_routes(design, d->mem, f.stream);
    }
    draw_cells(design, f.stream);
    fputs("</svg>\n", f.stream);
    return file_commit(&f, d);
}
