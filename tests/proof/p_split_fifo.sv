// One SplitFIFO, whatever its start and end bits: a queue of one token, which another token may pass through. start
// cuts the ready path, end cuts data and valid. With fifo_i = 0, a register that takes and gives in every enabled
// cycle, 0 at first.
//
// The environment chooses the three bits once.
//
// mutate: onyx_split_fifo
// cells: onyx_split_fifo
// with: first_reset steady queue_contract
// set: Width=1
// set: Width=17
// broken: onyx_split_fifo s/(out_ready_i & ~start_i)/out_ready_i/
// broken: onyx_split_fifo s/(in_i\[Width\] & ~end_i)/in_i[Width]/
// broken: onyx_split_fifo s/in_i\[Width\] \&\& in_ready_o/in_i[Width]/
`include "proof.svh"
module p_split_fifo #(
    parameter int unsigned Width = 1
) (
    input logic [      2:0] config_i,
`include "queue_ports.svh"
);
  logic fifo, first, last;
  assign {fifo, first, last} = config_i;
  logic live, rst_n, in_ready, in_valid, out_valid;
  logic [Width:0] out;
  logic [Width-1:0] in_data, out_data, stored_q;
  assign {in_valid, in_data}   = in_i;
  assign {out_valid, out_data} = out;
  first_reset u_reset (.clk_i, .rst_ni, .live_o(live), .rst_no(rst_n));
  steady #(.Width(3)) u_steady (.clk_i, .live_i(live), .value_i(config_i));
  always_ff @(posedge clk_i) begin
    if (!rst_n) stored_q <= '0;
    else if (en_i) stored_q <= in_data;
  end

  onyx_split_fifo #(.Width(Width)) u_split (
      .rst_ni(rst_n), .ce_i(en_i), .fifo_i(fifo), .start_i(first), .end_i(last), .in_ready_o(in_ready), .out_o(out),
      .clk_i, .in_i, .out_ready_i
  );
  queue_contract #(.Width(Width), .Capacity(1), .Through(1'b1)) u_contract (
      .live_i(rst_n & fifo), .clear_i(1'b0), .in_ready_i(in_ready), .out_i(out), .clk_i, .en_i, .in_i, .out_ready_i,
      .pick_i, .seen_o
  );

  // The contents, seen from outside: with both paths cut, never ready and valid at once.
  logic full_q;
  initial full_q = 1'b0;
  always_ff @(posedge clk_i) begin
    if (!rst_n) full_q <= 1'b0;
    else if (en_i) full_q <= (full_q | (in_valid & in_ready)) & ~(out_valid & out_ready_i);
    if (rst_n && en_i && (full_q || (out_valid && out_ready_i)) && in_valid && in_ready) full_q <= full_q;
  end
  always_comb begin
    if (rst_n && fifo) begin
      if (first) begin
        `PROVE(start_cuts_ready, in_ready == ~full_q)
      end
      if (last) begin
        `PROVE(end_cuts_valid, out_valid == full_q)
      end
      if (!first) begin
        `PROVE(ready_through, in_ready == (~full_q | out_ready_i))
      end
      if (!last) begin
        `PROVE(valid_through, out_valid == (full_q | in_valid))
      end
      `REACH(passes, !first && !last && in_valid && out_valid && out_ready_i)
      `REACH(replaced, full_q && in_valid && in_ready && out_valid && out_ready_i)
    end
    if (rst_n && !fifo) begin
      `PROVE(dense_moves, in_ready == en_i && out_valid == en_i)
      `PROVE(dense_data, out_data == stored_q)
      `REACH(dense, en_i && stored_q != in_data)
    end
  end
endmodule
