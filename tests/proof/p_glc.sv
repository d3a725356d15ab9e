// onyx_glc: one AXI4-Lite access at a time, each answered once, its answer kept until taken; a write has its effect in
// the cycle behind its acceptance, and a done in the same cycle outlives the write that clears its bit. Registers,
// pulses, strobes, the reset and the interrupt are those of a model by the registers' names; a register of the buffer
// is written by one pulse, and the answer comes 26 cycles later.
//
// mutate: onyx_glc
// cells: onyx_glc
// with: first_reset
// often: awaddr_i=0x7c araddr_i=0x7c
// often: f2g_done_i=0 g2f_done_i=0 pc_done_i=0
// broken: onyx_glc s/| f2g_done_i;/| (f2g_done_i \& ~{16{own_write}});/
// broken: onyx_glc s/StAnswer: if (bready_i) state_q/StAnswer: state_q/
// broken: onyx_glc s/\& ~(awvalid_i \& wvalid_i);/;/
// broken: onyx_glc s/f2g_isr_q \& f2g_ier_q};/f2g_isr_q};/
`include "proof.svh"
module p_glc (
    input  logic         clk_i,
    input  logic         rst_ni,
    input  logic [ 12:0] awaddr_i, araddr_i,
    input  logic         awvalid_i, wvalid_i, bready_i, arvalid_i, rready_i,
    input  logic [ 31:0] wdata_i, glb_reg_rdata_i, cfg_rdata_i,
    input  logic [ 15:0] g2f_done_i, f2g_done_i, pc_done_i,
    output logic [309:0] seen_o  // all that the outside can tell: address and data count while valid or strobed only
);
  logic live, rst_n;
  first_reset u_reset (.clk_i, .rst_ni, .live_o(live), .rst_no(rst_n));

  logic awready, wready, bvalid, arready, rvalid, glb_we, array_rst_n, cfg_write, cfg_read, irq;
  logic [31:0] rdata, glb_wdata, stall, crossbar, cfg_addr, cfg_data;
  logic [11:0] glb_addr;
  logic [15:0] clk_en, bank_clk_en, cfg_stall, g2f_start, f2g_start, pc_start;
  onyx_glc u_glc (
      .clk_i, .rst_ni(rst_n), .awaddr_i, .awvalid_i, .awready_o(awready), .wdata_i, .wvalid_i, .wready_o(wready),
      .bvalid_o(bvalid), .bready_i, .araddr_i, .arvalid_i, .arready_o(arready), .rdata_o(rdata), .rvalid_o(rvalid),
      .rready_i, .glb_reg_we_o(glb_we), .glb_reg_addr_o(glb_addr), .glb_reg_wdata_o(glb_wdata), .glb_reg_rdata_i,
      .glb_clk_en_o(clk_en), .glb_bank_clk_en_o(bank_clk_en), .glb_cfg_stall_o(cfg_stall), .array_rst_no(array_rst_n),
      .stall_o(stall), .flush_crossbar_o(crossbar), .cfg_write_o(cfg_write), .cfg_read_o(cfg_read),
      .cfg_addr_o(cfg_addr), .cfg_data_o(cfg_data), .cfg_rdata_i, .g2f_start_o(g2f_start), .f2g_start_o(f2g_start),
      .pc_start_o(pc_start), .g2f_done_i, .f2g_done_i, .pc_done_i, .irq_o(irq)
  );

  // The access under way: the cycle of its effect, cycles that a write of the buffer takes on top, the answer.
  logic write_q, read_q, written_q, found_q, of_buffer, busy;
  logic [4:0] left_q;
  logic [12:0] addr_q;
  logic [31:0] data_q;
  logic take_write, take_read;
  assign take_write = awvalid_i & awready & wvalid_i & wready;
  assign take_read  = arvalid_i & arready;
  assign of_buffer  = addr_q[12];
  assign busy       = write_q | read_q | (left_q != 5'd0) | written_q | found_q;
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      {write_q, read_q, written_q, found_q} <= 4'd0;
      left_q <= 5'd0;
      addr_q <= 13'd0;
      data_q <= 32'd0;
    end else begin
      write_q   <= ~busy & take_write;
      read_q    <= ~busy & ~take_write & take_read;
      left_q    <= (write_q & of_buffer) ? 5'd26 : (left_q != 5'd0) ? left_q - 5'd1 : 5'd0;
      written_q <= (write_q & ~of_buffer) | (left_q == 5'd1) | (written_q & ~bready_i);
      found_q   <= read_q | (found_q & ~rready_i);
      if (!busy && (take_write || take_read)) addr_q <= take_write ? awaddr_i : araddr_i;
      if (!busy && take_write) data_q <= wdata_i;
    end
  end

  // The registers, by their byte addresses.
  logic own;
  logic [4:0] word;
  assign own  = write_q & ~of_buffer;
  assign word = addr_q[6:2];
  logic [31:0] test_q, reset_q, stall_q, cfg_addr_q, cfg_data_q, strobe_q, probe_q, read_data_q, crossbar_q, rdata_q;
  logic [15:0] clk_en_q, bank_q, hold_q;
  logic [47:0] start_q, ier_q, isr_q;  // configuration, loads, stores as the interrupt's bits 2, 1, 0
  logic [2:0] gier_q, gisr;
  assign gisr = {|(isr_q[47:32] & ier_q[47:32]), |(isr_q[31:16] & ier_q[31:16]), |(isr_q[15:0] & ier_q[15:0])};
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      {test_q, reset_q, stall_q, cfg_addr_q, cfg_data_q, strobe_q, probe_q, read_data_q, crossbar_q} <= '0;
      {clk_en_q, bank_q, hold_q, start_q, ier_q, isr_q, gier_q} <= '0;
    end else begin
      start_q <= 48'd0;
      if (reset_q != 32'd0) reset_q <= reset_q - 32'd1;
      if (strobe_q != 32'd0) strobe_q <= strobe_q - 32'd1;
      if (probe_q != 32'd0) begin
        probe_q     <= probe_q - 32'd1;
        read_data_q <= cfg_rdata_i;
      end
      isr_q <= isr_q | {pc_done_i, g2f_done_i, f2g_done_i};
      if (own) begin
        if (word == 5'd0) test_q <= data_q;
        if (word == 5'd1) reset_q <= data_q;
        if (word == 5'd2) stall_q <= data_q;
        if (word == 5'd3) clk_en_q <= data_q[15:0];
        if (word == 5'd4) bank_q <= data_q[15:0];
        if (word == 5'd5) hold_q <= data_q[15:0];
        if (word == 5'd6) start_q[31:0] <= {data_q[15:0], data_q[31:16]};
        if (word == 5'd7) start_q[47:32] <= data_q[15:0];
        if (word == 5'd8) ier_q[15:0] <= data_q[15:0];
        if (word == 5'd9) ier_q[31:16] <= data_q[15:0];
        if (word == 5'd10) ier_q[47:32] <= data_q[15:0];
        if (word == 5'd11) gier_q <= data_q[2:0];
        if (word == 5'd12) isr_q[15:0] <= (isr_q[15:0] & ~data_q[15:0]) | f2g_done_i;
        if (word == 5'd13) isr_q[31:16] <= (isr_q[31:16] & ~data_q[15:0]) | g2f_done_i;
        if (word == 5'd14) isr_q[47:32] <= (isr_q[47:32] & ~data_q[15:0]) | pc_done_i;
        if (word == 5'd16) cfg_addr_q <= data_q;
        if (word == 5'd17) cfg_data_q <= data_q;
        if (word == 5'd18) strobe_q <= data_q;
        if (word == 5'd19) probe_q <= data_q;
        if (word == 5'd21) crossbar_q <= data_q;
      end
    end
  end

  // What a read gives: of the cycle of its effect.
  logic [31:0] value;
  always_comb begin
    value = 32'd0;
    if (of_buffer) value = glb_reg_rdata_i;
    else begin
      case (word)
        5'd0: value = test_q;
        5'd1: value = reset_q;
        5'd2: value = stall_q;
        5'd3: value = {16'd0, clk_en_q};
        5'd4: value = {16'd0, bank_q};
        5'd5: value = {16'd0, hold_q};
        5'd8: value = {16'd0, ier_q[15:0]};
        5'd9: value = {16'd0, ier_q[31:16]};
        5'd10: value = {16'd0, ier_q[47:32]};
        5'd11: value = {29'd0, gier_q};
        5'd12: value = {16'd0, isr_q[15:0] & ier_q[15:0]};
        5'd13: value = {16'd0, isr_q[31:16] & ier_q[31:16]};
        5'd14: value = {16'd0, isr_q[47:32] & ier_q[47:32]};
        5'd15: value = {29'd0, gisr};
        5'd16: value = cfg_addr_q;
        5'd17: value = cfg_data_q;
        5'd20: value = read_data_q;
        5'd21: value = crossbar_q;
        default: value = 32'd0;
      endcase
    end
  end
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) rdata_q <= 32'd0;
    else if (read_q) rdata_q <= value;
  end

  always_comb begin
    if (rst_n) begin
      `PROVE(both_halves, awready == wready && (!awready || (awvalid_i && wvalid_i)))
      `PROVE(one_at_a_time, !(awready && arready) && !((awready || arready) && busy))
      `PROVE(idle_takes, busy || (awready == (awvalid_i & wvalid_i) && (arready || awready) == (arvalid_i | awready)))
      `PROVE(answers_writes, bvalid == written_q)
      `PROVE(answers_reads, rvalid == found_q)
      `PROVE(reads_the_value, !rvalid || rdata == rdata_q)
      `PROVE(buffer_pulse, glb_we == (left_q == 5'd26))
      `PROVE(buffer_address, !busy || (glb_addr == addr_q[11:0] && (!(write_q || left_q != 5'd0 || written_q) || glb_wdata == data_q)))
      `PROVE(starts, {pc_start, g2f_start, f2g_start} == start_q)
      `PROVE(holds, {stall, crossbar, cfg_addr, cfg_data} == {stall_q, crossbar_q, cfg_addr_q, cfg_data_q})
      `PROVE(enables, {clk_en, bank_clk_en, cfg_stall} == {clk_en_q, bank_q, hold_q})
      `PROVE(strobes, cfg_write == (strobe_q != 32'd0) && cfg_read == (probe_q != 32'd0))
      `PROVE(resets, array_rst_n == (reset_q == 32'd0))
      `PROVE(interrupts, irq == |(gisr & gier_q))
      `REACH(clears_beside_a_done, own && word == 5'd12 && data_q[3] && isr_q[3] && f2g_done_i[3])
      `REACH(answer_waits, written_q && !bready_i)
      `REACH(interrupted, irq)
      `REACH(strobe_outlasts_its_answer, cfg_read && !busy)
    end
  end
  assign seen_o = {
    awready, wready, bvalid, arready, rvalid, glb_we, array_rst_n, cfg_write, cfg_read, irq,
    rdata & {32{rvalid}}, glb_addr & {12{busy}}, glb_wdata & {32{glb_we}}, stall, crossbar, cfg_addr, cfg_data,
    clk_en, bank_clk_en, cfg_stall, g2f_start, f2g_start, pc_start
  };
endmodule
