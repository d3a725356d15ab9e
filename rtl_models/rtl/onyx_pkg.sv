// Common types of ports, used as onyx_pkg::NAME. (Yosys reads no import, no array of structs and no member of a
// struct that is declared in a generate block: numbered streams are slices of a vector.)
package onyx_pkg;
  // A ready-valid stream, without its ready, which flows backwards: a token is present while valid, and moves at the
  // edge if ready. Bit 16 of data: a control token.
  typedef struct packed {
    logic valid;
    logic [16:0] data;
  } stream_t;

  // A stream of W bits is a vector of W + 1 bits in the same order, valid on top: what a module with a parameter for
  // the width has at its ports.

  // The commands of the write scanner and of the read scanner to the buffet.
  typedef struct packed {
    logic valid;
    logic write;  // 0: opens or closes a block
    logic id;
    logic [15:0] address;
    logic [15:0] data;
  } write_t;
  typedef struct packed {
    logic valid;
    logic [1:0] op;
    logic id;
    logic [15:0] address;
  } read_t;
  // verilator lint_off UNUSEDPARAM
  localparam logic [1:0] OpFree = 2'd0;  // frees the oldest block
  localparam logic [1:0] OpRead = 2'd1;
  localparam logic [1:0] OpSize = 2'd2;  // asks for its number of entries
  localparam int unsigned WriteBits = 35;
  localparam int unsigned ReadBits = 20;
  // verilator lint_on UNUSEDPARAM

  // Port p of a core is the stream at [StreamBits*p +: StreamBits].
  localparam int unsigned StreamBits = 18;
  localparam int unsigned Inputs = 4;
  localparam int unsigned Outputs = 3;
  typedef logic [StreamBits*Inputs-1:0] inputs_t;
  typedef logic [StreamBits*Outputs-1:0] outputs_t;

  // The five tracks between two neighbours, in one direction: track t at data[17*t +: 17] and valid[t].
  typedef struct packed {
    logic [4:0] valid;
    logic [84:0] data;
  } side_t;

  // The configuration bus at a tile. A word is for the tile if addr[15:0] is tile_id, which is {x, y}; feature in
  // addr[23:16], register in addr[31:24]. A write lands at the next edge.
  typedef struct packed {
    logic [15:0] tile_id;
    logic write;
    logic read;
    logic [31:0] addr;
    logic [31:0] data;
  } config_t;

  // The controller's signals to a tile: with stall only configuration moves, after flush all FIFOs are empty.
  typedef struct packed {
    logic stall;
    logic flush;
    config_t cfg;
  } control_t;
endpackage
