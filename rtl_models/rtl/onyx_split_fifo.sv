// SplitFIFO: the register of one switch-box output; two in a row make one 2-entry FIFO.
//
// Contract with fifo_i = 1: one token of storage. A token enters when in_valid_i & in_ready_o and leaves when
// out_valid_o & out_ready_i at an edge with ce_i; an empty one may pass a token straight through.
//   start_i cuts the ready path  (in_ready_o from registers only),
//   end_i   cuts the valid path  (out_valid_o and out_data_o from registers only).
// First of a pair: start; second: end. The pair takes and gives a token every cycle, adds one cycle, and holds
// two tokens. One alone with both bits set runs at half rate.
// With fifo_i = 0: a plain register that always takes and always gives (dense pipelining).
// No flush, as on the chip: only rst_ni empties it.
// comb from in_valid_i/in_data_i to out_* unless end_i; from out_ready_i to in_ready_o unless start_i.
module onyx_split_fifo #(
    parameter int unsigned Width = 17
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             ce_i,
    input  logic             fifo_i,
    input  logic             start_i,
    input  logic             end_i,
    input  logic [Width-1:0] in_data_i,
    input  logic             in_valid_i,
    output logic             in_ready_o,
    output logic [Width-1:0] out_data_o,
    output logic             out_valid_o,
    input  logic             out_ready_i
);
  logic [Width-1:0] value_q;
  logic full_q;

  assign in_ready_o  = fifo_i ? (~full_q | (out_ready_i & ~start_i)) : ce_i;
  assign out_valid_o = fifo_i ? (full_q | (in_valid_i & ~end_i)) : ce_i;
  assign out_data_o  = (fifo_i & ~full_q & ~end_i) ? in_data_i : value_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      value_q <= '0;
      full_q  <= 1'b0;
    end else if (ce_i) begin
      if (!fifo_i) begin
        value_q <= in_data_i;
      end else if (in_valid_i && in_ready_o && (full_q || end_i || !out_ready_i)) begin
        // Taken and not passed straight through.
        value_q <= in_data_i;
        full_q  <= 1'b1;
      end else if (out_ready_i) begin
        full_q <= 1'b0;
      end
    end
  end
endmodule
