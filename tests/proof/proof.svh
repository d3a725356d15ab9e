// Macros of a property file. A proof reads PROVE as an assertion. With REACH_TOO defined, REACH is an assertion
// NAME_reached, and a bounded search must refute each: an unreachable property proves nothing. Both are immediate
// assertions of an always_comb block, with a name of their own in the module.
`define PROVE(name, condition) name: assert (condition);
`ifdef REACH_TOO
`define REACH(name, condition) name``_reached: assert (!(condition));
`else
`define REACH(name, condition)
`endif
