// A port's way into a unified buffer: words into the aggregator, its halves into lines of the SRAM.
//
// Contract: write_o and line_o ask for a line in this cycle; words_o is the matching half of the aggregator, by bit 0
// of line_o. A line is asked for in the cycle after its fourth word, and cfg_i.padding cycles behind the last word of
// a row. An updating port gets events, addresses and lines from another port's reads.
module onyx_dense_aggregator (
    input  logic clk_i, rst_ni, en_i, flush_i,
    input  logic                    [15:0] cycle_i,
    input  onyx_dense_pkg::write_t         cfg_i,
    input  onyx_dense_pkg::update_t        update_i,
    input  logic                    [15:0] data_i,
    output logic                           write_o,
    output logic                    [ 8:0] line_o,
    output logic                    [63:0] words_o
);
  localparam int unsigned LeftBits = onyx_dense_pkg::PADDING_BITS + 1;

  logic [127:0] words_q;  // half 1 above half 0, in a half lane 3 above lane 0
  logic full_q, due, take, row_ends, unused_restart;
  logic [8:0] linear_q;
  logic [LeftBits-1:0] left_q, left_d;
  logic [3:0] loop;
  logic [2:0] gen_addr, addr;

  onyx_dense_generator #(.Loops(3), .AddrWidth(3)) u_generator (
      .enable_i(cfg_i.sched.enable && !cfg_i.updates), .dim_i({1'b0, cfg_i.loops.dim}), .range_i(cfg_i.loops.range),
      .start_i(cfg_i.sched.start), .stride_i(cfg_i.sched.stride), .addr_start_i(cfg_i.addr.start),
      .addr_stride_i(cfg_i.addr.stride), .event_o(due), .restart_o(unused_restart), .loop_o(loop),
      .addr_o(gen_addr), .clk_i, .rst_ni, .en_i, .flush_i, .cycle_i
  );
  assign take = cfg_i.updates ? update_i.take : due;
  assign addr = cfg_i.updates ? update_i.addr : gen_addr;
  assign row_ends = due && loop != 4'd0;
  assign write_o = cfg_i.updates ? update_i.write : full_q || left_q == LeftBits'(1);
  assign line_o = cfg_i.updates ? update_i.line : linear_q + cfg_i.first;
  assign words_o = words_q[64*line_o[0]+:64];

  // A row ending in the cycle of a padding's line begins its count a cycle late.
  always_comb begin
    left_d = left_q - LeftBits'(left_q != '0);
    if (row_ends && cfg_i.padding != '0 && left_d == '0) begin
      left_d = {1'b0, cfg_i.padding} + LeftBits'(left_q == LeftBits'(1));
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      full_q   <= 1'b0;
      linear_q <= '0;
      left_q   <= '0;
    end else if (en_i) begin
      full_q   <= !flush_i && due && gen_addr[1:0] == 2'd3;
      linear_q <= flush_i ? '0 : linear_q + 9'(write_o && !cfg_i.updates);
      left_q   <= flush_i ? '0 : left_d;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) words_q <= '0;
    else if (en_i && take) words_q[16*addr+:16] <= data_i;
  end
endmodule
