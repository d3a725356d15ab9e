// Macros of a property file. A proof reads PROVE as an assertion; with REACH_ONLY defined, a bounded search reads
// REACH as the assertion instead, and must refute each: an unreachable property proves nothing. Both are immediate
// assertions of an always_comb block, with a name of their own in the module.
`ifdef REACH_ONLY
`define PROVE(name, condition)
`define REACH(name, condition) name: assert (!(condition));
`else
`define PROVE(name, condition) name: assert (condition);
`define REACH(name, condition)
`endif
