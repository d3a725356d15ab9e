// Contracts of modules, as assertions with a message. Assertions stand before endmodule, after `include
// "onyx_assert.svh".
//
//   `ONYX_ASSERT(name, condition, message)         holds at each rising edge of clk_i outside of reset
//   `ONYX_ASSERT_COMB(name, condition, message)    holds whenever the inputs have settled: for a module without a clock
//   `ONYX_STEADY(name, condition, value, message)  the value stays over each rising edge of clk_i at which the
//   condition holds
//   `ONYX_ASSUME(name, condition, message)         what the surroundings owe at each edge: checked in simulation; in a
//                                                  proof the property file drives the inputs
//   `ONYX_COVER(name, condition)                   a situation that a simulation counts
//
// A simulation by Verilator with --assert (all models of the build) checks them; a proof by Yosys (-formal) proves
// the assertions of its cells, except STEADY. Synthesis and designs of engine rtl ignore them. Assertions cost the
// co-simulation of a product a tenth to a quarter of its time.
`ifndef ONYX_ASSERT_SVH
`define ONYX_ASSERT_SVH
`define ONYX_ASSERT(name, condition, message)
`define ONYX_ASSERT_COMB(name, condition, message)
`define ONYX_STEADY(name, condition, value, message)
`define ONYX_ASSUME(name, condition, message)
`define ONYX_COVER(name, condition)
`ifdef VERILATOR
`undef ONYX_ASSERT
`undef ONYX_ASSERT_COMB
`undef ONYX_STEADY
`undef ONYX_ASSUME
`undef ONYX_COVER
`define ONYX_ASSERT(name, condition, message) \
  always_ff @(posedge clk_i) name: assert (!rst_ni || (condition)) else $error("%m: %s", message);
`define ONYX_ASSERT_COMB(name, condition, message) \
  always_comb name: assert (condition) else $error("%m: %s", message);
`define ONYX_STEADY(name, condition, value, message) \
  logic name``_holds_q = 1'b0; \
  logic [$bits(value)-1:0] name``_value_q; \
  always_ff @(posedge clk_i) begin \
    name``_holds_q <= (condition); \
    name``_value_q <= (value); \
    name: assert (!name``_holds_q || name``_value_q == (value)) else $error("%m: %s", message); \
  end
`define ONYX_ASSUME(name, condition, message) `ONYX_ASSERT(name, condition, message)
`define ONYX_COVER(name, condition) name: cover property (@(posedge clk_i) disable iff (!rst_ni) (condition));
`elsif FORMAL
`undef ONYX_ASSERT
`undef ONYX_ASSERT_COMB
`define ONYX_ASSERT(name, condition, message) always_comb if (rst_ni) name: assert (condition);
`define ONYX_ASSERT_COMB(name, condition, message) always_comb name: assert (condition);
`endif
`endif
