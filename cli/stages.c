/* Place and route as stages on files: onyx pnr, place, route, sta. */
#include "cli/dense.h"
#include "cli/usage.h"
#include "support/number.h"

#include <stdlib.h>

typedef struct {
    cli_session *session;
    pnr_options pnr; /* the options, and the contents of their files */
} stage;

/* Parses, and requires exactly one argument and, for `wants_out`, a folder. */
static bool begin(option_command command, bool wants_out, int argc, char **argv, cli_session *s, stage *o) {
    cli_session_begin(s);
    bool ok = cli_parse(s, command, argc, argv) &&
              cli_want_arguments(s, 1, option_commands[command].arguments) &&
              (!wants_out || options_want_folder(&s->options, &s->diag));
    *o = (stage){s, s->options.pnr};
    return ok;
}

/* ---- constraints ----------------------------------------------------------------------------- */

/* Reads "p3:0,1,7,4", or "p:..." for every PE. */
static bool read_region(const char *text, const netlist *n, cli_session *s, pnr_region *region) {
    unsigned number = 0, x0, y0, x1, y1;
    int used = 0;
    char tag = text[0];
    bool all = sscanf(text, "%*1[pmI]:%u,%u,%u,%u%n", &x0, &y0, &x1, &y1, &used) == 4 && !text[used];
    bool one = !all && sscanf(text, "%*1[pmI]%u:%u,%u,%u,%u%n", &number, &x0, &y0, &x1, &y1, &used) == 5 &&
               !text[used];
    if ((!all && !one) || x0 > x1 || y0 > y1 || x1 >= PNR_FREE || y1 >= PNR_FREE)
        return diag_error(&s->diag, (src_loc){0}, "E0903-option-value",
                          "--region '%s' must be like p3:0,1,7,4, the first corner north-west of the second",
                          text);
    bool found = false;
    for (uint32_t i = 0; i < n->cells.len; i++)
        if (n->cells.at[i].tag == tag && (all || n->cells.at[i].number == number)) {
            region[i] = (pnr_region){(uint16_t)x0, (uint16_t)y0, (uint16_t)x1, (uint16_t)y1};
            found = true;
        }
    if (!found)
        diag_error(&s->diag, (src_loc){0}, "E0903-option-value",
                   "--region '%s': the netlist has no such block", text);
    return found;
}

/* Reads "p3:1", or "p:1" for every PE. */
static bool read_flush(const char *text, const netlist *n, cli_session *s, uint32_t *flush) {
    unsigned number = 0, value;
    int used = 0;
    bool all = sscanf(text, "%*1[pmI]:%u%n", &value, &used) == 1 && !text[used];
    bool one = !all && sscanf(text, "%*1[pmI]%u:%u%n", &number, &value, &used) == 2 && !text[used];
    if (!all && !one)
        return diag_error(&s->diag, (src_loc){0}, "E0903-option-value", "--flush '%s' must be like p3:1",
                          text);
    bool found = false;
    for (uint32_t i = 0; i < n->cells.len; i++)
        if (n->cells.at[i].tag == text[0] && (all || n->cells.at[i].number == number)) {
            flush[i] = value;
            found = true;
        }
    if (!found)
        diag_error(&s->diag, (src_loc){0}, "E0903-option-value",
                   "--flush '%s': the netlist has no such block", text);
    return found;
}

static bool fixes_io(const netlist *n, const pnr_site *fixed) {
    for (uint32_t i = 0; i < n->cells.len; i++)
        if (n->cells.at[i].tag == 'I' && fixed[i].x != PNR_FREE)
            return true;
    return false;
}

static bool ends_in(const char *name, const char *end) {
    size_t length = strlen(name), n = strlen(end);
    return length > n && strcmp(name + length - n, end) == 0;
}

static bool read_json(cli_session *s, const char *path, netlist *n) {
    cJSON *json = json_read(path, &s->diag);
    bool ok = json && net_from_json(json, &s->names, &s->mem, &s->diag, n) && net_check(n, &s->diag);
    cJSON_Delete(json);
    return ok;
}

