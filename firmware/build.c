/* Makes app.elf: compiles the generated files and the runtime with the cross compiler, and checks the
 * program. */
#include "firmware/controller.h"
#include "firmware/fw_int.h"
#include "firmware/program.h"
#include "firmware/runtime.h"
#include "firmware/sums.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const runtime[] = {"startup.c",   "firmware.c",  "mailbox.c", "platform.c",
                                      "image.c",     "configure.c", "streams.c", "dispatch.c",
                                      "functions.c", "lists.c",     "entries.c", "bf16.c"};

static const char *const flags[] = {"-mcpu=cortex-m3",
                                    "-mthumb",
                                    "-std=c11",
                                    "-O2",
                                    "-g",
                                    "-ffreestanding",
                                    "-nostdlib",
                                    "-fno-tree-loop-distribute-patterns", /* no calls of memcpy and memset */
                                    "-fno-tree-dominator-opts",           /* a loop stays one loop */
                                    "-fno-tree-reassoc", /* products are added at their place */
                                    "-ffunction-sections",
                                    "-fdata-sections",
                                    "-Wall",
                                    "-Wextra",
                                    "-Wpedantic",
                                    "-Wshadow",
                                    "-Wconversion",
                                    "-Werror",
                                    "-Wframe-larger-than=256",
                                    "-fstack-usage",
                                    "-Wl,--gc-sections",
                                    "-Wl,--fatal-warnings",
                                    "-Wl,--build-id=none"};

enum { N_RUNTIME = sizeof runtime / sizeof *runtime, N_FLAGS = sizeof flags / sizeof *flags };

fw_options fw_options_default(const char *home, const char *folder) {
    return (fw_options){
        .home = home, .folder = folder, .compiler = "arm-none-eabi-gcc", .timeout = (uint32_t)1 << 26};
}

/* ---- the runtime as objects ------------------------------------------------------------------ */

/* Returns a line for each object of the runtime, of its inputs: flags, headers, its source; NULL if a file
 * cannot be read. */
static const char *ingredients(const char *home, arena *mem, diagnostics *d) {
    static const char *const headers[] = {"target/commands.h",
                                          "target/functions.h",
                                          "target/hal.h",
                                          "target/kernel.h",
                                          "target/list_runs.h",
                                          "target/mailbox.h",
                                          "target/streams.h",
                                          "target/sums.h",
                                          "target/switch.h",
                                          "target/target.h",
                                          "protocol.h",
                                          "commands.h",
                                          "commands.def",
                                          "fault.def",
                                          "registers.def",
                                          "mailbox.def",
                                          "row.def",
                                          "registers.h",
                                          "errors.def",
                                          "../support/mlist.h"};
    enum { N_HEADERS = sizeof headers / sizeof *headers };
    const char *lines = "";
    uint64_t common = 0;
    size_t length = 0;
    for (uint32_t i = 0; i < N_FLAGS; i++)
        common = hash_more(common, flags[i], strlen(flags[i]) + 1);
    for (uint32_t i = 0; i < N_HEADERS + N_RUNTIME; i++) {
        const bool header = i < N_HEADERS;
        const char *name = header ? headers[i] : runtime[i - N_HEADERS],
                   *text =
                       file_read(arena_printf(mem, "%s/firmware/%s%s", home, header ? "" : "target/", name),
                                 mem, &length, d);
        if (!text)
            return NULL;
        const uint64_t hash = hash_more(common, text, length);
        common = header ? hash : common;
        lines = header ? lines : arena_printf(mem, "%s%s %016llx\n", lines, name, (unsigned long long)hash);
    }
    return lines;
}

static bool is_text_of(const char *path, const char *text, arena *mem) {
    size_t length = 0;
    const char *there = text ? file_read_if_there(path, mem, &length) : NULL;
    return there && strcmp(there, text) == 0;
}

/* Returns the name of a file made from runtime source `i`: startup.o, startup.su. */
static const char *made_of(const char *folder, uint32_t i, const char *ending, arena *mem) {
    return arena_printf(mem, "%s/%.*s%s", folder, (int)strcspn(runtime[i], "."), runtime[i], ending);
}

