/* The C interface: one session of the command, its operands taken from and its result copied to memory. */
#include "bindings/onyx.h"
#include "cli/cli.h"
#include "onyx_version.h" /* made by cmake/version.cmake */

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

/* What a caller gets, and the memory it lies in. */
typedef struct {
    onyx_result result; /* first: onyx_free gets its address */
    arena mem;
} owned_result;

/* The folder of onyx-cosim, with its slash: that of this library in a build, beside it once installed. */
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

static bool take_operands(cli_session *s, compile_options *o, const onyx_tensor *operands, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        const onyx_tensor *t = &operands[i];
        compile_given given = {.name = arena_strdup(&s->mem, t->name)};
        if (t->order > SAM_MAX_ORDER || t->nnz > INT32_MAX) {
            diag_error(&s->diag, (src_loc){0}, "E0311-order",
                       "%s has order %u and %llu entries; at most %d and %d are read", t->name, t->order,
                       (unsigned long long)t->nnz, SAM_MAX_ORDER, INT32_MAX);
            return false;
        }
        if (!tile_from_entries(names_intern(&s->names, t->name), t->order, t->dim, t->nnz, t->crd, t->val,
                               o->dtype, t->name, &s->mem, &s->diag, &given.data))
            return false;
        vec_push(&s->mem, &o->given, given);
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
        val[e] = tile_to_double(dtype, t->val[e]);
    *out = (onyx_tensor){arena_strdup(mem, name), t->order, dim, t->nnz, crd, val};
}

/* The session's diagnostics as text; it prints none of them when it ends. */
static const char *take_messages(cli_session *s, arena *mem) {
    text_out text;
    text_begin(&text);
    diag_print(&s->diag, 0, text.stream, false);
    s->diag.list.len = 0;
    return text_end(&text, mem);
}

EXPORTED onyx_result *onyx_run(const char *const *arguments, uint32_t n_arguments,
                               const onyx_tensor *operands, uint32_t n_operands) {
    owned_result *out = calloc(1, sizeof *out);
    if (!out)
        out_of_memory(sizeof *out);
    cli_session s;
    command_line line = options_default(COMMAND_RUN);
    compile_options *o = &line.compile;
    compile_kernel k = {0};
    cli_session_begin(&s);
    const char *programs = programs_folder(&s.mem);
    if (programs)
        cli_set_programs(&s, programs);
    line.embedded = true;
    const char **argv = arena_new_n(&s.mem, const char *, n_arguments + 1); /* a name in front */
    for (uint32_t i = 0; i < n_arguments; i++)
        argv[i + 1] = arena_strdup(&s.mem, arguments[i]);
    bool ok = options_parse(COMMAND_RUN, (int)n_arguments + 1, argv, &s.mem, &s.diag, &line);
    s.options = line;
    s.options.quiet = true;
    ok = ok && cli_want_folder(&s) && take_operands(&s, o, operands, n_operands) && cli_run(o, &s, &k);
    if (ok) {
        size_t length = 0;
        const char *name = names_text(&s.names, sam_tensor_at(&k.user, k.user.result)->name);
        out->result.report =
            file_read(arena_printf(&s.mem, "%s/report.json", o->out), &out->mem, &length, &s.diag);
        copy_result(&k.ran.result, o->dtype, name, &out->mem, &out->result.result);
    }
    out->result.messages = take_messages(&s, &out->mem);
    out->result.code = cli_session_end(&s, ok);
    return &out->result;
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
