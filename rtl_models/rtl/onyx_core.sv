// The core of a PE tile (Mem = 0) or of a MEM tile (Mem = 1): its primitives, onyx_pe_core or onyx_mem_core, behind the
// port FIFOs.
//
// mode_i is the tile's mode field and space_i its CONFIG_SPACE, the words end to end; onyx_fabric_pkg gives their
// meaning. Port p is stream p of in_i and out_o (onyx_pkg). Every port has its depth-2 FIFO, so ready (of an input)
// and valid (of an output) come from registers. The primitives work while tile_en_i and the mode's own enable are
// set; without, no port is ready or valid and nothing changes. sram_*: configuration access to the memory of a MEM
// tile, see onyx_mem_core.
//
// hazard_q: errors of the chip since the last flush, a bit a kind in the order of rtl_models/cycle/cycle.h
// (docs/errata.md), for a MEM tile from second-block on. No port carries hazard_q and nothing depends on the
// register: simulators read hazard_q, synthesis removes the register.
// lint: "-GMem=1'b0"
// lint: "-GMem=1'b1"
module onyx_core #(
    parameter bit Mem = 1'b0,
    parameter bit Monitors = 1'b1
) (
    input  logic clk_i, rst_ni, en_i, flush_i, tile_en_i,
    input  logic [2:0] mode_i,
    input  logic [127:0] space_i,
    input  onyx_pkg::inputs_t in_i, output logic [3:0] in_ready_o,
    output onyx_pkg::outputs_t out_o, input  logic [2:0] out_ready_i,
    // verilator lint_off UNUSEDSIGNAL
    // (A PE tile has no memory.)
    input  logic sram_we_i, sram_re_i,
    input  logic [8:0] sram_addr_i,
    input  logic [15:0] sram_wdata_i,
    // verilator lint_on UNUSEDSIGNAL
    output logic [15:0] sram_rdata_o
);
  logic enabled, used, en;
  assign used = tile_en_i & enabled;
  assign en   = en_i & used;

  onyx_pkg::inputs_t head;
  onyx_pkg::outputs_t tail;
  logic [3:0] head_ready;
  logic [2:0] tail_ready;
  logic [9:0] hazard;
  onyx_port_fifos u_ports (
      .clk_i, .rst_ni, .en_i(en), .flush_i, .used_i(used),
      .in_i, .in_ready_o, .head_o(head), .head_ready_i(head_ready),
      .tail_i(tail), .tail_ready_o(tail_ready), .out_o, .out_ready_i
  );

  if (Mem) begin : g_core
    // The parts of the fiber access have enables of their own.
    assign hazard[9] = 1'b0;
    assign enabled = (mode_i == 3'(onyx_fabric_pkg::MEM_MODE_FIBER_ACCESS_16)) ||
                     (mode_i == 3'(onyx_fabric_pkg::MEM_MODE_VEC_REDUCE) && space_i[onyx_fabric_pkg::VEC_REDUCE_TILE_EN_LO]);
    onyx_mem_core u_core (
        .clk_i, .rst_ni, .en_i, .flush_i, .used_i(used), .mode_i, .space_i,
        .head_i(head), .head_ready_o(head_ready), .tail_o(tail), .tail_ready_i(tail_ready), .hazard_o(hazard[8:0]),
        .sram_we_i, .sram_re_i, .sram_addr_i, .sram_wdata_i, .sram_rdata_o
    );
  end else begin : g_core
    // This enable serves every mode.
    assign enabled      = space_i[onyx_fabric_pkg::INTERSECT_UNIT_TILE_EN_LO];
    assign sram_rdata_o = 16'd0;
    onyx_pe_core u_core (
        .clk_i, .rst_ni, .en_i(en), .flush_i, .mode_i, .space_i,
        .head_i(head), .head_ready_o(head_ready), .tail_o(tail), .tail_ready_i(tail_ready), .hazard_o(hazard)
    );
  end

  generate
    if (Monitors) begin : g_monitors
      logic [9:0] hazard_q  /* verilator public_flat_rd */;
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) hazard_q <= 10'd0;
        else if (en) hazard_q <= flush_i ? 10'd0 : hazard_q | hazard;
      end
    end
  endgenerate
`include "onyx_assert.svh"
  `ONYX_ASSERT(UnusedTakesNothing, used || in_ready_o == 4'd0, "a tile that is not used takes nothing")
  `ONYX_ASSERT(UnusedGivesNothing, used || !(out_o[onyx_pkg::StreamBits-1] || out_o[2*onyx_pkg::StreamBits-1] || out_o[3*onyx_pkg::StreamBits-1]),
      "a tile that is not used gives nothing")
endmodule
