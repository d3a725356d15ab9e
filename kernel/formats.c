/* formats.c - formats by name. */
#include "kernel/formats.h"
#include "tiling/banks.h"
#include "tiling/queries.h"

#include <ctype.h>
#include <strings.h>

/* Formats by name, as first read. */
struct compile_formats {
    tile_formats all;
};

static bool read_file(compile_context *ctx, const char *path, tile_formats *out) {
    size_t length = 0;
    const char *text = text_read(path, ctx->mem, &length, ctx->diag);
    return text && tile_formats_read(path, text, ctx->mem, ctx->diag, out);
}

bool compile_read_formats(compile_context *ctx, const text_vec *files, tile_formats *out) {
    if (ctx->formats) { /* changes of a file since do not matter to the same command */
        *out = ctx->formats->all;
        return true;
    }
    bool ok = read_file(ctx, arena_printf(ctx->mem, "%s/formats/named.formats", ctx->home), out);
    for (uint32_t i = 0; ok && i < files->len; i++)
        ok = read_file(ctx, files->at[i], out);
    if (ok) {
        ctx->formats = arena_new(ctx->mem, struct compile_formats);
        ctx->formats->all = *out;
    }
    return ok;
}

/* Whether the text has letters of levels, with one allowed only in a map. */
static bool is_level_of_map(const char *text) {
    const size_t n = strcspn(text, ":");
    return strspn(text, "dsuqchrob") >= n && strcspn(text, "ro") < n;
}

/* Returns the name equal except for case, or NULL. */
static const char *other_case(const tile_formats *all, const char *text) {
    const char *found = NULL;
    for (uint32_t i = 0; i < all->len && !found; i++)
        found = strcasecmp(all->at[i].name, text) == 0 ? all->at[i].name : NULL;
    return found;
}

