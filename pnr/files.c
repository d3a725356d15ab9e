/* The text files of the public tools: .place in and out, and .info (docs/pnr.md); packed.c and route_file.c
 * have the others. */
#include "pnr/text.h"

/* ---- .place ---------------------------------------------------------------------------------- */

static bool read_place_row(const pnr_reader *r, const netlist *n, pnr_site *fixed) {
    uint32_t x, y, number;
    char tag;
    pnr_word id = r->words.len == 4 ? r->words.at[3] : (pnr_word){0}, called = r->words.at[0];
    if (id.length < 2 || id.at[0] != '#' ||
        !pnr_word_block((pnr_word){id.at + 1, id.length - 1}, &tag, &number) ||
        !pnr_word_number(r->words.at[1], &x) || !pnr_word_number(r->words.at[2], &y) || x >= PNR_FREE ||
        y >= PNR_FREE)
        return pnr_wrong(r, pnr_line_word(r), "expected 'name x y #block'");
    for (uint32_t i = 0; i < n->cells.len; i++) {
        if (n->cells.at[i].tag != tag || n->cells.at[i].number != number)
            continue;
        if (fixed[i].x != PNR_FREE)
            return diag_error(r->d, pnr_line_loc(r, id), "E0543-place-block", "block %c%u is placed twice",
                              tag, number);
        if (n->cells.at[i].name.v && !pnr_word_is(called, names_text(n->names, n->cells.at[i].name)))
            return diag_error(r->d, pnr_line_loc(r, called), "E0543-place-block",
                              "block %c%u is called '%s', not '%.*s'", tag, number,
                              names_text(n->names, n->cells.at[i].name), (int)called.length, called.at);
        fixed[i] = (pnr_site){(uint16_t)x, (uint16_t)y};
        return true;
    }
    return diag_error(r->d, pnr_line_loc(r, id), "E0543-place-block", "the netlist has no block %c%u", tag,
                      number);
}

/* Reads the two lines above the rows. */
static bool read_place_heading(pnr_reader *r) {
    static const char *const names[] = {"Block", "Name", "X", "Y", "#Block", "ID"};
    enum { NAMES = sizeof names / sizeof *names };
    bool good = pnr_read_line(r) && r->words.len == NAMES;
    for (uint32_t i = 0; good && i < NAMES; i++)
        good = pnr_word_is(r->words.at[i], names[i]);
    const pnr_word rule = good && pnr_read_line(r) && r->words.len == 1 ? r->words.at[0] : (pnr_word){0};
    for (size_t i = 0; i < rule.length; i++)
        good = good && rule.at[i] == '-';
    return (good && rule.length) ||
           pnr_wrong(r, pnr_line_word(r),
                     "expected the heading 'Block Name X Y #Block ID', and a line of dashes below");
}

bool pnr_read_place(const netlist *n, const char *path, arena *mem, diagnostics *d, pnr_site **fixed) {
    pnr_reader r;
    if (!pnr_reader_open(&r, path, "E0542-place-syntax", mem, d))
        return false;
    *fixed = arena_new_n(mem, pnr_site, n->cells.len + 1);
    for (uint32_t i = 0; i < n->cells.len; i++)
        (*fixed)[i].x = (*fixed)[i].y = PNR_FREE;
    bool good = read_place_heading(&r);
    while (good && pnr_read_line(&r))
        good = !r.words.len || read_place_row(&r, n, *fixed);
    return good;
}

bool pnr_write_place(const pnr_design *design, const char *path, diagnostics *d) {
    const netlist *n = design->net;
    file_out f;
    if (!file_create(&f, path, d->mem, d))
        return false;
    fputs("Block Name\t\t\tX\tY\t\t#Block ID\n---------------------------\n", f.stream);
    for (uint32_t i = 0; i < n->cells.len; i++)
        fprintf(f.stream, "%s\t\t%u\t%u\t\t#%c%u\n", names_text(n->names, n->cells.at[i].name),
                design->site.at[i].x, design->site.at[i].y, n->cells.at[i].tag, n->cells.at[i].number);
    return file_commit(&f, d);
}

/* ---- .info -------------------------------------------------------------------------------- */

bool pnr_write_info(const char *layout, const char *graph_17, const char *graph_1, const char *path,
                    diagnostics *d) {
    file_out f;
    if (!file_create(&f, path, d->mem, d))
        return false;
    fprintf(f.stream, "layout=%s\ngraph=17 %s 1 %s\n", layout, graph_17, graph_1);
    return file_commit(&f, d);
}
