// Lower bounds of area for primitives that do not exist (study_bounds.py): the registers and the arithmetic of their
// contract, without a FIFO, stops or a flush. No tile has these primitives.

// Two bit vectors of 16 coordinates a word, with the references of their first entries: a common coordinate and its
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

// A coordinate is looked for between two entries of a compressed level: a read and a comparison a cycle, half of what
// is left each.
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

// A run of coordinates, by its first and its length: a coordinate a cycle, with its reference.
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

// A parallelizer of two ways: the sub-trees of each fiber, whose stops are below level depth_i (single tokens: 0), go
// to the ways in turn; what ends a fiber goes to both. Bit 16 is that of a stop or of done, bits 1 and 0 the level, bit
// 8 done.
module bound_deal (
    input  logic clk_i, rst_ni,
    input  logic [1:0] depth_i,
    input  logic in_valid_i, output logic in_ready_o,
    input  logic [16:0] in_i,
    output logic [1:0] out_valid_o, input  logic [1:0] out_ready_i,
    output logic [16:0] out_o
);
  logic turn_q;
  logic [1:0] gone_q, now;  // ways that have what goes to both
  logic both, ends;
  assign both        = in_i[16] && (in_i[8] || in_i[1:0] >= depth_i);
  assign ends        = !both && (depth_i == 2'd0 || (in_i[16] && in_i[1:0] + 2'd1 == depth_i));
  assign out_o       = in_i;
  assign out_valid_o = {2{in_valid_i}} & (both ? ~gone_q : {turn_q, !turn_q});
  assign now         = out_valid_o & out_ready_i;
  assign in_ready_o  = both ? (gone_q | now) == 2'b11 : now != 2'b00;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {turn_q, gone_q} <= '0;
    else if (in_valid_i && in_ready_o) begin
      gone_q <= 2'b00;
      turn_q <= both ? 1'b0 : turn_q ^ ends;
    end else if (in_valid_i && both) gone_q <= gone_q | now;
  end
endmodule

// A serializer of two ways: takes sub-trees back in turn, and closing tokens of a fiber from both at once.
module bound_gather (
    input  logic clk_i, rst_ni,
    input  logic [1:0] depth_i,
    input  logic [1:0] in_valid_i, output logic [1:0] in_ready_o,
    input  logic [33:0] in_i,
    output logic out_valid_o, input  logic out_ready_i,
    output logic [16:0] out_o
);
  logic turn_q, both, ends;
  logic [16:0] head;
  assign head        = turn_q ? in_i[33:17] : in_i[16:0];
  assign both        = head[16] && (head[8] || head[1:0] >= depth_i);
  assign ends        = !both && (depth_i == 2'd0 || (head[16] && head[1:0] + 2'd1 == depth_i));
  assign out_o       = head;
  assign out_valid_o = both ? in_valid_i == 2'b11 : in_valid_i[turn_q];
  assign in_ready_o  = {2{out_valid_o && out_ready_i}} & (both ? 2'b11 : {turn_q, !turn_q});
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) turn_q <= 1'b0;
    else if (out_valid_o && out_ready_i) turn_q <= both ? 1'b0 : turn_q ^ ends;
  end
endmodule

// Stores of sums at computed addresses, beside a memory of four values of 16 bits a line: adds a value to its place,
// one a cycle; the previous write to the same line is forwarded. Afterwards the whole memory is read out, a value a
// cycle.
module bound_scatter (
    input  logic clk_i, rst_ni,
    input  logic point_valid_i, output logic point_ready_o,
    input  logic [10:0] place_i,
    input  logic [15:0] val_i,
    input  logic end_i,
    output logic read_en_o, write_en_o,
    output logic [8:0] read_addr_o, write_addr_o,
    input  logic [63:0] read_i, output logic [63:0] write_o,
    output logic out_valid_o, input  logic out_ready_i,
    output logic [15:0] out_o
);
  logic [10:0] place_q, at_q;
  logic [15:0] val_q;
  logic [63:0] last_q, line;
  logic [8:0] last_addr_q;
  logic busy_q, last_valid_q, out_q, lead_q;
  assign line          = last_valid_q && last_addr_q == place_q[10:2] ? last_q : read_i;
  assign point_ready_o = !out_q;
  assign read_en_o     = (point_valid_i && point_ready_o) || out_q;
  assign read_addr_o   = out_q ? at_q[10:2] : place_i[10:2];
  assign write_en_o    = busy_q || (out_q && out_ready_i && at_q[1:0] == 2'd3);
  assign write_addr_o  = busy_q ? place_q[10:2] : at_q[10:2];
  assign out_valid_o   = out_q && lead_q;
  assign out_o         = read_i[16 * at_q[1:0] +: 16];
  always_comb begin
    write_o = busy_q ? line : 64'd0;
    if (busy_q) write_o[16 * place_q[1:0] +: 16] = line[16 * place_q[1:0] +: 16] + val_q;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {place_q, at_q, val_q, last_q, last_addr_q, busy_q, last_valid_q, out_q, lead_q} <= '0;
    else begin
      busy_q       <= point_valid_i && point_ready_o;
      place_q      <= place_i;
      val_q        <= val_i;
      last_valid_q <= busy_q;
      last_addr_q  <= write_addr_o;
      last_q       <= write_o;
      lead_q       <= out_q;
      if (end_i && !busy_q) {out_q, at_q} <= {1'b1, 11'd0};
      else if (out_valid_o && out_ready_i) begin
        at_q  <= at_q + 11'd1;
        out_q <= at_q != 11'd2047;
      end
    end
  end
endmodule