/* Copies an object's stack report beside the program's own. */
static bool copy_report(const fw_options *o, const char *folder, uint32_t i, arena *mem, diagnostics *d) {
    size_t length = 0;
    const char *report = file_read_if_there(made_of(folder, i, ".su", mem), mem, &length);
    file_out f;
    if (!report || !file_create(&f, made_of(o->folder, i, ".su", mem), mem, d))
        return false;
    fputs(report, f.stream);
    return file_commit(&f, d);
}

/* Lists the runtime's objects for the board that were made from the present sources, NULL for the others. */
static void take_objects(const fw_options *o, const pnr_board *b, arena *mem, const char **object) {
    diagnostics ignored;
    size_t length = 0;
    diag_init(&ignored, mem);
    memset(object, 0, sizeof *object * N_RUNTIME);
    if (!o->objects)
        return;
    const char *folder = arena_printf(mem, "%s/%s", o->objects, b->name),
               *board = file_read_if_there(arena_printf(mem, "%s/app_board.h", folder), mem, &length),
               *made = file_read_if_there(arena_printf(mem, "%s/made_of", folder), mem, &length),
               *now = ingredients(o->home, mem, &ignored);
    if (!made || !now || !is_text_of(arena_printf(mem, "%s/app_board.h", o->folder), board, mem))
        return;
    for (uint32_t i = 0; i < N_RUNTIME; i++, now += strcspn(now, "\n") + 1) {
        const bool same = strstr(made, arena_strndup(mem, now, strcspn(now, "\n") + 1));
        if (same && copy_report(o, folder, i, mem, &ignored))
            object[i] = made_of(folder, i, ".o", mem);
    }
}

/* Writes a stack report again, with its source files named from `home` on. */
static bool name_by_tree(const char *home, const char *path, diagnostics *d) {
    size_t length = 0, prefix = strlen(home);
    const char *text = file_read(path, d->mem, &length, d);
    file_out f;
    if (!text || !file_create(&f, path, d->mem, d))
        return false;
    for (const char *end; *text; text = end) {
        end = text + strcspn(text, "\n");
        end += *end == '\n';
        size_t skip = strncmp(text, home, prefix) == 0 && text[prefix] == '/' ? prefix + 1 : 0;
        fwrite(text + skip, 1, (size_t)(end - text) - skip, f.stream);
    }
    return file_commit(&f, d);
}

bool fw_build_runtime(const pnr_board *b, const char *home, const char *folder, const char *compiler,
                      const char *moved, diagnostics *d) {
    arena *mem = d->mem;
    const char *argv[N_FLAGS + N_RUNTIME + 8], *made = ingredients(home, mem, d);
    uint32_t n = 0;
    file_out f;
    if (!made || !make_folder(folder, d) || !fw_write_board(b, 0, folder, d))
        return false;
    if (chdir(folder) != 0) /* where the compiler leaves several objects */
        return false;
    unlink("made_of"); /* no object counts as made until all are */
    argv[n++] = compiler;
    for (uint32_t i = 0; i < N_FLAGS; i++) {
        if (strncmp(flags[i], "-Wl,", 4) != 0)
            argv[n++] = flags[i];
    }
    argv[n++] = "-c";
    argv[n++] = "-I.";
    if (moved) {
        argv[n++] = arena_printf(mem, "-ffile-prefix-map=%s=%s", home, moved);
        argv[n++] = arena_printf(mem, "-ffile-prefix-map=%s=%s/firmware", folder, moved);
    }
    argv[n++] = arena_printf(mem, "-I%s", home);
    for (uint32_t i = 0; i < N_RUNTIME; i++)
        argv[n++] = arena_printf(mem, "%s/firmware/target/%s", home, runtime[i]);
    argv[n] = NULL;
    if (program_run(argv, "build.log") != 0)
        return diag_error(d, (src_loc){0}, "E0702-compiler", "'%s' failed: see '%s/build.log'", compiler,
                          folder);
    for (uint32_t i = 0; i < N_RUNTIME; i++) {
        if (!name_by_tree(home, made_of(".", i, ".su", mem), d))
            return false;
    }
    if (!file_create(&f, "made_of", mem, d))
        return false;
    fputs(made, f.stream);
    return file_commit(&f, d);
}

/* ---- functions ------------------------------------------------------------------------------- */

