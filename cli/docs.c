/* Finds the documentation's folder and its error codes. */
#include "cli/help.h"

#include <unistd.h>

const char *help_docs_folder(cli_session *s) {
    const char *docs = arena_printf(&s->mem, "%s/docs", s->compile.home);
    return access(docs, F_OK) == 0 ? docs : compile_program(&s->compile, ONYX_DOCS_INSTALLED);
}

bool help_has_code(cli_session *s, const char *code) {
    const char *folder = arena_printf(&s->mem, "%s/errors", help_docs_folder(s));
    const text_vec pages = cli_names_in(s, folder, ".md");
    const size_t length = strlen(code);
    bool found = !pages.len;
    for (uint32_t i = 0; i < pages.len && !found; i++) {
        size_t size;
        const char *text =
            file_read_if_there(arena_printf(&s->mem, "%s/%s.md", folder, pages.at[i]), &s->mem, &size);
        for (const char *at = text; at && !found; at = strchr(at, '\n')) {
            at += strspn(at, "\n| ");
            found = strncmp(at, code, length) == 0 && (at[length] == '-' || at[length] == ' ');
        }
    }
    return found;
}
