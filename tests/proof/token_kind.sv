// The kind of a token of 17 bits: a stop, done, or an item, which is data or a maybe.
module token_kind (
    input logic [16:0] data_i,
    output logic stop_o,
    output logic done_o,
    output logic item_o
);
  assign stop_o = data_i[16] & (data_i[9:8] == 2'd0);
  assign done_o = data_i[16] & (data_i[9:8] == 2'd1);
  assign item_o = ~stop_o & ~done_o;
endmodule
