/* Statements of scalars in a loop of the chip's processor: one value of two, which it computes in its scratch
 * area. The host computes them, too, and what the processor makes is what it has found. */
#include "compile/move.h"
#include "compile/scalar.h"

enum {
    VALUE_BYTES = 4, /* a block of one value */
    CALCS_MOST = 64  /* that wait for a batch */
};

/* An operand: a place on the chip, or a number. */
typedef struct {
    bool on_chip;
    uint32_t place;
    int32_t value;
} scalar;

static int32_t value_of(const held *h) {
    return (int16_t)(h->t.nnz ? h->t.val[0] : h->t.fill);
}

/* Finds it; returns false where the chip alone has it otherwise than as one value. */
static bool find_scalar(const machine *m, const fe_step *step, const sam_expr_data *e, scalar *out) {
    *out = (scalar){.value = (int32_t)e->literal};
    if (e->kind != SAM_EXPR_ACCESS)
        return true;
    const held *h = &m->of[step->use[e->tensor.v - 1].shared];
    out->value = value_of(h);
    out->on_chip = h->left != NULL;
    return !h->left || compile_scalar_place(m, h, &out->place);
}

static void put_block(uint8_t *content, int32_t value) {
    const uint32_t word = (uint32_t)value << 16 | 1;
    for (uint32_t i = 0; i < VALUE_BYTES; i++)
        content[i] = (uint8_t)(word >> 8 * i);
}

/* Has the host put a value into the scratch area before the list. */
static bool put_first(machine *m, scalar *one, uint32_t slot) {
    uint8_t content[VALUE_BYTES];
    put_block(content, one->value);
    one->on_chip = true;
    one->place = FW_SCRATCH | slot;
    return compile_write_before(m, &(fw_segment){fw_place(&m->a->board, one->place), VALUE_BYTES, content});
}

/* One item, or two that follow each other. */
typedef struct {
    fw_item item[2];
    uint32_t n;
    uint16_t value; /* what comes of them */
} calc;

static void add_number(calc *c, uint32_t how, uint32_t to, uint32_t from, int32_t now, int32_t number) {
    c->item[c->n++] = (fw_item){{FW_CALC | FW_CALC_NUMBER | how, to, from, (uint32_t)number}};
    c->value = fw_calc(how, now, number);
}

/* Finds the items: a value that does not depend on what is on the chip is put into the scratch area by the
 * host, or made of anything there is, times 0. */
static calc find_items(machine *m, uint32_t what, scalar a, scalar b, bool alone, uint32_t slot) {
    const uint32_t to = FW_SCRATCH | slot;
    calc c = {.n = 0};
    if (!a.on_chip && b.on_chip && what == (FW_CALC | FW_CALC_SUB)) {
        add_number(&c, FW_CALC_MUL, to, b.place, b.value, -1);
        add_number(&c, FW_CALC_ADD, to, to, (int16_t)c.value, a.value);
        return c;
    }
    if (!a.on_chip && b.on_chip) {
        const scalar first = a;
        a = b;
        b = first;
    }
    if (!a.on_chip && (alone || !put_first(m, &a, slot))) {
        const int32_t value = alone ? a.value : (int16_t)fw_calc(what - FW_CALC, a.value, b.value);
        add_number(&c, FW_CALC_MUL, to, to, 0, 0);
        add_number(&c, FW_CALC_ADD, to, to, 0, value);
        return c;
    }
    c.n = 1;
    c.value = fw_calc(what - FW_CALC, a.value, b.value);
    c.item[0] = (fw_item){
        {what | (b.on_chip ? 0 : FW_CALC_NUMBER), to, a.place, b.on_chip ? b.place : (uint32_t)b.value}};
    return c;
}

bool compile_wait_scalar(machine *m, compile_context *ctx, compile_stage_of *stage, const tile_tensor *value,
                         compile_left **left) {
    const fe_step *step = stage->step;
    uint32_t what;
    sam_expr_data first, second;
    scalar a, b = {.value = 0};
    bool *alive = arena_new_n(ctx->mem, bool, m->a->places + 1);
    memcpy(alive, stage->alive, m->a->places);
    alive[stage->to] = false;
    if (!compile_is_calc(step, &what, &first, &second) || !find_scalar(m, step, &first, &a))
        return false;
    const bool alone = second.kind == SAM_EXPR_NONE;
    if (alone)
        what = FW_CALC | FW_CALC_ADD; /* of 0 */
    else if (!find_scalar(m, step, &second, &b))
        return false;
    const uint32_t slot = compile_find_slot(m, NULL, alive, VALUE_BYTES);
    if (m->calc.len >= CALCS_MOST || slot + VALUE_BYTES > FW_SCRATCH_END - FW_SCRATCH_OFFSET)
        return false;
    const calc c = find_items(m, what, a, b, alone, slot);
    uint8_t content[VALUE_BYTES];
    put_block(content, (int16_t)(value->nnz ? value->val[0] : value->fill));
    if (c.value != content[2] + 256 * content[3])
        return false;
    compile_left *l = arena_new(ctx->mem, compile_left);
    const compile_image image = {.home = true,
                                 .put = {FW_SCRATCH | slot, VALUE_BYTES, hash_bytes(content, VALUE_BYTES)}};
    vec_push(ctx->mem, &l->images, image);
    l->gone = true; /* no store has left it */
    compile_note_image(m, &image);
    for (uint32_t i = 0; i < c.n; i++)
        compile_add_calc(m, &c.item[i]);
    *left = l;
    return true;
}
