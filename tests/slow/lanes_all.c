/* The lane forms of the declared functions against src/number, for every class that this CPU has: every float of both signs
 * from 2^-30 to where the function has become constant, and every 997th of the others. Minutes. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "number/encode.h"
#include "number/exp2.h"
#include "number/function.h"
#include "realize/class.h"
#include "support/compile.h"

typedef void (*call_fn)(const float *a, const float *b, const float *c, float *out);

static const struct {
    const char *name;
    float (*reference)(float);
    float end; /* beyond it, the function is constant, or not defined */
} functions[] = {
    { "call_exp2p", met_exp2_poly, 0.5f },
    { "call_expp", met_expp, 110 },
    { "call_tanhp", met_tanhp, 11 },
    { "call_erfp", met_erfp, 5 },
};

enum { CLASSES = 8 };

/* The classes that this CPU has, compiled. */
typedef struct candidates {
    uint32_t count;
    const met_class *classes[CLASSES];
    void *loaded[CLASSES];
} candidates;

static candidates load(void)
{
    candidates c = { 0 };
    for (size_t i = 0; i < met_class_count && c.count < CLASSES; i++) {
        const met_class *class = &met_class_table[i];
        const char *const texts[] = { class->text, "\n#include \"" MET_TEST_DATA_DIR "/lanes.c\"\n", NULL };
        if (!met_test_cpu_has(class->features))
            continue;
        c.classes[c.count] = class;
        c.loaded[c.count] = met_test_compile(class->flags, texts);
        c.count += c.loaded[c.count] != NULL;
    }
    return c;
}

static uint32_t bits_of(float x)
{
    return x != x ? 0x7fc00000 : met_bits_f32(x);
}

/* The number of floats ±(bits), ±(bits + step) … ±(bits + 7·step) at which some class differs from the reference. */
static unsigned differences(const candidates *c, const call_fn *calls, float (*reference)(float), uint32_t bits,
                            uint32_t step)
{
    float in[MET_LANES], expected[MET_LANES];
    unsigned count = 0;
    for (uint32_t l = 0; l < MET_LANES; l++) {
        in[l] = met_value_f32((bits + l / 2 * step) | l << 31);
        expected[l] = reference(in[l]);
    }
    for (uint32_t k = 0; k < c->count; k++) {
        float out[MET_LANES];
        calls[k](in, in, in, out);
        for (uint32_t l = 0; l < MET_LANES; l++)
            if (bits_of(out[l]) != bits_of(expected[l]) && count++ == 0)
                printf("%s: %a gives %a, not %a\n", c->classes[k]->name, (double)in[l], (double)out[l],
                       (double)expected[l]);
    }
    return count;
}

int main(void)
{
    candidates c = load();
    unsigned failed = c.count == 0;
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
        call_fn calls[CLASSES];
        for (uint32_t i = 0; i < c.count; i++) {
            void *found = dlsym(c.loaded[i], functions[k].name);
            memcpy(&calls[i], &found, sizeof calls[i]);
        }
        unsigned count = 0;
        uint32_t dense = met_bits_f32(0x1p-30f), end = met_bits_f32(functions[k].end);
        for (uint32_t bits = dense; bits < end && count < 10; bits += 8)
            count += differences(&c, calls, functions[k].reference, bits, 1);
        uint32_t last = functions[k].reference == met_exp2_poly ? end : 0x7fc00000;
        for (uint32_t bits = 0; bits < last && count < 10; bits += 8 * 997)
            count += differences(&c, calls, functions[k].reference, bits, 997);
        printf("%s: %u classes, %s\n", functions[k].name, c.count, count ? "they differ" : "the same");
        fflush(stdout);
        failed += count;
    }
    return failed != 0;
}
