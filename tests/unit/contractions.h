/* What the tests of contractions share: the text of each class that this CPU has, compiled and loaded, and values. */
#ifndef MET_TEST_CONTRACTIONS_H
#define MET_TEST_CONTRACTIONS_H

#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/session.h"
#include "number/encode.h"
#include "realize/contraction.h"
#include "support/compile.h"
#include "support/random.h"

static const met_class *class; /* of the running test */
static bool with_more;
static void *loaded;
static random_source source = { 1 };

static inline void symbol(const char *name, void *ret_function)
{
    void *found = dlsym(loaded, name);
    if (!found)
        fail_msg("%s: %s", class->name, dlerror());
    memcpy(ret_function, &found, sizeof found);
}

/* Mostly numbers of ordinary size, now and then a special one. */
static inline float random_value(bool special)
{
    static const float specials[] = { 0.0f, -0.0f, INFINITY, -INFINITY, NAN, 0x1p-149f, -0x1.8p-130f, 0x1.fffffep127f };
    if (special && random_below(&source, 40) == 0)
        return specials[random_below(&source, 8)];
    return (float)((double)(int32_t)random_next(&source) * 0x1p-30);
}

static inline uint32_t any_nan(float x)
{
    return x != x ? 0x7fc00000 : met_bits_f32(x);
}

static inline float *values(size_t count, bool special)
{
    float *p = malloc((count + 1) * sizeof *p);
    for (size_t i = 0; i < count; i++)
        p[i] = random_value(special);
    return p;
}

static inline int64_t whole(int64_t lanes)
{
    return (lanes + MET_LANES - 1) / MET_LANES * MET_LANES;
}

static const met_dtype formats[] = { MET_F32, MET_BF16, MET_F16 };

/* Bytes of `count` random values in a format, as the numbers that they stand for in `ret_values`. */
static inline void *encoded(int format, size_t count, float *ret_values)
{
    uint32_t *words = malloc(count * 4);
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = met_encode(formats[format], (double)random_value(true), MET_RNE, MET_OVERFLOW_INF);
        ret_values[i] = (float)met_decode(formats[format], bits);
        if (format == 0)
            words[i] = (uint32_t)bits;
        else
            memcpy((char *)words + 2 * i, &(uint16_t){ (uint16_t)bits }, 2);
    }
    return words;
}

/* Rows, lanes and depth that fit no tile. */
static const int64_t sizes[][3] = {
    { 1, 1, 1 },     { 1, 64, 7 },   { 2, 16, 100 }, { 3, 17, 33 },  { 4, 63, 5 },     { 5, 64, 64 },  { 6, 65, 1 },
    { 7, 48, 31 },   { 8, 128, 20 }, { 13, 80, 17 }, { 17, 100, 3 }, { 12, 130, 600 }, { 1, 200, 1100 }, { 23, 33, 512 },
    { 9, 64, 513 },  { 6, 16, 0 },
};

static inline int compile_class(void **state)
{
    (void)state;
    static char flags[256];
    met_session *session = met_session_new();
    met_text text = met_text_new(session->arena);
    met_contraction_text(&text, class, true);
    const char *const texts[] = { class->text, met_text_done(&text),
                                  "\n#include \"" MET_TEST_DATA_DIR "/contraction.c\"\n", NULL };
    snprintf(flags, sizeof flags, "%s %s", class->flags, with_more ? class->more_flags : "");
    loaded = met_test_compile(flags, texts);
    met_session_free(session);
    return loaded ? 0 : -1;
}

static inline int unload(void **state)
{
    (void)state;
    return dlclose(loaded);
}

/* The tests with every class. */
static inline int run_classes(const struct CMUnitTest *tests, size_t count)
{
    int failed = 0;
    for (size_t i = 0; i < met_class_count; i++) {
        class = &met_class_table[i];
        with_more = *class->more_flags && met_test_cpu_has(class->more_features);
        if (met_test_cpu_has(class->features))
            failed += _cmocka_run_group_tests(class->name, tests, count, compile_class, unload);
        else
            printf("%s: not on this CPU, skipped\n", class->name);
    }
    return failed;
}

#endif
