/* onyx view: the results of one run or two, in their folders, as a page for a browser. This file collects the
 * data; the page (cli/view/) draws them. */
#include "cli/view.h"
#include "cli/picture.h"
#include "cli/usage.h"
#include "kernel/commit.h"
#include "kernel/folder.h"
#include "report/report.h"
#include "support/palette.h"
#include "support/sha256.h"

#include <signal.h>
#include <unistd.h>

enum { TRACE_MOST = 1 << 20 }; /* bytes of io.trace; whole runs beyond the limit are left out */

static const char *const tile_name[] = {"starved", "pe", "mem", "io"};

/* ---- graphs ---------------------------------------------------------------------------------- */

/* Graphviz's drawing of a .gv file; null without Graphviz, and with a warning on failure. */
static cJSON *drawing_of(cli_session *s, const char *gv) {
    const char *svg = arena_printf(&s->mem, "%s.svg.part", gv);
    const char *const argv[] = {"dot", "-Tsvg", "-o", svg, gv, NULL};
    size_t length = 0;
    unlink(svg);
    int status = program_run(argv, "/dev/null");
    const char *text = status == 0 ? file_read(svg, &s->mem, &length, &s->diag) : NULL;
    unlink(svg);
    s->compile.interrupted = s->compile.interrupted || status == -SIGINT;
    if (status != 0 && status != PROGRAM_MISSING) {
        diag_warning(&s->diag, (src_loc){0}, "E0930-tool", "Graphviz cannot draw '%s' in its folder", gv);
        diag_hint(&s->diag, "dot -Tsvg '%s' says why; the page has no drawing of it", gv);
    }
    const char *begin = text ? strstr(text, "<svg") : NULL;
    return begin ? cJSON_CreateString(begin) : cJSON_CreateNull();
}

