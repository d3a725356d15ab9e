/* Ports of the dense fabric as the chip's own flow names them. */
#include "dense/packed_int.h"

typedef struct {
    net_tile kind;
    uint8_t width, number;
    const char *name;
} output_row;

/* The first name of a port is written. */
static const output_row outputs[] = {
    {NET_TILE_PE, DENSE_WORD, 0, "PE_output_width_17_num_0"},
    {NET_TILE_PE, DENSE_WORD, 1, "PE_output_width_17_num_1"},
    {NET_TILE_PE, DENSE_WORD, 2, "PE_output_width_17_num_2"},
    {NET_TILE_PE, DENSE_WORD, DENSE_PLACE_OF_POND, "PondTop_output_width_17_num_1"},
    {NET_TILE_PE, DENSE_WORD, DENSE_POND_INSIDE, "PondTop_output_width_17_num_0"},
    {NET_TILE_PE, DENSE_BIT, 4, "PE_output_width_1_num_0"},
    {NET_TILE_PE, DENSE_BIT, 5, "PondTop_output_width_1_num_0"},
    {NET_TILE_PE, DENSE_BIT, 6, "PondTop_output_width_1_num_1"},
    {NET_TILE_MEM, DENSE_WORD, 0, "MEM_output_width_17_num_0"},
    {NET_TILE_MEM, DENSE_WORD, 1, "MEM_output_width_17_num_1"},
    {NET_TILE_MEM, DENSE_WORD, 2, "MEM_output_width_17_num_2"},
    {NET_TILE_MEM, DENSE_BIT, 4, "MEM_output_width_1_num_0"},
    {NET_TILE_MEM, DENSE_BIT, 5, "MEM_output_width_1_num_1"},
    {NET_TILE_MEM, DENSE_BIT, 6, "MEM_output_width_1_num_2"},
    {NET_TILE_IO, DENSE_WORD, 0, "io2f_17"},
    {NET_TILE_IO, DENSE_WORD, 0, "io2f_17_0"},
    {NET_TILE_IO, DENSE_BIT, 4, "io2f_1"},
};
enum { OUTPUTS = sizeof outputs / sizeof *outputs };

static const char *const io_inputs[DENSE_WIDTHS][2] = {{"f2io_17", "f2io_17_0"}, {"f2io_1", "f2io_1"}};

const char *dense_input_port(dense_port port, uint32_t width) {
    return port == DENSE_PORTS ? io_inputs[width][0] : dense_ports[port].box + strlen("CB_");
}

const char *dense_output_port(net_tile kind, uint32_t width, uint32_t place, bool inside) {
    const bool pond = inside && kind == NET_TILE_PE && width == DENSE_WORD && place == DENSE_PLACE_OF_POND;
    const uint32_t number = pond ? DENSE_POND_INSIDE : width * DENSE_PLACES + place;
    for (uint32_t i = 0; i < OUTPUTS; i++) {
        if (outputs[i].kind == kind && outputs[i].number == number)
            return outputs[i].name;
    }
    return "none";
}

/* No unit of the model reads the fourth word of a PE, or a flush by wire. */
static bool is_read(dense_port port) {
    return port != DENSE_PORT_PE_IN3 && port != DENSE_PORT_PE_FLUSH && port != DENSE_PORT_MEM_FLUSH;
}

bool dense_find_input(net_tile kind, pnr_word name, dense_port *port, uint32_t *width) {
    for (*port = 0; *port < DENSE_PORTS; ++*port) {
        *width = dense_ports[*port].width;
        if (dense_ports[*port].tile == kind && is_read(*port) &&
            pnr_word_is(name, dense_input_port(*port, *width)))
            return true;
    }
    for (*width = 0; kind == NET_TILE_IO && *width < DENSE_WIDTHS; ++*width) {
        if (pnr_word_is(name, io_inputs[*width][0]) || pnr_word_is(name, io_inputs[*width][1]))
            return true;
    }
    return false;
}

bool dense_find_output(net_tile kind, pnr_word name, uint32_t *number) {
    for (uint32_t i = 0; i < OUTPUTS; i++) {
        *number = outputs[i].number;
        if (outputs[i].kind == kind && pnr_word_is(name, outputs[i].name))
            return true;
    }
    return false;
}

static bool find(char tag, pnr_word name, bool drives, pnr_port *out) {
    const net_tile kind = tag == 'p' ? NET_TILE_PE : tag == 'm' ? NET_TILE_MEM : NET_TILE_IO;
    dense_port port;
    uint32_t width, number;
    *out = (pnr_port){.output = drives};
    if (tag == 'r')
        return pnr_word_is(name, "reg");
    out->output = dense_find_output(kind, name, &number);
    if (out->output) {
        out->number = (uint8_t)number;
        width = number / DENSE_PLACES == DENSE_BIT;
    } else if (dense_find_input(kind, name, &port, &width)) {
        out->number = (uint8_t)port;
    } else {
        return false;
    }
    out->width = (uint8_t)dense_file_width(width);
    return kind != NET_TILE_IO || (tag == 'i') == (width == DENSE_BIT);
}

const pnr_blocks dense_packed_blocks = {"pmIir", "p (PE), m (MEM), I and i (IO), or r (register)", find};
