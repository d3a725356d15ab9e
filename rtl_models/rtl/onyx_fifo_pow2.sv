// Register FIFO of 2^LogDepth words; a word put in shows at the output one cycle later.
//
// Contract: a word enters when push_i & ready_o, leaves when valid_o & pop_i, both at a clock edge with
// en_i; ready_o and valid_o come from registers only, so a full FIFO takes nothing even while its head
// leaves. flush_i empties it.
module onyx_fifo_pow2 #(
    parameter int unsigned Width = 17,
    parameter int unsigned LogDepth = 3
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             en_i,
    input  logic             flush_i,
    input  logic [Width-1:0] data_i,
    input  logic             push_i,
    output logic             ready_o,
    output logic [Width-1:0] data_o,
    output logic             valid_o,
    input  logic             pop_i
);
  logic [Width-1:0] words[0:(1 << LogDepth) - 1];
  // One bit more than an index: full and empty differ in it.
  logic [LogDepth:0] write_q, read_q;
  logic push, pop;

  assign ready_o = (write_q[LogDepth-1:0] != read_q[LogDepth-1:0]) || (write_q[LogDepth] == read_q[LogDepth]);
  assign valid_o = (write_q != read_q);
  assign data_o  = words[read_q[LogDepth-1:0]];
  assign push    = push_i & ready_o;
  assign pop     = pop_i & valid_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q  <= '0;
    end else if (en_i) begin
      if (flush_i) begin
        write_q <= '0;
        read_q  <= '0;
      end else begin
        if (push) write_q <= write_q + 1'b1;
        if (pop) read_q <= read_q + 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (en_i && push) words[write_q[LogDepth-1:0]] <= data_i;
  end
endmodule