static const char *in_small_letters(const char *text, arena *mem) {
    char *small = arena_strdup(mem, text);
    for (char *c = small; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    return small;
}

/* Finds the format "BCSR" or "dh:1,0". E0363-format-unknown. */
static bool find_format(compile_context *ctx, const tile_formats *all, const char *text, tile_format *out) {
    const tile_format *named = tile_format_find(all, text);
    if (!named && other_case(all, text) && !tile_format_of_letters(text, ctx->mem, out))
        named = tile_format_find(all, other_case(all, text));
    if (named)
        *out = *named;
    if (named || tile_format_of_letters(in_small_letters(text, ctx->mem), ctx->mem, out))
        return true;
    const char *names = "";
    for (uint32_t i = 0; i < all->len; i++)
        names = arena_printf(ctx->mem, "%s%s%s", names, i ? ", " : "", all->at[i].name);
    diag_error(ctx->diag, (src_loc){0}, "E0363-format-unknown", "there is no format '%s'", text);
    if (is_level_of_map(text))
        diag_hint(ctx->diag,
                  "range (r) and offset (o) are of coordinates along diagonals, which a definition has: "
                  "format R = (i,j) -> (j - i, i, j) levels(compressed, range, offset)");
    else
        diag_hint(ctx->diag,
                  "formats by name are %s; --formats FILE adds others; levels are letters, such as ds:1,0",
                  names);
    return false;
}

static compile_stored_size size_of(compile_context *ctx, const tile_format *f, const tile_tensor *t,
                                   const tile_stored *stored) {
    compile_stored_size size = {.format = f->name, .entries = t->nnz, .values = stored->n_vals};
    size.bytes = tile_stored_bytes(stored, &size.metadata);
    size.banks = tile_banks(f);
    size.fullest = size.banks ? tile_bank_load(t, f, ctx->mem) : 0;
    size.parts = f->parts;
    compile_stored_size *part = arena_new_n(ctx->mem, compile_stored_size, f->parts + 1);
    size.part = part;
    tile_tensor rest = *t;
    for (uint32_t p = 0; p < f->parts; p++) {
        tile_tensor own;
        tile_take_part(&f->part[p], ctx->mem, &rest, &own);
        part[p] = size_of(ctx, f->part[p].format, &own, &stored->part[p]);
        size.values += part[p].values;
    }
    return size;
}

bool compile_find_format_of(const compile_options *o, compile_context *ctx, const char *text, uint32_t order,
                            tile_format *out) {
    tile_formats all = {0};
    if (!compile_read_formats(ctx, &o->written.format_files, &all) || !find_format(ctx, &all, text, out))
        return false;
    return out->order == order ||
           diag_error(ctx->diag, (src_loc){0}, "E0311-order",
                      "format %s is of order %u, the tensor of order %u", out->name, out->order, order);
}

bool compile_store(const compile_options *o, compile_context *ctx, const char *format, const tile_tensor *t,
                   compile_stored_size *out) {
    tile_format f;
    tile_stored stored;
    if (!compile_find_format_of(o, ctx, format, t->order, &f) ||
        !tile_store(t, &f, o->tensors.dtype, ctx->mem, ctx->diag, &stored) ||
        !tile_stored_write(&stored, o->tensors.dtype, o->files.out, ctx->diag))
        return false;
    *out = size_of(ctx, &f, t, &stored);
    return true;
}

bool compile_is_host_format(const char *format) {
    const char found = format[strcspn(format, "hrob@")]; /* a region follows @ */
    return isupper((unsigned char)*format) || (found && found != '@');
}

/* Returns the text after the tensor's name if only the host knows the format: a format by name, or a level
 * kind outside of sam_level_format. NULL otherwise. */
static const char *host_format(const char *argument) {
    const char *colon = strchr(argument, ':');
    if (!colon)
        return NULL;
    return compile_is_host_format(colon + 1) ? colon + 1 : NULL;
}

static const char *without_region(compile_context *ctx, const char *format) {
    return arena_strndup(ctx->mem, format, strcspn(format, "@"));
}

bool compile_host_formats(const compile_options *o, compile_context *ctx, const tile_format **out) {
    tile_formats all = {0};
    tile_format *found = arena_new_n(ctx->mem, tile_format, o->written.formats.len + 1);
    bool banks = o->copies.dispatch != TILE_DISPATCH_BANKS;
    for (uint32_t i = 0; i < o->written.formats.len; i++) {
        const char *text = host_format(o->written.formats.at[i]);
        if (text && !all.len && !compile_read_formats(ctx, &o->written.format_files, &all))
            return false;
        if (text && !find_format(ctx, &all, without_region(ctx, text), &found[i]))
            return false;
        banks = banks || tile_banks(&found[i]);
    }
    *out = found;
    if (banks)
        return true;
    diag_error(ctx->diag, (src_loc){0}, "E0356-banks",
               "--dispatch banks: no operand has a format whose outermost level is one of banks");
    return diag_hint(ctx->diag, "such as C2SR (i mod 16) or CISR (schedule(i, 16)): -f B:CISR");
}

static fe_scans scans_of(const tile_format *f) {
    fe_scans out = {0};
    for (uint32_t l = 0; l < f->levels; l++) {
        const tile_kind kind = f->level[l].kind;
        const bool runs = kind == TILE_KIND_RUNS || kind == TILE_KIND_PACKBITS;
        const bool own = f->levels == f->order; /* a level is scanned as a level */
        out.blocks |= (uint32_t)(own && kind == TILE_KIND_BLOCKS) << l;
        out.runs |= (uint32_t)(own && runs) << l;
        out.singles |=
            (uint32_t)(own && (kind == TILE_KIND_SINGLETON || kind == TILE_KIND_SINGLETON_DUPLICATES)) << l;
        out.bits |= (uint32_t)(kind == TILE_KIND_BITMAP) << l;
        out.tables |= (uint32_t)(kind == TILE_KIND_HASHED) << l;
        out.spans |=
            (uint32_t)(kind == TILE_KIND_BAND || kind == TILE_KIND_RAGGED || kind == TILE_KIND_BLOCKS || runs)
            << l;
    }
    return out;
}

/* Returns the text after the tensor's name, if it has a coordinate list's level; NULL otherwise. */
static const char *list_levels(const char *argument) {
    const char *colon = strchr(argument, ':');
    const size_t n = colon ? strcspn(colon + 1, ":@") : 0;
    return n && strspn(colon + 1, "dsuqc") == n && strcspn(colon + 1, "uqc") < n ? colon + 1 : NULL;
}

bool compile_scanned_formats(const compile_options *o, compile_context *ctx, text_vec *out, text_vec *names,
                             compile_scans *scans) {
    const tile_format *formats;
    if (!compile_host_formats(o, ctx, &formats))
        return false;
    for (uint32_t i = 0; i < o->written.formats.len; i++) {
        const char *given = o->written.formats.at[i], *text = host_format(given), *list = list_levels(given);
        tile_format letters;
        const bool listed =
            !text && list && tile_format_of_letters(without_region(ctx, list), ctx->mem, &letters);
        bool same;
        if (text)
            given =
                arena_printf(ctx->mem, "%.*s%s%s", (int)(text - given), given,
                             tile_format_scanned(&formats[i], ctx->mem, &same), text + strcspn(text, "@"));
        vec_push(ctx->mem, out, given);
        vec_push(ctx->mem, names, text && isupper((unsigned char)*text) ? without_region(ctx, text) : NULL);
        vec_push(ctx->mem, scans, scans_of(listed ? &letters : &formats[i]));
    }
    return true;
}

static bool is_block_level(const tile_format_level *level) {
    return level->how == TILE_MAP_DIRECT && level->sum.terms == 1 && !level->sum.constant &&
           level->sum.term[0].factor == 1 &&
           (level->kind == TILE_KIND_DENSE || level->kind == TILE_KIND_COMPRESSED);
}

bool compile_is_blocked(const tile_format *f) {
    if (!f->order || f->levels != 2 * f->order)
        return false;
    for (uint32_t l = 0; l < f->order; l++) {
        const tile_format_level *outer = &f->level[l], *inner = &f->level[f->order + l];
        const tile_map_term *divided = &outer->sum.term[0], *rest = &inner->sum.term[0];
        if (!is_block_level(outer) || !is_block_level(inner) || divided->index != rest->index ||
            divided->modulo || divided->divide < 2 || rest->divide != 1 || rest->modulo != divided->divide)
            return false;
    }
    return true;
}

/* Finds the bytes of the whole tensor in the levels scanned by the array. */
static bool scanned_bytes(compile_context *ctx, const tile_tensor *t, const sam_tensor_data *as,
                          uint64_t *bytes) {
    sam_tensor_levels levels;
    sam_tensor_data own = *as;
    for (uint32_t l = 0; l < own.order; l++)
        own.level[l] = own.level[l] == SAM_LEVEL_DENSE ? SAM_LEVEL_DENSE : SAM_LEVEL_COMPRESSED;
    if (!tile_levels(t, &own, ctx->mem, ctx->diag, &levels))
        return false;
    *bytes = 2 * (uint64_t)levels.n_vals;
    for (uint32_t l = 0; l < levels.order; l++)
        *bytes += 2 * ((uint64_t)levels.level[l].n_seg + levels.level[l].n_crd);
    return true;
}

/* Returns whether this was said of the access before: a program reads its operands in every pass. */
static bool was_said(const diagnostics *d, src_loc loc, const char *code) {
    bool said = false;
    for (uint32_t i = 0; i < d->list.len; i++) {
        const diagnostic *one = &d->list.at[i];
        said = said || (one->loc.source == loc.source && one->loc.offset == loc.offset && one->code &&
                        strcmp(one->code, code) == 0);
    }
    return said;
}

static bool is_diagonal(const tile_format *f) {
    const tile_format_level *level = &f->level[0];
    return f->levels && f->order == 2 && level->how == TILE_MAP_DIRECT && level->sum.terms == 2 &&
           level->sum.term[0].factor == -level->sum.term[1].factor;
}

static bool has_runs(const tile_format *f) {
    const tile_kind last = f->levels ? f->level[f->levels - 1].kind : TILE_KIND_NONE;
    return f->order == 2 && (last == TILE_KIND_RUNS || last == TILE_KIND_PACKBITS);
}

bool compile_is_stored_so(const compile_options *o, compile_context *ctx, const sam_statement *st,
                          sam_tensor t, compile_shape shape) {
    const tile_format *formats;
    const sam_tensor_data *as = sam_tensor_at(st, t);
    const char *name = names_text(ctx->names, as->name);
    const size_t length = strlen(name);
    bool is = false;
    if (!compile_blocks_open(o) || t.v == st->result.v || as->order != 2 || as->windowed || as->structure ||
        as->called.v || !compile_host_formats(o, ctx, &formats))
        return false;
    for (uint32_t i = 0; i < o->written.formats.len; i++) {
        const char *given = o->written.formats.at[i];
        if (strncmp(given, name, length) == 0 && given[length] == ':' &&
            compile_is_host_format(given + length + 1))
            is = shape == COMPILE_BY_RUNS ? has_runs(&formats[i]) : is_diagonal(&formats[i]);
    }
    return is;
}

enum { DIAGONALS_WRITTEN = 4 }; /* tests/bench/formats.py: more are slower than a product */

/* Suggests scanning a matrix stored by few or adjacent diagonals along them. */
static void hint_at_diagonals(compile_context *ctx, const tile_format *f, const tile_tensor *t,
                              const char *name) {
    if (!is_diagonal(f))
        return;
    tile_query query = {.what = TILE_COUNT, .keys = 1, .key = {f->level[0].sum}};
    tile_answers along;
    tile_ask(t, &query, ctx->mem, &along);
    const int64_t width = along.n ? along.key[along.n - 1] - along.key[0] + 1 : 0;
    if (along.n && (width <= 2 * (int64_t)along.n || along.n <= DIAGONALS_WRITTEN))
        diag_hint(ctx->diag,
                  "%s has %u %s, in a band of %lld: products along them, as %s(i,i+d) * c(i+d), are scanned "
                  "densely (onyx help storage)",
                  name, along.n, plural(along.n, "diagonal", "diagonals"), (long long)width, name);
}

static bool say_repacked(const compile_options *o, compile_context *ctx, const tile_format *f,
                         const sam_tensor_data *as, const tile_tensor *t) {
    tile_stored stored;
    uint64_t bytes, metadata;
    bool same;
    const char *scanned = tile_format_scanned(f, ctx->mem, &same);
    const char *name = names_text(ctx->names, as->called.v ? as->called : as->name);
    if (same || was_said(ctx->diag, as->loc, "E0352-repacked"))
        return true;
    if (!tile_store(t, f, o->tensors.dtype, ctx->mem, ctx->diag, &stored) ||
        !scanned_bytes(ctx, t, as, &bytes))
        return false;
    diag_warning(ctx->diag, as->loc, "E0352-repacked",
                 "%s scans no %s: the host re-packs %s, which takes %llu bytes, as %s, which takes %llu",
                 o->target.engine == ENGINE_SAM ? "a SAM graph" : "the array", f->name, name,
                 (unsigned long long)tile_stored_bytes(&stored, &metadata), scanned,
                 (unsigned long long)bytes);
    hint_at_diagonals(ctx, f, t, name);
    return true;
}

bool compile_say_repacked(const compile_options *o, compile_context *ctx, const sam_statement *st,
                          const compile_data *data) {
    const tile_format *formats;
    if (!compile_host_formats(o, ctx, &formats))
        return false;
    for (uint32_t i = 0; i < o->written.formats.len; i++) {
        const char *text = host_format(o->written.formats.at[i]),
                   *list = list_levels(o->written.formats.at[i]);
        const tile_format *f = &formats[i];
        tile_format letters;
        if (!text && list && tile_format_of_letters(without_region(ctx, list), ctx->mem, &letters)) {
            text = list;
            f = &letters;
        }
        bool said = !text;
        for (uint32_t t = 1; !said && t <= st->tensors.len; t++) {
            const sam_tensor_data *as = sam_tensor_at(st, (sam_tensor){t});
            const char *name = names_text(ctx->names, as->called.v ? as->called : as->name);
            size_t length = (size_t)(text - 1 - o->written.formats.at[i]);
            if (t == st->result.v || strlen(name) != length ||
                strncmp(name, o->written.formats.at[i], length) != 0 || as->border.spare ||
                sam_source_order(as) != as->order)
                continue;
            said = true;
            const tile_tensor *stored = as->windowed ? data->whole : data->operands.operand;
            const sam_tensor own = {t};
            if (stored && !compile_is_stored_so(o, ctx, st, own, COMPILE_BY_DIAGONALS) &&
                !compile_is_stored_so(o, ctx, st, own, COMPILE_BY_RUNS) &&
                !((compile_is_blocked(f) || f->parts) && compile_blocks_open(o)) &&
                !(f->parts && o->cutting.parts == COMPILE_PARTS_APART) &&
                !say_repacked(o, ctx, f, as, &stored[t - 1]))
                return false;
        }
    }
    return true;
}

/* Names of an operand's source tensors in messages: "A and B". */
static const char *window_names(compile_context *ctx, const tile_cut *windows, uint32_t n) {
    const char *all = windows->from;
    for (uint32_t k = 1; k < n; k++)
        all = arena_printf(ctx->mem, "%s%s%s", all, k + 1 < n ? ", " : " and ", windows[k].from);
    return all;
}

/* Makes the operand in the array's form: a repeated index once. The levels of a repeated index are equal. */
static void drop_repeated(const tile_joint *all, arena *mem, tile_tensor *t, sam_tensor_data *as) {
    const tile_tensor from = *t;
    uint32_t *crd = arena_new_n(mem, uint32_t, from.nnz * from.order + 1);
    uint32_t kept = 0;
    for (uint32_t m = 0; m < from.order; m++) {
        if (all->same[m] != m)
            continue;
        t->dim[kept] = from.dim[m];
        as->mode[kept] = (uint8_t)kept;
        for (uint64_t e = 0; e < from.nnz; e++)
            crd[e * from.order + kept] = from.crd[e * from.order + m];
        kept++;
    }
    for (uint64_t e = 0; e < from.nnz; e++)
        memmove(crd + e * kept, crd + e * from.order, sizeof *crd * kept);
    t->crd = crd;
    t->order = as->order = kept;
}

bool compile_join_windows(compile_context *ctx, const tile_joint *all, bool quiet, tile_tensor *out) {
    const tile_cut *windows = all->windows;
    uint64_t entries = 0, bytes;
    for (uint32_t k = 0; k < all->n; k++)
        entries += windows[k].of->nnz;
    if (!tile_join_windows(all, ctx->mem, ctx->diag, out))
        return false;
    tile_tensor scanned = *out;
    sam_tensor_data as = *windows->as;
    if (sam_source_order(&as) < as.order)
        drop_repeated(all, ctx->mem, &scanned, &as);
    if (!scanned_bytes(ctx, &scanned, &as, &bytes))
        return false;
    if (quiet || was_said(ctx->diag, windows->as->loc, "E0353-recut"))
        return true;
    diag_warning(
        ctx->diag, windows->as->loc, "E0353-recut",
        "the array has no index modifiers: the host makes this part of %s, whose %llu %s %llu in %llu bytes",
        window_names(ctx, windows, all->n), (unsigned long long)entries,
        plural(entries, "entry becomes", "entries become"), (unsigned long long)out->nnz,
        (unsigned long long)bytes);
    return true;
}

bool compile_list_formats(const compile_options *o, compile_context *ctx, fe_program_in *out) {
    tile_formats all = {0};
    if (!compile_read_formats(ctx, &o->written.format_files, &all))
        return false;
    fe_named_format *formats = arena_new_n(ctx->mem, fe_named_format, all.len + 1);
    for (uint32_t i = 0; i < all.len; i++) {
        bool same;
        formats[i] = (fe_named_format){all.at[i].name, tile_format_scanned(&all.at[i], ctx->mem, &same)};
    }
    out->formats = formats;
    out->n_formats = all.len;
    return true;
}
