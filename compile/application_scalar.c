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

bool compile_wait_scalar(machine *m, compile_context *ctx, compile_stage_of *stage, const tile_tensor *value,
                         compile_left **left) {
    const fe_step *step = stage->step;
    const sam_statement *s = &step->statement;
    const sam_expr_data *root = sam_expr_at(s, s->rhs);
    const uint32_t n = m->a->program.tensors.len, result = fe_step_result(step);
    fw_item item = {{FW_CALC}};
    scalar a, b;
    bool *alive = arena_new_n(ctx->mem, bool, n + 1);
    memcpy(alive, stage->alive, n);
    alive[result] = false;
    if (!compile_is_calc(step, &item.word[0]) || !find_scalar(m, step, sam_expr_at(s, root->a), &a) ||
        !find_scalar(m, step, sam_expr_at(s, root->b), &b))
        return false;
    const uint32_t slot = compile_find_slot(m, NULL, alive, VALUE_BYTES);
    if (!a.on_chip && b.on_chip && item.word[0] != (FW_CALC | FW_CALC_SUB)) {
        const scalar first = a;
        a = b;
        b = first;
    }
    if (m->calc.len >= CALCS_MOST || slot + VALUE_BYTES > FW_SCRATCH_END - FW_SCRATCH_OFFSET ||
        (!a.on_chip && !put_first(m, &a, slot)))
        return false;
    item.word[0] |= b.on_chip ? 0 : FW_CALC_NUMBER;
    item.word[1] = FW_SCRATCH | slot;
    item.word[2] = a.place;
    item.word[3] = b.on_chip ? b.place : (uint32_t)b.value;
    uint8_t content[VALUE_BYTES];
    put_block(content, (int16_t)(value->nnz ? value->val[0] : value->fill));
    if (fw_calc(item.word[0] - FW_CALC, a.value, b.value) != content[2] + 256 * content[3])
        return false;
    compile_left *l = arena_new(ctx->mem, compile_left);
    const compile_image image = {.home = true,
                                 .put = {item.word[1], VALUE_BYTES, hash_bytes(content, VALUE_BYTES)}};
    vec_push(ctx->mem, &l->images, image);
    l->gone = true; /* no store has left it */
    compile_note_image(m, &image);
    compile_add_calc(m, &item);
    *left = l;
    return true;
}
