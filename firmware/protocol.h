/* protocol.h - the contract between the firmware and its hosts: the mailbox, the run table, the batch file.
 * docs/firmware.md is the text. C and C++; without other headers of the project.
 */
#ifndef ONYX_PROTOCOL_H
#define ONYX_PROTOCOL_H

#include <stddef.h>
#include <stdint.h>

enum { FW_PROTOCOL_VERSION = 14 };
#define FW_MAILBOX_MAGIC 0x584e594fu /* "OYNX" */

enum { FW_STATE_BOOTING, FW_STATE_READY, FW_STATE_RUNNING, FW_STATE_FAILED };

enum {
#define FW_ERROR(name, number, message, first, second, hint) FW_ERROR_##name = (number),
#include "errors.def"
#undef FW_ERROR
};

/* Nothing lies in the first 64 bytes of SRAM: programs for the chip have found its first words wrong, and say
 * no cause. */
enum { FW_MAILBOX_OFFSET = 0x40 };

/* The mailbox (mailbox.def). */
typedef struct {
#define FW_WORD(member, key, writer, doc) uint32_t member;
#define FW_PAIR(member, key, writer, doc) uint32_t member[2];
#include "mailbox.def"
#undef FW_WORD
#undef FW_PAIR
} fw_mailbox;

/* Offsets of the members in the mailbox, for a host that reads and writes single words. */
enum {
#define FW_WORD(member, key, writer, doc) FW_MAILBOX_##key = offsetof(fw_mailbox, member),
#define FW_PAIR FW_WORD
#include "mailbox.def"
#undef FW_WORD
#undef FW_PAIR
    FW_MAILBOX_BYTES = 0x80 /* of all of it: mailbox.c asserts so */
};

/* The record of a fault, in SRAM at the address that mailbox.record has, 0 without a fault (fault.def). */
typedef struct {
#define FW_FAULT_WORD(member, doc) uint32_t member;
#include "fault.def"
#undef FW_FAULT_WORD
} fw_fault_record;

/* The run table lies in this range of SRAM, above the firmware's data and stack. row.def has the fields of a
 * row; the host writes loads, the firmware stores and the end. With independent starts of copies (lanes), a
 * row is a run of one copy and its loads are those of the first copy; the firmware writes the number of the
 * copy, and the number of the start in the batch, counted from 0. */
enum { FW_TABLE_OFFSET = 0x4000, FW_TABLE_END = 0x1c000 };
enum {
#define FW_ROW_FIELD(section, field, word, low, bits, writer, doc)                                           \
    FW_WORD_##section##_##field = (word), FW_AT_##section##_##field = 4 * (word),                            \
    FW_LOW_##section##_##field = (low), FW_BITS_##section##_##field = (bits),
#include "row.def"
#undef FW_ROW_FIELD
    FW_CELL_BYTES = 8,
    FW_END_BYTES = 8
};
/* These say how many bytes behind a row's begin a cell lies, and how long the row is. */
static inline uint32_t fw_load_cell(uint32_t input) {
    return FW_CELL_BYTES * input;
}
static inline uint32_t fw_store_cell(uint32_t inputs, uint32_t output) {
    return FW_CELL_BYTES * (inputs + output);
}
static inline uint32_t fw_row_bytes(uint32_t inputs, uint32_t outputs) {
    return FW_CELL_BYTES * (inputs + outputs) + FW_END_BYTES;
}

/* A batch may be of a function of the program instead: its runs are rows of calls made by the processor. A
 * row has a cell for each input, a cell for the result, whose number of words the host gives, and an end with
 * lane and start 0. All inputs are in one bank, and results in the other, of
 * the last GLB tile; each begins at a multiple of four bytes. No stream runs meanwhile. With FW_OVERLAPPED
 * the batch is over at once, and its calls are made while later batches wait for the array; tables of later
 * batches must not reach the batch's own table, and their streams must not use the bank added to the number:
 * inputs are in this bank, and results in its second half. The same batch with FW_REST makes the remaining
 * calls, and completes the rows. With FW_HEADED inputs may be in any bank, results are in the bank added to
 * the number, and the first word of each becomes the number of its other words: a load's block. */
