// A tile of the global buffer: two banks of 128 KB, one load DMA, one store DMA, one configuration DMA.
//
// Contract:
// - proc_*: the processor's 64-bit port; a write or read takes effect in the cycle of the request, read data
//   follow a cycle later.
// - A bank makes an access a cycle: among the requesters the first in the order processor's write, store, processor's
//   read, configuration, load. The remaining accesses are lost without report: here a losing DMA read waits, a run ends
//   and can report the loss, and a lost read of the processor gives the data of the read before.
// - collision_o, one cycle later: the lost and the winning accesses. Bit 2 * kind + bank, kinds: 0 store to processor,
//   1 configuration to processor, 2 configuration to store, 3 load to processor, 4 load to store, 5 load to
//     configuration,
//   6 processor to store. in_use_o: banks the DMAs are at work on, bit 2 * DMA + bank: 0 store, 1 configuration, 2
//     load.
// - reg_*: the tile's 32-bit registers (byte offset in reg_addr_i); read data are combinational.
// - load: after ld_start_i with mode 1 and ready-valid mode, 16-bit words leave at glb2io of the even column (data_mux
//   01) or the odd one (10), one a cycle while the column is ready, the first eight cycles after the start. flush_o
//   pulses five cycles after ld_start_i when flush_mode is external (0). ld_done_o begins two cycles after the column
//   has accepted the last word.
// - store: after st_start_i with mode 1 and ready-valid mode, blocks "length, words" arrive from the column the store's
//   data_mux names; each length and word goes to the address of the store's loops, which begin at the start address
//   and go on by a step a word: without a stride every word lands on the start address. Words for one 64-bit line are
//   written together, once a word for another line comes or the last block is over. st_done_o begins when num_blocks
//   blocks are in the memory. A start while the store runs is ignored.
//   What the chip does, too: the store offers room running or not, and takes valid for a word whether or not the store
//   offers room; a start forgets earlier words. A block of length 0 takes a cycle more: a word in it is written, but
//   is neither the length of the next block nor counted.
// - done pulses last five cycles; other modes do not start. Neither does a DMA whose chain to the next tile, or
//   whose delay or first cycle, is set: the chip's behaviour is not modelled.
// - configuration: after pc_start_i with mode 1, num_cfg words {address, data} leave at cfg_south_* and cfg_east_*, one
//   a cycle, each where the broadcast multiplexer selects 1 (own DMA) or 2 (from the west); pc_done_o pulses at the
//   end.
// Addresses are bytes; a DMA stays inside its own tile (address bits 21:18 are not looked at). Counting loops: extent
// is range + 2, strides are relative to where the inner loops end.
// - stir_o: a register may change at the edge: without it and without a reset the tile needs no clock.
// - cfg_hold_i: the chain's registers, cfg_south_* and cfg_east_*, keep their words.
module onyx_glb_tile #(
    parameter int unsigned BankWords = 16384
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    // processor
    input  logic        proc_we_i,
    input  logic        proc_re_i,
    input  logic [7:0]  proc_strb_i,
    input  logic [17:0] proc_addr_i,
    input  logic [63:0] proc_wdata_i,
    output logic [63:0] proc_rdata_o,
    // registers
    input  logic        reg_we_i,
    input  logic [7:0]  reg_addr_i,
    input  logic [31:0] reg_wdata_i,
    output logic [31:0] reg_rdata_o,
    // control
    input  logic        ld_start_i,
    input  logic        st_start_i,
    input  logic        pc_start_i,
    output logic        ld_done_o,
    output logic        st_done_o,
    output logic        pc_done_o,
    output logic        flush_o,
    output logic        stir_o,
    // monitors
    output logic [13:0] collision_o,
    output logic [ 5:0] in_use_o,
    // columns
    output logic [15:0] even_data_o,
    output logic        even_valid_o,
    input  logic        even_ready_i,
    output logic [15:0] odd_data_o,
    output logic        odd_valid_o,
    input  logic        odd_ready_i,
    input  logic [15:0] even_data_i,
    input  logic        even_valid_i,
    output logic        even_ready_o,
    input  logic [15:0] odd_data_i,
    input  logic        odd_valid_i,
    output logic        odd_ready_o,
    // configuration chain
    input  logic        cfg_hold_i,
    input  logic        cfg_west_valid_i,
    input  logic [31:0] cfg_west_addr_i,
    input  logic [31:0] cfg_west_data_i,
    output logic        cfg_south_valid_o,
    output logic [31:0] cfg_south_addr_o,
    output logic [31:0] cfg_south_data_o,
    output logic        cfg_east_valid_o,
    output logic [31:0] cfg_east_addr_o,
    output logic [31:0] cfg_east_data_o
);
  localparam int NumRegs = 62;  // 0x00 .. 0xF4

  // Registers are whole words; a store ends with its blocks, not with its loops.
  logic unused;
  assign unused = &{1'b0, reg_addr_i[1:0], loops_last[0]};

  // ---- registers ---------------------------------------------------------------------------------------
  logic [31:0] reg_q[NumRegs]  /*verilator public_flat_rd*/;
  logic [5:0] reg_index;
  assign reg_index   = reg_addr_i[7:2];
  assign reg_rdata_o = (reg_index < 6'(NumRegs)) ? reg_q[reg_index] : 32'd0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int i = 0; i < NumRegs; i++) reg_q[i] <= 32'd0;
    end else if (reg_we_i && reg_index < 6'(NumRegs)) begin
      reg_q[reg_index] <= reg_wdata_i;
    end
  end

  // Word indices of the registers read below; firmware/registers.def has the same, and test_fw_registers compares.
  localparam int unsigned RDataNetCtrl = 0, RDataNetLatency = 1, RPcfgNetCtrl = 2, RPcfgNetLatency = 3;
  localparam int unsigned RStCycleStart = 8, RLdCycleStart = 33;
  localparam int unsigned RStCtrl = 4, RStNumBlocks = 5, RStDim = 6, RStStartAddr = 7, RStRange = 9;
  localparam int unsigned RLdCtrl = 30, RLdDim = 31, RLdStartAddr = 32, RLdRange = 34;
  localparam int unsigned RPcfgCtrl = 58, RPcfgStartAddr = 59, RPcfgNumWords = 60, RPcfgBroadcastMux = 61;

  logic [1:0] ld_column, st_column;  // one bit a column: even, odd
  logic data_local, pcfg_local, ld_external_flush, ld_on, st_on;
  logic [1:0] south_mux, east_mux;
  assign data_local        = (reg_q[RDataNetCtrl] == 32'd0) & (reg_q[RDataNetLatency] == 32'd0);
  assign pcfg_local        = (reg_q[RPcfgNetCtrl] == 32'd0) & (reg_q[RPcfgNetLatency] == 32'd0);
  assign ld_on             = (reg_q[RLdCtrl][3:0] == 4'b1001) & data_local & (reg_q[RLdCycleStart] == 32'd0);
  assign ld_column         = reg_q[RLdCtrl][6:5];
  assign ld_external_flush = ~reg_q[RLdCtrl][4];
  assign st_on             = (reg_q[RStCtrl][3:0] == 4'b0101) & data_local & (reg_q[RStCycleStart] == 32'd0);
  assign st_column         = reg_q[RStCtrl][5:4];
  assign east_mux          = reg_q[RPcfgBroadcastMux][3:2];
  assign south_mux         = reg_q[RPcfgBroadcastMux][5:4];

  // ---- memory ----------------------------------------------------------------------------------------------------
  logic st_write, pc_read, ld_read, pc_grant, ld_grant, proc_answers;
  logic st_active, st_last, ld_active;
  logic [17:0] st_addr, st_line_addr, pc_addr, ld_addr;
  logic [63:0] st_line, pc_line;
  logic [ 3:0] st_lanes;
  logic [15:0] ld_word;
  onyx_glb_banks #(
      .BankWords(BankWords)
  ) u_banks (
      .clk_i, .rst_ni, .proc_we_i, .proc_re_i, .proc_strb_i, .proc_addr_i, .proc_wdata_i, .proc_rdata_o,
      .answers_o (proc_answers),
      .st_write_i(st_write), .st_addr_i(st_line_addr), .st_line_i(st_line), .st_lanes_i(st_lanes),
      .pc_read_i (pc_read), .pc_addr_i(pc_addr), .pc_grant_o(pc_grant), .pc_line_o(pc_line),
      .ld_read_i (ld_read), .ld_addr_i(ld_addr), .ld_grant_o(ld_grant), .ld_word_o(ld_word),
      .collision_o
  );
  assign in_use_o = {
    {2{ld_active}} & {ld_addr[17], ~ld_addr[17]},
    {2{pc_read}} & {pc_addr[17], ~pc_addr[17]},
    ({2{st_active}} & {st_addr[17], ~st_addr[17]}) | ({2{st_last}} & {st_line_addr[17], ~st_line_addr[17]})
  };

  // ---- where the store (0) and the load (1) are -----------------------------------------------------------------
  logic st_begins, st_step, ld_begins;
  logic [1:0] loops_begin, loops_step, loops_last;
  logic [35:0] loops_addr;
  assign loops_begin        = {ld_begins, st_begins};
  assign loops_step         = {ld_grant, st_step};
  assign {ld_addr, st_addr} = loops_addr;

  for (genvar d = 0; d < 2; d++) begin : g_loops
    localparam int unsigned Loops = (d == 0) ? 7 : 8;
    localparam int unsigned DimAt = (d == 0) ? RStDim : RLdDim;
    localparam int unsigned StartAt = (d == 0) ? RStStartAddr : RLdStartAddr;
    localparam int unsigned RangeAt = (d == 0) ? RStRange : RLdRange;
    logic [32*Loops-1:0] extent;
    logic [18*Loops-1:0] stride;
    always_comb begin
      for (int i = 0; i < Loops; i++) begin
        extent[32*i+:32] = reg_q[RangeAt+3*i];
        stride[18*i+:18] = reg_q[RangeAt+3*i+1][17:0];
      end
    end
    onyx_dma_loops #(
        .Loops(Loops)
    ) u_loops (
        .clk_i       (clk_i),
        .rst_ni      (rst_ni),
        .start_i     (loops_begin[d]),
        .step_i      (loops_step[d]),
        .start_addr_i(reg_q[StartAt][17:0]),
        .dim_i       (reg_q[DimAt][3:0]),
        .range_i     (extent),
        .stride_i    (stride),
        .addr_o      (loops_addr[18*d+:18]),
        .last_o      (loops_last[d])
    );
  end

  // ---- DMAs --------------------------------------------------------------------------------------------------------
  logic loads, stores, configures;
  logic [15:0] ld_data;
  onyx_glb_load u_load (
      .clk_i, .rst_ni,
      .start_i(ld_start_i & ld_on), .external_flush_i(ld_external_flush), .column_i(ld_column),
      .begins_o(ld_begins), .active_o(ld_active), .flush_o, .done_o(ld_done_o), .busy_o(loads),
      .read_o(ld_read), .grant_i(ld_grant), .last_i(loops_last[1]), .word_i(ld_word),
      .data_o(ld_data), .valid_o({odd_valid_o, even_valid_o}), .ready_i({odd_ready_i, even_ready_i})
  );
  assign even_data_o = ld_data;
  assign odd_data_o  = ld_data;

  onyx_glb_store u_store (
      .clk_i, .rst_ni,
      .start_i(st_start_i & st_on), .column_i(st_column), .blocks_i(reg_q[RStNumBlocks]),
      .begins_o(st_begins), .active_o(st_active), .last_o(st_last), .done_o(st_done_o), .busy_o(stores),
      .data_i({odd_data_i, even_data_i}), .valid_i({odd_valid_i, even_valid_i}), .ready_o({odd_ready_o, even_ready_o}),
      .step_o(st_step), .addr_i(st_addr),
      .write_o(st_write), .line_addr_o(st_line_addr), .line_o(st_line), .lanes_o(st_lanes)
  );

  onyx_glb_config u_config (
      .clk_i, .rst_ni,
      .start_i(pc_start_i & reg_q[RPcfgCtrl][0] & pcfg_local),
      .start_addr_i(reg_q[RPcfgStartAddr][17:0]), .words_i(reg_q[RPcfgNumWords][18:0]),
      .done_o(pc_done_o), .busy_o(configures),
      .read_o(pc_read), .addr_o(pc_addr), .grant_i(pc_grant), .line_i(pc_line),
      .hold_i(cfg_hold_i), .south_mux_i(south_mux), .east_mux_i(east_mux),
      .west_valid_i(cfg_west_valid_i), .west_addr_i(cfg_west_addr_i), .west_data_i(cfg_west_data_i),
      .south_valid_o(cfg_south_valid_o), .south_addr_o(cfg_south_addr_o), .south_data_o(cfg_south_data_o),
      .east_valid_o(cfg_east_valid_o), .east_addr_o(cfg_east_addr_o), .east_data_o(cfg_east_data_o)
  );

  // Who needs the clock: a request, or a register under way; reg_q alone waits for nothing.
  logic requests;
  assign requests = proc_we_i | proc_re_i | reg_we_i | ld_start_i | st_start_i | pc_start_i | cfg_west_valid_i;
  assign stir_o   = requests | proc_answers | (|collision_o) | loads | stores | configures;
`include "onyx_assert.svh"
  `ONYX_ASSUME(OneProcessorAccess, !(proc_we_i && proc_re_i), "the processor writes or reads")
  `ONYX_ASSERT(WorkHasAClock, stir_o || (in_use_o == 6'd0 && !st_write), "a DMA at work asks for the clock")
endmodule
