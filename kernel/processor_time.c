/* processor_time.c - see processor_time.h. */
#include "kernel/processor_time.h"

const char *compile_processor_range(uint64_t counted, const uint64_t lag[2], arena *mem) {
    if (!lag[1])
        return NULL;
    return arena_printf(mem,
                        "%s to %s cycles by instructions, memories and bus; %s counted, one an instruction",
                        text_thousands(counted + lag[0], mem), text_thousands(counted + lag[1], mem),
                        text_thousands(counted, mem));
}

void compile_processor_range_json(uint64_t counted, const uint64_t lag[2], cJSON *to) {
    if (!lag[1])
        return;
    cJSON *range = cJSON_AddObjectToObject(to, "processor");
    cJSON_AddNumberToObject(range, "least", (double)(counted + lag[0]));
    cJSON_AddNumberToObject(range, "most", (double)(counted + lag[1]));
}
