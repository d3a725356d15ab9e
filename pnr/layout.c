/* The fabric as a file .layout: the kinds of tiles, written from the board and compared with the board. */
#include "pnr/pnr_int.h"

/* The layers in the public tools' order: empty, PE, MEM, 17-bit IO, 1-bit IO, registers (one per side and
 * track). */
typedef struct {
    char type;
    int major, minor;
} layer;
static const layer layers[] = {{' ', 0, 20}, {'p', 20, 20}, {'m', 19, 20},
                               {'I', 2, 20}, {'i', 1, 20},  {'r', 20, 0}};

static uint32_t layer_sites(const pnr_board *b, char type, uint32_t x, uint32_t y, bool counts) {
    net_tile tile = pnr_site_tile(b, x, y);
    switch (type) {
    case 'p':
        return tile == NET_TILE_PE;
    case 'm':
        return tile == NET_TILE_MEM;
    case 'I':
    case 'i':
        return tile == NET_TILE_IO;
    case 'r':
        return tile == NET_TILE_IO ? 0 : counts ? 4 * b->tracks : 1;
    default:
        return 0;
    }
}

bool pnr_write_layout(const pnr_board *b, bool counts, const char *path, diagnostics *d) {
    file_out f;
    if (!file_create(&f, path, d->mem, d))
        return false;
    for (size_t i = 0; i < sizeof layers / sizeof layers[0]; i++) {
        fprintf(f.stream, "LAYOUT %c %d %d\nBEGIN\n", layers[i].type, layers[i].major, layers[i].minor);
        for (uint32_t y = 0; y < b->height; y++) {
            for (uint32_t x = 0; x < b->width; x++)
                fprintf(f.stream, "%s%u", counts && x ? " " : "",
                        layer_sites(b, layers[i].type, x, y, counts));
            fputc('\n', f.stream);
        }
        fputs("END\n", f.stream);
    }
    return file_commit(&f, d);
}

/* Reads a row in either dialect: digits without blanks are a tile each. Returns the number of tiles. */
static uint32_t layout_row(const char *at, uint32_t *sites, uint32_t most) {
    bool blanks = strcspn(at, " ") < strcspn(at, "\n");
    uint32_t n = 0;
    for (; *at && *at != '\n' && *at != '\r'; at++) {
        if (*at == ' ')
            continue;
        uint32_t value = 0;
        do
            value = value * 10 + (uint32_t)(*at - '0');
        while (blanks && at[1] >= '0' && at[1] <= '9' && value < 1000 && at++);
        if (n < most)
            sites[n] = value;
        n++;
    }
    return n;
}

static bool check_layer(const pnr_board *b, char type, uint32_t source, const char *text, const char **at,
                        diagnostics *d) {
    uint32_t *sites = arena_new_n(d->mem, uint32_t, b->width);
    for (uint32_t y = 0;; y++) {
        size_t length = strcspn(*at, "\n");
        src_loc loc = src_at(source, (size_t)(*at - text), length ? length : 1);
        bool end = strncmp(*at, "END", 3) == 0;
        if (**at == '\0' || (end ? y != b->height : layout_row(*at, sites, b->width) != b->width))
            return diag_error(d, loc, "E0561-layout-differs", "board '%s' has %u rows of %u tiles", b->name,
                              b->height, b->width);
        for (uint32_t x = 0; !end && x < b->width; x++)
            if (strchr("pmI", type) && sites[x] != layer_sites(b, type, x, y, true))
                return diag_error(d, loc, "E0561-layout-differs",
                                  "layer '%c': tile (%u, %u) differs from the board", type, x, y);
        *at += length + ((*at)[length] == '\n');
        if (end)
            return true;
    }
}

bool pnr_check_layout(const pnr_board *b, const char *path, diagnostics *d) {
    size_t length = 0;
    char *text = text_read(path, d->mem, &length, d);
    if (!text)
        return false;
    uint32_t source = diag_add_source(d, path, text, length), found = 0;
    for (const char *at = text; *at;) {
        char type = ' ';
        if (strncmp(at, "LAYOUT ", 7) == 0)
            type = at[7];
        bool begins = strncmp(at, "BEGIN", 5) == 0, layout = strncmp(at, "LAYOUT ", 7) == 0;
        at += strcspn(at, "\n");
        at += *at == '\n';
        if (!layout || begins || strncmp(at, "BEGIN", 5) != 0)
            continue; /* skips masks and blank lines */
        at += strcspn(at, "\n");
        at += *at == '\n';
        if (!check_layer(b, type, source, text, &at, d))
            return false;
        found += strchr("pmI", type) != NULL;
    }
    return found >= 3 || diag_error(d, src_at(source, 0, 1), "E0561-layout-differs",
                                    "the file lacks layer 'p', 'm' or 'I'");
}
