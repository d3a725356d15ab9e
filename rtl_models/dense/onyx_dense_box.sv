// The connection box of a dense input: a bit (Width 1), or a word without handshakes (Width 16).
//
// Contract: sel_i 0..19 = the arriving wire by onyx_fabric_pkg::BOX_INPUT, 20 = inner_i, an output of the same tile if
// the input has one (HasInner), and 0 otherwise. A box that is off gives 0. comb from in_i and inner_i to data_o.
module onyx_dense_box #(
    parameter int unsigned Width = 1,
    parameter bit HasInner = 1'b0
) (
    input  logic       enable_i,
    input  logic [4:0] sel_i,
    input  logic [20*Width-1:0] in_i,
    input  logic [Width-1:0] inner_i,
    output logic [Width-1:0] data_o
);
  logic [20*Width-1:0] by_select;
  for (genvar k = 0; k < 20; k++) begin : g_select
    localparam int unsigned Wire = 32'(onyx_fabric_pkg::BOX_INPUT[5*k+:5]);
    assign by_select[Width*k+:Width] = in_i[Width*Wire+:Width];
  end
  always_comb begin
    data_o = '0;
    for (int unsigned k = 0; k < 20; k++) begin
      if (enable_i && sel_i == 5'(k)) data_o = by_select[Width*k+:Width];
    end
    if (HasInner && enable_i && sel_i == 5'd20) data_o = inner_i;
  end
endmodule
