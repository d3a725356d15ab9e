/* The program of --compare-cpu: its operands, the compiler, its run, its result. */
#include "report/cpu.h"
#include "support/number.h"

#include <math.h>
#include <stdlib.h>

static void put_array(FILE *out, const void *at, uint64_t bytes) {
    fwrite(&bytes, sizeof bytes, 1, out);
    fwrite(at, 1, bytes, out);
}

/* Writes the input of cpu_program's program. */
static bool write_operands(compile_context *ctx, const cpu_plan *p, const char *path) {
    uint32_t extent[CPU_MAX_VARS] = {0};
    file_out f;
    if (!file_create(&f, path, ctx->mem, ctx->diag))
        return false;
    for (uint32_t i = 0; i < p->loops; i++)
        extent[i] = p->extent[p->loop[i].v - 1];
    put_array(f.stream, extent, sizeof extent);
    for (uint32_t n = 0; n < p->accesses; n++) {
        const cpu_access *a = &p->access[n];
        const sam_tensor t = sam_expr_at(p->st, a->expr)->tensor;
        sam_tensor_data as = *sam_tensor_at(p->st, t);
        sam_tensor_levels levels;
        tile_tensor data = p->operand[t.v - 1];
        for (uint32_t l = 0; l < a->order; l++) {
            as.mode[l] = a->mode[l];
            as.level[l] = a->dense[l] ? SAM_LEVEL_DENSE : SAM_LEVEL_COMPRESSED;
            data.dim[a->mode[l]] = p->extent[a->var[l].v - 1];
        }
        if (!tile_levels(&data, &as, ctx->mem, ctx->diag, &levels))
            return file_abandon(&f);
        for (uint32_t l = 0; l < a->order; l++) {
            const sam_level_data *d = &levels.level[l];
            if (a->dense[l])
                continue;
            put_array(f.stream, d->seg, d->n_seg * sizeof *d->seg);
            put_array(f.stream, d->crd, d->n_crd * sizeof *d->crd);
        }
        put_array(f.stream, levels.vals, levels.n_vals * sizeof *levels.vals);
    }
    return file_commit(&f, ctx->diag);
}

static bool write_text(compile_context *ctx, const char *text, const char *path) {
    file_out f;
    if (!file_create(&f, path, ctx->mem, ctx->diag))
        return false;
    fputs(text, f.stream);
    return file_commit(&f, ctx->diag);
}

/* Reads the program's result, and reorders its coordinates by its indices. */
static bool read_result(compile_context *ctx, const cpu_plan *p, const char *path, tile_tensor *out) {
    const sam_statement *st = p->st;
    const uint32_t order = sam_tensor_at(st, st->result)->order;
    uint32_t dim[SAM_MAX_ORDER] = {0}, at[SAM_MAX_ORDER] = {0}, loop_dim[SAM_MAX_ORDER] = {0}, n = 0;
    uint8_t mode[SAM_MAX_ORDER] = {0};
    size_t length = 0;
    const char *bytes = file_read(path, ctx->mem, &length, ctx->diag);
    if (!bytes)
        return false;
    const size_t entry = sizeof(int16_t) + (p->dense ? 0 : order * sizeof *at);
    const uint64_t entries = length / entry;
    uint32_t *crd = arena_new_n(ctx->mem, uint32_t, entries * order + 1);
    double *val = arena_new_n(ctx->mem, double, entries + 1);
    tile_result_dim(st, p->extent, dim);
    for (uint32_t i = 0; i < p->loops; i++) {
        for (uint8_t m = 0; m < order; m++) {
            if (st->result_index[m].v != p->loop[i].v)
                continue;
            loop_dim[n] = dim[m];
            mode[n++] = m;
        }
    }
    for (uint64_t e = 0; e < entries; e++) {
        int16_t value = 0;
        uint64_t rest = e;
        for (uint32_t l = order; p->dense && l-- > 0; rest /= loop_dim[l])
            at[l] = (uint32_t)(rest % loop_dim[l]);
        if (!p->dense)
            memcpy(at, bytes + e * entry, order * sizeof *at);
        memcpy(&value, bytes + (e + 1) * entry - sizeof value, sizeof value);
        for (uint32_t l = 0; l < order; l++)
            crd[e * order + mode[l]] = at[l];
        val[e] = value;
    }
    return tile_from_entries(sam_tensor_at(st, st->result)->name, order, dim, entries, crd, val,
                             TILE_DTYPE_INT16, "the program of --compare-cpu", ctx->mem, ctx->diag, out);
}

/* Compiles the program; *why reports a missing compiler. */
static bool build(compile_context *ctx, const char *folder, const char **why) {
    const char *code = arena_printf(ctx->mem, "%s/cpu.c", folder),
               *program = arena_printf(ctx->mem, "%s/cpu", folder);
    const char *log = arena_printf(ctx->mem, "%s/cc.log", folder);
    const char *const asked[] = {"cc", "--version", NULL};
    const char *const argv[] = {"cc", "-std=gnu11", "-O3", "-o", program, code, NULL};
    const char *const makes[] = {program, NULL};
    if (program_run(asked, log) == PROGRAM_MISSING) {
        *why = "this machine has no C compiler, 'cc'";
        return true;
    }
    return compile_spawn(ctx, argv, log, makes);
}

