/* Names of the text form. */
#include "dense/text_int.h"

#define INSTRUCTION "PE_onyx_inst_onyxpeintf_inst."
#define BUFFER "strg_ub_vec_inst_"

static const dense_fixed alu[] = {
    {NET_TILE_PE, 0, "tile_en", 1},
    {NET_TILE_PE, 0, "mode", 3},
    {NET_TILE_PE, 0, "PE_onyx_inst_tile_en", 1},
    {NET_TILE_PE, 0, "PE_onyx_inst_dense_mode", 1},
    {NET_TILE_PE, 0, "PE_input_width_17_num_0_dense", 1},
    {NET_TILE_PE, 0, "PE_input_width_17_num_1_dense", 1},
    {NET_TILE_PE, 0, "PE_output_width_17_num_0_dense", 1},
    {NET_TILE_PE, 0, NULL, 0},
};
static const dense_fixed stream[] = {
    {NET_TILE_IO, 0, "tile_en", 1},
    {NET_TILE_IO, 0, "glb2io_17_valid_reg_sel", 1},
    {NET_TILE_IO, 0, "glb2io_17_valid_reg_value", 1},
    {NET_TILE_IO, 0, "glb2io_1_valid_reg_sel", 1},
    {NET_TILE_IO, 0, "glb2io_1_valid_reg_value", 1},
    {NET_TILE_IO, 0, "io2glb_17_ready_reg_sel", 1},
    {NET_TILE_IO, 0, "io2glb_17_ready_reg_value", 1},
    {NET_TILE_IO, 0, "io2glb_1_ready_reg_sel", 1},
    {NET_TILE_IO, 0, "io2glb_1_ready_reg_value", 1},
    {NET_TILE_IO, 0, NULL, 0},
};
static const dense_fixed buffer[] = {
    {NET_TILE_MEM, 0, "tile_en", 1}, {NET_TILE_MEM, 0, "mode", 1}, {NET_TILE_MEM, 0, NULL, 0}};
static const dense_fixed rom[] = {{NET_TILE_MEM, 0, "tile_en", 1},
                                  {NET_TILE_MEM, 0, "mode", 2},
                                  {NET_TILE_MEM, 0, "MEM_input_width_1_num_1_reg_sel", 1},
                                  {NET_TILE_MEM, 0, NULL, 0}};
static const dense_fixed ram[] = {
    {NET_TILE_MEM, 0, "tile_en", 1}, {NET_TILE_MEM, 0, "mode", 2}, {NET_TILE_MEM, 0, NULL, 0}};
static const dense_fixed idle[] = {
    {NET_TILE_MEM, 0, "tile_en", 1}, {NET_TILE_MEM, 0, "mode", 3}, {NET_TILE_MEM, 0, NULL, 0}};
static const dense_fixed enabled[] = {{NET_TILE_MEM, 0, "tile_en", 1}, {NET_TILE_MEM, 0, NULL, 0}};
static const dense_fixed valid_bits[] = {{NET_TILE_MEM, 0, "mode_excl", 1}, {NET_TILE_MEM, 0, NULL, 0}};
static const dense_fixed pond[] = {{NET_TILE_PE, 1, "tile_en", 1}, {NET_TILE_PE, 0, NULL, 0}};

/* A line whose fields are a subset of another line's follows the other line. */
const dense_word_line dense_word_lines[] = {
    {"alu", alu}, {"pond", pond},      {"stream", stream},   {"buffer", buffer},         {"rom", rom},
    {"ram", ram}, {"no_memory", idle}, {"enabled", enabled}, {"valid_bits", valid_bits},
};
const uint32_t dense_word_line_count = sizeof dense_word_lines / sizeof *dense_word_lines;

const dense_named dense_named_settings[] = {
    {"start0", NET_TILE_MEM, 0, BUFFER "agg_sram_shared_agg_sram_shared_addr_gen_0_starting_addr"},
    {"start1", NET_TILE_MEM, 0, BUFFER "agg_sram_shared_agg_sram_shared_addr_gen_1_starting_addr"},
    {"padding0", NET_TILE_MEM, 0, BUFFER "agg_sram_shared_agg_read_sched_gen_0_agg_read_padding"},
    {"padding1", NET_TILE_MEM, 0, BUFFER "agg_sram_shared_agg_read_sched_gen_1_agg_read_padding"},
    {"mode0", NET_TILE_MEM, 0, BUFFER "agg_sram_shared_mode_0"},
    {"mode1", NET_TILE_MEM, 0, BUFFER "agg_sram_shared_mode_1"},
    {"chain", NET_TILE_MEM, 0, BUFFER "chain_chain_en"},
    {"shared", NET_TILE_MEM, 0, BUFFER "tb_only_shared_tb_0"},
    {"off", NET_TILE_PE, 15, "ps_en"},
    {"off", NET_TILE_MEM, 12, "ps_en"},
    {"off", NET_TILE_IO, 5, "ps_en"},
};
const uint32_t dense_named_count = sizeof dense_named_settings / sizeof *dense_named_settings;

const char *const dense_opcode_names[DENSE_KINDS][DENSE_OPCODES] = {
    {"adc", "sbc", "abs",    "sel",    "mult0", "mult1", "mult2", "shr", "shl",  "or",
     "and", "xor", "muladd", "mulsub", "taa",   "tas",   "tsa",   "tss", "crop", "mulshr"},
    {"getmant", "addiexp", "subexp", "cnvexp2f", "getfint", "getffrac", "cnvint2f"},
    {"fp_add", "fp_sub", "fp_cmp", "fp_mul"},
};
const char *const dense_condition_names[DENSE_CONDITIONS] = {
    "z",   "nz",  "c",   "nc",  "n",   "nn",  "v",     "nv",    "ugt",   "ule",
    "sge", "slt", "sgt", "sle", "lut", "alu", "fp_ge", "fp_gt", "fp_le", "fp_lt"};
const char *const dense_mode_names[4] = {"constant", "old", "wire", "delay"};

const char *const dense_mode_fields[6] = {INSTRUCTION "rega_mode", INSTRUCTION "regb_mode",
                                          INSTRUCTION "regc_mode", INSTRUCTION "regd_mode",
                                          INSTRUCTION "rege_mode", INSTRUCTION "regf_mode"};
const char *const dense_constant_fields[6] = {INSTRUCTION "const0", INSTRUCTION "const1",
                                              INSTRUCTION "const2", INSTRUCTION "bit0",
                                              INSTRUCTION "bit1",   INSTRUCTION "bit2"};

const char *dense_inner_name(dense_port port, uint32_t select) {
    const dense_port_row *row = &dense_ports[port];
    const bool to_pond = port == DENSE_PORT_POND_IN0 || port == DENSE_PORT_POND_IN1;
    if (select == row->last)
        return "zero";
    if (select + 1 != row->last || row->last < 21)
        return NULL;
    return to_pond ? "out0" : row->width == DENSE_WORD ? "pond" : "pond_bit0";
}

const char *const dense_io_names[DENSE_WIDTHS] = {"word", "bit"};

const char *dense_output_name(net_tile kind, uint32_t width, uint32_t place) {
    if (kind == NET_TILE_IO)
        return place ? NULL : dense_io_names[width];
    return kind == NET_TILE_NONE || place >= 4 ? NULL : dense_core_outputs[kind][width][place];
}
