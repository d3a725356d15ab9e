/* edges.c - --tile and --glb-tile: edges along loops by their names, in the user's options, in a kernel's
 * tiling, in its lowering and in texts. */
#include "cli/cli.h"

cli_edges cli_parse_edges(cli_session *s, const char *option, const char *text, uint32_t least,
                          uint32_t most) {
    cli_edges out = {0};
    char *items = arena_strdup(&s->mem, text), *rest = NULL;
    for (char *one = strtok_r(items, ",", &rest); one; one = strtok_r(NULL, ",", &rest)) {
        char *colon = strchr(one, ':');
        uint32_t edge = (uint32_t)cli_whole(s, option, colon ? colon + 1 : one, least, most);
        if (colon) {
            *colon = '\0';
            vec_push(&s->mem, &out.along, (cli_edge){one, edge});
        } else if (out.all) {
            cli_bad_value(s, option, text, "one edge for all loops, and others as LOOP:N");
        } else {
            out.all = edge;
        }
    }
    if (!*text)
        cli_bad_value(s, option, text, "an edge");
    return out;
}

/* Fills edge[] for the loops of st; found[i]: st has a loop of along.at[i]. */
static void resolve(const cli_edges *edges, const sam_statement *st, uint32_t *edge, bool *found) {
    for (uint32_t i = 0; i < edges->along.len; i++) {
        for (uint32_t l = 0; l < st->loops.len; l++) {
            sam_var v = st->loops.at[l];
            if (strcmp(names_text(st->names, sam_var_at(st, v)->name), edges->along.at[i].loop) != 0)
                continue;
            edge[v.v - 1] = edges->along.at[i].edge;
            found[i] = true;
        }
    }
}

static bool all_found(cli_session *s, const char *option, const cli_edges *edges, const bool *found,
                      const char *loops) {
    bool all = true;
    for (uint32_t i = 0; i < edges->along.len; i++) {
        if (!found[i])
            cli_bad_value(s, option, edges->along.at[i].loop, arena_printf(&s->mem, "a loop of %s", loops));
        all = all && found[i];
    }
    return all;
}

bool cli_set_tiling(const cli_options *o, cli_session *s, cli_kernel *k) {
    bool *found = arena_new_n(&s->mem, bool, o->tile.along.len + 1),
         *glb_found = arena_new_n(&s->mem, bool, o->glb_tile.along.len + 1);
    const char *loops = cli_loops_text(&k->statement, &s->mem);
    for (uint32_t n = 0; n <= k->producers.len; n++) {
        cli_kernel *one = n < k->producers.len ? &k->producers.at[n] : k;
        one->tiling = (tile_options){.tile = o->tile.all,
                                     .glb_tile = o->glb_tile.all,
                                     .mem_words = k->board.mem_words,
                                     .bank_words = k->board.glb_bank_bytes / 2,
                                     .vector_reducer = pnr_board_extended(&k->board)};
        resolve(&o->tile, &one->statement, one->tiling.edge, found);
        resolve(&o->glb_tile, &one->statement, one->tiling.glb_edge, glb_found);
        if (n < k->producers.len)
            loops = arena_printf(&s->mem, "%s; %s", loops, cli_loops_text(&one->statement, &s->mem));
    }
    return all_found(s, "--tile", &o->tile, found, loops) &&
           all_found(s, "--glb-tile", &o->glb_tile, glb_found, loops);
}

void cli_lower_edges(cli_session *s, const cli_kernel *k, lower_options *out) {
    uint32_t n = k->statement.loops.len;
    lower_piece *edges = arena_new_n(&s->mem, lower_piece, n + 1);
    for (uint32_t l = 0; l < n; l++) {
        sam_var v = k->statement.loops.at[l];
        edges[l] = (lower_piece){sam_var_at(&k->statement, v)->name, tile_edge(&k->statement, &k->tiling, v)};
    }
    out->tile_edge = n ? tile_longest(&k->statement, &k->tiling, NULL) : 1;
    out->edges = edges;
    out->n_edges = n;
}

const char *cli_edges_text(const sam_statement *st, const uint32_t *edge, arena *mem) {
    const char *text = "";
    bool same = true;
    for (uint32_t l = 0; l < st->loops.len; l++) {
        sam_var v = st->loops.at[l];
        same = same && edge[v.v - 1] == edge[st->loops.at[0].v - 1];
        text = arena_printf(mem, "%s%s%s:%u", text, l ? "," : "",
                            names_text(st->names, sam_var_at(st, v)->name), edge[v.v - 1]);
    }
    return same && st->loops.len ? arena_printf(mem, "%u", edge[st->loops.at[0].v - 1]) : text;
}
