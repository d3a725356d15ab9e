// The primitives of a PE tile, one of them at work at a time, between the heads of the tile's input FIFOs and the tails
// of its output FIFOs (onyx_core).
//
// Ports by mode (mode_i):
//   joiner: in0, in1 coordinates, in2, in3 positions -> out0 coordinate, out1, out2 positions
//   crddrop, crdhold: in0 inner, in1 outer -> out0 inner, out1 outer          alu: in0, in1 operands -> out0 result
//   region_join: as joiner
//   repeat: in0 proc (references), in1 repsig -> out0 references   rsg: in0 -> out0 repsig   reduce: in0 -> out0 sums
// Only the clock of the mode's primitive runs, while en_i. hazard_o: what is at fault in this cycle, a bit a kind.
module onyx_pe_core (
    input  logic clk_i, rst_ni, en_i, flush_i,
    input  logic [2:0] mode_i,
    // verilator lint_off UNUSEDSIGNAL
    input  logic [127:0] space_i,
    // verilator lint_on UNUSEDSIGNAL
    input  onyx_pkg::inputs_t head_i, output logic [3:0] head_ready_o,
    output onyx_pkg::outputs_t tail_o, input  logic [2:0] tail_ready_i,
    output logic [9:0] hazard_o
);
  localparam logic [2:0] ModeJoiner = 3'(onyx_fabric_pkg::PE_MODE_INTERSECT_UNIT);
  localparam logic [2:0] ModeCrdDrop = 3'(onyx_fabric_pkg::PE_MODE_CRDDROP);
  localparam logic [2:0] ModeCrdHold = 3'(onyx_fabric_pkg::PE_MODE_CRDHOLD);
  localparam logic [2:0] ModeAlu = 3'(onyx_fabric_pkg::PE_MODE_PE_ONYX);
  localparam logic [2:0] ModeRepeat = 3'(onyx_fabric_pkg::PE_MODE_REPEAT);
  localparam logic [2:0] ModeRsg = 3'(onyx_fabric_pkg::PE_MODE_REPEATSIGNALGENERATOR);
  localparam logic [2:0] ModeReduce = 3'(onyx_fabric_pkg::PE_MODE_REG_CR);
  localparam logic [2:0] ModeRegions = 3'(onyx_fabric_pkg::PE_MODE_REGION_JOIN);

  onyx_pkg::stream_t h0, h1, h2, h3, t0, t1, t2;
  assign {h3, h2, h1, h0} = head_i;
  assign tail_o = {t2, t1, t0};

  // An enable for each primitive: an idle primitive neither moves nor costs energy.
  logic on_joiner, on_drop, on_hold, on_alu, on_repeat, on_rsg, on_reduce, on_regions;
  assign on_joiner = en_i & (mode_i == ModeJoiner);
  assign on_drop   = en_i & (mode_i == ModeCrdDrop);
  assign on_hold   = en_i & (mode_i == ModeCrdHold);
  assign on_alu    = en_i & (mode_i == ModeAlu);
  assign on_repeat = en_i & (mode_i == ModeRepeat);
  assign on_rsg    = en_i & (mode_i == ModeRsg);
  assign on_reduce = en_i & (mode_i == ModeReduce);
  assign on_regions = en_i & (mode_i == ModeRegions);

  // Ready, outputs and hazards of each primitive.
  logic [3:0] joiner_ready, regions_ready;
  logic [1:0] drop_ready, hold_ready, alu_ready, repeat_ready;
  logic rsg_ready, reduce_ready;
  onyx_pkg::stream_t joiner0, joiner1, joiner2, regions0, regions1, regions2, drop0, drop1, hold0, hold1, alu0, repeat0, rsg0, reduce0;
  logic [9:0] hazard;
  logic hazard_joiner, hazard_regions;
  assign hazard[7] = (on_joiner & hazard_joiner) | (on_regions & hazard_regions);
  assign hazard_o = hazard & {on_repeat, on_repeat, 1'b1, on_reduce, on_repeat, on_alu, on_hold, on_drop, on_drop, on_joiner};
  logic [4:0] unused_stir;  // for netlists with gated clocks

  onyx_intersect i_joiner (
      .clk_i, .rst_ni, .en_i(on_joiner), .flush_i,
      .joiner_op_i(space_i[onyx_fabric_pkg::INTERSECT_UNIT_JOINER_OP_LO]),
      .crd0_i(h0), .crd0_ready_o(joiner_ready[0]), .crd1_i(h1), .crd1_ready_o(joiner_ready[1]),
      .pos0_i(h2), .pos0_ready_o(joiner_ready[2]), .pos1_i(h3), .pos1_ready_o(joiner_ready[3]),
      .crd_o(joiner0), .crd_ready_i(tail_ready_i[0]),
      .pos0_o(joiner1), .pos0_ready_i(tail_ready_i[1]), .pos1_o(joiner2), .pos1_ready_i(tail_ready_i[2]),
      .stir_o(unused_stir[0]), .hazard_o(hazard[0]), .hazard_crd_o(hazard_joiner)
  );
  onyx_region_join i_regions (
      .clk_i, .rst_ni, .en_i(on_regions), .flush_i,
      .regions_i(space_i[onyx_fabric_pkg::REGION_JOIN_REGIONS_LO+:onyx_fabric_pkg::REGION_JOIN_REGIONS_BITS]),
      .crd0_i(h0), .crd0_ready_o(regions_ready[0]), .crd1_i(h1), .crd1_ready_o(regions_ready[1]),
      .pos0_i(h2), .pos0_ready_o(regions_ready[2]), .pos1_i(h3), .pos1_ready_o(regions_ready[3]),
      .crd_o(regions0), .crd_ready_i(tail_ready_i[0]),
      .pos0_o(regions1), .pos0_ready_i(tail_ready_i[1]), .pos1_o(regions2), .pos1_ready_i(tail_ready_i[2]),
      .hazard_o(hazard_regions)
  );
  onyx_crddrop i_drop (
      .clk_i, .rst_ni, .en_i(on_drop), .flush_i,
      .inner_i(h0), .inner_ready_o(drop_ready[0]), .outer_i(h1), .outer_ready_o(drop_ready[1]),
      .inner_o(drop0), .inner_ready_i(tail_ready_i[0]), .outer_o(drop1), .outer_ready_i(tail_ready_i[1]),
      .hazard_empty_o(hazard[1]), .hazard_uneven_o(hazard[2])
  );
  onyx_crdhold i_hold (
      .clk_i, .rst_ni, .en_i(on_hold), .flush_i, .stir_o(unused_stir[1]), .hazard_o(hazard[3]),
      .inner_i(h0), .inner_ready_o(hold_ready[0]), .outer_i(h1), .outer_ready_o(hold_ready[1]),
      .inner_o(hold0), .inner_ready_i(tail_ready_i[0]), .outer_o(hold1), .outer_ready_i(tail_ready_i[1])
  );
  onyx_alu i_alu (
      .clk_i, .rst_ni, .en_i(on_alu), .flush_i,
      .inst_i(space_i[onyx_fabric_pkg::PE_ONYX_ONYXPEINTF_BIT2_LO:onyx_fabric_pkg::PE_ONYX_ONYXPEINTF_KIND_LO]),
      .data0_i(h0), .data0_ready_o(alu_ready[0]), .data1_i(h1), .data1_ready_o(alu_ready[1]),
      .res_o(alu0), .res_ready_i(tail_ready_i[0]), .hazard_o(hazard[4])
  );
  onyx_repeat i_repeat (
      .clk_i, .rst_ni, .en_i(on_repeat), .flush_i,
      .root_i(space_i[onyx_fabric_pkg::REPEAT_ROOT_LO]), .spacc_i(space_i[onyx_fabric_pkg::REPEAT_SPACC_MODE_LO]),
      .proc_i(h0), .proc_ready_o(repeat_ready[0]), .repsig_i(h1), .repsig_ready_o(repeat_ready[1]),
      .ref_o(repeat0), .ref_ready_i(tail_ready_i[0]), .stir_o(unused_stir[2]), .hazard_o(hazard[5]),
      .hazard_leading_o(hazard[8]), .hazard_maybe_o(hazard[9])
  );
  onyx_rsg i_rsg (
      .clk_i, .rst_ni, .en_i(on_rsg), .flush_i,
      .base_i(h0), .base_ready_o(rsg_ready), .repsig_o(rsg0), .repsig_ready_i(tail_ready_i[0]),
      .stir_o(unused_stir[4])
  );
  onyx_reduce i_reduce (
      .clk_i, .rst_ni, .en_i(on_reduce), .flush_i,
      .default_value_i(space_i[onyx_fabric_pkg::REG_CR_DEFAULT_VALUE_LO+:onyx_fabric_pkg::REG_CR_DEFAULT_VALUE_BITS]),
      .bf16_i(space_i[onyx_fabric_pkg::REG_CR_BF16_LO]),
      .op_i(space_i[onyx_fabric_pkg::REG_CR_OP_LO+:onyx_fabric_pkg::REG_CR_OP_BITS]),
      .float32_i(space_i[onyx_fabric_pkg::REG_CR_FLOAT32_LO]),
      .in_i(h0), .in_ready_o(reduce_ready), .out_o(reduce0), .out_ready_i(tail_ready_i[0]),
      .stir_o(unused_stir[3]), .hazard_o(hazard[6])
  );

  // The mode's primitive takes the heads and feeds the tails; its missing ports stand still.
  always_comb begin
    head_ready_o = 4'd0;
    t0 = {1'b0, joiner0.data};
    t1 = {1'b0, joiner1.data};
    t2 = {1'b0, joiner2.data};
    unique case (mode_i)
      ModeJoiner: begin
        head_ready_o = joiner_ready;
        t0 = joiner0;
        t1 = joiner1;
        t2 = joiner2;
      end
      ModeRegions: begin
        head_ready_o = regions_ready;
        t0 = regions0;
        t1 = regions1;
        t2 = regions2;
      end
      ModeCrdDrop: begin
        head_ready_o[1:0] = drop_ready;
        t0 = drop0;
        t1 = drop1;
      end
      ModeCrdHold: begin
        head_ready_o[1:0] = hold_ready;
        t0 = hold0;
        t1 = hold1;
      end
      ModeAlu: begin
        head_ready_o[1:0] = alu_ready;
        t0 = alu0;
      end
      ModeRepeat: begin
        head_ready_o[1:0] = repeat_ready;
        t0 = repeat0;
      end
      ModeRsg: begin
        head_ready_o[0] = rsg_ready;
        t0 = rsg0;
      end
      ModeReduce: begin
        head_ready_o[0] = reduce_ready;
        t0 = reduce0;
      end
      default: ;
    endcase
  end
`include "onyx_assert.svh"
  `ONYX_ASSERT(IdleIsSilent, en_i || hazard_o == 10'd0, "no monitor speaks of a tile that stands still")
endmodule
