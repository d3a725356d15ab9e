// A port of a primitive: an input, fed by a FIFO, or with Gives = 1 an output, into a FIFO.
//
// The port assumes of the FIFO the properties that queue_contract proves. A token at its head stays until the
// primitive takes the token, and the head is empty in the cycle after a flush or reset (hold, empty); a ready FIFO,
// as after a flush or reset, stays ready until a token comes (ready_hold, accepts).
//
// Proves of an input that nothing is taken from an empty head, unless the port is a FIFO's (Queue = 1), whose ready
// tells its level. An unused port (Used = 0) need not take. Proves of an output that an offer stays, unchanged,
// until taken. With Lapses = 1 an offer without room may pause, but comes again, unchanged, and before anything
// else.
`include "proof.svh"
module port #(
    parameter bit Gives = 1'b0,
    parameter bit Queue = 1'b0,
    parameter bit Used = 1'b1,
    parameter bit Lapses = 1'b0,
    parameter int unsigned Width = 17
) (
    input logic        clk_i,
    input logic        live_i,
    input logic        en_i,
    input logic        flush_i,
    input logic [Width:0] stream_i,
    input logic        ready_i
);
  logic valid;
  logic [Width-1:0] data;
  assign {valid, data} = stream_i;

  // The offer of the last cycle is not yet taken; nothing has come to the FIFO since the last flush or reset, or,
  // after an output, since the FIFO was ready.
  logic stays_q, fresh_q;
  logic [Width-1:0] data_q;
  initial begin
    stays_q = 1'b0;
    fresh_q = 1'b1;
  end
  always_ff @(posedge clk_i) begin
    stays_q <= live_i & (valid | (Lapses & stays_q)) & ~(en_i & (flush_i | (valid & ready_i)));
    fresh_q <= ~live_i | (en_i & flush_i) | (Gives ? ready_i & ~(en_i & valid) : fresh_q & ~en_i);
    if (valid) data_q <= data;
  end
  always_comb begin
    if (live_i) begin
      `REACH(moves, !Used || en_i && valid && ready_i && !flush_i)
      `REACH(waits, stays_q && !ready_i)
    end
  end
  if (Gives) begin : g_out
    always_comb begin
      if (fresh_q) assume (ready_i);
      if (live_i && stays_q) begin
        `PROVE(hold, valid || Lapses)
        `PROVE(stable, !valid || data == data_q)
      end
    end
  end else begin : g_in
    always_comb begin
      if (fresh_q) assume (!valid);
      if (stays_q) assume (valid && data == data_q);
      if (live_i) begin
        `PROVE(takes_what_is_there, Queue || !ready_i || valid)
      end
    end
  end
endmodule
