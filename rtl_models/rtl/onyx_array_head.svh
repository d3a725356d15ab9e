// Parameters and ports of onyx_array, which a simulator may implement in another form (tests/rtl_fabric/sim): the
// text of a module after its name.
#(
    parameter int unsigned Width  = 32,
    parameter int unsigned Height = 16,
    parameter int unsigned MemPeriod = 4,
    parameter int unsigned MemPhase = 3,
    parameter int unsigned BusColumns = Width,
    localparam int unsigned Buses = (Width + BusColumns - 1) / BusColumns
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic [   32*Buses-1:0] cfg_addr_i,
    input  logic [   32*Buses-1:0] cfg_data_i,
    input  logic [      Buses-1:0] cfg_write_i,
    input  logic [      Buses-1:0] cfg_read_i,
    output logic [           31:0] cfg_rdata_o,
    input  logic [      Width-1:0] stall_i,
    input  logic [(Width+3)/4-1:0] flush_i,
    input  logic [   16*Width-1:0] glb2io_data_i,
    input  logic [      Width-1:0] glb2io_valid_i,
    output logic [      Width-1:0] glb2io_ready_o,
    output logic [   16*Width-1:0] io2glb_data_o,
    output logic [      Width-1:0] io2glb_valid_o,
    input  logic [      Width-1:0] io2glb_ready_i
);
