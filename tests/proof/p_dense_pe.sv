// The PE of the dense fabric on the integer unit: the flags of a difference are comparisons of its operands as numbers
// without and with signs; the look-up table has the bit of its three operands; an operand is its constant, its wire, or
// the wire of the last enabled cycle, and a register that no mode loads stays 0.
//
// The environment chooses the condition, modes and constants once, words, bits and enable in each cycle.
//
// cells: onyx_operate onyx_bf16 onyx_dense_operand onyx_dense_custom onyx_dense_pe
// with: first_reset
// broken: onyx_dense_pe s/assign less = negative != overflow/assign less = negative/
// broken: onyx_dense_pe s/5'd8:    bit_o = carry \&\& !zero/5'd8:    bit_o = carry/
// broken: onyx_dense_pe s/a\[15\] == addend\[15\]/a[15] != addend[15]/
// broken: onyx_dense_pe s/{bit_f, bit_e, bit_d}/{bit_d, bit_e, bit_f}/
// broken: onyx_dense_operand s/en_i \&\& mode_i == ModeDelay/en_i/
// broken: onyx_dense_operand s/en_i \&\& mode_i == ModeDelay/mode_i == ModeDelay/
// broken: onyx_dense_operand s/mode_i == ModeBypass ? data_i : held_q/mode_i == ModeBypass ? held_q : data_i/
`include "proof.svh"
module p_dense_pe (
    input logic        clk_i,
    input logic        rst_ni,
    input logic        en_i,
    input logic [47:0] data_i,
    input logic [ 2:0] bit_i
);
  localparam logic [4:0] OpSbc = 5'd1;
  localparam logic [4:0] OpOr = 5'd9;
  localparam logic [4:0] LookUp = 5'd14;
  localparam logic [17:0] Wire = {16'd0, 2'd2};
  (* anyconst *) logic [4:0] condition;
  (* anyconst *) logic [7:0] lut;
  (* anyconst *) logic [17:0] operand;
  (* anyconst *) logic [2:0] bit_d, bit_e, bit_f;  // constant above mode
  logic live, rst_n;
  first_reset u_reset (.live_o(live), .rst_no(rst_n), .clk_i, .rst_ni);

  // a - b, and an operand beside a look-up.
  logic [15:0] difference, word;
  logic holds, found;
  onyx_dense_pe u_compare (
      .rst_ni(rst_n), .inst_i({3'd2, 3'd2, 3'd4, Wire, Wire, Wire, condition, 8'd0, 1'b0, OpSbc, 2'd0}),
      .data_o(difference), .bit_o(holds), .clk_i, .en_i, .data_i, .bit_i
  );
  onyx_dense_pe u_operand (
      .rst_ni(rst_n), .inst_i({bit_f, bit_e, bit_d, Wire, 18'd0, operand, LookUp, lut, 1'b0, OpOr, 2'd0}),
      .data_o(word), .bit_o(found), .clk_i, .en_i, .data_i, .bit_i
  );

  logic [15:0] a, b;
  logic [16:0] exact;  // with signs
  logic expected;
  assign a     = data_i[15:0];
  assign b     = data_i[31:16];
  assign exact = {a[15], a} - {b[15], b};
  always_comb begin
    case (condition)
      5'd0:    expected = a == b;
      5'd1:    expected = a != b;
      5'd2:    expected = a >= b;
      5'd3:    expected = a < b;
      5'd4:    expected = difference[15];
      5'd5:    expected = !difference[15];
      5'd6:    expected = exact[16] != exact[15];
      5'd7:    expected = exact[16] == exact[15];
      5'd8:    expected = a > b;
      5'd9:    expected = a <= b;
      5'd10:   expected = $signed(a) >= $signed(b);
      5'd11:   expected = $signed(a) < $signed(b);
      5'd12:   expected = $signed(a) > $signed(b);
      5'd13:   expected = $signed(a) <= $signed(b);
      default: expected = holds;
    endcase
  end

  // The wires of the last enabled cycle.
  logic [15:0] word_q, value;
  logic [2:0] bits_q, at;
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) {word_q, bits_q} <= 19'd0;
    else if (en_i) {word_q, bits_q} <= {a, bit_i};
  end
  function automatic logic taken(input logic [2:0] of, input logic now, input logic before);
    taken = of[1:0] == 2'd0 ? of[2] : of[1:0] == 2'd2 ? now : of[1:0] == 2'd3 && before;
  endfunction
  assign value = operand[1:0] == 2'd0 ? operand[17:2] : operand[1:0] == 2'd2 ? a :
                 operand[1:0] == 2'd3 ? word_q : 16'd0;
  assign at = {taken(bit_f, bit_i[2], bits_q[2]), taken(bit_e, bit_i[1], bits_q[1]), taken(bit_d, bit_i[0], bits_q[0])};

  always_comb begin
    if (rst_n) begin
      `PROVE(difference_wraps, difference == exact[15:0])
      `PROVE(comparison, holds == expected)
      `PROVE(operand_of_mode, word == value)
      `PROVE(looked_up, found == lut[at])
      `REACH(less_and_overflow, condition == 5'd11 && holds && !difference[15])
      `REACH(delayed, operand[1:0] == 2'd3 && word == 16'h1234 && a == 16'd0)
      `REACH(all_bits, at == 3'd7 && bit_d[1:0] == 2'd3 && bit_e[1:0] == 2'd2 && found)
    end
  end
endmodule
