// An input port of a primitive, fed by a FIFO: a token at its head stays until the primitive takes it, and none is there in
// the cycle after a flush or reset.
//
// Assumes that (queue_contract proves it of every FIFO: hold, empty); proves that nothing is taken where nothing is, unless the
// port is a FIFO's (Queue = 1), whose ready says what is inside. One that is not used in a proof (Used = 0) need not take.
`include "proof.svh"
module port_in #(
    parameter bit Queue = 1'b0,
    parameter bit Used = 1'b1,
    parameter int unsigned Width = 17
) (
    input logic        clk_i,
    input logic        live_i,
    input logic        en_i,
    input logic        flush_i,
    input logic [Width-1:0] data_i,
    input logic        valid_i,
    input logic        ready_i
);
  logic stays_q, empty_q;
  logic [Width-1:0] data_q;
  initial begin
    stays_q = 1'b0;
    empty_q = 1'b1;
  end
  always_ff @(posedge clk_i) begin
    stays_q <= live_i & valid_i & ~(en_i & (flush_i | ready_i));
    empty_q <= ~live_i | (en_i & flush_i) | (empty_q & ~en_i);
    data_q  <= data_i;
  end
  always_comb begin
    if (empty_q) assume (!valid_i);
    if (stays_q) assume (valid_i && data_i == data_q);
    if (live_i) begin
      `PROVE(takes_what_is_there, Queue || !ready_i || valid_i)
      `REACH(takes, !Used || en_i && valid_i && ready_i && !flush_i)
      `REACH(waits, stays_q && valid_i && !ready_i)
    end
  end
endmodule
