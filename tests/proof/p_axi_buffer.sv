// onyx_axi_buffer: one burst at a time, each answered once, with its identifier; the beats of a burst are accesses of
// the buffer in order, none lost or doubled, at the addresses of a fixed, incrementing or wrapping burst; a master that
// takes beats gets one a cycle; neither kind waits for two bursts of the other kind.
//
// Assumed: beats of at most eight bytes; a wrapping burst has 2, 4, 8 or 16 beats.
//
// mutate: onyx_axi_buffer
// cells: onyx_axi_buffer
// with: first_reset
// set: IdBits=1 AddrBits=6
// broken: onyx_axi_buffer s/~(arvalid_i \& ~read_last_q)/~arvalid_i/
// broken: onyx_axi_buffer s/(~rvalid_o | rready_i)/1'b1/
// broken: onyx_axi_buffer s/if (burst_q == Fixed)/if (burst_q == Wrap)/
// broken: onyx_axi_buffer s/rlast_o <= (left_q == 8'd0)/rlast_o <= asked_q/
`include "proof.svh"
module p_axi_buffer #(
    parameter int unsigned IdBits = 1,
    parameter int unsigned AddrBits = 6
) (
    input  logic clk_i, rst_ni,
    input  logic [IdBits-1:0] awid_i, arid_i,
    input  logic [AddrBits-1:0] awaddr_i, araddr_i,
    input  logic [7:0] awlen_i, arlen_i,
    input  logic [1:0] awsize_i, arsize_i, awburst_i, arburst_i,
    input  logic awvalid_i, wvalid_i, bready_i, arvalid_i, rready_i,
    input  logic [7:0] wstrb_i,
    input  logic word_i, rword_i,
    output logic [AddrBits+2*IdBits+17:0] seen_o
);
  logic live, rst_n;
  first_reset u_reset (.clk_i, .rst_ni, .live_o(live), .rst_no(rst_n));
  logic awready, wready, bvalid, arready, rlast, rvalid, we, re;
  logic [IdBits-1:0] bid, rid;
  logic [63:0] rdata, wdata;
  logic [7:0] strb;
  logic [AddrBits-1:0] addr;

  // The burst under way: the address and the number of its beats to come, less one; whether all are asked for.
  logic [1:0] kind_q;  // 1 a write, 2 its answer, 3 a read
  logic [IdBits-1:0] id_q;
  logic [AddrBits-1:0] addr_q, block, above;
  logic [7:0] len_q, left_q;
  logic [1:0] size_q, burst_q;
  logic none_q, held_q, last_q, read_last_q, takes_write;

  onyx_axi_buffer #(.IdBits(IdBits), .AddrBits(AddrBits)) u_mem (
      .clk_i, .rst_ni(rst_n), .awid_i, .awaddr_i, .awlen_i, .awsize_i({1'b0, awsize_i}), .awburst_i, .awvalid_i,
      .awready_o(awready), .wdata_i({64{word_i}}), .wstrb_i, .wlast_i(left_q == 8'd0), .wvalid_i,
      .wready_o(wready), .bid_o(bid), .bvalid_o(bvalid), .bready_i, .arid_i, .araddr_i, .arlen_i,
      .arsize_i({1'b0, arsize_i}), .arburst_i, .arvalid_i, .arready_o(arready), .rid_o(rid), .rdata_o(rdata),
      .rlast_o(rlast), .rvalid_o(rvalid), .rready_i, .buf_we_o(we), .buf_re_o(re), .buf_strb_o(strb),
      .buf_addr_o(addr), .buf_wdata_o(wdata), .buf_rdata_i({64{rword_i}})
  );
  function automatic logic wraps(input logic [7:0] len);
    wraps = len == 8'd1 || len == 8'd3 || len == 8'd7 || len == 8'd15;
  endfunction
  always_comb begin
    assume (awburst_i != 2'd2 || wraps(awlen_i));
    assume (arburst_i != 2'd2 || wraps(arlen_i));
  end

  // A beat's address is the multiple of its size above the one before; a wrapping burst stays in a block of its bytes.
  assign takes_write = kind_q == 2'd0 && awvalid_i && (!arvalid_i || read_last_q);
  assign block = ((AddrBits'(len_q) + AddrBits'(1)) << size_q) - AddrBits'(1);
  assign above = ((addr_q >> size_q) + AddrBits'(1)) << size_q;
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      {kind_q, none_q, held_q, last_q, read_last_q} <= '0;
      {id_q, addr_q, len_q, left_q, size_q, burst_q} <= '0;
    end else begin
      if (kind_q == 2'd0) none_q <= 1'b0;
      if (kind_q == 2'd0 && (takes_write || arvalid_i)) begin
        kind_q      <= takes_write ? 2'd1 : 2'd3;
        read_last_q <= ~takes_write;
        left_q      <= takes_write ? awlen_i : arlen_i;
        {id_q, addr_q, len_q, size_q, burst_q} <= takes_write
            ? {awid_i, awaddr_i, awlen_i, awsize_i, awburst_i} : {arid_i, araddr_i, arlen_i, arsize_i, arburst_i};
      end
      if (we || re) begin
        left_q <= left_q - 8'd1;
        case (burst_q)
          2'd0: addr_q <= addr_q;
          2'd2: addr_q <= (addr_q & ~block) | (above & block);
          default: addr_q <= above;
        endcase
      end
      if (re) last_q <= left_q == 8'd0;
      if (re && left_q == 8'd0) none_q <= 1'b1;
      held_q <= re | (held_q & ~rready_i);
      if (kind_q == 2'd1 && wvalid_i && left_q == 8'd0) kind_q <= 2'd2;
      if (kind_q == 2'd2 && bready_i) kind_q <= 2'd0;
      if (kind_q == 2'd3 && held_q && rready_i && last_q) kind_q <= 2'd0;
    end
  end

  always_comb begin
    if (rst_n) begin
      `PROVE(takes, awready == takes_write && arready == (kind_q == 2'd0 && arvalid_i && !takes_write))
      `PROVE(writes, wready == (kind_q == 2'd1) && we == (wready && wvalid_i))
      `PROVE(written_words, !we || (strb == wstrb_i && wdata == {64{word_i}}))
      `PROVE(reads, re == (kind_q == 2'd3 && !none_q && (!held_q || rready_i)))
      `PROVE(address, kind_q == 2'd0 || addr == addr_q)
      `PROVE(answers, bvalid == (kind_q == 2'd2) && rvalid == held_q && bid == id_q && rid == id_q)
      `PROVE(beats, !rvalid || (rlast == last_q && rdata == {64{rword_i}}))
      `PROVE(legal, kind_q == 2'd0 || burst_q != 2'd2 || wraps(len_q))
      `PROVE(all_asked, !none_q || kind_q == 2'd3 || kind_q == 2'd0)
      `REACH(wraps_around, re && burst_q == 2'd2 && len_q == 8'd3 && left_q == 8'd1 && addr == 6'd0)
      `REACH(a_read_goes_first, arready && awvalid_i)
      `REACH(waits_in_a_read, held_q && !rready_i && !none_q && len_q == 8'd3 && left_q == 8'd1)
      `REACH(long_write, bvalid && len_q == 8'd5)
    end
  end
  assign seen_o = {
    awready, wready, bvalid, arready, rvalid, rlast & rvalid, we, re, bid & {IdBits{bvalid}}, rid & {IdBits{rvalid}},
    addr & {AddrBits{we | re}}, strb & {8{we}}, wdata[0] & we, rdata[0] & rvalid
  };
endmodule
