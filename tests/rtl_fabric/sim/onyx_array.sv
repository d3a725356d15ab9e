// The array of rtl_models/rtl/onyx_array.sv, to be simulated fast for the tests here: the same ports, and the same at
// every pin in every cycle. Replaces the original file in a list of files. The difference is the computation of a
// cycle:
//
// - Registers and core of each tile are an instance of the verilated leaf module onyx_unit_* (a library, onyx_sim_*).
//   A tile's clock runs from its first configuration word on: earlier, all its registers are 0 and stay.
// - Switch boxes and connection boxes are one process. Configured, an output of a switch box has a single source:
//   after a change of the configuration the outputs are listed, sources before sinks. In a cycle ready goes
//   backwards through the list, valid and data go forwards, and the clocked tiles take their edge. The
//   rules are those of onyx_switch_box, onyx_sb_out, onyx_split_fifo, onyx_cb and of the tiles.
//
// Only enabled outputs and outputs with a register are in the list: O(list + clocked tiles) a cycle. While all columns
// stall nothing can move, and only the configuration is seen to. Wires in a ring have no source: an error as soon as
// a column runs.
//
// hazard[Width * y + x]: the raised monitors of a tile since its first flush after reset, see onyx_core.
// The simulator is Verilator alone (its libraries). Checked against onyx_array of rtl/ in tests/rtl_fabric.
module onyx_array
  import onyx_sim_pkg::*;
