/* program_names.c - texts of a program, and names that the reader makes. */
#include "frontend/schedules/program_names.h"

const char *fe_program_plain(const char *text, size_t length, arena *mem) {
    char *copy = arena_strndup(mem, text, length);
    bool quoted = false, comment = false;
    for (size_t i = 0; i < length; i++) {
        bool line = copy[i] == '\n';
        quoted = !line && !comment && (copy[i] == '"' ? !quoted : quoted);
        comment = !line && (comment || (!quoted && copy[i] == '#'));
        if (comment)
            copy[i] = ' ';
    }
    return copy;
}

const char *fe_program_new_name(const fe_program_reader *r, const char *what, src_loc loc) {
    uint32_t line, column;
    diag_line_col(r->d, loc, &line, &column);
    const char *name = arena_printf(r->out->mem, "%sLine%u", what, line);
    for (uint32_t n = 2; fe_program_find(r->out, names_intern(r->out->names, name)) < r->out->tensors.len;
         n++)
        name = arena_printf(r->out->mem, "%sLine%un%u", what, line, n);
    return name;
}

const char *fe_program_trimmed(const fe_program_reader *r, const fe_piece *piece) {
    size_t end = piece->end;
    while (end > piece->first && strchr(" \t\r\n", piece->text[end - 1]))
        end--;
    return arena_strndup(r->out->mem, piece->text + piece->first, end - piece->first);
}

void fe_program_write(const fe_program_reader *r, const char *text, fe_piece *out) {
    const src_loc typed = src_at(out->source, out->first, out->end - out->first);
    out->source = diag_add_rewritten(r->d, "a statement with coordinates", text, typed);
    out->text = text;
    out->first = 0;
    out->end = strlen(text);
}
