#include "host/cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "realize/class.h"

static const met_span nowhere;

/* --- Features --- */

/* The words of the first line that lists features: `flags` on x86, `Features` on Arm. */
static met_str feature_line(const char *cpuinfo)
{
    static const char *const titles[] = { "flags", "Features" };
    for (const char *line = cpuinfo; *line; line += *line == '\n') {
        size_t length = strcspn(line, "\n");
        const char *colon = memchr(line, ':', length);
        for (size_t t = 0; colon && t < sizeof titles / sizeof *titles; t++)
            if (strncmp(line, titles[t], strlen(titles[t])) == 0)
                return (met_str){ colon + 1, length - (size_t)(colon + 1 - line) };
        line += length;
    }
    return (met_str){ "", 0 };
}

static bool has_word(met_str line, const char *word, size_t length)
{
    for (size_t at = 0; at < line.length;) {
        size_t end = at;
        while (end < line.length && line.at[end] != ' ' && line.at[end] != '\t')
            end++;
        if (end - at == length && memcmp(line.at + at, word, length) == 0)
            return true;
        at = end + 1;
    }
    return false;
}

bool met_cpu_features(const char *cpuinfo, const char *features, const char **ret_missing, size_t *ret_length)
{
    met_str line = feature_line(cpuinfo);
    for (features += strspn(features, " "); *features; features += strspn(features, " ")) {
        size_t length = strcspn(features, " ");
        if (!has_word(line, features, length)) {
            *ret_missing = features;
            *ret_length = length;
            return false;
        }
        features += length;
    }
    return true;
}

/* --- Classes --- */

/* Of a processor that cannot be read nothing is known, so that only classes without needs fit it. */
static const char *read_cpuinfo(met_session *session)
{
    enum { ROOM = 1 << 16 };
    const char *path = getenv("MET_CPUINFO");
    char *text = met_session_alloc(session, ROOM, 1);
    FILE *file = fopen(path ? path : "/proc/cpuinfo", "r");
    if (!file)
        return text;
    text[fread(text, 1, ROOM - 1, file)] = 0;
    fclose(file);
    return text;
}

static const char *unknown_class(met_session *session, const char *hardware)
{
    met_text names = met_text_new(session->arena);
    for (size_t k = 0; k < met_class_count; k++)
        met_text_format(&names, "%s, ", met_class_table[k].name);
    met_diag *diag = met_diag_add(session, MET_DIAG_usage, nowhere, "no kernels are written for hardware `%s`", hardware);
    met_diag_help(diag, "they are for %sor cpu, which is the best of them that this machine has; other classes and devices of the "
                        "blueprint go with greedy@ and exact@", met_text_done(&names));
    return NULL;
}

/* Those that come later in the table need more and do more. */
static const char *best_class(const char *cpuinfo)
{
    const char *missing;
    size_t length;
    for (size_t k = met_class_count; k-- > 0;)
        if (met_cpu_features(cpuinfo, met_class_table[k].features, &missing, &length))
            return met_class_table[k].name;
    return NULL;
}

const char *met_cpu_class(met_session *session, const char *hardware)
{
    const char *cpuinfo = read_cpuinfo(session), *missing;
    size_t length;
    if (strcmp(hardware, "cpu") == 0)
        return best_class(cpuinfo);
    const met_class *class = met_class_find(hardware);
    if (!class)
        return unknown_class(session, hardware);
    if (met_cpu_features(cpuinfo, class->features, &missing, &length))
        return class->name;
    met_diag *diag = met_diag_add(session, MET_DIAG_hardware, nowhere, "this machine cannot run `%s`: it lacks %.*s", hardware,
                                  (int)length, missing);
    met_diag_help(diag, "--hardware cpu takes the best that it has, `%s`", best_class(cpuinfo));
    return NULL;
}

bool met_cpu_can_run(met_session *session, const char *class_name)
{
    const met_class *class = met_class_find(class_name);
    const char *missing;
    size_t length;
    return class && met_cpu_features(read_cpuinfo(session), class->features, &missing, &length);
}

const char *met_cpu_flags(met_session *session, const char *class_name)
{
    const met_class *class = met_class_find(class_name);
    const char *missing;
    size_t length;
    if (!class || !class->more_flags[0] || !met_cpu_features(read_cpuinfo(session), class->more_features, &missing, &length))
        return class ? class->flags : "";
    met_text flags = met_text_new(session->arena);
    met_text_format(&flags, "%s %s", class->flags, class->more_flags);
    return met_text_done(&flags);
}
