// Consecutive enabled cycles in which a primitive could move (able_i) and did not move.
module idle_count (
    input logic clk_i,
    input logic live_i,
    input logic en_i,
    input logic flush_i,
    input logic able_i,
    input logic moved_i,
    output logic [2:0] idle_o
);
  initial idle_o = 3'd0;
  always_ff @(posedge clk_i) begin
    if (!live_i || (en_i && (flush_i || !able_i || moved_i))) idle_o <= 3'd0;
    else if (en_i) idle_o <= idle_o + 3'd1;
  end
endmodule
