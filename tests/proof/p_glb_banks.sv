// onyx_glb_banks: a bank makes an access a cycle, that of the first requester in the order of the contract; a read
// gives what was written last at its address, byte for byte, whoever wrote; every collision is reported in the cycle
// behind.
//
// The environment watches a bit of the memory, any (in banks of eight lines: the first of any byte), and all its
// accesses: each bit of an address counts.
//
// mutate: onyx_glb_banks
// cells: onyx_glb_banks onyx_glb_bank
// with: first_reset
// set: BankWords=2
// set: BankWords=8 AnyBit=0
// broken: onyx_glb_banks s/(proc_reads\[b\] \& ~st_writes\[b\])/proc_reads[b]/
// broken: onyx_glb_banks s/pc_addr_i\[3+:BankBits\]/ld_addr_i[3+:BankBits]/
// broken: onyx_glb_banks s/proc_bank_q <= proc_addr_i\[17\]/proc_bank_q <= proc_addr_i[16]/
// broken: onyx_glb_bank s/if (strb_i\[b\])/if (strb_i[0])/
`include "proof.svh"
module p_glb_banks #(
    parameter int unsigned BankWords = 2,
    parameter bit AnyBit = 1'b1
) (
    input  logic        clk_i, rst_ni,
    input  logic        proc_we_i, proc_re_i,
    input  logic [ 7:0] proc_strb_i,
    input  logic [17:0] proc_addr_i, st_addr_i, pc_addr_i, ld_addr_i,
    input  logic [63:0] proc_wdata_i, st_line_i,
    input  logic [ 3:0] st_lanes_i,
    input  logic        st_write_i, pc_read_i, ld_read_i,
    input  logic [ 9:0] watched_i,
    output logic [160:0] seen_o
);
  localparam int unsigned Bits = $clog2(BankWords);
  logic live, rst_n;
  first_reset u_reset (.clk_i, .rst_ni, .live_o(live), .rst_no(rst_n));
  logic answers, pc_grant, ld_grant;
  logic [63:0] proc_rdata, pc_line;
  logic [15:0] ld_word;
  logic [13:0] collision;
  onyx_glb_banks #(.BankWords(BankWords)) u_banks (
      .clk_i, .rst_ni(rst_n), .proc_we_i, .proc_re_i, .proc_strb_i, .proc_addr_i, .proc_wdata_i,
      .proc_rdata_o(proc_rdata), .answers_o(answers), .st_write_i, .st_addr_i, .st_line_i, .st_lanes_i,
      .pc_read_i, .pc_addr_i, .pc_grant_o(pc_grant), .pc_line_o(pc_line),
      .ld_read_i, .ld_addr_i, .ld_grant_o(ld_grant), .ld_word_o(ld_word), .collision_o(collision)
  );

  // Who asks for which bank, and who has it.
  logic proc_reads, proc_at, st_at, pc_at, ld_at;
  assign proc_reads = proc_re_i & ~proc_we_i;
  assign proc_at    = proc_addr_i[17];
  assign st_at      = st_addr_i[17];
  assign pc_at      = pc_addr_i[17];
  assign ld_at      = ld_addr_i[17];
  logic writes_st, st_has, proc_has, pc_has, ld_has;
  assign writes_st = st_write_i & proc_we_i & (st_at == proc_at);
  assign st_has    = st_write_i & ~writes_st;
  assign proc_has  = proc_reads & ~(st_write_i & st_at == proc_at);
  assign pc_has    = pc_read_i & ~(st_write_i & st_at == pc_at) & ~((proc_we_i | proc_reads) & proc_at == pc_at);
  assign ld_has    = ld_read_i & ~(st_write_i & st_at == ld_at) & ~((proc_we_i | proc_reads) & proc_at == ld_at)
                   & ~(pc_read_i & pc_at == ld_at);

  // The losers and winners of the last cycle, by kind and bank.
  logic [6:0] kinds;
  logic [13:0] lost, lost_q;
  assign kinds = {
    proc_reads & st_write_i & st_at == proc_at, ld_read_i & pc_read_i & pc_at == ld_at,
    ld_read_i & st_write_i & st_at == ld_at, ld_read_i & (proc_we_i | proc_reads) & proc_at == ld_at,
    pc_read_i & st_write_i & st_at == pc_at, pc_read_i & (proc_we_i | proc_reads) & proc_at == pc_at, writes_st
  };
  always_comb begin
    for (int k = 0; k < 7; k++) begin
      // The loser's bank: the store's in kind 0, the configuration's in 1 and 2, the load's in 3 to 5, else the
      // processor's.
      lost[2*k+:2] = 2'd0;
      lost[2*k+((k == 0) ? st_at : (k < 3) ? pc_at : (k < 6) ? ld_at : proc_at)] = kinds[k];
    end
  end

  // The watched bit: its bank, line, byte, and place there.
  logic [Bits+6:0] watched, watched_q;  // what the first cycle has
  assign watched = live ? watched_q : watched_i[Bits+6:0];
  always_ff @(posedge clk_i) watched_q <= watched;
  logic at_bank;
  logic [Bits-1:0] at_line;
  logic [2:0] at_byte, at_bit;
  assign {at_bank, at_line, at_byte, at_bit} = watched & ~{(Bits + 7)'(AnyBit ? 0 : 7)};
  logic proc_on, st_on, pc_on, ld_on;
  assign proc_on = {proc_addr_i[17], proc_addr_i[3+:Bits]} == {at_bank, at_line};
  assign st_on   = {st_addr_i[17], st_addr_i[3+:Bits]} == {at_bank, at_line};
  assign pc_on   = {pc_addr_i[17], pc_addr_i[3+:Bits]} == {at_bank, at_line};
  assign ld_on   = {ld_addr_i[17], ld_addr_i[3+:Bits], ld_addr_i[2:1]} == {at_bank, at_line, at_byte[2:1]};

  logic known_q, bit_q;  // written since the start; its value
  logic proc_sees_q, pc_sees_q, ld_sees_q, was_q;  // a read of the last cycle met the known bit; the bit then
  logic reads_q, past_q;
  logic [63:0] rdata_q;
  initial known_q = 1'b0;
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      {proc_sees_q, pc_sees_q, ld_sees_q, reads_q, past_q} <= '0;
      lost_q  <= 14'd0;
      rdata_q <= 64'd0;
    end else begin
      proc_sees_q <= proc_has & proc_on & known_q;
      pc_sees_q   <= pc_has & pc_on & known_q;
      ld_sees_q   <= ld_has & ld_on & known_q;
      reads_q     <= proc_has;
      past_q      <= 1'b1;
      lost_q      <= lost;
      rdata_q     <= proc_rdata;
    end
  end
  always_ff @(posedge clk_i) begin
    was_q <= bit_q;
    if (proc_we_i && proc_on && proc_strb_i[at_byte]) begin
      known_q <= 1'b1;
      bit_q   <= proc_wdata_i[{at_byte, at_bit}];
    end else if (st_has && st_on && st_lanes_i[at_byte[2:1]]) begin
      known_q <= 1'b1;
      bit_q   <= st_line_i[{at_byte, at_bit}];
    end
  end

  always_comb begin
    if (rst_n) begin
      `PROVE(grants, pc_grant == pc_has && ld_grant == ld_has)
      `PROVE(one_access_a_bank, 2'(ld_grant & ~ld_at) + 2'(pc_grant & ~pc_at) + 2'(proc_has & ~proc_at) + 2'(
          st_has & ~st_at) + 2'(proc_we_i & ~proc_at) < 2'd2)
      `PROVE(reports, collision == lost_q)
      `PROVE(tells_of_a_read, answers == reads_q)
      `PROVE(processor_reads, !proc_sees_q || proc_rdata[{at_byte, at_bit}] == was_q)
      `PROVE(processor_keeps, !past_q || reads_q || proc_rdata == rdata_q)
      `PROVE(nothing_read_yet, past_q || proc_rdata == 64'd0)
      `PROVE(configuration_reads, !pc_sees_q || pc_line[{at_byte, at_bit}] == was_q)
      `PROVE(load_reads, !ld_sees_q || ld_word[{at_byte[0], at_bit}] == was_q)
      `REACH(store_is_read, ld_sees_q && was_q && answers)
      `REACH(store_loses, writes_st && st_on && known_q)
      `REACH(processor_loses, proc_reads && !proc_has && answers)
    end
  end
  assign seen_o = {
    answers, pc_grant, ld_grant, collision, proc_rdata, pc_line & {64{pc_sees_q}}, ld_word & {16{ld_sees_q}}
  };
endmodule