static void quote(const char *text, FILE *out) {
    fputc('"', out);
    for (; *text; text++)
        fprintf(out, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    fputc('"', out);
}

/* Writes the netlist as DOT, with cells by their names. */
static bool write_netlist_gv(const netlist *n, const char *path, cli_session *s) {
    file_out f;
    if (!file_create(&f, path, &s->mem, &s->diag))
        return false;
    fputs("digraph onyx {\nnode [shape=box style=filled fontname=\"sans-serif\"]\n", f.stream);
    for (uint32_t i = 0; i < n->cells.len; i++) {
        const net_cell_data *c = &n->cells.at[i];
        quote(names_text(n->names, c->name), f.stream);
        fprintf(f.stream, " [fillcolor=\"%s\"]\n", palette_light(tile_name[net_mode_table[c->mode].tile]));
    }
    for (uint32_t i = 0; i < n->nets.len; i++) {
        const net_data *net = &n->nets.at[i];
        for (uint32_t k = 0; k < net->sinks.len; k++) {
            quote(names_text(n->names, net_cell_at(n, net->source.cell)->name), f.stream);
            fputs(" -> ", f.stream);
            quote(names_text(n->names, net_cell_at(n, net->sinks.at[k].cell)->name), f.stream);
            fputc('\n', f.stream);
        }
    }
    fputs("}\n", f.stream);
    return file_commit(&f, &s->diag);
}

/* ---- one kernel ------------------------------------------------------------------------------- */

static cJSON *board_json(const pnr_board *b) {
    cJSON *json = cJSON_CreateObject(), *kinds = cJSON_CreateArray();
    cJSON_AddNumberToObject(json, "width", b->width);
    cJSON_AddNumberToObject(json, "height", b->height);
    cJSON_AddNumberToObject(json, "tracks", b->tracks);
    for (uint32_t x = 0; x < b->width; x++)
        cJSON_AddItemToArray(kinds,
                             cJSON_CreateString(pnr_site_tile(b, x, 1) == NET_TILE_MEM ? "mem" : "pe"));
    cJSON_AddItemToObject(json, "columns", kinds);
    return json;
}

static cJSON *route_json(const pnr_design *design, uint32_t n, arena *mem) {
    cJSON *json = cJSON_CreateObject(), *hops = cJSON_CreateArray();
    cJSON_AddStringToObject(json, "id", net_id_text(design->net, n, mem));
    for (uint32_t i = 0; i < design->route.at[n].hops.len; i++) {
        const pnr_hop *h = &design->route.at[n].hops.at[i];
        const double row[] = {h->x, h->y, h->side, h->track, h->registered ? (h->fifo_start ? 1 : 2) : 0};
        cJSON_AddItemToArray(hops, cJSON_CreateDoubleArray(row, sizeof row / sizeof *row));
    }
    cJSON_AddItemToObject(json, "hops", hops);
    return json;
}

static cJSON *ports_json(void) {
    cJSON *json = cJSON_CreateObject();
    for (int m = 1; m < NET_MODES; m++) {
        const net_mode_info *info = &net_mode_table[m];
        cJSON *mode = cJSON_AddObjectToObject(json, info->name);
        cJSON *in = cJSON_AddArrayToObject(mode, "in"), *out = cJSON_AddArrayToObject(mode, "out");
        for (int p = 0; p < 4; p++)
            cJSON_AddItemToArray(in, cJSON_CreateString(info->port_in[p] ? info->port_in[p] : ""));
        for (int p = 0; p < 3; p++)
            cJSON_AddItemToArray(out, cJSON_CreateString(info->port_out[p] ? info->port_out[p] : ""));
        cJSON_AddStringToObject(mode, "tile", tile_name[info->tile]);
        cJSON_AddStringToObject(mode, "doc", info->doc ? info->doc : "");
    }
    return json;
}

/* Collects the cells, sites, routes and timing of a folder with netlist.json and a routed design. */
static bool add_design(cli_session *s, const char *folder, const pnr_board *board, cJSON *to) {
    arena *mem = &s->mem;
    cJSON *json = json_read(arena_printf(mem, "%s/netlist.json", folder), &s->diag);
    netlist *n = arena_new(mem, netlist);
    pnr_design design = {.net = n, .board = board};
    pnr_timing timing;
    pnr_site *site;
    bool ok = json && net_from_json(json, &s->names, mem, &s->diag, n) &&
              pnr_read_place(n, arena_printf(mem, "%s/design.place", folder), mem, &s->diag, &site);
    cJSON_Delete(json);
    if (!ok)
        return false;
    for (uint32_t i = 0; i < n->cells.len; i++)
        vec_push(mem, &design.site, site[i]);
    const char *gv = arena_printf(mem, "%s/netlist.gv.part", folder);
    if (!pnr_read_route(&design, arena_printf(mem, "%s/design.route", folder), mem, &s->diag) ||
        !pnr_check(&design, &s->diag) || !pnr_sta(&design, mem, &s->diag, &timing) ||
        !write_netlist_gv(n, gv, s))
        return false;
    cJSON_AddItemToObject(to, "netlist", net_to_json(n));
    cJSON_AddItemToObject(to, "netlist_svg", drawing_of(s, gv));
    unlink(gv);
    cJSON *sites = cJSON_AddArrayToObject(to, "sites"), *routes = cJSON_AddArrayToObject(to, "routes");
    for (uint32_t i = 0; i < design.site.len; i++) {
        const double at[] = {design.site.at[i].x, design.site.at[i].y};
        cJSON_AddItemToArray(sites, cJSON_CreateDoubleArray(at, 2));
    }
    for (uint32_t i = 0; i < design.route.len; i++) {
        cJSON *route = route_json(&design, i, mem);
        cJSON_AddNumberToObject(route, "delay_ps", timing.paths.at[i].delay_ps);
        cJSON_AddNumberToObject(route, "floor_ps", timing.paths.at[i].floor_ps);
        cJSON_AddItemToArray(routes, route);
    }
    cJSON_AddItemToObject(to, "timing", pnr_timing_report(&design, &timing));
    return true;
}

/* Collects the whole lines of --io-trace's file, if present. */
static void add_trace(cli_session *s, const char *folder, cJSON *to) {
    const char *path = arena_printf(&s->mem, "%s/io.trace", folder);
    size_t length = 0;
    char *text = access(path, R_OK) == 0 ? file_read(path, &s->mem, &length, &s->diag) : NULL;
    if (!text)
        return;
    if (length > TRACE_MOST) {
        text[TRACE_MOST] = '\0';
        char *line = strrchr(text, '\n');
        *(line ? line : text) = '\0';
    }
    cJSON_AddStringToObject(to, "io_trace", text);
}

/* Adds the file's contents as `member`, if the file exists. */
static bool add_file(cli_session *s, const char *path, const char *member, cJSON *to) {
    cJSON *json = access(path, R_OK) == 0 ? json_read(path, &s->diag) : NULL;
    if (json)
        cJSON_AddItemToObject(to, member, json);
    return !diag_failed(&s->diag);
}

/* Adds the command line's lines about waiting tiles, word for word. */
static void add_verdict(cli_session *s, const cJSON *section, cJSON *to) {
    const text_vec lines = compile_stalls_lines(section, &s->mem);
    cJSON *list = cJSON_AddArrayToObject(to, "verdict");
    for (uint32_t i = 0; i < lines.len; i++)
        cJSON_AddItemToArray(list, cJSON_CreateString(lines.at[i]));
}

/* `section` is the kernel's object of report.json; the kernel owns a copy. */
static cJSON *kernel_json(cli_session *s, const char *folder, const char *name, const cJSON *section,
                          const pnr_board *board) {
    cJSON *json = cJSON_CreateObject();
    const char *hardware = arena_printf(&s->mem, "%s/sam_hw.gv", folder);
    const char *graph = access(hardware, R_OK) == 0 ? hardware : arena_printf(&s->mem, "%s/sam.gv", folder);
    cJSON_AddStringToObject(json, "name", name);
    cJSON_AddItemToObject(json, "report", cJSON_Duplicate(section, true));
    cJSON_AddItemToObject(json, "graph_svg", drawing_of(s, graph));
    add_verdict(s, section, json);
    bool placed = access(arena_printf(&s->mem, "%s/netlist.json", folder), R_OK) == 0;
    if ((placed && !add_design(s, folder, board, json)) ||
        !add_file(s, arena_printf(&s->mem, "%s/timeline.json", folder), "timeline", json)) {
        cJSON_Delete(json);
        return NULL;
    }
    add_trace(s, folder, json);
    return json;
}

/* ---- the page --------------------------------------------------------------------------------- */

/* JSON safe inside a script element: without any '<'. */
static void put_json(const cJSON *json, FILE *out) {
    char *text = json_print(json, false);
    for (const char *c = text; *c; c++) {
        if (*c == '<')
            fputs("\\u003c", out);
        else
            fputc(*c, out);
    }
    cJSON_free(text);
}

/* The page's template and its inserts; several files of an insert follow each other. */
static const struct {
    const char *mark, *files[8];
} inserts[] = {
    {"{{style}}", {"page.css"}},
    {"{{script}}",
     {"zoom.js", "timeline.js", "array.js", "operands.js", "roofline.js", "shown.js", "page.js"}},
};
enum { STYLE, SCRIPT, INSERTS };

static const char *insert_text(cli_session *s, int insert) {
    const char *text = "";
    for (const char *const *file = inserts[insert].files; *file && text; file++) {
        size_t length;
        const char *more = file_read(arena_printf(&s->mem, "%s/cli/view/%s", s->compile.home, *file), &s->mem,
                                     &length, &s->diag);
        text = more ? arena_printf(&s->mem, "%s%s", text, more) : NULL;
    }
    return text;
}

/* The colours of the palette as custom properties of a style sheet. */
static void put_palette(bool dark, FILE *out) {
    for (const palette_colour *c = palette_named; c->name; c++)
        fprintf(out, "--%s: %s; ", c->name, dark ? c->dark : c->light);
    for (int i = 0; i < PALETTE_SERIES; i++)
        fprintf(out, "--net%d: %s; ", i, dark ? palette_series[i].dark : palette_series[i].light);
}

/* Writes the template with its inserts in the places of {{style}}, {{script}} and {{data}}. */
static bool write_page(cli_session *s, const cJSON *data, const char *path) {
    size_t length;
    const char *text[INSERTS];
    const char *at = file_read(arena_printf(&s->mem, "%s/cli/view/page.html", s->compile.home), &s->mem,
                               &length, &s->diag);
    bool ok = at != NULL;
    for (int i = 0; i < INSERTS && ok; i++) {
        text[i] = insert_text(s, i);
        ok = text[i] != NULL;
    }
    file_out f;
    if (!ok || !file_create(&f, path, &s->mem, &s->diag))
        return false;
    while (*at) {
        int insert = 0;
        while (insert < INSERTS && strncmp(at, inserts[insert].mark, strlen(inserts[insert].mark)) != 0)
            insert++;
        if (insert < INSERTS) {
            fputs(text[insert], f.stream);
            at += strlen(inserts[insert].mark);
        } else if (strncmp(at, "{{hash}}", 8) == 0) {
            /* No other script runs: not even scripts in a graph's links. */
            const char *script = arena_printf(&s->mem, "\n%s\n", text[SCRIPT]);
            fputs(sha256_base64(script, strlen(script), &s->mem), f.stream);
            at += 8;
        } else if (strncmp(at, "{{light}}", 9) == 0 || strncmp(at, "{{dark}}", 8) == 0) {
            put_palette(at[2] == 'd', f.stream);
            at += at[2] == 'd' ? 8 : 9;
        } else if (strncmp(at, "{{data}}", 8) == 0) {
            put_json(data, f.stream);
            at += 8;
        } else {
            fputc(*at++, f.stream);
        }
    }
    return file_commit(&f, &s->diag);
}

/* Adds the kernels of an expression, whose report this is. */
static bool add_kernels(cli_session *s, const char *folder, const char *name, const cJSON *report,
                        const pnr_board *board, cJSON *kernels) {
    const cJSON *sections = cJSON_GetObjectItemCaseSensitive(report, "kernels");
    if (!sections) {
        cJSON *kernel = kernel_json(s, folder, name, report, board);
        return kernel && cJSON_AddItemToArray(kernels, kernel);
    }
    for (const cJSON *section = sections->child; section; section = section->next) {
        const char *tensor;
        cJSON *kernel = NULL;
        if (cJSON_HasObjectItem(section, "on")) /* the host computes it */
            continue;
        if (json_get_text(section, "report.json", "tensor", &tensor, &s->diag))
            kernel =
                kernel_json(s, compile_kernel_folder(folder, tensor, &s->mem),
                            *name ? arena_printf(&s->mem, "%s/%s", name, tensor) : tensor, section, board);
        if (!kernel)
            return false;
        cJSON_AddItemToArray(kernels, kernel);
    }
    return true;
}

/* Adds the kernels of a program's statements; each has its statement, `of`. */
static bool add_statements(cli_session *s, const char *folder, const cJSON *statements,
                           const pnr_board *board, cJSON *kernels) {
    const cJSON *one;
    cJSON_ArrayForEach(one, statements) {
        const cJSON *report = cJSON_GetObjectItemCaseSensitive(one, "compiled");
        const char *within;
        const int before = cJSON_GetArraySize(kernels);
        if (!report) /* the host computes it */
            continue;
        if (!json_get_text(one, "report.json", "folder", &within, &s->diag) ||
            !add_kernels(s, compile_kernel_folder(folder, within, &s->mem), within, report, board, kernels))
            return false;
        for (int i = before; i < cJSON_GetArraySize(kernels); i++) {
            cJSON *kernel = cJSON_GetArrayItem(kernels, i);
            cJSON_AddItemToObject(kernel, "of", cJSON_Duplicate(one, true));
            cJSON_DeleteItemFromObject(kernel, "timeline"); /* the program's has it, too */
        }
    }
    return true;
}

static bool want_kernels(cli_session *s, const char *folder, const cJSON *kernels) {
    if (cJSON_GetArraySize(kernels))
        return true;
    diag_error(&s->diag, (src_loc){0}, "E0950-not-compiled",
               "nothing of what is in '%s' is on the array: there is nothing to draw", folder);
    return diag_hint(&s->diag, "its report.json says what the host computes, and why");
}

/* The report of the run becomes that of its only kernel, which has what the page shows. */
static bool add_dense(cli_session *s, const char *folder, cJSON *data, const pnr_board *board) {
    cJSON *kernel = cli_view_dense(s, folder, cJSON_GetObjectItem(data, "report"), board);
    if (!kernel || !add_file(s, arena_printf(&s->mem, "%s/timeline.json", folder), "timeline", kernel)) {
        cJSON_Delete(kernel);
        return false;
    }
    cJSON_AddItemToArray(cJSON_GetObjectItem(data, "kernels"), kernel);
    return cJSON_ReplaceItemInObjectCaseSensitive(
        data, "report", cJSON_Duplicate(cJSON_GetObjectItem(kernel, "report"), true));
}

/* Collects a command's results in a folder. */
static bool collect(cli_session *s, const char *folder, cJSON *data) {
    static const char *const reads[] = {
        "netlist.json", "design.place",  "design.route",          "sam.gv",    "sam_hw.gv",
        "io.trace",     "timeline.json", "program_timeline.json", "design.bs", NULL};
    cJSON *report = json_read(arena_printf(&s->mem, "%s/report.json", folder), &s->diag);
    const char *board_name, *profile = NULL;
    pnr_board board;
    if (!report)
        return diag_hint(&s->diag, "onyx run and onyx compile write it when they are done: -o %s", folder);
    const cJSON *statements = cJSON_GetObjectItemCaseSensitive(report, "statements");
    const bool dense =
        cJSON_HasObjectItem(report, "dense_program") || cJSON_HasObjectItem(report, "dense_design");
    cJSON *kernels = cJSON_AddArrayToObject(data, "kernels");
    cJSON_AddItemToObject(data, "report", report);
    if (!json_get_text(report, "report.json", "board", &board_name, &s->diag) ||
        (!dense && !json_get_text(report, "report.json", "profile", &profile, &s->diag)) ||
        !compile_folder_fits(&s->compile, folder, reads) ||
        !compile_read_board(&s->compile, board_name, &board, NULL) ||
        (!dense && !pnr_board_set_profile(&board, profile, &s->diag)))
        return false;
    cJSON_AddItemToObject(data, "board", board_json(&board));
    cJSON_AddStringToObject(data, "folder", folder);
    if (dense)
        return add_dense(s, folder, data, &board);
    if (!statements)
        return add_kernels(s, folder, "", report, &board, kernels) && want_kernels(s, folder, kernels);
    return add_statements(s, folder, statements, &board, kernels) && want_kernels(s, folder, kernels) &&
           add_file(s, arena_printf(&s->mem, "%s/program_timeline.json", folder), "line", data);
}

/* One folder, or two. */
static bool want_folders(cli_session *s) {
    uint32_t given = s->options.arguments.len;
    return given == 2 || cli_want_arguments(s, 1, option_commands[COMMAND_VIEW].arguments);
}

int command_view(int argc, char **argv) {
    cli_session s;
    cli_session_begin(&s);
    cJSON *data = cJSON_CreateObject();
    bool ok = cli_parse(&s, COMMAND_VIEW, argc, argv) && want_folders(&s);
    if (ok) {
        const command_line *o = &s.options;
        const text_vec *folders = &o->arguments;
        const char *last = folders->at[folders->len - 1];
        const char *name = folders->len > 1 ? "compare.html" : "view.html";
        const bool drawn = o->view.svg || o->view.png, own = o->compile.files.out && !drawn;
        const char *page = own ? o->compile.files.out : arena_printf(&s.mem, "%s/%s", last, name);
        cJSON *runs = cJSON_AddArrayToObject(data, "runs");
        cJSON_AddItemToObject(data, "ports", ports_json());
        for (uint32_t i = 0; i < folders->len && ok; i++)
            ok = collect(&s, folders->at[i], json_add_item(runs));
        ok = ok && !diag_failed(&s.diag) && !s.compile.interrupted && write_page(&s, data, page);
        if (ok && !own)
            compile_list_file(&s.compile, last, name);
        if (ok && drawn)
            ok = cli_picture(&s, page, last);
        else if (ok && !o->every.quiet)
            printf("%s\n", page);
    }
    cJSON_Delete(data);
    return cli_session_end(&s, ok);
}
