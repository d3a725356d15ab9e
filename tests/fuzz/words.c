/* Prints libFuzzer's dictionary of the DOT dialect: the primitives of the table, and the words that give them
 * meaning. */
#include "sam/sam.h"

int main(void) {
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
