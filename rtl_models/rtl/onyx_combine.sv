// Operations of the reducers on two values (profile onyx-ext; 0, the sum, is the chip's): boards/onyx/reductions.def.
// Combinational.
//
// Integers have 16 bits; sums and products wrap around. Sums with infinities (OpAddHigh, OpAddLow) stay in the range,
// whose two ends absorb every addend, the highest or the lowest end first. Numbers of bfloat16 have sum, product,
// least and largest; their order is the order of their bits, -0 below 0. An operation without a name is the sum.
module onyx_combine (
    input  logic [ 3:0] op_i,
    input  logic        bf16_i,
    input  logic [15:0] a_i,
    input  logic [15:0] b_i,
    output logic [15:0] entry_o,  // b_i alone: of a conjunction or disjunction, 0 or 1
    output logic [15:0] result_o  // a_i with b_i; a_i of those is 0 or 1
);
  localparam logic [3:0] OpMul = 4'd1;
  localparam logic [3:0] OpMin = 4'd2;
  localparam logic [3:0] OpMax = 4'd3;
  localparam logic [3:0] OpUMin = 4'd4;
  localparam logic [3:0] OpUMax = 4'd5;
  localparam logic [3:0] OpAnd = 4'd6;
  localparam logic [3:0] OpOr = 4'd7;
  localparam logic [3:0] OpXor = 4'd8;
  localparam logic [3:0] OpLAnd = 4'd9;
  localparam logic [3:0] OpLOr = 4'd10;
  localparam logic [3:0] OpAddHigh = 4'd11;
  localparam logic [3:0] OpAddLow = 4'd12;
  localparam logic [15:0] Highest = 16'h7fff;
  localparam logic [15:0] Lowest = 16'h8000;

  logic [15:0] bf16_result;
  onyx_bf16 i_bf16 (
      .op_i    (op_i == OpMul ? 5'd3 : 5'd0),
      .a_i     (a_i),
      .b_i     (b_i),
      .result_o(bf16_result)
  );

  // Maps a value to a word whose unsigned order is the order of the values.
  function automatic logic [15:0] rank(input logic [15:0] v, input logic is_signed, input logic is_bf16);
    rank = (is_bf16 & v[15]) ? ~v : {v[15] ^ is_signed, v[14:0]};
  endfunction
  logic is_signed, less;
  assign is_signed = op_i == OpMin || op_i == OpMax;
  assign less      = rank(a_i, is_signed, bf16_i) < rank(b_i, is_signed, bf16_i);

  // The sum with infinities.
  logic [16:0] wide;
  logic high, low, beyond_high, beyond_low;
  logic [15:0] absorbed;
  assign wide        = {a_i[15], a_i} + {b_i[15], b_i};
  assign high        = (a_i == Highest) | (b_i == Highest);
  assign low         = (a_i == Lowest) | (b_i == Lowest);
  assign beyond_high = ~wide[16] & wide[15];
  assign beyond_low  = wide[16] & ~wide[15];
  always_comb begin
    if (high && (op_i == OpAddHigh || !low)) absorbed = Highest;
    else if (low) absorbed = Lowest;
    else if (beyond_high) absorbed = Highest;
    else if (beyond_low) absorbed = Lowest;
    else absorbed = wide[15:0];
  end

  assign entry_o = (op_i == OpLAnd || op_i == OpLOr) ? {15'd0, b_i != 16'd0} : b_i;

  always_comb begin
    unique case (op_i)
      OpMul:              result_o = bf16_i ? bf16_result : a_i * b_i;
      OpMin, OpUMin:      result_o = less ? a_i : b_i;
      OpMax, OpUMax:      result_o = less ? b_i : a_i;
      OpAnd, OpLAnd:      result_o = a_i & entry_o;
      OpOr, OpLOr:        result_o = a_i | entry_o;
      OpXor:              result_o = a_i ^ b_i;
      OpAddHigh, OpAddLow: result_o = absorbed;
      default:            result_o = bf16_i ? bf16_result : a_i + b_i;
    endcase
  end
`include "onyx_assert.svh"
  `ONYX_ASSERT_COMB(TruthIsOneBit, (op_i != OpLAnd && op_i != OpLOr) || entry_o[15:1] == 15'd0,
      "the entry of a conjunction or disjunction is 0 or 1")
endmodule
