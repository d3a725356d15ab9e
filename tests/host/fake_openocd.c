/* fake_openocd.c - a program that answers on standard input and output like OpenOCD's Tcl RPC, in front of a
 * memory and a firmware with the behaviour named by FAKE_OPENOCD in the environment. Tests onyx's side of a
 * link without a chip or its model.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "firmware/protocol.h"
#include "firmware/registers.h"
#include "firmware/sums.h"
#include "tests/host/fake_chip.h"

/* Facts of board onyx. */
#define SRAM 0x20000000u
#define MAILBOX (SRAM + FW_MAILBOX_OFFSET)
#define GLB 0x20400000u
#define PLATFORM 0x40007000u
#define GLC 0x40010000u
enum { BANK_BYTES = 0x20000, INPUTS = 2, OUTPUTS = 1 };
enum { OUTPUT_TILE = 2, HALF_OF_TABLE = 0x10000 };

static fake_chip own, *chip = &own;
static const char *mode;
static bool running;         /* mode "waits": the first batch, until a load for the next batch */
static uint32_t busy_inputs; /* bank of a tile used by its loads */

static bool is(const char *name) {
    return strcmp(mode, name) == 0;
}

/* The chip's first words are said to be wrong. */
static bool is_free(uint32_t address) {
    return address - SRAM < FW_MAILBOX_OFFSET;
}

static uint8_t *memory(uint32_t address) {
    if (address - SRAM < FAKE_SRAM_BYTES)
        return &chip->sram[address - SRAM];
    if (address < FAKE_CODE_BYTES)
        return &chip->code[address];
    return address - GLB < FAKE_GLB_BYTES ? &chip->glb[address - GLB] : NULL;
}
static uint32_t *chip_register(uint32_t address) {
    if (address - PLATFORM < sizeof chip->platform)
        return &chip->platform[(address - PLATFORM) / 4];
    return address - GLC < sizeof chip->glc ? &chip->glc[(address - GLC) / 4] : NULL;
}
/* The array's word at the requested address. */
static uint32_t configured(void) {
    for (uint32_t i = 0; i < chip->n_array; i++) {
        if (chip->array[i].address == chip->glc[GLC_CFG_ADDRESS / 4])
            return chip->array[i].data;
    }
    return 0;
}
static uint32_t word(uint32_t address) {
    uint32_t value = 0;
    if (address == PLATFORM)
        return is("platform") ? 0x12345678 : 0x5a5a5a5a;
    if (address == GLC + GLC_CFG_READ_DATA)
        return configured();
    if (address == CORE_BASE + CORE_DWT_CYCCNT)
        return chip->halted ? chip->cycles : ++chip->cycles;
    if (chip_register(address))
        return *chip_register(address);
    if (is_free(address))
        return 0xbadbad00;
    if (memory(address))
        memcpy(&value, memory(address), 4);
    return value;
}
static void set_word(uint32_t address, uint32_t value) {
    if (chip_register(address))
        *chip_register(address) = value;
    if (memory(address))
        memcpy(memory(address), &value, 4);
}

/* ---- the firmware -------------------------------------------------------------------------------- */

static void add_cycles(uint32_t counter, uint32_t cycles) {
    uint32_t at = MAILBOX + FW_MAILBOX_CYCLES + 8 * counter;
    set_word(at, word(at) + cycles);
}

/* Sets the clocks, and configures the image in the buffer. */
static void start_array(void) {
    memset(chip->platform, 0, sizeof chip->platform);
    chip->platform[PLATFORM_SYS_CLK_SELECT / 4] = 1;
    memset(chip->glc, 0, sizeof chip->glc);
    chip->n_array = word(GLB) == FW_IMAGE_MAGIC ? word(GLB + offsetof(fw_image_header, words)) : 0;
    if (chip->n_array > FAKE_WORDS)
        exit(8);
    memcpy(chip->array, chip->glb + sizeof(fw_image_header), sizeof *chip->array * chip->n_array);
}

