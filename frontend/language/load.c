/* load.c - described functions compiled and loaded. */
#include "frontend/language/objects.h"
#include "frontend/language/statement.h"
#include "frontend/language/tables.h"
#include "sam/operators.h"
#include "support/number.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *add_all(const char *text, const char *before, const fe_texts *lines, const char *after,
                           arena *mem) {
    for (uint32_t i = 0; i < lines->len; i++)
        text = arena_printf(mem, "%s%s%s%s", text, before, lines->at[i], after);
    return text;
}

/* Gives the call's arguments the names of the capability. */
static const char *handed_over(const fe_described *f, const char *type, arena *mem) {
    const sam_statement *s = &f->states.s;
    const char *text = "";
    for (uint32_t v = 1; v <= s->vars.len; v++)
        text = arena_printf(mem, "%s    const int %s = onyx_extent[%u];\n", text,
                            fe_var_text(s, (sam_var){v}), v - 1);
    for (uint32_t t = 2; t <= s->tensors.len; t++)
        text = arena_printf(mem, "%s    const %s %s%s = %sonyx_operand[%u];\n", text, type,
                            s->tensors.at[t - 1].order ? "*const " : "", fe_tensor_text(s, (sam_tensor){t}),
                            s->tensors.at[t - 1].order ? "" : "*", t - 2);
    return arena_printf(mem, "%s    %s *const %s = onyx_result;\n", text, type, fe_tensor_text(s, s->result));
}

/* Returns the body of a function from the description. */
static const char *body_of(const fe_described *f, const char *type, arena *mem) {
    const bool value = strcmp(f->built.returns, "void") != 0;
    const char *text = f->array ? handed_over(f, type, mem) : "";
    text = add_all(text, "    ", &f->built.objects, ";\n", mem);
    text = add_all(text, "    ", &f->built.setup, ";\n", mem);
    text = arena_printf(
        mem, "%s    %s%s%s;\n", text,
        value && !f->array ? arena_printf(mem, "const %s onyx_value = ", f->built.returns) : "",
        value && f->array ? arena_printf(mem, "onyx_result[0] = (%s)", type) : "", f->built.call);
    text = add_all(text, "    ", &f->built.teardown, ";\n", mem);
    return arena_printf(mem, "{\n%s%s}\n", text, f->array || f->fiber ? "" : "    return onyx_value;\n");
}

/* Returns the declarations before the called function. */
static const char *included(const fe_described *f, arena *mem) {
    const char *text = add_all("", "#include \"", &f->built.headers, "\"\n", mem);
    return f->built.source && !fe_is_object(f)
               ? arena_printf(mem, "%s#include \"%s\"\n", text, fe_described_path(f, f->built.source, mem))
               : text;
}

const char *fe_described_words(const fe_described *f, const char *name, bool first, arena *mem) {
    const char *with =
        f->array   ? "const int *onyx_extent, const short *const *onyx_operand, short *onyx_result"
        : f->fiber ? "int length, const int *coordinates, const short *values, short *result, int one"
                   : arena_printf(mem, "int %s, int %s", f->parameter[0],
                                  f->parameters > 1 ? f->parameter[1] : "onyx_none");
    return arena_printf(mem, "%sstatic %s %s(%s) %s", first ? included(f, mem) : "",
                        f->array || f->fiber ? "void" : "int", name, with, body_of(f, "short", mem));
}

/* The host has doubles, functions of the chip's processor have words: for int16 the value, for bf16 its
 * bits. */
static const char to_words[] = "static short onyx_word(double x) {\n"
                               "    const float number = (float)x;\n"
                               "    unsigned bits;\n"
                               "    __builtin_memcpy(&bits, &number, sizeof bits);\n"
                               "    return (short)(ONYX_BF16 ? bits >> 16 : (unsigned)(int)x);\n"
                               "}\n"
                               "static double onyx_number(short word) {\n"
                               "    const unsigned bits = (unsigned)(unsigned short)word << 16;\n"
                               "    float number;\n"
                               "    __builtin_memcpy(&number, &bits, sizeof number);\n"
                               "    return ONYX_BF16 ? number : word;\n"
                               "}\n";

