/* elf.c - loads a program as a debugger would: every loadable segment to its physical address. */
#include <elf.h>

#include "rtl_models/soc/machine_memory.h"
#include "rtl_models/soc/session.h"

static bool refuse(const char *path, const char *what, diagnostics *d) {
    diag_error(d, (src_loc){0}, "E0751-elf", "'%s' is not a program for this processor: %s", path, what);
    diag_hint(d, "a 32-bit little-endian Arm ELF file is wanted, such as app.elf");
    return false;
}

static bool load_segment(machine *m, const Elf32_Phdr *p, const char *text, size_t length, const char *path,
                         diagnostics *d) {
    if (p->p_offset > length || p->p_filesz > length - p->p_offset)
        return refuse(path, "a segment lies outside the file", d);
    if (machine_load(m, p->p_paddr, text + p->p_offset, p->p_filesz))
        return true;
    diag_error(d, (src_loc){0}, "E0752-elf-address",
               "'%s': %u bytes at 0x%08x are not inside any memory of the board", path, (unsigned)p->p_filesz,
               (unsigned)p->p_paddr);
    diag_hint(d, "build the program for this board");
    return false;
}

bool cosim_load_elf(machine *m, const char *path, arena *mem, diagnostics *d) {
    size_t length;
    const char *text = file_read(path, mem, &length, d);
    Elf32_Ehdr head;
    if (!text)
        return false;
    if (length < sizeof head)
        return refuse(path, "too short", d);
    memcpy(&head, text, sizeof head);
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS32 ||
        head.e_ident[EI_DATA] != ELFDATA2LSB || head.e_machine != EM_ARM)
        return refuse(path, "wrong kind of file", d);
    if (head.e_phentsize != sizeof(Elf32_Phdr) || head.e_phoff > length ||
        head.e_phnum > (length - head.e_phoff) / sizeof(Elf32_Phdr))
        return refuse(path, "its table of segments is damaged", d);
    for (uint32_t i = 0; i < head.e_phnum; i++) {
        Elf32_Phdr p;
        memcpy(&p, text + head.e_phoff + i * sizeof p, sizeof p);
        if (p.p_type == PT_LOAD && p.p_filesz && !load_segment(m, &p, text, length, path, d))
            return false;
    }
    return true;
}
