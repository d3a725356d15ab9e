/* random_runs.c - which mutants of a circuit random inputs refute, 63 at a time: each bit of a 64-bit word is
 * a run with a mutant of its own, bit 0 one without.
 *
 * random_runs CIRCUIT.aig CIRCUIT.aim EPISODES CYCLES [NAME=MASK...] < NUMBERS: prints the refuted numbers.
 * The circuit is AIGER 1.9 with bad states and constraints, its input `mutant` selects; the map names inputs.
 * All runs have the same inputs, those of a NAME mostly within its MASK; of a mask of 0 mostly 0. Fails if
 * the run without a mutant is refuted. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 64, TRIES = 12, NAME = 200 };

typedef struct {
    char name[NAME];
    unsigned bits, *input; /* the circuit's input of each bit */
    uint64_t word;
    unsigned often;  /* by episode: 0 rarely another word than 0 (a bit: 1), 1 half the time, 2 mostly, 3
                        favourites */
    unsigned rare;   /* of kind 0: another word once in 2^rare cycles */
    uint64_t within; /* the bits of its most frequent words; 0: mostly 0 */
    bool start;      /* counts in the first cycle alone */
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
    b->within = UINT64_MAX;
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
        b->start = true;
        b->input[b->bits++] = input;
    }
    free(named);
    fclose(f);
}

static uint64_t favourite[4]; /* of an episode: addresses are written and read */

static uint64_t any_word(const bus *b) {
    const uint64_t r = next_random(), one = 1ull << next_random() % 32;
    if (b->within != 0 && b->within != UINT64_MAX && r >> 60 != 0)
        return r & b->within;
    if (b->often == 0)
        return r >> (64 - b->rare) ? 0 : r & 3 ? one : next_random();
    if (b->often == 3)
        return favourite[r & 3];
    switch (next_random() >> 32 & (b->often == 1 ? 7 : 31)) {
    case 0:
        return r;
    case 1:
    case 2:
        return r & 255u >> (r >> 61);
    case 3:
        return one;
    case 4:
        return one | (r & 255u >> (r >> 61));
    case 5:
        return r & 8 ? 0 : UINT64_MAX;
    case 6:
    case 7:
        return favourite[r & 3];
    default:
        return b->often == 1 ? r : b->word;
    }
}

static uint64_t any_bit(const bus *b) {
    const uint64_t r = next_random() >> 32;
    if (!strncmp(b->name, "rst_ni/", 7)) /* a third of the episodes is in reset once in 256 cycles */
        return b->often != 0 || r & 255;
    return b->often == 0 ? !(r >> (32 - b->rare)) : b->often == 1 ? r & 1 : (r & 3) != 0;
}

/* Draws new inputs for the runs in the mask, the same for each. */
static void draw(circuit *c, uint64_t mask, bool first) {
    for (bus *b = c->bus; b < c->bus + c->buses; b++) {
        if (!strncmp(b->name, "mutant/", 7) || (b->start && !first))
            continue;
        b->word = b->bits == 1 ? any_bit(b) : any_word(b);
        for (unsigned bit = 0; bit < b->bits; bit++) {
            uint64_t *v = &c->value[b->input[bit] + 1];
            *v = (*v & ~mask) | (b->word >> bit & 1 ? mask : 0);
        }
    }
}

/* Selects the mutant of each run. */
static void select_mutants(circuit *c, const uint64_t mutant[LANES]) {
    const bus *b = bus_named(c, "mutant/0");
    for (unsigned bit = 0; bit < b->bits; bit++) {
        uint64_t v = 0;
        for (unsigned lane = 0; lane < LANES; lane++)
            v |= (mutant[lane] >> bit & 1) << lane;
        c->value[b->input[bit] + 1] = v;
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

/* Chooses how an input behaves in an episode. */
static void behave(bus *b) {
    b->rare = 2 + (unsigned)(next_random() % (b->bits == 1 ? 2 : 9));
    b->often = (unsigned)(next_random() % (b->bits == 1 ? 3 : 4));
    if (b->within == 0 && next_random() % 4 != 0)
        b->often = 0;
}

/* Adds the runs that are refuted; a run whose constraints no draw meets ends. */
static void episode(circuit *c, unsigned cycles, uint64_t *refuted) {
    uint64_t *scratch = need(c->latches, sizeof *scratch), alive = ~*refuted;
    for (unsigned i = 0; i < c->latches; i++)
        c->value[c->inputs + 1 + i] = c->init[i] == 1 ? UINT64_MAX : 0;
    for (bus *b = c->bus; b < c->bus + c->buses; b++)
        behave(b);
    for (int i = 0; i < 4; i++)
        favourite[i] = next_random();
    for (unsigned cycle = 0; cycle < cycles && alive; cycle++) {
        uint64_t wrong = UINT64_MAX;
        for (unsigned i = 0; i < TRIES && wrong & alive; i++) {
            draw(c, wrong, cycle == 0);
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

/* Takes NAME=MASK. */
static void limit(circuit *c, const char *text) {
    char name[NAME];
    long long within;
    if (sscanf(text, "%190[^=]=%lli", name, &within) != 2)
        refuse("NAME=MASK is missing");
    strcat(name, "/0");
    bus *b = bus_named(c, name);
    if (b->bits == 0)
        refuse("no input has this name");
    b->within = (uint64_t)within;
}

int main(int argc, char **argv) {
    circuit c = {0};
    if (argc < 5)
        refuse("random_runs CIRCUIT.aig CIRCUIT.aim EPISODES CYCLES [NAME=MASK...] < NUMBERS");
    read_circuit(&c, argv[1]);
    read_names(&c, argv[2]);
    for (int i = 5; i < argc; i++)
        limit(&c, argv[i]);
    unsigned number;
    for (unsigned n = 1; n > 0;) {
        uint64_t mutant[LANES] = {0}, refuted = 0;
        for (n = 0; n < LANES - 1 && scanf("%u", &number) == 1; n++)
            mutant[n + 1] = number;
        if (n < LANES - 1)
            refuted = ~((1ull << (n + 1)) - 1);
        const uint64_t none = refuted;
        select_mutants(&c, mutant);
        for (int i = 0; i < atoi(argv[3]); i++)
            episode(&c, (unsigned)atoi(argv[4]), &refuted);
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
