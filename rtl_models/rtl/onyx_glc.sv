// The global controller: AXI4-Lite registers of the chip, pulses to the global buffer, interrupt.
//
// Contract: one AXI4-Lite access at a time. Byte addresses 0x0000..0x0054 are the controller's own registers; addresses
// with bit 12 set are a global-buffer tile's registers (tile in bits 11:8), which take 26 cycles to write. A write is
// answered when it has taken effect; responses are always OKAY. Reads of nothing give 0.
// - global_reset n holds array_rst_no low for n cycles: the reset of the array and of the global buffer. The counter's
//   comparator is the reset, without a register between, as in the public netlist (axi_global_reset).
// - cgra_config.write n puts address and data on the configuration bus for n cycles, .read n does the same with the
//   read strobe and captures the answer in each of them. The AXI answer comes at once: who writes address or data
//   before the strobe is over changes what is on the bus.
// - stream_start_pulse and pc_start_pulse are single cycles towards the buffer.
// - isr bits are set by done pulses, shown under their enable, cleared by writing 1; irq_o is their OR under
//   global_ier (0 f2g, 1 g2f, 2 configuration).
module onyx_glc (
    input  logic        clk_i,
    input  logic        rst_ni,
    // AXI4-Lite
    input  logic [12:0] awaddr_i,
    input  logic        awvalid_i,
    output logic        awready_o,
    input  logic [31:0] wdata_i,
    input  logic        wvalid_i,
    output logic        wready_o,
    output logic        bvalid_o,
    input  logic        bready_i,
    input  logic [12:0] araddr_i,
    input  logic        arvalid_i,
    output logic        arready_o,
    output logic [31:0] rdata_o,
    output logic        rvalid_o,
    input  logic        rready_i,
    // global-buffer registers
    output logic        glb_reg_we_o,
    output logic [11:0] glb_reg_addr_o,
    output logic [31:0] glb_reg_wdata_o,
    input  logic [31:0] glb_reg_rdata_i,
    output logic [15:0] glb_clk_en_o,
    output logic [15:0] glb_bank_clk_en_o,
    output logic [15:0] glb_cfg_stall_o,
    // array
    output logic        array_rst_no,
    output logic [31:0] stall_o,
    output logic [31:0] flush_crossbar_o,
    output logic        cfg_write_o,
    output logic        cfg_read_o,
    output logic [31:0] cfg_addr_o,
    output logic [31:0] cfg_data_o,
    input  logic [31:0] cfg_rdata_i,
    // streams
    output logic [15:0] g2f_start_o,
    output logic [15:0] f2g_start_o,
    output logic [15:0] pc_start_o,
    input  logic [15:0] g2f_done_i,
    input  logic [15:0] f2g_done_i,
    input  logic [15:0] pc_done_i,
    output logic        irq_o
);
  localparam int unsigned GlbWriteCycles = 26;
  typedef enum logic [2:0] {StIdle = 3'd0, StWrite = 3'd1, StWait = 3'd2, StAnswer = 3'd3, StRead = 3'd4, StData = 3'd5} state_e;

  // Registers by word: firmware/registers.def has the same, and test_fw_registers compares.
  localparam logic [4:0] WTest = 5'd0, WGlobalReset = 5'd1, WCgraStall = 5'd2, WGlbClkEnMaster = 5'd3;
  localparam logic [4:0] WGlbClkEnBank = 5'd4, WPcfgBroadcastStall = 5'd5, WStreamStart = 5'd6, WPcStart = 5'd7;
  localparam logic [4:0] WF2gIer = 5'd8, WG2fIer = 5'd9, WPcfgIer = 5'd10, WGlobalIer = 5'd11;
  localparam logic [4:0] WF2gIsr = 5'd12, WG2fIsr = 5'd13, WPcfgIsr = 5'd14, WGlobalIsr = 5'd15;
  localparam logic [4:0] WCfgAddress = 5'd16, WCfgData = 5'd17, WCfgWrite = 5'd18, WCfgRead = 5'd19;
  localparam logic [4:0] WCfgReadData = 5'd20, WFlushCrossbar = 5'd21;

  state_e state_q;
  logic [12:0] addr_q;
  logic [31:0] wdata_q, rdata_q, write_left_q, read_left_q;
  logic [4:0] wait_q;
  logic [31:0] test_q, stall_q, cfg_data_q, cfg_rdata_q, reset_left_q;
  logic [31:0] cfg_addr_q  /*verilator public_flat_rd*/;
  logic [31:0] crossbar_q  /*verilator public_flat_rd*/;
  logic [15:0] clk_en_q, bank_clk_en_q, pcfg_stall_q;
  logic [15:0] f2g_ier_q, g2f_ier_q, pc_ier_q, f2g_isr_q, g2f_isr_q, pc_isr_q;
  logic [2:0] global_ier_q;
  logic glb_we_q;
  logic [4:0] word;
  logic [2:0] global_isr;

  assign word             = addr_q[6:2];
  assign awready_o        = (state_q == StIdle) & awvalid_i & wvalid_i;
  assign wready_o         = awready_o;
  assign arready_o        = (state_q == StIdle) & arvalid_i & ~(awvalid_i & wvalid_i);
  assign bvalid_o         = (state_q == StAnswer);
  assign rvalid_o         = (state_q == StData);
  assign rdata_o          = rdata_q;
  assign glb_reg_we_o     = glb_we_q;
  assign glb_reg_addr_o   = addr_q[11:0];
  assign glb_reg_wdata_o  = wdata_q;
  assign array_rst_no     = (reset_left_q == 32'd0);
  assign stall_o          = stall_q;
  assign flush_crossbar_o = crossbar_q;
  assign cfg_write_o      = (write_left_q != 32'd0);
  assign cfg_read_o       = (read_left_q != 32'd0);
  assign cfg_addr_o       = cfg_addr_q;
  assign cfg_data_o       = cfg_data_q;
  assign global_isr       = {|(pc_isr_q & pc_ier_q), |(g2f_isr_q & g2f_ier_q), |(f2g_isr_q & f2g_ier_q)};
  assign irq_o            = |(global_isr & global_ier_q);

  // Enables and holds of the buffer's tiles.
  assign glb_clk_en_o      = clk_en_q;
  assign glb_bank_clk_en_o = bank_clk_en_q;
  assign glb_cfg_stall_o   = pcfg_stall_q;

  logic own_write;
  assign own_write = (state_q == StWrite) & ~addr_q[12];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q       <= StIdle;
      addr_q        <= 13'd0;
      wdata_q       <= 32'd0;
      wait_q        <= 5'd0;
      write_left_q  <= 32'd0;
      read_left_q   <= 32'd0;
      rdata_q       <= 32'd0;
      test_q        <= 32'd0;
      stall_q       <= 32'd0;
      cfg_addr_q    <= 32'd0;
      cfg_data_q    <= 32'd0;
      cfg_rdata_q   <= 32'd0;
      crossbar_q    <= 32'd0;
      reset_left_q  <= 32'd0;
      clk_en_q      <= 16'd0;
      bank_clk_en_q <= 16'd0;
      pcfg_stall_q  <= 16'd0;
      f2g_ier_q     <= 16'd0;
      g2f_ier_q     <= 16'd0;
      pc_ier_q      <= 16'd0;
      global_ier_q  <= 3'd0;
      glb_we_q      <= 1'b0;
      g2f_start_o   <= 16'd0;
      f2g_start_o   <= 16'd0;
      pc_start_o    <= 16'd0;
    end else begin
      glb_we_q    <= 1'b0;
      g2f_start_o <= 16'd0;
      f2g_start_o <= 16'd0;
      pc_start_o  <= 16'd0;
      if (reset_left_q != 32'd0) reset_left_q <= reset_left_q - 32'd1;
      if (cfg_write_o) write_left_q <= write_left_q - 32'd1;
      if (cfg_read_o) begin
        read_left_q <= read_left_q - 32'd1;
        cfg_rdata_q <= cfg_rdata_i;
      end
      case (state_q)
        StIdle: begin
          if (awready_o) begin
            addr_q  <= awaddr_i;
            wdata_q <= wdata_i;
            state_q <= StWrite;
          end else if (arready_o) begin
            addr_q  <= araddr_i;
            state_q <= StRead;
          end
        end
        StWrite: begin
          state_q <= StAnswer;
          if (addr_q[12]) begin
            glb_we_q <= 1'b1;
            wait_q   <= 5'(GlbWriteCycles);
            state_q  <= StWait;
          end else begin
            case (word)
              WTest: test_q <= wdata_q;
              WGlobalReset: reset_left_q <= wdata_q;
              WCgraStall: stall_q <= wdata_q;
              WGlbClkEnMaster: clk_en_q <= wdata_q[15:0];
              WGlbClkEnBank: bank_clk_en_q <= wdata_q[15:0];
              WPcfgBroadcastStall: pcfg_stall_q <= wdata_q[15:0];
              WStreamStart: {f2g_start_o, g2f_start_o} <= wdata_q;
              WPcStart: pc_start_o <= wdata_q[15:0];
              WF2gIer: f2g_ier_q <= wdata_q[15:0];
              WG2fIer: g2f_ier_q <= wdata_q[15:0];
              WPcfgIer: pc_ier_q <= wdata_q[15:0];
              WGlobalIer: global_ier_q <= wdata_q[2:0];
              WCfgAddress: cfg_addr_q <= wdata_q;
              WCfgData: cfg_data_q <= wdata_q;
              WCfgWrite: write_left_q <= wdata_q;
              WCfgRead: read_left_q <= wdata_q;
              WFlushCrossbar: crossbar_q <= wdata_q;
              default: ;
            endcase
          end
        end
        StWait: begin
          wait_q <= wait_q - 5'd1;
          if (wait_q == 5'd1) state_q <= StAnswer;
        end
        StAnswer: if (bready_i) state_q <= StIdle;
        StRead: begin
          state_q <= StData;
          rdata_q <= 32'd0;
          if (addr_q[12]) begin
            rdata_q <= glb_reg_rdata_i;
          end else begin
            case (word)
              WTest: rdata_q <= test_q;
              WGlobalReset: rdata_q <= reset_left_q;
              WCgraStall: rdata_q <= stall_q;
              WGlbClkEnMaster: rdata_q <= {16'd0, clk_en_q};
              WGlbClkEnBank: rdata_q <= {16'd0, bank_clk_en_q};
              WPcfgBroadcastStall: rdata_q <= {16'd0, pcfg_stall_q};
              WF2gIer: rdata_q <= {16'd0, f2g_ier_q};
              WG2fIer: rdata_q <= {16'd0, g2f_ier_q};
              WPcfgIer: rdata_q <= {16'd0, pc_ier_q};
              WGlobalIer: rdata_q <= {29'd0, global_ier_q};
              WF2gIsr: rdata_q <= {16'd0, f2g_isr_q & f2g_ier_q};
              WG2fIsr: rdata_q <= {16'd0, g2f_isr_q & g2f_ier_q};
              WPcfgIsr: rdata_q <= {16'd0, pc_isr_q & pc_ier_q};
              WGlobalIsr: rdata_q <= {29'd0, global_isr};
              WCfgAddress: rdata_q <= cfg_addr_q;
              WCfgData: rdata_q <= cfg_data_q;
              WCfgReadData: rdata_q <= cfg_rdata_q;
              WFlushCrossbar: rdata_q <= crossbar_q;
              default: ;
            endcase
          end
        end
        StData: if (rready_i) state_q <= StIdle;
        default: state_q <= StIdle;
      endcase
    end
  end

  // A done pulse in the cycle of the clearing write is kept.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f2g_isr_q <= 16'd0;
      g2f_isr_q <= 16'd0;
      pc_isr_q  <= 16'd0;
    end else begin
      f2g_isr_q <= (f2g_isr_q & ~((own_write && word == WF2gIsr) ? wdata_q[15:0] : 16'd0)) | f2g_done_i;
      g2f_isr_q <= (g2f_isr_q & ~((own_write && word == WG2fIsr) ? wdata_q[15:0] : 16'd0)) | g2f_done_i;
      pc_isr_q  <= (pc_isr_q & ~((own_write && word == WPcfgIsr) ? wdata_q[15:0] : 16'd0)) | pc_done_i;
    end
  end
`include "onyx_assert.svh"
  `ONYX_ASSUME(OneStrobe, !(cfg_write_o && cfg_read_o), "a program writes or reads the configuration bus")
  `ONYX_ASSERT(OneAccess, !(awready_o && arready_o) && !(bvalid_o && rvalid_o), "an access at a time")
  `ONYX_ASSERT(WaitCounts, (state_q == StWait) == (wait_q != 5'd0), "a write of the buffer waits for its cycles")
  `ONYX_ASSERT(KnownState, state_q <= StData, "the state is one of those named")
endmodule
