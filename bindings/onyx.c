/* The C interface: a session of the command, its operands taken from and its result copied to memory. */
#include "bindings/stored.h"
#include "compile/compile.h"
#include "kernel/folder.h"
#include "kernel/formats.h"
#include "onyx_version.h" /* made by cmake/version.cmake */
#include "options/options.h"
#include "programs/programs.h"
#include "report/report.h"
#include "support/caller.h"
#include "support/progress.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

/* The caller's result, and its memory. */
typedef struct {
    onyx_result result; /* first: onyx_free gets its address */
    arena mem;
} owned_result;

/* The folder of onyx-cosim, with its slash: this library's folder in a build, the installed one otherwise. */
static const char *programs_folder(arena *mem) {
    Dl_info self;
    if (!dladdr((const void *)(uintptr_t)onyx_run, &self) || !self.dli_fname)
        return NULL;
    const char *end = strrchr(self.dli_fname, '/');
    const char *folder = end ? arena_strndup(mem, self.dli_fname, (size_t)(end - self.dli_fname)) : ".";
    if (access(arena_printf(mem, "%s/onyx-cosim", folder), F_OK) == 0)
        return arena_printf(mem, "%s/", folder);
    return arena_printf(mem, "%s/" ONYX_PROGRAMS_INSTALLED "/", folder);
}

/* Refuses NULL pointers in place of required objects, with the caller's name for the object. */
static bool is_given(const void *pointer, uint64_t n, const char *what, diagnostics *d) {
    return pointer || !n || diag_error(d, (src_loc){0}, "E0904-argument", "%s is NULL", what);
}

static bool all_given(const onyx_tensor *t, diagnostics *d) {
    return is_given(t->name, 1, "the name of an operand", d) &&
           is_given(t->dim, t->order, "dim of an operand", d) &&
           is_given(t->crd, t->nnz * t->order, "crd of an operand", d) &&
           is_given(t->val, t->nnz, "val of an operand", d);
}

/* Makes a tensor of the caller's. */
static bool take_tensor(compile_context *ctx, tile_dtype dtype, const onyx_tensor *t, tile_tensor *out) {
    if (!is_given(t, 1, "the tensor", ctx->diag) || !all_given(t, ctx->diag))
        return false;
    for (uint32_t m = 0; m < t->order && m < SAM_MAX_ORDER; m++) {
        if (t->dim[m] <= INT32_MAX)
            continue;
        return diag_error(ctx->diag, (src_loc){0}, "E0303-range", "%s: extent %u of mode %u is outside 0..%d",
                          t->name, t->dim[m], m, INT32_MAX);
    }
    if (t->order > SAM_MAX_ORDER || t->nnz > INT32_MAX)
        return diag_error(ctx->diag, (src_loc){0}, "E0311-order",
                          "%s has order %u and %llu entries; at most %d and %d are read", t->name, t->order,
                          (unsigned long long)t->nnz, SAM_MAX_ORDER, INT32_MAX);
    return tile_from_entries(names_intern(ctx->names, t->name), t->order, t->dim, t->nnz, t->crd, t->val,
                             dtype, t->name, ctx->mem, ctx->diag, out);
}

static bool take_operands(compile_context *ctx, compile_options *o, const onyx_tensor *operands, uint32_t n) {
    if (!is_given(operands, n, "the list of operands", ctx->diag))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        if (!all_given(&operands[i], ctx->diag))
            return false;
        compile_in_memory given = {.name = arena_strdup(ctx->mem, operands[i].name)};
        const bool known = o->tensors.typing == COMPILE_TYPE_STATED;
        if (!take_tensor(ctx, known ? o->tensors.dtype : TILE_DTYPE_ORIGINAL, &operands[i], &given.data))
            return false;
        vec_push(ctx->mem, &o->tensors.in_memory, given);
    }
    return true;
}

