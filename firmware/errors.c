/* Texts of the firmware's error numbers. */
#include "firmware/fw_int.h"

static const fw_error_info table[] = {
#define FW_ERROR(name, number, message, first, second, hint) {number, #name, message, {first, second}, hint},
#include "firmware/errors.def"
#undef FW_ERROR
};

const fw_error_info *fw_error_find(uint32_t number) {
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].number == number)
            return &table[i];
    }
    return NULL;
}
