// The chip without its processor: controller, global buffer, configuration chain, clock gates, flush crossbar and
// array, in the shape of a board: Width and Height of the array (rows without the IO row), its MEM columns, Tiles of
// the buffer.
//
// Contract: registers by AXI4-Lite as of onyx_glc, the buffer by AXI4 of 64 bits (mem_*) as of onyx_axi_buffer, one
// interrupt. The AXI4 port outlives a global reset, in which accesses of the buffer are lost. Out of rst_ni all
// registers are 0 and the array is not configured; memories are unknown until written.
// The controller's global reset is that of array and buffer. A column pair has the configuration bus of the buffer tile
// above.
// lint: -GWidth=4 -GHeight=2 -Wno-UNOPTFLAT
module onyx_chip #(
    parameter int unsigned Width = 32,
    parameter int unsigned Height = 16,
    parameter int unsigned MemPeriod = 4,
    parameter int unsigned MemPhase = 3,
    parameter int unsigned Tiles = (Width + 1) / 2,
    parameter int unsigned IdBits = 4
) (
    input  logic        clk_i, rst_ni,
    // registers, AXI4-Lite; interrupt
    input  logic [12:0] awaddr_i, input logic awvalid_i, output logic awready_o,
    input  logic [31:0] wdata_i, input logic wvalid_i, output logic wready_o, bvalid_o, input logic bready_i,
    input  logic [12:0] araddr_i, input logic arvalid_i, output logic arready_o,
    output logic [31:0] rdata_o, output logic rvalid_o, input logic rready_i,
    output logic        irq_o,
    // buffer, AXI4
    input  logic [IdBits-1:0] mem_awid_i, input logic [21:0] mem_awaddr_i, input logic [7:0] mem_awlen_i,
    input  logic [2:0] mem_awsize_i, input logic [1:0] mem_awburst_i, input logic mem_awvalid_i,
    output logic mem_awready_o,
    input  logic [63:0] mem_wdata_i, input logic [7:0] mem_wstrb_i, input logic mem_wlast_i, mem_wvalid_i,
    output logic mem_wready_o,
    output logic [IdBits-1:0] mem_bid_o, output logic mem_bvalid_o, input logic mem_bready_i,
    input  logic [IdBits-1:0] mem_arid_i, input logic [21:0] mem_araddr_i, input logic [7:0] mem_arlen_i,
    input  logic [2:0] mem_arsize_i, input logic [1:0] mem_arburst_i, input logic mem_arvalid_i,
    output logic mem_arready_o,
    output logic [IdBits-1:0] mem_rid_o, output logic [63:0] mem_rdata_o, output logic mem_rlast_o, mem_rvalid_o,
    input  logic mem_rready_i
);
  if (Width > 2 * Tiles) begin : g_bad
    $error("onyx_chip: Tiles must be Width / 2 at least");
  end
  localparam int unsigned Buses = (Width + 1) / 2;

  logic array_rst_n, cfg_read;
  logic [Width-1:0] stall, load_valid, load_ready, store_valid, store_ready;
  logic [16*Width-1:0] load_data, store_data;
  logic [(Width+3)/4-1:0] flush;
  logic [32*Tiles-1:0] cfg_addr, cfg_data;
  logic [Tiles-1:0] cfg_write;
  logic [31:0] cfg_rdata;
  logic [47:0] start, done;
  logic [14*Tiles-1:0] collision;
  logic [6*Tiles-1:0] in_use;

  logic buf_we, buf_re;
  logic [7:0] buf_strb;
  logic [21:0] buf_addr;
  logic [63:0] buf_wdata, buf_rdata;
  onyx_axi_buffer #(.IdBits(IdBits)) u_mem (
      .clk_i, .rst_ni,
      .awid_i(mem_awid_i), .awaddr_i(mem_awaddr_i), .awlen_i(mem_awlen_i), .awsize_i(mem_awsize_i),
      .awburst_i(mem_awburst_i), .awvalid_i(mem_awvalid_i), .awready_o(mem_awready_o),
      .wdata_i(mem_wdata_i), .wstrb_i(mem_wstrb_i), .wlast_i(mem_wlast_i), .wvalid_i(mem_wvalid_i),
      .wready_o(mem_wready_o), .bid_o(mem_bid_o), .bvalid_o(mem_bvalid_o), .bready_i(mem_bready_i),
      .arid_i(mem_arid_i), .araddr_i(mem_araddr_i), .arlen_i(mem_arlen_i), .arsize_i(mem_arsize_i),
      .arburst_i(mem_arburst_i), .arvalid_i(mem_arvalid_i), .arready_o(mem_arready_o),
      .rid_o(mem_rid_o), .rdata_o(mem_rdata_o), .rlast_o(mem_rlast_o), .rvalid_o(mem_rvalid_o),
      .rready_i(mem_rready_i), .buf_we_o(buf_we), .buf_re_o(buf_re), .buf_strb_o(buf_strb),
      .buf_addr_o(buf_addr), .buf_wdata_o(buf_wdata), .buf_rdata_i(buf_rdata)
  );

  onyx_periphery #(
      .Tiles(Tiles),
      .Width(Width)
  ) u_periphery (
      .clk_i, .rst_ni, .irq_o,
      .awaddr_i, .awvalid_i, .awready_o, .wdata_i, .wvalid_i, .wready_o, .bvalid_o, .bready_i,
      .araddr_i, .arvalid_i, .arready_o, .rdata_o, .rvalid_o, .rready_i,
      .buf_we_i(buf_we), .buf_re_i(buf_re), .buf_strb_i(buf_strb), .buf_addr_i(buf_addr), .buf_wdata_i(buf_wdata),
      .buf_rdata_o(buf_rdata),
      .array_rst_no  (array_rst_n),
      .stall_o       (stall),
      .flush_o       (flush),
      .cfg_addr_o    (cfg_addr),
      .cfg_data_o    (cfg_data),
      .cfg_write_o   (cfg_write),
      .cfg_read_o    (cfg_read),
      .cfg_rdata_i   (cfg_rdata),
      .glb2io_data_o (load_data),
      .glb2io_valid_o(load_valid),
      .glb2io_ready_i(load_ready),
      .io2glb_data_i (store_data),
      .io2glb_valid_i(store_valid),
      .io2glb_ready_o(store_ready),
      .demand_i      (1'b1),
      .stream_done_i (32'd0),
      .start_o       (start),
      .done_o        (done),
      .collision_o   (collision),
      .in_use_o      (in_use)
  );

  onyx_array #(
      .Width     (Width),
      .Height    (Height),
      .MemPeriod (MemPeriod),
      .MemPhase  (MemPhase),
      .BusColumns(2)
  ) u_array (
      .clk_i,
      .rst_ni        (rst_ni & array_rst_n),
      .cfg_addr_i    (cfg_addr[32*Buses-1:0]),
      .cfg_data_i    (cfg_data[32*Buses-1:0]),
      .cfg_write_i   (cfg_write[Buses-1:0]),
      .cfg_read_i    ({Buses{cfg_read}}),
      .cfg_rdata_o   (cfg_rdata),
      .stall_i       (stall),
      .flush_i       (flush),
      .glb2io_data_i (load_data),
      .glb2io_valid_i(load_valid),
      .glb2io_ready_o(load_ready),
      .io2glb_data_o (store_data),
      .io2glb_valid_o(store_valid),
      .io2glb_ready_i(store_ready)
  );

  // Tiles of the buffer without columns, and what only a simulation looks at.
  logic unused_monitors;
  assign unused_monitors = ^{cfg_addr, cfg_data, cfg_write, start, done, collision, in_use};
`include "onyx_assert.svh"
  `ONYX_ASSERT(StalledByColumn, array_rst_n || load_valid == '0, "no load runs while the controller resets")
endmodule
