/* A program of the chip on an engine, and its differences from the expected files. */
#include "exchange/exchange_int.h"

static const char *first_difference(const u16_vec *have, const u16_vec *want, arena *mem) {
    uint32_t i = 0;
    while (i < have->len && i < want->len && have->at[i] == want->at[i])
        i++;
    if (i < have->len && i < want->len)
        return arena_printf(mem, "word %u is %u, and %u is expected", i, have->at[i], want->at[i]);
    return arena_printf(mem, "there are %u words, and %u are expected", have->len, want->len);
}

/* E0972 and E0973, of each output. */
static bool judge(compile_context *ctx, const exchange_program *p, const exchange_stored *stored) {
    bool right = true;
    for (uint32_t o = 0; o < p->outputs.len; o++) {
        const exchange_stream *s = &p->outputs.at[o];
        const char *what = arena_printf(ctx->mem, "output '%s' at IO column %u", s->name, s->column);
        const char *how =
            stored[o].verdict < EXCHANGE_ZEROS ? "" : first_difference(&stored[o].words, &s->words, ctx->mem);
        if (stored[o].verdict == EXCHANGE_ZEROS) {
            diag_warning(ctx->diag, (src_loc){0}, "E0973-chip-zeros",
                         "%s: %s: the tensor is the expected one, with %u explicit %s that %s lacks", what,
                         how, stored[o].zeros, plural(stored[o].zeros, "zero", "zeros"), s->from);
        } else if (stored[o].verdict == EXCHANGE_DIFFERS) {
            diag_mismatch(ctx->diag, (src_loc){0}, "E0972-chip-result", "%s: %s (%s)", what, how, s->from);
            right = false;
        }
    }
    if (!right)
        diag_hint(ctx->diag, "--no-check leaves the words in the folder without comparing them");
    return right;
}

bool exchange_write_words(const char *folder, const char *name, const uint16_t *words, uint32_t n,
                          diagnostics *d) {
    file_out f;
    if (!file_create(&f, arena_printf(d->mem, "%s/%s.raw", folder, name), d->mem, d))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        fputc(words[i] >> 8, f.stream);
        fputc(words[i] & 255, f.stream);
    }
    return file_commit(&f, d);
}

bool exchange_run(const compile_options *o, compile_context *ctx, const exchange_program *p,
                  const exchange_array *a, exchange_outcome *out) {
    u16_vec stored[TILE_MAX_STREAMS] = {0};
    if (!compile_run_bare(o, ctx, &a->bare, &a->plan, &out->ran, stored))
        return false;
    out->stored = arena_new_n(ctx->mem, exchange_stored, p->outputs.len + 1);
    bool ok = true;
    for (uint32_t i = 0; i < p->outputs.len; i++) {
        out->stored[i].words = stored[i];
        ok = ok && exchange_write_words(a->bare.folder, p->outputs.at[i].name, stored[i].at, stored[i].len,
                                        ctx->diag);
    }
    if (!ok || !o->running.check)
        return ok;
    exchange_compare(p, ctx->mem, out->stored);
    return judge(ctx, p, out->stored);
}
