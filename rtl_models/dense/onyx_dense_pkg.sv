// The settings of dense units, as CONFIG_SPACE has them: the first member stands in the highest bits. In a vector of
// loops the innermost stands in the highest bits, too. Use: onyx_dense_pkg::NAME, without import.
package onyx_dense_pkg;
  // verilator lint_off UNUSEDPARAM
  localparam int unsigned PADDING_BITS = 8;

  // ---- unified buffer: bits 1275 to 0 of a MEM tile -----------------------------------------------
  typedef struct packed {logic [2:0] start; logic [8:0] stride;} write_addr_t;
  typedef struct packed {logic enable; logic [15:0] start; logic [47:0] stride;} write_sched_t;
  typedef struct packed {logic [ 2:0] dim; logic [32:0] range;} write_loops_t;
  typedef struct packed {logic [ 8:0] start; logic [53:0] stride;} line_addr_t;
  typedef struct packed {logic [ 3:0] start; logic [23:0] stride;} row_addr_t;
  typedef struct packed {logic [ 3:0] dim; logic [65:0] range;} loops_t;
  typedef struct packed {logic enable; logic [ 9:0] delay; logic [15:0] start; logic [95:0] stride;} sched_t;
  typedef struct packed {
    write_addr_t  write_addr0, write_addr1;
    write_sched_t write_sched0, write_sched1;
    write_loops_t write_loops0, write_loops1;
    logic [7:0]   padding0, padding1;
    logic [8:0]   first0, first1;  // line
    logic [1:0]   mode0, mode1;  // bit 1: the port updates what the port of bit 0 reads
    logic         chain;
    line_addr_t   read_addr0, read_addr1;
    loops_t       read_loops0, read_loops1;
    sched_t       read_sched0, read_sched1;
    loops_t       out_loops0, out_loops1;
    logic         shared;
    row_addr_t    out_addr0, out_addr1;
    sched_t       out_sched0, out_sched1;
    row_addr_t    row_addr0, row_addr1;
  } buffer_t;

  // The settings of a write path of the buffer, and of a read path.
  typedef struct packed {
    write_addr_t  addr;
    write_sched_t sched;
    write_loops_t loops;
    logic [7:0]   padding;
    logic [8:0]   first;
    logic         updates;
  } write_t;
  typedef struct packed {
    line_addr_t line;
    row_addr_t  row, word;
    loops_t     loops, out_loops;
    sched_t     sched, out_sched;
  } read_t;
  // Inputs of an updating port from the port it follows.
  typedef struct packed {logic take; logic [2:0] addr; logic write; logic [8:0] line;} update_t;

  // ---- generator of valid bits: bits 1458 to 1276 ------------------------------------------------
  typedef struct packed {
    loops_t      loops;
    logic        enable;
    logic [15:0] start;
    logic [95:0] stride;
  } valid_t;

  // ---- a port of a Pond: writes in bits 541 to 271, reads in bits 270 to 0 ---------------------------
  typedef struct packed {
    logic [4:0]  addr_start, addr_start2;
    logic [9:0]  addr_stride2;
    logic [19:0] addr_stride;
    logic [2:0]  dim;
    logic [1:0]  dim2;
    logic [31:0] range2;
    logic [63:0] range;
    logic        enable, enable2;
    logic [15:0] start, start2;
    logic [31:0] stride2;
    logic [63:0] stride;
  } pond_port_t;

  // ---- instruction of a PE: bits 84 to 1 of its CONFIG_SPACE ---------------------------------------
  typedef struct packed {logic constant; logic [1:0] mode;} bit_operand_t;
  typedef struct packed {logic [15:0] constant; logic [1:0] mode;} word_operand_t;
  typedef struct packed {
    bit_operand_t  f, e, d;
    word_operand_t c, b, a;
    logic [4:0]    condition;
    logic [7:0]    lut;
    logic          is_signed;
    logic [4:0]    opcode;
    logic [1:0]    kind;
  } instruction_t;
  // verilator lint_on UNUSEDPARAM
endpackage
