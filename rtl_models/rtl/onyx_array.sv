// The array: Width columns, an IO tile on top of each (row 0), Height rows of compute tiles (PE; MEM where
// x % MemPeriod == MemPhase), y growing southwards.
//
// cfg_*: a configuration bus for each BusColumns columns (one for all, unless told), bus b at bits [32*b +: 32] and
// bit b; write is taken at the next edge; cfg_rdata_o is the OR of all tiles (only the addressed one drives).
// stall_i: one bit a column. flush_i: one bit a group of four columns. The bus and flush pass a register below the
// near rows: rows below the register see both, and answer reads, a cycle later. Global-buffer ports: column x at data
// bits [16*x +: 16] and bit x of valid and ready. Wires out of the array carry nothing, and their drivers find ready
// 0. Bypassed switch-box outputs can close loops of wires, which no legal configuration does (UNOPTFLAT).
// lint: -GWidth=4 -GHeight=2 -Wno-UNOPTFLAT
module onyx_array
`include "onyx_array_head.svh"
  if (Width < 1 || Width > 256 || Height < 1 || Height > 255) begin : g_bad
    $error("onyx_array: Width must be 1..256 and Height 1..255");
  end
  if (BusColumns < 1) begin : g_bad_buses
    $error("onyx_array: BusColumns must be at least 1");
  end
  if (MemPeriod < 1 || MemPhase >= MemPeriod) begin : g_bad_columns
    $error("onyx_array: MemPhase must be below MemPeriod");
  end

  // verilator lint_off UNUSEDSIGNAL
  // (An array of near rows alone has no tile behind this register.)
  logic [32*Buses-1:0] far_addr_q, far_data_q;
  logic [Buses-1:0] far_write_q, far_read_q;
  logic [(Width+3)/4-1:0] far_flush_q;
  // verilator lint_on UNUSEDSIGNAL
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      far_addr_q  <= '0;
      far_data_q  <= '0;
      far_write_q <= '0;
      far_read_q  <= '0;
      far_flush_q <= '0;
    end else begin
      far_addr_q  <= cfg_addr_i;
      far_data_q  <= cfg_data_i;
      far_write_q <= cfg_write_i;
      far_read_q  <= cfg_read_i;
      far_flush_q <= flush_i;
    end
  end

  for (genvar x = 0; x < Width; x++) begin : g_column
    for (genvar y = 0; y <= Height; y++) begin : g_row
      // verilator lint_off UNUSEDSIGNAL
      // (An IO tile has one side only.)
      // Arriving (in) and leaving (out) on each side, and the OR of read data from here downwards.
      onyx_pkg::side_t e_in, s_in, w_in, n_in, e_out, s_out, w_out, n_out;
      logic [4:0] e_in_ready, s_in_ready, w_in_ready, n_in_ready;
      logic [4:0] e_out_ready, s_out_ready, w_out_ready, n_out_ready;
      logic [31:0] addr, data, rdata, column_rdata;
      logic write, read, flush;
      onyx_pkg::control_t control;
      // verilator lint_on UNUSEDSIGNAL

      if (y <= onyx_fabric_pkg::NEAR_ROWS) begin : g_near
        assign addr  = cfg_addr_i[32*(x/BusColumns)+:32];
        assign data  = cfg_data_i[32*(x/BusColumns)+:32];
        assign write = cfg_write_i[x/BusColumns];
        assign read  = cfg_read_i[x/BusColumns];
        assign flush = flush_i[x/4];
      end else begin : g_far
        assign addr  = far_addr_q[32*(x/BusColumns)+:32];
        assign data  = far_data_q[32*(x/BusColumns)+:32];
        assign write = far_write_q[x/BusColumns];
        assign read  = far_read_q[x/BusColumns];
        assign flush = far_flush_q[x/4];
      end

      assign control = {stall_i[x], flush, 8'(x), 8'(y), write, read, addr, data};

      if (y == 0) begin : g_io
        onyx_tile_io u_tile (
            .clk_i,
            .rst_ni,
            .control_i     (control),
            .cfg_rdata_o   (rdata),
            .glb2io_data_i (glb2io_data_i[16*x+:16]),
            .glb2io_valid_i(glb2io_valid_i[x]),
            .glb2io_ready_o(glb2io_ready_o[x]),
            .io2glb_data_o (io2glb_data_o[16*x+:16]),
            .io2glb_valid_o(io2glb_valid_o[x]),
            .io2glb_ready_i(io2glb_ready_i[x]),
            .south_i       (s_in),
            .south_ready_o (s_in_ready),
            .south_o       (s_out),
            .south_ready_i (s_out_ready)
        );
      end else begin : g_core
        onyx_tile #(
            .Mem(x % MemPeriod == MemPhase)
        ) u_tile (
            .clk_i,
            .rst_ni,
            .control_i    (control),
            .cfg_rdata_o  (rdata),
            .east_i       (e_in),
            .south_i      (s_in),
            .west_i       (w_in),
            .north_i      (n_in),
            .east_ready_o (e_in_ready),
            .south_ready_o(s_in_ready),
            .west_ready_o (w_in_ready),
            .north_ready_o(n_in_ready),
            .east_o       (e_out),
            .south_o      (s_out),
            .west_o       (w_out),
            .north_o      (n_out),
            .east_ready_i (e_out_ready),
            .south_ready_i(s_out_ready),
            .west_ready_i (w_out_ready),
            .north_ready_i(n_out_ready)
        );
      end

      // Below: tile (x, y+1); its northern wires are this tile's southern ones.
      if (y < Height) begin : g_below
        assign s_in         = g_row[y+1].n_out;
        assign s_out_ready  = g_row[y+1].n_in_ready;
        assign column_rdata = rdata | g_row[y+1].column_rdata;
      end else begin : g_bottom
        assign s_in         = '0;
        assign s_out_ready  = '0;
        assign column_rdata = rdata;
      end
      if (y > 0) begin : g_above
        assign n_in        = g_row[y-1].s_out;
        assign n_out_ready = g_row[y-1].s_in_ready;
      end
      if (y > 0 && x + 1 < Width) begin : g_right
        assign e_in        = g_column[x+1].g_row[y].w_out;
        assign e_out_ready = g_column[x+1].g_row[y].w_in_ready;
      end else if (y > 0) begin : g_right_edge
        assign e_in        = '0;
        assign e_out_ready = '0;
      end
      if (y > 0 && x > 0) begin : g_left
        assign w_in        = g_column[x-1].g_row[y].e_out;
        assign w_out_ready = g_column[x-1].g_row[y].e_in_ready;
      end else if (y > 0) begin : g_left_edge
        assign w_in        = '0;
        assign w_out_ready = '0;
      end
    end
  end

  logic [31:0] rdata[Width];
  for (genvar x = 0; x < Width; x++) begin : g_rdata
    assign rdata[x] = g_column[x].g_row[0].column_rdata;
  end
  always_comb begin
    cfg_rdata_o = 32'd0;
    for (int unsigned x = 0; x < Width; x++) cfg_rdata_o = cfg_rdata_o | rdata[x];
  end
`include "onyx_assert.svh"
  `ONYX_ASSERT(OnlyReadsAnswer, (|cfg_read_i) || (|far_read_q) || cfg_rdata_o == 32'd0,
      "nothing answers on the configuration bus without a read")
endmodule