/* Returns the unit in the linker's complaint, or NULL. */
static const fw_unit *unit_of_log(const fw_options *o, const char *log, arena *mem) {
    size_t length = 0;
    const char *text = o->functions ? file_read_if_there(log, mem, &length) : NULL;
    const char *at = text ? strstr(text, "app_functions_") : NULL;
    const bool full = text && strstr(text, "overflowed by");
    const uint32_t i = at ? (uint32_t)strtoul(at + strlen("app_functions_"), NULL, 10) : 0;
    return (at && i < o->functions->n_units) || full ? &o->functions->units[i] : NULL;
}

/* Returns the symbol missing for the linker, or the section without room. */
static const char *linker_says(const char *log, arena *mem) {
    static const char *const signs[] = {"undefined reference to", "multiple definition of", "region `"};
    size_t length = 0;
    const char *text = file_read_if_there(log, mem, &length);
    for (size_t i = 0; text && i < sizeof signs / sizeof *signs; i++) {
        const char *at = strstr(text, signs[i]);
        if (at)
            return arena_strndup(mem, at, strcspn(at, "\n;"));
    }
    return "it cannot be linked";
}

/* A call graph: who may call whom. */
typedef struct {
    const char *from, *to;
} call_edge;

typedef VEC(call_edge) call_edges;

/* Reads the quoted text behind `key`, and moves *at behind the text. NULL: the line has no quoted text. */
static const char *quoted(const char **at, const char *key, arena *mem) {
    const char *end = *at + strcspn(*at, "\n"), *found = strstr(*at, key);
    if (!found || found > end)
        return NULL;
    found += strlen(key);
    const char *stop = strchr(found, '"');
    if (!stop)
        return NULL;
    *at = stop;
    return arena_strndup(mem, found, (size_t)(stop - found));
}

/* Removes every call outside of cycles: calls of functions without remaining callees, or without remaining
 * callers. O(n^3) of the calls at worst. */
static void keep_circles(call_edges *all) {
    for (uint32_t i = 0; i < all->len;) {
        bool follows = false, leads = false;
        for (uint32_t k = 0; k < all->len; k++) {
            follows = follows || strcmp(all->at[k].to, all->at[i].from) == 0;
            leads = leads || strcmp(all->at[k].from, all->at[i].to) == 0;
        }
        if (follows && leads) {
            i++;
        } else {
            all->at[i] = all->at[--all->len];
            i = 0; /* paths of other calls may have led through the removed call */
        }
    }
}

/* The sum of all frames bounds the stack only if no function is on the stack twice: the call graph of gcc
 * (-fcallgraph-info) must have no cycle and no unknown callee. */
static bool check_calls(const fw_options *o, uint32_t i, arena *mem, diagnostics *d) {
    size_t length = 0;
    const fw_unit *u = &o->functions->units[i];
    const char *at = file_read(fw_unit_file(o, i, ".ci", mem), mem, &length, d);
    call_edges all = {0};
    for (; at && *at; at += strcspn(at, "\n"), at += *at == '\n') {
        if (strncmp(at, "edge:", 5) != 0)
            continue;
        call_edge one = {quoted(&at, "sourcename: \"", mem), NULL};
        one.to = one.from ? quoted(&at, "targetname: \"", mem) : NULL;
        if (one.to)
            vec_push(mem, &all, one);
    }
    for (uint32_t e = 0; e < all.len; e++) {
        if (strcmp(all.at[e].to, "__indirect_call") == 0)
            return fw_refuse_unit(u, d, "it calls by a pointer, so that nothing bounds the stack",
                                  "call functions by their names");
    }
    keep_circles(&all);
    if (!all.len)
        return at != NULL;
    const char *name = strrchr(all.at->from, ':'); /* of a static function, behind its file */
    return fw_refuse_unit(u, d,
                          arena_printf(mem, "%s calls itself, so that nothing bounds the stack",
                                       name ? name + 1 : all.at->from),
                          "a loop in place of the recursion");
}

