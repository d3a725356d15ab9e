// The load DMA of a buffer tile: words of the memory to a column.
//
// Contract: start_i begins a load; begins_o pulses LoadDelay cycles later, when the loops (onyx_dma_loops) begin, and
// flush_o behind it with external_flush_i. The load reads while read_o; a read that is granted (grant_i) steps the
// loops, and its word, word_i in the next cycle, has its place: words leave in order, none lost or doubled, at the
// columns of column_i (even, odd) that are ready. The read with last_i is the last; done_o lasts five cycles from the
// second cycle behind the last word's. active_o: the load reads the memory; busy_o: its registers need the clock.
module onyx_glb_load #(
    parameter int unsigned Width = 16,
    parameter int unsigned FifoDepth = 19  // words in flight
) (
    input  logic             clk_i, rst_ni,
    input  logic             start_i, external_flush_i,
    input  logic [      1:0] column_i,
    output logic             begins_o, active_o, flush_o, done_o, busy_o,
    output logic             read_o,
    input  logic             grant_i, last_i,
    input  logic [Width-1:0] word_i,
    output logic [Width-1:0] data_o,
    output logic [      1:0] valid_o,
    input  logic [      1:0] ready_i
);
  localparam int unsigned LoadDelay = 4;  // cycles from the start pulse to the first address
  localparam int unsigned CountBits = $clog2(FifoDepth + 1);
  localparam logic [2:0] DoneCycles = 3'd5;

  logic fetched_q, waiting_q;
  logic [LoadDelay-1:0] start_q;
  logic [2:0] done_q;  // cycles left of the pulse
  logic [Width-1:0] fifo_q[FifoDepth];
  logic [CountBits-1:0] fifo_read_q, fifo_write_q, fifo_count_q;
  logic [Width-1:0] head_data;
  logic head_valid, skid_valid, skid_ready, fifo_pop;
  assign read_o   = active_o & (fifo_count_q + CountBits'(fetched_q) < CountBits'(FifoDepth));
  assign begins_o = start_q[LoadDelay-1];
  assign done_o   = (done_q != 3'd0);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_o     <= 1'b0;
      fetched_q    <= 1'b0;
      waiting_q    <= 1'b0;
      flush_o      <= 1'b0;
      start_q      <= '0;
      done_q       <= 3'd0;
      fifo_read_q  <= '0;
      fifo_write_q <= '0;
      fifo_count_q <= '0;
    end else begin
      start_q   <= {start_q[LoadDelay-2:0], start_i};
      done_q    <= done_o ? done_q - 3'd1 : 3'd0;
      flush_o   <= begins_o & external_flush_i;
      fetched_q <= grant_i;
      if (begins_o) begin
        active_o  <= 1'b1;
        waiting_q <= 1'b1;
      end else if (grant_i) begin
        if (last_i) active_o <= 1'b0;
      end else if (waiting_q && !active_o && !fetched_q && fifo_count_q == '0 && ~|valid_o) begin
        waiting_q <= 1'b0;
        done_q    <= DoneCycles;
      end
      if (fetched_q) begin
        fifo_q[fifo_write_q] <= word_i;
        fifo_write_q         <= (fifo_write_q == CountBits'(FifoDepth - 1)) ? '0 : fifo_write_q + 1'b1;
      end
      if (fifo_pop) fifo_read_q <= (fifo_read_q == CountBits'(FifoDepth - 1)) ? '0 : fifo_read_q + 1'b1;
      fifo_count_q <= fifo_count_q + CountBits'(fetched_q) - CountBits'(fifo_pop);
    end
  end

  // The two words of skid between the buffer and the column.
  assign head_data  = fifo_q[fifo_read_q];
  assign head_valid = (fifo_count_q != '0);
  assign fifo_pop   = head_valid & skid_ready;
  onyx_fifo2 #(.Width(Width)) u_skid (
      .clk_i, .rst_ni, .en_i(1'b1), .flush_i(1'b0),
      .in_i({head_valid, head_data}), .in_ready_o(skid_ready),
      .out_o({skid_valid, data_o}), .out_ready_i(|(column_i & ready_i))
  );
  assign valid_o = {2{skid_valid}} & column_i;
  assign busy_o  = (|start_q) | waiting_q | done_o | flush_o | skid_valid;
`include "onyx_assert.svh"
  `ONYX_ASSERT(LoadFits, fifo_count_q <= CountBits'(FifoDepth), "a word that was fetched has its place")
endmodule
