// One SplitFIFO, whatever its start and end bits: a queue of one token, through which one may pass. start cuts the
// ready path, end cuts data and valid. With fifo_i = 0 a register that takes and gives in every enabled cycle, 0 at first.
//
// The environment chooses the three bits once.
//
// mutate: onyx_split_fifo
// cells: onyx_split_fifo
// with: queue_contract
// set: Width=1
// set: Width=17
// broken: onyx_split_fifo s/(out_ready_i & ~start_i)/out_ready_i/
// broken: onyx_split_fifo s/(in_valid_i & ~end_i)/in_valid_i/
// broken: onyx_split_fifo s/in_valid_i \&\& in_ready_o/in_valid_i/
`include "proof.svh"
module p_split_fifo #(
    parameter int unsigned Width = 1
) (
    input logic             clk_i,
    input logic             rst_ni,
    input logic             ce_i,
    input logic             pick_i,
    input logic [Width-1:0] in_data_i,
    input logic             in_valid_i,
    input logic             out_ready_i,
    input logic [      2:0] config_i,
    output logic [Width+1:0] seen_o  // all that the outside can tell: data counts while valid only
);
  logic fifo, first, last;
  logic [2:0] config_q;
  assign {fifo, first, last} = config_i;
  logic live_q, rst_n, in_ready, out_valid;
  logic [Width-1:0] out_data, stored_q;
  initial live_q = 1'b0;
  always_ff @(posedge clk_i) begin
    live_q   <= 1'b1;
    config_q <= config_i;
    if (!rst_n) stored_q <= '0;
    else if (ce_i) stored_q <= in_data_i;
  end
  assign rst_n = live_q & rst_ni;

  onyx_split_fifo #(
      .Width(Width)
  ) u_split (
      .clk_i      (clk_i),
      .rst_ni     (rst_n),
      .ce_i       (ce_i),
      .fifo_i     (fifo),
      .start_i    (first),
      .end_i      (last),
      .in_data_i  (in_data_i),
      .in_valid_i (in_valid_i),
      .in_ready_o (in_ready),
      .out_data_o (out_data),
      .out_valid_o(out_valid),
      .out_ready_i(out_ready_i)
  );
  queue_contract #(
      .Width   (Width),
      .Capacity(1),
      .Through (1'b1)
  ) u_contract (
      .clk_i      (clk_i),
      .live_i     (rst_n & fifo),
      .en_i       (ce_i),
      .clear_i    (1'b0),
      .in_data_i  (in_data_i),
      .in_valid_i (in_valid_i),
      .in_ready_i (in_ready),
      .out_data_i (out_data),
      .out_valid_i(out_valid),
      .out_ready_i(out_ready_i),
      .pick_i     (pick_i)
  );

  // What is inside, seen from outside: with both paths cut, never ready and valid at once.
  logic full_q;
  initial full_q = 1'b0;
  always_ff @(posedge clk_i) begin
    if (!rst_n) full_q <= 1'b0;
    else if (ce_i) full_q <= (full_q | (in_valid_i & in_ready)) & ~(out_valid & out_ready_i);
    if (rst_n && ce_i && (full_q || (out_valid && out_ready_i)) && in_valid_i && in_ready) full_q <= full_q;
  end
  always_comb begin
    if (live_q) assume (config_i == config_q);
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
        `PROVE(valid_through, out_valid == (full_q | in_valid_i))
      end
      `REACH(passes, !first && !last && in_valid_i && out_valid && out_ready_i)
      `REACH(replaced, full_q && in_valid_i && in_ready && out_valid && out_ready_i)
    end
    if (rst_n && !fifo) begin
      `PROVE(dense_moves, in_ready == ce_i && out_valid == ce_i)
      `PROVE(dense_data, out_data == stored_q)
      `REACH(dense, ce_i && stored_q != in_data_i)
    end
  end
  assign seen_o = {in_ready, out_valid, out_data & {Width{out_valid}}};
endmodule
