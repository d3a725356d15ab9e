// Configuration registers of a PE tile (Mem = 0) or a MEM tile (Mem = 1): all of the register map, written and read
// back under their masks.
//
// A write or read is for this tile when cfg_i.addr[15:0] == cfg_i.tile_id; feature [23:16], register [31:24].
// Writes land at the next edge, whatever the column's stall. rdata_o is 0 unless a register here is read; the SRAM of a
// MEM tile (features 1 and 2) is the tile's business.
// space_o is CONFIG_SPACE_0..3 end to end, which in a MEM tile the order of names as strings puts at registers 0, 1, 12
// and 23; tile_o is the last register of feature 0 (mode, tile_en, overrides), which a PE tile has at the place of
// CONFIG_SPACE_3. Box i, the connection box of input i, is at cb_o[6*i +: 6]. The rest of CONFIG_SPACE, Pond, the 1-bit
// network and CB flush are storage only, and the power domain is neither stored nor read (always on).
// comb from cfg_i to rdata_o.
// lint: "-GMem=1'b0"
// lint: "-GMem=1'b1"
module onyx_tile_cfg #(
    parameter bit Mem = 1'b0
) (
    input  logic clk_i, rst_ni,
    input  onyx_pkg::config_t cfg_i,
    output logic [31:0] rdata_o,
    output logic [127:0] space_o,
    output logic [31:0] tile_o,
    output logic [23:0] cb_o,
    output logic [191:0] sb17_o
);
  localparam int unsigned Words = Mem ? onyx_fabric_pkg::MEM_WORDS : onyx_fabric_pkg::PE_WORDS;
  localparam logic [118:0] First = Mem ? onyx_fabric_pkg::MEM_FIRST_WORD : onyx_fabric_pkg::PE_FIRST_WORD;
  localparam logic [395:0] Bits = Mem ? onyx_fabric_pkg::MEM_WORD_BITS : onyx_fabric_pkg::PE_WORD_BITS;
  localparam int unsigned BoxFeature = onyx_fabric_pkg::BOX_FEATURE;
  localparam int unsigned SwitchFeature = Mem ? onyx_fabric_pkg::MEM_SWITCH_FEATURE : onyx_fabric_pkg::PE_SWITCH_FEATURE;
  localparam int unsigned FirstBox = 32'(First[7*BoxFeature+:7]);
  localparam int unsigned FirstSwitch = 32'(First[7*SwitchFeature+:7]);
  localparam int unsigned PlaceBits = $clog2(Words + 1);

  logic [31:0] word_q[Words];
  logic [7:0] feature, register;
  logic [6:0] first, count;  // the feature's place in word_q, and how many registers it has
  logic [PlaceBits-1:0] place;
  logic [31:0] mask;
  logic here, box;

  assign feature  = cfg_i.addr[23:16];
  assign register = cfg_i.addr[31:24];
  assign here     = (cfg_i.write || cfg_i.read) && cfg_i.addr[15:0] == cfg_i.tile_id && feature < 8'd16;
  assign box      = feature >= 8'(BoxFeature) && feature < 8'(SwitchFeature - 1);  // that of the 1-bit network is between

  // The place of the addressed register in word_q; Words if absent. A box has a single register, whatever its number.
  // (Plain logic, not functions: functions would keep the simulator from sharing a tile's code among all.)
  always_comb begin
    first = 7'd0;
    count = 7'd0;
    place = PlaceBits'(Words);
    mask  = 32'd0;
    if (here) begin
      first = First[7*feature[3:0]+:7];
      count = First[7*(5'(feature[3:0])+5'd1)+:7] - first;
      if (box) place = PlaceBits'(first);
      else if (register < 8'(count)) place = PlaceBits'(8'(first) + register);
      if (place < PlaceBits'(Words)) mask = 32'hFFFF_FFFF >> (6'd32 - Bits[6*place+:6]);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      // Two loops: the simulator unrolls no more than 64 turns.
      for (int unsigned i = 0; i < FirstBox; i++) word_q[i] <= 32'd0;
      for (int unsigned i = FirstBox; i < Words; i++) word_q[i] <= 32'd0;
    end else if (cfg_i.write && place < PlaceBits'(Words)) begin
      word_q[place] <= cfg_i.data & mask;
    end
  end

  always_comb begin
    rdata_o = 32'd0;
    if (cfg_i.read && place < PlaceBits'(Words)) rdata_o = word_q[place];
  end

  if (Mem) begin : g_fields
    assign space_o = {
      word_q[onyx_fabric_pkg::MEM_SPACE_3_REG],
      word_q[onyx_fabric_pkg::MEM_SPACE_2_REG],
      word_q[onyx_fabric_pkg::MEM_SPACE_1_REG],
      word_q[onyx_fabric_pkg::MEM_SPACE_0_REG]
    };
    assign tile_o = word_q[onyx_fabric_pkg::MEM_TILE_EN_REG];
  end else begin : g_fields
    assign space_o = {
      32'd0,
      word_q[onyx_fabric_pkg::PE_SPACE_2_REG],
      word_q[onyx_fabric_pkg::PE_SPACE_1_REG],
      word_q[onyx_fabric_pkg::PE_SPACE_0_REG]
    };
    assign tile_o = word_q[onyx_fabric_pkg::PE_TILE_EN_REG];
  end
  for (genvar i = 0; i < 4; i++) begin : g_cb
    assign cb_o[6*i+:6] = word_q[FirstBox+i][5:0];
  end
  for (genvar i = 0; i < 6; i++) begin : g_sb17
    assign sb17_o[32*i+:32] = word_q[FirstSwitch+i];
  end
`include "onyx_assert.svh"
  `ONYX_ASSERT(OnlyReadsAnswer, cfg_i.read || rdata_o == 32'd0,
      "nothing answers on the configuration bus without a read")
endmodule
