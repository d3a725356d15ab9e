// One switch-box output, whatever its configuration: it hands on the tokens of the input it selects and of no other, by
// wire (RMUX 0) or through its register; only that input hears it wait. Not enabled, or with a select of nothing, it gives
// no token, and not enabled it asks for none. In dense mode (fifo 0) the register takes and gives always, at first 0.
//
// The environment chooses the configuration once; the other inputs carry what they like.
//
// mutate: onyx_sb_out
// cells: onyx_split_fifo onyx_sb_out
// with: queue_contract
// broken: onyx_sb_out s/mux_data  = core1_data_i/mux_data  = core2_data_i/
// broken: onyx_sb_out s/rmux_i ? reg_valid : mux_valid/mux_valid/
// broken: onyx_sb_out s/rmux_i & ~stall_i/rmux_i/
`include "proof.svh"
module p_sb_out (
    input logic         clk_i,
    input logic         rst_ni,
    input logic         stall_i,
    input logic         pick_i,
    input logic [101:0] data_i,
    input logic [  5:0] valid_i,
    input logic         out_ready_i,
    input logic [  7:0] config_i,
    output logic [23:0] seen_o  // all that the outside can tell: data counts while valid only
);
  logic enable, rmux, fifo, first, last, live_q, rst_n;
  logic [2:0] sel;
  logic [7:0] config_q;
  assign {enable, rmux, fifo, first, last, sel} = config_i;
  initial live_q = 1'b0;
  always_ff @(posedge clk_i) begin
    live_q   <= 1'b1;
    config_q <= config_i;
  end
  assign rst_n = live_q & rst_ni;

  logic [16:0] out_data, in_data;
  logic [5:0] waits;
  logic out_valid, in_valid, in_ready;
  onyx_sb_out u_out (
      .clk_i        (clk_i),
      .rst_ni       (rst_n),
      .stall_i      (stall_i),
      .enable_i     (enable),
      .sel_i        (sel),
      .rmux_i       (rmux),
      .fifo_i       (fifo),
      .start_i      (first),
      .end_i        (last),
      .in0_data_i   (data_i[16:0]),
      .in0_valid_i  (valid_i[0]),
      .in1_data_i   (data_i[33:17]),
      .in1_valid_i  (valid_i[1]),
      .in2_data_i   (data_i[50:34]),
      .in2_valid_i  (valid_i[2]),
      .core0_data_i (data_i[67:51]),
      .core0_valid_i(valid_i[3]),
      .core1_data_i (data_i[84:68]),
      .core1_valid_i(valid_i[4]),
      .core2_data_i (data_i[101:85]),
      .core2_valid_i(valid_i[5]),
      .wait_o       (waits),
      .out_data_o   (out_data),
      .out_valid_o  (out_valid),
      .out_ready_i  (out_ready_i)
  );
  always_comb begin
    in_data  = 17'd0;
    in_valid = 1'b0;
    in_ready = 1'b1;
    for (int unsigned k = 0; k < 6; k++) begin
      if (sel == k) begin
        in_data  = data_i[17*k+:17];
        in_valid = valid_i[k];
        in_ready = ~waits[k];
      end
    end
  end

  logic stream, wire_mode, register_mode;
  assign stream        = rst_n & enable & (sel < 3'd6);
  assign wire_mode     = stream & ~rmux;
  assign register_mode = stream & rmux & fifo;
  queue_contract #(
      .Width   (17),
      .Capacity(1),
      .Through (1'b1)
  ) u_contract (
      .clk_i      (clk_i),
      .live_i     (register_mode),
      .en_i       (~stall_i),
      .clear_i    (1'b0),
      .in_data_i  (in_data),
      .in_valid_i (in_valid),
      .in_ready_i (in_ready),
      .out_data_i (out_data),
      .out_valid_i(out_valid),
      .out_ready_i(out_ready_i),
      .pick_i     (pick_i)
  );

  logic [16:0] value_q;
  logic full_q;  // what is inside the register, seen from outside
  initial full_q = 1'b0;
  always_ff @(posedge clk_i) begin
    if (!rst_n) value_q <= 17'd0;
    else if (!stall_i) value_q <= in_data;
    if (!rst_n) full_q <= 1'b0;
    else if (!stall_i && (in_valid & in_ready) != (out_valid & out_ready_i)) full_q <= in_valid & in_ready;
  end
  always_comb begin
    if (live_q) assume (config_i == config_q);
    if (rst_n && !enable) begin
      `PROVE(off_gives_nothing, !out_valid && out_data == 17'd0)
      `PROVE(off_asks_nothing, waits == 6'd0)
    end
    if (rst_n && enable && sel >= 3'd6 && !(rmux && !fifo)) begin
      `PROVE(nothing_selected, !out_valid && waits == 6'd0)
    end
    if (rst_n && enable) begin
      `PROVE(others_hear_nothing, (waits & ~(6'd1 << sel)) == 6'd0)
    end
    if (wire_mode) begin
      `PROVE(wired, out_data == in_data && out_valid == in_valid && in_ready == out_ready_i)
      `REACH(wired_token, out_valid && out_ready_i)
    end
    if (register_mode) begin
      `PROVE(start_cuts_ready, in_ready == (~full_q | (out_ready_i & ~first)))
      `PROVE(end_cuts_valid, out_valid == (full_q | (in_valid & ~last)))
    end
    if (rst_n && enable && rmux && !fifo) begin
      `PROVE(dense_moves, (in_ready == ~stall_i || sel >= 3'd6) && out_valid == ~stall_i)
      `PROVE(dense_data, out_data == value_q)
    end
  end
  assign seen_o = {waits, out_valid, out_data & {17{out_valid}}};
endmodule