static void copy_result(const tile_tensor *t, tile_dtype dtype, const char *name, arena *mem,
                        onyx_tensor *out) {
    uint32_t *dim = arena_new_n(mem, uint32_t, t->order),
             *crd = arena_new_n(mem, uint32_t, t->nnz * t->order);
    double *val = arena_new_n(mem, double, t->nnz);
    memcpy(dim, t->dim, sizeof *dim * t->order);
    if (t->nnz)
        memcpy(crd, t->crd, sizeof *crd * t->nnz * t->order);
    for (uint64_t e = 0; e < t->nnz; e++)
        val[e] = tile_value_at(dtype, t, e);
    *out = (onyx_tensor){arena_strdup(mem, name), t->order, dim, t->nnz, crd, val};
}

static const char *messages(const diagnostics *d, arena *mem) {
    text_out text;
    text_begin(&text);
    diag_print(d, 0, text.stream, false);
    return text_end(&text, mem);
}

/* report.json, in its folder and as text, and the result. */
static bool keep(const compile_options *o, compile_context *ctx, const compile_kernel *k, const char *check,
                 owned_result *out) {
    const char *path = arena_printf(ctx->mem, "%s/report.json", o->files.out);
    const char *name = names_text(ctx->names, sam_tensor_at(&k->user, k->user.result)->name);
    cJSON *report = compile_report(o, ctx, k, true, check);
    size_t length = 0;
    bool ok = compile_publish(o, ctx, report);
    cJSON_Delete(report);
    if (!ok)
        return false;
    out->result.report = file_read(path, &out->mem, &length, ctx->diag);
    copy_result(&k->ran.result, o->tensors.dtype, name, &out->mem, &out->result.result);
    return true;
}

/* Runs a program file, and copies all of its results. */
static bool run_application(const compile_options *given, compile_context *ctx, owned_result *out) {
    compile_application a = {0};
    size_t length = 0;
    const compile_options *o = compile_choose_program_type(given, ctx);
    if (!o)
        return false;
    if (!compile_application_run(o, ctx, &a))
        return false;
    cJSON *report = compile_application_report(o, ctx, &a);
    bool ok = compile_publish(o, ctx, report);
    cJSON_Delete(report);
    if (!ok)
        return false;
    const uint32_t n = a.program.results.len;
    onyx_tensor *all = arena_new_n(&out->mem, onyx_tensor, n);
    for (uint32_t i = 0; i < n; i++) {
        const tile_tensor *t = &a.result[a.program.results.at[i]];
        copy_result(t, o->tensors.dtype, names_text(ctx->names, t->name), &out->mem, &all[i]);
    }
    out->result.report =
        file_read(arena_printf(ctx->mem, "%s/report.json", o->files.out), &out->mem, &length, ctx->diag);
    out->result.results = all;
    out->result.n_results = n;
    out->result.result = all[0];
    return true;
}

static bool run_kernel(const compile_options *given, compile_context *ctx, owned_result *out) {
    compile_kernel k = {0};
    const char *check;
    const compile_options *o = compile_choose_type(given, ctx);
    return o && compile_refuse_program_options(o, ctx->diag) && compile_and_run(o, ctx, &k, &check) &&
           keep(o, ctx, &k, check, out);
}

/* A call of the library: the caller's state, the session of the command, and the caller's result. */
typedef struct {
    caller_state caller;
    arena mem;
    name_table names;
    diagnostics d;
    compile_context ctx;
    command_line line;
    compile_progress progress; /* with --progress */
    owned_result *out;
} call;

/* Returns whether the arguments are valid for the command. */
static bool begin_call(call *c, option_command command, const char *const *arguments, uint32_t n) {
    caller_begin(&c->caller);
    c->out = calloc(1, sizeof *c->out);
    if (!c->out)
        out_of_memory(sizeof *c->out);
    compile_begin(&c->ctx, &c->mem, &c->names, &c->d);
    c->progress = (compile_progress){progress_stage, progress_count, NULL};
    c->ctx.progress = &c->progress;
    const char *programs = programs_folder(&c->mem);
    if (programs)
        compile_set_programs(&c->ctx, programs);
    c->line = options_default(command);
    c->line.every.embedded = true;
    const char **argv = arena_new_n(&c->mem, const char *, n + 1); /* a name in front */
    bool good = is_given(arguments, n, "the list of arguments", &c->d);
    for (uint32_t i = 0; i < n && good; i++)
        good = is_given(arguments[i], 1, "an argument", &c->d);
    if (!good)
        return false;
    for (uint32_t i = 0; i < n; i++)
        argv[i + 1] = arena_strdup(&c->mem, arguments[i]);
    if (!options_parse(command, (int)n + 1, argv, &c->mem, &c->d, &c->line))
        return false;
    if (c->line.every.progress)
        c->progress.to = progress_begin(&c->mem);
    return true;
}

