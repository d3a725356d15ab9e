/* Any bytes as a program for the co-simulated chip: refused, or every segment lies at its address, unless
 * covered by a later segment. */
#include <elf.h>

#include "rtl_models/soc/machine_memory.h"
#include "rtl_models/soc/session.h"
#include "tests/fuzz/fuzz.h"

static machine *the_machine(void) {
    static fuzz_run once;
    static machine *m;
    static pnr_board board;
    if (!m) {
        fuzz_begin(&once);
        FUZZ_CHECK(&once, pnr_board_read("onyx-8x8", &once.mem, &once.diag, &board));
        m = cosim_machine(&board, (cosim_chip){0}, NULL, &once.diag);
        FUZZ_CHECK(&once, m);
    }
    return m;
}

static void check_last(fuzz_run *r, const uint8_t *data, size_t size) {
    Elf32_Ehdr head;
    Elf32_Phdr last = {0};
    memcpy(&head, data, sizeof head);
    for (uint32_t i = 0; i < head.e_phnum; i++) {
        Elf32_Phdr p;
        FUZZ_CHECK(r, (uint64_t)head.e_phoff + (i + 1) * sizeof p <= size);
        memcpy(&p, data + head.e_phoff + i * sizeof p, sizeof p);
        if (p.p_type == PT_LOAD && p.p_filesz)
            last = p;
    }
    uint8_t *there = arena_alloc(&r->mem, last.p_filesz);
    FUZZ_CHECK(r, (uint64_t)last.p_offset + last.p_filesz <= size);
    FUZZ_CHECK(r, !last.p_filesz || (machine_dump(the_machine(), last.p_paddr, there, last.p_filesz) &&
                                     memcmp(there, data + last.p_offset, last.p_filesz) == 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_run r;
    fuzz_begin(&r);
    bool ok = cosim_load_elf(the_machine(), fuzz_file(&r, ".elf", data, size), &r.mem, &r.diag);
    fuzz_answer(&r, ok);
    if (ok)
        check_last(&r, data, size);
    arena_free(&r.mem);
    return 0;
}