`include "onyx_array_head.svh"
  if (Buses != 1) begin : g_bad_buses
    $error("onyx_array: this form has one configuration bus");
  end
  if (Width < 2 || Width > 256 || Height < 1 || Height > 255) begin : g_bad
    $error("onyx_array: Width must be 2..256 and Height 1..255");
  end

  // The verilated libraries, as Verilator names their functions: a new instance; its inputs, or its clock and reset,
  // change, and these are its outputs.
  import "DPI-C" function chandle onyx_sim_pe_protectlib_create(string name);
  import "DPI-C" function chandle onyx_sim_mem_protectlib_create(string name);
  import "DPI-C" function chandle onyx_sim_io_protectlib_create(string name);
  import "DPI-C" function longint onyx_sim_pe_protectlib_combo_update(
    chandle core, input logic [InWidth-1:0] in, output logic [OutWidth-1:0] out);
  import "DPI-C" function longint onyx_sim_mem_protectlib_combo_update(
    chandle core, input logic [InWidth-1:0] in, output logic [OutWidth-1:0] out);
  import "DPI-C" function longint onyx_sim_io_protectlib_combo_update(
    chandle core, input logic [InWidth-1:0] in, output logic [OutWidth-1:0] out);
  import "DPI-C" function longint onyx_sim_pe_protectlib_seq_update(
    chandle core, input logic clk, input logic rst_n, output logic [OutWidth-1:0] out);
  import "DPI-C" function longint onyx_sim_mem_protectlib_seq_update(
    chandle core, input logic clk, input logic rst_n, output logic [OutWidth-1:0] out);
  import "DPI-C" function longint onyx_sim_io_protectlib_seq_update(
    chandle core, input logic clk, input logic rst_n, output logic [OutWidth-1:0] out);
  import "DPI-C" function void onyx_sim_pe_protectlib_final(chandle core);
  import "DPI-C" function void onyx_sim_mem_protectlib_final(chandle core);
  import "DPI-C" function void onyx_sim_io_protectlib_final(chandle core);

  localparam int NearRows = int'(onyx_fabric_pkg::NEAR_ROWS);  // the bus and flush reach the rows below one cycle later
  localparam int Sites = Width * (Height + 1);  // site of column x, row y: Width * y + x

  localparam int East = 0;
  localparam int South = 1;
  localparam int West = 2;
  localparam int North = 3;

  // Nodes: sources of data and destinations of ready.
  localparam int Tracks = int'(onyx_fabric_pkg::TRACKS);
  localparam int SiteOuts = int'(onyx_fabric_pkg::OUTPUTS);  // output of side b, track u: Tracks * b + u
  localparam int Outs = SiteOuts * Sites;  // node of switch-box output o of site s: SiteOuts * s + o
  localparam int Nodes = Outs + 3 * Sites + 1;  // node of core output p of site s: Outs + 3 * s + p
  localparam int Nothing = Nodes - 1;  // carries no token; what it is asked for is of no consequence

  // -- cores --
  chandle core[Sites];
  core_in_t core_in[Sites];
  core_out_t core_out[Sites];
  logic clocked[Sites];
  int clocked_list[Sites];
  int clocked_count;
  logic flushed[Sites];
  logic [9:0] hazard[Sites] /* verilator public_flat_rd */;

  function automatic int row(input int site);
    return site / int'(Width);
  endfunction
  function automatic int column(input int site);
    return site % int'(Width);
  endfunction
  function automatic logic is_mem(input int site);
    return column(site) % int'(MemPeriod) == int'(MemPhase);
  endfunction

  function automatic core_out_t with_inputs(input int site, input core_in_t in);
    logic [OutWidth-1:0] out;
    if (row(site) == 0) void'(onyx_sim_io_protectlib_combo_update(core[site], in, out));
    else if (is_mem(site)) void'(onyx_sim_mem_protectlib_combo_update(core[site], in, out));
    else void'(onyx_sim_pe_protectlib_combo_update(core[site], in, out));
    return out;
  endfunction
  function automatic core_out_t with_clock(input int site, input logic clk, input logic rst_n);
    logic [OutWidth-1:0] out;
    if (row(site) == 0) void'(onyx_sim_io_protectlib_seq_update(core[site], clk, rst_n, out));
    else if (is_mem(site)) void'(onyx_sim_mem_protectlib_seq_update(core[site], clk, rst_n, out));
    else void'(onyx_sim_pe_protectlib_seq_update(core[site], clk, rst_n, out));
    return out;
  endfunction

  initial begin
    for (int s = 0; s < Sites; s++) begin
      if (row(s) == 0) core[s] = onyx_sim_io_protectlib_create($sformatf("%m.x%0dy%0d", column(s), row(s)));
      else if (is_mem(s)) core[s] = onyx_sim_mem_protectlib_create($sformatf("%m.x%0dy%0d", column(s), row(s)));
      else core[s] = onyx_sim_pe_protectlib_create($sformatf("%m.x%0dy%0d", column(s), row(s)));
    end
  end
  final begin
    for (int s = 0; s < Sites; s++) begin
      if (row(s) == 0) onyx_sim_io_protectlib_final(core[s]);
      else if (is_mem(s)) onyx_sim_mem_protectlib_final(core[s]);
      else onyx_sim_pe_protectlib_final(core[s]);
    end
  end

  task automatic reset_cores();
    clocked_count = 0;
    for (int s = 0; s < Sites; s++) begin
      clocked[s] = 1'b0;
      core_in[s] = '0;
      core_in[s].tile_id = {8'(column(s)), 8'(row(s))};
      void'(with_inputs(s, core_in[s]));
      void'(with_clock(s, 1'b0, 1'b1));
      void'(with_clock(s, 1'b0, 1'b0));
      core_out[s] = with_clock(s, 1'b0, 1'b1);
      flushed[s] = 1'b0;
      hazard[s] = '0;
    end
  endtask

  // -- configured interconnect --
  logic listed_q;  // the lists are those of the configuration
  int out_list[Outs];  // a source before what it feeds
  int out_count;
  int port_list[4*Sites];  // core inputs that listen: port p of site s is 4 * s + p
  int port_count;
  logic [$clog2(Width)-1:0] out_column[Outs];
  int source[Outs];
  int port_source[4*Sites];
  logic blocked[Outs];  // some branch ends where nothing is ever taken
  logic enabled[Outs], registered[Outs], is_fifo[Outs], starts[Outs], ends[Outs];  // its fields
  logic known[Nodes];  // in the list, or nothing to list
  // SplitFIFOs
  logic full[Outs];
  logic [16:0] value[Outs];
  // of the cycle
  logic ready[Nodes], valid[Nodes];
  logic [16:0] data[Nodes];

  // The site on side a of a site; -1 beyond the edge of the array.
  function automatic int neighbour(input int site, input int a);
    int x, y;
    x = column(site) + ((a == East) ? 1 : (a == West) ? -1 : 0);
    y = row(site) + ((a == South) ? 1 : (a == North) ? -1 : 0);
    return (x < 0 || x >= int'(Width) || y < 0 || y > int'(Height)) ? -1 : int'(Width) * y + x;
  endfunction
  // The node behind the wire arriving on track t of side a. An IO tile sends its words down all five.
  function automatic int arriving(input int site, input int a, input int t);
    int from;
    from = neighbour(site, a);
    if (from < 0) return Nothing;
    if (row(from) == 0) return Outs + 3 * from;
    return SiteOuts * from + Tracks * ((a + 2) % 4) + t;
  endfunction
  // The source of the wire with this number, Tracks * a + t.
  function automatic int arriving_wire(input int site, input logic [4:0] number);
    return arriving(site, int'(number) / Tracks, int'(number) % Tracks);
  endfunction

  // Takes the fields of an output out of the words, and notes where its data come from and go to.
  task automatic read_output(input int site, input int b, input int u);
    int node, o, select, to;
    logic [191:0] words;
    o = Tracks * b + u;
    node = SiteOuts * site + o;
    words = core_out[site].sb;
    enabled[node] = words[onyx_fabric_pkg::SWITCH_ENABLE[8*o+:8]];
    registered[node] = words[onyx_fabric_pkg::SWITCH_RMUX[8*o+:8]];
    is_fifo[node] = words[onyx_fabric_pkg::SWITCH_FIFO[8*o+:8]];
    starts[node] = words[onyx_fabric_pkg::SWITCH_START[8*o+:8]];
    ends[node] = words[onyx_fabric_pkg::SWITCH_END[8*o+:8]];
    select = int'(words[onyx_fabric_pkg::SWITCH_SELECT[8*o+:8]+:3]);
    out_column[node] = $clog2(Width)'(column(site));
    source[node] = Nothing;
    if (enabled[node] && select < 3)
      source[node] = arriving_wire(site, onyx_fabric_pkg::SWITCH_INPUT[5*(3*o+select)+:5]);
    else if (enabled[node] && select < 6) source[node] = Outs + 3 * site + select - 3;
    // Words leaving the array are not taken, nor words for an IO tile on a track other than 0 or for a disabled IO
    // tile.
    to = neighbour(site, b);
    blocked[node] = to < 0 || (row(to) == 0 && (u != 0 || !clocked[to]));
  endtask

  task automatic listen(input int port, input int from);
    port_source[port] = from;
    port_list[port_count] = port;
    port_count = port_count + 1;
  endtask

  task automatic read_configuration();
    int site, last;
    port_count = 0;
    for (int n = 0; n < Outs; n++) begin
      enabled[n] = 1'b0;
      registered[n] = 1'b0;
    end
    for (int n = 0; n < Nodes; n++) begin
      valid[n] = 1'b0;
      data[n] = '0;
    end
    for (int i = 0; i < clocked_count; i++) begin
      site = clocked_list[i];
      for (int p = 0; p < 4; p++) begin
        core_in[site].in_valid[p] = 1'b0;
        core_in[site].in_data[p] = '0;
      end
      if (row(site) == 0) begin
        if (neighbour(site, South) >= 0) listen(4 * site, arriving(site, South, 0));
      end else begin
        for (int b = 0; b < 4; b++) for (int u = 0; u < Tracks; u++) read_output(site, b, u);
        for (int p = 0; p < 4; p++) begin
          logic [5:0] word;
          word = core_out[site].cb[p];
          if (word[0] && word[5:1] < 5'(SiteOuts))
            listen(4 * site + p, arriving_wire(site, onyx_fabric_pkg::BOX_INPUT[5*int'(word[5:1])+:5]));
        end
      end
    end
    // Round after round, outputs whose source is known; as many rounds as the longest route has hops. Outputs that are
    // not in use carry nothing from the start.
    for (int n = 0; n < Nodes; n++) known[n] = n >= Outs || !(enabled[n] || registered[n]);
    out_count = 0;
    last = -1;
    while (out_count != last) begin
      last = out_count;
      for (int i = 0; i < clocked_count; i++) begin
        for (int o = 0; o < SiteOuts; o++) begin
          int n;
          n = SiteOuts * clocked_list[i] + o;
          if (!known[n] && known[source[n]]) begin
            known[n] = 1'b1;
            out_list[out_count] = n;
            out_count = out_count + 1;
          end
        end
      end
    end
    for (int n = 0; n < Outs; n++)
      if (!known[n])
        $error("the routes close a ring through tile x%0dy%0d", column(n / SiteOuts), row(n / SiteOuts));
  endtask

  // Backwards: a source is ready when no selecting sink waits.
  task automatic settle_ready();
    for (int i = 0; i < clocked_count; i++)
      for (int p = 0; p < 3; p++) ready[Outs+3*clocked_list[i]+p] = 1'b1;
    for (int i = 0; i < out_count; i++) ready[out_list[i]] = ~blocked[out_list[i]];
    for (int i = 0; i < port_count; i++)
      if (!core_out[port_list[i]/4].in_ready[port_list[i]%4]) ready[port_source[port_list[i]]] = 1'b0;
    for (int i = out_count - 1; i >= 0; i--) begin
      int n;
      logic taken;
      n = out_list[i];
      taken = ready[n];
      if (registered[n]) taken = is_fifo[n] ? (~full[n] | (ready[n] & ~starts[n])) : ~stall_i[out_column[n]];
      if (enabled[n] && !taken) ready[source[n]] = 1'b0;
    end
  endtask

  // Forwards, from the core outputs, each offered only when all its sinks are ready; SplitFIFOs take their edge.
  task automatic settle_data();
    for (int i = 0; i < clocked_count; i++) begin
      for (int p = 0; p < 3; p++) begin
        int n;
        n = Outs + 3 * clocked_list[i] + p;
        valid[n] = core_out[clocked_list[i]].out_valid[p] & ready[n];
        data[n] = core_out[clocked_list[i]].out_data[p];
        core_in[clocked_list[i]].out_ready[p] = ready[n];
      end
    end
    for (int i = 0; i < out_count; i++) begin
      int n;
      logic in_valid, taken, was_full, runs;
      logic [16:0] in_data, was;
      n = out_list[i];
      in_valid = valid[source[n]];
      in_data = data[source[n]];
      if (!registered[n]) begin
        valid[n] = in_valid;
        data[n] = in_data;
      end else begin
        runs = ~stall_i[out_column[n]];
        was_full = full[n];
        was = value[n];
        taken = ~was_full | (ready[n] & ~starts[n]);
        valid[n] = enabled[n] & (is_fifo[n] ? (was_full | (in_valid & ~ends[n])) : runs);
        data[n] = !enabled[n] ? '0 : (is_fifo[n] & ~was_full & ~ends[n]) ? in_data : was;
        if (runs && !is_fifo[n]) begin
          value[n] = in_data;
        end else if (runs && in_valid && taken && (was_full || ends[n] || !ready[n])) begin
          value[n] = in_data;
          full[n] = 1'b1;
        end else if (runs && ready[n]) begin
          full[n] = 1'b0;
        end
      end
    end
    for (int i = 0; i < port_count; i++) begin
      core_in[port_list[i]/4].in_valid[port_list[i]%4] = valid[port_source[port_list[i]]];
      core_in[port_list[i]/4].in_data[port_list[i]%4] = data[port_source[port_list[i]]];
    end
  endtask

  // -- a cycle --
  logic [31:0] far_addr_q, far_data_q;
  logic far_write_q, far_read_q;
  logic [(Width+3)/4-1:0] far_flush_q;

  function automatic int addressed(input logic [31:0] addr);
    if (addr[15:8] >= 8'(Width) && Width < 256 || addr[7:0] > 8'(Height)) return -1;
    return int'(Width) * int'(addr[7:0]) + int'(addr[15:8]);
  endfunction

  // A word on the bus reaches its tile, whose clock is switched on by a write.
  task automatic put_word(input int site, input logic [31:0] addr, input logic [31:0] word, input logic write,
                          input logic read);
    if (write && !clocked[site]) begin
      clocked[site] = 1'b1;
      clocked_list[clocked_count] = site;
      clocked_count = clocked_count + 1;
    end
    core_in[site].cfg_addr = addr;
    core_in[site].cfg_data = word;
    core_in[site].cfg_write = write;
    core_in[site].cfg_read = read;
  endtask
  task automatic take_word(input int site);
    if (core_in[site].cfg_write) listed_q = 1'b0;
    core_in[site].cfg_write = 1'b0;
    core_in[site].cfg_read = 1'b0;
  endtask

  task automatic clock_core(input int site);
    int x;
    x = column(site);
    core_in[site].stall = stall_i[x];
    core_in[site].flush = (row(site) > NearRows) ? far_flush_q[x/4] : flush_i[x/4];
    if (row(site) == 0) begin
      core_in[site].in_valid[1] = glb2io_valid_i[x];
      core_in[site].in_data[1] = {1'b0, glb2io_data_i[16*x+:16]};
      core_in[site].out_ready[1] = io2glb_ready_i[x];
    end
    void'(with_inputs(site, core_in[site]));
    void'(with_clock(site, 1'b1, 1'b1));
    core_out[site] = with_clock(site, 1'b0, 1'b1);
    if (core_in[site].flush) flushed[site] = 1'b1;
    if (flushed[site]) hazard[site] = hazard[site] | core_out[site].hazard;
  endtask

  always @(posedge clk_i or negedge rst_ni) begin
    int near_site, far_site;
    if (!rst_ni) begin
      reset_cores();
      for (int n = 0; n < Outs; n++) begin
        full[n] = 1'b0;
        value[n] = '0;
      end
      listed_q = 1'b0;
      far_addr_q = '0;
      far_data_q = '0;
      far_write_q = 1'b0;
      far_read_q = 1'b0;
      far_flush_q = '0;
    end else begin
      near_site = addressed(cfg_addr_i);
      far_site = addressed(far_addr_q);
      if (!(cfg_write_i || cfg_read_i) || near_site >= 0 && row(near_site) > NearRows) near_site = -1;
      if (!(far_write_q || far_read_q) || far_site >= 0 && row(far_site) <= NearRows) far_site = -1;
      if (near_site >= 0) put_word(near_site, cfg_addr_i, cfg_data_i, cfg_write_i, cfg_read_i);
      if (far_site >= 0) put_word(far_site, far_addr_q, far_data_q, far_write_q, far_read_q);
      if (!(&stall_i)) begin
        if (!listed_q) read_configuration();
        listed_q = 1'b1;
        settle_ready();
        settle_data();
      end
      for (int i = 0; i < clocked_count; i++) clock_core(clocked_list[i]);
      if (near_site >= 0) take_word(near_site);
      if (far_site >= 0) take_word(far_site);
      far_addr_q = cfg_addr_i;
      far_data_q = cfg_data_i;
      far_write_q = cfg_write_i;
      far_read_q = cfg_read_i;
      far_flush_q = flush_i;
    end
    for (int x = 0; x < int'(Width); x++) begin
      glb2io_ready_o[x] = core_out[x].in_ready[1];
      io2glb_valid_o[x] = core_out[x].out_valid[1];
      io2glb_data_o[16*x+:16] = core_out[x].out_data[1][15:0];
    end
  end

  // The addressed tile's answer to a read, its other inputs unchanged.
  function automatic logic [31:0] answer(input logic [31:0] addr, input logic read, input logic far);
    int site;
    core_in_t in;
    core_out_t out;
    site = addressed(addr);
    if (!read || site < 0 || (row(site) > NearRows) != far) return '0;
    in = core_in[site];
    in.cfg_addr = addr;
    in.cfg_read = 1'b1;
    out = with_inputs(site, in);
    return out.cfg_rdata;
  endfunction
  assign cfg_rdata_o = answer(cfg_addr_i, cfg_read_i, 1'b0) | answer(far_addr_q, far_read_q, 1'b1);
endmodule
