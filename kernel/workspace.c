/* workspace.c - --explain: appended and scattered pieces of a kernel's result, and the storage of scattered
 * pieces until complete. */
#include "kernel/workspace.h"
#include "frontend/language/language.h"
#include "frontend/lowering/lowering.h"
#include "frontend/schedules/schedules.h"
#include "kernel/edges.h"

/* Returns levels [from, to) as "i" or "i and j". */
static const char *levels_text(const sam_statement *s, const fe_workspace *w, uint32_t from, uint32_t to,
                               arena *mem) {
    const char *text = "";
    for (uint32_t l = from; l < to; l++)
        text = arena_printf(mem, "%s%s%s", text,
                            l == from    ? ""
                            : l + 1 < to ? ", "
                                         : " and ",
                            names_text(s->names, sam_var_at(s, w->level[l])->name));
    return text;
}

/* Returns "loops i,k,j: i is appended, j scattered, since the sum over k is outside". */
static const char *order_text(const sam_statement *s, const fe_workspace *w, arena *mem) {
    const uint32_t appended = w->levels - w->order;
    const char *loops = compile_loops_text(s, mem);
    if (!w->levels)
        return arena_printf(mem, "loops %s: the result is a scalar", loops);
    if (!w->order)
        return arena_printf(mem, "loops %s: %s appended", loops, levels_text(s, w, 0, w->levels, mem));
    const char *head =
        appended ? arena_printf(mem, "%s appended, ", levels_text(s, w, 0, appended, mem)) : "";
    const char *why = w->order > w->summed
                          ? "since they are stored in another order"
                          : arena_printf(mem, "since the sum over %s is outside",
                                         names_text(s->names, sam_var_at(s, w->outside)->name));
    return arena_printf(mem, "loops %s: %s%s scattered, %s", loops, head,
                        levels_text(s, w, appended, w->levels, mem), why);
}

const char *compile_workspace_as_written(const fe_kernel *kernel, arena *mem) {
    diagnostics unheard;
    sam_statement expanded;
    diag_init(&unheard, mem);
    if (!fe_expand(kernel, mem, &unheard, &expanded))
        return NULL;
    const fe_workspace w = fe_workspace_of(&expanded, mem);
    return arena_printf(mem, "%s: a workspace of order %u", order_text(&expanded, &w, mem), w.order);
}

const char *compile_workspace_on_array(const compile_kernel *k, arena *mem) {
    const sam_statement *s = &k->lowered.statement;
    const fe_workspace w = fe_workspace_of(s, mem);
    const bool extended = pnr_board_extended(&k->board);
    const char *home = !w.sums     ? "no workspace"
                       : s->singly ? "the host combines what the reducer passes on"
                                   : "a reducer has the scalar";
    const char *taken = "";
    if (w.summed) {
        const sam_var inner = w.level[w.levels - 1];
        const uint32_t most = lower_widest(&k->lowered.hardware, sam_var_at(s, inner)->name, extended);
        home = w.order == 2 ? arena_printf(mem, "a memory tile has a matrix of up to %u sums", most * most)
                            : arena_printf(mem, "%s a vector of up to %u sums",
                                           extended ? "a memory tile has" : "two memory tiles have", most);
    }
    for (uint32_t l = 0; l < s->loops.len; l++) {
        if (s->stepped >> (s->loops.at[l].v - 1) & 1)
            taken = arena_printf(mem, "; the host takes loop %s, and adds up what the runs give",
                                 names_text(s->names, sam_var_at(s, s->loops.at[l])->name));
    }
    return arena_printf(mem, "%s; %s%s", order_text(s, &w, mem), home, taken);
}
