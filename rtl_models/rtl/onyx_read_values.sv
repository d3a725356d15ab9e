// Read-out of values by the read scanner: when the chip asks for a word, and where it puts an answer.
//
// The chip counts its eight places from 0 down modulo 16 as words leave, and asks unless the count is 8; once nothing
// is on its way, that is for good. An answer goes to the next free place; if the other seven are taken, the answer
// behind it goes to place 0, whichever is due.
//
// Contract: asks_i: a command leaves, only while room_o; came_i: an answer takes its place; left_i: a word leaves.
// settled_o: no answer is on its way. hazard_o: the chip has no place for the answer of this cycle, or another one.
module onyx_read_values (
    input  logic clk_i, rst_ni, en_i, flush_i,
    input  logic run_i,  // the scanner reads values out
    input  logic asks_i,
    input  logic arrives_i,  // an answer stands before its place
    input  logic came_i,
    input  logic left_i,
    output logic room_o,
    output logic settled_o,
    output logic stir_o,  // a register may change at the edge though nothing moves in this cycle
    output logic hazard_o
);
  logic [3:0] count_q, kept_q, owed_q;  // the chip's count; answers that have not left; answers that have not come
  logic [2:0] place_q;  // of the answer that comes next
  logic misplaced_q;  // the chip has another place for it, or never asked for it
  logic came_q;
  assign settled_o = owed_q == 4'd0;
  assign room_o    = (count_q != 4'd8) || ((kept_q == 4'd0) && settled_o);
  assign stir_o    = came_q;
  assign hazard_o  = run_i && arrives_i && ((kept_q == 4'd8) || misplaced_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {count_q, kept_q, owed_q, place_q, misplaced_q, came_q} <= '0;
    end else if (en_i) begin
      if (flush_i) begin
        {count_q, kept_q, owed_q, place_q, misplaced_q, came_q} <= '0;
      end else if (run_i) begin
        came_q  <= came_i;
        count_q <= count_q - {3'd0, left_i};
        kept_q  <= kept_q + {3'd0, came_i} - {3'd0, left_i};
        owed_q  <= owed_q + {3'd0, asks_i} - {3'd0, came_q};
        place_q <= place_q + {2'd0, came_i};
        if (arrives_i && (kept_q == 4'd7) && (place_q != 3'd7)) misplaced_q <= 1'b1;
        if (asks_i && (count_q == 4'd8)) misplaced_q <= 1'b1;
      end
    end
  end
`include "onyx_assert.svh"
  `ONYX_ASSERT(LeavesWhatCame, !run_i || !left_i || kept_q != 4'd0, "a word leaves behind its answer")
  `ONYX_ASSERT(AsksWithRoom, !run_i || !asks_i || room_o, "the scanner asks only while the chip would")
endmodule
