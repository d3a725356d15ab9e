// The unified buffer of a MEM tile: two ports with an aggregator, a transpose buffer and generators each, around the
// tile's SRAM (sram_*, with the contract of onyx_sram).
//
// Contract: a single access of the SRAM in a cycle; a write precedes a read, which is lost, and port 0 precedes port
// 1. A port without a valid bit gives the word of the chain, or 0.
module onyx_dense_buffer (
    input  logic clk_i, rst_ni, en_i, flush_i,
    input  onyx_dense_pkg::buffer_t        cfg_i,
    input  logic                    [31:0] data_i,
    input  logic                    [31:0] chain_i,
    output logic                    [31:0] data_o,
    output logic                    [ 1:0] valid_o,
    output logic                           sram_req_o, sram_we_o,
    output logic                    [ 8:0] sram_addr_o,
    output logic                    [63:0] sram_wdata_o,
    input  logic                    [63:0] sram_rdata_i
);
  logic [15:0] cycle_q;
  logic [1:0] write, read, row_write;
  logic [8:0] write_line0, write_line1, read_line0, read_line1;
  logic [63:0] words0, words1;
  logic [1:0] row0;
  // Port 0 alone may have both transpose buffers.
  // verilator lint_off UNUSEDSIGNAL
  logic [1:0] row1;
  logic [3:0] out_addr1;
  // verilator lint_on UNUSEDSIGNAL
  logic [3:0] out_addr0;
  logic [255:0] rows_q;  // transpose buffers: word {half, row, lane}
  onyx_dense_pkg::write_t write_cfg0, write_cfg1;
  onyx_dense_pkg::read_t read_cfg0, read_cfg1;
  onyx_dense_pkg::update_t update0, update1;

  assign write_cfg0 = {
    cfg_i.write_addr0, cfg_i.write_sched0, cfg_i.write_loops0, cfg_i.padding0, cfg_i.first0,
    cfg_i.mode0[1]
  };
  assign write_cfg1 = {
    cfg_i.write_addr1, cfg_i.write_sched1, cfg_i.write_loops1, cfg_i.padding1, cfg_i.first1,
    cfg_i.mode1[1]
  };
  assign read_cfg0 = {
    cfg_i.read_addr0, cfg_i.row_addr0, cfg_i.out_addr0, cfg_i.read_loops0, cfg_i.out_loops0,
    cfg_i.read_sched0, cfg_i.out_sched0
  };
  assign read_cfg1 = {
    cfg_i.read_addr1, cfg_i.row_addr1, cfg_i.out_addr1, cfg_i.read_loops1, cfg_i.out_loops1,
    cfg_i.read_sched1, cfg_i.out_sched1
  };

  onyx_dense_aggregator u_write0 (
      .cfg_i(write_cfg0), .update_i(cfg_i.mode0[0] ? update1 : update0), .data_i(data_i[15:0]), .write_o(write[0]),
      .line_o(write_line0), .words_o(words0), .cycle_i(cycle_q), .clk_i, .rst_ni,
      .en_i, .flush_i
  );
  onyx_dense_aggregator u_write1 (
      .cfg_i(write_cfg1), .update_i(cfg_i.mode1[0] ? update1 : update0), .data_i(data_i[31:16]), .write_o(write[1]),
      .line_o(write_line1), .words_o(words1), .cycle_i(cycle_q), .clk_i, .rst_ni,
      .en_i, .flush_i
  );
  onyx_dense_reader u_read0 (
      .cfg_i(read_cfg0), .read_o(read[0]), .line_o(read_line0), .row_write_o(row_write[0]), .row_o(row0),
      .update_o(update0), .out_event_o(valid_o[0]), .out_addr_o(out_addr0), .cycle_i(cycle_q), .clk_i, .rst_ni,
      .en_i, .flush_i
  );
  onyx_dense_reader u_read1 (
      .cfg_i(read_cfg1), .read_o(read[1]), .line_o(read_line1), .row_write_o(row_write[1]), .row_o(row1),
      .update_o(update1), .out_event_o(valid_o[1]), .out_addr_o(out_addr1), .cycle_i(cycle_q), .clk_i, .rst_ni,
      .en_i, .flush_i
  );

  assign sram_req_o   = en_i && (write != 2'b00 || read != 2'b00);
  assign sram_we_o    = write != 2'b00;
  assign sram_addr_o  = write[0] ? write_line0 : write[1] ? write_line1 : read[0] ? read_line0 : read_line1;
  assign sram_wdata_o = write[0] ? words0 : words1;

  always_comb begin
    data_o = cfg_i.chain ? chain_i : 32'd0;
    if (valid_o[0]) data_o[15:0] = rows_q[16*{cfg_i.shared && out_addr0[3], out_addr0[2:0]}+:16];
    if (valid_o[1]) data_o[31:16] = rows_q[16*{1'b1, out_addr1[2:0]}+:16];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) cycle_q <= '0;
    else if (en_i) cycle_q <= flush_i ? 16'd0 : cycle_q + 16'd1;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) rows_q <= '0;
    else if (en_i) begin
      if (row_write[0]) rows_q[64*{cfg_i.shared && row0[1], row0[0]}+:64] <= sram_rdata_i;
      if (row_write[1]) rows_q[64*{1'b1, row1[0]}+:64] <= sram_rdata_i;
    end
  end
endmodule
