/* onyx fabric and onyx boards: the available targets; proves and writes their routing fabric. */
#include "cli/usage.h"
#include "firmware/controller.h"
#include "firmware/register_table.h"

static bool fabric_check(cli_session *s, const pnr_board *b) {
    diagnostics *d = &s->diag;
    const command_line *o = &s->options;
    pnr_fabric counted;
    if (!pnr_fabric_check(b, d, &counted) || (o->graph && !pnr_check_graph(b, 17, o->graph, d)) ||
        (o->graph_1 && !pnr_check_graph(b, 1, o->graph_1, d)) ||
        (o->layout && !pnr_check_layout(b, o->layout, d)))
        return false;
    if (!o->every.quiet)
        printf("%s: %u outputs, %u wires, %u connections a switch box: names, pairs and formula hold on both "
               "networks\n",
               b->name, counted.outputs, counted.wires, counted.switch_wires);
    return true;
}

static bool fabric_stat(cli_session *s, const pnr_board *b) {
    pnr_fabric counted;
    uint32_t tiles[NET_TILE_IO + 1] = {0};
    if (!pnr_fabric_check(b, &s->diag, &counted))
        return false;
    for (uint32_t y = 0; y < b->height; y++)
        for (uint32_t x = 0; x < b->width; x++)
            tiles[pnr_site_tile(b, x, y)]++;
    printf("tiles          %u PE, %u MEM, %u IO\nstreams        %u load, %u store\n", tiles[NET_TILE_PE],
           tiles[NET_TILE_MEM], tiles[NET_TILE_IO], b->glb_tiles, b->glb_tiles);
    printf("tracks         %u a side and direction\noutputs        %u\nwires          %u\nswitch box     %u "
           "connections\n",
           b->tracks, counted.outputs, counted.wires, counted.switch_wires);
    return true;
}

static bool fabric_write(cli_session *s, const pnr_board *b) {
    const char *out = s->options.compile.files.out;
    const char *layout = arena_printf(&s->mem, "%s/%s.layout", out, b->name);
    const char *graph = arena_printf(&s->mem, "%s/17.graph", out);
    const char *graph_1 = arena_printf(&s->mem, "%s/1.graph", out);
    return make_folder(out, &s->diag) && pnr_write_layout(b, true, layout, &s->diag) &&
           pnr_write_graph(b, 17, graph, &s->diag) && pnr_write_graph(b, 1, graph_1, &s->diag) &&
           pnr_write_info(layout, graph, graph_1, arena_printf(&s->mem, "%s/design.info", out), &s->diag);
}

int command_fabric(int argc, char **argv) {
    static const char *const actions[] = {"check", "stat", "write", NULL};
    cli_session s;
    pnr_board board;
    cli_session_begin(&s);
    bool ok = cli_parse(&s, COMMAND_FABRIC, argc, argv) &&
              cli_want_arguments(&s, 1, option_commands[COMMAND_FABRIC].arguments);
    uint32_t action =
        ok ? options_choose("onyx fabric", s.options.arguments.at[0], actions, &s.mem, &s.diag) : 0;
    if (ok && action != 2)
        cli_refuse_option(&s, OPTION_FOLDER, "onyx fabric write");
    for (option_key key = OPTION_GRAPH; ok && action != 0 && key <= OPTION_LAYOUT; key++)
        cli_refuse_option(&s, key, "onyx fabric check");
    ok = ok && !diag_failed(&s.diag) && (action != 2 || options_want_folder(&s.options, &s.diag)) &&
         compile_read_board(&s.compile, s.options.compile.target.board, &board, NULL);
    if (ok)
        ok = action == 0   ? fabric_check(&s, &board)
             : action == 1 ? fabric_stat(&s, &board)
                           : fabric_write(&s, &board);
    return cli_session_end(&s, ok);
}

/* ---- onyx boards ----------------------------------------------------------------------------- */

static void print_board(const pnr_board *b) {
    const char *link = b->link.openocd ? strrchr(b->link.openocd, '/') : NULL;
    printf("%-12s %u x %u tiles and an IO row, %u tracks, MEM where x %% %u == %u, %u global-buffer "
           "tiles of %u KB%s%s\n",
           b->name, b->width, b->height - 1, b->tracks, b->mem_period, b->mem_phase, b->glb_tiles,
           b->glb_banks_per_tile * b->glb_bank_bytes / 1024, link ? "; programmed by " : "",
           link ? link + 1 : "");
}

/* Additions of profiles on some boards. */
typedef struct {
    const char *what, *boards; /* lines; names with commas between */
} additions;
typedef VEC(additions) additions_vec;

/* Adds the board to the boards with the same additions. */
static void note_additions(cli_session *s, const char *board, const bits_map *map, additions_vec *all) {
    text_out lines;
    text_begin(&lines);
    bits_list_profiles(map, "  ", lines.stream);
    const char *what = text_end(&lines, &s->mem);
    for (uint32_t i = 0; i < all->len; i++) {
        if (strcmp(all->at[i].what, what) == 0) {
            all->at[i].boards = arena_printf(&s->mem, "%s, %s", all->at[i].boards, board);
            return;
        }
    }
    if (*what)
        vec_push(&s->mem, all, (additions){what, arena_strdup(&s->mem, board)});
}

/* An unreadable board does not stop the list. */
static bool list_boards(cli_session *s) {
    const char *folder = arena_printf(&s->mem, "%s/boards", s->compile.home);
    const text_vec names = cli_names_in(s, folder, ".json");
    if (!names.len)
        diag_error(&s->diag, (src_loc){0}, "E0001-file", "there are no boards in '%s'", folder);
    additions_vec all = {0};
    for (uint32_t i = 0; i < names.len; i++) {
        pnr_board b;
        bits_map *map;
        if (compile_read_board(&s->compile, names.at[i], &b, NULL) &&
            bits_map_read(&b, &s->mem, &s->diag, &map)) {
            print_board(&b);
            note_additions(s, b.name, map, &all);
        }
    }
    for (uint32_t i = 0; i < all.len; i++)
        printf("\nprofiles of %s add:\n%s", all.at[i].boards, all.at[i].what);
    return !diag_failed(&s->diag);
}

static bool print_svd(cli_session *s) {
    pnr_board b;
    const bool ok =
        compile_read_board(&s->compile, s->options.svd, &b, NULL) && fw_is_controlled(&b, &s->diag);
    if (ok)
        fw_write_svd(&b, stdout);
    return ok;
}

int command_boards(int argc, char **argv) {
    cli_session s;
    cli_session_begin(&s);
    bool ok = cli_parse(&s, COMMAND_BOARDS, argc, argv) && cli_want_arguments(&s, 0, "none") &&
              (s.options.svd ? print_svd(&s) : list_boards(&s));
    return cli_session_end(&s, ok);
}
