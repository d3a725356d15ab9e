// The ports that the property file of a primitive has whatever its streams are.
    input logic        clk_i,
    input logic        rst_ni,
    input logic        en_i,
    input logic        flush_i,
