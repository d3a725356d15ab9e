// Vector reducer (profile onyx-ext): adds up sparse vectors of coordinates with values.
//
// Contract: both inputs have the same shape, fibers of ascending coordinates. A stop of level 0 ends a vector; a stop
// of level n > 0 ends the sum: its coordinates leave sorted, each once, with their sums, followed by a stop of level
// n-1 on both outputs. A sum without entries is only the stop. Done passes, behind the sum of vectors no stop has
// ended. A maybe value counts as 0, a maybe coordinate and its value vanish. Values are added in order of arrival, as
// onyx_combine adds, or combined by another operation (op_i); the first value is taken unchanged.
//
// Coordinates are 0 to 1023; an entry beyond is lost, and hazard_o reports the loss. The memory (onyx_sram's port)
// holds the sums by coordinate, two in a line: {15'b0, present, value} for the odd coordinate, next for the even.
// lines_q marks the nonempty lines.
//
// Handshake: made to stand between FIFOs; both inputs are taken, and both outputs are given, in the same cycle. An
// entry takes a cycle, two for a nonempty line; the end of a sum of N entries N + 3, of none 2. sends_o: the output
// of this cycle, if any, is an entry, of coordinate next_o (both from registers and memory).
module onyx_vector_reduce (
    input  logic clk_i, rst_ni, en_i, flush_i, bf16_i,
    input  logic [ 3:0] op_i,
    input  onyx_pkg::stream_t crd_i, output logic crd_ready_o,
    input  onyx_pkg::stream_t val_i, output logic val_ready_o,
    output onyx_pkg::stream_t crd_o, input  logic crd_ready_i,
    output onyx_pkg::stream_t val_o, input  logic val_ready_i,
    output logic        mem_req_o,
    output logic        mem_we_o,
    output logic [ 8:0] mem_addr_o,
    output logic [63:0] mem_wdata_o,
    input  logic [63:0] mem_rdata_i,
    output logic        sends_o,
    output logic [ 9:0] next_o,
    output logic        stir_o,  // a register may change at the edge though no word moves at a port
    output logic        hazard_o
);
  typedef enum logic [1:0] {StTake = 2'd0,
    StAdd = 2'd1,   // the line of the entry at the heads has been read
    StFind = 2'd2,  // the sum leaves: its next line is read, or its stop given
    StSend = 2'd3} state_e;  // the entries of the line that was read leave

  state_e state_q, state_d;
  logic [511:0] lines_q, lines_d;
  logic [8:0] line_q, line_d;
  logic odd_q, odd_d;  // the even entry of the line has left

  // -- the heads --
  logic both, stop, done, item, level0, maybe, fits;
  logic [15:0] value, operand;
  assign both    = crd_i.valid & val_i.valid;
  assign stop    = crd_i.data[16] & (crd_i.data[9:8] == 2'd0);
  assign done    = crd_i.data[16] & (crd_i.data[9:8] == 2'd1);
  assign item    = ~stop & ~done;
  assign level0  = crd_i.data[7:0] == 8'd0;
  assign maybe   = crd_i.data[16];
  assign fits    = crd_i.data[15:10] == 6'd0;
  assign operand = val_i.data[16] ? 16'd0 : val_i.data[15:0];

  // -- the line of the entry, and its new value --
  logic [8:0] line;
  logic [15:0] old, sum;
  logic there, kept;
  assign line  = crd_i.data[9:1];
  assign kept  = lines_q[line];
  assign there = crd_i.data[0] ? mem_rdata_i[48] : mem_rdata_i[16];
  assign old   = crd_i.data[0] ? mem_rdata_i[47:32] : mem_rdata_i[15:0];
  onyx_combine i_combine (
      .op_i, .bf16_i,
      .a_i     (old),
      .b_i     (operand),
      .entry_o (value),
      .result_o(sum)
  );

  // -- the first nonempty line: of 16 groups the first, of its 32 lines the first --
  logic [3:0] first_group;
  logic [4:0] first_line;
  logic [8:0] first;
  logic [31:0] group;
  logic any;
  assign group = lines_q[{first_group, 5'd0}+:32];
  assign first = {first_group, first_line};
  always_comb begin
    any         = 1'b0;
    first_group = 4'd0;
    for (int g = 15; g >= 0; g--) begin
      if (lines_q[g*32+:32] != 32'd0) begin
        any         = 1'b1;
        first_group = 4'(g);
      end
    end
  end
  always_comb begin
    first_line = 5'd0;
    for (int l = 31; l >= 0; l--) begin
      if (group[l]) first_line = 5'(l);
    end
  end

  // -- the leaving entry of the line read --
  logic sends_odd, last;
  assign sends_odd = odd_q | ~mem_rdata_i[16];
  assign last      = sends_odd | ~mem_rdata_i[48];

  logic take, give, read_first, outs_ready;
  assign outs_ready = crd_ready_i & val_ready_i;
  always_comb begin
    state_d     = state_q;
    line_d      = line_q;
    odd_d       = odd_q;
    lines_d     = lines_q;
    take        = 1'b0;
    give        = 1'b0;
    read_first  = 1'b0;
    mem_req_o   = 1'b0;
    mem_we_o    = 1'b0;
    mem_addr_o  = line;
    mem_wdata_o = crd_i.data[0] ? {15'd0, 1'b1, value, 32'd0} : {47'd0, 1'b1, value};
    crd_o.data  = stop ? {crd_i.data[16:8], crd_i.data[7:0] - 8'd1} : crd_i.data;
    val_o.data  = crd_o.data;
    unique case (state_q)
      StTake:
      if (both && item) begin
        take = maybe | ~fits | ~kept;
        if (!maybe && fits) begin
          mem_req_o     = 1'b1;
          mem_we_o      = ~kept;
          lines_d[line] = 1'b1;
          if (kept) state_d = StAdd;
        end
      end else if (both) begin
        take = stop & level0;
        if (!take) state_d = StFind;
      end
      StAdd: begin
        take      = 1'b1;
        mem_req_o = 1'b1;
        mem_we_o  = 1'b1;
        if (crd_i.data[0]) mem_wdata_o = {15'd0, 1'b1, there ? sum : value, mem_rdata_i[31:0]};
        else mem_wdata_o = {mem_rdata_i[63:32], 15'd0, 1'b1, there ? sum : value};
        state_d = StTake;
      end
      StFind: begin
        if (any) begin
          read_first = 1'b1;
          state_d    = StSend;
        end else begin
          give = outs_ready;
          take = outs_ready;
          if (outs_ready) state_d = StTake;
        end
      end
      default: begin  // StSend
        give       = outs_ready;
        crd_o.data = {7'd0, line_q, sends_odd};
        val_o.data = {1'b0, sends_odd ? mem_rdata_i[47:32] : mem_rdata_i[15:0]};
        if (outs_ready && !last) odd_d = 1'b1;
        if (outs_ready && last) begin
          read_first = any;
          if (!any) state_d = StFind;
        end
      end
    endcase
    if (read_first) begin
      mem_req_o      = 1'b1;
      mem_addr_o     = first;
      lines_d[first] = 1'b0;
      line_d         = first;
      odd_d          = 1'b0;
    end
  end

  assign crd_ready_o = take;
  assign val_ready_o = take;
  assign crd_o.valid = give;
  assign val_o.valid = give;
  assign sends_o     = state_q == StSend;
  assign next_o      = {line_q, sends_odd};
  assign stir_o      = (state_d != state_q);
  assign hazard_o    = (state_q == StTake) & both & item & ~maybe & ~fits;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StTake;
      lines_q <= '0;
      line_q  <= 9'd0;
      odd_q   <= 1'b0;
    end else if (en_i) begin
      state_q <= flush_i ? StTake : state_d;
      lines_q <= flush_i ? '0 : lines_d;
      line_q  <= line_d;
      odd_q   <= odd_d;
    end
  end

  // The other bits of a line are 0.
  logic unused_bits;
  assign unused_bits = &{1'b0, mem_rdata_i[63:49], mem_rdata_i[31:17]};
`include "onyx_assert.svh"
  `ONYX_ASSERT(PairsLeaveTogether, crd_o.valid == val_o.valid && crd_ready_o == val_ready_o,
      "a coordinate leaves with its value")
  `ONYX_ASSERT(WritesAreRequests, mem_req_o || !mem_we_o, "a write is a request")
endmodule
