/* sim_step.h - shared by the units' step functions. Private to sim_*.c. */
#ifndef ONYX_SAM_SIM_STEP_H
#define ONYX_SAM_SIM_STEP_H

#include "sam/sim_int.h"

static inline void sim_emit(sim_machine *m, const sim_unit *u, uint32_t port, sim_token t) {
    if (port >= u->n_out)
        return; /* nobody listens */
    const sim_output *out = &u->out[port];
    for (uint32_t i = 0; i < out->n; i++) {
        sim_queue *q = out->to[i];
        sim_push(m->mem, q, t);
        *q->ready |= q->ready_bit;
    }
}

static inline void sim_finish(sim_machine *m, sim_unit *u) {
    u->done = true;
    if (!m->has_writers || sim_is_writer(u->kind))
        m->unfinished--;
}

/* Records that the unit has moved past t; at the end of its streams the unit is done. Always returns true. */
static inline bool sim_passed(sim_machine *m, sim_unit *u, sim_token t) {
    if (t == SIM_DONE)
        sim_finish(m, u);
    return true;
}

/* Makes a writer take its next token and keep it; "nothing" is a 0. Always returns true. */
static inline bool sim_record(sim_machine *m, sim_unit *u) {
    sim_token t = sim_pop(u->in[0]);
    if (t != SIM_DONE)
        vec_push(m->mem, &u->s.write.tokens, t == SIM_EMPTY ? 0 : t);
    return sim_passed(m, u, t);
}

/* Reports E0231-stream: the unit met a token it cannot take, since the streams do not fit together. Always
 * returns true: the unit is stopped. */
bool sim_refuse(sim_machine *m, const sim_unit *u, const char *why);

/* Moves a joiner with all operands at the same control token: the token passes to the coordinates and
 * references. Of several stops the least hollow one passes, since any operand's open fiber is open in the
 * result. Returns the passed token; SIM_EMPTY after sim_refuse. */
sim_token sim_join_control(sim_machine *m, sim_unit *u);

#endif
