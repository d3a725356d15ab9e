/* Sums of segments, recomputed by the firmware on arrival, and of whole files of batches. */
#include "firmware/sums.h"
#include "firmware/fw_int.h"

enum { FILE_PIECE = 1 << 16 };

uint64_t fw_sum(uint32_t address, const uint8_t *content, uint32_t bytes) {
    uint64_t half[2] = {0, 0}, weight = address;
    for (uint32_t at = 0; at < bytes; at += 4) {
        uint32_t word = 0;
        for (uint32_t b = 0; b < 4 && at + b < bytes; b++)
            word |= (uint32_t)content[at + b] << 8 * b;
        weight = address + (uint64_t)at / 8 * 8 + 8;
        half[at / 4 % 2] += weight * word;
    }
    return half[0] + FW_SUM_FACTOR * half[1];
}

static bool check_one(const fw_check_by *by, const fw_put *one, uint32_t number) {
    const uint32_t words[][2] = {
        {FW_MAILBOX_RUNS, one->bytes},         {FW_MAILBOX_TABLE, one->address},
        {FW_MAILBOX_SUM, (uint32_t)one->hash}, {FW_MAILBOX_SUM + 4, (uint32_t)(one->hash >> 32)},
        {FW_MAILBOX_CALLEE, FW_CHECK},         {FW_MAILBOX_COMMAND, number}};
    for (uint32_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!by->put(by->context, words[i][0], words[i][1]))
            return false;
    }
    return by->wait(by->context, number);
}

bool fw_check_loaded(const fw_check_by *by, fw_puts *all, uint32_t *asked) {
    bool good = true;
    for (uint32_t i = 0; i < all->len && good; i++)
        good = check_one(by, &all->at[i], FW_CHECK_NUMBER | ++*asked % FW_CHECK_NUMBER);
    all->len = 0;
    return good;
}

bool fw_hash_file(FILE *in, uint64_t bytes, uint64_t *hash) {
    uint8_t piece[FILE_PIECE];
    *hash = 0;
    while (bytes) {
        const size_t n = bytes < FILE_PIECE ? (size_t)bytes : FILE_PIECE;
        if (fread(piece, 1, n, in) != n)
            return false;
        *hash = hash_more(*hash, piece, n);
        bytes -= n;
    }
    return true;
}

bool fw_seal(const char *path) {
    uint64_t hash = 0;
    FILE *f = fopen(path, "rb+");
    bool ok = f && fseek(f, 0, SEEK_END) == 0;
    const long length = ok ? ftell(f) : -1;
    ok = length >= 0 && fseek(f, 0, SEEK_SET) == 0 && fw_hash_file(f, (uint64_t)length, &hash) &&
         fseek(f, 0, SEEK_END) == 0;
    if (ok) {
        file_put_u32(f, (uint32_t)hash);
        file_put_u32(f, (uint32_t)(hash >> 32));
    }
    return f && fclose(f) == 0 && ok;
}

bool fw_commit_batches(file_out *f, diagnostics *d) {
    if (f->temporary && fflush(f->stream) == 0 && !ferror(f->stream) && !fw_seal(f->temporary)) {
        diag_error(d, (src_loc){0}, "E0004-write", "cannot write '%s'", f->path);
        return file_abandon(f);
    }
    return file_commit(f, d);
}
