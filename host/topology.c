/* sysconf's cache sizes and get_avphys_pages are not in POSIX. */
#define _GNU_SOURCE
#include "host/topology.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/session.h"
#include "base/text.h"

enum { PATH = 512, LINE = 256, INDICES = 16 };

static const char *system_root(void)
{
    const char *root = getenv("MET_SYS");
    return root && root[0] ? root : "/sys";
}

/* The first line of a file below the root, without its end. */
static bool read_line(const char *name, char line[LINE])
{
    char path[PATH];
    int length = snprintf(path, sizeof path, "%s/%s", system_root(), name);
    FILE *file = length > 0 && (size_t)length < sizeof path ? fopen(path, "r") : NULL;
    bool good = file && fgets(line, LINE, file);
    if (file)
        fclose(file);
    if (good)
        line[strcspn(line, "\n")] = 0;
    return good;
}

/* --- Caches --- */

/* "48K", "2M", "4096" */
static uint64_t size_of(const char *text)
{
    char *end;
    unsigned long long n = strtoull(text, &end, 10);
    int shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
    return n < (UINT64_C(1) << 30) ? (uint64_t)n << shift : 0;
}

/* How many CPUs "0-3,8,10-11" has. */
static uint32_t count_list(const char *text)
{
    uint64_t count = 0;
    for (char *end; *text >= '0' && *text <= '9'; text = *end == ',' ? end + 1 : end) {
        unsigned long first = strtoul(text, &end, 10), last = first;
        if (*end == '-')
            last = strtoul(end + 1, &end, 10);
        count += last >= first && last - first < 65536 ? last - first + 1 : 0;
    }
    return count > 0 && count < UINT32_MAX ? (uint32_t)count : 1;
}

static bool read_cache(unsigned index, met_cache_level *ret_level, bool *ret_data)
{
    char name[LINE], line[LINE];
    const char *directory = "devices/system/cpu/cpu0/cache";
    snprintf(name, sizeof name, "%s/index%u/level", directory, index);
    if (!read_line(name, line))
        return false;
    *ret_level = (met_cache_level){ (uint32_t)strtoul(line, NULL, 10), 0, 1 };
    snprintf(name, sizeof name, "%s/index%u/type", directory, index);
    *ret_data = read_line(name, line) && strcmp(line, "Instruction") != 0;
    snprintf(name, sizeof name, "%s/index%u/size", directory, index);
    ret_level->bytes = read_line(name, line) ? size_of(line) : 0;
    snprintf(name, sizeof name, "%s/index%u/shared_cpu_list", directory, index);
    ret_level->shared_by = read_line(name, line) ? count_list(line) : 1;
    return true;
}

static uint32_t of_library(met_cache_level levels[MET_CACHE_LEVELS])
{
    static const int names[] = { _SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE };
    uint32_t count = 0;
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) {
        long bytes = sysconf(names[i]);
        if (bytes > 0)
            levels[count++] = (met_cache_level){ i + 1, (uint64_t)bytes, 1 };
    }
    return count;
}

/* What is larger than what lies inside of it, in order. */
static uint32_t keep_growing(uint32_t count, met_cache_level *levels)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (levels[i].bytes > (kept ? levels[kept - 1].bytes : 0))
            levels[kept++] = levels[i];
    return kept;
}

uint32_t met_cache_levels(met_cache_level ret_levels[MET_CACHE_LEVELS])
{
    uint32_t count = 0;
    met_cache_level level;
    bool data;
    for (unsigned index = 0; index < INDICES && read_cache(index, &level, &data); index++) {
        if (!data || level.level == 0 || count == MET_CACHE_LEVELS)
            continue;
        uint32_t at = count++;
        for (; at > 0 && ret_levels[at - 1].level > level.level; at--)
            ret_levels[at] = ret_levels[at - 1];
        ret_levels[at] = level;
    }
    return keep_growing(count > 0 ? count : of_library(ret_levels), ret_levels);
}

/* --- Memory --- */

/* Of the control group; UINT64_MAX if it has no such limit. */
static uint64_t group_number(const char *name)
{
    char line[LINE];
    return read_line(name, line) && line[0] >= '0' && line[0] <= '9' ? strtoull(line, NULL, 10) : UINT64_MAX;
}

static uint64_t pages(int name)
{
    long count = sysconf(name), size = sysconf(_SC_PAGESIZE);
    return count > 0 && size > 0 ? (uint64_t)count * (uint64_t)size : 0;
}

uint64_t met_memory_bytes(void)
{
    uint64_t machine = pages(_SC_PHYS_PAGES), group = group_number("fs/cgroup/memory.max");
    return group < machine ? group : machine;
}

uint64_t met_memory_free(void)
{
    uint64_t machine = pages(_SC_AVPHYS_PAGES), limit = group_number("fs/cgroup/memory.max");
    uint64_t used = group_number("fs/cgroup/memory.current");
    uint64_t group = limit == UINT64_MAX || used == UINT64_MAX ? UINT64_MAX : used < limit ? limit - used : 0;
    return group < machine ? group : machine;
}

/* --- Processor --- */

const char *met_processor_name(met_session *session)
{
    const char *path = getenv("MET_CPUINFO");
    FILE *file = fopen(path && path[0] ? path : "/proc/cpuinfo", "r");
    char line[LINE];
    met_text name = met_text_new(session->arena);
    while (file && name.length == 0 && fgets(line, sizeof line, file)) {
        const char *colon = strncmp(line, "model name", 10) == 0 ? strchr(line, ':') : NULL;
        size_t length = colon ? strcspn(colon + 1, "\n") : 0;
        if (length > 1)
            met_text_clean(&name, (met_str){ colon + 2, length - 1 });
    }
    if (file)
        fclose(file);
    return name.length > 0 ? met_text_done(&name) : "unknown processor";
}
