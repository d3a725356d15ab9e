// One of the two address spaces (IDs) of the buffet: the block being written, at most two finished blocks,
// the write line and the read line.
//
// The blocks lie one behind the other in a ring of capacity = 2^cap_log_i words of 64 bits (four entries
// each; a block starts at a new word). A finished block is read only; the oldest one is read and freed.
// A write that finds no room waits until a block is freed, for ever if the block alone is too large.
// Writes gather in the write line, which goes to memory when it is full or when an address of another line or
// the close comes; a line not filled wholly is merged with memory (read, then write).
// Reads are served from the read line, but in the cycle of an answer of memory; another line is asked for when no
// answer is on its way out (rsp_empty_i) and none of this ID is expected.
//
// Contract: wr_* and rd_* are commands that stand until taken (pop). At most one of the two IDs of a buffet
// sees wr_valid_i, and at most one rd_valid_i. mem_wr_* and mem_rd_* ask for the memory port: a request is
// carried out in the cycle of its grant. mem_wr_lock_o: this write must be granted now. A read response
// is pushed with rsp_valid_o and needs rsp_ready_i only when its command is taken.
module onyx_buffet_id (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        en_i,
    input  logic        flush_i,
    input  logic [ 3:0] cap_log_i,
    input  logic        wr_valid_i,
    input  logic        wr_is_write_i,
    input  logic [15:0] wr_addr_i,
    input  logic [15:0] wr_data_i,
    output logic        wr_pop_o,
    output logic        mem_wr_req_o,
    output logic        mem_wr_we_o,
    output logic        mem_wr_lock_o,
    output logic [ 8:0] mem_wr_addr_o,
    output logic [63:0] mem_wr_data_o,
    input  logic        mem_wr_gnt_i,
    input  logic        rd_valid_i,
    input  logic [ 1:0] rd_op_i,
    input  logic [15:0] rd_addr_i,
    output logic        rd_pop_o,
    output logic        mem_rd_req_o,
    output logic [ 8:0] mem_rd_addr_o,
    input  logic        mem_rd_gnt_i,
    input  logic [63:0] mem_rdata_i,
    output logic        rsp_valid_o,
    output logic [15:0] rsp_data_o,
    input  logic        rsp_ready_i,
    input  logic        rsp_empty_i,
    input  logic        answers_i,  // memory answers a read in this cycle, of either ID
    output logic        fetching_o,
    output logic        stir_o,  // a register may change at the edge
    output logic        hazard_second_o,  // the chip has overwritten this line with the second block
    output logic        hazard_order_o,  // .. loses the line begun, for an address out of order
    output logic        hazard_overflow_o  // .. stops for good: no such entry
);
  function automatic logic [15:0] lane_of(input logic [63:0] line, input logic [1:0] lane);
    case (lane)
      2'd0: lane_of = line[15:0];
      2'd1: lane_of = line[31:16];
      2'd2: lane_of = line[47:32];
      default: lane_of = line[63:48];
    endcase
  endfunction

  logic [9:0] capacity;  // words
  logic [8:0] mask;
  assign capacity = (cap_log_i == 4'd0) ? 10'd0 : (cap_log_i > 4'd9) ? 10'd512 : 10'd1 << cap_log_i;
  assign mask     = capacity[8:0] - 9'd1;

  // -- finished blocks --
  logic [1:0] blocks_q;
  logic [8:0] head_base_q, next_base_q;
  logic [11:0] head_size_q, next_size_q;
  logic [9:0] used_q;  // words in finished blocks
  logic free, commit;
  logic [9:0] head_words;
  assign head_words = head_size_q[11:2] + {9'd0, head_size_q[1:0] != 2'd0};

  // -- the block being written --
  logic open_q;
  logic [8:0] base_q;
  logic [11:0] size_q;  // highest address written + 1
  logic [9:0] words;
  logic [63:0] line_q;
  logic [3:0] lanes_q;  // lanes of line_q written
  logic [8:0] line_at_q;  // its line in the block
  logic merging_q;  // memory line read for merging

  logic fits, same_line, flush_line, accept;
  assign words      = size_q[11:2] + {9'd0, size_q[1:0] != 2'd0};
  assign fits       = (wr_addr_i[15:11] == 5'd0) && ({1'b0, wr_addr_i[10:2]} + {1'b0, used_q} < {1'b0, capacity});
  assign same_line  = (lanes_q == 4'd0) || ((lanes_q != 4'hF) && (line_at_q == wr_addr_i[10:2]));
  assign flush_line = (lanes_q == 4'hF) ||
                      (wr_valid_i && (lanes_q != 4'd0) && (wr_is_write_i ? !same_line : (blocks_q != 2'd2)));
  assign accept     = wr_valid_i && wr_is_write_i && open_q && fits && same_line;
  assign commit     = wr_valid_i && !wr_is_write_i && open_q && (blocks_q != 2'd2) &&
                      ((lanes_q == 4'd0) || (mem_wr_gnt_i && mem_wr_we_o));

  assign mem_wr_req_o  = flush_line;
  assign mem_wr_we_o   = merging_q || (lanes_q == 4'hF);
  assign mem_wr_lock_o = merging_q;
  assign mem_wr_addr_o = (line_at_q + base_q) & mask;
  assign mem_wr_data_o = {
    lanes_q[3] ? line_q[63:48] : mem_rdata_i[63:48],
    lanes_q[2] ? line_q[47:32] : mem_rdata_i[47:32],
    lanes_q[1] ? line_q[31:16] : mem_rdata_i[31:16],
    lanes_q[0] ? line_q[15:0] : mem_rdata_i[15:0]
  };
  assign wr_pop_o = accept || commit || (wr_valid_i && !wr_is_write_i && !open_q);

  // -- for the monitors: blocks opened (3: more) and freed since the flush, lines of the second block written --
  logic [1:0] opened_q;
  logic freed_q, writing;
  logic [9:0] second_q;
  assign writing           = wr_valid_i && wr_is_write_i && open_q;
  assign hazard_overflow_o = writing && ({1'b0, wr_addr_i[15:2]} >= {5'd0, capacity});
  assign hazard_order_o    = writing && (lanes_q != 4'd0) && (lanes_q != 4'hF) && !same_line;
  assign hazard_second_o   = mem_rd_gnt_i && !freed_q && ({1'b0, rd_addr_i[10:2]} < second_q);

  // -- reading --
  logic [63:0] read_line_q;
  logic [8:0] read_at_q;  // the line's place in the block
  logic [1:0] lane_q;
  logic read_hit_q;  // read_line_q holds line read_at_q
  logic fetch_q;  // memory delivers line read_at_q in this cycle
  logic has_block, is_read, hit;

  assign has_block     = (blocks_q != 2'd0);
  assign is_read       = (rd_op_i != onyx_pkg::OpFree) && (rd_op_i != onyx_pkg::OpSize);
  assign hit           = read_hit_q && (read_at_q == rd_addr_i[10:2]);
  assign free          = rd_valid_i && has_block && (rd_op_i == onyx_pkg::OpFree);
  assign mem_rd_req_o  = rd_valid_i && has_block && is_read && !hit && rsp_empty_i && !fetch_q;
  assign mem_rd_addr_o = (rd_addr_i[10:2] + head_base_q) & mask;
  assign fetching_o    = fetch_q;

  assign stir_o = wr_pop_o || (wr_valid_i && !open_q) || mem_wr_req_o || (rd_valid_i && has_block) || fetch_q;

  // A reference beyond the memory wraps.
  logic unused_address;
  assign unused_address = &{1'b0, rd_addr_i[15:11]};

  always_comb begin
    rsp_valid_o = 1'b0;
    rsp_data_o  = lane_of(read_line_q, rd_addr_i[1:0]);
    rd_pop_o    = free;
    if (fetch_q) begin
      rsp_valid_o = 1'b1;
      rsp_data_o  = lane_of(mem_rdata_i, lane_q);
    end
    if (rd_valid_i && has_block && is_read && !hit) rd_pop_o = mem_rd_req_o && mem_rd_gnt_i;
    if (rd_valid_i && has_block && !answers_i) begin
      if (rd_op_i == onyx_pkg::OpSize) begin
        rsp_valid_o = 1'b1;
        rsp_data_o  = {4'd0, head_size_q};
        rd_pop_o    = rsp_ready_i;
      end else if (is_read && hit) begin
        rsp_valid_o = 1'b1;
        rd_pop_o    = rsp_ready_i;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      blocks_q    <= 2'd0;
      used_q      <= 10'd0;
      head_base_q <= 9'd0;
      head_size_q <= 12'd0;
      next_base_q <= 9'd0;
      next_size_q <= 12'd0;
      open_q      <= 1'b0;
      base_q      <= 9'd0;
      size_q      <= 12'd0;
      line_q      <= 64'd0;
      lanes_q     <= 4'd0;
      line_at_q   <= 9'd0;
      merging_q   <= 1'b0;
      read_line_q <= 64'd0;
      read_at_q   <= 9'd0;
      lane_q      <= 2'd0;
      read_hit_q  <= 1'b0;
      fetch_q     <= 1'b0;
      opened_q    <= 2'd0;
      freed_q     <= 1'b0;
      second_q    <= 10'd0;
    end else if (en_i) begin
      if (flush_i) begin
        opened_q   <= 2'd0;
        freed_q    <= 1'b0;
        second_q   <= 10'd0;
        blocks_q   <= 2'd0;
        used_q     <= 10'd0;
        open_q     <= 1'b0;
        base_q     <= 9'd0;
        lanes_q    <= 4'd0;
        merging_q  <= 1'b0;
        read_hit_q <= 1'b0;
        fetch_q    <= 1'b0;
      end else begin
        if (wr_valid_i) begin
          if (!open_q) begin
            open_q <= 1'b1;
            size_q <= 12'd0;
          end
          if (accept) begin
            line_at_q <= wr_addr_i[10:2];
            case (wr_addr_i[1:0])
              2'd0: line_q[15:0] <= wr_data_i;
              2'd1: line_q[31:16] <= wr_data_i;
              2'd2: line_q[47:32] <= wr_data_i;
              default: line_q[63:48] <= wr_data_i;
            endcase
            lanes_q <= lanes_q | (4'd1 << wr_addr_i[1:0]);
            if ({1'b0, wr_addr_i[10:0]} >= size_q) size_q <= {1'b0, wr_addr_i[10:0]} + 12'd1;
          end
          if (commit) begin
            open_q <= 1'b0;
            base_q <= (base_q + words[8:0]) & mask;
          end
        end

        if (wr_valid_i && !open_q && (opened_q != 2'd3)) opened_q <= opened_q + 2'd1;
        if (free) freed_q <= 1'b1;
        if (mem_wr_gnt_i && mem_wr_we_o && (opened_q == 2'd2) && !freed_q && (second_q <= {1'b0, line_at_q}))
          second_q <= {1'b0, line_at_q} + 10'd1;

        if (mem_wr_gnt_i) begin
          merging_q <= !mem_wr_we_o;
          if (mem_wr_we_o) lanes_q <= 4'd0;
        end

        if (commit || free) begin
          used_q   <= used_q + (commit ? words : 10'd0) - (free ? head_words : 10'd0);
          blocks_q <= blocks_q + {1'b0, commit} - {1'b0, free};
        end
        if (free) begin
          head_base_q <= next_base_q;
          head_size_q <= next_size_q;
        end
        if (commit && (blocks_q == {1'b0, free})) begin
          head_base_q <= base_q;
          head_size_q <= size_q;
        end else if (commit) begin
          next_base_q <= base_q;
          next_size_q <= size_q;
        end

        if (rd_pop_o && is_read && !hit) begin
          fetch_q   <= 1'b1;
          read_at_q <= rd_addr_i[10:2];
          lane_q    <= rd_addr_i[1:0];
        end
        if (fetch_q) begin
          fetch_q     <= 1'b0;
          read_hit_q  <= 1'b1;
          read_line_q <= mem_rdata_i;
        end
        if (free) read_hit_q <= 1'b0;
      end
    end
  end
`include "onyx_assert.svh"
  `ONYX_ASSERT(TwoBlocks, blocks_q <= 2'd2, "two finished blocks are held at most")
  `ONYX_ASSERT(MergeEnds, !mem_wr_lock_o || mem_wr_we_o, "the second half of a merge writes")
endmodule
