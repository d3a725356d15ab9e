/* cin_expression.c - concrete index notation as an expression and a schedule: the sums of the loops are
 * written out, and the relations, the order and the copies of the loops are commands. */
#include "frontend/brought.h"
#include "frontend/cin_dump.h"
#include "frontend/program_int.h"

bool fe_cin_expression(const char *path, const char *text, arena *mem, diagnostics *d,
                       const char **expression, const char **schedule) {
    fe_cin cin;
    name_table names;
    names_init(&names, mem);
    const fe_reader in = fe_read(path, text, d);
    if (!fe_cin_read(in, &names, mem, d, &cin))
        return false;
    const fe_kernel *k = &cin.kernels.at[0];
    if (cin.kernels.len > 1 || k->on_host) {
        diag_error(d, in.token.loc, "E0150-cin", "this is %s, and a file has one kernel of the array",
                   k->on_host ? "a kernel of the host" : "several kernels");
        diag_hint(d, "an expression and -s \"precompute(e,{i},{iw},w)\" make several kernels");
        return false;
    }
    const char *result = fe_access_text(&k->s, k->s.result, k->s.result_index, mem);
    *expression = arena_printf(mem, "%s = %s", result, fe_expr_text(k, k->s.rhs, mem));
    *schedule = fe_kernel_schedule(k, mem);
    return true;
}
