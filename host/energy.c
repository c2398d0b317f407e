#include "host/energy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/session.h"
#include "base/text.h"

enum { PACKAGES = 16, PATH = 512 };

struct met_energy {
    const char *unavailable;
    uint32_t count;
    const char *directories[PACKAGES];
    uint64_t ranges[PACKAGES]; /* the counter wraps after this, in microjoules */
    uint64_t begun[PACKAGES];
};

/* The number that a small file holds. */
static bool read_number(const char *directory, const char *name, uint64_t *ret_number)
{
    char path[PATH];
    int length = snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = length > 0 && (size_t)length < sizeof path ? fopen(path, "r") : NULL;
    if (!file)
        return false;
    bool good = fscanf(file, "%" SCNu64, ret_number) == 1;
    fclose(file);
    return good;
}

/* intel-rapl:0, intel-rapl:1 … are the packages; what is within one (intel-rapl:0:0) is counted with it. */
met_energy *met_energy_new(met_session *session)
{
    met_energy *energy = MET_NEW(session->arena, met_energy);
    const char *root = getenv("MET_SYS");
    for (unsigned p = 0; p < PACKAGES; p++) {
        uint64_t now;
        met_text path = met_text_new(session->arena);
        met_text_format(&path, "%s/class/powercap/intel-rapl:%u", root && root[0] ? root : "/sys", p);
        const char *directory = met_text_done(&path);
        if (!read_number(directory, "energy_uj", &now))
            break;
        if (!read_number(directory, "max_energy_range_uj", &energy->ranges[energy->count]))
            energy->ranges[energy->count] = UINT64_MAX;
        energy->directories[energy->count++] = directory;
    }
    if (energy->count == 0)
        energy->unavailable = "the system has no energy counter that this user may read";
    return energy;
}

const char *met_energy_unavailable(const met_energy *energy)
{
    return energy->unavailable;
}

void met_energy_begin(met_energy *energy)
{
    for (uint32_t p = 0; p < energy->count; p++)
        if (!read_number(energy->directories[p], "energy_uj", &energy->begun[p]))
            energy->begun[p] = 0;
}

double met_energy_end(met_energy *energy)
{
    double microjoules = 0;
    for (uint32_t p = 0; p < energy->count; p++) {
        uint64_t now, begun = energy->begun[p];
        if (!read_number(energy->directories[p], "energy_uj", &now))
            return 0;
        microjoules += (double)(now >= begun ? now - begun : energy->ranges[p] - begun + now);
    }
    return microjoules * 1e-6;
}