static onyx_result *end_call(call *c, bool ok) {
    progress_end(c->progress.to);
    c->out->result.messages = messages(&c->d, &c->out->mem);
    c->out->result.code = compile_exit_code(&c->ctx);
    BUG_IF(!ok && c->out->result.code == EXIT_OK, "a stage failed without saying why");
    compile_end(&c->ctx);
    caller_end(&c->caller);
    return &c->out->result;
}

EXPORTED onyx_result *onyx_run(const char *const *arguments, uint32_t n_arguments,
                               const onyx_tensor *operands, uint32_t n_operands) {
    call c;
    bool ok = begin_call(&c, COMMAND_RUN, arguments, n_arguments);
    compile_options *o = &c.line.compile;
    ok = ok && options_want_folder(&c.line, &c.d) && take_operands(&c.ctx, o, operands, n_operands) &&
         (compile_is_application(o->written.expression) ? run_application(o, &c.ctx, c.out)
                                                        : run_kernel(o, &c.ctx, c.out));
    return end_call(&c, ok);
}

static cJSON *size_json(const compile_stored_size *size) {
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "format", size->format);
    cJSON_AddNumberToObject(json, "entries", (double)size->entries);
    cJSON_AddNumberToObject(json, "values", (double)size->values);
    cJSON_AddNumberToObject(json, "bytes", (double)size->bytes);
    cJSON_AddNumberToObject(json, "metadata", (double)size->metadata);
    if (size->banks) {
        cJSON_AddNumberToObject(json, "banks", size->banks);
        cJSON_AddNumberToObject(json, "fullest", (double)size->fullest);
    }
    cJSON *parts = size->parts ? cJSON_AddArrayToObject(json, "parts") : NULL;
    for (uint32_t p = 0; p < size->parts; p++)
        cJSON_AddItemToArray(parts, size_json(&size->part[p]));
    return json;
}

/* The tensor's size, as JSON. */
static const char *size_text(const compile_stored_size *size, arena *mem) {
    cJSON *json = size_json(size);
    char *text = json_print(json, false);
    const char *kept = arena_strdup(mem, text);
    cJSON_free(text);
    cJSON_Delete(json);
    return kept;
}

EXPORTED onyx_result *onyx_tensor_convert(const onyx_tensor *tensor, const char *const *arguments,
                                          uint32_t n_arguments) {
    call c;
    tile_tensor t;
    compile_stored_size size;
    bool ok = begin_call(&c, COMMAND_TILE, arguments, n_arguments);
    const compile_options *o = &c.line.compile;
    const size_t length = ok && o->files.out ? strlen(o->files.out) : 0;
    if (ok && (length < 7 || !c.line.levels || strcmp(o->files.out + length - 7, ".stored") != 0)) {
        compile_bad_value(&c.d, c.line.levels ? "-o" : "-f",
                          c.line.levels && o->files.out ? o->files.out : "",
                          "a format with -f, and a .stored file with -o");
        ok = false;
    }
    ok = ok && take_tensor(&c.ctx, o->tensors.dtype, tensor, &t) &&
         compile_store(o, &c.ctx, c.line.levels, &t, &size);
    if (ok)
        c.out->result.report = size_text(&size, &c.out->mem);
    return end_call(&c, ok);
}

EXPORTED void onyx_free(onyx_result *result) {
    owned_result *out = (owned_result *)result;
    if (!out)
        return;
    arena_free(&out->mem);
    free(out);
}

EXPORTED const char *onyx_version(void) {
    return ONYX_VERSION " (" ONYX_REVISION ")";
}
