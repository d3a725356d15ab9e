/* What a schedule has to say for a match: tags that follow, and map; kernels of bitstreams. */
#include "frontend/functions/mapping.h"
#include "frontend/functions/match_int.h"
#include "frontend/language/relations.h"
#include "frontend/language/statement.h"

/* Returns whether the values come only from sums and products: other operations, such as masks, depend on the
 * stored places, and zeros of a symmetric operand may be stored on one side only. */
static bool is_polynomial(const sam_statement *s, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(s, e);
    return x->kind != SAM_EXPR_CALL && x->kind != SAM_EXPR_DIV && !x->operation &&
           (!x->a.v || is_polynomial(s, x->a)) && (!x->b.v || is_polynomial(s, x->b));
}

/* Returns whether a kernel is unchanged by exchanging the two indices of its result: its expression with
 * exchanged indices matches itself. No sum of bf16 then changes its order. */
static bool is_symmetric(const fe_kernel *k, arena *mem) {
    const sam_statement *s = &k->s;
    fe_matcher m = {.k = k, .p = s, .s = s, .mem = mem, .level = FE_INDICES, .mirrors = true};
    const sam_var a = s->result_index[0], b = s->result_index[1];
    if (sam_tensor_at(s, s->result)->order != 2 || a.v == b.v || s->vars.len > FE_MOST_VARS)
        return false;
    m.turns = is_polynomial(s, s->rhs);
    for (uint32_t v = 1; v <= s->vars.len && !s->integers; v++)
        m.now.var[v - 1] = v;
    m.now.var[a.v - 1] = b.v;
    m.now.var[b.v - 1] = a.v;
    return fe_solve(&m, fe_match_pair(&m, s->rhs, s->rhs, NULL));
}

/* Returns whether a rule matches a kernel's computation, with the result's indices in the same order. */
static bool follows(const fe_kernel *k, const fe_user_function *rule, arena *mem) {
    sam_binding by;
    const sam_statement *p = &rule->described->states.s;
    bool is =
        !rule->other_type && k->s.vars.len <= FE_MOST_VARS && fe_match(k, rule, mem, &by).step == FE_MATCHED;
    for (uint32_t l = 0; is && l < sam_tensor_at(p, p->result)->order; l++)
        is = by.var[p->result_index[l].v - 1].v == k->s.result_index[l].v;
    return is;
}

/* State of the search for a binding's workspaces. */
typedef struct {
    const fe_kernel *reads;
    fe_binding all, *said;
    arena *mem;
} deriving;

static void add_tag(deriving *t, const sam_statement *s, const char *tag) {
    const fe_binding_note note = {
        .kind = FE_TAGGED, .tensor = sam_tensor_at(s, s->result)->name, .tag = names_intern(s->names, tag)};
    vec_push(t->mem, &t->all.notes, note);
    if (fe_find_tensor(&t->reads->s, note.tensor).v)
        vec_push(t->mem, &t->said->notes, note);
}

void fe_derive_tags(const fe_cin *cin, const fe_kernel *reads, const fe_functions *rules, arena *mem,
                    fe_binding *said) {
    deriving t = {.reads = reads, .said = said, .mem = mem};
    for (uint32_t i = 0; i < said->notes.len; i++) {
        if (said->notes.at[i].kind == FE_TAGGED)
            vec_push(mem, &t.all.notes, said->notes.at[i]);
    }
    for (uint32_t n = 0; n + 1 < cin->kernels.len; n++) {
        fe_kernel k = cin->kernels.at[n];
        k.binding = (fe_binding){.notes = t.all.notes};
        if (is_symmetric(&k, mem))
            add_tag(&t, &k.s, FE_SYMMETRIC);
        for (uint32_t i = 0; rules && i < rules->all.len; i++) {
            const fe_user_function *f = &rules->all.at[i];
            if (f->described && f->described->rule && follows(&k, f, mem))
                add_tag(&t, &k.s, f->described->rule);
        }
    }
}

static void note_promotions(const fe_matcher *m, fe_kernel *k) {
    for (uint32_t t = 1; t < m->p->tensors.len; t++) {
        const sam_expr_data *x = sam_expr_at(m->s, m->now.operand[t]);
        for (uint32_t place = 0; x->kind == SAM_EXPR_ACCESS && place < SAM_MAX_ORDER; place++) {
            if (m->now.ones[t] >> place & 1)
                vec_push(m->mem, &k->binding.notes,
                         ((fe_binding_note){.kind = FE_PROMOTED,
                                            .tensor = sam_tensor_at(m->s, x->tensor)->name,
                                            .position = place}));
        }
    }
}

