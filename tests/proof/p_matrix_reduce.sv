// onyx_matrix_reduce around any vector reducer: inner coordinates and values are taken together; an outer coordinate is
// taken with the stop that ends its fiber, or in front of the stop that ends the matrix; the end of a matrix is taken
// of all three inputs, and leaves, if it is one of a sum, on all three outputs in that cycle, the inner ones a level
// deeper. The inner outputs give together or not at all, and no entry but behind an outer coordinate; a fiber is ended
// as the next outer coordinate leaves, or by the end of the sum. A coordinate has no more bits than it may. With
// inner_i = 0 the outer ports stand still.
//
// cells: onyx_matrix_reduce
// with: first_reset steady port token_kind any_vector_reduce
// set: Matrix=1
// set: Matrix=0
// broken: onyx_matrix_reduce s/in_step \& ~outer_item \& point_ready/in_step \& point_ready/
// broken: onyx_matrix_reduce s/give_row \& open_q, Stop0/give_row, Stop0/
// broken: onyx_matrix_reduce s/(~begins \& (sends | outer_ready_i))/~begins/
`include "proof.svh"
module p_matrix_reduce #(
    parameter bit Matrix = 1'b1
) (
`include "control_ports.svh"
    input logic [3:0] inner,
    input onyx_pkg::stream_t crd_i, val_i, outer_i,
    input logic crd_ready_i, val_ready_i, outer_ready_i
);
  logic live, rst_n;
  first_reset u_reset (.clk_i, .rst_ni, .live_o(live), .rst_no(rst_n));
  steady #(.Width(4)) u_steady (.clk_i, .live_i(live), .value_i(inner));
  always_comb assume (Matrix ? inner >= 4'd1 && inner <= 4'd10 : inner == 4'd0);

  logic crd_ready, val_ready, outer_ready;
  onyx_pkg::stream_t crd, val, outer;
  logic unused_req, unused_we, unused_stir, unused_hazard;
  logic [8:0] unused_addr;
  logic [63:0] unused_wdata;
  onyx_matrix_reduce u_cell (
      .clk_i, .rst_ni(rst_n), .en_i, .flush_i, .bf16_i(1'b0), .op_i(4'd0), .inner_i(inner),
      .crd_i, .crd_ready_o(crd_ready), .val_i, .val_ready_o(val_ready), .outer_i, .outer_ready_o(outer_ready),
      .crd_o(crd), .crd_ready_i, .val_o(val), .val_ready_i, .outer_o(outer), .outer_ready_i,
      .mem_req_o(unused_req), .mem_we_o(unused_we), .mem_addr_o(unused_addr), .mem_wdata_o(unused_wdata), .mem_rdata_i(64'd0),
      .stir_o(unused_stir), .hazard_o(unused_hazard)
  );
  port u_crd (.clk_i, .en_i, .flush_i, .live_i(rst_n), .stream_i(crd_i), .ready_i(crd_ready));
  port u_val (.clk_i, .en_i, .flush_i, .live_i(rst_n), .stream_i(val_i), .ready_i(val_ready));
  port #(.Used(Matrix)) u_outer (.clk_i, .en_i, .flush_i, .live_i(rst_n), .stream_i(outer_i), .ready_i(outer_ready));

  // Tokens that move at this edge.
  logic moves, takes, takes_val, takes_outer, gives, gives_val, gives_outer;
  assign moves       = rst_n & en_i & ~flush_i;
  assign takes       = moves & crd_i.valid & crd_ready;
  assign takes_val   = moves & val_i.valid & val_ready;
  assign takes_outer = moves & outer_i.valid & outer_ready;
  assign gives       = moves & crd.valid & crd_ready_i;
  assign gives_val   = moves & val.valid & val_ready_i;
  assign gives_outer = moves & outer.valid & outer_ready_i;

  logic stop, done, item, outer_stop, outer_done, outer_item, row_stop, out_stop, out_done, out_item, row_given, sum_given;
  token_kind u_crd_kind (.data_i(crd_i.data), .stop_o(stop), .done_o(done), .item_o(item));
  token_kind u_outer_kind (.data_i(outer_i.data), .stop_o(outer_stop), .done_o(outer_done), .item_o(outer_item));
  token_kind u_out_kind (.data_i(crd.data), .stop_o(out_stop), .done_o(out_done), .item_o(out_item));
  assign row_stop  = stop & (crd_i.data[7:0] == 8'd0);
  assign row_given = gives_outer & ~outer.data[16];
  assign sum_given = gives_outer & outer.data[16];

  // A fiber has begun and not ended.
  logic open_q;
  always_ff @(posedge clk_i) begin
    if (!rst_n || (en_i && flush_i) || sum_given) open_q <= 1'b0;
    else if (row_given) open_q <= 1'b1;
  end

  logic matrix;
  assign matrix = inner != 4'd0;
  always_comb begin
    if (moves) begin
      `PROVE(taken_together, takes == takes_val)
      `PROVE(given_together, gives == gives_val)
      `PROVE(with_room, (!crd.valid || crd_ready_i) && (!val.valid || val_ready_i) && (!outer.valid || outer_ready_i))
      if (matrix) begin
        `PROVE(no_token_lost, !takes || (outer_i.valid && (item ? outer_item && !takes_outer : takes_outer)))
        `PROVE(row_before_end, !takes_outer || takes || (outer_item && stop && !row_stop))
        `PROVE(row_with_stop, !(takes && outer_item && !item) || row_stop)
        `PROVE(row_ends_at_once, !(crd_i.valid && val_i.valid && outer_i.valid && outer_item && stop) || takes_outer)
        `PROVE(ended, !sum_given || (takes && takes_outer && gives && !out_item))
        `PROVE(levels, !sum_given || (outer_stop ? crd.data == outer_i.data && outer.data[7:0] == outer_i.data[7:0] - 8'd1
                                                 : outer.data == outer_i.data && crd.data == outer.data))
        `PROVE(as_inner, !(gives && !out_item) || val.data == crd.data)
        `PROVE(fiber_ended, !row_given || gives == open_q)
        `PROVE(by_a_stop, !(row_given && gives) || crd.data == 17'h10000)
        `PROVE(ends_are_all, !(gives && !out_item) || gives_outer)
        `PROVE(behind_a_row, !(gives && out_item) || (open_q && !gives_outer))
        `PROVE(inner_bits, !(gives && out_item) || crd.data >> inner == 17'd0)
      end else begin
        `PROVE(outer_stands, !takes_outer && !outer.valid)
      end
    end
    if (rst_n) begin
      `REACH(second_row, !Matrix || row_given && gives && inner == 4'd3)
      `REACH(entry, !Matrix || gives && out_item && crd.data == 17'd5)
      `REACH(empty_sum, !Matrix || sum_given && !open_q && outer_stop)
      `REACH(sum, !Matrix || sum_given && open_q && outer_stop)
      `REACH(row_waits, !Matrix || takes_outer && !takes)
      `REACH(passes, gives && out_item)
      `REACH(taken, takes && item)
    end
  end
  logic unused_bits;
  assign unused_bits = &{1'b0, done, outer_done, out_stop, out_done, unused_req, unused_we, unused_stir, unused_hazard, unused_addr, unused_wdata};
endmodule
