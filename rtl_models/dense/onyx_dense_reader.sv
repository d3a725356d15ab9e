// Reads of a unified buffer's port: lines of the SRAM into rows of the transpose buffer, and words of them.
//
// Contract: read_o and line_o ask for a line in this cycle; row_write_o and row_o give the line's row a cycle later,
// if the read was done. out_event_o is the port's valid bit, out_addr_o selects its word. The queues carry both
// events to a port that updates this port's reads.
module onyx_dense_reader (
    input  logic clk_i, rst_ni, en_i, flush_i,
    input  logic                    [15:0] cycle_i,
    input  onyx_dense_pkg::read_t          cfg_i,
    output logic                           read_o, row_write_o, out_event_o,
    output logic                    [ 8:0] line_o,
    output logic                    [ 1:0] row_o,
    output logic                    [ 3:0] out_addr_o,
    output onyx_dense_pkg::update_t        update_o
);
  logic read_restart, unused_out_restart, unused_follow, unused_due;
  // Two bits of a row and three of a word give a place in a port's transpose buffer.
  // verilator lint_off UNUSEDSIGNAL
  logic [3:0] row, follow_addr;
  // verilator lint_on UNUSEDSIGNAL
  logic [3:0] read_loop, unused_out_loop, unused_shown;
  logic [8:0] unused_line, update_line;
  logic update_take, update_write;

  onyx_dense_generator #(.AddrWidth(9)) u_read (
      .enable_i(cfg_i.sched.enable), .dim_i(cfg_i.loops.dim), .range_i(cfg_i.loops.range),
      .start_i(cfg_i.sched.start), .stride_i(cfg_i.sched.stride), .addr_start_i(cfg_i.line.start),
      .addr_stride_i(cfg_i.line.stride), .event_o(read_o), .restart_o(read_restart), .loop_o(read_loop),
      .addr_o(line_o), .clk_i, .rst_ni, .en_i, .flush_i, .cycle_i
  );
  onyx_dense_affine #(.Width(4)) u_row (
      .load_i(read_restart), .step_i(read_o), .loop_i(read_loop), .start_i(cfg_i.row.start),
      .stride_i(cfg_i.row.stride), .value_o(row), .clk_i, .rst_ni, .en_i
  );
  onyx_dense_generator #(.AddrWidth(4)) u_out (
      .enable_i(cfg_i.out_sched.enable), .dim_i(cfg_i.out_loops.dim), .range_i(cfg_i.out_loops.range),
      .start_i(cfg_i.out_sched.start), .stride_i(cfg_i.out_sched.stride), .addr_start_i(cfg_i.word.start),
      .addr_stride_i(cfg_i.word.stride), .event_o(out_event_o), .restart_o(unused_out_restart),
      .loop_o(unused_out_loop), .addr_o(out_addr_o), .clk_i, .rst_ni, .en_i, .flush_i, .cycle_i
  );
  onyx_dense_queue #(.LogDepth(3), .AddrWidth(4)) u_words (
      .delay_i(cfg_i.out_sched.delay), .cycle_i(cycle_i[10:0]), .event_i(out_event_o), .addr_i(out_addr_o),
      .follow_o(update_take), .addr_o(follow_addr), .due_o(unused_due), .shown_o(unused_shown), .clk_i,
      .rst_ni, .en_i, .flush_i
  );
  assign update_o = {update_take, follow_addr[2:0], update_write, update_line};
  onyx_dense_queue #(.LogDepth(2), .AddrWidth(9)) u_lines (
      .delay_i(cfg_i.sched.delay), .cycle_i(cycle_i[10:0]), .event_i(read_o), .addr_i(line_o),
      .follow_o(unused_follow), .addr_o(unused_line), .due_o(update_write), .shown_o(update_line), .clk_i,
      .rst_ni, .en_i, .flush_i
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      row_write_o <= 1'b0;
      row_o       <= '0;
    end else if (en_i) begin
      row_write_o <= read_o && !flush_i;
      row_o       <= row[1:0];
    end
  end
endmodule
