/* Functions of a command run by the chip's processor, and their C code in its programs. */
#include "kernel/processor.h"
#include "kernel/functions.h"

/* ---- which functions ---------------------------------------------------------------------------- */

fe_described *compile_described_of(const fe_functions *all, const compile_calls *calls, const char *name) {
    const fe_user_function *f = fe_function_named(all, name);
    f = f ? f : fe_function_named(calls->shipped, name);
    BUG_IF(!f || !f->described, "no description of %s", name);
    return f->described;
}

/* Returns the number of a function in the command's programs, assigned on first use. */
uint32_t compile_number_of(compile_calls *calls, fe_described *f) {
    for (uint32_t i = 0; i < calls->all.len; i++) {
        if (calls->all.at[i] == f)
            return i;
    }
    vec_push(calls->mem, &calls->all, f);
    return calls->all.len - 1;
}

void compile_find_calls(compile_context *ctx, compile_kernel *k) {
    const sam_statement *s = &k->lowered.statement;
    k->on_processor = k->calls.call && k->calls.on_processor;
    if (k->on_processor)
        compile_number_of(ctx->calls, compile_described_of(ctx->functions, ctx->calls, k->calls.name));
    for (uint32_t e = 0; e < s->exprs.len && !k->calls.call; e++) {
        if (!compile_called_at(s, e))
            continue;
        k->on_processor = true;
        compile_number_of(ctx->calls,
                          compile_described_of(ctx->functions, ctx->calls, compile_called_at(s, e)->name));
    }
}

/* ---- operations absent from the array ------------------------------------------------------------ */

static double computed_by(sam_operation operation, double x, double y) {
    return sam_word_number(
        sam_apply(sam_operator_of(operation, false), (uint16_t)(int32_t)x, (uint16_t)(int32_t)y), false);
}
static double quotient(double x, double y) {
    return computed_by(SAM_OPERATION_div, x, y);
}
static double rest(double x, double y) {
    return computed_by(SAM_OPERATION_rem, x, y);
}

/* This machine's implementation of the operation. */
static const struct {
    sam_operation operation;
    const char *name;
    double (*plain)(double x, double y);
} fallbacks[] = {{SAM_OPERATION_div, "m3_div", quotient}, {SAM_OPERATION_rem, "m3_rem", rest}};

/* Reads the shipped function of a name; NULL if not installed, or replaced by the user's. */
static const fe_user_function *shipped(compile_context *ctx, const char *name) {
    compile_calls *calls = ctx->calls;
    compile_context lasting = *ctx;
    const char *folder = arena_printf(calls->mem, "%s/functions/", ctx->home);
    const fe_user_function *own = fe_function_named(ctx->functions, name), *f = own;
    lasting.mem = calls->mem;
    if (!f && compile_read_shipped(&lasting, name, TILE_DTYPE_INT16, &calls->shipped))
        f = fe_function_named(calls->shipped, name);
    return f && f->described && f->described->on_processor &&
                   (f != own || strcmp(f->described->folder, folder) == 0)
               ? f
               : NULL;
}

/* Makes the program of a fallback: its values, and its coordinates with values, equal the operation's. */
static sam_program *program_of(compile_context *ctx, uint32_t which) {
    const fe_user_function *f = shipped(ctx, fallbacks[which].name);
    if (!f)
        return NULL;
    sam_program *p = arena_new(ctx->mem, sam_program);
    *p = *f->described->program;
    p->plain = fallbacks[which].plain;
    p->foreign = NULL;
    p->of = *sam_operator_of(fallbacks[which].operation, false);
    p->of.program = p;
    return p;
}

void compile_fall_back(compile_context *ctx, fe_kernel *k) {
    enum { N = sizeof fallbacks / sizeof *fallbacks };
    sam_program *made[N] = {NULL};
    sam_expr_data *all = arena_new_n(ctx->mem, sam_expr_data, k->s.exprs.len + 1);
    if (!k->s.integers || k->binding.function.v)
        return;
    for (uint32_t e = 0; e < k->s.exprs.len; e++) {
        sam_expr_data *x = &all[e];
        *x = k->s.exprs.at[e];
        const bool computes = x->kind == SAM_EXPR_DIV || (x->kind == SAM_EXPR_CALL && !x->program);
        uint32_t i = 0;
        while (computes && i < N && sam_operation_of(x) != fallbacks[i].operation)
            i++;
        if (!computes || i == N)
            continue;
        made[i] = made[i] ? made[i] : program_of(ctx, i);
        if (!made[i])
            continue;
        x->kind = SAM_EXPR_CALL;
        x->operation = SAM_OPERATION_program;
        x->program = made[i];
    }
    k->s.exprs.at = all;
    k->s.exprs.cap = k->s.exprs.len;
}

/* ---- the program -------------------------------------------------------------------------------- */

