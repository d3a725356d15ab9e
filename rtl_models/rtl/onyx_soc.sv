// The array's side of the chip in one piece: global controller, sixteen global-buffer tiles, array of 32 columns.
//
// Contract:
// - aw*, w*, b*, ar*, r*: AXI4-Lite slave, byte addresses as in onyx_glc.
// - proc_*: the processor's 64-bit port to the buffer, 22-bit byte address: tile in bits 21:18. A write or read takes
//   effect in the cycle it is presented, read data follow one cycle later. Not both in one cycle.
// - irq_o is a level.
// Buffer tile g feeds columns 2g and 2g+1; a stalled column neither takes nor gives a word. Each group of four
// columns is flushed by the buffer tile its four bits of the flush crossbar name.
// Configuration words travel east along the buffer tiles; what a tile's south output carries for one of its own two
// columns joins a common pipeline to the array's bus, where words arrive in the order they were sent, one a cycle. One
// configuration DMA or the controller may send at a time.
// lint: -GHeight=1
module onyx_soc #(
    parameter int unsigned Height = 16  // rows of compute tiles
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic [12:0] awaddr_i,
    input  logic        awvalid_i,
    output logic        awready_o,
    input  logic [31:0] wdata_i,
    input  logic        wvalid_i,
    output logic        wready_o,
    output logic        bvalid_o,
    input  logic        bready_i,
    input  logic [12:0] araddr_i,
    input  logic        arvalid_i,
    output logic        arready_o,
    output logic [31:0] rdata_o,
    output logic        rvalid_o,
    input  logic        rready_i,
    input  logic        proc_we_i,
    input  logic        proc_re_i,
    input  logic [7:0]  proc_strb_i,
    input  logic [21:0] proc_addr_i,
    input  logic [63:0] proc_wdata_i,
    output logic [63:0] proc_rdata_o,
    output logic        irq_o
);
  localparam int unsigned Tiles = 16;
  localparam int unsigned Columns = 2 * Tiles;
  localparam int unsigned Groups = Columns / 4;

  // ---- controller ----
  logic glb_reg_we, array_rst_n, glc_cfg_write, glc_cfg_read;
  logic [11:0] glb_reg_addr;
  logic [31:0] glb_reg_wdata, stall, crossbar, glc_cfg_addr, glc_cfg_data, cfg_rdata;
  logic [Tiles-1:0] g2f_start, f2g_start, pc_start, g2f_done, f2g_done, pc_done, tile_flush;
  logic [31:0] tile_reg_rdata[Tiles];
  onyx_glc u_glc (
      .clk_i           (clk_i),
      .rst_ni          (rst_ni),
      .awaddr_i        (awaddr_i),
      .awvalid_i       (awvalid_i),
      .awready_o       (awready_o),
      .wdata_i         (wdata_i),
      .wvalid_i        (wvalid_i),
      .wready_o        (wready_o),
      .bvalid_o        (bvalid_o),
      .bready_i        (bready_i),
      .araddr_i        (araddr_i),
      .arvalid_i       (arvalid_i),
      .arready_o       (arready_o),
      .rdata_o         (rdata_o),
      .rvalid_o        (rvalid_o),
      .rready_i        (rready_i),
      .glb_reg_we_o    (glb_reg_we),
      .glb_reg_addr_o  (glb_reg_addr),
      .glb_reg_wdata_o (glb_reg_wdata),
      .glb_reg_rdata_i (tile_reg_rdata[glb_reg_addr[11:8]]),
      .array_rst_no    (array_rst_n),
      .stall_o         (stall),
      .flush_crossbar_o(crossbar),
      .cfg_write_o     (glc_cfg_write),
      .cfg_read_o      (glc_cfg_read),
      .cfg_addr_o      (glc_cfg_addr),
      .cfg_data_o      (glc_cfg_data),
      .cfg_rdata_i     (cfg_rdata),
      .g2f_start_o     (g2f_start),
      .f2g_start_o     (f2g_start),
      .pc_start_o      (pc_start),
      .g2f_done_i      (g2f_done),
      .f2g_done_i      (f2g_done),
      .pc_done_i       (pc_done),
      .irq_o           (irq_o)
  );

  // ---- buffer ----
  logic [3:0] proc_tile_q;
  logic [63:0] tile_rdata[Tiles];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) proc_tile_q <= 4'd0;
    else if (proc_re_i) proc_tile_q <= proc_addr_i[21:18];
  end
  assign proc_rdata_o = tile_rdata[proc_tile_q];

  logic [16*Columns-1:0] to_array_data, from_array_data;
  logic [Columns-1:0] to_array_valid, to_array_ready, from_array_valid, from_array_ready;
  // Words as {valid, address, data}: along the tiles, and on the way to the array's bus.
  logic [64:0] east[Tiles+1], collect_q[Tiles+1];
  assign east[0]      = 65'd0;
  assign collect_q[0] = 65'd0;

  for (genvar g = 0; g < Tiles; g++) begin : g_tile
    logic proc_here, south_valid, east_valid, own_columns;
    logic [31:0] south_addr, south_data, east_addr, east_data;
    assign proc_here   = (proc_addr_i[21:18] == 4'(g));
    assign own_columns = (south_addr[15:9] == 7'(g));
    assign east[g+1]   = {east_valid, east_addr, east_data};

    onyx_glb_tile u_tile (
        .clk_i            (clk_i),
        .rst_ni           (rst_ni),
        .proc_we_i        (proc_we_i & proc_here),
        .proc_re_i        (proc_re_i & proc_here),
        .proc_strb_i      (proc_strb_i),
        .proc_addr_i      (proc_addr_i[17:0]),
        .proc_wdata_i     (proc_wdata_i),
        .proc_rdata_o     (tile_rdata[g]),
        .reg_we_i         (glb_reg_we & (glb_reg_addr[11:8] == 4'(g))),
        .reg_addr_i       (glb_reg_addr[7:0]),
        .reg_wdata_i      (glb_reg_wdata),
        .reg_rdata_o      (tile_reg_rdata[g]),
        .ld_start_i       (g2f_start[g]),
        .st_start_i       (f2g_start[g]),
        .pc_start_i       (pc_start[g]),
        .ld_done_o        (g2f_done[g]),
        .st_done_o        (f2g_done[g]),
        .pc_done_o        (pc_done[g]),
        .flush_o          (tile_flush[g]),
        .even_data_o      (to_array_data[32*g+:16]),
        .even_valid_o     (to_array_valid[2*g]),
        .even_ready_i     (to_array_ready[2*g] & ~stall[2*g]),
        .odd_data_o       (to_array_data[32*g+16+:16]),
        .odd_valid_o      (to_array_valid[2*g+1]),
        .odd_ready_i      (to_array_ready[2*g+1] & ~stall[2*g+1]),
        .even_data_i      (from_array_data[32*g+:16]),
        .even_valid_i     (from_array_valid[2*g] & ~stall[2*g]),
        .even_ready_o     (from_array_ready[2*g]),
        .odd_data_i       (from_array_data[32*g+16+:16]),
        .odd_valid_i      (from_array_valid[2*g+1] & ~stall[2*g+1]),
        .odd_ready_o      (from_array_ready[2*g+1]),
        .cfg_west_valid_i (east[g][64]),
        .cfg_west_addr_i  (east[g][63:32]),
        .cfg_west_data_i  (east[g][31:0]),
        .cfg_south_valid_o(south_valid),
        .cfg_south_addr_o (south_addr),
        .cfg_south_data_o (south_data),
        .cfg_east_valid_o (east_valid),
        .cfg_east_addr_o  (east_addr),
        .cfg_east_data_o  (east_data)
    );

    // A word moves along here as fast as it does along the tiles: those of one source never meet.
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) collect_q[g+1] <= 65'd0;
      else collect_q[g+1] <= (south_valid & own_columns) ? {1'b1, south_addr, south_data} : collect_q[g];
    end
  end

  // Where the chain ends.
  logic unused;
  assign unused = &{1'b0, east[Tiles]};

  // ---- array ----
  logic [Groups-1:0] flush;
  for (genvar g = 0; g < Groups; g++) begin : g_flush
    assign flush[g] = tile_flush[crossbar[4*g+:4]];
  end
  logic glc_bus;
  assign glc_bus = glc_cfg_write | glc_cfg_read;
  onyx_array #(
      .Width (Columns),
      .Height(Height)
  ) u_array (
      .clk_i         (clk_i),
      .rst_ni        (rst_ni & array_rst_n),
      .cfg_addr_i    (glc_bus ? glc_cfg_addr : collect_q[Tiles][63:32]),
      .cfg_data_i    (glc_bus ? glc_cfg_data : collect_q[Tiles][31:0]),
      .cfg_write_i   (glc_cfg_write | (collect_q[Tiles][64] & ~glc_bus)),
      .cfg_read_i    (glc_cfg_read),
      .cfg_rdata_o   (cfg_rdata),
      .stall_i       (stall),
      .flush_i       (flush),
      .glb2io_data_i (to_array_data),
      .glb2io_valid_i(to_array_valid),
      .glb2io_ready_o(to_array_ready),
      .io2glb_data_o (from_array_data),
      .io2glb_valid_o(from_array_valid),
      .io2glb_ready_i(from_array_ready)
  );
endmodule
