/* Joiners, operations and droppers of a graph: as primitives, PEs or tables. */
#include "lower_onyx/lower_processing.h"
#include "lower_onyx/lowering.h"
#include "lower_onyx/quotient.h"
#include "lower_onyx/table.h"
#include "sam/binding.h"
#include "sam/operators.h"
#include "support/refusals.h"

/* An intersecter with coordinates absent from one operand: the other's region alone. */
static onyx_node lower_region_joiner(lowering *l, sam_node h, const char *lacked) {
    const bool first = strcmp(lacked, "0") == 0;
    if (!l->options->extended)
        return lowering_refuse(l, h, "--profile onyx-ext joins what an operand lacks");
    if ((!first && strcmp(lacked, "1") != 0) || sam_node_at(l->sam, h)->kind != SAM_INTERSECT)
        return lowering_refuse(l, h, "lacks=\"0\" or \"1\", at an intersecter of two operands");
    onyx_node node = lowering_add_processing(l, h, ONYX_REGION_JOINER);
    onyx_set(onyx_node_at(l->g, node), ONYX_SET_REGION_JOINER_REGIONS, first ? 2 : 1);
    return node;
}

/* Returns whether the reference stream may have the empty token, mistaken by the chip's intersecter. */
static bool may_be_empty(const sam_graph *s, const sam_edge_data *ref) {
    if (ref == NULL)
        return false;
    const sam_node_data *from = sam_node_at(s, ref->src);
    switch ((int)from->kind) {
    case SAM_UNION:
        return true;
    case SAM_INTERSECT:
        return ref->src_port > 0 &&
               may_be_empty(s, sam_edge_into(s, ref->src, (uint8_t)(2 * ref->src_port - 1)));
    case SAM_FIBERLOOKUP:
        return from->format == SAM_LEVEL_DENSE && may_be_empty(s, sam_edge_into(s, ref->src, 0));
    case SAM_REPEAT:
        return may_be_empty(s, sam_edge_into(s, ref->src, 0));
    default:
        return false;
    }
}

static bool any_repeater(const sam_graph *s) {
    for (uint32_t n = 0; n < s->nodes.len; n++) {
        if (s->nodes.at[n].kind == SAM_REPEAT)
            return true;
    }
    return false;
}

bool lower_takes_empty_references(const lowering *l, sam_node h) {
    return l->options->extended && sam_node_at(l->sam, h)->kind == SAM_INTERSECT && !any_repeater(l->sam) &&
           (may_be_empty(l->sam, sam_edge_into(l->sam, h, 1)) ||
            may_be_empty(l->sam, sam_edge_into(l->sam, h, 3)));
}

onyx_node lower_joiner(lowering *l, sam_node h) {
    const sam_node_data *s = sam_node_at(l->sam, h);
    uint32_t inputs = lowering_inputs_of(l->sam, h);
    if (inputs != 4) {
        diag_unmappable(l->d, s->loc, "E0411-joiner-operands",
                        "%s: Onyx joins two operands (4 streams), this joiner has %u streams",
                        sam_node_label(l->sam, h, l->g->mem), inputs);
        diag_hint(l->d, "rewrite joiners of more operands into trees of binary ones first");
        return (onyx_node){0};
    }
    for (uint32_t i = 0; i < l->sam->edges.len; i++) {
        const sam_edge_data *e = &l->sam->edges.at[i];
        if (e->src.v == h.v && e->stream == SAM_STREAM_SKIP && !l->options->skips) {
            diag_unmappable(l->d, s->loc, "E0410-not-on-chip", "%s: Onyx cannot skip coordinates",
                            sam_node_label(l->sam, h, l->g->mem));
            diag_hint(l->d,
                      "remove the skip edges: they save cycles and change no result; or --profile onyx-ext, "
                      "whose scanners skip");
            return (onyx_node){0};
        }
    }
    const name_id lacks = sam_attribute_of(l->sam, h, "lacks");
    if (lacks.v != 0)
        return lower_region_joiner(l, h, names_text(l->sam->names, lacks));
    if (lower_takes_empty_references(l, h)) {
        onyx_node both = lowering_add_processing(l, h, ONYX_REGION_JOINER);
        onyx_set(onyx_node_at(l->g, both), ONYX_SET_REGION_JOINER_REGIONS, 4);
        return both;
    }
    onyx_node node = lowering_add_processing(l, h, ONYX_JOINER);
    onyx_set(onyx_node_at(l->g, node), ONYX_SET_JOINER_OP, s->kind == SAM_UNION);
    return node;
}

