/* Marks of records: a keyed checksum with this user's private key. */
#include "cli/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- SipHash-2-4 (Aumasson and Bernstein 2012): nobody without the key can make the checksum -------------
 */

typedef struct {
    uint64_t half[2];
} trust_key;

static uint64_t rotated(uint64_t x, unsigned by) {
    return x << by | x >> (64 - by);
}

static void sip_round(uint64_t v[4]) {
    v[0] += v[1];
    v[2] += v[3];
    v[1] = rotated(v[1], 13) ^ v[0];
    v[3] = rotated(v[3], 16) ^ v[2];
    v[0] = rotated(v[0], 32);
    v[2] += v[1];
    v[0] += v[3];
    v[1] = rotated(v[1], 17) ^ v[2];
    v[3] = rotated(v[3], 21) ^ v[0];
    v[2] = rotated(v[2], 32);
}

static void sip_word(uint64_t v[4], uint64_t word) {
    v[3] ^= word;
    sip_round(v);
    sip_round(v);
    v[0] ^= word;
}

static uint64_t sip_hash(const trust_key *key, const char *text, size_t length) {
    uint64_t v[4] = {key->half[0] ^ 0x736f6d6570736575, key->half[1] ^ 0x646f72616e646f6d,
                     key->half[0] ^ 0x6c7967656e657261, key->half[1] ^ 0x7465646279746573};
    uint64_t word = 0;
    for (size_t i = 0; i < length; i++) {
        word |= (uint64_t)(unsigned char)text[i] << 8 * (i % 8);
        if (i % 8 == 7) {
            sip_word(v, word);
            word = 0;
        }
    }
    sip_word(v, word | (uint64_t)length << 56);
    v[2] ^= 0xff;
    for (int i = 0; i < 4; i++)
        sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* ---- the key --------------------------------------------------------------------------------------------
 */

/* A key readable by other users, or owned by another user, is refused. */
static bool read_key(const char *path, trust_key *key) {
    struct stat info;
    const int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    const bool ok = file >= 0 && fstat(file, &info) == 0 && S_ISREG(info.st_mode) &&
                    info.st_uid == geteuid() && !(info.st_mode & 077) &&
                    read(file, key, sizeof *key) == (ssize_t)sizeof *key;
    if (file >= 0)
        close(file);
    return ok;
}

/* The key appears under its name when complete; if two commands make a key, the first one stays. */
static void make_key(const char *path, arena *mem) {
    trust_key key;
    const char *temporary = arena_printf(mem, "%s.%ld.part", path, (long)getpid());
    if (getrandom(&key, sizeof key, 0) != (ssize_t)sizeof key)
        return;
    const int file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0)
        return;
    const bool ok = write(file, &key, sizeof key) == (ssize_t)sizeof key;
    if (close(file) == 0 && ok && link(temporary, path) != 0)
        errno = 0; /* another command was faster, or the file system has no links: no key */
    unlink(temporary);
}

static bool find_key(cli_session *s, bool make, trust_key *key) {
    const char *folder = folder_of_user("XDG_STATE_HOME", ".local/state", &s->mem);
    diagnostics quiet;
    diag_init(&quiet, &s->mem);
    if (!folder)
        return false;
    const char *path = arena_printf(&s->mem, "%s/key", folder);
    if (make && access(path, F_OK) != 0 && make_folder(folder, &quiet))
        make_key(path, &s->mem);
    return read_key(path, key);
}

/* ---- records ----------------------------------------------------------------------------------------------
 */

const char *trust_mark(cli_session *s, const char *where, const text_vec *words, bool first) {
    trust_key key;
    text_out out;
    if (!find_key(s, first, &key))
        return NULL;
    text_begin(&out);
    fprintf(out.stream, "%zu:%s", strlen(where), where);
    for (uint32_t i = 0; i < words->len; i++)
        fprintf(out.stream, "%zu:%s", strlen(words->at[i]), words->at[i]);
    const char *text = text_end(&out, &s->mem);
    return arena_printf(&s->mem, "%016llx", (unsigned long long)sip_hash(&key, text, strlen(text)));
}

const char *trust_names_c(const command_line *then) {
    const text_vec *paths = &then->compile.written.functions;
    for (uint32_t i = 0; i < paths->len; i++) {
        const char *path = paths->at[i], *dot = strrchr(path, '.');
        const bool plain = strcmp(path, "library") == 0 || strcmp(path, "none") == 0;
        if (!plain && !(dot && strcmp(dot, ".fn") == 0 && !is_folder(path)))
            return path;
    }
    return NULL;
}

bool trust_allows(cli_session *s, const char *folder, const cli_record *r) {
    const char *path = trust_names_c(&r->then);
    if (!path || r->ours || s->options.every.trust)
        return true;
    diag_error(&s->diag, (src_loc){0}, "E0957-untrusted",
               "the command that '%s' records compiles and runs the C that '%s' names, with your rights, and "
               "you did not "
               "record it on this machine",
               folder, path);
    return diag_hint(&s->diag,
                     "look at %s/command.json and at what '%s' names; then say --trust (docs/trust.md)",
                     folder, path);
}