static const char *through_words(const fe_described *f, arena *mem) {
    const char *text =
        arena_printf(mem, "%s#define ONYX_BF16 %d\n%s", fe_described_words(f, "onyx_words", true, mem),
                     f->program->of.fp, to_words);
    if (f->fiber)
        return arena_printf(
            mem,
            "%svoid onyx_function(int n, const int *crd, const double *in, double *out, double one) {\n"
            "    short *word = __builtin_calloc(2 * (unsigned long)n, sizeof *word);\n"
            "    for (int i = 0; i < n; i++)\n        word[i] = onyx_word(in[i]);\n"
            "    onyx_words(n, crd, word, word + n, onyx_word(one) & 0xffff);\n"
            "    for (int i = 0; i < n; i++)\n        out[i] = onyx_number(word[n + i]);\n"
            "    __builtin_free(word);\n}\n",
            text);
    if (!f->array)
        return arena_printf(mem,
                            "%sdouble onyx_function(double x, double y) {\n"
                            "    const int made = onyx_words(onyx_word(x), onyx_word(y));\n"
                            "    return ONYX_BF16 ? onyx_number((short)made) : made;\n}\n",
                            text);
    const sam_statement *s = &f->states.s;
    text = arena_printf(mem,
                        "%svoid onyx_function(const int *extent, const double *const *operand, double *out) "
                        "{\n    short *word[%u];\n    unsigned long n[%u];\n",
                        text, s->tensors.len, s->tensors.len);
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        const uint32_t which = (t + 1) % s->tensors.len; /* the result comes last */
        const sam_var *index = sam_index_of(s, (sam_tensor){which + 1});
        const char *size = "1ul";
        for (uint32_t m = 0; m < s->tensors.at[which].order; m++)
            size = arena_printf(mem, "%s * (unsigned long)extent[%u]", size, index[m].v - 1);
        text = arena_printf(mem,
                            "%s    n[%u] = %s;\n    word[%u] = __builtin_calloc(n[%u] + 1, 2);\n"
                            "    for (unsigned long i = 0; i < n[%u] && %d; i++)\n"
                            "        word[%u][i] = onyx_word(operand[%u][i]);\n",
                            text, t, size, t, t, t, which != 0, t, which ? which - 1 : 0);
    }
    return arena_printf(mem,
                        "%s    onyx_words(extent, (const short *const *)word, word[%u]);\n"
                        "    for (unsigned long i = 0; i < n[%u]; i++)\n"
                        "        out[i] = onyx_number(word[%u][i]);\n"
                        "    for (int t = 0; t < %u; t++)\n        __builtin_free(word[t]);\n}\n",
                        text, s->tensors.len - 1, s->tensors.len - 1, s->tensors.len - 1, s->tensors.len);
}

/* Returns the C compiled for the host. */
static const char *text_of(const fe_described *f, arena *mem) {
    const char *checker =
        f->checker
            ? arena_printf(mem, "int onyx_checker(const char *expression) {\n    return %s(expression);\n}\n",
                           f->checker)
            : "";
    if (f->on_processor)
        return arena_printf(mem, "%s%s", through_words(f, mem), checker);
    const char *head =
        f->array   ? "void onyx_function(const int *onyx_extent, const double *const *onyx_operand, "
                     "double *onyx_result)"
        : f->fiber ? "void onyx_function(int length, const int *coordinates, const double *values, "
                     "double *result, double one)"
                   : arena_printf(mem, "double onyx_function(double %s, double %s)", f->parameter[0],
                                  f->parameters > 1 ? f->parameter[1] : "onyx_none");
    return arena_printf(mem, "%s%s%s %s", included(f, mem), checker, head, body_of(f, "double", mem));
}

/* Returns a log's line with the error, without the folder, a temporary one. */
static const char *first_error(const char *folder, const char *log, arena *mem) {
    const char *line = file_error_line(log, mem);
    const size_t there = strlen(folder);
    line += strncmp(line, folder, there) == 0 && line[there] == '/' ? there + 1 : 0;
    return *line ? line : "the compiler 'cc' failed";
}

/* Checks the files and folders named by the description; the compiler takes a missing folder for an empty
 * one. */
static bool has_files(const fe_described *f, src_loc loc, diagnostics *d) {
    const fe_built *b = &f->built;
    const char *lacks = b->source && access(fe_described_path(f, b->source, d->mem), R_OK) != 0 ? b->source
                        : b->table && access(fe_described_path(f, b->table, d->mem), R_OK) != 0 ? b->table
                                                                                                : NULL;
    for (uint32_t i = 0; i < b->include.len && !lacks; i++) {
        if (access(fe_described_path(f, b->include.at[i], d->mem), R_OK) != 0)
            lacks = b->include.at[i];
    }
    return !lacks ||
           fe_refuse_build(f, loc, d, arena_printf(d->mem, "'%s' is not there", lacks),
                           f->built.package ? arena_printf(d->mem, "this machine may lack it: apt install %s",
                                                           f->built.package)
                                            : "paths are relative to the description's file");
}

typedef VEC(const char *) words;

