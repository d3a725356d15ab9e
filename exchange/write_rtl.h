/* write_rtl.h - an exported kernel as RTL: its streams, and what the files about it share. */
#ifndef ONYX_EXCHANGE_WRITE_RTL_H
#define ONYX_EXCHANGE_WRITE_RTL_H

#include "bitstream/bits_verilog.h"
#include "exchange/exchange_int.h"
#include "exchange/write_placed.h"

/* A stream at the kernel's ports. */
typedef struct {
    const char *port, *tensor; /* "B_0_crd", "B" */
    int level;                 /* storage level; -1: values */
    bool output;
    uint32_t copy, column, blocks; /* the kernel's copy, the IO column, length-headed blocks of a run */
    const u16_vec *words;          /* of all runs */
} rtl_stream;
typedef VEC(rtl_stream) rtl_streams;

typedef struct {
    compile_context *ctx;
    const char *folder, *name; /* of the files; of the module */
    uint32_t runs;
    uint64_t cycles; /* of all runs */
    rtl_streams streams;
    bits_monitors monitors;
    text_vec sources; /* files of the library, in the order in which tools read them: "rtl/onyx_pkg.sv" */
    text_vec headers; /* files that they include */
} rtl_export;

/* Writes the files of a bench: its code, and the lists of files that it needs besides the kernel's. */
bool exchange_write_bench(const rtl_export *x, uint32_t bench);

#endif
