// AXI4 in front of the buffer's port: bursts of a 64-bit bus as accesses of onyx_periphery's buf_*.
//
// Contract: one burst at a time; of a write and a read that come together the kind goes first that did not go last. A
// burst of awlen_i + 1 beats of 2^awsize_i bytes, fixed, incrementing or wrapping, is a beat a cycle: a write takes its
// word into the buffer in the cycle of the beat and is answered behind its last one; a read's word is asked for in the
// cycle before its beat, at once where the master takes beats. Answers are OKAY, with the identifier of the burst; an
// access the buffer loses is not told. Bursts go on over any boundary, modulo the buffer.
module onyx_axi_buffer #(
    parameter int unsigned IdBits = 4,
    parameter int unsigned AddrBits = 22
) (
    input  logic clk_i, rst_ni,
    // AXI4
    input  logic [IdBits-1:0] awid_i, input logic [AddrBits-1:0] awaddr_i, input logic [7:0] awlen_i,
    input  logic [2:0] awsize_i, input logic [1:0] awburst_i, input logic awvalid_i, output logic awready_o,
    input  logic [63:0] wdata_i, input logic [7:0] wstrb_i, input logic wlast_i, wvalid_i, output logic wready_o,
    output logic [IdBits-1:0] bid_o, output logic bvalid_o, input logic bready_i,
    input  logic [IdBits-1:0] arid_i, input logic [AddrBits-1:0] araddr_i, input logic [7:0] arlen_i,
    input  logic [2:0] arsize_i, input logic [1:0] arburst_i, input logic arvalid_i, output logic arready_o,
    output logic [IdBits-1:0] rid_o, output logic [63:0] rdata_o, output logic rlast_o, rvalid_o,
    input  logic rready_i,
    // buffer
    output logic buf_we_o, buf_re_o, output logic [7:0] buf_strb_o, output logic [AddrBits-1:0] buf_addr_o,
    output logic [63:0] buf_wdata_o, input logic [63:0] buf_rdata_i
);
  typedef enum logic [1:0] {StIdle = 2'd0, StWrite = 2'd1, StAnswer = 2'd2, StRead = 2'd3} state_e;
  localparam logic [1:0] Fixed = 2'd0, Wrap = 2'd2;

  state_e state_q;
  logic read_last_q;  // the kind of the last burst
  logic [IdBits-1:0] id_q;
  logic [AddrBits-1:0] addr_q, step, wrapped, next;
  logic [7:0] left_q, len_q;  // beats to come less one; of the burst
  logic [2:0] size_q;
  logic [1:0] burst_q;
  logic asked_q;  // all beats of a read are asked for
  logic write_goes;

  assign write_goes = awvalid_i & ~(arvalid_i & ~read_last_q);
  assign awready_o  = (state_q == StIdle) & write_goes;
  assign arready_o  = (state_q == StIdle) & arvalid_i & ~write_goes;
  assign wready_o   = (state_q == StWrite);
  assign bvalid_o   = (state_q == StAnswer);
  assign bid_o      = id_q;
  assign rid_o      = id_q;
  assign rdata_o    = buf_rdata_i;
  assign buf_we_o    = wready_o & wvalid_i;
  assign buf_re_o    = (state_q == StRead) & ~asked_q & (~rvalid_o | rready_i);
  assign buf_strb_o  = wstrb_i;
  assign buf_addr_o  = addr_q;
  assign buf_wdata_o = wdata_i;

  // The address behind a beat: aligned to the beat's size, inside of the burst's block where it wraps.
  assign step    = AddrBits'(1) << size_q;
  assign wrapped = (AddrBits'(len_q) << size_q) | (step - AddrBits'(1));
  always_comb begin
    next = (addr_q & ~(step - AddrBits'(1))) + step;
    if (burst_q == Wrap) next = (addr_q & ~wrapped) | (next & wrapped);
    if (burst_q == Fixed) next = addr_q;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q     <= StIdle;
      read_last_q <= 1'b0;
      id_q        <= '0;
      addr_q      <= '0;
      left_q      <= 8'd0;
      len_q       <= 8'd0;
      size_q      <= 3'd0;
      burst_q     <= 2'd0;
      asked_q     <= 1'b0;
      rvalid_o    <= 1'b0;
      rlast_o     <= 1'b0;
    end else begin
      if (buf_we_o || buf_re_o) begin
        addr_q <= next;
        left_q <= left_q - 8'd1;
      end
      rvalid_o <= buf_re_o | (rvalid_o & ~rready_i);
      if (buf_re_o) rlast_o <= (left_q == 8'd0);
      case (state_q)
        StIdle: begin
          asked_q <= 1'b0;
          if (awready_o || arready_o) begin
            state_q     <= awready_o ? StWrite : StRead;
            read_last_q <= arready_o;
            id_q        <= awready_o ? awid_i : arid_i;
            addr_q      <= awready_o ? awaddr_i : araddr_i;
            left_q      <= awready_o ? awlen_i : arlen_i;
            len_q       <= awready_o ? awlen_i : arlen_i;
            size_q      <= awready_o ? awsize_i : arsize_i;
            burst_q     <= awready_o ? awburst_i : arburst_i;
          end
        end
        StWrite: if (buf_we_o && left_q == 8'd0) state_q <= StAnswer;
        StAnswer: if (bready_i) state_q <= StIdle;
        default: begin
          if (buf_re_o && left_q == 8'd0) asked_q <= 1'b1;
          if (rvalid_o && rready_i && rlast_o) state_q <= StIdle;
        end
      endcase
    end
  end
`include "onyx_assert.svh"
  `ONYX_ASSUME(LastBeat, !buf_we_o || wlast_i == (left_q == 8'd0), "the master names the last beat of a write")
  `ONYX_ASSUME(BeatFits, state_q == StIdle || size_q <= 3'd3, "a beat has at most the eight bytes of the bus")
  `ONYX_ASSERT(OneBurst, !(bvalid_o && rvalid_o) && !(buf_we_o && buf_re_o), "one burst at a time")
endmodule
