// Inputs and outputs of a verilated tile core (onyx_sim_core of each kind), a vector each direction.
package onyx_sim_pkg;
  typedef struct packed {
    logic [31:0] cfg_addr;
    logic [31:0] cfg_data;
    logic [15:0] tile_id;
    logic cfg_write;
    logic cfg_read;
    logic stall;
    logic flush;
    logic [2:0] out_ready;
    logic [3:0] in_valid;
    logic [3:0][16:0] in_data;
  } core_in_t;

  // cb: words of the four connection boxes; sb: of the switch box; hazard: of the monitors, as in onyx_core.
  // All 0 in an IO tile.
  typedef struct packed {
    logic [31:0] cfg_rdata;
    logic [191:0] sb;
    logic [3:0][5:0] cb;
    logic [9:0] hazard;
    logic [3:0] in_ready;
    logic [2:0] out_valid;
    logic [2:0][16:0] out_data;
  } core_out_t;

  localparam int unsigned InWidth = $bits(core_in_t);
  localparam int unsigned OutWidth = $bits(core_out_t);
endpackage
