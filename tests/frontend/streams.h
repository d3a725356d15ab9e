/* streams.h - runs a SAM graph on whole streams, without time: each node maps its complete input streams to
 * its complete output streams. An oracle for lowered graphs, independent of the simulator of sam/. Writers
 * and coordinate droppers behave as the chip's: a run of stops closes one segment, and a dropped fiber
 * vanishes with its stop.
 *
 * A graph that meets streams that do not fit fails the test with the node's number.
 */
#ifndef ONYX_TESTS_STREAMS_H
#define ONYX_TESTS_STREAMS_H

#include "sam/sam.h"

typedef enum { TOKEN_DATA, TOKEN_STOP, TOKEN_DONE, TOKEN_EMPTY } token_kind;
typedef struct {
    token_kind kind;
    uint32_t v; /* the datum, or the level of the stop */
} token;
typedef VEC(token) tokens;

/* Streams of the writers of a tensor. */
typedef struct {
    u32_vec seg[SAM_MAX_ORDER], crd[SAM_MAX_ORDER]; /* by storage level */
    u32_vec vals;
} written;

void run_streams(const sam_graph *g, const sam_tensor_levels *operands, uint32_t n_operands, arena *mem,
                 written *out);

#endif