/* Reads the array's primitives and packs them into tiles. */
static bool read_onyx(cli_session *s, const char *path, netlist *n) {
    size_t length = 0;
    onyx_graph *g = NULL;
    const char *text = text_read(path, &s->mem, &length, &s->diag);
    return text && lower_parse(path, text, length, &s->names, &s->diag, &g) && lower_check(g, &s->diag) &&
           lower_pack(g, &s->mem, &s->diag, n);
}

static bool read_netlist(cli_session *s, const char *path, netlist *n) {
    return ends_in(path, ".json") ? read_json(s, path, n)
           : ends_in(path, ".ir") ? read_onyx(s, path, n)
                                  : pnr_read_packed(path, &s->names, &s->mem, &s->diag, n);
}

/* Reads the netlist, and all related options. */
static bool read_problem(stage *o, pnr_board *board, netlist *n) {
    cli_session *s = o->session;
    const command_line *says = &s->options;
    const text_vec *regions = &says->stages.regions, *flushes = &says->stages.flushes;
    pnr_site *fixed = NULL;
    if (!compile_read_board(&s->compile, says->compile.target.board, board, NULL) ||
        !read_netlist(s, says->arguments.at[0], n) ||
        (says->stages.fixed && !pnr_read_place(n, says->stages.fixed, &s->mem, &s->diag, &fixed)))
        return false;
    o->pnr.fixed = fixed;
    bool free_io = !says->given[OPTION_IO] && fixed && fixes_io(n, fixed);
    o->pnr.io_fan_out = says->stages.io == OPTIONS_IO_COLUMNS;
    o->pnr.fabric_only = says->stages.io == OPTIONS_IO_ANY || free_io;
    pnr_region *region = arena_new_n(&s->mem, pnr_region, n->cells.len + 1);
    for (uint32_t i = 0; i < n->cells.len; i++)
        region[i].x0 = PNR_FREE;
    for (uint32_t i = 0; i < regions->len; i++)
        if (!read_region(regions->at[i], n, s, region))
            return false;
    if (regions->len)
        o->pnr.region = region;
    uint32_t *flush = arena_new_n(&s->mem, uint32_t, n->cells.len + 1);
    for (uint32_t i = 0; i < flushes->len; i++)
        if (!read_flush(flushes->at[i], n, s, flush))
            return false;
    if (flushes->len)
        o->pnr.flush = flush;
    return true;
}

bool cli_read_placement(cli_session *s, const char *path, pnr_options *options, const netlist *n,
                        const pnr_board *board, pnr_design *design) {
    pnr_site *site;
    if (!pnr_read_place(n, path, &s->mem, &s->diag, &site))
        return false;
    for (uint32_t i = 0; i < n->cells.len; i++) {
        const net_cell_data *c = &n->cells.at[i];
        if (site[i].x == PNR_FREE)
            return diag_error(&s->diag, c->loc, "E0923-not-placed", "'%s' has no place for %c%u", path,
                              c->tag, c->number);
    }
    options->fixed = site; /* nothing is left to place, but the sites are judged */
    return pnr_place(n, board, options, &s->mem, &s->diag, design);
}

static bool read_placement(stage *o, const netlist *n, const pnr_board *board, pnr_design *design) {
    cli_session *s = o->session;
    const char *placed = s->options.stages.placed;
    if (!placed)
        diag_error(&s->diag, (src_loc){0}, "E0904-argument",
                   "--place FILE is missing: where do the cells stand?");
    return placed && cli_read_placement(s, placed, &o->pnr, n, board, design);
}

/* ---- results --------------------------------------------------------------------------------- */

static void print_resources(const netlist *n, const pnr_board *b) {
    pnr_resource table[PNR_RESOURCES];
    pnr_count_resources(n, b, table);
    for (int i = 0; i < PNR_RESOURCES; i++)
        printf("%-14s %5u of %u\n", table[i].what, table[i].need, table[i].have);
}

