/* random_runs.c - which mutants of a circuit random inputs refute, 63 at a time: each bit of a 64-bit word is
 * a run with a mutant of its own, bit 0 one without.
 *
 * random_runs CIRCUIT.aig CIRCUIT.aim EPISODES CYCLES < NUMBERS: prints the refuted numbers. The circuit is
 * AIGER 1.9 with bad states and constraints, its input `mutant` selects; the map names inputs. Fails if the
 * run without a mutant is refuted. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 64, TRIES = 12, NAME = 200 };

typedef struct {
    char name[NAME];
    unsigned bits, *input; /* the circuit's input of each bit */
    uint64_t word[LANES];
    unsigned often; /* how often a bit is 1, by episode: 0 rarely, 1 half the time, 2 mostly, 3 favourites */
} bus;

typedef struct {
    unsigned vars, inputs, latches, outputs, ands, bads, constraints;
    unsigned *next, *init, *bad, *constraint, (*operands)[2];
    uint64_t *value;
    bus *bus;
    unsigned buses;
} circuit;

static uint64_t state = 1;
static uint64_t next_random(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static void *need(size_t count, size_t bytes) {
    void *p = calloc(count + 1, bytes);
    if (!p)
        exit(2);
    return p;
}

static void refuse(const char *why) {
    fprintf(stderr, "random_runs: %s\n", why);
    exit(2);
}

static unsigned delta(FILE *f) {
    unsigned x = 0, shift = 0;
    int c;
    while ((c = getc(f)) & 0x80 && c != EOF && shift < 28) {
        x |= (unsigned)(c & 0x7F) << shift;
        shift += 7;
    }
    return x | (unsigned)c << shift;
}

static unsigned *literals(FILE *f, unsigned n) {
    char line[64];
    unsigned *list = need(n, sizeof *list);
    for (unsigned i = 0; i < n; i++)
        if (!fgets(line, sizeof line, f) || sscanf(line, "%u", &list[i]) != 1)
            refuse("a literal is missing");
    return list;
}

static void read_circuit(circuit *c, const char *path) {
    char line[256];
    FILE *f = fopen(path, "rb");
    if (!f || !fgets(line, sizeof line, f) ||
        sscanf(line, "aig %u %u %u %u %u %u %u", &c->vars, &c->inputs, &c->latches, &c->outputs, &c->ands,
               &c->bads, &c->constraints) < 6)
        refuse("no circuit with bad states");
    c->next = need(c->latches, sizeof *c->next);
    c->init = need(c->latches, sizeof *c->init);
    for (unsigned i = 0; i < c->latches; i++)
        if (!fgets(line, sizeof line, f) || sscanf(line, "%u %u", &c->next[i], &c->init[i]) < 1)
            refuse("a latch is missing");
    free(literals(f, c->outputs));
    c->bad = literals(f, c->bads);
    c->constraint = literals(f, c->constraints);
    c->operands = need(c->ands, sizeof *c->operands);
    for (unsigned i = 0; i < c->ands; i++) {
        const unsigned own = 2 * (c->inputs + c->latches + i + 1);
        c->operands[i][0] = own - delta(f);
        c->operands[i][1] = c->operands[i][0] - delta(f);
    }
    c->value = need(c->vars, sizeof *c->value);
    fclose(f);
}

static bus *bus_named(circuit *c, const char *name) {
    for (unsigned i = 0; i < c->buses; i++)
        if (!strcmp(c->bus[i].name, name))
            return &c->bus[i];
    bus *b = &c->bus[c->buses++];
    snprintf(b->name, NAME, "%s", name);
    b->input = need(32, sizeof *b->input);
    return b;
}

/* 32 bits of an input are a bus; what the map does not name is the start of a register, a bus of its own. */
static void read_names(circuit *c, const char *path) {
    char kind[16], name[NAME];
    unsigned input, bit;
    FILE *f = fopen(path, "r");
    if (!f)
        refuse("no map");
    c->bus = need(2 * c->inputs, sizeof *c->bus);
    bool *named = need(c->inputs, sizeof *named);
    while (fscanf(f, "%15s %u %u %199s", kind, &input, &bit, name) == 4) {
        if (strcmp(kind, "input") != 0 || input >= c->inputs)
            continue;
        char part[NAME];
        snprintf(part, sizeof part, "%.180s/%u", name, bit / 32);
        bus *b = bus_named(c, part);
        b->input[b->bits++] = input;
        named[input] = true;
    }
    for (input = 0; input < c->inputs; input++) {
        if (named[input])
            continue;
        snprintf(name, sizeof name, "start %u", input);
        bus *b = bus_named(c, name);
        b->input[b->bits++] = input;
    }
    free(named);
    fclose(f);
}

static uint64_t favourite[4]; /* of an episode: addresses are written and read */

static uint64_t any_word(uint64_t before, unsigned often) {
    const uint64_t r = next_random(), one = 1ull << next_random() % 32;
    if (often == 0)
        return r >> 52 ? 0 : r & 1 << 20 ? one : next_random();
    if (often == 3)
        return favourite[r & 3];
    switch (next_random() >> 32 & (often == 1 ? 7 : 31)) {
    case 0:
    case 1:
        return r;
    case 2:
    case 3:
        return r & 255 >> (r >> 61);
    case 4:
        return r & 8 ? 0 : UINT64_MAX;
    case 5:
        return one;
    case 6:
    case 7:
        return favourite[r & 3];
    default:
        return often == 1 ? r : before;
    }
}

static uint64_t any_bits(const bus *b) {
    uint64_t r = next_random(), s = next_random() & next_random();
    if (!strncmp(b->name, "rst_ni/", 7)) { /* a third of the episodes is in reset once in 256 cycles */
        if (b->often != 0)
            return UINT64_MAX;
        for (int i = 0; i < 5; i++)
            s &= next_random();
        return ~(r & s);
    }
    return b->often == 0 ? r & s : b->often == 1 ? r : r | ~s;
}

/* Draws new inputs for the runs in the mask. */
static void draw(circuit *c, uint64_t mask, const uint64_t mutant[LANES]) {
    for (bus *b = c->bus; b < c->bus + c->buses; b++) {
        const bool selects = !strncmp(b->name, "mutant/", 7);
        if (b->bits == 1 && !selects) {
            uint64_t *v = &c->value[b->input[0] + 1];
            *v = (*v & ~mask) | (any_bits(b) & mask);
            continue;
        }
        for (unsigned lane = 0; lane < LANES; lane++)
            if (mask >> lane & 1)
                b->word[lane] = selects ? mutant[lane] : any_word(b->word[lane], b->often);
        for (unsigned bit = 0; bit < b->bits; bit++) {
            uint64_t v = 0;
            for (unsigned lane = 0; lane < LANES; lane++)
                v |= (b->word[lane] >> bit & 1) << lane;
            c->value[b->input[bit] + 1] = v;
        }
    }
}

static uint64_t of(const circuit *c, unsigned literal) {
    return c->value[literal / 2] ^ (literal % 2 ? UINT64_MAX : 0);
}

/* Tells in which runs a literal is 1. */
static uint64_t any_of(const circuit *c, const unsigned *literal, unsigned n, uint64_t flip) {
    uint64_t any = 0;
    for (unsigned i = 0; i < n; i++)
        any |= of(c, literal[i]) ^ flip;
    return any;
}

static void settle(circuit *c) {
    uint64_t *own = &c->value[c->inputs + c->latches + 1];
    for (unsigned i = 0; i < c->ands; i++)
        own[i] = of(c, c->operands[i][0]) & of(c, c->operands[i][1]);
}

static void step(circuit *c, uint64_t *scratch) {
    for (unsigned i = 0; i < c->latches; i++)
        scratch[i] = of(c, c->next[i]);
    memcpy(&c->value[c->inputs + 1], scratch, c->latches * sizeof *scratch);
}

/* Adds the runs that are refuted; a run whose constraints no draw meets ends. */
static void episode(circuit *c, unsigned cycles, const uint64_t mutant[LANES], uint64_t *refuted) {
    uint64_t *scratch = need(c->latches, sizeof *scratch), alive = ~*refuted;
    for (unsigned i = 0; i < c->latches; i++)
        c->value[c->inputs + 1 + i] = c->init[i] == 1 ? UINT64_MAX : 0;
    for (bus *b = c->bus; b < c->bus + c->buses; b++)
        b->often = next_random() % (b->bits == 1 ? 3 : 4);
    for (int i = 0; i < 4; i++)
        favourite[i] = next_random();
    for (unsigned cycle = 0; cycle < cycles && alive; cycle++) {
        uint64_t wrong = UINT64_MAX;
        for (unsigned i = 0; i < TRIES && wrong & alive; i++) {
            draw(c, wrong, mutant);
            settle(c);
            wrong = any_of(c, c->constraint, c->constraints, UINT64_MAX);
        }
        alive &= ~wrong;
        *refuted |= alive & any_of(c, c->bad, c->bads, 0);
        alive &= ~*refuted;
        step(c, scratch);
    }
    free(scratch);
}

int main(int argc, char **argv) {
    circuit c = {0};
    if (argc != 5)
        refuse("random_runs CIRCUIT.aig CIRCUIT.aim EPISODES CYCLES < NUMBERS");
    read_circuit(&c, argv[1]);
    read_names(&c, argv[2]);
    unsigned number;
    for (unsigned n = 1; n > 0;) {
        uint64_t mutant[LANES] = {0}, refuted = 0;
        for (n = 0; n < LANES - 1 && scanf("%u", &number) == 1; n++)
            mutant[n + 1] = number;
        if (n < LANES - 1)
            refuted = ~((1ull << (n + 1)) - 1);
        const uint64_t none = refuted;
        for (int i = 0; i < atoi(argv[3]); i++)
            episode(&c, (unsigned)atoi(argv[4]), mutant, &refuted);
        if (refuted & 1)
            refuse("the circuit without a mutant is refuted");
        for (unsigned lane = 1; lane <= n; lane++)
            if ((refuted & ~none) >> lane & 1)
                printf("%u\n", (unsigned)mutant[lane]);
        if (n < LANES - 1)
            break;
    }
    return 0;
}
