/* The folder of a program: files of the passes for other commands, and the files of --dump. */
#include "kernel/folder.h"

#include "frontend/language/language.h"
#include "frontend/schedules/schedules.h"

bool compile_write_graph(compile_context *ctx, const char *folder, const char *name, const sam_graph *g) {
    file_out f;
    if (!folder)
        return true;
    if (!file_create(&f, arena_printf(ctx->mem, "%s/%s", folder, name), ctx->mem, ctx->diag))
        return false;
    sam_dump(g, f.stream);
    return file_commit(&f, ctx->diag);
}

bool compile_write_netlist(compile_context *ctx, const char *folder, const netlist *n) {
    cJSON *json = net_to_json(n);
    bool ok = json_write(json, arena_printf(ctx->mem, "%s/netlist.json", folder), ctx->diag);
    cJSON_Delete(json);
    return ok && pnr_write_packed(n, arena_printf(ctx->mem, "%s/design.packed", folder), ctx->diag);
}

bool compile_write_design(compile_context *ctx, const char *folder, const pnr_design *d) {
    return pnr_write_place(d, arena_printf(ctx->mem, "%s/design.place", folder), ctx->diag) &&
           pnr_write_route(d, arena_printf(ctx->mem, "%s/design.route", folder), ctx->diag);
}

/* ---- --dump -------------------------------------------------------------------------------------- */

const char *const compile_dump_names[] = {
#define DUMP(stage, type, end, doc) #stage,
#include "kernel/dumps.def"
#undef DUMP
    "-", "all", NULL};

static void print_json(cJSON *json, FILE *out) {
    char *text = json_print(json, true);
    fprintf(out, "%s\n", text);
    cJSON_free(text);
    cJSON_Delete(json);
}

static void print_program(const fe_program *p, FILE *out) {
    fe_program_cin_dump(p, out);
}
static void print_statement(const sam_statement *st, FILE *out) {
    fe_dump(st, out);
}
static void print_coordinates(const sam_statement *st, FILE *out) {
    fe_coordinates_dump(st, out);
}
static void print_cin(const fe_cin *cin, FILE *out) {
    fe_cin_dump(cin, out);
}
static void print_sam(const sam_graph *g, FILE *out) {
    sam_dump(g, out);
}
static void print_sam_hw(const sam_graph *g, FILE *out) {
    sam_dump(g, out);
}
static void print_onyx(const onyx_graph *g, FILE *out) {
    lower_dump(g, out);
}
static void print_netlist(const netlist *n, FILE *out) {
    print_json(net_to_json(n), out);
}
static void print_list(const fw_list *l, FILE *out) {
    fw_list_print(l, out);
}
static void print_timing(const compile_array *a, FILE *out) {
    print_json(pnr_timing_report(&a->design, &a->timing), out);
}

/* Prints the only form present. */
static void print(const compile_form *form, FILE *out) {
#define DUMP(stage, type, end, doc)                                                                          \
    if (form->stage)                                                                                         \
        print_##stage(form->stage, out);
#include "kernel/dumps.def"
#undef DUMP
}

/* Prints the form to ctx->shown. With several stages requested, a line in front names the stage, and the
 * kernel if there are several. */
static void show(const compile_options *o, const compile_context *ctx, const compile_form *form,
                 const char *stage, const char *folder) {
    const char *kernel = folder + strlen(ctx->partial);
    uint32_t stages = 0;
    FILE *out = ctx->shown;
    for (uint32_t i = 0; i < COMPILE_DUMPS; i++)
        stages += o->files.dump.all || o->files.dump.of[i];
    if (stages > 1)
        fprintf(out, "=== %s%s%s\n", stage, *kernel ? " " : "", *kernel ? kernel + 1 : "");
    print(form, out);
}

bool compile_dump(const compile_options *o, compile_context *ctx, const char *folder, compile_form form) {
    static const char *const ends[] = {
#define DUMP(stage, type, end, doc) end,
#include "kernel/dumps.def"
#undef DUMP
    };
    const void *const there[] = {
#define DUMP(stage, type, end, doc) form.stage,
#include "kernel/dumps.def"
#undef DUMP
    };
    uint32_t i = 0;
    while (!there[i])
        i++;
    if (!o->files.dump.all && !o->files.dump.of[i])
        return true;
    if (o->files.dump.shown) {
        show(o, ctx, &form, compile_dump_names[i], folder);
        return true;
    }
    const char *dumps = arena_printf(ctx->mem, "%s/dump", folder);
    file_out f;
    if (!make_folder(dumps, ctx->diag) ||
        !file_create(&f, arena_printf(ctx->mem, "%s/%s.%s", dumps, compile_dump_names[i], ends[i]), ctx->mem,
                     ctx->diag))
        return false;
    print(&form, f.stream);
    return file_commit(&f, ctx->diag);
}
