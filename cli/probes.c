/* Finds debug probes among the USB devices, by Linux' files of each device. */
#include "cli/doctor.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

/* Vendors of probes with an OpenOCD driver, or of chips used in probes. */
static const struct {
    const char *vendor, *what;
} known[] = {
    {"0483", "ST-Link"},    {"1366", "J-Link"},  {"0403", "FTDI"},
    {"15ba", "Olimex"},     {"0d28", "DAPLink"}, {"03eb", "Atmel-ICE or EDBG"},
    {"c251", "Keil ULINK"},
};

/* Returns the first line of a device's file; "" for a missing file. */
static const char *line_of(const char *folder, const char *name, arena *mem) {
    size_t length = 0;
    char *text = file_read_if_there(arena_printf(mem, "%s/%s", folder, name), mem, &length);
    if (!text)
        return "";
    text[strcspn(text, "\n")] = '\0';
    return text;
}

/* NULL: no probe. A chip of FTDI or ST may be anything: its name must be that of a probe or unknown. */
static const char *probe_name(const char *folder, arena *mem) {
    const char *vendor = line_of(folder, "idVendor", mem), *product = line_of(folder, "product", mem);
    if (strstr(product, "CMSIS-DAP"))
        return product;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(vendor, known[i].vendor) == 0)
            return arena_printf(mem, "%s (%s:%s%s%s)", known[i].what, vendor,
                                line_of(folder, "idProduct", mem), *product ? " " : "", product);
    }
    return NULL;
}

static int by_place(const void *a, const void *b) {
    return strcmp(((const doctor_probe *)a)->where, ((const doctor_probe *)b)->where);
}

doctor_probes doctor_find_probes(const char *devices, const char *dev, arena *mem) {
    doctor_probes probes = {0};
    DIR *dir = opendir(devices);
    for (struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir)) {
        const char *folder = arena_printf(mem, "%s/%s", devices, e->d_name);
        const char *name = e->d_name[0] == '.' ? NULL : probe_name(folder, mem);
        if (!name)
            continue;
        const char *where =
            arena_printf(mem, "%s/bus/usb/%03d/%03d", dev, atoi(line_of(folder, "busnum", mem)),
                         atoi(line_of(folder, "devnum", mem)));
        vec_push(mem, &probes, ((doctor_probe){name, where, access(where, R_OK | W_OK) == 0}));
    }
    if (dir)
        closedir(dir);
    if (probes.len)
        qsort(probes.at, probes.len, sizeof *probes.at, by_place);
    return probes;
}
