/* Texts of the helper functions. Each computes in float exactly what the interpreter does. */
#include "number/exp2.h"
#include "realize/writer.h"

typedef struct helper_row {
    const char *name;
    const char *text;
} helper_row;

static const helper_row helpers[MET_HELPER_COUNT] = {
    [MET_HELPER_MAXIMUM] = { "maximum",
        "/* IEEE 754-2019: a NaN wins, +0 is above -0. */\n"
        "static inline float maximum(float a, float b)\n"
        "{\n"
        "    return a > b ? a : a < b ? b : a == b ? (signbit(a) ? b : a) : NAN;\n"
        "}\n" },
    [MET_HELPER_MINIMUM] = { "minimum",
        "static inline float minimum(float a, float b)\n"
        "{\n"
        "    return a < b ? a : a > b ? b : a == b ? (signbit(a) ? a : b) : NAN;\n"
        "}\n" },
    [MET_HELPER_LDEXP] = { "scaled",
        "/* a * 2^b, rounded once. */\n"
        "static inline float scaled(float a, float b)\n"
        "{\n"
        "    return isnan(b) ? NAN : (float)ldexp((double)a, b > 1e5f ? 100000 : b < -1e5f ? -100000 : (int)b);\n"
        "}\n" },
    [MET_HELPER_EXP2P] = { "exp2p", NULL },
    [MET_HELPER_CANONICAL] = { "canonical",
        "static inline float canonical(float a)\n"
        "{\n"
        "    return isnan(a) ? NAN : a;\n"
        "}\n" },
    [MET_HELPER_LOAD_BF16] = { "load_bf16",
        "static inline float load_bf16(uint16_t bits)\n"
        "{\n"
        "    const uint32_t wide = (uint32_t)bits << 16;\n"
        "    float value;\n"
        "    memcpy(&value, &wide, sizeof value);\n"
        "    return value;\n"
        "}\n" },
    [MET_HELPER_STORE_BF16] = { "store_bf16",
        "/* To nearest, ties to even. */\n"
        "static inline uint16_t store_bf16(float value)\n"
        "{\n"
        "    uint32_t bits;\n"
        "    memcpy(&bits, &value, sizeof bits);\n"
        "    return isnan(value) ? 0x7fc0 : (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);\n"
        "}\n" },
    [MET_HELPER_LOAD_F16] = { "load_f16",
        "static inline float load_f16(uint16_t bits)\n"
        "{\n"
        "    const int exponent = bits >> 10 & 31, fraction = bits & 1023;\n"
        "    const float size = exponent == 31 ? (fraction ? NAN : INFINITY)\n"
        "                       : exponent ? ldexpf((float)(fraction + 1024), exponent - 25) : ldexpf((float)fraction, -24);\n"
        "    return bits >> 15 ? -size : size;\n"
        "}\n" },
    [MET_HELPER_STORE_F16] = { "store_f16",
        "/* To nearest, ties to even. */\n"
        "static inline uint16_t store_f16(float value)\n"
        "{\n"
        "    const unsigned sign = signbit(value) ? 0x8000 : 0;\n"
        "    const float size = fabsf(value);\n"
        "    if (isnan(value))\n"
        "        return 0x7e00;\n"
        "    if (size >= 65520.0f)\n"
        "        return (uint16_t)(sign | 0x7c00);\n"
        "    int exponent;\n"
        "    frexpf(size, &exponent);\n"
        "    exponent = size == 0.0f || exponent < -13 ? -13 : exponent; /* units of 2^(exponent - 11) */\n"
        "    const unsigned units = (unsigned)rintf(ldexpf(size, 11 - exponent));\n"
        "    return (uint16_t)(sign | (units + ((unsigned)(exponent + 13) << 10)));\n"
        "}\n" },
    [MET_HELPER_STORE_I32] = { "store_i32",
        "static inline int32_t store_i32(float value)\n"
        "{\n"
        "    const float whole = rintf(value);\n"
        "    return isnan(value) ? 0 : whole >= 0x1p31f ? INT32_MAX : whole < -0x1p31f ? INT32_MIN : (int32_t)whole;\n"
        "}\n" },
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
};

static void put_exp2p(met_text *out, met_arena *arena)
{
    met_text_put(out, "/* 2^f for f in [-1/2, 1/2]. */\nstatic inline float exp2p(float f)\n{\n");
    for (int i = MET_EXP2_DEGREE; i-- > 0;) {
        const char *c = met_float_text(arena, (double)met_exp2_coefficients[i]);
        if (i == MET_EXP2_DEGREE - 1)
            met_text_format(out, "    float p = %s;\n", c);
        else
            met_text_format(out, "    p = fmaf(p, f, %s);\n", c);
    }
    met_text_put(out, "    return fmaf(p, f, 1.0f);\n}\n");
}

const char *met_need(met_writer *writer, met_helper helper)
{
    writer->uses[helper] = true;
    return helpers[helper].name;
}

void met_put_helpers(met_text *out, const met_writer *writer)
{
    for (int h = 0; h < MET_HELPER_COUNT; h++) {
        if (!writer->uses[h])
            continue;
        if (h == MET_HELPER_EXP2P)
            put_exp2p(out, writer->arena);
        else
            met_text_put(out, helpers[h].text);
        met_text_char(out, '\n');
    }
}
