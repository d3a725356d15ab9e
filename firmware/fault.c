/* The text of a fault record. */
#include "firmware/fault.h"
#include "firmware/fw_int.h"

static const char *const words[] = {
#define FW_FAULT_WORD(member, doc) #member,
#include "firmware/fault.def"
#undef FW_FAULT_WORD
};
_Static_assert(sizeof words / sizeof *words == sizeof(fw_fault_record) / 4, "fault.def");

/* Bits of the configurable fault status (ARM DDI 0403, B3.2.15). */
static const struct {
    uint32_t bit;
    const char *meaning;
} causes[] = {
    {0, "an instruction was fetched where nothing may be executed"},
    {1, "an access that the memory protection forbids: a null pointer, or the end of the stack"},
    {4, "an exception's registers met the memory protection: the end of the stack"},
    {8, "an instruction was fetched where nothing answers"},
    {9, "an access was refused by the bus"},
    {10, "an earlier store was refused by the bus: the program counter is behind the store"},
    {12, "no memory for an exception's registers"},
    {16, "an instruction that the processor does not have"},
    {17, "a branch to an even address"},
    {18, "an exception's return was damaged"},
    {19, "an instruction of a coprocessor"},
    {24, "an access that must be aligned is not"},
    {25, "a division by zero"},
};

void fw_note_fault(const fw_fault_record *r, diagnostics *d) {
    const uint32_t *value = (const uint32_t *)r;
    const char *text = "";
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) {
        if (r->cfsr >> causes[i].bit & 1)
            diag_note(d, (src_loc){0}, "%s", causes[i].meaning);
    }
    if (r->cfsr >> 15 & 1)
        diag_note(d, (src_loc){0}, "the refused address is 0x%08x", r->bfar);
    if (r->cfsr >> 7 & 1)
        diag_note(d, (src_loc){0}, "the forbidden address is 0x%08x", r->mmfar);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        text = arena_printf(d->mem, "%s%s%s %08x", text, i % 6 ? "  " : "\n  ", words[i], value[i]);
    diag_note(d, (src_loc){0}, "the processor's registers:%s", text);
}
