// The ports of a property file about one queue: choices of its environment, and the outside's knowledge.
    input logic             clk_i,
    input logic             rst_ni,
    input logic             en_i,
    input logic             pick_i,
    input logic [Width:0]   in_i,
    input logic             out_ready_i,
    output logic [Width+1:0] seen_o
