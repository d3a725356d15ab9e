// The generator of valid bits of a MEM tile. Contract: bit_o is 1 in each cycle with an event, from the first flush on.
module onyx_dense_valid (
    input  logic clk_i, rst_ni, en_i, flush_i,
    input  onyx_dense_pkg::valid_t cfg_i,
    output logic                   bit_o
);
  logic [15:0] cycle_q;
  logic flushed_q, due, unused_restart, unused_addr;
  logic [3:0] unused_loop;

  onyx_dense_generator #(.AddrWidth(1)) u_generator (
      .cycle_i(cycle_q), .enable_i(cfg_i.enable), .dim_i(cfg_i.loops.dim), .range_i(cfg_i.loops.range),
      .start_i(cfg_i.start), .stride_i(cfg_i.stride), .addr_start_i(1'b0), .addr_stride_i(6'd0), .event_o(due),
      .restart_o(unused_restart), .loop_o(unused_loop), .addr_o(unused_addr), .clk_i, .rst_ni, .en_i, .flush_i
  );
  assign bit_o = flushed_q && due;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cycle_q   <= '0;
      flushed_q <= 1'b0;
    end else if (en_i) begin
      cycle_q   <= flush_i ? 16'd0 : cycle_q + 16'd1;
      flushed_q <= flushed_q || flush_i;
    end
  end
endmodule
