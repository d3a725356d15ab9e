/* Units and links of a dense design that is placed. */
#include "dense/place_int.h"

uint32_t dense_source_unit(const dense_placing *p, uint32_t link) {
    const dense_link *l = &p->from.links.at[link];
    const net_tile kind = p->from.tiles.at[p->tile_of[0].at[link]].kind;
    const bool second =
        kind == NET_TILE_IO || (kind == NET_TILE_MEM && l->width == DENSE_BIT && l->place == 2);
    return DENSE_UNITS * p->tile_of[0].at[link] + second;
}

uint32_t dense_sink_unit(const dense_placing *p, uint32_t link) {
    return DENSE_UNITS * p->tile_of[1].at[link];
}

bool dense_is_operand(const dense_placing *p, const dense_link *link) {
    return !p->from.fixed_times && (link->port == DENSE_PORT_PE_IN0 || link->port == DENSE_PORT_PE_IN1 ||
                                    link->port == DENSE_PORT_PE_IN2 || link->port == DENSE_PORT_PE_BIT0 ||
                                    link->port == DENSE_PORT_PE_BIT1 || link->port == DENSE_PORT_PE_BIT2);
}

uint32_t dense_generator_unit(uint32_t tile, dense_generator_key key) {
    return DENSE_UNITS * tile + (key == DENSE_GENERATOR_VALID);
}

static bool is_delayed(const dense_placing *p, uint32_t link) {
    static const dense_port operands[DENSE_OPERANDS] = {DENSE_PORT_PE_IN0,  DENSE_PORT_PE_IN1,
                                                        DENSE_PORT_PE_IN2,  DENSE_PORT_PE_BIT0,
                                                        DENSE_PORT_PE_BIT1, DENSE_PORT_PE_BIT2};
    const dense_link *l = &p->from.links.at[link];
    dense_instruction pe;
    bool delayed = false;
    if (!dense_is_operand(p, l))
        return false;
    dense_instruction_of(&p->from, &p->from.tiles.at[p->tile_of[1].at[link]], &pe);
    for (uint32_t k = 0; k < DENSE_OPERANDS; k++)
        delayed = delayed || (operands[k] == l->port && pe.mode[k] == DENSE_DELAY);
    return delayed;
}

uint32_t dense_had(const dense_placing *p, uint32_t link) {
    return p->from.links.at[link].registers + is_delayed(p, link);
}

void dense_net_of_link(const dense_placing *p, uint32_t link, uint32_t *net, uint32_t *sink) {
    const uint32_t width = p->from.links.at[link].width;
    for (*net = 0; *net + 1 < p->first[width].len && p->first[width].at[*net + 1] <= link;)
        ++*net;
    *sink = link - p->first[width].at[*net];
}