#define FW_FUNCTION 0xf0000000u /* and its number; no bit of a kernel's number sets these bits */
#define FW_OVERLAPPED 0x01000000u
#define FW_REST 0x02000000u
#define FW_HEADED 0x04000000u
enum { FW_BANK_SHIFT = 16, FW_BANK_MASK = 255 }; /* banks, counted from the buffer's start */
#define FW_HOW (FW_OVERLAPPED | FW_REST | FW_HEADED | (uint32_t)FW_BANK_MASK << FW_BANK_SHIFT)
enum { FW_FUNCTIONS_MOST = 4096, FW_FUNCTION_INPUTS_MOST = 13 };

/* A batch may be a list of commands run by the processor itself: `table` is its address in the tables' area,
 * `runs` the most commands to do. The list has {commands, number of the command after the last}, followed by
 * the commands, FW_COMMAND_BYTES each. commands.def has their fields, docs/firmware.md (Lists) their effects:
 * a batch, a test that ends the list, copies, and commands that make a load's words from stored results. A
 * refused command ends the program with FW_ERROR_BAD_BATCH. */
#define FW_COMMAND_LIST 0xffffffffu

/* Or nothing runs, and a segment written by the host is checked: `table` is its address, `runs` its bytes,
 * `sum` its expected sum. The sum takes 32-bit words in pairs, the last pair filled up with zeros: the first
 * word of each pair times the address after the pair, added up modulo 2^64, plus the same of the second words
 * times FW_SUM_FACTOR. A flipped bit changes the sum: an address is nonzero and less than 2^32, and the
 * factor is odd. The program's own code has such a sum, its last eight bytes, checked at boot. */
#define FW_CHECK 0xfffffffeu
#define FW_CHECK_NUMBER 0x80000000u /* in the number of a check command: numbers of batches lack this bit */
#define FW_SUM_FACTOR UINT64_C(0x9e3779b97f4a7c15)
#define FW_TEST 0xe0000000u
#define FW_COPY 0xd0000000u
#define FW_SPREAD 0xc0000000u
#define FW_BLOCK 0xb0000000u
#define FW_PACK 0xa0000000u
#define FW_CALC 0x90000000u
#define FW_ENTRIES 0x80000000u /* no command of a kernel's is as large */
enum { FW_PACK_PADDED = 1, FW_PACK_ONES = 2, FW_PACK_ABSENT = 4, FW_PACK_LACKED = 8, FW_PACK_BITS = 15 };
/* STORED takes a run's stored entries; MORE appends to the entries of the block, OPEN announces further
 entries.
 */
enum { FW_PACK_STORED = 16, FW_PACK_MORE = 32, FW_PACK_OPEN = 64, FW_PACK_FILL_SHIFT = 8 };
enum {
    FW_ENTRIES_BEGIN,
    FW_ENTRIES_TAKE,
    FW_ENTRIES_SHAPE,
    FW_ENTRIES_LEVELS,
    FW_ENTRIES_AGAIN,
    FW_ENTRIES_KIND = 7,
    FW_ENTRIES_TURNED = 8,
    FW_ENTRIES_DENSE = 16,  /* and 32 of the second level */
    FW_ENTRIES_PADDED = 64, /* and 128 */
    FW_ENTRIES_BITS = 255,
    FW_ENTRIES_NONE = 255,
    FW_ENTRIES_HEAD = 96,
    FW_ENTRIES_ALIGNED = 8 /* the list's header is at the first aligned address from the place on */
};
/* Operations on two values: the second; their sum, and the rest of the table. Pieces of a vector are combined
 * by operations before FW_SPREADS. */
enum {
    FW_OP_SET,
    FW_OP_ADD,
    FW_OP_MIN,
    FW_OP_MAX,
    FW_OP_OR,
    FW_OP_AND,
    FW_SPREADS,
    FW_OP_SUB = FW_SPREADS,
    FW_OP_MUL,
    FW_OP_DIV,
    FW_OP_LESS, /* 1 if true, else 0, of the data type; for NaN only UNEQUAL is true */
    FW_OP_LESS_EQUAL,
    FW_OP_EQUAL,
    FW_OP_UNEQUAL,
    FW_OP_ROOT,    /* the square root of the first: for int16 rounded down, and 0 for negative values */
    FW_OP_COMPARE, /* of bf16 alone: -1, 0 or 1 as int16; 2 if either is NaN */
    FW_OPS,
    FW_CALC_NUMBER = 16
};
/* The scratch area lies after the staying tables, and before the longest list; its offsets in SRAM. */
enum { FW_SCRATCH_OFFSET = 0x8000, FW_SCRATCH_END = 0xd000 };
/* Its end is for values in between, of the commands of a statement. */
enum { FW_SCRATCH_VALUES = 16, FW_SCRATCH_ROOM = FW_SCRATCH_END - FW_SCRATCH_OFFSET - 4 * FW_SCRATCH_VALUES };
#define FW_SCRATCH 0x80000000u
enum { FW_TEST_LESS = 1, FW_TEST_EQUAL = 2, FW_TEST_GREATER = 4, FW_TEST_WORD = 8, FW_TEST_BITS = 15 };
enum { FW_LIST_HEAD = 8, FW_COMMAND_BYTES = 28, FW_COMMAND_CYCLES = 16 };

