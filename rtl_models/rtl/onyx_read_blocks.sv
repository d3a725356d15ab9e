// Block reader of the read scanner: in block mode, the commands that send a segment or value block, and unless lookup_i
// the coordinate block behind it, with their sizes to the global buffer.
//
// Contract: size_i, wait_i, read_i and drain_i are states of the front (onyx_read_front), at most one at a time. The
// front stays in a state until gnt_i, which answers want_o with the command cmd_o; in wait_i, until the size arrives.
// Behind size_i comes wait_i, then drain_i for an empty block, else read_i up to the command with last_o, then drain_i:
// if its command frees the block (frees_o), the block reader is done; else wait_i, for the second block.
module onyx_read_blocks (
    input  logic clk_i, rst_ni, en_i, flush_i,
    input  logic lookup_i,
    input  logic start_i,  // the next block is the first
    input  logic size_i, wait_i, read_i, drain_i,
    input  logic [15:0] answer_i,
    input  logic        room_i,  // the answer to a command has its place
    input  logic        drained_i,  // all answers have left
    output logic        want_o,
    output logic [18:0] cmd_o,
    input  logic        gnt_i,
    output logic        last_o,  // the command is for the block's last entry
    output logic        frees_o,  // the command frees the block
    output logic        stir_o  // a register may change though there is no grant and no answer
);
  logic second_q;  // at the coordinate block
  logic [15:0] left_q;  // words of the block not asked for yet
  logic [15:0] addr_q;

  assign frees_o = second_q || lookup_i;
  assign last_o  = left_q == 16'd1;
  assign want_o  = drain_i ? drained_i : (size_i || read_i) && room_i;
  always_comb begin
    cmd_o = 19'd0;
    if (size_i) cmd_o = {onyx_pkg::OpSize, 17'd0};
    if (read_i) cmd_o = {onyx_pkg::OpRead, second_q, addr_q};
    if (drain_i) cmd_o = frees_o ? {onyx_pkg::OpFree, !lookup_i, 16'd0} : {onyx_pkg::OpSize, 1'b1, 16'd0};
  end
  assign stir_o = start_i && second_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {second_q, left_q, addr_q} <= '0;
    end else if (en_i && !flush_i) begin
      if (start_i) second_q <= 1'b0;
      else if (drain_i && gnt_i && !frees_o) second_q <= 1'b1;
      if (wait_i) begin
        left_q <= answer_i;
        addr_q <= 16'd0;
      end else if (read_i && gnt_i) begin
        left_q <= left_q - 16'd1;
        addr_q <= addr_q + 16'd1;
      end
    end
  end
`include "onyx_assert.svh"
  `ONYX_ASSERT(OneState, (3'(size_i) + 3'(wait_i) + 3'(read_i) + 3'(drain_i)) <= 3'd1, "the front is in one state")
  `ONYX_ASSERT(ReadsWhatIsThere, !read_i || left_q != 16'd0, "a block is read while words of it are left")
endmodule
