/* tables.c - functions of one value given by a list of values, word by word.
 *
 * The program of such a function has its value for each of the 65,536 words, without compiler or calls. For a
 * file, a word without its sign is the place in the list, and the last entry repeats beyond the end. For a
 * gathered vector, the number of a word is the coordinate. Words between these numbers have the entry below:
 * also for bfloat16, few rows of the array's tables differ (lower_onyx/table.c). `entries` of the program
 * tells the words that are coordinates.
 *
 * A list beyond the tables of a kernel is dealt to several functions, of which each kernel computes one.
 */
#include "frontend/language/tables.h"
#include "frontend/language/calls.h"
#include "frontend/language/statement.h"
#include "sam/binding.h"
#include "support/file.h"
#include "support/number.h"

#include <math.h>

enum { DOMAIN = 1 << 16 };

bool fe_refuse_build(const fe_described *f, src_loc loc, diagnostics *d, const char *what, const char *hint) {
    diag_error(d, loc, "E0164-function-build", "%s is not built: %s", f->program->name, what);
    diag_hint(d, "%s", hint);
    return diag_note(d, f->program->loc, "its description");
}

static bool is_entry(double x, bool fp) {
    return fp || (x >= INT16_MIN && x <= UINT16_MAX && x == floor(x));
}

/* Reads the numbers of a text as words; returns how many, 0 after E0164. */
static uint32_t read_entries(const fe_described *f, const char *at, src_loc loc, diagnostics *d,
                             uint16_t *word) {
    const bool fp = f->program->of.fp;
    for (uint32_t n = 0;; n++) {
        char *end;
        at += strspn(at, " \t\r\n,");
        if (!*at)
            return n || fe_refuse_build(f, loc, d, "its table is empty", "numbers, f(0) first") ? n : 0;
        const double x = number_read(at, &end);
        if (end == at || !is_entry(x, fp) || n == DOMAIN) {
            fe_refuse_build(f, loc, d, arena_printf(d->mem, "entry %u of its table is '%.20s'", n, at),
                            fp ? "up to 65536 numbers" : "up to 65536 whole numbers of 16 bits");
            return 0;
        }
        word[n] = fp ? sam_number_word(x, true) : (uint16_t)(int32_t)x;
        at = end;
    }
}

bool fe_load_table(fe_described *f, src_loc loc, diagnostics *d) {
    size_t length;
    if (f->program->words)
        return true;
    const char *text = file_read(fe_described_path(f, f->built.table, d->mem), d->mem, &length, d);
    uint16_t *word = arena_new_n(f->mem, uint16_t, DOMAIN);
    const uint32_t n = text ? read_entries(f, text, loc, d, word) : 0;
    for (uint32_t x = n; n && x < DOMAIN; x++)
        word[x] = word[n - 1];
    f->program->words = n ? word : NULL;
    return n > 0;
}

/* ---- vectors ----------------------------------------------------------------------------------- */

/* Returns the entry for a word: the entry of its number, rounded down. Words without a coordinate have the
 * first or the last entry; for int16 the last one repeats for all words beyond. */
static uint16_t entry_for(const fe_gathered *v, uint16_t word, bool fp) {
    const double x = fp ? sam_word_number(word, true) : word;
    return v->word[!(x >= 1) ? 0 : x < v->n ? (uint32_t)x : v->n - 1];
}

void fe_add_gather(const fe_gathered *v, bool integers, name_table *names, arena *mem, fe_functions **all) {
    fe_described *f = arena_new(mem, fe_described);
    sam_program *p = arena_new(mem, sam_program);
    uint16_t *word = arena_new_n(mem, uint16_t, DOMAIN);
    for (uint32_t x = 0; x < DOMAIN; x++)
        word[x] = entry_for(v, (uint16_t)x, !integers);
    *p = (sam_program){.name = v->name, .parameters = 1, .words = word, .entries = v->n};
    p->of = (sam_operator){.fp = !integers, .program = p};
    *f = (fe_described){.folder = "", .program = p, .parameters = 1, .mem = mem};
    if (!*all)
        *all = arena_new(mem, fe_functions);
    vec_push(mem, &(*all)->all,
             (fe_user_function){.name = v->name,
                                .parameters = 1,
                                .s = {.mem = mem, .names = names, .integers = integers},
                                .described = f});
}

bool fe_is_gather(const fe_user_function *f) {
    return f->described && f->described->program && f->described->program->entries;
}

/* ---- long lists -------------------------------------------------------------------------------- */

bool fe_is_list(const sam_program *p) {
    return p && p->words && !p->plain && !p->foreign;
}

/* Makes the function with the values from `start` on, `share` of them, and `rest` elsewhere. */
static sam_program *chunk_of(const sam_program *p, uint32_t number, uint32_t start, uint32_t share,
                             arena *mem) {
    const uint16_t rest = number ? 0 : p->words[DOMAIN - 1], less = number ? p->words[DOMAIN - 1] : 0;
    sam_program *chunk = arena_new(mem, sam_program);
    uint16_t *word = arena_new_n(mem, uint16_t, DOMAIN);
    for (uint32_t x = 0; x < DOMAIN; x++)
        word[x] = x - start < share ? p->words[x] ^ less : rest;
    *chunk = (sam_program){.name = arena_printf(mem, "%s_part%u", p->name, number),
                           .loc = p->loc,
                           .parameters = 1,
                           .words = word};
    chunk->of = (sam_operator){.fp = p->of.fp, .program = chunk};
    return chunk;
}

void fe_deal_list(sam_statement *s, sam_expr application, uint32_t share) {
    const sam_expr_data whole = *sam_expr_at(s, application);
    const uint16_t *words = whole.program->words;
    sam_expr all = {0};
    uint32_t chunks = 0;
    for (uint32_t start = 0; start < DOMAIN; start++) {
        if (words[start] == words[DOMAIN - 1])
            continue;
        sam_expr_data x = whole;
        x.program = chunk_of(whole.program, chunks, start, share, s->mem);
        x.claim = NULL;
        x.a = chunks++ ? fe_copy_expr(s, whole.a) : whole.a;
        const sam_expr chunk = fe_add_expr(s, x);
        all = all.v ? fe_add_call(s, whole.loc, SAM_OPERATION_xor, all, chunk) : chunk;
        start += share - 1;
    }
    *sam_expr_at(s, application) = *sam_expr_at(s, all);
}
