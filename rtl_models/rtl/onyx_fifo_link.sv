// The link between a scanner and the buffet: a row of depth-2 FIFOs.
//
// Contract: as onyx_fifo2; latency Stages (2 or 3) cycles, 2 * Stages words.
module onyx_fifo_link #(
    parameter int unsigned Width  = 17,
    parameter int unsigned Stages = 2
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             en_i,
    input  logic             flush_i,
    input  logic [Width-1:0] in_data_i,
    input  logic             in_valid_i,
    output logic             in_ready_o,
    output logic [Width-1:0] out_data_o,
    output logic             out_valid_o,
    input  logic             out_ready_i,
    output logic             stir_o  // a word moves
);
  logic [Width-1:0] near_data, mid_data;
  logic near_valid, near_ready, mid_valid, mid_ready;

  assign stir_o = (in_valid_i & in_ready_o) | (near_valid & near_ready) | (mid_valid & mid_ready) |
                  (out_valid_o & out_ready_i);

  if (Stages < 2 || Stages > 3) begin : g_bad_stages
    $error("onyx_fifo_link: Stages must be 2 or 3");
  end

  onyx_fifo2 #(
      .Width(Width)
  ) u_near (
      .clk_i      (clk_i),
      .rst_ni     (rst_ni),
      .en_i       (en_i),
      .flush_i    (flush_i),
      .in_data_i  (in_data_i),
      .in_valid_i (in_valid_i),
      .in_ready_o (in_ready_o),
      .out_data_o (near_data),
      .out_valid_o(near_valid),
      .out_ready_i(near_ready)
  );
  if (Stages == 3) begin : g_mid
    onyx_fifo2 #(
        .Width(Width)
    ) u_mid (
        .clk_i      (clk_i),
        .rst_ni     (rst_ni),
        .en_i       (en_i),
        .flush_i    (flush_i),
        .in_data_i  (near_data),
        .in_valid_i (near_valid),
        .in_ready_o (near_ready),
        .out_data_o (mid_data),
        .out_valid_o(mid_valid),
        .out_ready_i(mid_ready)
    );
  end else begin : g_no_mid
    assign mid_data   = near_data;
    assign mid_valid  = near_valid;
    assign near_ready = mid_ready;
  end
  onyx_fifo2 #(
      .Width(Width)
  ) u_far (
      .clk_i      (clk_i),
      .rst_ni     (rst_ni),
      .en_i       (en_i),
      .flush_i    (flush_i),
      .in_data_i  (mid_data),
      .in_valid_i (mid_valid),
      .in_ready_o (mid_ready),
      .out_data_o (out_data_o),
      .out_valid_o(out_valid_o),
      .out_ready_i(out_ready_i)
  );
endmodule
