// An integer operation of a PE on three words and a bit. Combinational; unknown opcodes give 0.
module onyx_operate (
    input  logic [ 4:0] op_i,
    input  logic        signed_i,
    input  logic [15:0] a_i,
    input  logic [15:0] b_i,
    input  logic [15:0] c_i,
    input  logic        d_i,
    output logic [15:0] result_o
);
  localparam logic [4:0] OpAdc = 5'd0;
  localparam logic [4:0] OpSbc = 5'd1;
  localparam logic [4:0] OpAbs = 5'd2;
  localparam logic [4:0] OpSel = 5'd3;
  localparam logic [4:0] OpMult0 = 5'd4;
  localparam logic [4:0] OpMult1 = 5'd5;
  localparam logic [4:0] OpMult2 = 5'd6;
  localparam logic [4:0] OpShr = 5'd7;
  localparam logic [4:0] OpShl = 5'd8;
  localparam logic [4:0] OpOr = 5'd9;
  localparam logic [4:0] OpAnd = 5'd10;
  localparam logic [4:0] OpXor = 5'd11;
  localparam logic [4:0] OpMulAdd = 5'd12;
  localparam logic [4:0] OpMulSub = 5'd13;
  localparam logic [4:0] OpTaa = 5'd14;
  localparam logic [4:0] OpTas = 5'd15;
  localparam logic [4:0] OpTsa = 5'd16;
  localparam logic [4:0] OpTss = 5'd17;
  localparam logic [4:0] OpCrop = 5'd18;
  localparam logic [4:0] OpMulShr = 5'd19;

  // x < y of 16-bit numbers, signed ones by an inverted sign bit.
  function automatic logic below(input logic [15:0] x, input logic [15:0] y, input logic sign);
    below = {x[15] ^ sign, x[14:0]} < {y[15] ^ sign, y[14:0]};
  endfunction

  // x >> amount, with copies of the sign when sign is set; an amount of 16 or more shifts everything out.
  function automatic logic [15:0] right(input logic [15:0] x, input logic [15:0] amount, input logic sign);
    logic [15:0] kept;
    kept  = (amount[15:4] != 12'd0) ? 16'd0 : 16'hffff >> amount[3:0];
    right = (x >> amount) | ((sign & x[15]) ? ~kept : 16'd0);
  endfunction

  // The product's operands are extended to 32 bits by their signedness; 16 of its bits are used at a time.
  logic [31:0] product;
  logic [15:0] smaller, sum, difference;
  assign product    = {{16{signed_i & a_i[15]}}, a_i} * {{16{signed_i & b_i[15]}}, b_i};
  assign smaller    = below(b_i, a_i, signed_i) ? b_i : a_i;
  assign sum        = a_i + b_i + {15'd0, d_i};
  assign difference = a_i + ~b_i + {15'd0, d_i};

  always_comb begin
    unique case (op_i)
      OpAdc:    result_o = sum;
      OpSbc:    result_o = difference;
      OpAbs:    result_o = a_i[15] ? -a_i : a_i;
      OpSel:    result_o = d_i ? a_i : b_i;
      OpMult0:  result_o = product[15:0];
      OpMult1:  result_o = product[23:8];
      OpMult2:  result_o = product[31:16];
      OpShr:    result_o = right(a_i, c_i, signed_i);
      OpShl:    result_o = (b_i[15:4] != 12'd0) ? 16'd0 : a_i << b_i[3:0];
      OpOr:     result_o = a_i | b_i;
      OpAnd:    result_o = a_i & b_i;
      OpXor:    result_o = a_i ^ b_i;
      OpMulAdd: result_o = product[15:0] + c_i;
      OpMulSub: result_o = product[15:0] - c_i;
      OpTaa:    result_o = sum + c_i;
      OpTas:    result_o = sum - c_i;
      OpTsa:    result_o = difference + c_i;
      OpTss:    result_o = difference - c_i;
      OpCrop:   result_o = below(smaller, c_i, signed_i) ? c_i : smaller;
      OpMulShr: result_o = right(product[15:0], c_i, signed_i);
      default:  result_o = 16'd0;
    endcase
  end
`include "onyx_assert.svh"
  `ONYX_ASSERT_COMB(CropIsNotBelow, op_i != OpCrop || !below(result_o, c_i, signed_i), "a crop is not below its limit")
  `ONYX_ASSERT_COMB(UnknownGivesZero, op_i <= OpMulShr || result_o == 16'd0, "unknown opcodes give 0")
endmodule
