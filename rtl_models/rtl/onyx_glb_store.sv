// The store DMA of a buffer tile: blocks "length, words" of a column to the memory.
//
// Contract: start_i begins a store of blocks_i blocks, unless it runs; the loops (onyx_dma_loops) begin with begins_o.
// Words of the column that column_i names (even, odd) pass a register, a FIFO of four and another register; a word
// enters the line in the third cycle after its arrival, at addr_i, and steps the loops (step_o). Words for one 64-bit
// line leave together (write_o, with their lanes) once a word for another line comes or the last block is over. done_o
// lasts five cycles once blocks_i blocks are in the memory.
// The store offers room running or not, and takes a valid word whether or not it offers room; a start forgets earlier
// words. A block of length 0 takes a cycle more: a word in it is written, but is neither the length of the next block
// nor counted. active_o, last_o: the store has words to come, or its last line to write; busy_o: its registers need
// the clock.
module onyx_glb_store #(
    parameter int unsigned Width = 16,
    parameter int unsigned BlockBits = 32
) (
    input  logic               clk_i, rst_ni,
    input  logic               start_i,
    input  logic [        1:0] column_i,
    input  logic [BlockBits-1:0] blocks_i,
    output logic               begins_o, active_o, last_o, done_o, busy_o,
    input  logic [2*Width-1:0] data_i,
    input  logic [        1:0] valid_i,
    output logic [        1:0] ready_o,
    output logic               step_o,
    input  logic [       17:0] addr_i,
    output logic               write_o,
    output logic [       17:0] line_addr_o,
    output logic [4*Width-1:0] line_o,
    output logic [        3:0] lanes_o
);
  localparam logic [2:0] DoneCycles = 3'd5;

  // A word passes a register, a FIFO of four and another register; the word enters the line in the third cycle after
  // its arrival.
  logic in_valid_q, word_valid_q, fifo_push, fifo_pop;
  logic [Width-1:0] in_data_q, word_q;
  logic [Width-1:0] fifo_q[4];
  logic [1:0] fifo_read_q, fifo_write_q;
  logic [2:0] fifo_count_q;
  assign ready_o   = column_i & {2{fifo_count_q < 3'd2}};
  assign fifo_push = in_valid_q & (fifo_count_q != 3'd4);
  assign fifo_pop  = active_o & (fifo_count_q != 3'd0);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      in_valid_q   <= 1'b0;
      in_data_q    <= '0;
      word_valid_q <= 1'b0;
      word_q       <= '0;
      fifo_read_q  <= 2'd0;
      fifo_write_q <= 2'd0;
      fifo_count_q <= 3'd0;
    end else begin
      in_valid_q   <= |(column_i & valid_i);
      in_data_q    <= column_i[1] ? data_i[2*Width-1:Width] : data_i[Width-1:0];
      word_valid_q <= fifo_pop;
      word_q       <= fifo_q[fifo_read_q];
      if (begins_o) begin
        fifo_read_q  <= 2'd0;
        fifo_write_q <= 2'd0;
        fifo_count_q <= 3'd0;
      end else begin
        if (fifo_push) fifo_q[fifo_write_q] <= in_data_q;
        fifo_write_q <= fifo_write_q + {1'b0, fifo_push};
        fifo_read_q  <= fifo_read_q + {1'b0, fifo_pop};
        fifo_count_q <= fifo_count_q + {2'd0, fifo_push} - {2'd0, fifo_pop};
      end
    end
  end

  // The line under collection, and the place in the blocks: empty_q is the cycle of a block of length 0.
  logic in_block_q, empty_q, block_ends, ends, first_q, moves_on;
  logic [2:0] done_q;  // cycles left of the pulse
  logic [Width-1:0] left_q;
  logic [BlockBits-1:0] blocks_q;
  assign step_o     = word_valid_q & active_o & (blocks_q != '0);
  assign block_ends = empty_q | (step_o & in_block_q & (left_q == Width'(1)));
  assign ends       = block_ends & (blocks_q == BlockBits'(1));
  assign moves_on   = step_o & ~first_q & (addr_i[17:3] != line_addr_o[17:3]);
  assign write_o    = moves_on | last_o;
  assign done_o     = (done_q != 3'd0);
  assign busy_o     = begins_o | active_o | last_o | done_o | in_valid_q | word_valid_q | (|(column_i & valid_i));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      begins_o    <= 1'b0;
      active_o    <= 1'b0;
      in_block_q  <= 1'b0;
      empty_q     <= 1'b0;
      last_o      <= 1'b0;
      first_q     <= 1'b0;
      left_q      <= '0;
      blocks_q    <= '0;
      line_o      <= '0;
      line_addr_o <= 18'd0;
      lanes_o     <= 4'd0;
      done_q      <= 3'd0;
    end else begin
      begins_o <= start_i & ~active_o & ~begins_o;
      last_o   <= ends;
      done_q   <= last_o ? DoneCycles : done_o ? done_q - 3'd1 : 3'd0;
      if (begins_o) begin
        active_o   <= 1'b1;
        in_block_q <= 1'b0;
        empty_q    <= 1'b0;
        first_q    <= 1'b1;
        blocks_q   <= blocks_i;
      end else begin
        if (ends) active_o <= 1'b0;
        if (block_ends) blocks_q <= blocks_q - BlockBits'(1);
        empty_q <= step_o & ~in_block_q & ~empty_q & (word_q == '0);
        if (step_o && !empty_q) begin
          in_block_q <= in_block_q ? (left_q != Width'(1)) : (word_q != '0);
          left_q     <= in_block_q ? left_q - Width'(1) : word_q;
        end
      end
      if (write_o) lanes_o <= 4'd0;
      if (step_o) begin
        first_q                          <= 1'b0;
        line_addr_o                      <= addr_i;
        line_o[Width*addr_i[2:1]+:Width] <= word_q;
        lanes_o[addr_i[2:1]]             <= 1'b1;
      end
    end
  end
`include "onyx_assert.svh"
  `ONYX_ASSERT(StoreFits, fifo_count_q <= 3'd4, "a word that was taken has its place")
endmodule
