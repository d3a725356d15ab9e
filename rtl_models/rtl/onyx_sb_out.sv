// One switch-box output: multiplexer, SplitFIFO, and the RMUX that takes either.
//
// sel_i 0..2 = the three arriving wires in the numbering of the switch box, 3..5 = core outputs, 6..7 = nothing.
// enable_i = 0 drives no token (the chip forwards the selected source without waiting for ready; nothing that
// is enabled can listen to it in a legal configuration) and asks nothing of the source.
// wait_o[k] = 1: this output selects input k, is enabled, and cannot take a token now.
// comb from in*_i/core*_i to out_o, and from out_ready_i to wait_o, unless the register is in use and cuts the path.
module onyx_sb_out (
    input  logic clk_i, rst_ni, stall_i, enable_i,
    input  logic [2:0] sel_i,
    input  logic rmux_i, fifo_i, start_i, end_i,
    input  onyx_pkg::stream_t in0_i, in1_i, in2_i, core0_i, core1_i, core2_i,
    output logic [5:0] wait_o,
    output onyx_pkg::stream_t out_o, input  logic out_ready_i
);
  onyx_pkg::stream_t mux, held;
  logic reg_ready;

  always_comb begin
    mux = '0;
    if (enable_i) begin
      case (sel_i)
        3'd0: mux = in0_i;
        3'd1: mux = in1_i;
        3'd2: mux = in2_i;
        3'd3: mux = core0_i;
        3'd4: mux = core1_i;
        3'd5: mux = core2_i;
        default: mux = '0;
      endcase
    end
  end

  onyx_split_fifo u_reg (
      .clk_i, .rst_ni, .ce_i(rmux_i & ~stall_i), .fifo_i, .start_i, .end_i,
      .in_i(mux), .in_ready_o(reg_ready), .out_o(held), .out_ready_i
  );

  always_comb begin
    out_o = '0;
    if (enable_i) out_o = rmux_i ? held : mux;
  end

  always_comb begin
    wait_o = 6'd0;
    if (enable_i && !(rmux_i ? reg_ready : out_ready_i)) wait_o = 6'd1 << sel_i;
  end
`include "onyx_assert.svh"
  `ONYX_ASSERT(OneSource, (wait_o & (wait_o - 6'd1)) == 6'd0, "an output listens to one source")
  `ONYX_ASSERT(DisabledIsSilent, enable_i || (wait_o == 6'd0 && !out_o.valid),
      "an output that is off gives and asks nothing")
endmodule
