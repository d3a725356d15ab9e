/* relations.c - loops made of the variables of an expression: relations in sequence, each replacing a
 * variable. */
#include "frontend/language/relations.h"
#include "frontend/language/check.h"
#include "frontend/language/statement.h"

const fe_relation *fe_replacing(const fe_kernel *k, sam_var v) {
    for (uint32_t r = 0; r < k->relations.len; r++) {
        const fe_relation *relation = &k->relations.at[r];
        if (relation->var[0].v == v.v || (relation->kind == FE_FUSE && relation->var[1].v == v.v))
            return relation;
    }
    return NULL;
}

uint32_t fe_new_vars(const fe_relation *r, sam_var v[2]) {
    if (r->kind == FE_SPLIT || r->kind == FE_DIVIDE) {
        v[0] = r->var[1];
        v[1] = r->var[2];
        return 2;
    }
    v[0] = r->kind == FE_FUSE ? r->var[2] : r->var[1];
    return 1;
}

const fe_relation *fe_making(const fe_kernel *k, sam_var v) {
    for (uint32_t r = 0; r < k->relations.len; r++) {
        sam_var made[2];
        uint32_t n = fe_new_vars(&k->relations.at[r], made);
        if (made[0].v == v.v || (n == 2 && made[1].v == v.v))
            return &k->relations.at[r];
    }
    return NULL;
}

bool fe_is_position(const fe_kernel *k, sam_var v) {
    const fe_relation *r = fe_making(k, v);
    return r && (r->kind == FE_POS || fe_is_position(k, r->var[0]) ||
                 (r->kind == FE_FUSE && fe_is_position(k, r->var[1])));
}

uint64_t fe_roots_of(const fe_kernel *k, sam_var v) {
    const fe_relation *r = fe_making(k, v);
    if (!r)
        return (uint64_t)1 << (v.v - 1);
    uint64_t roots = fe_roots_of(k, r->var[0]);
    return r->kind == FE_FUSE ? roots | fe_roots_of(k, r->var[1]) : roots;
}

static uint32_t divided(uint32_t n, uint32_t by) {
    return n / by + (n % by != 0);
}

uint32_t fe_known_extent(const fe_kernel *k, sam_var v) {
    const fe_relation *r = fe_making(k, v);
    if (!r)
        return sam_var_at(&k->s, v)->extent;
    uint32_t whole = fe_known_extent(k, r->var[0]);
    bool outer = r->var[1].v == v.v;
    switch (r->kind) {
    case FE_SPLIT:
        return outer ? divided(whole, r->number) : r->number;
    case FE_DIVIDE:
        if (!whole)
            return outer ? r->number : 0;
        return outer ? divided(whole, divided(whole, r->number)) : divided(whole, r->number);
    case FE_FUSE:
        return whole * fe_known_extent(k, r->var[1]);
    case FE_BOUND:
        return r->bound == FE_MAX_EXACT ? r->number : whole;
    case FE_POS:
        break;
    }
    return 0;
}

static sam_var new_subloop(fe_kernel *k, sam_var of, const char *suffix) {
    const char *base = arena_printf(k->s.mem, "%s%s", fe_var_text(&k->s, of), suffix);
    vec_push(
        k->s.mem, &k->s.vars,
        ((sam_var_data){.name = fe_fresh_name(&k->s, base, k->s.mem), .loc = sam_var_at(&k->s, of)->loc}));
    return (sam_var){k->s.vars.len};
}

void fe_split_loop(fe_kernel *k, sam_var v, uint32_t size) {
    const uint32_t at = fe_loop_position(&k->s, v);
    fe_relation r = {.kind = FE_SPLIT, .loc = sam_var_at(&k->s, v)->loc, .var = {v}, .number = size};
    r.var[1] = new_subloop(k, v, "0");
    r.var[2] = new_subloop(k, v, "1");
    vec_push(k->s.mem, &k->relations, r);
    vec_push(k->s.mem, &k->s.loops, r.var[2]);
    memmove(k->s.loops.at + at + 2, k->s.loops.at + at + 1, (k->s.loops.len - at - 2) * sizeof r.var[0]);
    k->s.loops.at[at] = r.var[1];
    k->s.loops.at[at + 1] = r.var[2];
}

#define REQUIRE(condition, loc, ...) FE_REQUIRE("E0150-cin", condition, loc, __VA_ARGS__)

bool fe_check_relation(const fe_kernel *k, const fe_relation *r, uint64_t *open, uint64_t *known,
                       diagnostics *d) {
    sam_var made[2];
    uint32_t n = fe_new_vars(r, made), replaced = r->kind == FE_FUSE ? 2 : 1;
    REQUIRE(r->kind >= FE_SPLIT && r->kind <= FE_BOUND, r->loc, "a relation of no kind");
    for (uint32_t i = 0; i < replaced; i++) {
        uint64_t bit = (uint64_t)1 << (r->var[i].v - 1);
        REQUIRE(*open & bit, r->loc, "'%s' is no variable that can be replaced here",
                fe_var_text(&k->s, r->var[i]));
        *open &= ~bit;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint64_t bit = (uint64_t)1 << (made[i].v - 1);
        REQUIRE(!(*known & bit), r->loc, "'%s' is not new", fe_var_text(&k->s, made[i]));
        *known |= bit;
        *open |= bit;
    }
    bool sized =
        r->kind == FE_SPLIT || r->kind == FE_DIVIDE || (r->kind == FE_BOUND && r->bound == FE_MAX_EXACT);
    REQUIRE(!sized || r->number > 0, r->loc, "a loop without iterations");
    return true;
}