static void boot(void) {
    chip->boots++;
    chip->halted = chip->deaf = false;
    memset(memory(MAILBOX), 0, FW_MAILBOX_BYTES);
    start_array();
    if (is("silent") || is("interrupts"))
        return;
    add_cycles(0, 1000);
    set_word(MAILBOX + 4, is("version") ? 99 : FW_PROTOCOL_VERSION);
    set_word(MAILBOX + FW_MAILBOX_STATE, is("image") ? FW_STATE_FAILED : FW_STATE_READY);
    set_word(MAILBOX + FW_MAILBOX_ERROR, is("image") ? FW_ERROR_IMAGE_SUMS : 0);
    set_word(MAILBOX + FW_MAILBOX_REWRITTEN, is("rewritten") ? 3 : 0);
    set_word(MAILBOX, FW_MAILBOX_MAGIC);
}

/* Run r of the batch copies its first load, plus one a word, to the only output; each run after the previous
 * run. */
static void run_batch(void) {
    uint32_t runs = word(MAILBOX + FW_MAILBOX_RUNS), table = word(MAILBOX + FW_MAILBOX_TABLE);
    uint32_t out = (2 * OUTPUT_TILE + (word(MAILBOX + FW_MAILBOX_OUTPUTS) >> OUTPUT_TILE & 1)) * BANK_BYTES;
    out += is("odd") ? 2 : 0; /* not aligned to a word of 32 bits */
    for (uint32_t r = 0; r < runs; r++) {
        uint32_t row = table + r * fw_row_bytes(INPUTS, OUTPUTS), in = word(row), words = word(row + 4);
        for (uint32_t w = 0; w < words; w++) {
            uint16_t value;
            memcpy(&value, &chip->glb[in + 2 * w], 2);
            value++;
            memcpy(&chip->glb[out + 2 * w], &value, 2);
        }
        set_word(row + 8 * INPUTS, is("range") ? FAKE_GLB_BYTES : out);
        set_word(row + 8 * INPUTS + 4, words);
        set_word(row + 8 * INPUTS + 8, 100 + r);
        out += 2 * words;
        add_cycles(1, 100 + r);
        add_cycles(2, 10);
    }
}

/* Mode "flips": a bit of the buffer flips when the first segment in the buffer is checked. */
static void check_segment(uint32_t number) {
    const uint32_t at = word(MAILBOX + FW_MAILBOX_TABLE), bytes = word(MAILBOX + FW_MAILBOX_RUNS);
    if (is("flips") && at >= GLB)
        *(uint8_t *)memory(at) ^= 4;
    const uint64_t sum = fw_sum(at, memory(at), bytes);
    chip->checks++;
    if (sum != (word(MAILBOX + FW_MAILBOX_SUM) | (uint64_t)word(MAILBOX + FW_MAILBOX_SUM + 4) << 32)) {
        set_word(MAILBOX + FW_MAILBOX_DETAIL, at);
        set_word(MAILBOX + FW_MAILBOX_ERROR, FW_ERROR_SEGMENT_SUMS);
        set_word(MAILBOX + FW_MAILBOX_STATE, FW_STATE_FAILED);
    }
    set_word(MAILBOX + FW_MAILBOX_DONE, number);
}

static void command_written(void) {
    uint32_t batch = word(MAILBOX + FW_MAILBOX_COMMAND);
    if (chip->halted || chip->deaf)
        return;
    if (word(MAILBOX + FW_MAILBOX_CALLEE) == FW_CHECK) {
        check_segment(batch);
        return;
    }
    if (is("timeout") || is("run")) {
        set_word(MAILBOX + FW_MAILBOX_STATE, is("run") ? FW_STATE_FAILED : FW_STATE_RUNNING);
        set_word(MAILBOX + FW_MAILBOX_ERROR, is("run") ? FW_ERROR_RUN_TIMEOUT : 0);
        set_word(MAILBOX + FW_MAILBOX_DETAIL, 0x10002);
        return;
    }
    if (is("dies") && batch == 2)
        exit(3);
    if (is("waits") && batch == 1) {
        running = true;
        busy_inputs = word(word(MAILBOX + FW_MAILBOX_TABLE)) / BANK_BYTES;
        set_word(MAILBOX + FW_MAILBOX_STATE, FW_STATE_RUNNING);
        return;
    }
    run_batch();
    set_word(MAILBOX + FW_MAILBOX_DONE, batch);
}

