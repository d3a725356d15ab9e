/* Prints libFuzzer's dictionary of the DOT dialect: the primitives of the table, and the attributes. With the
 * argument `commands`, the dictionary of batch files: the opcodes of a list's commands. */
#include "firmware/commands.h"
#include "sam/sam.h"

static void print_word(uint32_t word) {
    putchar('"');
    for (uint32_t i = 0; i < 32; i += 8)
        printf("\\x%02x", word >> i & 255);
    puts("\"");
}

static void print_commands(void) {
#define FW_COMMAND(command, opcode, bits, doc) print_word(opcode);
#define FW_FIELD(command, field, word, low, bits, kind, doc)
#define FW_COMMAND_END(command)
#include "firmware/commands.def"
#undef FW_COMMAND
#undef FW_FIELD
#undef FW_COMMAND_END
    print_word(FW_COMMAND_LIST);
    print_word(FW_SCRATCH);
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "commands") == 0) {
        print_commands();
        return 0;
    }
    static const char *const words[] = {
        "digraph", "comment=",   "label=",       "type=",  "index=", "tensor=", "mode=",  "vals", "format=",
        "dense",   "compressed", "root=",        "true",   "false",  "outer=",  "inner=", "sub=", "const0=",
        "const1=", "src_port=",  "dst_port=",    "crd",    "ref",    "val",     "repsig", "in-",  "out-",
        "outer-",  "inner-",     "accum_index=", "order=", "in0=",   "fp_",     "add",    "mul",  "none",
        "X=ss01",  "->",         "rb_const=",    "depth=", "width=", "op=",     "empty=", "drop", "bv",
        "skip",    "skip-",      "relu",         "exp"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        printf("\"%s\"\n", words[i]);
    for (int k = SAM_NONE + 1; k < SAM_PRIMITIVES; k++)
        if (*sam_primitive_table[k].type)
            printf("\"%s\"\n", sam_primitive_table[k].type);
    return 0;
}
