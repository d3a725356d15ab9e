/* onyx registers: reads and writes registers of a board by name, through its debug port. */
#include "host/registers.h"
#include "cli/chip.h"
#include "cli/usage.h"
#include "firmware/register_table.h"

#include <errno.h>
#include <stdlib.h>

static bool refuse(cli_session *s, const char *argument, const char *why) {
    diag_error(&s->diag, (src_loc){0}, "E0792-register", "'%s' %s", argument, why);
    return diag_hint(
        &s->diag, "GLC_TEST, GLB3_LD_CTRL, GLB3_LD_RANGE[2]; GLC or GLB3 for a whole block; 0x20000048 for "
                  "a word; docs/registers.md lists the names");
}

/* Reads a number of C: decimal, 0x. */
static bool read_number(const char *text, uint32_t *to) {
    char *end;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 0);
    *to = (uint32_t)value;
    return *text >= '0' && *text <= '9' && !*end && !errno && value <= UINT32_MAX;
}

static void add_register(cli_session *s, const fw_register_at *r, host_accesses *out) {
    const bool of_array = strcmp(r->row->block, "GLC") == 0 || strcmp(r->row->block, "GLB") == 0;
    vec_push(
        &s->mem, out,
        ((host_access){.name = fw_register_name(r, &s->mem), .address = r->address, .of_array = of_array}));
}

/* Adds one access, or all of a block. */
static bool add_access(cli_session *s, const pnr_board *b, const char *argument, host_accesses *out) {
    const char *is = strchr(argument, '=');
    const char *name = is ? arena_printf(&s->mem, "%.*s", (int)(is - argument), argument) : argument;
    fw_register_list block = {0};
    fw_register_at r = {0};
    host_access word = {.name = name};
    if (!is && fw_registers_of(b, name, &s->mem, &block)) {
        for (uint32_t i = 0; i < block.len; i++)
            add_register(s, &block.at[i], out);
        return true;
    }
    if (fw_register_find(b, name, &r))
        add_register(s, &r, out);
    else if (read_number(name, &word.address) && word.address % 4 == 0)
        vec_push(&s->mem, out, word);
    else
        return refuse(s, argument, "names no register and no address of a word");
    host_access *a = &out->at[out->len - 1];
    a->write = is != NULL;
    if (is && !read_number(is + 1, &a->value))
        return refuse(s, argument, "writes no number of 32 bits");
    if (is && r.row && strcmp(r.row->access, "RO") == 0)
        return refuse(s, argument, "is read only");
    return true;
}

static void print_fields(const pnr_board *b, const host_access *a, FILE *out) {
    fw_register_at r;
    if (!fw_register_find(b, a->name, &r))
        return;
    for (uint32_t i = 0; i < FW_REGISTER_FIELDS; i++) {
        const fw_register_field *f = &fw_register_fields[i];
        const uint32_t mask = f->width == 32 ? UINT32_MAX : (1u << f->width) - 1;
        if (strcmp(f->block, r.row->block) == 0 && strcmp(f->reg, r.row->name) == 0)
            fprintf(out, " %s=%u", f->field, a->got >> f->lsb & mask);
    }
}

static bool access_all(cli_session *s, const pnr_board *b, const char *board_path, host_accesses *all) {
    const char *folder = cli_temporary_folder(s);
    if (!folder)
        return false;
    host_options o = s->options.host;
    o.board_path = board_path;
    o.cosim = compile_program(&s->compile, "onyx-cosim");
    const bool ok = host_registers(b, &o, all, folder, &s->mem, &s->diag);
    remove_folder(folder);
    for (uint32_t i = 0; i < all->len && ok; i++) {
        printf("%08x %-28s %08x", all->at[i].address, all->at[i].name, all->at[i].got);
        print_fields(b, &all->at[i], stdout);
        putchar('\n');
    }
    return ok;
}

int command_registers(int argc, char **argv) {
    cli_session s;
    pnr_board board;
    const char *path;
    host_accesses all = {0};
    cli_session_begin(&s);
    bool ok = cli_parse(&s, COMMAND_REGISTERS, argc, argv) &&
              compile_read_board(&s.compile, s.options.compile.target.board, &board, &path) &&
              (s.options.arguments.len || refuse(&s, "", "asks for nothing"));
    for (uint32_t i = 0; i < s.options.arguments.len && ok; i++)
        ok = add_access(&s, &board, s.options.arguments.at[i], &all);
    return cli_session_end(&s, ok && access_all(&s, &board, path, &all));
}
