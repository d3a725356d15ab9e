/* functions.c - selects the files of functions to read: the files of --functions; otherwise the library's
 * files whose functions occur in the expression or a schedule. */
#include "kernel/functions.h"
#include "frontend/functions/functions.h"
#include "frontend/language/language.h"
#include "frontend/schedules/schedules.h"
#include "kernel/gather.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

static bool read_function_file(tile_dtype dtype, compile_context *ctx, const char *path, fe_functions **all) {
    fe_function_file file = {.name = path};
    file.text = text_read(path, ctx->mem, &file.length, ctx->diag);
    return file.text && (text_ends_with(path, ".xf") ? fe_read_described : fe_read_functions)(
                            &file, dtype == TILE_DTYPE_INT16, ctx->names, ctx->mem, ctx->diag, all);
}

static int holds_functions(const struct dirent *entry) {
    return text_ends_with(entry->d_name, ".fn") || text_ends_with(entry->d_name, ".xf");
}

/* Reads a file, or all files of functions in a folder, by their names. */
static bool read_function_path(tile_dtype dtype, compile_context *ctx, const char *path, fe_functions **all) {
    struct dirent **entries = NULL;
    const int n = scandir(path, &entries, holds_functions, alphasort);
    bool ok = n >= 0 || read_function_file(dtype, ctx, path, all);
    for (int i = 0; i < n; i++) {
        ok = ok &&
             read_function_file(dtype, ctx, arena_printf(ctx->mem, "%s/%s", path, entries[i]->d_name), all);
        free(entries[i]);
    }
    free(entries);
    return ok;
}

/* ---- the library, by name ---------------------------------------------------------------------- */

bool compile_read_shipped(compile_context *ctx, const char *name, tile_dtype dtype, fe_functions **all) {
    const char *path = arena_printf(ctx->mem, "%s/functions/%s.xf", ctx->home, name);
    return fe_function_named(*all, name) || access(path, R_OK) != 0 ||
           read_function_file(dtype, ctx, path, all);
}

/* Whether a program's text declares this name (n characters) by this word. */
static bool declares(const char *text, const char *word, const char *name, size_t n) {
    const size_t length = strlen(word);
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
        const char *of = at + length + strspn(at + length, " \t"), *line = at;
        while (line > text && line[-1] != '\n' && *line != '#')
            line--;
        if (*line != '#' && (at == text || !text_in_name(at[-1])) && of > at + length &&
            strncmp(of, name, n) == 0 && !text_in_name(of[n]))
            return true;
    }
    return false;
}

/* Whether the arguments in the parentheses at text[open], after a name, are scalars of the program and
 * numbers: in this case the name is no tensor's, unless the program declares the tensor. */
static bool is_of_scalars(const char *text, size_t open, const char *name) {
    bool any = false;
    size_t at = open;
    do {
        at++;
        at += strspn(text + at, " \t\r\n");
        const size_t n = strspn(text + at, "0123456789.");
        const size_t length = n + text_name_length(text + at + n);
        if (!length || (!n && !declares(text, "scalar", text + at, length) &&
                        !declares(text, "param", text + at, length)))
            return false;
        any = any || !n;
        at += length;
        at += strspn(text + at, " \t\r\n");
    } while (text[at] == ',');
    return text[at] == ')' && any && !declares(text, "tensor", name, strlen(name));
}

/* Returns whether the argument in the parentheses at text[open] is the name of a tensor alone: one that the
 * program declares, or that has indices elsewhere. */
static bool is_of_tensor(const char *text, size_t open) {
    const char *of = text + open + 1 + strspn(text + open + 1, " \t");
    const size_t n = text_name_length(of);
    bool known = n && declares(text, "tensor", of, n);
    for (const char *at = text; n && *at && !known; at++)
        known = strncmp(at, of, n) == 0 && at[n] == '(' && (at == text || !text_in_name(at[-1]));
    return known && of[n + strspn(of + n, " \t")] == ')';
}

/* Reads the library's files named like a name of the text; with `calls` only for certain calls: a tensor may
 * have the name of a function. */