/* Memory is accessed while a batch runs: banks of the batch are exclusive. The first access for the next
 * batch ends the batch. */
static void touched(uint32_t address, uint32_t bytes, bool write) {
    uint32_t table = word(MAILBOX + FW_MAILBOX_TABLE), bank = (address - GLB) / BANK_BYTES;
    if (!running)
        return;
    if (address - GLB < FAKE_GLB_BYTES &&
        (bank % 2 == busy_inputs % 2 ? bank / 2 < INPUTS : bank / 2 == OUTPUT_TILE))
        exit(5);
    if (write && address - SRAM < FAKE_SRAM_BYTES && bytes > 4) {
        if (address / HALF_OF_TABLE == table / HALF_OF_TABLE)
            exit(6);
        running = false;
        run_batch();
        set_word(MAILBOX + FW_MAILBOX_DONE, word(MAILBOX + FW_MAILBOX_COMMAND));
        set_word(MAILBOX + FW_MAILBOX_STATE, FW_STATE_READY);
    }
}

/* ---- the commands -------------------------------------------------------------------------------- */

static void end_answer(void) {
    putchar(0x1A);
    fflush(stdout);
}

static void reply(bool failed, const char *format, ...) {
    va_list list;
    va_start(list, format);
    printf("%d ", failed);
    vprintf(format, list);
    va_end(list);
    end_answer();
}

/* Mode "interrupts": onyx gets a signal between two polls of a program that does not start, when polls are
 * far apart. */
static void interrupt_between_looks(uint32_t address) {
    static uint32_t looks;
    if (!is("interrupts") || address != MAILBOX + FW_MAILBOX_STATE || ++looks < 8)
        return;
    nanosleep(&(const struct timespec){.tv_nsec = 20000000}, NULL);
    kill(getppid(), SIGINT);
}

static void read_memory(const char *text) {
    unsigned address, bits, n;
    if (sscanf(text, "read_memory %x %u %u", &address, &bits, &n) != 3 || bits != 32 || address % 4) {
        reply(true, "what?");
        return;
    }
    if (is("dies later") && address == MAILBOX + FW_MAILBOX_STATE && word(MAILBOX + FW_MAILBOX_COMMAND) == 2)
        exit(3);
    printf("0");
    for (unsigned i = 0; i < n; i++)
        printf(" 0x%x", word(address + 4 * i));
    end_answer();
    interrupt_between_looks(address);
}

static void write_memory(const char *text) {
    unsigned address, bits, value;
    if (sscanf(text, "write_memory %x %u {%x}", &address, &bits, &value) != 3 || bits != 32 || address % 4) {
        reply(true, "what?");
        return;
    }
    set_word(address, value);
    if (address == MAILBOX + FW_MAILBOX_COMMAND)
        command_written();
    reply(false, "");
}

/* Memory faults of a chip: a stuck bit, and a stuck address line, which merges two words. */
static void spoil_sram(void) {
    if (is("table"))
        chip->sram[FW_TABLE_OFFSET + 7] &= 0xfe;
    if (is("cell"))
        chip->sram[0x3003] |= 4;
    if (is("line"))
        memcpy(&chip->sram[0x2000], &chip->sram[0x3000], 0x1000);
}

