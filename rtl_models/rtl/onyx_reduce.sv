// Scalar reducer: the wrap-around 16-bit sum of every fiber of the innermost level. On profile onyx-ext values may be
// bfloat16 numbers (bf16_i), or be combined by another operation than the sum (op_i, onyx_combine), one after the
// other; by another one every fiber begins with the default value, the first one too. With float32_i a sum of bfloat16
// numbers is a float32, rounded once as it leaves.
//
// A stop of level n sends the sum as data, then, for n > 0, a stop of level n-1. Sums start from
// default_value_i, the first after a flush from 0 (the chip's way). A maybe adds nothing. Done passes.
//
// Handshake: made to stand between FIFOs; out valid does not depend on out ready. A fiber of N >= 1 values
// takes N+4 cycles, an empty one 3, done 2, as on the chip.
module onyx_reduce (
    input  logic clk_i, rst_ni, en_i, flush_i,
    input  logic [15:0] default_value_i,
    input  logic        bf16_i,
    input  logic [ 3:0] op_i,
    input  logic        float32_i,
    input  onyx_pkg::stream_t in_i, output logic in_ready_o,
    output onyx_pkg::stream_t out_o, input  logic out_ready_i,
    output logic        stir_o,  // a register may change at the edge though no word moves at a port
    output logic        hazard_o  // the chip hangs at this maybe
);
  typedef enum logic [2:0] {StStart = 3'd0,
    StAdd = 3'd1,
    StSum = 3'd2,   // the sum leaves
    StStop = 3'd3,  // the stop behind it is taken and leaves one level lower
    StDone = 3'd4} state_e;

  state_e state_q, state_d;
  logic [15:0] sum_q, sum_d;

  logic [15:0] low_q, low_d;  // of a float32, whose upper half is the sum
  logic wide;
  assign wide = float32_i & bf16_i & (op_i == 4'd0);

  logic [15:0] next_sum, unused_entry;
  onyx_combine i_combine (
      .op_i, .bf16_i,
      .a_i     (sum_q),
      .b_i     (in_i.data[15:0]),
      .entry_o (unused_entry),
      .result_o(next_sum)
  );

  logic [31:0] next_wide;
  onyx_float_sum i_float_sum (
      .a_i  ({sum_q, low_q}),
      .b_i  (in_i.data[15:0]),
      .sum_o(next_wide)
  );

  // The bfloat16 nearest to the float32, ties to even: a NaN has no lower half.
  logic [15:0] rounded;
  assign rounded = sum_q + {15'd0, low_q[15] & (sum_q[0] | (low_q[14:0] != 15'd0))};

  logic stop, done, item, level0;
  assign stop   = in_i.data[16] & (in_i.data[9:8] == 2'd0);
  assign done   = in_i.data[16] & (in_i.data[9:8] == 2'd1);
  assign item   = ~stop & ~done;
  assign level0 = in_i.data[7:0] == 8'd0;

  always_comb begin
    state_d     = state_q;
    {sum_d, low_d} = {sum_q, low_q};
    in_ready_o  = 1'b0;
    out_o.valid = 1'b0;
    out_o.data  = in_i.data;
    unique case (state_q)
      StStart: begin
        if (in_i.valid) state_d = item ? StAdd : stop ? StSum : StDone;
        if (in_i.valid && op_i != 4'd0) sum_d = default_value_i;
      end
      StAdd: begin
        in_ready_o = in_i.valid & item;
        if (in_ready_o && !in_i.data[16]) begin
          sum_d = wide ? next_wide[31:16] : next_sum;
          low_d = wide ? next_wide[15:0] : 16'd0;
        end
        if (in_i.valid && !item) state_d = StSum;
      end
      StSum: begin
        out_o.valid = 1'b1;
        out_o.data  = {1'b0, rounded};
        if (out_ready_i) state_d = StStop;
      end
      StStop: begin
        // A done without an earlier stop (a lone fiber) ends the sum, too.
        out_o.valid = done | ~level0;
        if (stop) out_o.data = {in_i.data[16:8], in_i.data[7:0] - 8'd1};
        in_ready_o = ~out_o.valid | out_ready_i;
        if (in_ready_o) begin
          sum_d   = default_value_i;
          low_d   = 16'd0;
          state_d = StStart;
        end
      end
      default: begin
        out_o.valid = 1'b1;
        in_ready_o  = out_ready_i;
        if (out_ready_i) state_d = StStart;
      end
    endcase
  end

  assign hazard_o = (state_q == StAdd) & in_i.valid & in_i.data[16] & (in_i.data[9:8] == 2'd2);

  assign stir_o = (state_d != state_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StStart;
      sum_q   <= 16'd0;
      low_q   <= 16'd0;
    end else if (en_i) begin
      state_q <= flush_i ? StStart : state_d;
      sum_q   <= flush_i ? 16'd0 : sum_d;
      low_q   <= flush_i ? 16'd0 : low_d;
    end
  end
`include "onyx_assert.svh"
  `ONYX_ASSERT(LowOfFloat32, wide || low_q == 16'd0, "sums other than float32 have no lower half")
  `ONYX_ASSERT(KnownState, state_q <= StDone, "the state is one of those named")
endmodule
