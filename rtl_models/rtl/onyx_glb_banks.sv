// The two banks of a buffer tile, each with one port, and the choice of its user. Byte addresses: the bank in bit 17.
//
// Contract:
// - A bank makes an access a cycle: among the requesters the first in the order processor's write, store, processor's
//   read, configuration, load. The others are lost: the DMAs that read are told (pc_grant_o, ld_grant_o), a store and a
//   processor are not.
// - Read words stand on proc_rdata_o, pc_line_o and ld_word_o in the next cycle; the processor's until its next read.
//   A lost read of the processor gives the data of the read before. answers_o: the cycle behind a read.
// - collision_o, one cycle later: the lost and the winning accesses, as of onyx_glb_tile.
module onyx_glb_banks #(
    parameter int unsigned BankWords = 16384
) (
    input  logic        clk_i, rst_ni,
    input  logic        proc_we_i, proc_re_i,
    input  logic [ 7:0] proc_strb_i,
    input  logic [17:0] proc_addr_i,
    input  logic [63:0] proc_wdata_i,
    output logic [63:0] proc_rdata_o,
    output logic        answers_o,
    input  logic        st_write_i,
    input  logic [17:0] st_addr_i,
    input  logic [63:0] st_line_i,
    input  logic [ 3:0] st_lanes_i,
    input  logic        pc_read_i,
    input  logic [17:0] pc_addr_i,
    output logic        pc_grant_o,
    output logic [63:0] pc_line_o,
    input  logic        ld_read_i,
    input  logic [17:0] ld_addr_i,
    output logic        ld_grant_o,
    output logic [15:0] ld_word_o,
    output logic [13:0] collision_o
);
  // Byte lanes inside a line are chosen by strobes and lanes.
  logic unused;
  assign unused = &{1'b0, proc_addr_i[2:0], st_addr_i[2:0], pc_addr_i[2:0], ld_addr_i[0]};

  // By bank: the bank addressed by each requester, and the requests.
  logic [1:0] proc_bank, st_bank, pc_bank, ld_bank;
  logic [1:0] proc_writes, st_writes, proc_reads, pc_reads, ld_reads;
  assign proc_bank   = {proc_addr_i[17], ~proc_addr_i[17]};
  assign st_bank     = {st_addr_i[17], ~st_addr_i[17]};
  assign pc_bank     = {pc_addr_i[17], ~pc_addr_i[17]};
  assign ld_bank     = {ld_addr_i[17], ~ld_addr_i[17]};
  assign proc_writes = {2{proc_we_i}} & proc_bank;
  assign proc_reads  = {2{proc_re_i & ~proc_we_i}} & proc_bank;
  assign st_writes   = {2{st_write_i}} & st_bank;
  assign pc_reads    = {2{pc_read_i}} & pc_bank;
  assign ld_reads    = {2{ld_read_i}} & ld_bank;

  assign pc_grant_o = |(pc_reads & ~(proc_writes | st_writes | proc_reads));
  assign ld_grant_o = |(ld_reads & ~(proc_writes | st_writes | proc_reads | pc_reads));

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
    assign addr      = of_proc ? proc_addr_i[3+:BankBits] : of_store ? st_addr_i[3+:BankBits]
                     : of_config ? pc_addr_i[3+:BankBits] : ld_addr_i[3+:BankBits];
    onyx_glb_bank #(
        .Words(BankWords)
    ) u_bank (
        .clk_i,
        .req_i  (of_proc | of_store | of_config | ld_reads[b]),
        .we_i   (proc_writes[b] | of_store),
        .strb_i (proc_writes[b] ? proc_strb_i
               : {{2{st_lanes_i[3]}}, {2{st_lanes_i[2]}}, {2{st_lanes_i[1]}}, {2{st_lanes_i[0]}}}),
        .addr_i (addr),
        .wdata_i(proc_writes[b] ? proc_wdata_i : st_line_i),
        .rdata_o(bank_rdata[64*b+:64])
    );
  end

  // Which bank each reader's word stands at, and the processor's word once others read.
  logic proc_read_q, proc_bank_q, pc_bank_q, ld_bank_q;
  logic [ 1:0] ld_lane_q;
  logic [63:0] proc_last_q;
  assign answers_o    = proc_read_q;
  assign proc_rdata_o = proc_read_q ? bank_rdata[64*proc_bank_q+:64] : proc_last_q;
  assign pc_line_o    = bank_rdata[64*pc_bank_q+:64];
  assign ld_word_o    = bank_rdata[64*ld_bank_q+16*ld_lane_q+:16];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      proc_read_q <= 1'b0;
      proc_bank_q <= 1'b0;
      proc_last_q <= 64'd0;
      pc_bank_q   <= 1'b0;
      ld_bank_q   <= 1'b0;
      ld_lane_q   <= 2'd0;
    end else begin
      proc_read_q <= |(proc_reads & ~st_writes);
      proc_bank_q <= proc_addr_i[17];
      proc_last_q <= proc_rdata_o;
      pc_bank_q   <= pc_addr_i[17];
      ld_bank_q   <= ld_addr_i[17];
      ld_lane_q   <= ld_addr_i[2:1];
    end
  end
`include "onyx_assert.svh"
  `ONYX_ASSERT(OneGrantABank, !(pc_grant_o && ld_grant_o && pc_bank == ld_bank) &&
      (~|(pc_bank & (proc_writes | st_writes)) || !pc_grant_o) &&
      (~|(ld_bank & (proc_writes | st_writes)) || !ld_grant_o), "a bank makes an access a cycle")
endmodule
