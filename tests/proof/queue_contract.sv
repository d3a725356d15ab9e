// The contract of whatever holds tokens between an in and an out port: a queue of at most Capacity tokens.
//
// Holds for every sequence of offers and stalls, enabled cycles and resets:
//   hold       a valid output stays valid until it is taken, with the same data
//   ready_hold a ready input stays ready until it takes a token (not with Through: there ready may come from behind)
//   capacity   never more than Capacity tokens inside
//   backed     no output without a token: nothing is invented or sent twice
//   order      the token picked by the environment (any one, at any time) leaves behind as many tokens as were inside
//              when it came, unchanged: nothing is lost, doubled or overtaken
//   prompt     with tokens inside, a valid output is not missing for more than Latency - 1 enabled cycles on end
//   accepts    with room, a ready input is not missing for more than Refill enabled cycles on end
// Through = 1: a token may leave in the cycle in which it comes; the producer is then assumed to hold an offer, too.
// Shared = 1: the input serves others, too, and is ready when all are: accepts is not asked.
// clear_i: the queue is emptied at the next enabled edge (or, live_i = 0, by reset).
`include "proof.svh"
module queue_contract #(
    parameter int unsigned Width = 1,
    parameter int unsigned Capacity = 2,
    parameter int unsigned Latency = 1,
    parameter int unsigned Refill = 0,
    parameter bit Through = 1'b0,
    parameter bit Shared = 1'b0
) (
    input logic             clk_i,
    input logic             live_i,
    input logic             en_i,
    input logic             clear_i,
    input logic [Width:0]   in_i,
    input logic             in_ready_i,
    input logic [Width:0]   out_i,
    input logic             out_ready_i,
    input logic             pick_i,
    output logic [Width+1:0] seen_o  // all that the outside can tell: data counts while valid only
);
  logic in_valid, out_valid;
  logic [Width-1:0] in_data, out_data;
  assign {in_valid, in_data}   = in_i;
  assign {out_valid, out_data} = out_i;

  localparam int unsigned Bits = $clog2(Capacity + 2);
  assign seen_o = {in_ready_i, out_valid, out_data & {Width{out_valid}}};

  logic [Bits-1:0] level_q, ahead_q;  // tokens inside; of them, ahead of the picked one
  logic picked_q;  // the picked token is inside
  logic [Width-1:0] token_q;
  logic [2:0] late_q, shut_q;  // enabled cycles on end with a token but no valid; with room but not ready

  // The last cycle, where nothing cleared the queue at its end.
  logic past_q, offered_q, ready_q, offering_q;
  logic [Width-1:0] data_q, offer_q;

  logic in, out, leaves, clears;
  assign clears = ~live_i | (en_i & clear_i);
  assign in     = in_valid & in_ready_i;
  assign out    = out_valid & out_ready_i;
  assign leaves = en_i & out & picked_q & (ahead_q == '0);

  initial begin
    level_q  = '0;
    picked_q = 1'b0;
    past_q   = 1'b0;
    late_q   = '0;
    shut_q   = '0;
  end
  always_ff @(posedge clk_i) begin
    past_q    <= ~clears;
    offered_q <= out_valid & ~(out & en_i);
    ready_q   <= in_ready_i & ~(in & en_i);
    data_q    <= out_data;
    offering_q <= in_valid & ~(in & en_i);
    offer_q    <= in_data;
    if (clears) begin
      level_q  <= '0;
      picked_q <= 1'b0;
      late_q   <= '0;
      shut_q   <= '0;
    end else if (en_i) begin
      level_q <= level_q + {{(Bits - 1) {1'b0}}, in} - {{(Bits - 1) {1'b0}}, out};
      late_q  <= ((level_q == '0) | out_valid) ? '0 : late_q + 3'd1;
      shut_q  <= ((level_q >= Capacity) | in_ready_i) ? '0 : shut_q + 3'd1;
      if (picked_q && out) begin
        ahead_q  <= ahead_q - 1'b1;
        picked_q <= (ahead_q != '0);
      end else if (!picked_q && pick_i && in && !(out && level_q == '0)) begin
        picked_q <= 1'b1;
        token_q  <= in_data;
        ahead_q  <= level_q - {{(Bits - 1) {1'b0}}, out};
      end
    end
  end

  always_comb begin
    if (Through && past_q && offering_q) assume (in_valid && in_data == offer_q);
    if (live_i) begin
      if (past_q && offered_q) begin
        `PROVE(hold, out_valid && out_data == data_q)
      end
      if (!Through && past_q && ready_q) begin
        `PROVE(ready_hold, in_ready_i)
      end
      `PROVE(capacity, level_q <= Capacity)
      if (en_i && out) begin
        `PROVE(backed, level_q != '0 || (Through && in))
      end
      if (en_i && leaves) begin
        `PROVE(order, out_data == token_q)
      end
      if (Through && en_i && out && level_q == '0) begin
        `PROVE(through, out_data == in_data)
      end
      if (!Through) begin
        `PROVE(empty, !(level_q == '0 && out_valid))
      end
      `PROVE(full, !(level_q == Capacity && in_ready_i && !(Through && out)))
      `PROVE(prompt, late_q < Latency)
      `PROVE(accepts, Shared || shut_q <= Refill)
      `REACH(filled, level_q == Capacity)
      `REACH(drained, leaves && level_q == 1)
      `REACH(picked_last, picked_q && ahead_q + 1'b1 == Capacity)
      `REACH(stalled, past_q && offered_q && en_i && !out_ready_i)
    end
  end
endmodule
