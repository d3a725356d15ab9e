// The link between a scanner and the buffet: a depth-2 FIFO at each end, so four words and two cycles.
//
// Contract: as onyx_fifo2.
module onyx_fifo_link #(
    parameter int unsigned Width = 17
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
    input  logic             out_ready_i
);
  logic [Width-1:0] mid_data;
  logic mid_valid, mid_ready;

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
      .out_data_o (mid_data),
      .out_valid_o(mid_valid),
      .out_ready_i(mid_ready)
  );
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
