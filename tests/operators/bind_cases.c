/* bind_cases: what schedules with bind and map come to. Arguments are descriptions (.xf); a line of the input
 * is an expression, extents ("i:7 j:5") and a schedule, with tabs between. A line of the output is the code
 * and text of the first message; or concrete index notation, after it was read back and written as the same.
 * In place of a schedule, "search N" asks for all that a search with up to N rewrites finds, with tabs
 * between. */
#include "frontend/functions/functions.h"
#include "frontend/language/language.h"
#include "frontend/schedules/schedules.h"

#include <stdlib.h>

static char *next_field(char **at) {
    char *field = *at, *end = strpbrk(field, "\t\n");
    *at = end ? end + 1 : field + strlen(field);
    if (end)
        *end = '\0';
    return field;
}

static const char *text_of(const fe_cin *cin, arena *mem) {
    text_out text;
    text_begin(&text);
    fe_cin_dump(cin, text.stream);
    return text_end(&text, mem);
}

static void print_first(const diagnostics *d) {
    const diagnostic *first = &d->list.at[0];
    printf("%s: %s\n", first->code, first->message);
}

static void search(const fe_in *in, const sam_statement *s, uint32_t rewrites, arena *mem) {
    fe_subexpr_bindings found;
    fe_find_bindings(in, s, rewrites, mem, &found);
    for (uint32_t i = 0; i < found.len; i++) {
        fe_in with = *in;
        fe_cin cin;
        diagnostics d;
        with.schedule = &found.at[i].schedule;
        with.n_schedule = 1;
        diag_init(&d, mem);
        if (!fe_schedule(&with, &found.at[i].s, mem, &d, &cin)) {
            print_first(&d);
            return;
        }
        const char *text = text_of(&cin, mem);
        printf("%s%u %.*s", i ? "\t" : "", found.at[i].rewrites, (int)strcspn(text, "\n"), text);
    }
    putchar('\n');
}

static void run_case(char *line, const fe_functions *functions, name_table *names, arena *mem) {
    diagnostics d;
    fe_cin cin, again;
    sam_statement s;
    const char *dimensions[16];
    char *at = line, *state = NULL;
    fe_in in = {.expression = next_field(&at), .functions = functions, .integers = true};
    for (char *one = strtok_r(next_field(&at), " ", &state); one && in.n_dimensions < 16;
         one = strtok_r(NULL, " ", &state))
        dimensions[in.n_dimensions++] = one;
    const char *schedule = next_field(&at);
    in.dimensions = dimensions;
    diag_init(&d, mem);
    if (strncmp(schedule, "search ", 7) == 0 && fe_parse(&in, names, mem, &d, &s)) {
        search(&in, &s, (uint32_t)atoi(schedule + 7), mem);
        return;
    }
    in.schedule = &schedule;
    in.n_schedule = 1;
    if (!fe_parse(&in, names, mem, &d, &s) || !fe_schedule(&in, &s, mem, &d, &cin)) {
        print_first(&d);
        return;
    }
    const char *text = text_of(&cin, mem);
    if (!fe_cin_parse(text, names, mem, &d, &again))
        printf("not read back, %s\n", d.list.at[0].message);
    else if (strcmp(text_of(&again, mem), text) != 0)
        printf("read back as %s", text_of(&again, mem));
    else
        fputs(text, stdout);
}

int main(int argc, char **argv) {
    arena all = {0};
    name_table names;
    diagnostics d;
    fe_functions *functions = NULL;
    char line[4096];
    names_init(&names, &all);
    diag_init(&d, &all);
    for (int i = 1; i < argc; i++) {
        fe_function_file file = {.name = argv[i]};
        file.text = file_read(argv[i], &all, &file.length, &d);
        if (!file.text || !fe_read_described(&file, true, &names, &all, &d, &functions)) {
            diag_print(&d, 0, stderr, false);
            return 1;
        }
    }
    while (fgets(line, sizeof line, stdin)) {
        arena mem = {0};
        run_case(line, functions, &names, &mem);
        arena_free(&mem);
    }
    arena_free(&all);
    return 0;
}