static bool measure(compile_context *ctx, const cpu_plan *p, const char *folder, compile_cpu *out,
                    tile_tensor *got) {
    const char *operands = arena_printf(ctx->mem, "%s/operands", folder);
    const char *result = arena_printf(ctx->mem, "%s/result", folder),
               *log = arena_printf(ctx->mem, "%s/log", folder);
    const char *const argv[] = {arena_printf(ctx->mem, "%s/cpu", folder), operands, result, NULL};
    const char *const makes[] = {result, NULL};
    if (!write_text(ctx, cpu_program(p, ctx->mem), arena_printf(ctx->mem, "%s/cpu.c", folder)) ||
        !build(ctx, folder, &out->why))
        return false;
    if (out->why)
        return true;
    if (!write_operands(ctx, p, operands) || !compile_spawn(ctx, argv, log, makes) ||
        !read_result(ctx, p, result, got))
        return false;
    size_t length;
    const char *said = file_read(log, ctx->mem, &length, ctx->diag);
    out->seconds = said ? number_read(said, NULL) : 0;
    return said != NULL;
}

static const char *loops_text(const cpu_plan *p, arena *mem) {
    const char *text = "";
    for (uint32_t i = 0; i < p->loops; i++)
        text = arena_printf(mem, "%s%s%s", text, i ? "," : "",
                            names_text(p->st->names, sam_var_at(p->st, p->loop[i])->name));
    return text;
}

/* Holds the core to the reference. */
static bool is_right(compile_context *ctx, const compile_kernel *k, const tile_tensor *got) {
    tile_tensor want;
    if (!tile_reference(&k->user, &k->data.operands, ctx->mem, ctx->diag, &want))
        return false;
    if (tile_equal(got, &want, k->data.operands.dtype, ctx->names, ctx->diag))
        return true;
    return diag_note(ctx->diag, (src_loc){0}, "this is what the C of --compare-cpu computed");
}

bool compile_compare_cpu(const compile_run_options *o, compile_context *ctx, compile_kernel *k) {
    const char *temporary = getenv("TMPDIR");
    char *folder = arena_printf(ctx->mem, "%s/onyx-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    compile_cpu *out = &k->ran.cpu;
    tile_tensor got = {0};
    cpu_plan p;
    cpu_choose(&k->user, &k->data.operands, k->data.extent, &p);
    if (k->graph.is)
        p.why = "a graph from a file has no expression";
    if (p.why) {
        out->why = o->compare_cpu ? p.why : NULL;
        diag_note(ctx->diag, p.where, "%s: %s",
                  o->compare_cpu ? "--compare-cpu measures nothing" : "-write-source writes nothing", p.why);
        return true;
    }
    if (o->source && !write_text(ctx, cpu_program(&p, ctx->mem), o->source))
        return false;
    if (!o->compare_cpu)
        return true;
    out->loops = loops_text(&p, ctx->mem);
    if (!mkdtemp(folder))
        return diag_error(ctx->diag, (src_loc){0}, "E0004-write", "cannot make a folder such as '%s'",
                          folder);
    const bool ok = measure(ctx, &p, folder, out, &got) && (out->why || is_right(ctx, k, &got));
    remove_folder(folder);
    if (ok && out->why)
        diag_note(ctx->diag, (src_loc){0}, "--compare-cpu measures nothing: %s", out->why);
    return ok;
}

/* Returns how many runs pay for a configuration; 0: no number. */
static double paying_runs(const compile_cpu *cpu, cpu_chip chip) {
    const double saved = cpu->seconds * 1e6 - (chip.total - chip.config);
    return chip.total > 0 && saved > 0 ? fmax(1, ceil(chip.config / saved)) : 0;
}

void compile_cpu_json(const compile_cpu *cpu, cpu_chip chip, cJSON *json) {
    if (!cpu->why && !cpu->loops)
        return;
    cJSON *out = cJSON_AddObjectToObject(json, "cpu");
    if (cpu->why) {
        cJSON_AddStringToObject(out, "why", cpu->why);
        return;
    }
    cJSON_AddNumberToObject(out, "us", cpu->seconds * 1e6);
    cJSON_AddStringToObject(out, "loops", cpu->loops);
    if (chip.total > 0) {
        cJSON_AddNumberToObject(out, "speedup", cpu->seconds * 1e6 / chip.total);
        cJSON_AddNumberToObject(out, "pays_from_runs", paying_runs(cpu, chip));
    }
}

void compile_cpu_print(const compile_cpu *cpu, cpu_chip chip, FILE *out) {
    const double us = cpu->seconds * 1e6, runs = paying_runs(cpu, chip);
    if (cpu->why || !cpu->loops)
        return;
    number_print(out, "  a CPU core took %.2f us in the order %s", us, cpu->loops);
    if (chip.total <= 0)
        fputs("; engine sam has no chip to compare it with\n", out);
    else if (runs == 0)
        number_print(out, ", the chip %.2f: it does not pay on such data\n", chip.total);
    else if (runs == 1)
        number_print(out, ", the chip %.2f: it pays\n", chip.total);
    else
        number_print(
            out, ", the chip %.2f with its configuration: it pays from %.0f runs of one configuration on\n",
            chip.total, runs);
}
