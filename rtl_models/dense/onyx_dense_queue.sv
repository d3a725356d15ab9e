// Events of a scheduler that an updating port follows some cycles later.
//
// Contract: an event with its address comes out delay_i cycles later, in due_o and addr_o; with delay_i 0 in the
// same cycle, in follow_o alone. Only 11 bits of the cycle are compared. Depth events may wait; one more takes the
// place of the oldest. shown_o is addr_o of the cycle before.
module onyx_dense_queue #(
    parameter int unsigned LogDepth = 3,
    parameter int unsigned AddrWidth = 4
) (
    input  logic clk_i, rst_ni, en_i, flush_i,
    input  logic [          9:0] delay_i,
    input  logic [         10:0] cycle_i,
    input  logic                 event_i,
    input  logic [AddrWidth-1:0] addr_i,
    output logic                 follow_o,
    output logic [AddrWidth-1:0] addr_o,
    output logic                 due_o,
    output logic [AddrWidth-1:0] shown_o
);
  localparam int unsigned Depth = 1 << LogDepth;

  logic [10:0] at_q[0:Depth-1];
  logic [AddrWidth-1:0] addr_q[0:Depth-1];
  logic [LogDepth-1:0] head_q, head_d, place;
  logic [LogDepth:0] count_q, count_left;
  logic delayed, push, full;

  assign delayed    = delay_i != 10'd0;
  assign due_o      = delayed && count_q != '0 && at_q[head_q] == cycle_i;
  assign follow_o   = delayed ? due_o : event_i;
  assign addr_o     = delayed ? addr_q[head_q] : addr_i;
  assign push       = delayed && event_i;
  assign head_d     = head_q + LogDepth'(due_o);
  assign count_left = count_q - (LogDepth + 1)'(due_o);
  assign place      = head_d + count_left[LogDepth-1:0];
  assign full       = count_left == (LogDepth + 1)'(Depth);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_q  <= '0;
      count_q <= '0;
      shown_o <= '0;
      for (int i = 0; i < Depth; i++) begin
        at_q[i]   <= '0;
        addr_q[i] <= '0;
      end
    end else if (en_i) begin
      shown_o <= addr_q[head_q];
      head_q  <= flush_i ? '0 : head_d;
      count_q <= flush_i ? '0 : count_left + (LogDepth + 1)'(push && !full);
      if (push) begin
        at_q[place]   <= cycle_i + {1'b0, delay_i};
        addr_q[place] <= addr_i;
      end
    end
  end
`include "onyx_assert.svh"
  `ONYX_ASSERT(EventsFit, count_q <= (LogDepth + 1)'(Depth), "at most Depth events wait")
endmodule