/* Returns the command line that makes `object`, and a make rule of what it reads beside it, of `code`. */
static const char *const *compiler_line(const fe_described *f, const char *code, const char *object,
                                        arena *mem) {
    words argv = {0};
    /* A number where the function takes an array, or the other way round, would end the command. */
    const char *const first[] = {"cc",
                                 "-std=gnu11",
                                 "-O2",
                                 "-ffp-contract=off",
                                 "-Werror=int-conversion",
                                 "-Werror=incompatible-pointer-types",
                                 "-shared",
                                 "-fPIC",
                                 "-MD",
                                 "-MF",
                                 arena_printf(mem, "%.*sd", (int)strlen(object) - 2, object),
                                 "-o",
                                 object};
    for (uint32_t i = 0; i < sizeof first / sizeof *first; i++)
        vec_push(mem, &argv, first[i]);
    for (uint32_t i = 0; i < f->built.flags.len; i++)
        vec_push(mem, &argv, f->built.flags.at[i]);
    vec_push(mem, &argv, arena_printf(mem, "-I%s", f->folder));
    for (uint32_t i = 0; i < f->built.include.len; i++)
        vec_push(mem, &argv, arena_printf(mem, "-I%s", fe_described_path(f, f->built.include.at[i], mem)));
    vec_push(mem, &argv, code);
    if (fe_is_object(f))
        vec_push(mem, &argv, fe_described_path(f, f->built.source, mem));
    for (uint32_t i = 0; i < f->built.libraries.len; i++) {
        const char *name = f->built.libraries.at[i];
        vec_push(mem, &argv,
                 strchr(name, '/') ? fe_described_path(f, name, mem) : arena_printf(mem, "-l%s", name));
    }
    vec_push(mem, &argv, "-lm");
    vec_push(mem, &argv, NULL);
    return argv.at;
}

static bool compile(const fe_described *f, const char *text, const char *folder, src_loc loc,
                    diagnostics *d) {
    arena *mem = d->mem;
    const char *code = arena_printf(mem, "%s/function.c", folder), *log = arena_printf(mem, "%s/log", folder);
    file_out out;
    if (!file_create(&out, code, mem, d))
        return false;
    fputs(text, out.stream);
    if (!file_commit(&out, d))
        return false;
    const int end =
        program_run(compiler_line(f, code, arena_printf(mem, "%s/function.so", folder), mem), log);
    if (end == PROGRAM_MISSING)
        return fe_refuse_build(f, loc, d, "this machine has no C compiler, 'cc'", "install one, such as gcc");
    return end == 0 ||
           fe_refuse_build(f, loc, d, first_error(folder, log, mem),
                           f->built.package ? arena_printf(mem, "this machine may lack it: apt install %s",
                                                           f->built.package)
                                            : "its source, headers, include, libraries and flags");
}

static void find(void *handle, const char *name, void *out) {
    void *symbol = dlsym(handle, name);
    memcpy(out, &symbol, sizeof symbol);
}

/* Runs in the child; the function has one kind, known from the description. */
static bool load_object(int object, sam_symbols *out, char *why) {
    char path[40];
    number_text(path, sizeof path, "/proc/self/fd/%d", object);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle) {
        find(handle, "onyx_function", &out->plain);
        find(handle, "onyx_function", &out->fiber);
        find(handle, "onyx_function", &out->arrays);
        find(handle, "onyx_checker", &out->checks);
    }
    if (handle && out->plain)
        return true;
    const char *text = dlerror();
    const size_t own = strlen(path);
    if (access("/proc/self/fd", X_OK) != 0)
        text = "/proc is not mounted (mount -t proc proc /proc)";
    text += strncmp(text, path, own) == 0 && text[own] == ':' ? own + 2 : 0;
    number_text(why, ISOLATE_WHY, "%s", text);
    return false;
}

/* Loads the object; returns the reason of a failure. */
static const char *load(fe_described *f, int object) {
    sam_foreign *foreign =
        sam_foreign_new(&(sam_foreign_how){load_object, object, f->parameters, f->seconds}, f->mem);
    const char *missing = sam_foreign_missing(foreign);
    if (!missing)
        f->program->foreign = f->foreign = foreign;
    return missing;
}

static bool make_and_load(fe_described *f, const char *text, const char *folder, src_loc loc,
                          diagnostics *d) {
    if (!compile(f, text, folder, loc, d))
        return false;
    const int object = open(arena_printf(d->mem, "%s/function.so", folder), O_RDONLY | O_CLOEXEC);
    if (object < 0)
        return fe_refuse_build(f, loc, d, "the object that the compiler made is not there", "another TMPDIR");
    const char *missing = load(f, object);
    return !missing || fe_refuse_build(f, loc, d, missing, "libraries names what it needs");
}

bool fe_load_described(fe_described *f, src_loc loc, diagnostics *d) {
    const char *temporary = getenv("TMPDIR");
    char *folder = arena_printf(d->mem, "%s/onyx-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    if (f->foreign || f->program->words)
        return true;
    if (!has_files(f, loc, d))
        return false;
    if (f->built.table)
        return fe_load_table(f, loc, d);
    const char *text = text_of(f, d->mem);
    const char *const *line = compiler_line(f, "function.c", "function.so", d->mem);
    const char *place = fe_objects_place(line, text, d->mem);
    const int kept = fe_objects_open(place, d->mem);
    if (kept >= 0 && !load(f, kept))
        return true;
    if (!mkdtemp(folder))
        return diag_error(d, loc, "E0004-write", "cannot make a folder such as '%s'", folder);
    const bool ok = make_and_load(f, text, folder, loc, d);
    if (ok)
        fe_objects_keep(place, folder, d->mem);
    remove_folder(folder);
    return ok;
}

bool fe_lacks_package(fe_described *f, arena *mem) {
    diagnostics unheard;
    diag_init(&unheard, mem);
    return f->built.package && !fe_load_described(f, (src_loc){0}, &unheard);
}
