// The Pond: 32 words next to a PE, a word written and a word read in a cycle.
//
// Contract: an event of the writes takes data_i[15:0] in the first set, data_i[31:16] in the second. data_o is the
// word at the address of the reads in each cycle; a read in the cycle of a write gives the old word. bit_o: events of
// the reads. word_*_i writes a word as configuration.
module onyx_dense_pond (
    input  logic clk_i, rst_ni, en_i, flush_i,
    input  onyx_dense_pkg::pond_port_t        write_i,
    input  onyx_dense_pkg::pond_port_t        read_i,
    input  logic                       [31:0] data_i,
    output logic                       [15:0] data_o,
    output logic                       [ 1:0] bit_o,
    input  logic                              word_write_i,
    input  logic                       [ 4:0] word_addr_i,
    input  logic                       [15:0] word_i
);
  logic [15:0] cycle_q;
  logic [15:0] words[0:31];
  logic [1:0] write;
  logic [4:0] write_addr, read_addr;

  onyx_dense_pond_port u_write (
      .cycle_i(cycle_q), .cfg_i(write_i), .event_o(write), .addr_o(write_addr), .clk_i, .rst_ni, .en_i, .flush_i
  );
  onyx_dense_pond_port u_read (
      .cycle_i(cycle_q), .cfg_i(read_i), .event_o(bit_o), .addr_o(read_addr), .clk_i, .rst_ni, .en_i, .flush_i
  );
  assign data_o = words[read_addr];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) cycle_q <= '0;
    else if (en_i) cycle_q <= flush_i ? 16'd0 : cycle_q + 16'd1;
  end
  always_ff @(posedge clk_i) begin
    if (word_write_i) words[word_addr_i] <= word_i;
    else if (en_i && write != 2'b00) words[write_addr] <= write[1] ? data_i[31:16] : data_i[15:0];
  end
endmodule
