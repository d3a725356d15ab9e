// An output port of a primitive, into a FIFO: once ready, as it is after a flush or reset, the FIFO stays so until it
// gets a token.
//
// Assumes that (queue_contract proves it of every FIFO: ready_hold, accepts); proves that an offer stays, unchanged, until
// it is taken. With Lapses = 1 an offer without room may pause, but comes again, unchanged, and before anything else.
`include "proof.svh"
module port_out #(
    parameter bit Lapses = 1'b0,
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
  logic stays_q, open_q;
  logic [Width-1:0] data_q;
  initial begin
    stays_q = 1'b0;
    open_q  = 1'b1;
  end
  always_ff @(posedge clk_i) begin
    stays_q <= live_i & (valid_i | (Lapses & stays_q)) & ~(en_i & (flush_i | (valid_i & ready_i)));
    open_q  <= ~live_i | (en_i & flush_i) | (ready_i & ~(en_i & valid_i));
    if (valid_i) data_q <= data_i;
  end
  always_comb begin
    if (open_q) assume (ready_i);
    if (live_i) begin
      if (stays_q) begin
        `PROVE(hold, valid_i || Lapses)
        `PROVE(stable, !valid_i || data_i == data_q)
      end
      `REACH(gives, en_i && valid_i && ready_i && !flush_i)
      `REACH(stalls, stays_q && !ready_i)
    end
  end
endmodule
