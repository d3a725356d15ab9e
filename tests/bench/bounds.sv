// What primitives that nobody has built would be at least, for their area (study_bounds.py): the registers and the arithmetic of
// their contract, without a FIFO, stops or a flush. No tile has them.

// Two bit vectors of 16 coordinates a word, with the references at which their entries begin: one coordinate that both have, and its
// two references, a cycle.
module bound_bit_join (
    input  logic clk_i, rst_ni,
    input  logic word_valid_i, output logic word_ready_o,
    input  logic [15:0] a_i, b_i,
    output logic out_valid_o, input  logic out_ready_i,
    output logic [15:0] crd_o, ref_a_o, ref_b_o
);
  logic [15:0] a_q, b_q, left_q, ref_a_q, ref_b_q;
  logic [11:0] word_q;
  logic [15:0] one, below;
  logic [3:0] at;
  logic [4:0] in_a, in_b, all_a, all_b;
  assign one   = left_q & (~left_q + 16'd1);
  assign below = one - 16'd1;
  always_comb begin
    at = 4'd0;
    in_a = 5'd0;
    in_b = 5'd0;
    all_a = 5'd0;
    all_b = 5'd0;
    for (int i = 0; i < 16; i++) begin
      if (one[i]) at = 4'(i);
      in_a  = in_a + {4'd0, a_q[i] & below[i]};
      in_b  = in_b + {4'd0, b_q[i] & below[i]};
      all_a = all_a + {4'd0, a_q[i]};
      all_b = all_b + {4'd0, b_q[i]};
    end
  end
  assign out_valid_o  = left_q != 16'd0;
  assign word_ready_o = left_q == 16'd0 || (out_ready_i && left_q == one);
  assign crd_o        = {word_q, at};
  assign ref_a_o      = ref_a_q + {11'd0, in_a};
  assign ref_b_o      = ref_b_q + {11'd0, in_b};
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {a_q, b_q, left_q, ref_a_q, ref_b_q, word_q} <= '0;
    else if (word_valid_i && word_ready_o) begin
      a_q     <= a_i;
      b_q     <= b_i;
      left_q  <= a_i & b_i;
      ref_a_q <= ref_a_q + {11'd0, all_a};
      ref_b_q <= ref_b_q + {11'd0, all_b};
      word_q  <= word_q + 12'd1;
    end else if (out_ready_i) left_q <= left_q & ~one;
  end
endmodule

// A coordinate is looked for between two entries of a compressed level: a read and a comparison a cycle, half of what is left each.
module bound_locate (
    input  logic clk_i, rst_ni,
    input  logic ask_valid_i, output logic ask_ready_o,
    input  logic [15:0] crd_i, first_i, end_i,
    output logic [15:0] addr_o, input  logic [15:0] read_i,
    output logic out_valid_o, found_o, input  logic out_ready_i
);
  logic [15:0] low_q, high_q, crd_q;
  logic busy_q;
  logic [16:0] both;
  assign both        = {1'b0, low_q} + {1'b0, high_q};
  assign addr_o      = both[16:1];
  assign found_o     = read_i == crd_q;
  assign out_valid_o = busy_q && (found_o || low_q == high_q);
  assign ask_ready_o = !busy_q || (out_valid_o && out_ready_i);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {low_q, high_q, crd_q, busy_q} <= '0;
    else if (ask_valid_i && ask_ready_o) {low_q, high_q, crd_q, busy_q} <= {first_i, end_i, crd_i, 1'b1};
    else if (out_valid_o && out_ready_i) busy_q <= 1'b0;
    else if (busy_q && !out_valid_o) begin
      if (read_i < crd_q) low_q <= addr_o + 16'd1;
      else high_q <= addr_o;
    end
  end
endmodule

// A run of coordinates, by its first and its length: one a cycle, with its reference.
module bound_range_scan (
    input  logic clk_i, rst_ni,
    input  logic run_valid_i, output logic run_ready_o,
    input  logic [15:0] first_i, length_i,
    output logic out_valid_o, input  logic out_ready_i,
    output logic [15:0] crd_o, ref_o
);
  logic [15:0] left_q;
  assign out_valid_o = left_q != 16'd0;
  assign run_ready_o = left_q == 16'd0 || (out_ready_i && left_q == 16'd1);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {left_q, crd_o, ref_o} <= '0;
    else begin
      if (out_valid_o && out_ready_i) ref_o <= ref_o + 16'd1;
      if (run_valid_i && run_ready_o) {left_q, crd_o} <= {length_i, first_i};
      else if (out_ready_i && out_valid_o) {left_q, crd_o} <= {left_q - 16'd1, crd_o + 16'd1};
    end
  end
endmodule