/* load_image or dump_image of plain bytes. */
static void image(const char *text, bool load) {
    char path[1024];
    unsigned address, bytes = 0;
    const char *form = load ? "load_image {%1023[^}]} %x bin" : "dump_image {%1023[^}]} %x %u";
    if (sscanf(text, form, path, &address, &bytes) < (load ? 2 : 3) || !memory(address)) {
        reply(true, "what?");
        return;
    }
    FILE *f = fopen(path, load ? "rb" : "wb");
    size_t done = !f     ? 0
                  : load ? fread(memory(address), 1, BANK_BYTES, f)
                         : fwrite(memory(address), 1, bytes, f);
    if (f)
        fclose(f);
    spoil_sram();
    touched(address, (uint32_t)done, load);
    reply(!f || done == 0, "%zu bytes", done);
}

/* load_image of a program, also of an invalid file. Its segments are at their physical addresses. */
static void load_program(const char *text) {
    static uint8_t file[0x10000];
    char path[1024];
    FILE *f = sscanf(text, "load_image {%1023[^}]}", path) == 1 ? fopen(path, "rb") : NULL;
    const size_t n = f ? fread(file, 1, sizeof file, f) : 0;
    enum { PHOFF = 28, PHNUM = 44, HEADER_WORDS = 8, AT = 1, ADDRESS = 3, BYTES = 4 };
    if (f)
        fclose(f);
    for (uint32_t i = 0; n > PHNUM && memcmp(file, "\177ELF", 4) == 0 && i < file[PHNUM]; i++) {
        uint32_t header[HEADER_WORDS];
        memcpy(header, file + file[PHOFF] + sizeof header * i, sizeof header);
        memcpy(memory(header[ADDRESS]), file + header[AT], header[BYTES]);
    }
    reply(is("load"), is("load") ? "checksum wrong" : "");
}

/* A chip whose state outlives this program. */
static void find_chip(void) {
    const char *path = getenv("FAKE_CHIP");
    int file = path ? open(path, O_RDWR | O_CREAT, 0666) : -1;
    if (!path)
        return;
    if (file < 0 || ftruncate(file, sizeof *chip) != 0)
        exit(9);
    chip = mmap(NULL, sizeof *chip, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (chip == MAP_FAILED)
        exit(9);
}

static bool begins(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

static void serve(const char *text) {
    if (begins(text, "init"))
        reply(is("init"), is("init") ? "no device found" : "");
    else if (begins(text, "poll off; irscan"))
        reply(false, is("idcode") ? "2ba01477" : is("wires") ? "ffffffff" : "4ba00477");
    else if (begins(text, "reset halt"))
        reply(is("halt"), "");
    else if (begins(text, "reset run")) {
        boot();
        reply(false, "");
    } else if (begins(text, "read_memory"))
        read_memory(text);
    else if (begins(text, "write_memory"))
        write_memory(text);
    else if (begins(text, "load_image") && strstr(text, " elf"))
        load_program(text);
    else if (begins(text, "verify_image"))
        reply(is("verify"), "");
    else if (begins(text, "load_image") || begins(text, "dump_image"))
        image(text, begins(text, "load_image"));
    else
        reply(true, "invalid command name");
}

int main(void) {
    static char text[16384];
    size_t n = 0;
    int c;
    mode = getenv("FAKE_OPENOCD") ? getenv("FAKE_OPENOCD") : "";
    find_chip();
    if (getpgrp() != getpid()) /* Ctrl-C is for onyx, which ends this program itself */
        return 7;
    while ((c = getchar()) != EOF) {
        if (c != 0x1A && n + 1 < sizeof text) {
            text[n++] = (char)c;
            continue;
        }
        text[n] = '\0';
        n = 0;
        char *begin = strstr(text, "[catch {"), *end = strstr(text, "} onyx_reply]");
        if (!begin || !end) { /* the first request, which asks for a sign of life */
            printf("1\x1a");
            fflush(stdout);
            continue;
        }
        *end = '\0';
        serve(begin + strlen("[catch {"));
    }
    return 0;
}