static bool read_named(tile_dtype dtype, compile_context *ctx, const char *text, bool calls,
                       fe_functions **all) {
    for (const char *at = text; *at; at++) {
        if (!isalpha((unsigned char)*at) || (at > text && text_in_name(at[-1])))
            continue;
        const size_t n = text_name_length(at);
        const char *name = arena_printf(ctx->mem, "%.*s", (int)n, at);
        const size_t open = (size_t)(at - text) + n;
        if (calls && (at[n] != '(' || (!fe_is_call(at, strlen(at), n, true) &&
                                       !is_of_scalars(text, open, name) && !is_of_tensor(text, open))))
            continue;
        const char *value = fe_value_function(name);
        if (strcmp(name, "norm") == 0)
            value = fe_root_function(dtype == TILE_DTYPE_INT16);
        if (!compile_read_shipped(ctx, name, dtype, all) ||
            (value && !compile_read_shipped(ctx, value, dtype, all)))
            return false;
    }
    return true;
}

/* Returns the function of the library that a name may mean: m3_gcd of gcd, or by fewer slips than the
 * distance; NULL: none. */
static const char *shipped_like(compile_context *ctx, const char *name, uint32_t distance) {
    struct dirent **entries = NULL;
    const char *meant = NULL, *ends = arena_printf(ctx->mem, "_%s", name);
    const int n =
        scandir(arena_printf(ctx->mem, "%s/functions", ctx->home), &entries, holds_functions, alphasort);
    for (int i = 0; i < n; i++) {
        const char *known = arena_strndup(ctx->mem, entries[i]->d_name, strlen(entries[i]->d_name) - 3);
        if (text_ends_with(known, ends))
            meant = known;
        else if (text_nearer(name, strlen(name), known, &distance))
            meant = meant && text_ends_with(meant, ends) ? meant : known;
        free(entries[i]);
    }
    free(entries);
    return meant;
}

bool compile_propose_functions(compile_context *ctx) {
    const diagnostics *d = ctx->diag;
    const diagnostic *last = d->list.len ? &d->list.at[d->list.len - 1] : NULL;
    const char *there = "there is '";
    if (!last || strcmp(last->code, "E0152-function") != 0 || !last->loc.source || !last->hint)
        return false;
    const bool known = strncmp(last->hint, there, strlen(there)) == 0;
    if (!known && strncmp(last->hint, "--functions FILE", 16) != 0)
        return false;
    const char *at = d->sources.at[last->loc.source - 1].text + last->loc.offset,
               *name = arena_strndup(ctx->mem, at, last->loc.length);
    const char *nearest = known ? last->hint + strlen(there) : "";
    nearest = arena_strndup(ctx->mem, nearest, strcspn(nearest, "'"));
    uint32_t distance = known ? TEXT_TOO_FAR : TEXT_TOO_FAR - 1;
    if (known)
        text_nearer(name, strlen(name), nearest, &distance);
    const char *meant = shipped_like(ctx, name, distance);
    if (meant && strcmp(meant, nearest) != 0)
        diag_hint(ctx->diag, "the library has '%s'; 'onyx functions' lists its functions", meant);
    return false;
}

bool compile_read_functions(const compile_options *o, const char *text, compile_context *ctx) {
    const tile_dtype dtype = o->tensors.dtype;
    fe_functions *all = NULL;
    if (ctx->functions)
        return true;
    for (uint32_t i = 0; i < o->written.functions.len; i++) {
        const char *path = o->written.functions.at[i];
        if (strcmp(path, "library") == 0)
            path = arena_printf(ctx->mem, "%s/functions", ctx->home);
        if (strcmp(path, "none") != 0 && !read_function_path(dtype, ctx, path, &all))
            return false;
    }
    const bool by_name = !o->written.functions.len && text;
    if (by_name && !read_named(dtype, ctx, text, true, &all))
        return false;
    for (uint32_t i = 0; by_name && i < o->written.schedule.len; i++) {
        if (!read_named(dtype, ctx, o->written.schedule.at[i], false, &all))
            return false;
    }
    if (text && !compile_read_gathered(o, ctx, text, &all))
        return false;
    for (uint32_t i = 0; all && i < all->all.len; i++) {
        fe_described *f = all->all.at[i].described;
        if (f && o->written.call_seconds > 0)
            f->seconds = o->written.call_seconds;
    }
    ctx->functions = all;
    return true;
}
