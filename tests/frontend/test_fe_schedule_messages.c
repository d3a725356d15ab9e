/* frontend/: the message for each mistake in a schedule, word for word. */
#include "tests/frontend/scheduled.h"

/* The complete messages of a schedule refused by application or lowering. */
static void refuse(fixture *f, const char *expression, const char *schedule, const char *expected) {
    sam_statement s;
    fe_cin cin;
    scheduled_kernel out;
    fe_case c = {.expression = expression, .schedule = schedule};
    diag_init(&f->diag, &f->mem);
    bool ok = fe_case_schedule(f, &c, &s, &cin);
    for (uint32_t n = 0; ok && n < cin.kernels.len; n++)
        ok = scheduled_lower(f, &cin.kernels.at[n], &out);
    if (ok)
        fail_msg("accepted: %s", schedule);
    assert_string_equal(fixture_printed(f), expected);
}

static void mistakes_are_answered(void **state) {
    static const struct {
        const char *expression, *schedule, *answer;
    } mistake[] = {
        {spmv, "reorder(i,k)",
         "<schedule>:1:11: error: the expression has no index variable 'k' [E0114-schedule-variable]\n"
         "    reorder(i,k)\n"
         "              ^\n"
         "    help: its variables are i, j\n"},
        {spmv, "reorder(i,i)",
         "<schedule>:1:11: error: 'i' is listed twice [E0114-schedule-variable]\n"
         "    reorder(i,i)\n"
         "              ^\n"},
        {spmv, "reorder i,j",
         "<schedule>:1:9: error: expected '(', found 'i' [E0102-syntax]\n"
         "    reorder i,j\n"
         "            ^\n"
         "    help: write reorder(i,j,...)\n"},
        {spmv, "reorder(i,j",
         "<schedule>:1:12: error: expected ',' or ')', found the end [E0102-syntax]\n"
         "    reorder(i,j\n"
         "               ^\n"
         "    help: write reorder(i,j,...)\n"},
        {spmv, "reorder(i,)",
         "<schedule>:1:11: error: expected an index variable, found ')' [E0102-syntax]\n"
         "    reorder(i,)\n"
         "              ^\n"
         "    help: write reorder(i,j,...)\n"},
        {spmv, "(i,j)",
         "<schedule>:1:1: error: expected a scheduling command such as reorder(i,j), found '(' "
         "[E0102-syntax]\n"
         "    (i,j)\n"
         "    ^\n"},
        {spmv, "interchange(i,j)",
         "<schedule>:1:1: error: unknown scheduling command 'interchange' [E0113-schedule-command]\n"
         "    interchange(i,j)\n"
         "    ^~~~~~~~~~~\n"
         "    help: the commands are reorder, split, divide, pos, fuse, precompute, bind, map, fix, "
         "promote, tag, bound, unroll, parallelize, assemble, accelerate, sPromote, communicate, "
         "environment\n"},
        {spmv, "environment(warps,16)",
         "<schedule>:1:13: error: 'warps' is nothing of this chip's environment [E0179-environment]\n"
         "    environment(warps,16)\n"
         "                ^~~~~\n"
         "    help: there are unroll (copies, --unroll), tile and, along loop i, tile_i or tileI (edges of "
         "sub-tiles, "
         "--tile); banks, fifo, innerPar, outerPar, joiner, clock and bp are read and change nothing\n"},
        {spmv, "assemble(x,insert)",
         "<schedule>:1:12: error: expected Insert or Append, found 'insert' [E0102-syntax]\n"
         "    assemble(x,insert)\n"
         "               ^~~~~~\n"
         "    help: write assemble(X,Insert)\n"},
        {spmv, "assemble(B,Insert)",
         "<schedule>:1:10: error: 'B' is not the result [E0103-unknown-tensor]\n"
         "    assemble(B,Insert)\n"
         "             ^\n"},
        {spmv, "reorder(i,j), split(i,i0,j,4)",
         "<schedule>:1:26: error: 'j' is in use already [E0140-new-name]\n"
         "    reorder(i,j), split(i,i0,j,4)\n"
         "                             ^\n"
         "    help: choose a name that the expression and the schedule do not have\n"},
        {spmv, "split(i,row_block,row_block,4)",
         "<schedule>:1:19: error: 'row_block' is in use already [E0140-new-name]\n"
         "    split(i,row_block,row_block,4)\n"
         "                      ^~~~~~~~~\n"
         "    help: choose a name that the expression and the schedule do not have\n"},
        {spmv, "split(i,i0,i1,0)",
         "<schedule>:1:15: error: 0 is no whole number from 1 to 65535 [E0142-number]\n"
         "    split(i,i0,i1,0)\n"
         "                  ^\n"},
        {spmv, "split(i,i0,i1,2.5)",
         "<schedule>:1:15: error: 2.5 is no whole number from 1 to 65535 [E0142-number]\n"
         "    split(i,i0,i1,2.5)\n"
         "                  ^~~\n"},
        {spmv, "split(i,i0,i1,n)",
         "<schedule>:1:15: error: expected a whole number, found 'n' [E0102-syntax]\n"
         "    split(i,i0,i1,n)\n"
         "                  ^\n"},
        {spmv, "split(i,i0,i1)",
         "<schedule>:1:14: error: expected ',', found ')' [E0102-syntax]\n"
         "    split(i,i0,i1)\n"
         "                 ^\n"
         "    help: write split(i,i0,i1,size)\n"},
        {spmv, "split(i,i0,i1,4), reorder(i,j)",
         "<schedule>:1:27: error: 'i' is no loop any more [E0141-replaced-loop]\n"
         "    split(i,i0,i1,4), reorder(i,j)\n"
         "                              ^\n"
         "    help: the loops are now i0, i1, j\n"
         "<schedule>:1:1: note: this replaced it\n"
         "    split(i,i0,i1,4), reorder(i,j)\n"
         "    ^~~~~\n"},
        {spmv, "split(k,k0,k1,4)",
         "<schedule>:1:7: error: the expression has no index variable 'k' [E0114-schedule-variable]\n"
         "    split(k,k0,k1,4)\n"
         "          ^\n"
         "    help: its variables are i, j\n"},
        {spmv, "divide(i,i0,i1,4)",
         "<schedule>:1:1: error: dividing loop 'i' by 4 needs to know its extent [E0147-bound]\n"
         "    divide(i,i0,i1,4)\n"
         "    ^~~~~~\n"
         "    help: say it with -d i:N or bound(i,ib,N,MaxExact), or split it into parts of a size\n"},
        {spmm, "split(i,i0,i1,6), split(i1,a,b,4)",
         "<schedule>:1:1: does not fit: its inner loop is split again, into parts that do not divide its "
         "size [E0149-not-lowered]\n"
         "    split(i,i0,i1,6), split(i1,a,b,4)\n"
         "    ^~~~~\n"
         "    help: use a size that is a multiple of 4\n"},
        {"x = sum(i, b(i) + 2)", "split(i,i0,i1,4)",
         "<schedule>:1:1: does not fit: the sum over this loop has a value where no operand does, so padding "
         "would change it [E0149-not-lowered]\n"
         "    split(i,i0,i1,4)\n"
         "    ^~~~~\n"
         "<expression>:1:5: note: the sum\n"
         "    x = sum(i, b(i) + 2)\n"
         "        ^~~~~~~~~~~~~~~~\n"},
        {spmv, "pos(j,jp,D)",
         "<schedule>:1:10: error: the expression has no operand 'D' [E0103-unknown-tensor]\n"
         "    pos(j,jp,D)\n"
         "             ^\n"},
        {spmv, "pos(j,jp,x)",
         "<schedule>:1:10: error: the expression has no operand 'x' [E0103-unknown-tensor]\n"
         "    pos(j,jp,x)\n"
         "             ^\n"},
        {spmv, "split(j,j0,j1,4), pos(j1,jp,B)",
         "<schedule>:1:19: error: loop 'j1' is a part of another: it has no positions [E0148-position]\n"
         "    split(j,j0,j1,4), pos(j1,jp,B)\n"
         "                      ^~~\n"
         "    help: use pos before the other commands\n"},
        {plus, "pos(j,jp,B)",
         "<schedule>:1:10: error: loop 'j' reaches coordinates that B does not store, so its positions are "
         "not enough [E0148-position]\n"
         "    pos(j,jp,B)\n"
         "             ^\n"
         "    help: only a loop over a product has the positions of one of its factors\n"},
        {spmv, "pos(j,jp,E)",
         "<schedule>:1:10: error: the expression has no operand 'E' [E0103-unknown-tensor]\n"
         "    pos(j,jp,E)\n"
         "             ^\n"},
        {spmm, "reorder(i,j,k), fuse(i,k,f)",
         "<schedule>:1:17: error: loop 'k' is not directly inside of loop 'i' [E0143-not-nested]\n"
         "    reorder(i,j,k), fuse(i,k,f)\n"
         "                    ^~~~\n"
         "    help: the loops run in the order i, j, k; reorder them first\n"},
        {residual, "fuse(i,j,f)",
         "<schedule>:1:1: error: loop 'j' is not directly inside of loop 'i' [E0143-not-nested]\n"
         "    fuse(i,j,f)\n"
         "    ^~~~\n"
         "    help: it is the loop of a sum that is only a part of the expression\n"},
        {spmv, "split(i,p,q,60000), split(p,r,s,60000), split(r,t,u,60000)",
         "<schedule>:1:1: error: a block of this loop would have more than 4294967295 coordinates "
         "[E0142-number]\n"
         "    split(i,p,q,60000), split(p,r,s,60000), split(r,t,u,60000)\n"
         "    ^~~~~\n"},
        {spmv, "bound(i,ib,0,MaxExact)",
         "<schedule>:1:12: error: loop 'i' would have no iteration [E0147-bound]\n"
         "    bound(i,ib,0,MaxExact)\n"
         "               ^\n"},
        {spmv, "bound(i,ib,8,MaxExact), bound(ib,ic,9,MaxExact)",
         "<schedule>:1:37: error: loop 'ib' has the extent 8 already [E0147-bound]\n"
         "    bound(i,ib,8,MaxExact), bound(ib,ic,9,MaxExact)\n"
         "                                        ^\n"},
        {spmv, "bound(i,ib,8,AtMost)",
         "<schedule>:1:14: error: there is no bound type 'AtMost' [E0144-keyword]\n"
         "    bound(i,ib,8,AtMost)\n"
         "                 ^~~~~~\n"
         "    help: use one of MinExact, MinConstraint, MaxExact, MaxConstraint\n"},
        {spmv, "bound(i,ib,8,MaxConstraint)",
         "<schedule>:1:1: does not fit: loops start at 0, and their graph is the same for every extent "
         "[E0149-not-lowered]\n"
         "    bound(i,ib,8,MaxConstraint)\n"
         "    ^~~~~\n"
         "    help: MaxExact states the extent, and it is checked\n"},
        {spmv, "bound(i,ib,3,MinExact)",
         "<schedule>:1:1: does not fit: loops start at 0, and their graph is the same for every extent "
         "[E0149-not-lowered]\n"
         "    bound(i,ib,3,MinExact)\n"
         "    ^~~~~\n"
         "    help: MaxExact states the extent, and it is checked\n"},
        {spmv, "unroll(i,65536)",
         "<schedule>:1:10: error: 65536 is no whole number from 0 to 65535 [E0142-number]\n"
         "    unroll(i,65536)\n"
         "             ^~~~~\n"},
        {spmv, "unroll(i,2), unroll(i,2)",
         "<schedule>:1:14: error: loop 'i' has copies already [E0145-second-tag]\n"
         "    unroll(i,2), unroll(i,2)\n"
         "                 ^~~~~~\n"
         "<schedule>:1:1: note: the first command\n"
         "    unroll(i,2), unroll(i,2)\n"
         "    ^~~~~~\n"},
        {spmv, "unroll(i,2), split(i,i0,i1,2)",
         "<schedule>:1:14: error: loop 'i' has copies already [E0145-second-tag]\n"
         "    unroll(i,2), split(i,i0,i1,2)\n"
         "                 ^~~~~\n"
         "    help: say so after this command, about the loops it makes\n"
         "<schedule>:1:1: note: the first command\n"
         "    unroll(i,2), split(i,i0,i1,2)\n"
         "    ^~~~~~\n"},
        {spmv, "parallelize(j,Lanes(2),NoRaces)",
         "<schedule>:1:13: error: loop 'j' is a sum: its iterations race for one value [E0146-race]\n"
         "    parallelize(j,Lanes(2),NoRaces)\n"
         "                ^\n"
         "    help: use the strategy Temporary: the copies' values meet in one reducer\n"},
        {spmv, "bound(i,i,4,MaxConstraint)",
         "<schedule>:1:11: does not fit: loops start at 0, and their graph is the same for every extent "
         "[E0149-not-lowered]\n"
         "    bound(i,i,4,MaxConstraint)\n"
         "              ^\n"},
        {spmv, "bound(i,i,4,MaxExact), bound(i,i,5,MaxExact)",
         "<schedule>:1:34: error: loop 'i' has the extent 4 already [E0147-bound]\n"
         "    bound(i,i,4,MaxExact), bound(i,i,5,MaxExact)\n"
         "                                     ^\n"},
        {spmv, "split(i,a,b,4), bound(a,a,5,MaxExact)",
         "<schedule>:1:27: error: nothing says how far the loop runs that 'a' is made of [E0147-bound]\n"
         "    split(i,a,b,4), bound(a,a,5,MaxExact)\n"
         "                              ^\n"
         "    help: state the extent of that loop, with bound or -d\n"},
        {spmv, "parallelize(i,Tiles,NoRaces)",
         "<schedule>:1:15: error: there is no parallel unit 'Tiles' [E0144-keyword]\n"
         "    parallelize(i,Tiles,NoRaces)\n"
         "                  ^~~~~\n"
         "    help: use one of Lanes, CPUThread, CPUVector, CPUThreadGroupReduction, DefaultUnit, GPUBlock, "
         "GPUWarp, "
         "GPUThread, GPUBlockReduction, GPUWarpReduction\n"},
        {spmv, "parallelize(i,Lanes,NoRaces)",
         "<schedule>:1:20: error: expected '(' and the number of lanes, found ',' [E0102-syntax]\n"
         "    parallelize(i,Lanes,NoRaces)\n"
         "                       ^\n"},
        {spmv, "parallelize(i,Lanes(2),Often)",
         "<schedule>:1:24: error: there is no race strategy 'Often' [E0144-keyword]\n"
         "    parallelize(i,Lanes(2),Often)\n"
         "                           ^~~~~\n"
         "    help: use one of NoRaces, IgnoreRaces, Temporary, ParallelReduction, Atomics\n"},
        {spmv, "parallelize(i,Lanes(2))",
         "<schedule>:1:23: error: expected ',' and a race strategy, found ')' [E0102-syntax]\n"
         "    parallelize(i,Lanes(2))\n"
         "                          ^\n"},
        {"x(i) = sum(j, B(i,j)) / d(i)", "reorder(j,i)",
         "<expression>:1:8: error: the sum over 'j' is only a part of what loop 'i' computes, but loop 'j' "
         "is outside of it [E0125-loop-order]\n"
         "    x(i) = sum(j, B(i,j)) / d(i)\n"
         "           ^~~~~~~~~~~~~~\n"
         "    help: put the loop of a partial sum inside: -s \"reorder(i,j)\"\n"},
        {sddmm, "precompute(E(i,k)*D(k,j),{i,j},{i,j},w)",
         "<schedule>:1:12: error: the expression has no 'E' [E0151-subexpression]\n"
         "    precompute(E(i,k)*D(k,j),{i,j},{i,j},w)\n"
         "               ^~~~~~~~~~~~~\n"},
        {sddmm, "precompute(B(i,k)*D(k,j),{i,j},{i,j},w)",
         "<schedule>:1:12: error: the right side has no such subexpression [E0151-subexpression]\n"
         "    precompute(B(i,k)*D(k,j),{i,j},{i,j},w)\n"
         "               ^~~~~~~~~~~~~\n"
         "    help: write factors or terms as they stand in the expression\n"},
        {sddmm, "precompute(C(i,k)*D(k,j),{i,l},{i,j},w)",
         "<schedule>:1:29: error: 'l' does not index the subexpression [E0151-subexpression]\n"
         "    precompute(C(i,k)*D(k,j),{i,l},{i,j},w)\n"
         "                                ^\n"},
        {sddmm, "precompute(C(i,k)*B(i,j),{i,j},{i},w)",
         "<schedule>:1:35: error: 2 variables, but 1 name for them [E0151-subexpression]\n"
         "    precompute(C(i,k)*B(i,j),{i,j},{i},w)\n"
         "                                      ^\n"},
        {sddmm, "precompute(C(i,k)*D(k,j),{i},{i,j},w)",
         "<schedule>:1:33: error: 1 variable, but more names for them [E0151-subexpression]\n"
         "    precompute(C(i,k)*D(k,j),{i},{i,j},w)\n"
         "                                    ^\n"},
        {sddmm, "precompute(C(i,k)*D(k,j),{i},{},w)",
         "<schedule>:1:32: error: 1 variable, but 0 names for them [E0151-subexpression]\n"
         "    precompute(C(i,k)*D(k,j),{i},{},w)\n"
         "                                   ^\n"},
        {sddmm, "precompute(C(i,k)*D(k,j),{i,j},{i,j},B)",
         "<schedule>:1:38: error: 'B' is in use already [E0140-new-name]\n"
         "    precompute(C(i,k)*D(k,j),{i,j},{i,j},B)\n"
         "                                         ^\n"
         "    help: choose a name that the expression and the schedule do not have\n"},
        {sddmm, "precompute(C(i,k)*D(k,j),{i,j},{k,j},w)",
         "<schedule>:1:33: error: 'k' is in use already [E0140-new-name]\n"
         "    precompute(C(i,k)*D(k,j),{i,j},{k,j},w)\n"
         "                                    ^\n"
         "    help: choose a name that the expression and the schedule do not have\n"},
        {sddmm, "precompute(C(i,k)*D(k,j))",
         "<schedule>:1:25: error: expected ',' and the variables of the workspace, found ')' [E0102-syntax]\n"
         "    precompute(C(i,k)*D(k,j))\n"
         "                            ^\n"},
        {spmv, "parallel(i,16)",
         "<schedule>:1:10: error: expected a loop, Reduction and a number, found 'i' [E0102-syntax]\n"
         "    parallel(i,16)\n"
         "             ^\n"
         "    help: write parallel(i,Reduction,16)\n"},
        {sddmm, "precompute(C(i,k)*D(k,j),{i,j},{iw,jw},w), fuse(i,jw,f)",
         "<schedule>:1:51: error: loop 'jw' belongs to another kernel [E0143-not-nested]\n"
         "    precompute(C(i,k)*D(k,j),{i,j},{iw,jw},w), fuse(i,jw,f)\n"
         "                                                      ^~\n"
         "    help: a command is about the loops of one kernel\n"},
    };
    for (size_t i = 0; i < sizeof mistake / sizeof *mistake; i++)
        refuse(*state, mistake[i].expression, mistake[i].schedule, mistake[i].answer);
}