/* Suggests a replacement of an operation absent from the chip's PE. */
static const char *alu_alternative(const char *name) {
    if (strcmp(name, "div") == 0)
        return "the chip does not divide: multiply by the reciprocal, made an operand before the run (bf16), "
               "or "
               "use --engine sam";
    if (strcmp(name, "rem") == 0)
        return "the chip does not divide: a & 7 is a % 8 of what is not negative; or use --engine sam";
    return "in a sparse graph the chip adds, subtracts, multiplies, negates, takes absolute values, min, max "
           "and relu, int16 or bfloat16; int16 also and, or, xor, shifts, comparisons, land, lor, when, "
           "unless: docs/array_operators.md";
}

static bool constant_operand(lowering *l, sam_node h, const char *text, bool fp, alu_constant *out) {
    out->given = sam_parse_constant(text, fp, &out->value);
    if (out->given)
        return true;
    diag_error(l->d, sam_node_at(l->sam, h)->loc, "E0415-constant", "%s: constant '%s' is no %s",
               sam_node_label(l->sam, h, l->g->mem), text, fp ? "number" : "16-bit integer");
    return diag_hint(l->d, "%s", fp ? "for example 0.5" : "from -32768 to 65535");
}

/* Returns the number of operands of the chip's form of the operation; 0: no form. */
static uint32_t operands_of(const char *operation, bool bf16) {
    sam_operation known;
    const onyx_alu_op *op = sam_find_operation(operation, &known) ? onyx_alu_find(operation, bf16) : NULL;
    const char *steps = alu_composition(operation, bf16);
    if (op == NULL)
        return steps == NULL ? 0 : strchr(steps, 'b') != NULL ? 2 : 1;
    return op->streams + (op->constant_in ? 1u : 0u);
}

/* Returns whether an addition with infinity is possible on the chip: of values that are not negative. */
static bool is_in_range(lowering *l, sam_node h) {
    const sam_edge_data self = {.src = h};
    if (alu_is_nonnegative(l->sam, &self))
        return true;
    diag_refuse(l->d, DIAG_UNMAPPABLE, DIAG_REFUSED_RANGE, sam_node_at(l->sam, h)->loc,
                "%s: the chip adds with infinity from 0 to 32767, and an operand may be outside",
                sam_node_label(l->sam, h, l->g->mem));
    return diag_hint(l->d,
                     "operands may be tensors, and their minima, maxima, sums of this kind and comparisons");
}

/* Returns all words of an operation with one non-constant operand; NULL for functions computed step by step
 * or on the chip's processor, and for operations without a definition. */
static const uint16_t *tabulate(const lowering *l, const sam_node_data *s, const alu_wanted *in) {
    sam_operation operation;
    if (s->program)
        return s->program->on_processor || in->operands != 1 ? NULL : sam_words_of(s->program);
    const sam_operator *of =
        sam_find_operation(in->operation, &operation) ? sam_operator_of(operation, in->bf16) : NULL;
    if (!of || !of->apply)
        return NULL;
    uint16_t *words = arena_new_n(l->g->mem, uint16_t, TABLE_DOMAIN);
    const alu_constant *a = &in->constant[0], *b = &in->constant[1];
    for (uint32_t x = 0; x < TABLE_DOMAIN; x++)
        words[x] = sam_apply(of, a->given ? a->value : (uint16_t)x, b->given ? b->value : (uint16_t)x);
    return words;
}

/* Lowers an operation absent from the PE as tables, if its operand is one word and the tables fit. */
static onyx_node lower_table(lowering *l, sam_node h, alu_wanted *wanted) {
    const sam_node_data *s = sam_node_at(l->sam, h);
    const bool one = lowering_inputs_of(l->sam, h) == 1 && wanted->operands <= 2;
    const uint16_t *words = one ? tabulate(l, s, wanted) : NULL;
    table_form *form = arena_new(l->g->mem, table_form);
    uint32_t shapes = 0;
    if (!words)
        return lowering_refuse(l, h,
                               s->program ? "its function has a loop or is C of several values, which no PE "
                                            "runs: --engine sam does; or "
                                            "let a program repeat a statement of one pass (docs/programs.md)"
                                          : alu_alternative(wanted->operation));
    if (!table_find_form(words, form, &shapes))
        return lowering_refuse(
            l, h,
            arena_printf(
                l->g->mem,
                "as a table it has more than %u unlike rows and %d values, for which %d memory tiles have "
                "room: --engine sam, or a coarser function",
                shapes - 1, TABLE_LIST, TABLE_MOST_TILES));
    wanted->name = lowering_processing_name(l, s);
    const lowering_composed made = {h, table_make(l->g, wanted, form)};
    vec_push(l->g->mem, &l->composed, made);
    return made.made.result;
}

