/* passes.h - the passes of a statement (passes.def), and the loop over the passes. */
#ifndef ONYX_COMPILE_PASSES_H
#define ONYX_COMPILE_PASSES_H

#include "compile/compile.h"
#include "kernel/folder.h"
#include "kernel/prebuilt.h"

/* State shared by the passes, besides the kernels. */
typedef struct {
    const compile_options *o; /* of the statement; in a pass of a kernel, the kernel's own */
    compile_context *ctx;
    bool chip;                 /* false: a graph alone is wanted */
    bool graph;                /* the statement comes from a .gv file */
    compile_kernel *all;       /* the last kernel; the kernels before are its producers */
    compile_kernel *k;         /* the kernel, in a pass of a kernel */
    fe_in in;                  /* of the frontend */
    compile_schedule schedule; /* the kernels as loops */
    bool bound;                /* some to functions */
    onyx_graph *primitives;    /* of k */
    netlist one;               /* a copy of k */
} compile_passing;

/* Returns the options of a kernel; for a prebuilt bitstream the options of its build. */
static inline const compile_options *compile_options_of(const compile_options *o, const compile_kernel *k) {
    return k->prebuilt ? &k->prebuilt->options : o;
}
/* Returns where in a folder of the program the files of the statement belong. */
static inline const char *compile_home_of(const compile_options *o, compile_context *ctx,
                                          const char *folder) {
    return o->asked.within && folder ? compile_kernel_folder(folder, o->asked.within, ctx->mem) : folder;
}

#define PASS(name, ...)                                                                                      \
    bool pass_run_##name(compile_passing *p);                                                                \
    bool pass_check_##name(const compile_passing *p);
#include "compile/passes.def"
#undef PASS

/* Goes through the passes. */
bool compile_go_through(compile_passing *p);

#endif
