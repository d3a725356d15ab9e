// A tile of the global buffer: two banks of 128 KB, one load DMA, one store DMA, one configuration DMA.
//
// Contract:
// - proc_*: the processor's 64-bit port; a write or read takes effect in the cycle of the request, read data
//   follow a cycle later.
// - A bank makes an access a cycle: among the requesters the first in the order processor's write, store, processor's
//   read, configuration, load. The remaining accesses are lost without report: here a losing DMA read waits, a run ends
//   and can report the loss, and a lost read of the processor gives the data of the read before.
// - collision_o, one cycle later: the lost and the winning accesses. Bit 2 * kind + bank, kinds: 0 store to processor,
//   1 configuration to processor, 2 configuration to store, 3 load to processor, 4 load to store, 5 load to configuration,
//   6 processor to store. in_use_o: banks the DMAs are at work on, bit 2 * DMA + bank: 0 store, 1 configuration, 2 load.
// - reg_*: the tile's 32-bit registers (byte offset in reg_addr_i); read data are combinational.
// - load: after ld_start_i with mode 1 and ready-valid mode, 16-bit words leave at glb2io of the even column (data_mux 01)
//   or the odd one (10), one a cycle while the column is ready, the first eight cycles after the start. flush_o pulses
//   five cycles after ld_start_i when flush_mode is external (0). ld_done_o begins two cycles after the column has
//   accepted the last word.
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
// - configuration: after pc_start_i with mode 1, num_cfg words {address, data} leave at cfg_south_* and cfg_east_*, one a
//   cycle, each where the broadcast multiplexer selects 1 (own DMA) or 2 (from the west); pc_done_o pulses at the end.
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
  localparam int unsigned FifoDepth = 19;  // load words in flight
  localparam int unsigned LoadDelay = 4;  // cycles from a load's start pulse to its first address
  localparam logic [2:0] DoneCycles = 3'd5;

  // Byte lanes inside a word are chosen by the strobes; registers are whole words.
  logic unused;
  assign unused = &{1'b0, proc_addr_i[2:0], reg_addr_i[1:0], st_addr[0], st_line_addr_q[2:0], ld_addr[0],
                     loops_last[0]};

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

  // ---- memory: two single-port banks -----------------------------------------------------------------------
  logic st_write, pc_read, ld_read;
  logic st_grant, pc_grant, ld_grant;
  logic st_active_q, pc_active_q, ld_active_q;
  logic [17:0] st_addr, st_line_addr_q, pc_addr_q, ld_addr;
  logic [63:0] st_line_q;
  logic [ 3:0] st_lanes_q;

  // By bank: the bank addressed by each requester, and the requests.
  logic [1:0] proc_bank, st_bank, pc_bank, ld_bank;
  logic [1:0] proc_writes, st_writes, proc_reads, pc_reads, ld_reads;
  assign proc_bank   = {proc_addr_i[17], ~proc_addr_i[17]};
  assign st_bank     = {st_line_addr_q[17], ~st_line_addr_q[17]};
  assign pc_bank     = {pc_addr_q[17], ~pc_addr_q[17]};
  assign ld_bank     = {ld_addr[17], ~ld_addr[17]};
  assign proc_writes = {2{proc_we_i}} & proc_bank;
  assign proc_reads  = {2{proc_re_i & ~proc_we_i}} & proc_bank;
  assign st_writes   = {2{st_write}} & st_bank;
  assign pc_reads    = {2{pc_read}} & pc_bank;
  assign ld_reads    = {2{ld_read}} & ld_bank;

  assign st_grant    = |(st_writes & ~proc_writes);
  assign pc_grant    = |(pc_reads & ~(proc_writes | st_writes | proc_reads));
  assign ld_grant    = |(ld_reads & ~(proc_writes | st_writes | proc_reads | pc_reads));
  assign in_use_o    = {
    {2{ld_active_q}} & ld_bank,
    {2{pc_active_q}} & pc_bank,
    ({2{st_active_q}} & {st_addr[17], ~st_addr[17]}) | ({2{st_last_q}} & st_bank)
  };

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      collision_o <= 14'd0;
    end else begin
      collision_o <= {
        proc_reads & st_writes,
        ld_reads & pc_reads,
        ld_reads & st_writes,
        ld_reads & (proc_writes | proc_reads),
        pc_reads & st_writes,
        pc_reads & (proc_writes | proc_reads),
        st_writes & proc_writes
      };
    end
  end

  // The access of a bank, the first in the order above. A word read stands at the bank for a cycle at least.
  localparam int unsigned BankBits = $clog2(BankWords);
  logic [127:0] bank_rdata;  // of bank b at [64*b +: 64]
  for (genvar b = 0; b < 2; b++) begin : g_bank
    logic of_proc, of_store, of_config;
    logic [BankBits-1:0] addr;
    assign of_proc   = proc_writes[b] | (proc_reads[b] & ~st_writes[b]);
    assign of_store  = st_writes[b] & ~proc_writes[b];
    assign of_config = pc_reads[b];
    assign addr      = of_proc ? proc_addr_i[3+:BankBits] : of_store ? st_line_addr_q[3+:BankBits]
                     : of_config ? pc_addr_q[3+:BankBits] : ld_addr[3+:BankBits];
    onyx_glb_bank #(
        .Words(BankWords)
    ) u_bank (
        .clk_i,
        .req_i  (of_proc | of_store | of_config | ld_reads[b]),
        .we_i   (proc_writes[b] | of_store),
        .strb_i (proc_writes[b] ? proc_strb_i
               : {{2{st_lanes_q[3]}}, {2{st_lanes_q[2]}}, {2{st_lanes_q[1]}}, {2{st_lanes_q[0]}}}),
        .addr_i (addr),
        .wdata_i(proc_writes[b] ? proc_wdata_i : st_line_q),
        .rdata_o(bank_rdata[64*b+:64])
    );
  end

  // Which bank each reader's word stands at, and the processor's word once others read.
  logic proc_read_q, proc_bank_q, pc_bank_q, ld_bank_q;
  logic [63:0] proc_last_q, pc_line, ld_line;
  assign proc_rdata_o = proc_read_q ? bank_rdata[64*proc_bank_q+:64] : proc_last_q;
  assign pc_line      = bank_rdata[64*pc_bank_q+:64];
  assign ld_line      = bank_rdata[64*ld_bank_q+:64];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      proc_read_q <= 1'b0;
      proc_bank_q <= 1'b0;
      proc_last_q <= 64'd0;
      pc_bank_q   <= 1'b0;
      ld_bank_q   <= 1'b0;
    end else begin
      proc_read_q <= |(proc_reads & ~st_writes);
      proc_bank_q <= proc_addr_i[17];
      proc_last_q <= proc_rdata_o;
      pc_bank_q   <= pc_addr_q[17];
      ld_bank_q   <= ld_addr[17];
    end
  end

  // ---- where the store (0) and the load (1) are -----------------------------------------------------------------
  logic st_begins_q, st_step, ld_begins, ld_last;
  logic [1:0] loops_begin, loops_step, loops_last;
  logic [35:0] loops_addr;
  assign ld_begins          = ld_start_q[LoadDelay-1];
  assign ld_last            = loops_last[1];  // a store ends with its blocks, not with its loops
  assign loops_begin        = {ld_begins, st_begins_q};
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

  // ---- load DMA ------------------------------------------------------------------------------------------------
  logic ld_fetched_q, ld_waiting_q, flush_q;
  logic [LoadDelay-1:0] ld_start_q;
  logic [2:0] ld_done_q;  // cycles left of the pulse
  logic [1:0] ld_lane_q;
  logic [15:0] fifo_q[FifoDepth];
  logic [4:0] fifo_read_q, fifo_write_q, fifo_count_q;
  logic [15:0] ld_word, head_data;
  logic head_valid, head_ready, fifo_pop;
  assign ld_read = ld_active_q & (fifo_count_q + {4'd0, ld_fetched_q} < 5'(FifoDepth));
  assign ld_word = ld_line[16*ld_lane_q+:16];
  assign flush_o = flush_q;
  assign ld_done_o = (ld_done_q != 3'd0);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ld_active_q  <= 1'b0;
      ld_fetched_q <= 1'b0;
      ld_waiting_q <= 1'b0;
      flush_q      <= 1'b0;
      ld_start_q   <= '0;
      ld_lane_q    <= 2'd0;
      ld_done_q    <= 3'd0;
      fifo_read_q  <= 5'd0;
      fifo_write_q <= 5'd0;
      fifo_count_q <= 5'd0;
    end else begin
      ld_start_q   <= {ld_start_q[LoadDelay-2:0], ld_start_i & ld_on};
      ld_done_q    <= ld_done_o ? ld_done_q - 3'd1 : 3'd0;
      flush_q      <= ld_begins & ld_external_flush;
      ld_fetched_q <= ld_grant;
      ld_lane_q    <= ld_addr[2:1];
      if (ld_begins) begin
        ld_active_q  <= 1'b1;
        ld_waiting_q <= 1'b1;
      end else if (ld_grant) begin
        if (ld_last) ld_active_q <= 1'b0;
      end else if (ld_waiting_q && !ld_active_q && !ld_fetched_q && fifo_count_q == 5'd0 && !even_valid_o &&
                   !odd_valid_o) begin
        ld_waiting_q <= 1'b0;
        ld_done_q    <= DoneCycles;
      end
      if (ld_fetched_q) begin
        fifo_q[fifo_write_q] <= ld_word;
        fifo_write_q         <= (fifo_write_q == 5'(FifoDepth - 1)) ? 5'd0 : fifo_write_q + 5'd1;
      end
      if (fifo_pop) fifo_read_q <= (fifo_read_q == 5'(FifoDepth - 1)) ? 5'd0 : fifo_read_q + 5'd1;
      fifo_count_q <= fifo_count_q + {4'd0, ld_fetched_q} - {4'd0, fifo_pop};
    end
  end

  // The two words of skid between the buffer and the column.
  logic skid_ready, skid_out_ready;
  assign head_data      = fifo_q[fifo_read_q];
  assign head_valid     = (fifo_count_q != 5'd0);
  assign head_ready     = skid_ready;
  assign fifo_pop       = head_valid & head_ready;
  assign skid_out_ready = |(ld_column & {odd_ready_i, even_ready_i});
  logic [15:0] skid_data;
  logic skid_valid;
  onyx_fifo2 #(.Width(16)) u_skid (
      .clk_i, .rst_ni, .en_i(1'b1), .flush_i(1'b0),
      .in_i({head_valid, head_data}), .in_ready_o(skid_ready),
      .out_o({skid_valid, skid_data}), .out_ready_i(skid_out_ready)
  );
  assign even_data_o  = skid_data;
  assign odd_data_o   = skid_data;
  assign even_valid_o = skid_valid & ld_column[0];
  assign odd_valid_o  = skid_valid & ld_column[1];

  // ---- store DMA ---------------------------------------------------------------------------------------------------
  // A word passes a register, a FIFO of four and another register; the word enters the line in the third cycle after
  // its arrival.
  logic st_in_valid_q, st_word_valid_q, st_fifo_push, st_fifo_pop;
  logic [15:0] st_in_data_q, st_word_q;
  logic [15:0] st_fifo_q[4];
  logic [1:0] st_fifo_read_q, st_fifo_write_q;
  logic [2:0] st_fifo_count_q;
  assign even_ready_o = st_column[0] & (st_fifo_count_q < 3'd2);
  assign odd_ready_o  = st_column[1] & (st_fifo_count_q < 3'd2);
  assign st_fifo_push = st_in_valid_q & (st_fifo_count_q != 3'd4);
  assign st_fifo_pop  = st_active_q & (st_fifo_count_q != 3'd0);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      st_in_valid_q   <= 1'b0;
      st_in_data_q    <= 16'd0;
      st_word_valid_q <= 1'b0;
      st_word_q       <= 16'd0;
      st_fifo_read_q  <= 2'd0;
      st_fifo_write_q <= 2'd0;
      st_fifo_count_q <= 3'd0;
    end else begin
      st_in_valid_q   <= |(st_column & {odd_valid_i, even_valid_i});
      st_in_data_q    <= st_column[1] ? odd_data_i : even_data_i;
      st_word_valid_q <= st_fifo_pop;
      st_word_q       <= st_fifo_q[st_fifo_read_q];
      if (st_begins_q) begin
        st_fifo_read_q  <= 2'd0;
        st_fifo_write_q <= 2'd0;
        st_fifo_count_q <= 3'd0;
      end else begin
        if (st_fifo_push) st_fifo_q[st_fifo_write_q] <= st_in_data_q;
        st_fifo_write_q <= st_fifo_write_q + {1'b0, st_fifo_push};
        st_fifo_read_q  <= st_fifo_read_q + {1'b0, st_fifo_pop};
        st_fifo_count_q <= st_fifo_count_q + {2'd0, st_fifo_push} - {2'd0, st_fifo_pop};
      end
    end
  end

  // The line under collection, and the place in the blocks: st_empty_q is the cycle of a block of length 0.
  logic st_in_block_q, st_empty_q, st_last_q, st_block_ends, st_ends, st_first_q, st_moves_on;
  logic [2:0] st_done_q;  // cycles left of the pulse
  logic [15:0] st_left_q;
  logic [31:0] st_blocks_q;
  assign st_step       = st_word_valid_q & st_active_q & (st_blocks_q != 32'd0);
  assign st_block_ends = st_empty_q | (st_step & st_in_block_q & (st_left_q == 16'd1));
  assign st_ends       = st_block_ends & (st_blocks_q == 32'd1);
  assign st_moves_on   = st_step & ~st_first_q & (st_addr[17:3] != st_line_addr_q[17:3]);
  assign st_write      = st_moves_on | st_last_q;
  assign st_done_o     = (st_done_q != 3'd0);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      st_begins_q    <= 1'b0;
      st_active_q    <= 1'b0;
      st_in_block_q  <= 1'b0;
      st_empty_q     <= 1'b0;
      st_last_q      <= 1'b0;
      st_first_q     <= 1'b0;
      st_left_q      <= 16'd0;
      st_blocks_q    <= 32'd0;
      st_line_q      <= 64'd0;
      st_line_addr_q <= 18'd0;
      st_lanes_q     <= 4'd0;
      st_done_q      <= 3'd0;
    end else begin
      st_begins_q <= st_start_i & st_on & ~st_active_q & ~st_begins_q;
      st_last_q   <= st_ends;
      st_done_q   <= st_last_q ? DoneCycles : st_done_o ? st_done_q - 3'd1 : 3'd0;
      if (st_begins_q) begin
        st_active_q   <= 1'b1;
        st_in_block_q <= 1'b0;
        st_empty_q    <= 1'b0;
        st_first_q    <= 1'b1;
        st_blocks_q   <= reg_q[RStNumBlocks];
      end else begin
        if (st_ends) st_active_q <= 1'b0;
        if (st_block_ends) st_blocks_q <= st_blocks_q - 32'd1;
        st_empty_q <= st_step & ~st_in_block_q & ~st_empty_q & (st_word_q == 16'd0);
        if (st_step && !st_empty_q) begin
          st_in_block_q <= st_in_block_q ? (st_left_q != 16'd1) : (st_word_q != 16'd0);
          st_left_q     <= st_in_block_q ? st_left_q - 16'd1 : st_word_q;
        end
      end
      if (st_write) st_lanes_q <= 4'd0;
      if (st_step) begin
        st_first_q                       <= 1'b0;
        st_line_addr_q                   <= st_addr;
        st_line_q[16*st_addr[2:1]+:16]   <= st_word_q;
        st_lanes_q[st_addr[2:1]]         <= 1'b1;
      end
    end
  end

  // ---- configuration DMA -----------------------------------------------------------------------------------------------
  logic pc_fetched_q;
  logic [ 2:0] pc_done_q;  // cycles left of the pulse
  logic [18:0] pc_left_q;
  assign pc_read   = pc_active_q;
  assign pc_done_o = (pc_done_q != 3'd0);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pc_active_q       <= 1'b0;
      pc_fetched_q      <= 1'b0;
      pc_left_q         <= 19'd0;
      pc_addr_q         <= 18'd0;
      pc_done_q         <= 3'd0;
      cfg_south_valid_o <= 1'b0;
      cfg_south_addr_o  <= 32'd0;
      cfg_south_data_o  <= 32'd0;
      cfg_east_valid_o  <= 1'b0;
      cfg_east_addr_o   <= 32'd0;
      cfg_east_data_o   <= 32'd0;
    end else begin
      pc_fetched_q <= pc_grant;
      pc_done_q    <= (pc_fetched_q & ~pc_active_q) ? DoneCycles : pc_done_o ? pc_done_q - 3'd1 : 3'd0;
      if (pc_start_i && reg_q[RPcfgCtrl][0] && pcfg_local && reg_q[RPcfgNumWords][18:0] != 19'd0) begin
        pc_active_q <= 1'b1;
        pc_addr_q   <= reg_q[RPcfgStartAddr][17:0];
        pc_left_q   <= reg_q[RPcfgNumWords][18:0];
      end else if (pc_grant) begin
        pc_addr_q <= pc_addr_q + 18'd8;
        pc_left_q <= pc_left_q - 19'd1;
        if (pc_left_q == 19'd1) pc_active_q <= 1'b0;
      end
      if (!cfg_hold_i) begin
        cfg_south_valid_o <= (south_mux == 2'd1) ? pc_fetched_q : (south_mux == 2'd2) & cfg_west_valid_i;
        cfg_south_addr_o  <= (south_mux == 2'd1) ? pc_line[63:32] : cfg_west_addr_i;
        cfg_south_data_o  <= (south_mux == 2'd1) ? pc_line[31:0] : cfg_west_data_i;
        cfg_east_valid_o  <= (east_mux == 2'd1) ? pc_fetched_q : (east_mux == 2'd2) & cfg_west_valid_i;
        cfg_east_addr_o   <= (east_mux == 2'd1) ? pc_line[63:32] : cfg_west_addr_i;
        cfg_east_data_o   <= (east_mux == 2'd1) ? pc_line[31:0] : cfg_west_data_i;
      end
    end
  end

  // ---- who needs the clock: a request, or a register under way; reg_q alone waits for nothing --------------------
  logic requests, loads, stores, configures;
  assign requests   = proc_we_i | proc_re_i | reg_we_i | ld_start_i | st_start_i | pc_start_i | cfg_west_valid_i;
  assign loads      = (|ld_start_q) | ld_waiting_q | ld_done_o | flush_q | skid_valid;
  assign stores     = st_begins_q | st_active_q | st_last_q | st_done_o | st_in_valid_q | st_word_valid_q
                    | (|(st_column & {odd_valid_i, even_valid_i}));
  assign configures = pc_active_q | pc_fetched_q | pc_done_o | cfg_south_valid_o | cfg_east_valid_o;
  assign stir_o     = requests | proc_read_q | (|collision_o) | loads | stores | configures;
`include "onyx_assert.svh"
  `ONYX_ASSERT(LoadFits, fifo_count_q <= 5'(FifoDepth), "a word that was fetched has its place")
  `ONYX_ASSERT(OneGrantABank, !(st_grant && pc_grant && st_bank == pc_bank) && !(st_grant && ld_grant &&
      st_bank == ld_bank) && !(pc_grant && ld_grant && pc_bank == ld_bank), "a bank makes an access a cycle")
  `ONYX_ASSERT(StoreFits, st_fifo_count_q <= 3'd4, "a word that was taken has its place")
endmodule
