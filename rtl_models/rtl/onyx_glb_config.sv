// The configuration DMA of a buffer tile, and the tile's part of the configuration chain.
//
// Contract: start_i begins words_i words from start_addr_i on, if there are any. The DMA reads while read_o, a line of
// eight bytes {address, data} a grant, line_i in the next cycle; each leaves in the cycle behind at the outputs whose
// multiplexer is 1; words from the west leave where it is 2. hold_i keeps the outputs. done_o lasts five cycles from
// the cycle in which the last word leaves. busy_o: its registers need the clock.
module onyx_glb_config (
    input  logic        clk_i, rst_ni,
    input  logic        start_i,
    input  logic [17:0] start_addr_i,
    input  logic [18:0] words_i,
    output logic        done_o, busy_o,
    output logic        read_o,
    output logic [17:0] addr_o,
    input  logic        grant_i,
    input  logic [63:0] line_i,
    input  logic        hold_i,
    input  logic [ 1:0] south_mux_i, east_mux_i,
    input  logic        west_valid_i,
    input  logic [31:0] west_addr_i, west_data_i,
    output logic        south_valid_o,
    output logic [31:0] south_addr_o, south_data_o,
    output logic        east_valid_o,
    output logic [31:0] east_addr_o, east_data_o
);
  localparam logic [2:0] DoneCycles = 3'd5;

  logic fetched_q;
  logic [ 2:0] done_q;  // cycles left of the pulse
  logic [18:0] left_q;
  assign done_o = (done_q != 3'd0);
  assign busy_o = read_o | fetched_q | done_o | south_valid_o | east_valid_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      read_o        <= 1'b0;
      fetched_q     <= 1'b0;
      left_q        <= 19'd0;
      addr_o        <= 18'd0;
      done_q        <= 3'd0;
      south_valid_o <= 1'b0;
      south_addr_o  <= 32'd0;
      south_data_o  <= 32'd0;
      east_valid_o  <= 1'b0;
      east_addr_o   <= 32'd0;
      east_data_o   <= 32'd0;
    end else begin
      fetched_q <= grant_i;
      done_q    <= (fetched_q & ~read_o) ? DoneCycles : done_o ? done_q - 3'd1 : 3'd0;
      if (start_i && words_i != 19'd0) begin
        read_o <= 1'b1;
        addr_o <= start_addr_i;
        left_q <= words_i;
      end else if (grant_i) begin
        addr_o <= addr_o + 18'd8;
        left_q <= left_q - 19'd1;
        if (left_q == 19'd1) read_o <= 1'b0;
      end
      if (!hold_i) begin
        south_valid_o <= (south_mux_i == 2'd1) ? fetched_q : (south_mux_i == 2'd2) & west_valid_i;
        south_addr_o  <= (south_mux_i == 2'd1) ? line_i[63:32] : west_addr_i;
        south_data_o  <= (south_mux_i == 2'd1) ? line_i[31:0] : west_data_i;
        east_valid_o  <= (east_mux_i == 2'd1) ? fetched_q : (east_mux_i == 2'd2) & west_valid_i;
        east_addr_o   <= (east_mux_i == 2'd1) ? line_i[63:32] : west_addr_i;
        east_data_o   <= (east_mux_i == 2'd1) ? line_i[31:0] : west_data_i;
      end
    end
  end
`include "onyx_assert.svh"
  `ONYX_ASSERT(ReadsWhatIsLeft, read_o == (left_q != 19'd0), "the DMA reads until its last word")
endmodule
