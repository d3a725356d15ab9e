// onyx_write_scanner, in every mode: blocks leave, each an open command, writes, a close command; blocks of ID 0
// follow each other, a block of ID 1 lies inside a block of ID 0 of an upper level. The writes of an ID have the
// addresses 0, 1, 2.., looked at modulo 4 (with `addr`: the addresses received). Words, values and pairs are taken
// when their write leaves; an upper level's coordinate leaves once, ahead of its take, or its fiber had an earlier
// coordinate; a segment is the number of coordinates given (modulo 4).
//
// cells: onyx_write_scanner
// with: first_reset steady port
// set: Modes=1
// set: Modes=2
// broken: onyx_write_scanner s/data_ready_o = run_i \&\& (data_i.data\[16\]/data_ready_o = run_i \&\& (1'b1 || data_i.data[16]/
// broken: onyx_write_scanner s/if (go) state_d = !lowest_level_i ?/if (run_i) state_d = !lowest_level_i ?/
// broken: onyx_write_scanner s/pause_d = (index_q\[1:0\] == 2'd3);/index_d = index_q;/
`include "proof.svh"
module p_write_scanner #(
    parameter bit [1:0] Modes = 2'b11  // bit 1: with the block mode, bit 0: without; one of them in a proof
) (
`include "control_ports.svh"
    input logic        run,
    input logic        block_mode,
    input logic        lowest_level,
    input logic        compressed,
    input logic        spacc,
    input logic        init_blank,
    input logic [ 7:0] stop_lvl,
    input onyx_pkg::stream_t addr_i,
    input onyx_pkg::stream_t block_i,
    input onyx_pkg::stream_t data_i,
    input logic        cmd_ready_i,
    output logic [39:0] seen_o  // all that the FIFOs and the monitor's register can tell
);
  logic live, rst_n;
  first_reset u_reset (.clk_i, .rst_ni, .live_o(live), .rst_no(rst_n));

  // The configuration stands.
  steady #(.Width(14)) u_steady (
      .clk_i, .live_i(live),
      .value_i({run, block_mode, lowest_level, compressed, spacc, init_blank, stop_lvl})
  );
  always_comb assume (Modes[block_mode]);

  logic addr_ready, block_ready, data_ready, hazard_equal, hazard_empty, stir;
  onyx_pkg::write_t cmd;
  onyx_write_scanner u_cell (
      .rst_ni(rst_n), .run_i(run), .block_mode_i(block_mode), .lowest_level_i(lowest_level),
      .compressed_i(compressed),
      .spacc_i(spacc), .init_blank_i(init_blank), .stop_lvl_i(stop_lvl), .addr_ready_o(addr_ready),
      .block_ready_o(block_ready), .data_ready_o(data_ready), .cmd_o(cmd),
      .stir_o(stir), .hazard_equal_o(hazard_equal), .hazard_empty_o(hazard_empty), .clk_i, .en_i, .flush_i,
      .addr_i, .block_i, .data_i, .cmd_ready_i
  );

  port #(.Queue(1'b1), .Used(Modes[0])) u_addr (
      .live_i(rst_n), .stream_i(addr_i), .ready_i(addr_ready), .clk_i, .en_i, .flush_i
  );
  port #(.Queue(1'b1), .Used(Modes[1])) u_block (
      .live_i(rst_n), .stream_i(block_i), .ready_i(block_ready), .clk_i, .en_i, .flush_i
  );
  port #(.Queue(1'b1), .Used(Modes[0])) u_data (
      .live_i(rst_n), .stream_i(data_i), .ready_i(data_ready), .clk_i, .en_i, .flush_i
  );
  // In block mode the proof covers the presence of an offer, not its value: the value depends on every bit of two
  // counters.
  port #(.Gives(1'b1), .Width(34)) u_cmd (
      .live_i(rst_n), .stream_i(Modes[1] ? {cmd.valid, 34'd0} : cmd), .ready_i(cmd_ready_i), .clk_i,
      .en_i, .flush_i
  );

  // What moves at this edge.
  logic moves, addr_takes, block_takes, data_takes, gives, writes, frames;
  assign moves       = rst_n & en_i & ~flush_i;
  assign addr_takes  = moves & addr_i.valid & addr_ready;
  assign block_takes = moves & block_i.valid & block_ready;
  assign data_takes  = moves & data_i.valid & data_ready;
  assign gives       = moves & cmd.valid & cmd_ready_i;
  assign writes      = gives & cmd.write;
  assign frames      = gives & ~cmd.write;

  logic upper, pairs, values, id, item, data_done, addr_done;
  assign upper  = ~lowest_level & ~block_mode;
  assign values = lowest_level & ~block_mode & compressed;
  assign pairs  = lowest_level & ~block_mode & ~compressed;
  assign id     = cmd.id;
  assign item   = ~data_i.data[16];
  assign data_done = data_i.data[16] & (data_i.data[9:8] == 2'd1);
  assign addr_done = addr_i.data[16] & (addr_i.data[9:8] == 2'd1);

  // The commands up to now: the open blocks, and the number of writes.
  logic open0_q, open1_q, given_q, has_last_q;
  logic [1:0] count0_q, count1_q;
  logic [2:0] idle_q;
  initial begin
    open0_q  = 1'b0;
    open1_q  = 1'b0;
    given_q  = 1'b0;
    has_last_q = 1'b0;
    idle_q   = 3'd0;
  end
  always_ff @(posedge clk_i) begin
    if (!rst_n || (en_i && flush_i)) begin
      open0_q  <= 1'b0;
      open1_q  <= 1'b0;
      given_q  <= 1'b0;
      has_last_q <= 1'b0;
      idle_q   <= 3'd0;
    end else if (moves) begin
      if (frames && !id) open0_q <= ~open0_q;
      if (frames && id) open1_q <= ~open1_q;
      count0_q <= (frames && !id) ? 2'd0 : (writes && !id) ? count0_q + 2'd1 : count0_q;
      count1_q <= (frames && id) ? 2'd0 : (writes && id) ? count1_q + 2'd1 : count1_q;
      if (data_takes) given_q <= 1'b0;
      else if (writes && id) given_q <= 1'b1;
      if (frames) has_last_q <= 1'b0;
      else if (writes) has_last_q <= id;
      idle_q <= (gives || addr_takes || block_takes || data_takes || !needs) ? 3'd0 : idle_q + 3'd1;
    end
  end
  // With all inputs of the mode, something moves within 3 enabled cycles.
  logic needs;
  assign needs = run & cmd_ready_i & (block_mode ? block_i.valid : data_i.valid & (addr_i.valid | ~pairs));

  always_comb begin
    if (rst_n) begin
      `PROVE(stands_still, run || !(addr_ready || block_ready || data_ready || cmd.valid))
      `PROVE(own_input, (pairs || !addr_ready) && (block_mode || !block_ready) && (!block_mode || !data_ready))
      `PROVE(upper_takes_what_is_there, !upper || !data_ready || data_i.valid)
      `PROVE(progress, idle_q <= 3'd3)
    end
    if (moves) begin
      if (writes) begin
        `PROVE(write_inside, id ? open1_q : open0_q)
        `PROVE(in_place, pairs || cmd.address[1:0] == (id ? count1_q : count0_q))
      end
      if (frames) begin
        `PROVE(nested, id ? open0_q && !lowest_level : !open1_q || cmd[33:0] == 34'd0)
      end
      if (values || pairs) begin
        `PROVE(item_is_written, !(data_takes && item) || writes || (pairs && addr_i.valid && addr_done))
        `PROVE(write_is_taken, !writes || data_takes)
        `PROVE(value, !writes || (item && cmd.data == data_i.data[15:0]))
      end
      if (pairs) begin
        `PROVE(both, !writes || (addr_takes && !addr_i.data[16] && cmd.address == addr_i.data[15:0]))
        `PROVE(address_is_used, !(addr_takes && !addr_i.data[16]) || writes || (data_i.valid && data_done))
        `PROVE(done_together, (data_takes && data_done) == (addr_takes && addr_done) && (!(data_takes && data_done) || frames))
      end
      if (block_mode) begin
        `PROVE(word, !writes || (block_takes && cmd.data == block_i.data[15:0]))
      end
      if (upper) begin
        `PROVE(coordinate_once, !(writes && id) || (item && !given_q && cmd.data == data_i.data[15:0]))
        `PROVE(none_lost, !(data_takes && item) || given_q || has_last_q)
        `PROVE(segment, !(writes && !id) || cmd.data[1:0] == count1_q)
      end
    end
    if (rst_n) begin
      `REACH(both_open, open0_q && open1_q && (upper || Modes[1]) && count0_q == 2'd2)
      `REACH(block_closed, frames && open0_q && count0_q == 2'd2)
      `REACH(line_written, (values || Modes[1]) && writes && cmd.address == 16'd5)
      `REACH(waits_three, idle_q == 3'd3)
    end
  end
  if (Modes[0]) begin : g_streams
    always_comb begin
      if (rst_n) begin
        `REACH(pair_written, pairs && writes && cmd.address == 16'd7)
        `REACH(doubled, upper && data_takes && item && !given_q)
        `REACH(blank, init_blank && spacc && upper && count0_q == 2'd2 && count1_q == 2'd0 && !data_i.valid)
      end
    end
  end
  assign seen_o = {
    addr_takes,
    block_takes,
    data_takes,
    gives,
    cmd[33:0] & {34{gives}},
    hazard_equal & moves,
    hazard_empty & moves
  };
endmodule
