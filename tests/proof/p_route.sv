// A route of Hops switch-box outputs with one SplitFIFO pair anywhere on it, the rest plain wires: a queue of two
// tokens with registered inputs and outputs, for all selects of the hops and all values on other inputs.
//
// The environment chooses, once, the hops of the start and of the later end, and every select.
//
// cells: onyx_split_fifo onyx_sb_out
// with: queue_contract
// set: Hops=2
// set: Hops=3
// broken: Hops=2 Start=0
// broken: Hops=3 End=0
`include "proof.svh"
module p_route #(
    parameter int unsigned Hops = 4,
    parameter bit Start = 1'b1,
    parameter bit End = 1'b1
) (
    input logic          clk_i,
    input logic          rst_ni,
    input logic          stall_i,
    input logic          pick_i,
    input onyx_pkg::stream_t in_i,
    input logic          out_ready_i,
    input logic [6*Hops-1:0] other_valid_i,
    input logic [17*Hops-1:0] other_data_i
);
  (* anyconst *) logic [3:0] start_at, end_at;
  (* anyconst *) logic [3*Hops-1:0] select;
  logic live_q, rst_n;
  initial live_q = 1'b0;
  always_ff @(posedge clk_i) live_q <= 1'b1;
  assign rst_n = live_q & rst_ni;

  // Wire k arrives at hop k.
  logic [Hops:0] ready;
  logic [18*Hops+17:0] point;
  assign point[17:0] = in_i;
  assign ready[Hops] = out_ready_i;
  for (genvar k = 0; k < Hops; k++) begin : g_hop
    logic [2:0] sel;
    logic [5:0] waits;
    logic [107:0] offers;
    assign sel = select[3*k+:3];
    for (genvar i = 0; i < 6; i++) begin : g_input
      assign offers[18*i+:18] = (sel == i) ? point[18*k+:18] : {other_valid_i[6*k+i], other_data_i[17*k+:17]};
    end
    assign ready[k] = ~(|waits);
    onyx_sb_out u_out (
        .clk_i, .rst_ni(rst_n), .stall_i, .enable_i(1'b1), .sel_i(sel),
        .rmux_i((Start && start_at == k) || (End && end_at == k)), .fifo_i(1'b1), .start_i(start_at == k),
        .end_i(end_at == k), .in0_i(offers[17:0]), .in1_i(offers[35:18]), .in2_i(offers[53:36]),
        .core0_i(offers[71:54]), .core1_i(offers[89:72]), .core2_i(offers[107:90]), .wait_o(waits),
        .out_o(point[18*(k+1)+:18]), .out_ready_i(ready[k+1])
    );
    always_comb assume (sel < 3'd6);
  end
  always_comb assume (start_at < end_at && end_at < Hops);

  // Data is bit 0 here: p_sb_out proves that all bits of a token take the same path.
  queue_contract u_contract (
      .clk_i, .live_i(rst_n), .en_i(~stall_i), .clear_i(1'b0), .in_i({in_i.valid, in_i.data[0]}), .in_ready_i(ready[0]),
      .out_i({point[18*Hops+17], point[18*Hops]}), .out_ready_i, .pick_i
  );
endmodule
