/* Texts of the helper functions. */
#include "realize/writer.h"

typedef struct helper_row {
    const char *name;
    const char *text;
} helper_row;

static const helper_row helpers[MET_HELPER_COUNT] = {
    [MET_HELPER_CLIP] = { "clip",
        "/* Narrows [*lo, *hi) to where begin + step*t >= 0. */\n"
        "static inline void clip(int64_t *lo, int64_t *hi, int64_t begin, int64_t step)\n"
        "{\n"
        "    const int64_t size = step < 0 ? -step : step, quotient = step == 0 ? 0 : begin / size;\n"
        "    const int64_t below = quotient - (step != 0 && begin % size < 0);\n"
        "    if (step > 0 && *lo < -below)\n"
        "        *lo = -below;\n"
        "    if (step < 0 && *hi > below + 1)\n"
        "        *hi = below + 1;\n"
        "    if (*hi < *lo || (step == 0 && begin < 0))\n"
        "        *hi = *lo;\n"
        "}\n" },
    [MET_HELPER_SIGMOID] = { "sigmoid",
        "static inline double sigmoid(double a)\n"
        "{\n"
        "    return 1.0 / (1.0 + exp(-a));\n"
        "}\n" },
    [MET_HELPER_ROUND_BF16] = { "round_bf16",
        "static inline lane round_bf16(lane a)\n"
        "{\n"
        "    uint16_t at[LANES];\n"
        "    lane_store_bf16(at, a);\n"
        "    return lane_load_bf16(at);\n"
        "}\n" },
    [MET_HELPER_ROUND_F16] = { "round_f16",
        "static inline lane round_f16(lane a)\n"
        "{\n"
        "    uint16_t at[LANES];\n"
        "    lane_store_f16(at, a);\n"
        "    return lane_load_f16(at);\n"
        "}\n" },
    [MET_HELPER_ROUND_I32] = { "round_i32",
        "static inline lane round_i32(lane a)\n"
        "{\n"
        "    int32_t at[LANES];\n"
        "    lane_store_i32(at, a);\n"
        "    return lane_load_i32(at);\n"
        "}\n" },
};

const char *met_need(met_writer *writer, met_helper helper)
{
    writer->uses[helper] = true;
    return helpers[helper].name;
}

void met_put_helpers(met_text *out, const met_writer *writer)
{
    for (int h = 0; h < MET_HELPER_COUNT; h++)
        if (writer->uses[h])
            met_text_format(out, "%s\n", helpers[h].text);
}
