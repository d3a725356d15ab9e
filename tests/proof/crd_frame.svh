// The frame of a property file about a cell with an inner and an outer stream: its ports, except those of the
// streams, and the tokens that move. The text of a module: the file is included after the first port, and the text
// continues in the module's body, which
//   names it Lapses     that an offer on the outer output may pause (port.sv),
//   assigns it excused  that the cell may leave be what is at its heads, though there is room for all of it, and
//   connects the cell.
`include "control_ports.svh"
    input onyx_pkg::stream_t inner_i,
    input onyx_pkg::stream_t outer_i,
    input logic        inner_out_ready_i,
    input logic        outer_out_ready_i
);
  logic rst_n;
  first_reset u_reset (.clk_i, .rst_ni, .live_o(), .rst_no(rst_n));

  logic inner_ready, outer_ready;
  onyx_pkg::stream_t inner_out, outer_out;
  port u_inner (.live_i(rst_n), .stream_i(inner_i), .ready_i(inner_ready), .clk_i, .en_i,
      .flush_i);
  port u_outer (.live_i(rst_n), .stream_i(outer_i), .ready_i(outer_ready), .clk_i, .en_i,
      .flush_i);
  port #(.Gives(1'b1)) u_inner_out (
      .live_i(rst_n), .stream_i(inner_out), .ready_i(inner_out_ready_i), .clk_i, .en_i,
      .flush_i
  );
  port #(.Gives(1'b1), .Lapses(Lapses)) u_outer_out (
      .live_i(rst_n), .stream_i(outer_out), .ready_i(outer_out_ready_i), .clk_i, .en_i,
      .flush_i
  );

  // Tokens that move at this edge, and the FIFOs' knowledge of them.
  logic moves, inner_takes, outer_takes, inner_out_gives, outer_out_gives;
  assign moves = rst_n & en_i & ~flush_i;
  assign inner_takes = moves & inner_i.valid & inner_ready;
  assign outer_takes = moves & outer_i.valid & outer_ready;
  assign inner_out_gives = moves & inner_out.valid & inner_out_ready_i;
  assign outer_out_gives = moves & outer_out.valid & outer_out_ready_i;
  logic [37:0] moved;
  assign moved = {
    inner_takes,
    outer_takes,
    inner_out_gives,
    outer_out_gives,
    inner_out.data & {17{inner_out_gives}},
    outer_out.data & {17{outer_out_gives}}
  };

  // What is at the heads.
  logic inner_stop, inner_done, inner_item;
  token_kind u_inner_kind (.data_i(inner_i.data), .stop_o(inner_stop), .done_o(inner_done), .item_o(inner_item));
  logic outer_stop, outer_done, outer_item;
  token_kind u_outer_kind (.data_i(outer_i.data), .stop_o(outer_stop), .done_o(outer_done), .item_o(outer_item));

  // Consecutive enabled cycles in which the cell had all inputs and room, and took nothing.
  logic excused;
  logic [2:0] idle;
  idle_count u_idle (
      .live_i(rst_n), .able_i(inner_i.valid && outer_i.valid && inner_out_ready_i && outer_out_ready_i && !excused),
      .moved_i(inner_takes || outer_takes), .idle_o(idle), .clk_i, .en_i, .flush_i
  );