/* Compiles a unit alone, to name the unit in messages. Warnings are left to the unit's author. */
static bool compile_unit(const fw_options *o, uint32_t i, arena *mem, diagnostics *d, fw_app *out) {
    static const char *const own[] = {"-fcallgraph-info", "-fno-common", "-w", "-c"};
    const fw_unit *u = &o->functions->units[i];
    const char *code = fw_unit_file(o, i, ".c", mem), *log = fw_unit_file(o, i, ".log", mem);
    VEC(const char *) argv = {0};
    file_out f;
    if (!file_create(&f, code, mem, d))
        return false;
    fputs(u->text, f.stream);
    if (!file_commit(&f, d))
        return false;
    vec_push(mem, &argv, o->compiler);
    for (uint32_t k = 0; k < N_FLAGS; k++) {
        const bool strict = strncmp(flags[k], "-W", 2) == 0 || strncmp(flags[k], "-std=", 5) == 0;
        if (!strict)
            vec_push(mem, &argv, flags[k]);
    }
    vec_push(mem, &argv, "-std=gnu11");
    for (uint32_t k = 0; k < sizeof own / sizeof *own; k++)
        vec_push(mem, &argv, own[k]);
    vec_push(mem, &argv, arena_printf(mem, "-I%s", o->home));
    for (uint32_t k = 0; k < u->n_include; k++)
        vec_push(mem, &argv, arena_printf(mem, "-I%s", u->include[k]));
    vec_push(mem, &argv, "-o");
    vec_push(mem, &argv, fw_unit_file(o, i, ".o", mem));
    vec_push(mem, &argv, code);
    vec_push(mem, &argv, NULL);
    const int status = program_run(argv.at, log);
    out->interrupted = status == -SIGINT;
    if (out->interrupted)
        return false;
    if (status == PROGRAM_MISSING) {
        diag_error(d, u->loc, "E0701-compiler-missing", "'%s' is not installed", o->compiler);
        return diag_hint(d, "Debian and Ubuntu have it as gcc-arm-none-eabi");
    }
    const char *error = status ? file_error_line(log, mem) : "";
    return status ? fw_refuse_unit(u, d, *error ? error : "the compiler failed",
                                   "freestanding C of integers: no library, no heap")
                  : check_calls(o, i, mem, d);
}

static bool compile_units(const fw_options *o, arena *mem, diagnostics *d, fw_app *out) {
    bool ok = true;
    for (uint32_t i = 0; o->functions && i < o->functions->n_units && ok; i++)
        ok = compile_unit(o, i, mem, d, out);
    return ok;
}

/* ---- the compiler ---------------------------------------------------------------------------- */

static bool compile(const fw_options *o, const pnr_board *b, arena *mem, diagnostics *d, fw_app *out) {
    const uint32_t units = o->functions ? o->functions->n_units : 0;
    const char **argv = arena_new_n(mem, const char *, N_FLAGS + N_RUNTIME + 20 + units);
    const char *log = arena_printf(mem, "%s/build.log", o->folder), *object[N_RUNTIME];
    uint32_t n = 0;
    take_objects(o, b, mem, object);
    argv[n++] = o->compiler;
    for (uint32_t i = 0; i < N_FLAGS; i++)
        argv[n++] = flags[i];
    argv[n++] = "-dumpdir";
    argv[n++] = arena_printf(mem, "%s/", o->folder);
    argv[n++] = arena_printf(mem, "-I%s", o->folder);
    argv[n++] = arena_printf(mem, "-I%s", o->home);
    argv[n++] = arena_printf(mem, "-L%s", o->folder);
    if (!strchr(o->folder, '%')) { /* the linker would take the flag for the program's name */
        argv[n++] = "-Xlinker";    /* -Wl, would split the folder's name at a comma */
        argv[n++] = arena_printf(mem, "-Map=%s/app.map", o->folder);
    }
    argv[n++] = "-T";
    argv[n++] = arena_printf(mem, "%s/firmware/target/onyx.ld", o->home);
    if (o->moved)
        argv[n++] = arena_printf(mem, "-ffile-prefix-map=%s", o->moved);
    argv[n++] = "-o";
    argv[n++] = out->elf;
    argv[n++] = arena_printf(mem, "%s/app_tables.c", o->folder);
    argv[n++] = arena_printf(mem, "%s/app_bitstream.c", o->folder);
    for (uint32_t i = 0; i < N_RUNTIME; i++) {
        const bool own = o->writes && strcmp(runtime[i], "firmware.c") == 0;
        argv[n++] = own         ? arena_printf(mem, "%s/firmware/target/writes.c", o->home)
                    : object[i] ? object[i]
                                : arena_printf(mem, "%s/firmware/target/%s", o->home, runtime[i]);
    }
    for (uint32_t i = 0; i < units; i++)
        argv[n++] = fw_unit_file(o, i, ".o", mem);
    argv[n] = NULL;
    remove(log); /* an earlier build may have left a log */
    int status = program_run(argv, log);
    if (status == 0)
        return true;
    out->interrupted = status == -SIGINT;
    if (out->interrupted)
        return false;
    if (status == PROGRAM_MISSING) {
        diag_error(d, (src_loc){0}, "E0701-compiler-missing", "'%s' is not installed", o->compiler);
        return diag_hint(d, "Debian and Ubuntu have it as gcc-arm-none-eabi");
    }
    const fw_unit *unit = unit_of_log(o, log, mem);
    if (unit)
        return fw_refuse_unit(
            unit, d, linker_says(log, mem),
            "freestanding C of integers: no floating point, no 64-bit quotients, no heap, no "
            "library; and not more data than there is room for");
    const char *error = file_error_line(log, mem);
    diag_error(d, (src_loc){0}, "E0702-compiler", "'%s' failed: %s", o->compiler,
               *error ? error : "no message");
    return diag_hint(d, "the whole output is in '%s'", log);
}

