// Depth-2 register FIFO of every 17-bit port of a PE or MEM tile.
//
// in_i and out_o are streams of Width bits (onyx_pkg). Contract: a word enters when valid and in_ready_o,
// leaves when valid and out_ready_i, both at a clock edge with en_i. in_ready_o and valid of out_o come from
// registers only: a full FIFO takes nothing even when its head leaves in the same cycle, and an empty FIFO
// passes nothing through. Hence the latency is a cycle and the throughput a word a cycle. flush_i empties the
// FIFO.
module onyx_fifo2 #(
    parameter int unsigned Width = 17
) (
    input  logic clk_i, rst_ni, en_i, flush_i,
    input  logic [Width:0] in_i,  output logic in_ready_o,
    output logic [Width:0] out_o, input  logic out_ready_i
);
  if (Width < 1) begin : g_bad
    $error("onyx_fifo2: Width must be 1 or more");
  end

  logic [Width-1:0] slot0_q, slot1_q;
  logic [1:0] count_q;
  logic write_slot_q, read_slot_q;
  logic push, pop;

  assign in_ready_o = (count_q != 2'd2);
  assign out_o      = {count_q != 2'd0, read_slot_q ? slot1_q : slot0_q};
  assign push       = in_i[Width] & in_ready_o;
  assign pop        = out_o[Width] & out_ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q      <= 2'd0;
      write_slot_q <= 1'b0;
      read_slot_q  <= 1'b0;
      slot0_q      <= '0;
      slot1_q      <= '0;
    end else if (en_i) begin
      if (flush_i) begin
        // The words stay: count_q marks the valid words.
        count_q      <= 2'd0;
        write_slot_q <= 1'b0;
        read_slot_q  <= 1'b0;
      end else begin
        count_q <= count_q + {1'b0, push} - {1'b0, pop};
        if (push) write_slot_q <= ~write_slot_q;
        if (pop) read_slot_q <= ~read_slot_q;
        if (push && !write_slot_q) slot0_q <= in_i[Width-1:0];
        if (push && write_slot_q) slot1_q <= in_i[Width-1:0];
      end
    end
  end
`include "onyx_assert.svh"
  `ONYX_ASSERT(TwoWords, count_q <= 2'd2, "two words are held at most")
  `ONYX_ASSERT(SlotsAgree, (count_q == 2'd1) == (write_slot_q != read_slot_q), "slots and count say the same")
endmodule
