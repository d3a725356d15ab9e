// onyx_dma_loops: a step counts on the innermost loop that is not at its end, and begins those inside of it anew; the
// address grows by this loop's stride alone; the end is that of all loops in use, and stays.
//
// The environment chooses extents, strides and the number of loops once, all of their bits.
//
// mutate: onyx_dma_loops
// cells: onyx_dma_loops
// with: first_reset
// often: start_i=0 extent_i=0x15
// set: Loops=3 CountBits=2
// set: Loops=3
// broken: onyx_dma_loops s/4'(i) < dim_i \&\&/4'(i) <= dim_i \&\&/
// broken: onyx_dma_loops s/4'(i) < stepping/4'(i) > stepping/
// broken: onyx_dma_loops s/range_i\[CountBits\*i+:CountBits\]/{1'b0, range_i[CountBits*i+:CountBits-1]}/
// broken: onyx_dma_loops s/step_i \&\& !last_o/step_i/
`include "proof.svh"
module p_dma_loops #(
    parameter int unsigned Loops = 3,
    parameter int unsigned CountBits = 32
) (
    input  logic        clk_i, rst_ni, start_i, step_i,
    input  logic [CountBits*Loops-1:0] extent_i,
    input  logic [18*Loops-1:0] stride_i,
    input  logic [ 3:0] dim_i,
    input  logic [17:0] start_addr_i,
    output logic [18:0] seen_o
);
  logic live, rst_n;
  first_reset u_reset (.clk_i, .rst_ni, .live_o(live), .rst_no(rst_n));
  // The loops, the same in every cycle but the first.
  logic [CountBits*Loops-1:0] extent;
  logic [18*Loops-1:0] stride;
  logic [3:0] dim;
  logic [17:0] start_addr;
  always_ff @(posedge clk_i) if (!live) {extent, stride, dim, start_addr} <= {extent_i, stride_i, dim_i, start_addr_i};
  logic [17:0] addr;
  logic last;
  onyx_dma_loops #(.Loops(Loops), .CountBits(CountBits)) u_loops (
      .clk_i, .rst_ni(rst_n), .start_i, .step_i, .start_addr_i(start_addr), .dim_i(dim), .range_i(extent),
      .stride_i(stride), .addr_o(addr), .last_o(last)
  );

  // Every loop has a count of finished iterations; ends has a bit a loop, set for an unused loop, too.
  logic [CountBits-1:0] done_q[Loops];
  logic [Loops-1:0] ends;
  logic [Loops:0] inside_end;
  logic [17:0] addr_q, grows;
  assign inside_end[0] = 1'b1;
  for (genvar i = 0; i < Loops; i++) begin : g_loop
    assign ends[i]         = dim <= 4'(i) || done_q[i] == extent[CountBits*i+:CountBits] + CountBits'(1);
    assign inside_end[i+1] = inside_end[i] & ends[i];
    always_ff @(posedge clk_i or negedge rst_n) begin
      if (!rst_n) done_q[i] <= '0;
      else if (start_i) done_q[i] <= '0;
      else if (step_i && !(&ends)) begin
        if (inside_end[i] && !ends[i]) done_q[i] <= done_q[i] + CountBits'(1);
        else if (inside_end[i+1]) done_q[i] <= '0;
      end
    end
  end
  always_comb begin
    grows = 18'd0;
    for (int i = 0; i < Loops; i++) if (inside_end[i] && !ends[i]) grows = stride[18*i+:18];
  end
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) addr_q <= 18'd0;
    else if (start_i) addr_q <= start_addr;
    else if (step_i) addr_q <= addr_q + grows;
  end

  always_comb begin
    if (rst_n) begin
      `PROVE(end_of_all, last == &ends)
      `PROVE(address, addr == addr_q)
      `REACH(outer_loop_counts, done_q[1] != '0 && done_q[0] == CountBits'(1) && grows != 18'd0)
      `REACH(at_the_end, last && dim == 4'd2 && done_q[1] != '0)
    end
  end
  assign seen_o = {addr, last};
endmodule