/* Parts of a schedule without a counterpart in the graph are left out, with the reason; the graph is made. */
static void hints_are_left_out_with_a_note(void **state) {
    static const struct {
        const char *expression, *schedule, *notes;
    } hint[] = {
        {spmm, "assemble(X,Append,true)",
         "<schedule>:1:1: note: this changes nothing: writers always build the result's levels while they "
         "compute\n"
         "    assemble(X,Append,true)\n"
         "    ^~~~~~~~\n"},
        {spmv, "fuse(i,j,f)",
         "<schedule>:1:1: note: loops 'i' and 'j' stay apart, one in the other\n"
         "    fuse(i,j,f)\n"
         "    ^~~~\n"},
        {spmv, "pos(j,j_pos,B), split(j_pos,a,b,4), divide(b,c,d,2)",
         "<schedule>:1:17: note: loop 'j_pos' stays whole: no level is cut by positions\n"
         "    pos(j,j_pos,B), split(j_pos,a,b,4), divide(b,c,d,2)\n"
         "                    ^~~~~\n"},
        {spmv, "pos(j,jp,B), split(jp,a,b,4), unroll(b,2)",
         "<schedule>:1:14: note: loop 'jp' stays whole: no level is cut by positions\n"
         "    pos(j,jp,B), split(jp,a,b,4), unroll(b,2)\n"
         "                 ^~~~~\n"
         "<schedule>:1:31: note: loop 'b' gets no copies: the graph has no such loop\n"
         "    pos(j,jp,B), split(jp,a,b,4), unroll(b,2)\n"
         "                                  ^~~~~~\n"},
        {spmv, "parallelize(i,CPUThread,NoRaces)",
         "<schedule>:1:1: note: the iterations of loop 'i' run one after the other, since they are not known "
         "to be few\n"
         "    parallelize(i,CPUThread,NoRaces)\n"
         "    ^~~~~~~~~~~\n"},
        {spmv, "bound(i,ib,65,MaxExact), parallelize(ib,GPUBlock,NoRaces)",
         "<schedule>:1:26: note: the array is no GPU: the iterations of loop 'ib' run one after the other, "
         "since they are too many for copies\n"
         "    bound(i,ib,65,MaxExact), parallelize(ib,GPUBlock,NoRaces)\n"
         "                             ^~~~~~~~~~~\n"},
        {spmm, "split(k,k0,k1,4), parallelize(k1,CPUThread,Atomics)",
         "<schedule>:1:19: note: one reducer adds up, without atomic operations: the body of loop 'k1' has 4 "
         "copies, one for each iteration\n"
         "    split(k,k0,k1,4), parallelize(k1,CPUThread,Atomics)\n"
         "                      ^~~~~~~~~~~\n"},
        {spmm, "parallelize(i,Lanes(2),NoRaces), parallelize(i,GPUWarp,NoRaces)",
         "<schedule>:1:34: note: the array is no GPU: the iterations of loop 'i' run one after the other, "
         "since they are not known to be few\n"
         "    parallelize(i,Lanes(2),NoRaces), parallelize(i,GPUWarp,NoRaces)\n"
         "                                     ^~~~~~~~~~~\n"
         "<schedule>:1:34: note: this changes nothing: loop 'i' has 2 copies already\n"
         "    parallelize(i,Lanes(2),NoRaces), parallelize(i,GPUWarp,NoRaces)\n"
         "                                     ^~~~~~~~~~~\n"},
        {spmm, "parallelize(i,CPUVector,NoRaces), split(i,i0,i1,2), parallelize(i,CPUThread,NoRaces)",
         "<schedule>:1:1: note: the iterations of loop 'i' run one after the other, since they are not known "
         "to be few\n"
         "    parallelize(i,CPUVector,NoRaces), split(i,i0,i1,2), parallelize(i,CPUThread,NoRaces)\n"
         "    ^~~~~~~~~~~\n"
         "<schedule>:1:1: note: this no longer holds: a later command is about loop 'i'\n"
         "    parallelize(i,CPUVector,NoRaces), split(i,i0,i1,2), parallelize(i,CPUThread,NoRaces)\n"
         "    ^~~~~~~~~~~\n"
         "<schedule>:1:53: note: this changes nothing: there is no loop 'i' in the graph\n"
         "    parallelize(i,CPUVector,NoRaces), split(i,i0,i1,2), parallelize(i,CPUThread,NoRaces)\n"
         "                                                        ^~~~~~~~~~~\n"},
        {spmv, "split(j,j0,j1,4), precompute(B(i,j)*c(j),j1,j1_pre), unroll(j1_pre,4)",
         "<schedule>:1:30: note: this gets no workspace, since loops of it are scheduled already; precompute "
         "first to have one\n"
         "    split(j,j0,j1,4), precompute(B(i,j)*c(j),j1,j1_pre), unroll(j1_pre,4)\n"
         "                                 ^~~~~~~~~~~\n"
         "<schedule>:1:54: note: this changes nothing: there is no loop 'j1_pre' in the graph\n"
         "    split(j,j0,j1,4), precompute(B(i,j)*c(j),j1,j1_pre), unroll(j1_pre,4)\n"
         "                                                         ^~~~~~\n"},
        {spmv, "unroll(i,0), split(i,i0,i1,4), unroll(i,2)",
         "<schedule>:1:1: note: this changes nothing: no copies are asked for\n"
         "    unroll(i,0), split(i,i0,i1,4), unroll(i,2)\n"
         "    ^~~~~~\n"
         "<schedule>:1:32: note: this changes nothing: there is no loop 'i' in the graph\n"
         "    unroll(i,0), split(i,i0,i1,4), unroll(i,2)\n"
         "                                   ^~~~~~\n"},
        {sddmm, "split(i,i0,i1,2), precompute(C(i,k)*D(k,j),{i,j},{i,j},w)",
         "<schedule>:1:30: note: this gets no workspace, since loops of it are scheduled already; precompute "
         "first to have one\n"
         "    split(i,i0,i1,2), precompute(C(i,k)*D(k,j),{i,j},{i,j},w)\n"
         "                                 ^~~~~~~~~~~~~\n"},
        {spmv, "parallel(j,Reduction,16), sPromote(), env(bp,2)",
         "<schedule>:1:1: note: this changes nothing: a reducer of loop 'j' takes one value in a cycle, in "
         "one "
         "lane\n"
         "    parallel(j,Reduction,16), sPromote(), env(bp,2)\n"
         "    ^~~~~~~~\n"
         "<schedule>:1:39: note: this changes nothing: 'bp' is a number of Stardust's target, not of the "
         "array\n"
         "    parallel(j,Reduction,16), sPromote(), env(bp,2)\n"
         "                                          ^~~\n"},
        {spmv, "environment(innerPar,16), env(op,2)",
         "<schedule>:1:1: note: this changes nothing: 'innerPar' is fixed on the chip: a tile takes one "
         "token in a "
         "cycle, so it is 1\n"
         "    environment(innerPar,16), env(op,2)\n"
         "    ^~~~~~~~~~~\n"
         "<schedule>:1:27: note: this changes nothing: 'op' is fixed on the chip: outer loops run side by "
         "side as "
         "copies of the kernel, which environment(unroll,n) makes\n"
         "    environment(innerPar,16), env(op,2)\n"
         "                              ^~~\n"},
        {sddmm, "precompute(C(i,k)*D(k,j),{i,j},{iw,jw},w), reorder(j,i,k)",
         "<schedule>:1:44: note: each of 2 kernels takes its own loops of these in this order\n"
         "    precompute(C(i,k)*D(k,j),{i,j},{iw,jw},w), reorder(j,i,k)\n"
         "                                               ^~~~~~~\n"},
        {spmv, "mergeby(j,Gallop), wsaccel(w,true,i)",
         "<schedule>:1:1: note: this changes nothing: joiners merge coordinates, and workspaces are "
         "compressed\n"
         "    mergeby(j,Gallop), wsaccel(w,true,i)\n"
         "    ^~~~~~~\n"
         "<schedule>:1:20: note: this changes nothing: joiners merge coordinates, and workspaces are "
         "compressed\n"
         "    mergeby(j,Gallop), wsaccel(w,true,i)\n"
         "                       ^~~~~~~\n"},
        {spmv, "unroll(i,65)",
         "<schedule>:1:1: note: 65 copies are more than a graph has; 64 are made\n"
         "    unroll(i,65)\n"
         "    ^~~~~~\n"},
    };
    fixture *f = *state;
    for (size_t i = 0; i < sizeof hint / sizeof *hint; i++) {
        sam_statement s;
        fe_cin cin;
        scheduled_kernel out;
        fe_case c = {.expression = hint[i].expression, .schedule = hint[i].schedule};
        diag_init(&f->diag, &f->mem);
        if (!fe_case_schedule(f, &c, &s, &cin) || !scheduled_lower(f, &cin.kernels.at[0], &out))
            fail_msg("%s\n%s", c.schedule, fixture_printed(f));
        assert_string_equal(fixture_printed(f), hint[i].notes);
    }
}

RUN_TESTS(TEST(mistakes_are_answered), TEST(hints_are_left_out_with_a_note))
