// Configuration registers of a feature of a dense tile: its first Words registers, end to end. A word written lands at
// the next edge, whatever the column's stall; there is no read-back.
module onyx_dense_words #(
    parameter int unsigned Words = 4,
    parameter logic [7:0] Feature = 8'd0
) (
    input  logic clk_i, rst_ni,
    input  onyx_pkg::config_t              cfg_i,
    output logic              [32*Words-1:0] words_o
);
  logic here;
  assign here = cfg_i.write && cfg_i.addr[23:0] == {Feature, cfg_i.tile_id};

  for (genvar i = 0; i < Words; i++) begin : g_word
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) words_o[32*i+:32] <= 32'd0;
      else if (here && cfg_i.addr[31:24] == 8'(i)) words_o[32*i+:32] <= cfg_i.data;
    end
  end

  logic unused_read;
  assign unused_read = cfg_i.read;
endmodule