/* ---- checks of the request ------------------------------------------------------------------- */

static bool check_request(const pnr_board *b, const fw_options *o, arena *mem, diagnostics *d) {
    struct stat info;
    if (!fw_is_controlled(b, d))
        return false;
    if (o->timeout < FW_MIN_TIMEOUT) {
        diag_error(d, (src_loc){0}, "E0708-timeout", "a time-out of %u cycles is too short", o->timeout);
        return diag_hint(d, "at least %d", FW_MIN_TIMEOUT);
    }
    if (b->map.sram_bytes < FW_TABLE_END) {
        diag_unmappable(d, (src_loc){0}, "E0709-sram",
                        "the program needs %d bytes of SRAM, board '%s' has %u", FW_TABLE_END, b->name,
                        b->map.sram_bytes);
        return diag_hint(d, "engines cycle and rtl need no program");
    }
    if (b->map.cgra_data < b->glb_bank_bytes || b->map.cgra_data > INT32_MAX) {
        diag_unmappable(d, (src_loc){0}, "E0716-buffer-address",
                        "the processor has the global buffer of board '%s' at 0x%08x", b->name,
                        b->map.cgra_data);
        return diag_hint(
            d, "from 0x%08x to 0x7fffffff, the sums of the bitstream tell all flips of one and two bits",
            b->glb_bank_bytes);
    }
    if (stat(arena_printf(mem, "%s/firmware/target/onyx.ld", o->home), &info) != 0) {
        diag_error(d, (src_loc){0}, "E0703-runtime-missing", "'%s/firmware/target' does not hold the runtime",
                   o->home);
        return diag_hint(d, "set ONYX_HOME to the folder that has boards/ and firmware/");
    }
    return true;
}

/* Checks facts that the firmware relies on: every word lies inside of the array, comes behind the previous
 * word by column, row, feature and register, and is not 0. The configuration bus does not answer for missing
 * tiles. */
static bool check_words(const pnr_board *b, const bits_stream *image, diagnostics *d) {
    for (uint32_t i = 0, last = 0; i < image->words.len; i++) {
        const bits_word *w = &image->words.at[i];
        uint32_t column = w->address >> 8 & 0xff, row = w->address & 0xff;
        uint32_t place = column << 24 | row << 16 | (w->address >> 16 & 0xff) << 8 | w->address >> 24;
        BUG_IF(!w->data || (i && place <= last), "word %u of the image is out of order, or sets nothing", i);
        last = place;
        if (column < b->width && row < b->height)
            continue;
        diag_error(
            d, (src_loc){0}, "E0715-bitstream-word",
            "word %u of the bitstream, 0x%08x, is for column %u, row %u; board '%s' has %u columns and %u "
            "rows",
            i, w->address, column, row, b->name, b->width, b->height);
        return diag_hint(d, "compile for this board: --board");
    }
    return true;
}

/* Removes the reports of an earlier build, to count no report twice. */
static void remove_reports(const char *folder, arena *mem) {
    DIR *list = opendir(folder);
    for (struct dirent *entry = list ? readdir(list) : NULL; entry; entry = readdir(list)) {
        size_t length = strlen(entry->d_name);
        if (length >= 3 && strcmp(entry->d_name + length - 3, ".su") == 0)
            remove(arena_printf(mem, "%s/%s", folder, entry->d_name));
    }
    if (list)
        closedir(list);
}

