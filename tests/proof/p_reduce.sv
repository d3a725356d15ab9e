// onyx_reduce: one sum for every fiber that has a stop or an item, before anything of its stop; it is the sum of the items
// taken since; a stop is taken once, behind its sum, together with the stop one level lower where there is one; done is taken
// when it leaves. Nothing is taken while what it sends has no room.
//
// cells: onyx_bf16 onyx_reduce
// with: first_reset port token_kind idle_count
// set: Any=0
// broken: onyx_reduce s/if (out_ready_i) state_d = StStop/state_d = StStop/
// broken: onyx_reduce s/in_ready_o = in_valid_i \& item;/in_ready_o = in_valid_i;/
`include "proof.svh"
module p_reduce #(
    parameter bit Any = 1'b1  // bfloat16 as well as integers
) (
`include "control_ports.svh"
    input logic [15:0] first,
    input logic        bf16,
    input logic [16:0] in_data_i,
    input logic        in_valid_i,
    input logic        out_ready_i,
    output logic [19:0] seen_o  // all that the FIFOs and the monitor's register can tell
);
  logic live, rst_n;
  first_reset u_reset (.clk_i, .rst_ni, .live_o(live), .rst_no(rst_n));

  logic in_ready, out_valid;
  logic [16:0] out_data;
  logic [15:0] first_q;
  always_ff @(posedge clk_i) first_q <= first;
  always_comb if (live) assume (first == first_q);
  logic bf16_q;
  always_ff @(posedge clk_i) bf16_q <= bf16;
  always_comb if (live) assume (bf16 == bf16_q);

  logic hazard, stir, gated_stir;
  onyx_reduce u_cell (
      .rst_ni(rst_n), .default_value_i(first), .bf16_i(Any & bf16), .in_ready_o(in_ready), .hazard_o(hazard),
      .out_data_o(out_data), .out_valid_o(out_valid), .stir_o(stir), .clk_i, .en_i, .flush_i, .in_data_i,
      .in_valid_i, .out_ready_i
  );

  // This copy of the cell has a clock only when the cell says that it may change, or a token moves.
  logic awake;
  assign awake = en_i & (flush_i | gated_stir | (in_valid_i & gated_in_ready) | (gated_out_valid & out_ready_i));
  logic gated_in_ready, gated_out_valid, gated_hazard;
  logic [16:0] gated_out_data;
  onyx_reduce u_gated (
      .rst_ni(rst_n), .default_value_i(first), .bf16_i(Any & bf16), .in_ready_o(gated_in_ready),
      .out_data_o(gated_out_data), .out_valid_o(gated_out_valid), .hazard_o(gated_hazard), .en_i(awake),
      .stir_o(gated_stir), .clk_i, .flush_i, .in_data_i, .in_valid_i, .out_ready_i
  );
  port u_in (.live_i(rst_n), .data_i(in_data_i), .valid_i(in_valid_i), .ready_i(in_ready), .clk_i, .en_i, .flush_i);
  port #(.Gives(1'b1)) u_out (.live_i(rst_n), .data_i(out_data), .valid_i(out_valid), .ready_i(out_ready_i), .clk_i,
      .en_i, .flush_i);

  // Tokens that move at this edge.
  logic moves, in_takes, out_gives;
  assign moves = rst_n & en_i & ~flush_i;
  assign in_takes = moves & in_valid_i & in_ready;
  assign out_gives = moves & out_valid & out_ready_i;
  logic in_stop, in_done, in_item;
  token_kind u_in_kind (.data_i(in_data_i), .stop_o(in_stop), .done_o(in_done), .item_o(in_item));

  // With all it needs, it moves within 2 enabled cycles.
  logic [2:0] idle;
  idle_count u_idle (.live_i(rst_n), .able_i(in_valid_i && out_ready_i), .moved_i(in_takes || out_gives),
      .idle_o(idle), .clk_i, .en_i, .flush_i);

  // The fiber at hand: its sum so far, whether it has items, whether the sum has left.
  logic [15:0] sum_q;
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
        if (!in_data_i[16]) sum_q <= sum_q + in_data_i[15:0];
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
  assign sum_gives = out_gives & ~out_data[16];
  always_comb begin
    if (rst_n) begin
      `PROVE(gated_same, {gated_in_ready, gated_out_data, gated_out_valid, gated_hazard} ==
          {in_ready, out_data, out_valid, hazard})
    end
    if (moves) begin
      if (sum_gives) begin
        `PROVE(one_sum, !summed_q && !in_takes)
        `PROVE(sum, (Any && bf16) || out_data[15:0] == sum_q)
      end
      if (in_takes && in_item) begin
        `PROVE(item_in_fiber, !summed_q && !out_gives)
      end
      if (in_takes && in_stop) begin
        `PROVE(stop_behind_sum, summed_q)
        `PROVE(stop_lowered, out_gives == (in_data_i[7:0] != 8'd0))
        if (out_gives) begin
          `PROVE(level, out_data == {in_data_i[16:8], in_data_i[7:0] - 8'd1})
        end
      end
      if (in_takes && in_done) begin
        `PROVE(done, out_gives && out_data == in_data_i && (summed_q || !open_q))
      end
      if (out_gives && out_data[16]) begin
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
    out_data & {17{out_gives}},
    hazard & moves
  };
endmodule