/* report.json in the folder: the measurements of pnr, with its seconds summed; and a line of text. */
static bool report_design(const stage *o, const pnr_design *design) {
    cli_session *s = o->session;
    cJSON *report = pnr_report(design);
    double seconds = design->stats.place_seconds + design->stats.route_seconds;
    const cJSON *fmax = cJSON_GetObjectItem(report, "fmax_mhz");
    cJSON_AddItemToObject(report, "stage_seconds", cJSON_DetachItemFromObject(report, "seconds"));
    cJSON_AddNumberToObject(report, "seconds", seconds);
    bool ok =
        json_write(report, arena_printf(&s->mem, "%s/report.json", s->options.compile.files.out), &s->diag);
    if (s->options.every.json) {
        cli_print_json(report);
    } else if (!s->options.every.quiet) {
        uint32_t cells = design->net->cells.len, hops = pnr_hops(design);
        printf("%u %s, HPWL %u", cells, plural(cells, "cell", "cells"), pnr_hpwl(design));
        if (design->route.len)
            printf(", %u %s", hops, plural(hops, "hop", "hops"));
        if (fmax)
            number_print(stdout, ", %.0f MHz", fmax->valuedouble);
        number_print(stdout, ", %.1f ms\n", seconds * 1e3);
    }
    cJSON_Delete(report);
    return ok;
}

static bool write_drawings(const stage *o, const pnr_design *design) {
    diagnostics *d = &o->session->diag;
    const char *svg = o->session->options.stages.svg, *heat = o->session->options.stages.heat;
    return (!svg || pnr_write_svg(design, false, svg, d)) && (!heat || pnr_write_svg(design, true, heat, d));
}

static bool write_place(const stage *o, const pnr_design *design) {
    cli_session *s = o->session;
    return pnr_write_place(design, arena_printf(&s->mem, "%s/design.place", s->options.compile.files.out),
                           &s->diag);
}

/* Routes, checks and writes; the partial routes of an unroutable design are written, too. */
static bool route_and_write(const stage *o, pnr_design *design) {
    cli_session *s = o->session;
    progress_stage(s->progress.to, "routing", 0);
    pnr_timing timing;
    bool ok = pnr_route_all(design, &o->pnr, &s->mem, &s->diag) && pnr_check(design, &s->diag);
    if (ok && o->pnr.mhz && pnr_sta(design, &s->mem, &s->diag, &timing))
        pnr_judge_clock(design, &timing, &s->diag);
    bool kept =
        pnr_write_route(design, arena_printf(&s->mem, "%s/design.route", s->options.compile.files.out),
                        &s->diag) &&
        write_drawings(o, design);
    return kept && ok && report_design(o, design);
}

/* ---- onyx pnr, place, route ------------------------------------------------------------------ */

static bool place(stage *o, pnr_board *board, netlist *n, pnr_design *design) {
    cli_session *s = o->session;
    if (!read_problem(o, board, n))
        return false;
    if (!s->options.every.json && !s->options.every.quiet)
        print_resources(n, board);
    progress_stage(s->progress.to, "placing", 0);
    o->pnr.timing = pnr_timing_for(n, board, o->pnr);
    return make_folder(s->options.compile.files.out, &s->diag) &&
           pnr_place(n, board, &o->pnr, &s->mem, &s->diag, design) && write_place(o, design);
}

int command_pnr(int argc, char **argv) {
    cli_session s;
    stage o;
    pnr_board board;
    netlist n;
    pnr_design design;
    bool dense = false;
    const bool begun = begin(COMMAND_PNR, true, argc, argv, &s, &o),
               dense_ok = begun && cli_dense_pnr(&s, &dense);
    return cli_session_end(
        &s, begun && (dense ? dense_ok : place(&o, &board, &n, &design) && route_and_write(&o, &design)));
}

int command_place(int argc, char **argv) {
    cli_session s;
    stage o;
    pnr_board board;
    netlist n;
    pnr_design design;
    bool ok = begin(COMMAND_PLACE, true, argc, argv, &s, &o) && place(&o, &board, &n, &design) &&
              write_drawings(&o, &design) && report_design(&o, &design);
    return cli_session_end(&s, ok);
}

