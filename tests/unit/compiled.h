/* Tests that compile kernels: programs in a batch become one shared object, and every array that a program stores is
 * compared with the interpreter's, bit for bit. */
#ifndef MET_TEST_COMPILED_H
#define MET_TEST_COMPILED_H

#include <dlfcn.h>
#include <fenv.h>
#include <stdio.h>
#include <unistd.h>

#include "circuits.h"
#include "eval/settled.h"
#include "number/encode.h"
#include "realize/program.h"

/* A program with what the interpreter says of every edge. */
typedef struct kernel_case {
    const char *name;
    const met_program *program;
    const met_tensor *const *edges;
    bool rescales; /* its kernels multiply by powers of two when a base moves */
} kernel_case;

enum { KERNEL_CASES = 512 };

typedef struct kernel_batch {
    size_t count;
    kernel_case cases[KERNEL_CASES];
    char directory[64];
    void *object;
} kernel_batch;

static inline void write_sources(const kernel_batch *batch)
{
    for (size_t c = 0; c < batch->count; c++) {
        const met_program *program = batch->cases[c].program;
        for (uint32_t s = 0; s < program->source_count; s++) {
            char path[160];
            snprintf(path, sizeof path, "%s/%s.c", batch->directory, program->sources[s].symbol);
            FILE *file = fopen(path, "w");
            assert_non_null(file);
            fwrite(program->sources[s].text, 1, program->sources[s].length, file);
            fclose(file);
        }
    }
}

/* What is loaded into a sanitized test is sanitized as well, which takes the compiler several times as long: such a test does
 * with fewer sources. */
#ifdef __SANITIZE_ADDRESS__
enum { BATCH_SANITIZED = true };
#define BATCH_FLAGS "-O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=all"
#else
enum { BATCH_SANITIZED = false };
#define BATCH_FLAGS "-O1"
#endif

/* Compiles all sources of a batch with these flags. */
static inline void compile_batch(kernel_batch *batch, const char *flags)
{
    strcpy(batch->directory, "/tmp/met-kernels-XXXXXX");
    assert_non_null(mkdtemp(batch->directory));
    write_sources(batch);
    char command[512];
    snprintf(command, sizeof command,
             "cd %s && ${CC:-cc} -std=c17 " BATCH_FLAGS " -ffp-contract=off -fPIC -shared -Wall -Wextra -Wpedantic "
             "-Wconversion -Wshadow -Werror %s -o kernels.so *.c -lm",
             batch->directory, flags);
    if (system(command) != 0)
        fail_msg("the compiler failed in %s", batch->directory);
    char path[160];
    snprintf(path, sizeof path, "%s/kernels.so", batch->directory);
    batch->object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!batch->object)
        fail_msg("%s", dlerror());
}

static inline void close_batch(kernel_batch *batch)
{
    dlclose(batch->object);
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", batch->directory);
    assert_int_equal(system(command), 0);
}

static inline uint64_t bits_at(met_dtype dtype, const unsigned char *bytes, uint64_t i)
{
    uint16_t half;
    uint32_t word;
    if (met_dtype_table[dtype].bits == 16) {
        memcpy(&half, bytes + 2 * i, sizeof half);
        return half;
    }
    memcpy(&word, bytes + 4 * i, sizeof word);
    return word;
}

static inline void put_bits(met_dtype dtype, unsigned char *bytes, uint64_t i, uint64_t bits)
{
    uint16_t half = (uint16_t)bits;
    uint32_t word = (uint32_t)bits;
    if (met_dtype_table[dtype].bits == 16)
        memcpy(bytes + 2 * i, &half, sizeof half);
    else
        memcpy(bytes + 4 * i, &word, sizeof word);
}

static inline void *aligned_bytes(size_t bytes)
{
    void *at = aligned_alloc(64, (bytes + 127) / 64 * 64);
    assert_non_null(at);
    memset(at, 0xa5, (bytes + 127) / 64 * 64);
    return at;
}

static inline met_dtype edge_dtype(const met_circuit *circuit, uint32_t edge)
{
    return (met_dtype)circuit->edges[edge].format.dtype;
}

/* Runs the launches, each in `parts` calls; sources become the interpreter's. Returns the buffers, malloced. */
static inline unsigned char **run_program(const kernel_batch *batch, const kernel_case *c, int64_t parts)
{
    const met_program *program = c->program;
    const met_circuit *circuit = program->plan->circuit;
    unsigned char **buffers = calloc(program->buffer_count + 1, sizeof *buffers);
    for (uint32_t b = 0; b < program->buffer_count; b++) {
        uint32_t e = program->buffers[b].edge.id;
        buffers[b] = aligned_bytes(program->buffers[b].bytes);
        for (uint64_t i = 0; e != MET_NONE && circuit->edges[e].role != MET_EDGE_VALUE && i < c->edges[e]->count; i++)
            put_bits(edge_dtype(circuit, e), buffers[b], i,
                     met_encode(edge_dtype(circuit, e), c->edges[e]->values[i], MET_RNE, MET_OVERFLOW_INF));
    }
    for (uint32_t l = 0; l < program->launch_count; l++) {
        const met_launch *launch = &program->launches[l];
        void *arrays[64];
        for (uint32_t k = 0; k < launch->array_count; k++)
            arrays[k] = buffers[launch->arrays[k]];
        union {
            void *object;
            met_kernel_fn function;
        } symbol = { dlsym(batch->object, program->sources[launch->source].symbol) };
        assert_non_null(symbol.object);
        met_kernel_call call = { arrays, launch->sizes, aligned_bytes(launch->scratch_bytes) };
        for (int64_t p = 0; p < parts; p++)
            symbol.function(&call, launch->units * p / parts, launch->units * (p + 1) / parts);
        free(call.scratch);
    }
    return buffers;
}

static inline void free_buffers(const met_program *program, unsigned char **buffers)
{
    for (uint32_t b = 0; b < program->buffer_count; b++)
        free(buffers[b]);
    free(buffers);
}

/* Every stored edge has the interpreter's bits; unless something underflowed, which voids the claim for kernels that
 * rescale: then false. */
static inline bool expect_interpreter(const kernel_batch *batch, const kernel_case *c, int64_t parts)
{
    const met_circuit *circuit = c->program->plan->circuit;
    feclearexcept(FE_UNDERFLOW);
    unsigned char **buffers = run_program(batch, c, parts);
    if (c->rescales && fetestexcept(FE_UNDERFLOW)) {
        free_buffers(c->program, buffers);
        return false;
    }
    for (uint32_t b = 0; b < c->program->buffer_count; b++) {
        uint32_t e = c->program->buffers[b].edge.id;
        if (e == MET_NONE || circuit->edges[e].role != MET_EDGE_VALUE)
            continue;
        for (uint64_t i = 0; i < c->edges[e]->count; i++) {
            met_dtype dtype = edge_dtype(circuit, e);
            uint64_t got = bits_at(dtype, buffers[b], i);
            uint64_t want = met_encode(dtype, c->edges[e]->values[i], MET_RNE, MET_OVERFLOW_INF);
            if (got != want)
                fail_msg("%s: element %llu of `%s` is %llx (%.9g), not %llx (%.9g)", c->name, (unsigned long long)i,
                         c->program->buffers[b].name, (unsigned long long)got, met_decode(dtype, got),
                         (unsigned long long)want, met_decode(dtype, want));
        }
    }
    free_buffers(c->program, buffers);
    return true;
}

#endif
