// One switch-box output: multiplexer, SplitFIFO, and the RMUX that takes either.
//
// sel_i 0..2 = the three arriving wires in the numbering of the switch box, 3..5 = core outputs, 6..7 = nothing.
// enable_i = 0 drives no token (the chip forwards the selected source without waiting for ready; nothing that
// is enabled can listen to it in a legal configuration) and asks nothing of the source.
// wait_o[k] = 1: this output selects input k, is enabled, and cannot take a token now.
// comb from in*_/core* to out_*, and from out_ready_i to wait_o, unless the register is in use and cuts the path.
module onyx_sb_out (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        stall_i,
    input  logic        enable_i,
    input  logic [ 2:0] sel_i,
    input  logic        rmux_i,
    input  logic        fifo_i,
    input  logic        start_i,
    input  logic        end_i,
    input  logic [16:0] in0_data_i,
    input  logic        in0_valid_i,
    input  logic [16:0] in1_data_i,
    input  logic        in1_valid_i,
    input  logic [16:0] in2_data_i,
    input  logic        in2_valid_i,
    input  logic [16:0] core0_data_i,
    input  logic        core0_valid_i,
    input  logic [16:0] core1_data_i,
    input  logic        core1_valid_i,
    input  logic [16:0] core2_data_i,
    input  logic        core2_valid_i,
    output logic [ 5:0] wait_o,
    output logic [16:0] out_data_o,
    output logic        out_valid_o,
    input  logic        out_ready_i
);
  logic [16:0] mux_data, reg_data;
  logic mux_valid, reg_valid, reg_ready;

  always_comb begin
    mux_data  = 17'd0;
    mux_valid = 1'b0;
    if (enable_i) begin
      case (sel_i)
        3'd0: begin
          mux_data  = in0_data_i;
          mux_valid = in0_valid_i;
        end
        3'd1: begin
          mux_data  = in1_data_i;
          mux_valid = in1_valid_i;
        end
        3'd2: begin
          mux_data  = in2_data_i;
          mux_valid = in2_valid_i;
        end
        3'd3: begin
          mux_data  = core0_data_i;
          mux_valid = core0_valid_i;
        end
        3'd4: begin
          mux_data  = core1_data_i;
          mux_valid = core1_valid_i;
        end
        3'd5: begin
          mux_data  = core2_data_i;
          mux_valid = core2_valid_i;
        end
        default: begin
          mux_data  = 17'd0;
          mux_valid = 1'b0;
        end
      endcase
    end
  end

  onyx_split_fifo #(
      .Width(17)
  ) u_reg (
      .clk_i,
      .rst_ni,
      .ce_i       (rmux_i & ~stall_i),
      .fifo_i,
      .start_i,
      .end_i,
      .in_data_i  (mux_data),
      .in_valid_i (mux_valid),
      .in_ready_o (reg_ready),
      .out_data_o (reg_data),
      .out_valid_o(reg_valid),
      .out_ready_i
  );

  always_comb begin
    out_data_o  = 17'd0;
    out_valid_o = 1'b0;
    if (enable_i) begin
      out_data_o  = rmux_i ? reg_data : mux_data;
      out_valid_o = rmux_i ? reg_valid : mux_valid;
    end
  end

  always_comb begin
    wait_o = 6'd0;
    if (enable_i && !(rmux_i ? reg_ready : out_ready_i)) wait_o = 6'd1 << sel_i;
  end
endmodule
