/* Interned names: open addressing with linear probing, at most half full. */
#include "support/support.h"

void names_init(name_table *names, arena *mem) {
    *names = (name_table){.mem = mem};
}

/* Returns the slot of `text`, or the empty slot for `text`. */
static uint32_t names_slot(const name_table *names, const char *text, size_t length) {
    uint32_t mask = names->slot.len - 1;
    uint32_t i = (uint32_t)hash_short(text, length) & mask;
    for (;; i = (i + 1) & mask) {
        uint32_t id = names->slot.at[i];
        if (!id)
            return i;
        const char *known = names->text.at[id - 1];
        if (strncmp(known, text, length) == 0 && known[length] == '\0')
            return i;
    }
}

static void names_grow(name_table *names) {
    uint32_t size = names->slot.len ? names->slot.len * 2 : 64;
    names->slot.at = arena_new_n(names->mem, uint32_t, size);
    names->slot.len = names->slot.cap = size;
    for (uint32_t id = 1; id <= names->text.len; id++) {
        const char *text = names->text.at[id - 1];
        names->slot.at[names_slot(names, text, strlen(text))] = id;
    }
}

name_id names_intern_n(name_table *names, const char *text, size_t length) {
    if (length == 0)
        return (name_id){0};
    if (names->text.len * 2 >= names->slot.len)
        names_grow(names);
    uint32_t slot = names_slot(names, text, length);
    if (!names->slot.at[slot]) {
        vec_push(names->mem, &names->text, arena_strndup(names->mem, text, length));
        names->slot.at[slot] = names->text.len;
    }
    return (name_id){names->slot.at[slot]};
}

name_id names_intern(name_table *names, const char *text) {
    return names_intern_n(names, text, strlen(text));
}

name_id names_find(const name_table *names, const char *text) {
    if (!names->slot.len || !*text)
        return (name_id){0};
    return (name_id){names->slot.at[names_slot(names, text, strlen(text))]};
}

const char *names_text(const name_table *names, name_id id) {
    BUG_IF(id.v > names->text.len, "name %u of %u", id.v, names->text.len);
    return id.v ? names->text.at[id.v - 1] : "";
}
