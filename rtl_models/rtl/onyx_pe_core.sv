// Core of a PE tile: seven sparse primitives behind shared port FIFOs, one of them at work at a time.
//
// mode_i: 0 joiner, 1 crddrop, 2 crdhold, 3 alu, 4 repeat, 5 rsg, 6 reduce. Ports by mode:
//   0: in0, in1 coordinates, in2, in3 positions -> out0 coordinate, out1, out2 positions
//   1, 2: in0 inner, in1 outer -> out0 inner, out1 outer       3: in0, in1 operands -> out0 result
//   4: in0 proc (references), in1 repsig -> out0 references    5: in0 -> out0 repsig    6: in0 -> out0 sums
// cfg0_i, cfg1_i, cfg2_i are CONFIG_SPACE_0 .. 2 of the register map; the fields of a mode start at bit 0.
//
// Port p is stream p of in_i and out_o (onyx_pkg). Every port has its depth-2 FIFO, so ready (of an input) and valid (of an output) come from registers.
// The primitive works while tile_en_i and its own enable (bit 0 of cfg0_i) are set; without, no port is
// ready or valid and nothing changes. Only the clock of the mode's primitive runs.
//
// hazard_q: what the chip would have got wrong since the last flush, a bit a kind in the order of rtl_models/cycle/cycle.h
// (docs/errata.md). No port has it and nothing depends on it: simulators look at it, synthesis removes it.
module onyx_pe_core #(
    parameter bit Monitors = 1'b1
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        en_i,
    input  logic        flush_i,
    input  logic        tile_en_i,
    input  logic [ 2:0] mode_i,
    input  logic [31:0] cfg0_i,
    input  logic [31:0] cfg1_i,
    // verilator lint_off UNUSEDSIGNAL
    input  logic [21:0] cfg2_i,
    // verilator lint_on UNUSEDSIGNAL
    input  onyx_pkg::inputs_t in_i,
    output logic [ 3:0] in_ready_o,
    output onyx_pkg::outputs_t out_o,
    input  logic [ 2:0] out_ready_i
);
  localparam logic [2:0] ModeJoiner = 3'd0;
  localparam logic [2:0] ModeCrdDrop = 3'd1;
  localparam logic [2:0] ModeCrdHold = 3'd2;
  localparam logic [2:0] ModeAlu = 3'd3;
  localparam logic [2:0] ModeRepeat = 3'd4;
  localparam logic [2:0] ModeRsg = 3'd5;
  localparam logic [2:0] ModeReduce = 3'd6;

  logic used, en;
  assign used = tile_en_i & cfg0_i[0];
  assign en   = en_i & used;

  // Heads of the input FIFOs (h0 .. h3) and tails of the output FIFOs (t0 .. t2).
  onyx_pkg::stream_t h0, h1, h2, h3, t0, t1, t2;
  logic [3:0] head_ready;
  logic [2:0] tail_ready;
  onyx_port_fifos u_ports (
      .clk_i,
      .rst_ni,
      .en_i        (en),
      .flush_i,
      .used_i      (used),
      .in_i,
      .in_ready_o,
      .head_o      ({h3, h2, h1, h0}),
      .head_ready_i(head_ready),
      .tail_i      ({t2, t1, t0}),
      .tail_ready_o(tail_ready),
      .out_o,
      .out_ready_i
  );

  // One enable for each primitive: an idle one neither moves nor costs.
  logic on_joiner, on_drop, on_hold, on_alu, on_repeat, on_rsg, on_reduce;
  assign on_joiner = en & (mode_i == ModeJoiner);
  assign on_drop   = en & (mode_i == ModeCrdDrop);
  assign on_hold   = en & (mode_i == ModeCrdHold);
  assign on_alu    = en & (mode_i == ModeAlu);
  assign on_repeat = en & (mode_i == ModeRepeat);
  assign on_rsg    = en & (mode_i == ModeRsg);
  assign on_reduce = en & (mode_i == ModeReduce);

  logic joiner_hazard, joiner_hazard_crd, drop_hazard_empty, drop_hazard_uneven, hold_hazard, alu_hazard, repeat_hazard;
  logic repeat_hazard_leading, reduce_hazard;
  logic [16:0] joiner_out0_data, joiner_out1_data, joiner_out2_data;
  logic joiner_in0_ready, joiner_in1_ready, joiner_in2_ready, joiner_in3_ready, joiner_out0_valid, joiner_out1_valid, joiner_out2_valid;
  logic [4:0] unused_stir;  // for netlists with gated clocks
  onyx_intersect i_joiner (
      .clk_i,
      .rst_ni,
      .en_i        (on_joiner),
      .flush_i,
      .joiner_op_i (cfg0_i[1]),
      .crd0_data_i (h0.data),
      .crd0_valid_i(h0.valid),
      .crd0_ready_o(joiner_in0_ready),
      .crd1_data_i (h1.data),
      .crd1_valid_i(h1.valid),
      .crd1_ready_o(joiner_in1_ready),
      .pos0_data_i (h2.data),
      .pos0_valid_i(h2.valid),
      .pos0_ready_o(joiner_in2_ready),
      .pos1_data_i (h3.data),
      .pos1_valid_i(h3.valid),
      .pos1_ready_o(joiner_in3_ready),
      .crd_data_o  (joiner_out0_data),
      .crd_valid_o (joiner_out0_valid),
      .crd_ready_i (tail_ready[0]),
      .pos0_data_o (joiner_out1_data),
      .pos0_valid_o(joiner_out1_valid),
      .pos0_ready_i(tail_ready[1]),
      .pos1_data_o (joiner_out2_data),
      .pos1_valid_o(joiner_out2_valid),
      .pos1_ready_i(tail_ready[2]),
      .stir_o       (unused_stir[0]),
      .hazard_o(joiner_hazard),
      .hazard_crd_o(joiner_hazard_crd)
  );

  logic [16:0] drop_out0_data, drop_out1_data;
  logic drop_in0_ready, drop_in1_ready, drop_out0_valid, drop_out1_valid;
  onyx_crddrop i_drop (
      .clk_i,
      .rst_ni,
      .en_i         (on_drop),
      .flush_i,
      .inner_data_i (h0.data),
      .inner_valid_i(h0.valid),
      .inner_ready_o(drop_in0_ready),
      .outer_data_i (h1.data),
      .outer_valid_i(h1.valid),
      .outer_ready_o(drop_in1_ready),
      .inner_data_o (drop_out0_data),
      .inner_valid_o(drop_out0_valid),
      .inner_ready_i(tail_ready[0]),
      .outer_data_o (drop_out1_data),
      .outer_valid_o(drop_out1_valid),
      .outer_ready_i(tail_ready[1]),
      .hazard_empty_o (drop_hazard_empty),
      .hazard_uneven_o(drop_hazard_uneven)
  );

  logic [16:0] hold_out0_data, hold_out1_data;
  logic hold_in0_ready, hold_in1_ready, hold_out0_valid, hold_out1_valid;
  onyx_crdhold i_hold (
      .clk_i,
      .rst_ni,
      .en_i         (on_hold),
      .flush_i,
      .inner_data_i (h0.data),
      .inner_valid_i(h0.valid),
      .inner_ready_o(hold_in0_ready),
      .outer_data_i (h1.data),
      .outer_valid_i(h1.valid),
      .outer_ready_o(hold_in1_ready),
      .inner_data_o (hold_out0_data),
      .inner_valid_o(hold_out0_valid),
      .inner_ready_i(tail_ready[0]),
      .outer_data_o (hold_out1_data),
      .outer_valid_o(hold_out1_valid),
      .outer_ready_i(tail_ready[1]),
      .stir_o       (unused_stir[1]),
      .hazard_o(hold_hazard)
  );

  logic [16:0] alu_out0_data;
  logic alu_in0_ready, alu_in1_ready, alu_out0_valid;
  onyx_alu i_alu (
      .clk_i,
      .rst_ni,
      .en_i         (on_alu),
      .flush_i,
      .inst_i       ({cfg2_i[20:0], cfg1_i, cfg0_i[31:1]}),
      .data0_data_i (h0.data),
      .data0_valid_i(h0.valid),
      .data0_ready_o(alu_in0_ready),
      .data1_data_i (h1.data),
      .data1_valid_i(h1.valid),
      .data1_ready_o(alu_in1_ready),
      .res_data_o   (alu_out0_data),
      .res_valid_o  (alu_out0_valid),
      .res_ready_i  (tail_ready[0]),
      .hazard_o(alu_hazard)
  );

  logic [16:0] repeat_out0_data;
  logic repeat_in0_ready, repeat_in1_ready, repeat_out0_valid;
  onyx_repeat i_repeat (
      .clk_i,
      .rst_ni,
      .en_i          (on_repeat),
      .flush_i,
      .root_i        (cfg0_i[18]),
      .spacc_i       (cfg0_i[17]),
      .proc_data_i   (h0.data),
      .proc_valid_i  (h0.valid),
      .proc_ready_o  (repeat_in0_ready),
      .repsig_data_i (h1.data),
      .repsig_valid_i(h1.valid),
      .repsig_ready_o(repeat_in1_ready),
      .ref_data_o    (repeat_out0_data),
      .ref_valid_o   (repeat_out0_valid),
      .ref_ready_i   (tail_ready[0]),
      .stir_o       (unused_stir[2]),
      .hazard_o(repeat_hazard),
      .hazard_leading_o(repeat_hazard_leading)
  );

  logic [16:0] rsg_out0_data;
  logic rsg_in0_ready, rsg_out0_valid;
  onyx_rsg i_rsg (
      .clk_i,
      .rst_ni,
      .en_i          (on_rsg),
      .flush_i,
      .base_data_i   (h0.data),
      .base_valid_i  (h0.valid),
      .base_ready_o  (rsg_in0_ready),
      .repsig_data_o (rsg_out0_data),
      .repsig_valid_o(rsg_out0_valid),
      .repsig_ready_i(tail_ready[0]),
      .stir_o        (unused_stir[4])
  );

  logic [16:0] reduce_out0_data;
  logic reduce_in0_ready, reduce_out0_valid;
  onyx_reduce i_reduce (
      .clk_i,
      .rst_ni,
      .en_i           (on_reduce),
      .flush_i,
      .default_value_i({cfg1_i[0], cfg0_i[31:17]}),
      .bf16_i         (cfg1_i[1]),
      .in_data_i      (h0.data),
      .in_valid_i     (h0.valid),
      .in_ready_o     (reduce_in0_ready),
      .out_data_o     (reduce_out0_data),
      .out_valid_o    (reduce_out0_valid),
      .out_ready_i    (tail_ready[0]),
      .stir_o       (unused_stir[3]),
      .hazard_o(reduce_hazard)
  );

  // The mode's primitive takes the heads and feeds the tails; the ports it lacks stand still.
  always_comb begin
    head_ready = 4'd0;
    t0 = {1'b0, joiner_out0_data};
    t1 = {1'b0, joiner_out1_data};
    t2 = {1'b0, joiner_out2_data};
    unique case (mode_i)
      ModeJoiner: begin
        head_ready = {joiner_in3_ready, joiner_in2_ready, joiner_in1_ready, joiner_in0_ready};
        t0.valid = joiner_out0_valid;
        t1.valid = joiner_out1_valid;
        t2.valid = joiner_out2_valid;
      end
      ModeCrdDrop: begin
        head_ready[1:0] = {drop_in1_ready, drop_in0_ready};
        t0 = {drop_out0_valid, drop_out0_data};
        t1 = {drop_out1_valid, drop_out1_data};
      end
      ModeCrdHold: begin
        head_ready[1:0] = {hold_in1_ready, hold_in0_ready};
        t0 = {hold_out0_valid, hold_out0_data};
        t1 = {hold_out1_valid, hold_out1_data};
      end
      ModeAlu: begin
        head_ready[1:0] = {alu_in1_ready, alu_in0_ready};
        t0 = {alu_out0_valid, alu_out0_data};
      end
      ModeRepeat: begin
        head_ready[1:0] = {repeat_in1_ready, repeat_in0_ready};
        t0 = {repeat_out0_valid, repeat_out0_data};
      end
      ModeRsg: begin
        head_ready[0] = rsg_in0_ready;
        t0 = {rsg_out0_valid, rsg_out0_data};
      end
      ModeReduce: begin
        head_ready[0] = reduce_in0_ready;
        t0 = {reduce_out0_valid, reduce_out0_data};
      end
      default: ;
    endcase
  end

  generate
    if (Monitors) begin : g_monitors
      logic [8:0] hazard_q  /* verilator public_flat_rd */;
      logic [8:0] now;
      assign now = {
        on_repeat & repeat_hazard_leading,
        on_joiner & joiner_hazard_crd,
        on_reduce & reduce_hazard,
        on_repeat & repeat_hazard,
        on_alu & alu_hazard,
        on_hold & hold_hazard,
        on_drop & drop_hazard_uneven,
        on_drop & drop_hazard_empty,
        on_joiner & joiner_hazard
      };
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) hazard_q <= 9'd0;
        else if (en) hazard_q <= flush_i ? 9'd0 : hazard_q | now;
      end
    end
  endgenerate
endmodule
