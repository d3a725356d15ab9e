// Stands for the vector reducer and does anything its contract allows (rtl_models/rtl/onyx_vector_reduce.sv): the
// module takes both heads together; an offered entry stays until taken, on both outputs; an end leaves in the cycle
// of its arrival. Proves of its inputs: coordinates stay until taken.
`include "proof.svh"
module onyx_vector_reduce (
`include "control_ports.svh"
    input logic bf16_i, crd_ready_i, val_ready_i,
    input logic [3:0] op_i,
    input onyx_pkg::stream_t crd_i, val_i,
    input logic [63:0] mem_rdata_i,
    output onyx_pkg::stream_t crd_o, val_o,
    output logic crd_ready_o, val_ready_o, mem_req_o, mem_we_o, sends_o, stir_o, hazard_o,
    output logic [8:0] mem_addr_o,
    output logic [9:0] next_o,
    output logic [63:0] mem_wdata_o
);
  (* anyseq *) logic sends, take, hazard;
  (* anyseq *) logic [9:0] next;
  (* anyseq *) logic [15:0] sum;
  logic stop, done, item, ends, give;
  token_kind u_kind (.data_i(crd_i.data), .stop_o(stop), .done_o(done), .item_o(item));
  assign ends = done | (stop & (crd_i.data[7:0] != 8'd0));
  assign give = crd_ready_i & val_ready_i & (sends | (take & ends));

  assign sends_o     = sends;
  assign next_o      = next;
  assign crd_ready_o = take;
  assign val_ready_o = take;
  assign crd_o.valid = give;
  assign val_o.valid = give;
  assign crd_o.data  = sends ? {7'd0, next} : stop ? {crd_i.data[16:8], crd_i.data[7:0] - 8'd1} : crd_i.data;
  assign val_o.data  = sends ? {1'b0, sum} : crd_o.data;
  assign hazard_o    = hazard;
  assign stir_o      = 1'b0;
  assign mem_req_o   = 1'b0;
  assign mem_we_o    = 1'b0;
  assign mem_addr_o  = 9'd0;
  assign mem_wdata_o = 64'd0;

  logic stays_q, owes_q;
  logic [9:0] next_q;
  logic [16:0] crd_q;
  initial {stays_q, owes_q} = 2'b00;
  always_ff @(posedge clk_i) begin
    stays_q <= rst_ni & crd_i.valid & ~(en_i & (flush_i | take));
    owes_q  <= rst_ni & sends & ~(en_i & (flush_i | give));
    crd_q   <= crd_i.data;
    next_q  <= next;
  end
  always_comb begin
    assume (!take || (crd_i.valid && val_i.valid && !sends));
    assume (!(take && ends) || (crd_ready_i && val_ready_i));
    if (owes_q) assume (sends && next == next_q);
    if (rst_ni) begin
      `PROVE(stays, !stays_q || (crd_i.valid && crd_i.data == crd_q))
    end
  end
endmodule