/* This header precedes a bitstream's words in the global buffer, in bank 0 of GLB tile 0, which has no other
 * user with several images; images follow each other. */
#define FW_IMAGE_MAGIC 0x49584e4fu /* "ONXI" */
enum { FW_IMAGE_VERSION = 2, FW_IMAGE_SUMS = 4 };
typedef struct {
    uint32_t magic, version;
    uint32_t board; /* array of the words: fw_board_id of the host, ONYX_BOARD_ID of the program */
    uint32_t words; /* {data, address} each, behind this header */
    /* The data of each word times the processor's address after the word, added up modulo 2^64, low half
     * first; and the same of the words' addresses. One or two flipped bits change a sum, since none of these
     * weights is another times a power of two and all products are below 2^63; two exchanged words change a
     * sum, too, since their addresses differ. */
    uint32_t sums[FW_IMAGE_SUMS];
} fw_image_header;

/* A batch file consists of little-endian 32-bit words: magic, version, inputs, outputs, batches, buffers,
 * callee (kernel that it is of, of those of all the program's images, with its inputs and outputs, or
 * function: as in the mailbox); per batch: runs, address of the run table, segments; per segment: address,
 * bytes, content padded to 4 bytes. With two buffers a batch can be loaded while the previous batch runs:
 * even and odd batches use different banks of each GLB tile and different halves of the table's area. A bank
 * does not arbitrate: nobody may access a bank while a stream uses it. The file of a list has callee
 * FW_COMMAND_LIST, one input, one output, one batch and one buffer: runs are its steps, the table is the
 * list, stored in a segment; the segments are followed by the pieces written by its stores, each an address
 * and bytes. With FW_COLLECT in the callee nothing runs: the batches' results are fetched, by rows completed
 * by lists; or by a row that is the file's only segment, for words moved since. The last eight bytes of any
 * file are the hash of all before: XXH64 of pieces of 64 KB, each with the hash of the earlier pieces as seed
 * (hash_more), low half first. */
#define FW_COLLECT 0x80000000u
#define FW_BATCH_MAGIC 0x42584e4fu    /* "ONXB" */
#define FW_AGAIN UINT32_C(0x80000000) /* in the bytes of a segment: written even if resident */
enum { FW_BATCH_VERSION = 9, FW_BUFFERS_MOST = 2 };
/* Kernels of an image, images of a program, kernels of all images. */
enum { FW_IMAGE_KERNELS_MOST = 16, FW_IMAGES_MOST = 16, FW_KERNELS_MOST = 64 };
/* For batch `i`, counted from 0: its buffer, the bank of its inputs and the bank of its outputs, the begin of
 * its share of the table's area (an offset in SRAM) and the share's length (in bytes). */
static inline uint32_t fw_buffer_of(uint32_t buffers, uint32_t i) {
    return i % buffers;
}
static inline uint32_t fw_input_bank(uint32_t buffers, uint32_t i) {
    return fw_buffer_of(buffers, i);
}
static inline uint32_t fw_output_bank(uint32_t buffers, uint32_t i) {
    return 1 - fw_buffer_of(buffers, i);
}
static inline uint32_t fw_table_bytes(uint32_t buffers) {
    return (FW_TABLE_END - FW_TABLE_OFFSET) / buffers;
}
static inline uint32_t fw_table_offset(uint32_t buffers, uint32_t i) {
    return FW_TABLE_OFFSET + fw_buffer_of(buffers, i) * fw_table_bytes(buffers);
}

#endif
