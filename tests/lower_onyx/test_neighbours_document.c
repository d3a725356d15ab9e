/* docs/notebook/neighbours.md is written from the tables of nodes, ports and rules: this program compares,
 * and writes the file when it is called with --write. */
#include "lower_onyx/lower_int.h"
#include "tests/document.h"

#define DOCUMENT ONYX_SOURCE_DIR "/docs/notebook/neighbours.md"

static const char *tile_of(onyx_kind kind) {
    static const char *const names[] = {[NET_TILE_PE] = "PE", [NET_TILE_MEM] = "MEM", [NET_TILE_IO] = "IO"};
    return names[net_mode_table[onyx_kind_table[kind].mode].tile];
}

/* "data[17]> valid[1]> ready[1]<" */
static void write_wires(FILE *out, onyx_bundle bundle) {
    const char *gap = "";
    for (uint32_t i = 0; i < onyx_wire_count; i++) {
        const onyx_wire_info *w = &onyx_wire_table[i];
        if (w->bundle != bundle)
            continue;
        fprintf(out, "%s%s[%u]%c", gap, onyx_signal_name[w->signal], w->width, w->backward ? '<' : '>');
        gap = " ";
    }
}

static void write_partners(FILE *out, onyx_port port, bool many) {
    const char *gap = "";
    for (uint32_t i = 0; i < onyx_rule_count; i++) {
        const onyx_rule *r = &onyx_rule_table[i];
        if ((r->source != port && r->sink != port) || r->many != many)
            continue;
        const onyx_port_info *other = &onyx_port_table[r->source == port ? r->sink : r->source];
        fprintf(out, "%s`%s.%s`", gap, onyx_kind_table[other->kind].name, other->name);
        gap = ", ";
    }
}

/* Whether a rule is the first one of its sentence. */
static bool states_first(uint32_t rule) {
    for (uint32_t i = 0; i < rule; i++) {
        if (strcmp(onyx_rule_table[i].rule, onyx_rule_table[rule].rule) == 0)
            return false;
    }
    return true;
}

/* The number of a sentence among the different ones, from 1 on. */
static uint32_t sentence_of(const char *rule) {
    uint32_t number = 0;
    for (uint32_t i = 0; i < onyx_rule_count; i++) {
        number += states_first(i);
        if (strcmp(onyx_rule_table[i].rule, rule) == 0)
            break;
    }
    return number;
}

/* The numbers of a port's sentences, each once. */
static void write_rules(FILE *out, onyx_port port) {
    const char *gap = "";
    for (uint32_t i = 0; i < onyx_rule_count; i++) {
        const onyx_rule *r = &onyx_rule_table[i];
        bool known = r->source != port && r->sink != port;
        for (uint32_t k = 0; !known && k < i; k++) {
            const onyx_rule *other = &onyx_rule_table[k];
            known = (other->source == port || other->sink == port) && strcmp(other->rule, r->rule) == 0;
        }
        if (!known) {
            fprintf(out, "%s%u", gap, sentence_of(r->rule));
            gap = ", ";
        }
    }
}

/* The rule of the port's first pair; every pair of a port has the same bundle and fan-out, which the test
 * below checks. */
static const onyx_rule *first_rule(onyx_port port) {
    for (uint32_t i = 0; i < onyx_rule_count; i++) {
        if (onyx_rule_table[i].source == port || onyx_rule_table[i].sink == port)
            return &onyx_rule_table[i];
    }
    return NULL;
}

/* The rest of a row of the second table: neighbours, wires, how many, rules; "" of a port that has none. */
static char *links_of(arena *mem, onyx_port port) {
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    const onyx_rule *rule = first_rule(port);
    if (rule != NULL) {
        write_partners(out, port, rule->many);
        fputs(" | ", out);
        write_wires(out, rule->bundle);
        fprintf(out, " | %s | ",
                !onyx_port_table[port].output ? "1 driver"
                : rule->many                  ? "any"
                                              : "1 of each");
        write_rules(out, port);
    }
    fclose(out);
    char *kept = arena_strdup(mem, text);
    free(text);
    return kept;
}