/* ---- the images ------------------------------------------------------------------------------ */

/* Puts images back to back into their bank. */
static bool place_images(const fw_image *images, uint32_t n, arena *mem, diagnostics *d, fw_placed *out) {
    const pnr_board *b = n ? images->design->board : NULL;
    uint32_t end = 0;
    for (uint32_t i = 0; i < n; i++) {
        out[i] = (fw_placed){.of = &images[i],
                             .words = bits_canonical(images[i].bits, mem),
                             .at = end,
                             .kernels = fw_kernels_of(images[i].design)};
        const uint32_t words = out[i].words.words.len, room = b->glb_bank_bytes - end;
        const uint32_t header = (uint32_t)sizeof(fw_image_header);
        if (words == 0 || room < header || words > (room - header) / 8)
            return diag_unmappable(d, (src_loc){0}, "E0707-bitstream-size",
                                   "a bitstream of %u words; one bank of the global buffer holds 1 to %u%s",
                                   words, room < header ? 0 : (room - header) / 8,
                                   i ? " behind the others" : "");
        end += fw_image_bytes(&out[i].words);
    }
    return true;
}

/* No stream may use the bank of images needed again. */
static bool check_bank(const pnr_board *b, const fw_streams *s, diagnostics *d) {
    for (uint32_t i = 0; i < s->lanes * s->n_loads; i++) {
        if (s->load[i].column / b->columns_per_glb_tile)
            continue;
        diag_error(d, s->load[i].cell->loc, "E0706-streams",
                   "GLB tile 0, which keeps several bitstreams, would have a load");
        return diag_hint(d, "place it on another column");
    }
    return true;
}

/* Finds the streams of each kernel of the image. */
static bool find_streams(fw_placed *image, bool several, arena *mem, diagnostics *d) {
    fw_streams *streams = arena_new_n(mem, fw_streams, image->kernels);
    const bool independent = image->of->independent;
    bool ok = true;
    BUG_IF(image->kernels > FW_IMAGE_KERNELS_MOST || (independent && image->kernels > 1),
           "%u kernels share a bitstream", image->kernels);
    for (uint32_t p = 0; p < image->kernels && ok; p++)
        ok = fw_streams_of(image->of->design, p, independent, d, &streams[p]) &&
             (!several || check_bank(image->of->design->board, &streams[p], d));
    image->streams = streams;
    return ok;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Returns the byte of the global buffer from which the program's own writes load the bitstream. */
static uint32_t place_of_bits(const fw_writes *w) {
    uint32_t at = 0;
    for (uint32_t i = 0; w && i < w->configure.len; i++)
        at = w->configure.at[i].offset == GLB_PCFG_START_ADDR ? w->configure.at[i].value : at;
    return at;
}

bool fw_build(const fw_image *images, uint32_t n, const fw_options *o, arena *mem, diagnostics *d,
              fw_app *out) {
    enum { EXCEPTION_FRAME = 8 * 4 + 4, EXCEPTIONS = 3 };
    const pnr_board *b = n ? images->design->board : o->board;
    const uint32_t at = place_of_bits(o->writes);
    fw_placed *placed = arena_new_n(mem, fw_placed, n + 1);
    BUG_IF((!n && !o->functions) || n > FW_IMAGES_MOST, "%u images", n);
    *out = (fw_app){.elf = arena_printf(mem, "%s/app.elf", o->folder)};
    bool ok = check_request(b, o, mem, d) && place_images(images, n, mem, d, placed);
    for (uint32_t i = 0; i < n && ok; i++)
        ok = check_words(b, &placed[i].words, d) && find_streams(&placed[i], n > 1, mem, d);
    if (!ok || !make_folder(o->folder, d))
        return false;
    remove(out->elf);
    remove_reports(o->folder, mem);
    if (!fw_write_board(b, at, o->folder, d) || !fw_write_tables(placed, n, b, o, d) ||
        !fw_write_bitstreams(placed, n, o, d) || !compile_units(o, mem, d, out) ||
        !compile(o, b, mem, d, out) || !fw_seal_code(out->elf, b, mem, d) ||
        !fw_read_sizes(out->elf, b, at, d, out) || !fw_read_stack(o->folder, d, out))
        return false;
    out->stack_bytes += EXCEPTIONS * EXCEPTION_FRAME;
    return fw_check_stack(out, o, d);
}
