// The switch box of a tile for dense wires: bits (Width 1), or words without handshakes (Width 16).
//
// Contract: an output on each track of each side, numbered TRACKS * side + track as the arriving wires. Select 0..2 =
// an arriving wire by onyx_fabric_pkg::SWITCH_INPUT, 3..7 = a core output. An output that is off gives 0. With its
// register an output gives what the multiplexer had at the last edge with en_i. comb from in_i and core_i to out_o,
// unless the register is in use.
module onyx_dense_switch #(
    parameter int unsigned Width = 1
) (
    input  logic clk_i, rst_ni, en_i,
    input  logic [59:0] sel_i,  // three bits an output
    input  logic [19:0] enable_i, register_i,
    input  logic [20*Width-1:0] in_i,
    input  logic [ 5*Width-1:0] core_i,
    output logic [20*Width-1:0] out_o
);
  if (Width < 1) $error("a wire has a bit at least");
  for (genvar o = 0; o < 20; o++) begin : g_out
    localparam int unsigned In0 = 32'(onyx_fabric_pkg::SWITCH_INPUT[5*(3*o)+:5]);
    localparam int unsigned In1 = 32'(onyx_fabric_pkg::SWITCH_INPUT[5*(3*o+1)+:5]);
    localparam int unsigned In2 = 32'(onyx_fabric_pkg::SWITCH_INPUT[5*(3*o+2)+:5]);
    logic [8*Width-1:0] sources;
    logic [Width-1:0] mux, held;
    assign sources = {core_i, in_i[Width*In2+:Width], in_i[Width*In1+:Width], in_i[Width*In0+:Width]};
    always_comb begin
      mux = '0;
      for (int unsigned k = 0; k < 8; k++) begin
        if (enable_i[o] && sel_i[3*o+:3] == 3'(k)) mux = sources[Width*k+:Width];
      end
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) held <= '0;
      else if (en_i && register_i[o]) held <= mux;
    end
    assign out_o[Width*o+:Width] = !enable_i[o] ? '0 : register_i[o] ? held : mux;
  end
endmodule
