// The wires of the dense fabric: an output of a switch box gives the selected arriving wire or core output, 0 if it is
// off, and a cycle later with its register, which holds while the columns stand still; an input takes the selected
// wire, the inner output at 20, and else 0.
//
// The environment chooses, once, the output; and in each cycle settings, wires and enable.
//
// cells: onyx_dense_switch onyx_dense_box
// with: first_reset
// set: Width=1
// set: Width=2
// broken: onyx_dense_switch s/en_i && register_i/register_i/
// broken: onyx_dense_switch s/!enable_i\[o\] ? '0 : register_i/register_i/
// broken: onyx_dense_switch s/5\*(3\*o+1)+:5/5*(3*o+2)+:5/
// broken: onyx_dense_box s/HasInner && enable_i/HasInner/
// broken: onyx_dense_box s/sel_i == 5'd20/sel_i == 5'd21/
`include "proof.svh"
module p_dense_wires #(
    parameter int unsigned Width = 1
) (
    input logic clk_i,
    input logic rst_ni,
    input logic en_i,
    input logic [2:0] own_sel_i,
    input logic enable_i, register_i,
    input logic [20*Width-1:0] in_i,
    input logic [5*Width-1:0] core_i,
    input logic box_enable_i,
    input logic [4:0] box_sel_i,
    input logic [Width-1:0] inner_i
);
  (* anyconst *) logic [4:0] chosen;
  logic live, rst_n;
  first_reset u_reset (.live_o(live), .rst_no(rst_n), .clk_i, .rst_ni);

  // The chosen output has the settings; another output must not matter.
  logic [19:0] one;
  logic [59:0] sel;
  logic [20*Width-1:0] out;
  assign one = 20'd1 << chosen;
  for (genvar o = 0; o < 20; o++) begin : g_sel
    assign sel[3*o+:3] = one[o] ? own_sel_i : 3'd0;
  end
  onyx_dense_switch #(.Width(Width)) u_switch (
      .sel_i(sel), .enable_i(enable_i ? one : 20'd0), .register_i(register_i ? one : 20'd0), .out_o(out), .clk_i,
      .rst_ni(rst_n), .en_i, .in_i, .core_i
  );

  // By definition: entry 3 * output + select of the table is the number of the arriving wire.
  logic [4:0] number;
  logic [Width-1:0] want, want_q, have, others;
  always_comb begin
    number = 5'd0;
    want   = '0;
    have   = '0;
    others = '0;
    for (int unsigned k = 0; k < 60; k++) begin
      if (k / 3 == 32'(chosen) && k % 3 == 32'(own_sel_i)) number = onyx_fabric_pkg::SWITCH_INPUT[5*k+:5];
    end
    for (int unsigned w = 0; w < 20; w++) begin
      if (enable_i && own_sel_i < 3'd3 && 32'(number) == w) want = in_i[Width*w+:Width];
      if (32'(chosen) == w) have = out[Width*w+:Width];
      else others = others | out[Width*w+:Width];
    end
    for (int unsigned c = 0; c < 5; c++) begin
      if (enable_i && 32'(own_sel_i) == c + 3) want = core_i[Width*c+:Width];
    end
  end
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) want_q <= '0;
    else if (en_i && register_i) want_q <= want;
  end

  logic [Width-1:0] plain, inner, want_box;
  onyx_dense_box #(.Width(Width)) u_plain (.enable_i(box_enable_i), .sel_i(box_sel_i), .data_o(plain), .in_i, .inner_i);
  onyx_dense_box #(.Width(Width), .HasInner(1'b1)) u_inner (
      .enable_i(box_enable_i), .sel_i(box_sel_i), .data_o(inner), .in_i, .inner_i
  );
  // Select 4 * track + side, sides north, south, east, west; wires by east, south, west, north.
  always_comb begin
    want_box = '0;
    for (int unsigned t = 0; t < 5; t++) begin
      if (box_enable_i && 32'(box_sel_i) == 4 * t) want_box = in_i[Width*(15+t)+:Width];
      if (box_enable_i && 32'(box_sel_i) == 4 * t + 1) want_box = in_i[Width*(5+t)+:Width];
      if (box_enable_i && 32'(box_sel_i) == 4 * t + 2) want_box = in_i[Width*t+:Width];
      if (box_enable_i && 32'(box_sel_i) == 4 * t + 3) want_box = in_i[Width*(10+t)+:Width];
    end
  end

  always_comb begin
    if (live && chosen < 5'd20) begin
      `PROVE(selected, register_i || have == want)
      `PROVE(registered, !register_i || have == (enable_i ? want_q : '0))
      `PROVE(others_off, others == '0)
      `PROVE(box_wire, plain == want_box)
      `PROVE(box_inner, inner == (box_enable_i && box_sel_i == 5'd20 ? inner_i : want_box))
      `REACH(moves, register_i && enable_i && have != '0 && want == '0)
      `REACH(core, !register_i && own_sel_i == 3'd7 && have != '0)
      `REACH(inner_word, inner != plain)
    end
  end
endmodule
