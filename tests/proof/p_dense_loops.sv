// A loop nest and a value on it: after n steps the value is its start plus each stride times the loop's index, the
// index of iteration n in the order of loops, innermost first; the nest ends behind the last iteration, and begins
// anew.
//
// The increments that the cell has are what the fields of a generator hold: a stride less what the loops inside have
// grown by. The environment chooses, once, extents, strides and start; and in each cycle enable, flush and step.
//
// cells: onyx_dense_loops onyx_dense_affine
// with: first_reset
// set: RangeWidth=1 Width=2
// set: RangeWidth=1 Width=3
// set: RangeWidth=2 Width=3
// broken: onyx_dense_loops s/4'(i) < loop_o)/4'(i) <= loop_o)/
// broken: onyx_dense_loops s/if (4'(i) < dim_i/if (4'(i) <= dim_i/
// broken: onyx_dense_affine s/value_o + increment/value_o - increment/
// broken: onyx_dense_affine s/if (en_i && load_i)/if (load_i)/
`include "proof.svh"
module p_dense_loops #(
    parameter int unsigned RangeWidth = 1,
    parameter int unsigned Width = 2
) (
    input logic clk_i,
    input logic rst_ni,
    input logic en_i,
    input logic flush_i,
    input logic step_i
);
  localparam int unsigned IndexWidth = RangeWidth + 1;
  (* anyconst *) logic [1:0] dim_any;
  (* anyconst *) logic [RangeWidth-1:0] range0, range1;
  (* anyconst *) logic [Width-1:0] start, stride0, stride1;
  logic live, rst_n;
  first_reset u_reset (.live_o(live), .rst_no(rst_n), .clk_i, .rst_ni);

  // Unused loops have extent 1.
  logic [1:0] dim;
  logic [IndexWidth-1:0] last0, last1;  // the last index of each loop
  logic [Width-1:0] increment1;
  assign dim = dim_any == 2'd3 ? 2'd2 : dim_any;
  assign last0 = dim > 2'd0 ? {1'b0, range0} + IndexWidth'(1) : '0;
  assign last1 = dim > 2'd1 ? {1'b0, range1} + IndexWidth'(1) : '0;
  assign increment1 = stride1 - stride0 * Width'(last0);

  logic [3:0] loop;
  logic [Width-1:0] value;
  logic last, restart;
  assign restart = flush_i || (step_i && last);
  onyx_dense_loops #(.Loops(2), .RangeWidth(RangeWidth)) u_loops (
      .rst_ni(rst_n), .clear_i(flush_i), .dim_i({2'b00, dim}), .range_i({range0, range1}), .loop_o(loop),
      .last_o(last), .clk_i, .en_i, .step_i
  );
  onyx_dense_affine #(.Loops(2), .Width(Width)) u_affine (
      .rst_ni(rst_n), .load_i(restart), .loop_i(loop), .start_i(start), .stride_i({stride0, increment1}),
      .value_o(value), .clk_i, .en_i, .step_i
  );

  // The definition: indices of the iteration, and whether a flush has loaded the start.
  logic [IndexWidth-1:0] index0_q, index1_q;
  logic loaded_q;
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      index0_q <= '0;
      index1_q <= '0;
      loaded_q <= 1'b0;
    end else if (en_i && flush_i) begin
      index0_q <= '0;
      index1_q <= '0;
      loaded_q <= 1'b1;
    end else if (en_i && step_i) begin
      index0_q <= index0_q == last0 ? '0 : index0_q + IndexWidth'(1);
      if (index0_q == last0) index1_q <= index1_q == last1 ? '0 : index1_q + IndexWidth'(1);
    end
  end
  logic [Width-1:0] want;
  assign want = start + stride0 * Width'(index0_q) + stride1 * Width'(index1_q);
  always_comb begin
    if (live && rst_n) begin
      `PROVE(ends_behind_the_last, last == (index0_q == last0 && index1_q == last1))
      `PROVE(value_of_the_iteration, !loaded_q || value == want)
      `REACH(outer_loop_steps, loaded_q && index1_q == IndexWidth'(1) && index0_q == IndexWidth'(1))
      `REACH(nest_ends, loaded_q && last && dim == 2'd2 && step_i && en_i)
    end
  end
endmodule
