// onyx_glb_load: the words of its reads leave in order at the columns of the setting, none lost or doubled; a load
// reads whenever there is room for a word, up to its last; the flush, and done behind the last word, come once, in
// time.
//
// mutate: onyx_glb_load
// cells: onyx_glb_load onyx_fifo2
// with: first_reset first_value queue_contract
// set: Width=1 FifoDepth=3
// set: Width=1 FifoDepth=5
// broken: onyx_glb_load s/CountBits'(fetched_q) < CountBits/CountBits'(1'b0) < CountBits/
// broken: onyx_glb_load s/!active_o \&\& !fetched_q \&\& fifo/!active_o \&\& fifo/
// broken: onyx_glb_load s/fifo_write_q == CountBits'(FifoDepth - 1)/fifo_write_q == CountBits'(FifoDepth)/
// broken: onyx_glb_load s/LoadDelay = 4/LoadDelay = 5/
`include "proof.svh"
module p_glb_load #(
    parameter int unsigned Width = 1,
    parameter int unsigned FifoDepth = 3
) (
    input  logic             clk_i, rst_ni, start_i, external_flush_i, grant_i, last_i, pick_i,
    input  logic [Width-1:0] word_i,
    input  logic [      1:0] ready_i, column_i,
    output logic [Width+8:0] seen_o
);
  logic live, rst_n;
  first_reset u_reset (.clk_i, .rst_ni, .live_o(live), .rst_no(rst_n));
  logic [1:0] column;
  first_value #(.Width(2)) u_column (.clk_i, .live_i(live), .value_i(column_i), .value_o(column));
  logic begins, active, flush, done, busy, read, grant;
  logic [1:0] valid;
  logic [Width-1:0] data;
  onyx_glb_load #(.Width(Width), .FifoDepth(FifoDepth)) u_load (
      .clk_i, .rst_ni(rst_n), .start_i, .external_flush_i, .column_i(column), .begins_o(begins), .active_o(active),
      .flush_o(flush), .done_o(done), .busy_o(busy), .read_o(read), .grant_i(grant), .last_i, .word_i,
      .data_o(data), .valid_o(valid), .ready_i
  );
  assign grant = grant_i & read;
  always_comb assume (!live || column != 2'd0);

  // Every word that was granted comes in the next cycle, and there has its place.
  logic comes_q, leaves;
  assign leaves = (valid != 2'd0) & |(column & ready_i);
  logic [Width+1:0] unused_seen;
  queue_contract #(.Width(Width), .Capacity(FifoDepth + 2), .Latency(2), .Shared(1'b1)) u_contract (
      .clk_i, .live_i(rst_n), .en_i(1'b1), .clear_i(1'b0), .in_i({comes_q, word_i}), .in_ready_i(comes_q),
      .out_i({|valid, data}), .out_ready_i(|(column & ready_i)), .pick_i, .seen_o(unused_seen)
  );

  // A start on its way, the load that reads, words inside and on their way, the load that is not done, its pulse.
  localparam int unsigned Bits = $clog2(FifoDepth + 4);
  logic [3:0] start_q;
  logic reads_q, owes_q, flush_q;
  logic [Bits-1:0] inside_q;
  logic [2:0] done_q;
  logic empty;
  assign empty = ~reads_q & ~comes_q & (inside_q == '0);
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      start_q  <= 4'd0;
      reads_q  <= 1'b0;
      owes_q   <= 1'b0;
      flush_q  <= 1'b0;
      comes_q  <= 1'b0;
      inside_q <= '0;
      done_q   <= 3'd0;
    end else begin
      start_q  <= {start_q[2:0], start_i};
      flush_q  <= start_q[3] & external_flush_i;
      comes_q  <= grant;
      inside_q <= inside_q + Bits'(comes_q) - Bits'(leaves);
      reads_q  <= start_q[3] | (reads_q & ~(grant & last_i));
      owes_q   <= start_q[3] | (owes_q & ~(empty & ~grant));
      done_q   <= (owes_q && empty && !grant && !start_q[3]) ? 3'd5 : (done_q != 3'd0) ? done_q - 3'd1 : 3'd0;
    end
  end

  always_comb begin
    if (rst_n) begin
      `PROVE(delay, begins == start_q[3])
      `PROVE(flushes, flush == flush_q)
      `PROVE(is_active, active == reads_q)
      `PROVE(reads_with_room, !reads_q || read || inside_q + Bits'(comes_q) >= Bits'(FifoDepth))
      `PROVE(reads_only_then, reads_q || !read)
      `PROVE(columns, valid == 2'd0 || valid == column)
      `PROVE(ends, done == (done_q != 3'd0))
      `PROVE(clocked, busy == (start_q != 4'd0 || owes_q || done || flush))
      `REACH(full, inside_q == Bits'(FifoDepth + 2))
      `REACH(done_at_last, done && !owes_q)
      `REACH(begins_again, begins && done)
    end
  end
  assign seen_o = {begins, active, flush, done, busy, read, valid, data & {Width{|valid}}};
endmodule
