// The frame of a property file about a FIFO: its ports, and the contract of a queue of Capacity tokens with a latency
// of Latency cycles. The text of a module: the file is included after the parameters, and the text continues in the
// body of the module, which connects the cell.
    input logic             flush_i,
`include "queue_ports.svh"
);
  logic rst_n, in_ready;
  logic [Width:0] out;
  first_reset u_reset (.clk_i, .rst_ni, .live_o(), .rst_no(rst_n));
  queue_contract #(.Width(Width), .Capacity(Capacity), .Latency(Latency), .Refill(Latency - 1)) u_contract (
      .live_i(rst_n), .clear_i(flush_i), .in_ready_i(in_ready), .out_i(out), .clk_i, .en_i, .in_i, .out_ready_i, .pick_i,
      .seen_o
  );