int command_route(int argc, char **argv) {
    cli_session s;
    stage o;
    pnr_board board;
    netlist n;
    pnr_design design;
    bool ok = begin(COMMAND_ROUTE, true, argc, argv, &s, &o) && read_problem(&o, &board, &n) &&
              read_placement(&o, &n, &board, &design) && make_folder(s.options.compile.files.out, &s.diag) &&
              route_and_write(&o, &design);
    return cli_session_end(&s, ok);
}

/* ---- onyx sta -------------------------------------------------------------------------------- */

static void print_path(const pnr_design *design, const pnr_timing *t, arena *mem) {
    const pnr_timing_path *p = &t->paths.at[t->worst_net];
    const net_cell_data *from = net_cell_at(design->net, design->net->nets.at[p->net].source.cell);
    printf("slowest: net %s from %c%u\n", net_id_text(design->net, p->net, mem), from->tag, from->number);
    for (uint32_t i = 0; i < p->steps.len; i++) {
        const pnr_timing_step *step = &p->steps.at[i];
        char wire[48] = "";
        if (step->on_hop)
            pnr_wire_name(step->at.x, step->at.y, (pnr_side)step->side, step->track, wire);
        printf("  %6u ps  +%-5u %-22s %s\n", step->arrival_ps, step->delay_ps, step->what, wire);
    }
}

static void print_timing(const pnr_design *design, const pnr_timing *t, arena *mem) {
    number_print(stdout, "period %u ps (%.0f MHz), floor %u ps\n", t->period_ps, 1e6 / t->period_ps,
                 t->floor_ps);
    if (t->corner)
        number_print(stdout, "by the delays of %s: %u ps (%.0f MHz)\n", t->corner, t->corner_ps,
                     1e6 / t->corner_ps);
    if (t->worst_net == PNR_NO_HOP)
        printf("slowest: the inside of a tile\n");
    else
        print_path(design, t, mem);
    printf("paths by slack, in tenths of the period:");
    for (int i = 0; i < PNR_SLACK_BINS; i++)
        printf(" %u", t->histogram[i]);
    cJSON *json = pnr_timing_report(design, t);
    const cJSON *rows = cJSON_GetObjectItem(json, "exceptions");
    uint32_t slow = (uint32_t)cJSON_GetArraySize(rows);
    printf("\n%u %s above the floor\n", slow, plural(slow, "net", "nets"));
    for (const cJSON *row = rows->child; row; row = row->next)
        printf("  e%d from %s, %d ps: %s\n", cJSON_GetObjectItem(row, "net")->valueint,
               cJSON_GetObjectItem(row, "from")->valuestring, cJSON_GetObjectItem(row, "delay_ps")->valueint,
               cJSON_GetObjectItem(row, "reason")->valuestring);
    cJSON_Delete(json);
}

static bool time_routes(stage *o) {
    cli_session *s = o->session;
    pnr_board board;
    netlist n;
    pnr_design design;
    pnr_timing t;
    const char *routed = s->options.stages.routed;
    if (!routed)
        return diag_error(&s->diag, (src_loc){0}, "E0904-argument",
                          "--route FILE is missing: what is to be timed?");
    if (!read_problem(o, &board, &n) || !read_placement(o, &n, &board, &design) ||
        !pnr_read_route(&design, routed, &s->mem, &s->diag) || !pnr_check(&design, &s->diag) ||
        !pnr_sta(&design, &s->mem, &s->diag, &t))
        return false;
    if (s->options.every.json) {
        cJSON *json = pnr_timing_report(&design, &t);
        cli_print_json(json);
        cJSON_Delete(json);
    } else {
        print_timing(&design, &t, &o->session->mem);
    }
    return write_drawings(o, &design);
}

int command_sta(int argc, char **argv) {
    cli_session s;
    stage o;
    bool ok = begin(COMMAND_STA, false, argc, argv, &s, &o) && time_routes(&o);
    return cli_session_end(&s, ok);
}