/* Stores the match in a kernel if valid. */
static bool say(const fe_matcher *m, const fe_user_function *f, fe_kernel *k) {
    fe_kernel as = *k;
    sam_binding unused;
    fe_copy_statement(&k->s, k->s.mem, &as.s);
    as.binding.notes.at = NULL;
    as.binding.notes.len = as.binding.notes.cap = 0;
    for (uint32_t i = 0; i < k->binding.notes.len; i++) {
        if (k->binding.notes.at[i].kind == FE_TAGGED)
            vec_push(m->mem, &as.binding.notes, k->binding.notes.at[i]);
    }
    note_promotions(m, &as);
    for (uint32_t p = 0; p < m->p->vars.len; p++) {
        if (m->tile[p] && m->now.var[p] != FE_ONE && k->s.vars.len + 2 <= FE_MOST_VARS)
            fe_split_loop(&as, (sam_var){m->now.var[p]}, m->tile[p]);
    }
    if (fe_match(&as, f, m->mem, &unused).step != FE_MATCHED)
        return false;
    *k = as;
    return true;
}

fe_mismatch fe_find_mapping(fe_kernel *k, const fe_user_function *f, arena *mem) {
    const uint64_t vars = fe_result_vars(&k->s);
    fe_mismatch best = {0};
    const fe_kernel given = *k;
    for (int fixed = 0; fixed <= __builtin_popcountll(vars); fixed++) {
        for (uint64_t some = vars;; some = (some - 1) & vars) {
            for (int promotes = 0; promotes < 2 && __builtin_popcountll(some) == fixed; promotes++) {
                *k = given;
                k->binding.fixed |= some;
                fe_matcher m = fe_matcher_of(k, f, mem);
                m.promotes = promotes;
                m.sizes = true;
                const fe_mismatch what = fe_judge(&m);
                if (what.step == FE_MATCHED && say(&m, f, k))
                    return what;
                best = what.step > best.step && what.step != FE_MATCHED ? what : best;
            }
            if (!some)
                break;
        }
    }
    *k = given;
    return best;
}

/* Puts a tensor of the function in place of one of the kernel's. A second operand of the same tensor is a
 * view, since its storage may differ. */
static void stand_for(sam_statement *s, sam_tensor at, const sam_tensor_data *as) {
    const sam_tensor_data stated = *sam_tensor_at(s, at);
    sam_tensor_data *data = sam_tensor_at(s, at);
    const name_id source = sam_stored_name(as);
    bool again = false;
    for (uint32_t t = 1; t < at.v; t++)
        again = again || name_eq(s->tensors.at[t - 1].name, as->name);
    *data = *as;
    memcpy(data->level, stated.level, sizeof data->level);
    memcpy(data->mode, stated.mode, sizeof data->mode);
    data->blocked = false;
    if (!again)
        return;
    data->name = fe_copy_name(s, as->name);
    if (as->view.source.v)
        return;
    data->view = (sam_view){.source = source, .source_order = as->order};
    for (uint32_t m = 0; m < as->order; m++) {
        data->view.from[m].mode = data->view.equal[m] = (uint8_t)m;
        data->view.from[m].divide = 1;
    }
}

sam_tensor fe_as_stated(const fe_kernel *k, const sam_binding *by, arena *mem, fe_kernel *out) {
    const sam_statement *p = by->pattern, *s = &k->s;
    sam_tensor other = {0};
    *out = (fe_kernel){.ordered = true, .binding = k->binding};
    fe_copy_statement(p, mem, &out->s);
    for (uint32_t v = 0; v < p->vars.len; v++)
        out->s.vars.at[v] = *sam_var_at(s, by->var[v]);
    for (uint32_t t = 1; t <= p->tensors.len; t++) {
        const sam_tensor of = t == p->result.v ? s->result : sam_expr_at(s, by->operand[t - 1])->tensor;
        const uint16_t fill = p->tensors.at[t - 1].fill;
        stand_for(&out->s, (sam_tensor){t}, sam_tensor_at(s, of));
        other = other.v || sam_tensor_at(s, of)->fill == fill ? other : of;
    }
    return other;
}
