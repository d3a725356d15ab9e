// onyx_reduce: one sum leaves for every fiber with a stop or an item, ahead of the fiber's stop; the sum is that of
// the fiber's items, or another operation's result for the default value and the items; a stop is taken once, after
// its sum, together with the stop one level lower if present; done is taken when done leaves. Nothing is taken while
// its output has no room.
//
// cells: onyx_bf16 onyx_combine onyx_float_sum onyx_reduce
// with: first_reset steady port token_kind idle_count
// set: Any=0
// broken: onyx_reduce s/if (out_ready_i) state_d = StStop/state_d = StStop/
// broken: onyx_reduce s/in_ready_o = in_i.valid \& item;/in_ready_o = in_i.valid;/
`include "proof.svh"
module p_reduce #(
    parameter bit Any = 1'b1  // bfloat16 and all operations; else integers, of which sum and disjunction by bits
) (
`include "control_ports.svh"
    input logic [15:0] first,
    input logic        bf16,
    input logic [ 3:0] op,
    input logic        float32,
    input onyx_pkg::stream_t in_i,
    input logic        out_ready_i,
    output logic [19:0] seen_o  // all that the FIFOs and the monitor's register can tell
);
  logic live, rst_n;
  first_reset u_reset (.clk_i, .rst_ni, .live_o(live), .rst_no(rst_n));

  logic in_ready;
  onyx_pkg::stream_t out;
  steady #(.Width(22)) u_steady (.clk_i, .live_i(live), .value_i({first, bf16, op, float32}));

  // 0 is the sum, 7 the disjunction.
  logic [3:0] by;
  assign by = Any ? op : {1'b0, {3{op[0]}}};

  logic hazard, stir, gated_stir;
  onyx_reduce u_cell (
      .rst_ni(rst_n), .default_value_i(first), .bf16_i(Any & bf16), .op_i(by), .float32_i(float32),
      .in_ready_o(in_ready), .hazard_o(hazard),
      .out_o(out), .stir_o(stir), .clk_i, .en_i, .flush_i, .in_i, .out_ready_i
  );

  // This copy of the cell has a clock only when the cell signals a change, or a token moves.
  logic awake, gated_in_ready, gated_hazard;
  onyx_pkg::stream_t gated_out;
  assign awake = en_i & (flush_i | gated_stir | (in_i.valid & gated_in_ready) | (gated_out.valid & out_ready_i));
  onyx_reduce u_gated (
      .rst_ni(rst_n), .default_value_i(first), .bf16_i(Any & bf16), .op_i(by), .float32_i(float32),
      .in_ready_o(gated_in_ready),
      .out_o(gated_out), .hazard_o(gated_hazard), .en_i(awake),
      .stir_o(gated_stir), .clk_i, .flush_i, .in_i, .out_ready_i
  );
  port u_in (.live_i(rst_n), .stream_i(in_i), .ready_i(in_ready), .clk_i, .en_i, .flush_i);
  port #(.Gives(1'b1)) u_out (.live_i(rst_n), .stream_i(out), .ready_i(out_ready_i), .clk_i,
      .en_i, .flush_i);

  // Tokens that move at this edge.
  logic moves, in_takes, out_gives;
  assign moves = rst_n & en_i & ~flush_i;
  assign in_takes = moves & in_i.valid & in_ready;
  assign out_gives = moves & out.valid & out_ready_i;
  logic in_stop, in_done, in_item;
  token_kind u_in_kind (.data_i(in_i.data), .stop_o(in_stop), .done_o(in_done), .item_o(in_item));

  // With input and room, the cell moves within 2 enabled cycles.
  logic [2:0] idle;
  idle_count u_idle (.live_i(rst_n), .able_i(in_i.valid && out_ready_i), .moved_i(in_takes || out_gives),
      .idle_o(idle), .clk_i, .en_i, .flush_i);

  // The fiber at hand: its sum, whether the fiber has items, whether the sum has left.
  logic [15:0] sum_q, base;
  assign base = (by != 4'd0 && !open_q && !summed_q) ? first : sum_q;
  logic open_q, summed_q;
  initial begin
    sum_q    = 16'd0;
    open_q   = 1'b0;
    summed_q = 1'b0;
  end
  always_ff @(posedge clk_i) begin
    if (!rst_n || (en_i && flush_i)) begin
      sum_q    <= 16'd0;
      open_q   <= 1'b0;
      summed_q <= 1'b0;
    end else if (moves) begin
      if (in_takes && in_item) begin
        open_q <= 1'b1;
        if (!in_i.data[16]) sum_q <= by == 4'd0 ? base + in_i.data[15:0] : base | in_i.data[15:0];
        else sum_q <= base;
      end else if (in_takes) begin
        open_q   <= 1'b0;
        summed_q <= 1'b0;
        sum_q    <= (in_done && !summed_q) ? sum_q : first;
      end else if (out_gives) begin
        summed_q <= 1'b1;
      end
    end
  end

  logic sum_gives;
  assign sum_gives = out_gives & ~out.data[16];
  always_comb begin
    if (rst_n) begin
      `PROVE(gated_same, {gated_in_ready, gated_out.data, gated_out.valid, gated_hazard} ==
          {in_ready, out.data, out.valid, hazard})
    end
    if (moves) begin
      if (sum_gives) begin
        `PROVE(one_sum, !summed_q && !in_takes)
        `PROVE(sum, (Any && (bf16 || (by != 4'd0 && by != 4'd7))) || out.data[15:0] == base)
      end
      if (in_takes && in_item) begin
        `PROVE(item_in_fiber, !summed_q && !out_gives)
      end
      if (in_takes && in_stop) begin
        `PROVE(stop_behind_sum, summed_q)
        `PROVE(stop_lowered, out_gives == (in_i.data[7:0] != 8'd0))
        if (out_gives) begin
          `PROVE(level, out.data == {in_i.data[16:8], in_i.data[7:0] - 8'd1})
        end
      end
      if (in_takes && in_done) begin
        `PROVE(done, out_gives && out.data == in_i.data && (summed_q || !open_q))
      end
      if (out_gives && out.data[16]) begin
        `PROVE(control_once, in_takes)
      end
    end
    if (rst_n) begin
      `PROVE(progress, idle <= 3'd2)
      `REACH(high_stop, in_takes && in_stop && out_gives && sum_q != 16'd0)
      `REACH(done_alone, in_takes && in_done && !summed_q)
    end
  end
  assign seen_o = {
    in_takes,
    out_gives,
    out.data & {17{out_gives}},
    hazard & moves
  };
endmodule
