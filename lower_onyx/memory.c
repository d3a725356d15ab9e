/* memory.c - a memory tile as its four primitives. */
#include "lower_onyx/memory.h"

static void connect_buffet(onyx_graph *g, onyx_node write, onyx_node buffet, onyx_node read, onyx_node sram) {
    onyx_connect(g, write, ONYX_PORT_WRITE_SCANNER_DATA_OUT, buffet, ONYX_PORT_BUFFET_WR_DATA);
    onyx_connect(g, write, ONYX_PORT_WRITE_SCANNER_ADDR_OUT, buffet, ONYX_PORT_BUFFET_WR_ADDR);
    onyx_connect(g, write, ONYX_PORT_WRITE_SCANNER_ID_OUT, buffet, ONYX_PORT_BUFFET_WR_ID);
    onyx_connect(g, read, ONYX_PORT_READ_SCANNER_OP_OUT, buffet, ONYX_PORT_BUFFET_RD_OP);
    onyx_connect(g, read, ONYX_PORT_READ_SCANNER_ADDR_OUT, buffet, ONYX_PORT_BUFFET_RD_ADDR);
    onyx_connect(g, read, ONYX_PORT_READ_SCANNER_ID_OUT, buffet, ONYX_PORT_BUFFET_RD_ID);
    onyx_connect(g, buffet, ONYX_PORT_BUFFET_RD_RSP_DATA, read, ONYX_PORT_READ_SCANNER_RD_RSP_DATA_IN);
    onyx_connect(g, buffet, ONYX_PORT_BUFFET_DATA_TO_MEM, sram, ONYX_PORT_SRAM_WORD_IN_0);
    onyx_connect(g, buffet, ONYX_PORT_BUFFET_ADDR_TO_MEM, sram, ONYX_PORT_SRAM_WORD_IN_1);
    onyx_connect(g, buffet, ONYX_PORT_BUFFET_ADDR_TO_MEM, sram, ONYX_PORT_SRAM_WORD_IN_2);
    onyx_connect(g, buffet, ONYX_PORT_BUFFET_REN_TO_MEM, sram, ONYX_PORT_SRAM_BIT_IN_0);
    onyx_connect(g, buffet, ONYX_PORT_BUFFET_WEN_TO_MEM, sram, ONYX_PORT_SRAM_BIT_IN_1);
    onyx_connect(g, sram, ONYX_PORT_SRAM_WORD_OUT_0, buffet, ONYX_PORT_BUFFET_DATA_FROM_MEM);
    onyx_connect(g, sram, ONYX_PORT_SRAM_BIT_OUT_0, buffet, ONYX_PORT_BUFFET_READY_FROM_MEM);
    onyx_connect(g, sram, ONYX_PORT_SRAM_BIT_OUT_1, buffet, ONYX_PORT_BUFFET_VALID_FROM_MEM);
}

onyx_memory onyx_add_memory(onyx_graph *g, const char *tile, src_loc loc, bool values) {
    onyx_node write = onyx_add_node(g, ONYX_WRITE_SCANNER, arena_printf(g->mem, "%s.write", tile), tile, loc);
    onyx_node buffet = onyx_add_node(g, ONYX_BUFFET, arena_printf(g->mem, "%s.buffet", tile), tile, loc);
    onyx_node read = onyx_add_node(g, ONYX_READ_SCANNER, arena_printf(g->mem, "%s.read", tile), tile, loc);
    onyx_node sram = onyx_add_node(g, ONYX_SRAM, arena_printf(g->mem, "%s.sram", tile), tile, loc);
    onyx_set(onyx_node_at(g, write), ONYX_SET_WRITE_SCANNER_COMPRESSED, 1);
    onyx_set(onyx_node_at(g, write), ONYX_SET_WRITE_SCANNER_LOWEST_LEVEL, values);
    onyx_set(onyx_node_at(g, buffet), ONYX_SET_BUFFET_CAPACITY_LOG_0, ONYX_CAPACITY_LOG);
    onyx_set(onyx_node_at(g, buffet), ONYX_SET_BUFFET_CAPACITY_LOG_1, ONYX_CAPACITY_LOG);
    onyx_set(onyx_node_at(g, read), ONYX_SET_READ_SCANNER_LOOKUP, values);
    connect_buffet(g, write, buffet, read, sram);
    return (onyx_memory){write, read};
}