/* Returns the C code that makes the calls of a row. */
static const char *caller_text(const fe_described *f, uint32_t number, arena *mem) {
    const char *head = arena_printf(mem, "void onyx_call_%u(kernel_calls *c) {\n", number);
    if (f->array) {
        const char *operands = "";
        for (uint32_t i = 1; i < f->states.s.tensors.len; i++)
            operands = arena_printf(mem, "%sc->in[%u], ", operands, i);
        return arena_printf(mem,
                            "%s    const short *const operand[] = {%s};\n"
                            "    for (unsigned i = 0; i < c->out_words; i++)\n        c->out[i] = 0;\n"
                            "    onyx_words_%u(c->in[0], operand, c->out);\n    c->calls++;\n}\n",
                            head, operands, number);
    }
    if (f->fiber) {
        const bool placed = compile_takes_coordinates(f);
        const char *begin = "    const unsigned short *length = c->in[0];\n    const short *in = c->in[1];\n"
                            "    short *out = c->out;\n    const int *coordinates = ",
                   *next = "        in += length[i];\n        out += length[i];\n";
        const char *call = arena_printf(mem, "        onyx_words_%u(length[i], coordinates, in, out, %d);\n",
                                        number, f->program->of.fp ? 0x3f80 : INT16_MAX);
        return arena_printf(mem,
                            "%s%s%s;\n    for (unsigned i = 0; i < c->words[0]; i++) {\n%s%s%s    }\n    "
                            "c->calls += c->words[0];\n}\n",
                            head, begin, placed ? "c->in[2]" : "0", call, next,
                            placed ? "        coordinates += length[i];\n" : "");
    }
    const char *loop = "#pragma GCC unroll 4\n        for (unsigned i = 0; i < n; i++)\n            out[i] = "
                       "(short)onyx_words_";
    if (f->parameters < 2)
        return arena_printf(mem,
                            "%s    const short *x = c->in[0];\n"
                            "    short *out = c->out;\n"
                            "    const unsigned n = c->words[0];\n"
                            "%s%u(x[i], x[i]);\n"
                            "    c->calls += n;\n}\n",
                            head, loop, number);
    return arena_printf(mem,
                        "%s    const short *x = c->in[0], *y = c->in[1];\n"
                        "    short *out = c->out;\n"
                        "    unsigned n = c->words[0], other = c->words[1];\n"
                        "    if (n == other) {\n"
                        "%s%u(x[i], y[i]);\n"
                        "    } else if (n > other) {\n"
                        "        const short all = y[1];\n"
                        "%s%u(x[i], all);\n"
                        "    } else {\n"
                        "        const short all = x[1];\n"
                        "        n = other;\n"
                        "%s%u(all, y[i]);\n"
                        "    }\n"
                        "    c->calls += n;\n}\n",
                        head, loop, number, loop, number, loop, number);
}

static const char *source_of(const fe_described *f, arena *mem) {
    return *f->built.source == '/' ? f->built.source : arena_printf(mem, "%s%s", f->folder, f->built.source);
}

/* Makes a single unit of all functions of a source, with what is common once. */
static fw_unit unit_of(const compile_calls *all, uint32_t first, arena *mem) {
    const fe_described *f = all->all.at[first];
    const char *source = source_of(f, mem), *text = "";
    VEC(const char *) include = {0};
    for (uint32_t i = first; i < all->all.len; i++) {
        const fe_described *g = all->all.at[i];
        if (strcmp(source_of(g, mem), source) != 0)
            continue;
        text = arena_printf(mem, "%s%s", text,
                            fe_described_words(g, arena_printf(mem, "onyx_words_%u", i), i == first, mem));
        vec_push(mem, &include, g->folder);
        for (uint32_t n = 0; n < g->built.include.len; n++)
            vec_push(mem, &include,
                     *g->built.include.at[n] == '/'
                         ? g->built.include.at[n]
                         : arena_printf(mem, "%s%s", g->folder, g->built.include.at[n]));
    }
    text = arena_printf(mem, "%s#include \"firmware/target/kernel.h\"\n", text);
    for (uint32_t i = first; i < all->all.len; i++) {
        if (strcmp(source_of(all->all.at[i], mem), source) == 0)
            text = arena_printf(mem, "%s%s", text, caller_text(all->all.at[i], i, mem));
    }
    size_t length = 0;
    const char *content = file_read_if_there(source, mem, &length);
    const uint64_t hash = hash_bytes(content ? content : "", length);
    text = arena_printf(mem, "%s/* of a source with the hash %016llx */\n", text, (unsigned long long)hash);
    return (fw_unit){f->program->name, f->runs, text, include.at, include.len};
}

const fw_functions *compile_program_functions(compile_context *ctx) {
    arena *mem = ctx->mem;
    const compile_calls *all = ctx->calls;
    if (!all->all.len)
        return NULL;
    fw_functions *out = arena_new(mem, fw_functions);
    fw_unit *units = arena_new_n(mem, fw_unit, all->all.len);
    uint32_t *inputs = arena_new_n(mem, uint32_t, all->all.len);
    for (uint32_t i = 0; i < all->all.len; i++) {
        bool before = false;
        for (uint32_t k = 0; k < i; k++)
            before = before || strcmp(source_of(all->all.at[k], mem), source_of(all->all.at[i], mem)) == 0;
        if (!before)
            units[out->n_units++] = unit_of(all, i, mem);
        inputs[i] = compile_inputs_of(all->all.at[i]);
    }
    out->units = units;
    out->inputs = inputs;
    out->n = all->all.len;
    return out;
}
