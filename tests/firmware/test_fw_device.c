/* The firmware compiled for the host, on a model of the chip: accesses to registers, contents of the run
 * table, and reports about a misbehaving chip. */
#include "tests/firmware/fw_device_cases.h"

int main(void) {
    return fw_boots() + fw_runs() + fw_images() + fw_lists() + fw_vectors() + fw_entries() + fw_values();
}
