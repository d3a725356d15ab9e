// Configuration registers of a PE tile (Mem = 0) or a MEM tile (Mem = 1): all of the register map, written and read back
// under their masks.
//
// A write or read is for this tile when cfg_i.addr[15:0] == cfg_i.tile_id; feature [23:16], register [31:24].
// Writes land at the next edge, whatever the column's stall. rdata_o is 0 unless a register here is read; the SRAM of a
// MEM tile (features 1 and 2) is the tile's business.
// space0..3_o are CONFIG_SPACE_0..3, which in a MEM tile the order of names as strings puts at registers 0, 1, 12 and 23;
// tile_o is the last register of feature 0 (mode, tile_en, overrides), which a PE tile has at the place of CONFIG_SPACE_3.
// Box i, the connection box of input i, is at cb_o[6*i +: 6]. The rest of CONFIG_SPACE, Pond, the 1-bit network and CB
// flush are storage only, and the power domain is neither stored nor read (always on).
// comb from cfg_i to rdata_o.
// lint: "-GMem=1'b0"
// lint: "-GMem=1'b1"
module onyx_tile_cfg #(
    parameter bit Mem = 1'b0
) (
    input  logic                      clk_i,
    input  logic                      rst_ni,
    input  onyx_pkg::config_t         cfg_i,
    output logic               [31:0] rdata_o,
    output logic               [31:0] space0_o,
    output logic               [31:0] space1_o,
    output logic               [31:0] space2_o,
    output logic               [31:0] space3_o,
    output logic               [31:0] tile_o,
    output logic               [23:0] cb_o,
    output logic              [191:0] sb17_o
);
  // Places in word_q: feature 0, feature 1 (Pond), a feature for each box, and two of six words for the switch boxes.
  localparam int unsigned CoreWords = Mem ? 47 : 4;
  localparam int unsigned PondWords = Mem ? 0 : 18;
  localparam int unsigned Boxes = Mem ? 7 : 10;
  localparam int unsigned SwitchWords = 6;
  localparam int unsigned FirstBox = CoreWords + PondWords;
  localparam int unsigned FirstSwitch = FirstBox + Boxes;
  localparam int unsigned Words = FirstSwitch + 2 * SwitchWords;
  localparam int unsigned PlaceBits = $clog2(Words + 1);
  localparam int unsigned BoxFeature = onyx_fabric_pkg::BOX_FEATURE;
  localparam int unsigned SwitchFeature = BoxFeature + Boxes;  // 1-bit network; the next one is that of 17 bits

  logic [31:0] word_q[Words];
  logic [ 7:0] feature, register;
  logic [PlaceBits-1:0] place;
  logic [31:0] mask;

  assign feature  = cfg_i.addr[23:16];
  assign register = cfg_i.addr[31:24];

  // The place of the addressed register in word_q; Words if it is not here. (Plain logic, not functions: those
  // would keep the simulator from sharing one tile's code among all.)
  always_comb begin
    place = PlaceBits'(Words);
    if ((cfg_i.write || cfg_i.read) && cfg_i.addr[15:0] == cfg_i.tile_id) begin
      if (feature == 8'd0 && register < 8'(CoreWords)) place = PlaceBits'(register);
      if (!Mem && feature == 8'd1 && register < 8'(PondWords)) place = PlaceBits'(CoreWords) + PlaceBits'(register);
      if (feature >= 8'(BoxFeature) && feature < 8'(SwitchFeature)) place = PlaceBits'(FirstBox - BoxFeature) + PlaceBits'(feature);
      if (feature == 8'(SwitchFeature) && register < 8'(SwitchWords)) place = PlaceBits'(FirstSwitch) + PlaceBits'(register);
      if (feature == 8'(SwitchFeature + 1) && register < 8'(SwitchWords)) begin
        place = PlaceBits'(FirstSwitch + SwitchWords) + PlaceBits'(register);
      end
    end
  end

  always_comb begin
    mask = 32'hFFFF_FFFF;
    if (Mem && place == PlaceBits'(40)) mask = 32'h0007_FFFF;
    if (Mem && place == PlaceBits'(46)) mask = 32'h01FF_FFFF;
    if (!Mem && place == PlaceBits'(3)) mask = 32'h000F_FFFF;
    if (!Mem && place == PlaceBits'(12)) mask = 32'h3FFF_FFFF;
    if (!Mem && place == PlaceBits'(21)) mask = 32'h0000_0001;
    if (place >= PlaceBits'(FirstBox) && place < PlaceBits'(FirstSwitch)) mask = 32'h0000_003F;
    case (place)
      PlaceBits'(FirstSwitch + 3), PlaceBits'(FirstSwitch + SwitchWords + 3): mask = 32'h7FFF_FFFF;
      PlaceBits'(FirstSwitch + 4), PlaceBits'(FirstSwitch + SwitchWords + 4): mask = 32'h3FFF_FFFF;
      PlaceBits'(FirstSwitch + 5), PlaceBits'(FirstSwitch + SwitchWords + 5): mask = 32'h007F_FFFF;
      default: ;
    endcase
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

  assign space0_o = word_q[0];
  assign space1_o = word_q[1];
  assign space2_o = word_q[Mem ? 12 : 2];
  assign space3_o = Mem ? word_q[Mem ? 23 : 0] : 32'd0;
  assign tile_o   = word_q[CoreWords-1];
  for (genvar i = 0; i < 4; i++) begin : g_cb
    assign cb_o[6*i+:6] = word_q[FirstBox+i][5:0];
  end
  for (genvar i = 0; i < SwitchWords; i++) begin : g_sb17
    assign sb17_o[32*i+:32] = word_q[FirstSwitch+SwitchWords+i];
  end
endmodule