/* The number of a port's links among the different ones, from 1 on, which become longer by it; 0 of a port
 * without links. */
static uint32_t number_of(char *links, char **lists, uint32_t *count) {
    if (links[0] == '\0')
        return 0;
    uint32_t n = 0;
    while (n < *count && strcmp(lists[n], links) != 0)
        n++;
    if (n == *count)
        lists[(*count)++] = links;
    return n + 1;
}

static void write_row(FILE *out, onyx_port port, uint32_t number) {
    const onyx_port_info *p = &onyx_port_table[port];
    fprintf(out, "| `%s` | %s | `%s` | %s | %s | ", onyx_kind_table[p->kind].name, tile_of(p->kind), p->name,
            p->output ? "source" : "sink", p->required ? "1" : "0, 1");
    if (p->when[0] != '\0')
        fprintf(out, "`%s`", p->when);
    if (number != 0)
        fprintf(out, " | %u |\n", number);
    else
        fputs(" | nothing |\n", out);
}

static char *document(arena *mem) {
    char *text = NULL, *lists[ONYX_PORTS];
    size_t length = 0;
    uint32_t count = 0;
    FILE *out = open_memstream(&text, &length);
    fputs("# Which primitive may be next to which\n\n"
          "Ports of the array's primitives, and the ports that each may be linked to. For people who write "
          "netlists or "
          "the lowering.\n\n"
          "Written from `lower_onyx/nodes.def` and `lower_onyx/neighbours.def` by\n"
          "`build/tests/test_neighbours_document --write`; the test of that name fails when this file is "
          "stale.\n\n"
          "Links: 1, the port must be linked while it is live; 0, 1: may be open. Live when: the settings "
          "that must "
          "be\nnonzero, or with `!` zero; empty: always. Row: the row of the second table.\n\n"
          "| primitive | tile | port | is | links | live when | row |\n"
          "|---|---|---|---|---|---|---|\n",
          out);
    for (uint32_t port = ONYX_PORT_NONE + 1; port < ONYX_PORTS; port++)
        write_row(out, (onyx_port)port, number_of(links_of(mem, (onyx_port)port), lists, &count));
    fputs(
        "\n## Neighbours\n\n"
        "Wires: `>` runs from the source to the sink, `<` back. How many: sinks that a source may drive.\n\n"
        "| row | neighbours | wires | how many | rules |\n|---|---|---|---|---|\n",
        out);
    for (uint32_t i = 0; i < count; i++)
        fprintf(out, "| %u | %s |\n", i + 1, lists[i]);
    fputs("\n## Rules\n\n", out);
    for (uint32_t i = 0; i < onyx_rule_count; i++) {
        if (states_first(i))
            fprintf(out, "%u. %s\n", sentence_of(onyx_rule_table[i].rule), onyx_rule_table[i].rule);
    }
    fclose(out);
    char *kept = arena_strdup(mem, text);
    free(text);
    return kept;
}

/* Shows that a row of the document stands for all pairs of a port. */
static void pairs_of_a_port_are_alike(void **state) {
    (void)state;
    for (uint32_t port = ONYX_PORT_NONE + 1; port < ONYX_PORTS; port++) {
        const onyx_rule *first = first_rule((onyx_port)port);
        for (uint32_t i = 0; first != NULL && i < onyx_rule_count; i++) {
            const onyx_rule *r = &onyx_rule_table[i];
            if (r->source == port || r->sink == port) {
                assert_int_equal(r->bundle, first->bundle);
                assert_int_equal(r->many, first->many);
            }
            assert_true(onyx_port_table[r->source].output);
            assert_false(onyx_port_table[r->sink].output);
        }
    }
}

static void the_document_is_up_to_date(void **state) {
    expect_document(*state, DOCUMENT, document, "test_neighbours_document");
}

RUN_DOCUMENT_TESTS(DOCUMENT, document, TEST(pairs_of_a_port_are_alike), TEST(the_document_is_up_to_date))
