// Ports that every primitive's property file has, whatever its streams.
    input logic        clk_i,
    input logic        rst_ni,
    input logic        en_i,
    input logic        flush_i,
