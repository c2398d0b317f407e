#include "host/probe_kernels.h"

#include <string.h>

#include "base/session.h"
#include "base/text.h"
#include "host/cpu.h"

/* Chains that do not wait for each other: enough to hide the latency of a multiply-add, and few enough for the registers. A
 * lane of AVX2 is two registers, one of the scalar class sixteen. */
typedef struct shape {
    const char *class_name;
    int chains;
    int sums; /* accumulators of a stream that is read */
} shape;

static const shape shapes[] = { { "cpu-avx512", 12, 2 }, { "cpu-avx2", 5, 1 }, { "cpu-scalar", 1, 1 } };

enum { STEPS = 256 /* multiply-adds of a chain, in one time */ };

static const shape *shape_of(const met_class *class)
{
    size_t last = sizeof shapes / sizeof *shapes - 1;
    for (size_t i = 0; i < last; i++)
        if (strcmp(shapes[i].class_name, class->name) == 0)
            return &shapes[i];
    return &shapes[last];
}

static const char *const symbols[MET_PROBE_KERNELS] = { "met_probe_read", "met_probe_write", "met_probe_fma", "met_probe_dot",
                                                        "met_probe_nothing" };

/* Four streams, so that each keeps a prefetcher of its own busy. */
static const char body[] =
    "enum { STREAMS = 4 };\n"
    "void met_probe_read(void *at, int64_t bytes, int64_t times, float *sink)\n"
    "{\n"
    "    int64_t part = bytes / 4 / STREAMS;\n"
    "    lane sum[STREAMS][SUMS];\n"
    "    for (int s = 0; s < STREAMS; s++)\n"
    "        for (int v = 0; v < SUMS; v++)\n"
    "            sum[s][v] = lane_set(0);\n"
    "    for (int64_t t = 0; t < times; t++) {\n"
    "        const float *from = at;\n"
    "        __asm__ volatile(\"\" : \"+r\"(from) : : \"memory\");\n"
    "        for (int64_t i = 0; i < part; i += SUMS * LANES)\n"
    "#pragma GCC unroll 4\n"
    "            for (int s = 0; s < STREAMS; s++)\n"
    "#pragma GCC unroll 2\n"
    "                for (int v = 0; v < SUMS; v++)\n"
    "                    sum[s][v] = lane_add(sum[s][v], lane_load(from + s * part + i + v * LANES));\n"
    "    }\n"
    "    for (int s = 0; s < STREAMS; s++)\n"
    "        for (int v = 0; v < SUMS; v++) {\n"
    "            float values[LANES];\n"
    "            lane_store(values, sum[s][v]);\n"
    "            *sink += values[0];\n"
    "        }\n"
    "}\n"
    "void met_probe_write(void *at, int64_t bytes, int64_t times, float *sink)\n"
    "{\n"
    "    lane value = lane_set(*sink);\n"
    "    for (int64_t t = 0; t < times; t++) {\n"
    "        float *to = at;\n"
    "        __asm__ volatile(\"\" : \"+r\"(to) : : \"memory\");\n"
    "        for (int64_t i = 0; i < bytes / 4; i += 4 * LANES)\n"
    "#pragma GCC unroll 4\n"
    "            for (int v = 0; v < 4; v++)\n"
    "                lane_store(to + i + v * LANES, value);\n"
    "    }\n"
    "}\n"
    "static inline void keep(const lane *chains, float *sink)\n"
    "{\n"
    "    for (int c = 0; c < CHAINS; c++) {\n"
    "        float values[LANES];\n"
    "        lane_store(values, chains[c]);\n"
    "        *sink += 0 * values[0];\n"
    "    }\n"
    "}\n"
    "void met_probe_fma(void *at, int64_t bytes, int64_t times, float *sink)\n"
    "{\n"
    "    lane x = lane_set(0.5f + 0 * *sink), y = lane_set(0.25f + 0 * *sink), chain[CHAINS];\n"
    "    (void)at;\n"
    "    (void)bytes;\n"
    "    for (int c = 0; c < CHAINS; c++)\n"
    "        chain[c] = lane_set((float)c + 0 * *sink);\n"
    "    for (int64_t i = 0; i < times * STEPS; i++)\n"
    "#pragma GCC unroll 12\n"
    "        for (int c = 0; c < CHAINS; c++)\n"
    "            chain[c] = lane_fma(chain[c], x, y);\n"
    "    keep(chain, sink);\n"
    "}\n"
    "void met_probe_dot(void *at, int64_t bytes, int64_t times, float *sink)\n"
    "{\n"
    "    lane_pairs x = lane_pairs_set(0x3f003f00u), y = lane_pairs_set(0x3e803e80u);\n"
    "    lane chain[CHAINS];\n"
    "    (void)at;\n"
    "    (void)bytes;\n"
    "    for (int c = 0; c < CHAINS; c++)\n"
    "        chain[c] = lane_set((float)c + 0 * *sink);\n"
    "    for (int64_t i = 0; i < times * STEPS; i++)\n"
    "#pragma GCC unroll 12\n"
    "        for (int c = 0; c < CHAINS; c++)\n"
    "            chain[c] = lane_dot_pairs(chain[c], x, y);\n"
    "    keep(chain, sink);\n"
    "}\n"
    "void met_probe_nothing(void *at, int64_t bytes, int64_t times, float *sink)\n"
    "{\n"
    "    (void)at;\n"
    "    (void)bytes;\n"
    "    (void)times;\n"
    "    (void)sink;\n"
    "}\n";

bool met_probe_kernels(met_session *session, met_compiler *compiler, const met_class *class,
                       met_probe_fn ret_kernels[MET_PROBE_KERNELS])
{
    const shape *s = shape_of(class);
    met_text text = met_text_new(session->arena);
    met_text_put(&text, class->text);
    met_text_format(&text, "enum { CHAINS = %d, SUMS = %d, STEPS = %d };\n", s->chains, s->sums, STEPS);
    met_text_put(&text, body);
    met_unit units[MET_PROBE_KERNELS];
    const char *flags = met_cpu_flags(session, class->name);
    for (int k = 0; k < MET_PROBE_KERNELS; k++)
        units[k] = (met_unit){ .symbol = symbols[k], .text = met_text_done(&text), .flags = flags };
    if (!met_compiler_build(compiler, MET_PROBE_KERNELS, units))
        return false;
    for (int k = 0; k < MET_PROBE_KERNELS; k++)
        memcpy(&ret_kernels[k], &units[k].function, sizeof ret_kernels[k]);
    return true;
}

double met_probe_flops(const met_class *class, met_probe_kernel kernel)
{
    double lanes = (double)shape_of(class)->chains * STEPS * MET_LANES;
    return lanes * (kernel == MET_PROBE_DOT ? 4 : 2);
}
