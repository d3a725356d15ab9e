/* serve_int.h - clients of onyx-cosim --jtag, served singly: for serve.c and for tests without listening
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

/* No client; the machine is as machine_create left the machine. */
void serve_begin(server *s, machine *m);
/* Takes a client's input and answers; hangs up at its end. May wait for the rest of a request at the back
 * door, and until the client takes the answers. */
void serve_jtag(server *s);
/* Prints new collisions in the global buffer as warnings. */
void serve_collisions(server *s);
void serve_back_door(server *s);

#endif