/* Lowers an operation without a PE: a quotient of bfloat16 streams, or a function of one word. */
static onyx_node lower_without_pe(lowering *l, sam_node h, alu_wanted *wanted) {
    const sam_node_data *s = sam_node_at(l->sam, h);
    if (s->program || !wanted->bf16 || strcmp(wanted->operation, "div") != 0 ||
        lowering_inputs_of(l->sam, h) != 2 || wanted->operands != 2)
        return lower_table(l, h, wanted);
    wanted->name = lowering_processing_name(l, s);
    const lowering_composed made = {h, quotient_make(l->g, wanted)};
    vec_push(l->g->mem, &l->composed, made);
    return made.made.result;
}

/* Reads the constants of an operation, and counts its operands. */
static bool read_operands(lowering *l, sam_node h, alu_wanted *wanted) {
    wanted->operands = lowering_inputs_of(l->sam, h);
    for (uint32_t port = 0; port < 3; port++) {
        const char *text = sam_alu_constant(l->sam, h, port);
        wanted->operands += text != NULL;
        if (text != NULL && port < 2 && !constant_operand(l, h, text, wanted->bf16, &wanted->constant[port]))
            return false;
    }
    return true;
}

onyx_node lower_alu(lowering *l, sam_node h) {
    const sam_node_data *s = sam_node_at(l->sam, h);
    const char *name = names_text(l->sam->names, s->alu);
    const bool prefixed = strncmp(name, "fp_", 3) == 0;
    alu_wanted wanted = {.operation = prefixed ? name + 3 : name, .bf16 = prefixed || s->fp, .loc = s->loc};
    const uint32_t takes = s->program ? 0 : operands_of(wanted.operation, wanted.bf16);
    if (!read_operands(l, h, &wanted))
        return (onyx_node){0};
    if (takes == 0)
        return lower_without_pe(l, h, &wanted);
    if (wanted.operands != takes) {
        diag_unmappable(l->d, s->loc, "E0412-alu-operands", "%s: Onyx takes %u %s here, not %u",
                        sam_node_label(l->sam, h, l->g->mem), takes, plural(takes, "operand", "operands"),
                        wanted.operands);
        diag_hint(l->d, "split it into operations of two operands");
        return (onyx_node){0};
    }
    if (strcmp(wanted.operation, "addhigh") == 0 && !is_in_range(l, h))
        return (onyx_node){0};
    wanted.name = lowering_processing_name(l, s);
    const lowering_composed made = {h, alu_make(l->g, &wanted)};
    if (made.made.result.v == 0)
        return lowering_refuse(l, h, alu_alternative(wanted.operation));
    vec_push(l->g->mem, &l->composed, made);
    return made.made.result;
}

onyx_node lower_dropper(lowering *l, sam_node h) {
    onyx_node node = lowering_add_processing(l, h, ONYX_CRDDROP);
    onyx_set(onyx_node_at(l->g, node), ONYX_SET_CRDDROP_CMRG_ENABLE, 1);
    onyx_set(onyx_node_at(l->g, node), ONYX_SET_CRDDROP_CMRG_STOP_LVL, 1);
    return node;
}

onyx_node lower_hold(lowering *l, sam_node h) {
    onyx_node node = lowering_add_processing(l, h, ONYX_CRDHOLD);
    onyx_set(onyx_node_at(l->g, node), ONYX_SET_CRDHOLD_CMRG_ENABLE, 1);
    onyx_set(onyx_node_at(l->g, node), ONYX_SET_CRDHOLD_CMRG_STOP_LVL, 1);
    return node;
}

onyx_node lower_repeat(lowering *l, sam_node h) {
    onyx_node node = lowering_add_processing(l, h, ONYX_REPEAT);
    lowering_set_root(l, node, ONYX_SET_REPEAT_ROOT, ONYX_PORT_REPEAT_PROC_DATA_IN,
                      sam_node_at(l->sam, h)->root);
    return node;
}

bool lower_lacks_pe(const sam_node_data *s, const name_table *names) {
    const char *name = s->kind == SAM_ALU ? names_text(names, s->alu) : "";
    const bool prefixed = strncmp(name, "fp_", 3) == 0;
    return s->kind == SAM_ALU && (s->program || !operands_of(prefixed ? name + 3 : name, prefixed || s->fp));
}

uint32_t lower_count_tables(const sam_graph *g, sam_node h) {
    arena scratch = {0};
    diagnostics quiet;
    uint32_t n = 0;
    diag_init(&quiet, &scratch);
    onyx_graph alone = {.mem = &scratch, .names = g->names};
    lowering l = {.sam = g, .d = &quiet, .g = &alone};
    lower_alu(&l, h);
    for (uint32_t i = 0; i < alone.nodes.len; i++)
        n += alone.nodes.at[i].table.n > 0;
    arena_free(&scratch);
    return n;
}

uint32_t lower_table_words(const sam_graph *g) {
    bool any = false;
    for (uint32_t n = 0; n < g->nodes.len; n++)
        any = any || lower_lacks_pe(&g->nodes.at[n], g->names);
    return any ? TABLE_SHARE : 0;
}
