// Matrix reducer (profile onyx-ext): adds up sparse matrices, outer and inner coordinates with values beside the inner
// ones.
//
// Contract: inner_i = 0 makes a vector reducer with idle outer ports. Otherwise inner_i is the number of bits of the
// inner coordinate, at most 10, and the outer coordinate has the rest of 10. Inner coordinates and values have the
// same shape, a fiber for each outer coordinate, possibly empty; the fiber of the last outer coordinate ends with the
// stop of the matrix, a level above the outer stop. An outer stop of level 0 ends a matrix, a stop of level n > 0 the
// sum: its points leave sorted, each once, a fiber for each nonempty outer coordinate, followed by stops of level n -
// 1 on the outer output and n on the two other outputs. Done passes. A point whose coordinates do not fit is lost, as
// the vector reducer says; a maybe coordinate and its companions vanish.
//
// The core is a vector reducer with points as coordinates. Streams out of step are not taken.
//
// Handshake: made to stand between FIFOs. A point takes an inner coordinate and a value, as in a vector, while the
// outer coordinate stays; the end of its fiber takes a cycle, and the outer coordinate goes; the end of a matrix is
// taken of all three inputs. An outer coordinate leaves in a cycle of its own, beside the stop of the fiber before;
// an entry on both inner outputs or none; the end on all.
module onyx_matrix_reduce (
    input  logic clk_i, rst_ni, en_i, flush_i, bf16_i,
    input  logic [3:0] op_i, inner_i,
    input  onyx_pkg::stream_t outer_i, crd_i, val_i, output logic outer_ready_o, crd_ready_o, val_ready_o,
    output onyx_pkg::stream_t outer_o, crd_o, val_o, input  logic outer_ready_i, crd_ready_i, val_ready_i,
    output logic mem_req_o, mem_we_o, output logic [8:0] mem_addr_o, output logic [63:0] mem_wdata_o, input logic [63:0] mem_rdata_i,
    output logic stir_o, hazard_o  // as of the vector reducer
);
  localparam logic [16:0] Stop0 = 17'h10000;
  localparam logic [16:0] Maybe = 17'h10200;
  localparam logic [16:0] Beyond = 17'h0FFFF;

  logic matrix;
  assign matrix = inner_i != 4'd0;

  // -- points: tokens of the three inputs form a token of the vector reducer, or end a fiber --
  logic crd_stop, crd_item, outer_item, all, in_step, ends_row, maybe, fits;
  logic [15:0] row_base;
  assign crd_stop   = crd_i.data[16] & (crd_i.data[9:8] == 2'd0);
  assign crd_item   = ~crd_stop & ~(crd_i.data[16] & (crd_i.data[9:8] == 2'd1));
  assign outer_item = ~outer_i.data[16] | outer_i.data[9];
  assign all        = outer_i.valid & crd_i.valid & val_i.valid;
  assign in_step    = all & (crd_item == outer_item);
  assign ends_row   = all & outer_item & crd_stop;
  assign maybe      = crd_i.data[16] | outer_i.data[16];
  assign row_base   = outer_i.data[15:0] << inner_i;
  assign fits       = (crd_i.data[15:0] >> inner_i == 16'd0) & (row_base >> inner_i == outer_i.data[15:0]);

  onyx_pkg::stream_t point, value;
  logic point_ready, value_ready;
  always_comb begin
    point = crd_i;
    value = val_i;
    if (matrix) begin
      point.valid = in_step;
      value.valid = in_step;
      if (!crd_item) point.data = outer_i.data;
      else if (maybe) point.data = Maybe;
      else point.data = fits ? {1'b0, row_base | crd_i.data[15:0]} : Beyond;
    end
  end
  logic row_done;  // the row's own stop, or one of the matrix, which stays
  assign row_done      = ends_row & (crd_i.data[7:0] == 8'd0);
  assign crd_ready_o   = matrix ? row_done | (in_step & point_ready) : point_ready;
  assign val_ready_o   = matrix ? row_done | (in_step & value_ready) : value_ready;
  assign outer_ready_o = matrix & (ends_row | (in_step & ~outer_item & point_ready));

  // -- the sums: the vector reducer waits while an outer coordinate leaves --
  onyx_pkg::stream_t sum_crd, sum_val;
  logic sends, room, begins, give_row;
  logic [9:0] next, row, row_q;
  logic open_q;  // a fiber of row_q has begun
  assign row      = next >> inner_i;
  assign begins   = matrix & sends & (~open_q | (row != row_q));
  assign room     = crd_ready_i & val_ready_i;
  assign give_row = begins & outer_ready_i & (~open_q | room);

  logic free;
  assign free = ~matrix | (~begins & (sends | outer_ready_i));
  onyx_vector_reduce u_vector_reduce (
      .clk_i, .rst_ni, .en_i, .flush_i, .bf16_i, .op_i,
      .crd_i(point), .crd_ready_o(point_ready), .val_i(value), .val_ready_o(value_ready),
      .crd_o(sum_crd), .crd_ready_i(crd_ready_i & free), .val_o(sum_val), .val_ready_i(val_ready_i & free),
      .mem_req_o, .mem_we_o, .mem_addr_o, .mem_wdata_o, .mem_rdata_i, .sends_o(sends), .next_o(next), .stir_o, .hazard_o
  );

  logic [16:0] deeper;  // the end that leaves, of the inner level
  logic end_stop;
  assign end_stop = sum_crd.data[9:8] == 2'd0;
  assign deeper   = end_stop ? {sum_crd.data[16:8], sum_crd.data[7:0] + 8'd1} : sum_crd.data;
  always_comb begin
    crd_o         = sum_crd;
    val_o         = sum_val;
    outer_o.valid = matrix & ((sum_crd.valid & ~sends) | give_row);
    outer_o.data  = begins ? {7'd0, row} : sum_crd.data;
    if (matrix && begins) begin
      crd_o = {give_row & open_q, Stop0};
      val_o = crd_o;
    end else if (matrix && !sends) begin
      crd_o.data = deeper;
      val_o.data = deeper;
    end else if (matrix) begin
      crd_o.data = {7'd0, next & ~(10'h3FF << inner_i)};
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {open_q, row_q} <= 11'd0;
    else if (en_i) begin
      if (flush_i || (sum_crd.valid && !sends)) open_q <= 1'b0;
      else if (give_row) open_q <= 1'b1;
      if (give_row) row_q <= row;
    end
  end
`include "onyx_assert.svh"
  `ONYX_ASSERT(OuterStandsStill, matrix || !outer_o.valid, "a vector has no outer coordinate")
endmodule
