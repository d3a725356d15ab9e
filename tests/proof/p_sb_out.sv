// One switch-box output, whatever its configuration: the output passes on the tokens of the selected input only, by
// wire (RMUX 0) or through its register; only the selected input waits for the output. A disabled output, or a select
// of no input, gives no token, and a disabled output takes none. In dense mode (fifo 0) the register takes and gives
// always, at first 0.
//
// The environment chooses the configuration once; the other inputs carry any tokens.
//
// mutate: onyx_sb_out
// cells: onyx_split_fifo onyx_sb_out
// with: queue_contract steady
// broken: onyx_sb_out s/mux = core1_i/mux = core2_i/
// broken: onyx_sb_out s/rmux_i ? held : mux/{mux.valid, held.data}/
// broken: onyx_sb_out s/rmux_i & ~stall_i/rmux_i/
`include "proof.svh"
module p_sb_out (
    input logic         clk_i,
    input logic         rst_ni,
    input logic         stall_i,
    input logic         pick_i,
    input onyx_pkg::stream_t in0_i, in1_i, in2_i, core0_i, core1_i, core2_i,
    input logic         out_ready_i,
    input logic [  7:0] config_i,
    output logic [23:0] seen_o  // all that the outside can tell: data counts while valid only
);
  logic enable, rmux, fifo, first, last, live_q, rst_n;
  logic [2:0] sel;
  assign {enable, rmux, fifo, first, last, sel} = config_i;
  initial live_q = 1'b0;
  always_ff @(posedge clk_i) live_q <= 1'b1;
  steady #(.Width(8)) u_steady (.clk_i, .live_i(live_q), .value_i(config_i));
  assign rst_n = live_q & rst_ni;

  onyx_pkg::stream_t in, out;
  logic [5:0] waits;
  logic in_ready;
  onyx_sb_out u_out (
      .clk_i, .rst_ni(rst_n), .stall_i, .enable_i(enable), .sel_i(sel), .rmux_i(rmux), .fifo_i(fifo), .start_i(first),
      .end_i(last), .in0_i, .in1_i, .in2_i, .core0_i, .core1_i, .core2_i, .wait_o(waits), .out_o(out), .out_ready_i
  );
  logic [107:0] offers;
  assign offers = {core2_i, core1_i, core0_i, in2_i, in1_i, in0_i};
  always_comb begin
    in       = 18'd0;
    in_ready = 1'b1;
    for (int unsigned k = 0; k < 6; k++) begin
      if (sel == k) begin
        in       = offers[18*k+:18];
        in_ready = ~waits[k];
      end
    end
  end

  logic stream, wire_mode, register_mode;
  assign stream        = rst_n & enable & (sel < 3'd6);
  assign wire_mode     = stream & ~rmux;
  assign register_mode = stream & rmux & fifo;
  queue_contract #(.Width(17), .Capacity(1), .Through(1'b1)) u_contract (
      .live_i(register_mode), .en_i(~stall_i), .clear_i(1'b0), .in_i(in), .in_ready_i(in_ready), .out_i(out), .clk_i,
      .out_ready_i, .pick_i
  );

  logic [16:0] value_q;
  logic full_q;  // what is inside the register, seen from outside
  initial full_q = 1'b0;
  always_ff @(posedge clk_i) begin
    if (!rst_n) value_q <= 17'd0;
    else if (!stall_i) value_q <= in.data;
    if (!rst_n) full_q <= 1'b0;
    else if (!stall_i && (in.valid & in_ready) != (out.valid & out_ready_i)) full_q <= in.valid & in_ready;
  end
  always_comb begin
    if (rst_n && !enable) begin
      `PROVE(off_gives_nothing, !out.valid && out.data == 17'd0)
      `PROVE(off_asks_nothing, waits == 6'd0)
    end
    if (rst_n && enable && sel >= 3'd6 && !(rmux && !fifo)) begin
      `PROVE(nothing_selected, !out.valid && waits == 6'd0)
    end
    if (rst_n && enable) begin
      `PROVE(others_hear_nothing, (waits & ~(6'd1 << sel)) == 6'd0)
    end
    if (wire_mode) begin
      `PROVE(wired, out.data == in.data && out.valid == in.valid && in_ready == out_ready_i)
      `REACH(wired_token, out.valid && out_ready_i)
    end
    if (register_mode) begin
      `PROVE(start_cuts_ready, in_ready == (~full_q | (out_ready_i & ~first)))
      `PROVE(end_cuts_valid, out.valid == (full_q | (in.valid & ~last)))
    end
    if (rst_n && enable && rmux && !fifo) begin
      `PROVE(dense_moves, (in_ready == ~stall_i || sel >= 3'd6) && out.valid == ~stall_i)
      `PROVE(dense_data, out.data == value_q)
    end
  end
  assign seen_o = {waits, out.valid, out.data & {17{out.valid}}};
endmodule
