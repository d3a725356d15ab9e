/* serve_int.h - clients of onyx-cosim --jtag, one by one: for serve.c and for tests without listening
 * sockets.
 */
#ifndef ONYX_COSIM_SERVE_INT_H
#define ONYX_COSIM_SERVE_INT_H

#include "rtl_models/soc/debug.h"
#include "rtl_models/soc/jtag.h"
#include "rtl_models/soc/serve.h"

typedef struct {
    int listener, client; /* -1: none */
    const char *path;     /* of a UNIX socket; removed at the end */
} serve_door;

typedef struct {
    machine *m;
    debug_unit debug;
    jtag_port port;
    bool tck, srst;
    serve_door jtag, back;
    size_t collisions; /* that were printed */
} server;

/* Nobody is connected; the machine is as machine_create left it. */
void serve_begin(server *s, machine *m);
/* Takes what has come from a client and answers; hangs up when it has ended. May wait for the rest of a
 * request at the back door, and until the client takes the answers. */
void serve_jtag(server *s);
/* Prints the collisions in the global buffer that have come since, as warnings. */
void serve_collisions(server *s);
void serve_back_door(server *s);

#endif
