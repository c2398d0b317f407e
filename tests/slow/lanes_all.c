/* The lane forms of the declared functions against src/number over every float: exp2p on [−1/2, 1/2], the others on all of
 * them. Minutes for every class that this CPU has. */
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
    float end; /* of the magnitudes; 0: all floats */
} functions[] = {
    { "call_exp2p", met_exp2_poly, 0.5f },
    { "call_expp", met_expp, 0 },
    { "call_tanhp", met_tanhp, 0 },
    { "call_erfp", met_erfp, 0 },
};

static uint32_t bits_of(float x)
{
    return x != x ? 0x7fc00000 : met_bits_f32(x);
}

/* The first magnitude at which lanes and reference differ, as bits; UINT32_MAX if there is none. */
static uint32_t first_difference(call_fn call, float (*reference)(float), uint32_t end)
{
    for (uint32_t bits = 0; bits <= end; bits += 8) {
        float in[MET_LANES], out[MET_LANES];
        for (uint32_t l = 0; l < MET_LANES; l++)
            in[l] = met_value_f32((bits + l / 2) | l << 31);
        call(in, in, in, out);
        for (uint32_t l = 0; l < MET_LANES; l++)
            if (bits_of(out[l]) != bits_of(reference(in[l])))
                return bits + l / 2;
    }
    return UINT32_MAX;
}

static int check_class(const met_class *class)
{
    const char *const texts[] = { class->text, "\n#include \"" MET_TEST_DATA_DIR "/lanes.c\"\n", NULL };
    void *loaded = met_test_compile(class->flags, texts);
    int failed = !loaded;
    for (size_t k = 0; loaded && k < sizeof functions / sizeof *functions; k++) {
        void *found = dlsym(loaded, functions[k].name);
        call_fn call;
        memcpy(&call, &found, sizeof call);
        uint32_t end = functions[k].end > 0 ? met_bits_f32(functions[k].end) : 0x7f800001;
        uint32_t where = first_difference(call, functions[k].reference, end);
        printf("%s %s: %s", class->name, functions[k].name, where == UINT32_MAX ? "the same\n" : "differs");
        if (where != UINT32_MAX)
            printf(" at %08x\n", where);
        failed |= where != UINT32_MAX;
    }
    return failed;
}

int main(void)
{
    int failed = 0;
    for (size_t i = 0; i < met_class_count; i++)
        if (met_test_cpu_has(met_class_table[i].features))
            failed |= check_class(&met_class_table[i]);
    return failed;
}
