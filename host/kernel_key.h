/* What evidence about kernels is found by: a digest of what a kernel computes, and one of the code that computes it. */
#ifndef MET_HOST_KERNEL_KEY_H
#define MET_HOST_KERNEL_KEY_H

#include "host/compiler.h"
#include "plan/shape.h"
#include "realize/program.h"

/* Of the shape of the kernel's nodes (plan/shape.h): the same in every layer. */
const char *met_kernel_computes(met_arena *arena, const met_derivation *facts, const met_kernel *kernel);

/* Of the keys of its launches (host/compiler.h), in order; the key itself if there is one. */
const char *met_kernel_code(met_arena *arena, size_t count, const char *const *keys);

/* The launches of a group that are not packing: they follow each other. How many; 0 for a group without. */
uint32_t met_group_launches(const met_program *program, uint32_t group, uint32_t *ret_first);

/* The same as of running it, worked out without compiling; NULL if the kernel alone is no program of the class. */
const char *met_kernel_code_now(const met_derivation *facts, const met_point *point, const met_kernel *kernel,
                                const met_class *class, uint32_t threads, met_compiler *compiler);

#endif
