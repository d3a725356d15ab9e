/* sam.h - the Sparse Abstract Machine: the statement to compute, its dataflow graph, its DOT form, its checks
 * and rewrites, token streams, and a simulator.
 *
 * The statement (index notation) is declared here because both frontend/ and tiling/ read statements and
 * neither may include the other.
 */
#ifndef ONYX_SAM_H
#define ONYX_SAM_H

#include "sam/contents.h"
#include "sam/graph.h"
#include "sam/levels.h"
#include "sam/parse.h"
#include "sam/rewrite.h"
#include "sam/simulate.h"
#include "sam/statement.h"

#endif
