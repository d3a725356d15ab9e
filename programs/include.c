/* include.c - reads the files that a program includes: include "NAME" on a line of its own. */
#include "programs/include.h"

#include "support/file.h"

/* Returns the name that the line at `at` includes, or NULL. */
static const char *name_in(const char *at, arena *mem) {
    static const char word[] = "include";
    at += strspn(at, " \t");
    if (strncmp(at, word, sizeof word - 1) != 0)
        return NULL;
    at += sizeof word - 1;
    at += strspn(at, " \t");
    const size_t length = *at == '"' ? strcspn(at + 1, "\"\n") : 0;
    return length && at[1 + length] == '"' ? arena_strndup(mem, at + 1, length) : NULL;
}

static bool is_there(const fe_included_vec *all, const char *name) {
    for (uint32_t i = 0; i < all->len; i++) {
        if (strcmp(all->at[i].name, name) == 0)
            return true;
    }
    return false;
}

const char *compile_sibling_path(const char *program, const char *name, arena *mem) {
    const char *slash = strrchr(program, '/');
    return *name == '/' || !slash ? name
                                  : arena_printf(mem, "%.*s/%s", (int)(slash - program), program, name);
}

/* Reads the files that one text includes. */
static bool read_of(compile_context *ctx, const char *program, const char *text, fe_included_vec *out) {
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        const char *name = name_in(line, ctx->mem);
        if (!name || is_there(out, name))
            continue;
        fe_included one = {.name = name, .path = compile_sibling_path(program, name, ctx->mem)};
        one.text = text_read(one.path, ctx->mem, &one.length, ctx->diag);
        if (!one.text)
            return false;
        vec_push(ctx->mem, out, one);
    }
    return true;
}

bool compile_read_included(compile_context *ctx, const char *program, const char *text,
                           fe_included_vec *out) {
    bool ok = read_of(ctx, program, text, out);
    for (uint32_t i = 0; i < out->len && ok; i++)
        ok = read_of(ctx, program, out->at[i].text, out);
    return ok;
}

const char *compile_whole_text(compile_context *ctx, const char *text, const fe_included_vec *included) {
    for (uint32_t i = 0; i < included->len; i++)
        text = arena_printf(ctx->mem, "%s\n%s", text, included->at[i].text);
    return text;
}
