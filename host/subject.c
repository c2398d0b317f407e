#include "host/subject.h"

#include <string.h>

#include "base/diag.h"
#include "eval/settled.h"
#include "host/cpu.h"
#include "host/subject_parts.h"
#include "number/encode.h"
#include "realize/package.h"

static const met_span nowhere;

static const char interpreter[] = "interpreter";

/* Scalar operations that a run of kernels may take: minutes where kernels are good, an hour where they are not. */
#define WORK_LIMIT ((uint64_t)10000000000000)

static met_eval_options kernel_options(const met_subject *subject)
{
    met_eval_options options = subject->options;
    options.work_limit = options.work_limit ? options.work_limit : WORK_LIMIT;
    return options;
}

static met_subject *settle(const met_circuit *circuit, const met_eval_options *options, size_t in_count, const met_named_tensor *ins)
{
    met_session *session = circuit->session;
    met_subject *subject = MET_NEW(session->arena, met_subject);
    *subject = (met_subject){ .session = session, .options = *options, .in_count = in_count, .ins = ins };
    if (!options->dtype)
        subject->options.dtype = "f32";
    if (!met_eval_point(session, &subject->options, &subject->point))
        return NULL;
    circuit = met_eval_bind(circuit, in_count, ins);
    if (!circuit)
        return NULL;
    subject->settled = met_settled_new(met_circuit_with_default(circuit, met_format_of(subject->point.dtype)), &subject->point);
    subject->circuit = subject->settled ? subject->settled->circuit : NULL;
    return subject->circuit ? subject : NULL;
}

const met_subject *met_subject_new(const met_circuit *circuit, const met_eval_options *options, size_t in_count,
                                   const met_named_tensor *ins)
{
    const met_subject *subject = settle(circuit, options, in_count, ins);
    met_eval_options limits = subject ? kernel_options(subject) : *options;
    return subject && met_eval_check(subject->circuit, &limits) ? subject : NULL;
}

const met_subject *met_subject_to_plan(const met_circuit *circuit, const met_eval_options *options, size_t in_count,
                                       const met_named_tensor *ins)
{
    met_eval_options own = *options;
    if (!own.dtype) {
        met_text dtype = met_text_new(circuit->session->arena);
        met_format_print(&dtype, circuit->default_format);
        own.dtype = met_text_done(&dtype);
    }
    return settle(circuit, &own, in_count, ins);
}

/* Where a fold goes does not change what the circuit settles to, so that both have one circuit. */
const met_subject *met_subject_of_way(const met_subject *subject, const met_way *way)
{
    if (!way->tree && !way->dot)
        return subject;
    met_subject *own = met_arena_copy(subject->session->arena, subject, 1, sizeof *subject);
    met_settled *settled = met_arena_copy(subject->session->arena, subject->settled, 1, sizeof *subject->settled);
    own->options.tree = way->tree ? way->tree : subject->options.tree;
    own->options.dot = way->dot ? way->dot : subject->options.dot;
    if (!met_eval_point(subject->session, &own->options, &own->point))
        return NULL;
    settled->point = own->point;
    own->settled = settled;
    return own;
}

static bool refuse_interpreter(met_session *session)
{
    met_diag_add(session, MET_DIAG_usage, nowhere, "the interpreter knows neither fusion nor tiles: none@interpreter");
    return false;
}

bool met_way_parse(met_session *session, const char *text, met_way *way)
{
    const char *at = strchr(text, '@');
    if (at && at != text && at[1]) {
        way->planner = met_arena_text(session->arena, text, (size_t)(at - text));
        way->hardware = at + 1;
        bool plain = strcmp(way->hardware, interpreter) != 0 || strcmp(way->planner, "none") == 0;
        return plain || refuse_interpreter(session);
    }
    met_diag *diag = met_diag_add(session, MET_DIAG_usage, nowhere, "`%s` is not PLANNER@HARDWARE", text);
    met_diag_help(diag, "such as fused@cpu, none@cpu-scalar or none@interpreter");
    return false;
}

static void take(void *context, met_edge_id edge, size_t count, const double *values)
{
    met_execution_set(context, edge, count, values);
}

bool met_subject_fill(const met_subject *subject, met_execution *execution)
{
    met_eval_options options = kernel_options(subject);
    met_source_taker taker = { take, execution };
    return met_eval_sources(subject->circuit, &options, subject->in_count, subject->ins, &taker);
}

bool met_subject_package(const met_subject *subject, const met_way *way, const char *name, const char *origin,
                         const char **ret_source, const char **ret_header)
{
    if (!met_package_name_valid(name)) {
        met_diag *diag = met_diag_add(subject->session, MET_DIAG_usage, nowhere, "`%s` cannot be the name of a function", name);
        met_diag_help(diag, "letters, digits and _, a letter first, and no word of C; --name gives another than that of the file");
        return false;
    }
    const met_class *class = met_class_find(way->hardware);
    if (!class) {
        const char *best = met_cpu_class(subject->session, way->hardware);
        class = best ? met_class_find(best) : NULL;
    }
    const met_program *program = class ? met_subject_program(subject, way, class) : NULL;
    if (!program)
        return false;
    if (program->launch_count == 0) {
        met_diag_add(subject->session, MET_DIAG_run, nowhere, "the circuit computes nothing that a kernel could do");
        return false;
    }
    met_package package = met_package_of(program, name, origin);
    *ret_source = package.source;
    *ret_header = package.header;
    return true;
}

/* --- Outcomes --- */

static const char *name_of(const met_subject *subject, const met_way *way, const char *hardware)
{
    met_text name = met_text_new(subject->session->arena);
    met_text_format(&name, "%s@%s", way->planner, hardware);
    return met_text_done(&name);
}

/* Edge number k of a result: outputs, then the new values of states. */
static met_edge_id result_edge(const met_circuit *circuit, size_t k)
{
    return k < circuit->output_count ? circuit->outputs[k] : circuit->states[k - circuit->output_count].out;
}

static const char *result_name(const met_circuit *circuit, size_t k)
{
    met_edge_id edge = k < circuit->output_count ? circuit->outputs[k] : circuit->states[k - circuit->output_count].in;
    return met_sym_text(circuit->session, circuit->edges[edge.id].name);
}

static const met_kernel_summary *summaries_of(const met_subject *subject, met_execution *execution,
                                              const met_program *program)
{
    met_arena *arena = subject->session->arena;
    met_kernel_summary *list = MET_NEW_ARRAY(arena, met_kernel_summary, program->launch_count);
    const met_launch_report *reports = met_execution_reports(execution);
    for (uint32_t l = 0; l < program->launch_count; l++) {
        const met_launch *launch = &program->launches[l];
        met_text nodes = met_text_new(arena);
        const met_kernel *kernel = launch->group == MET_NONE ? NULL : program->plan->groups[launch->group];
        met_text_put(&nodes, kernel ? "" : "packing");
        for (uint32_t s = 0; kernel && s < kernel->step_count; s++) {
            const met_node *node = &subject->circuit->nodes[kernel->steps[s].node.id];
            met_text_format(&nodes, "%s%s", s ? ", " : "", node->op->name);
        }
        list[l] = (met_kernel_summary){ met_text_done(&nodes), launch->tiles ? launch->tiles : "", reports[l].seconds,
                                        reports[l].underflow };
    }
    return list;
}

static bool take_results(const met_subject *subject, met_execution *execution, met_outcome *outcome)
{
    const met_circuit *circuit = subject->circuit;
    met_arena *arena = subject->session->arena;
    size_t count = circuit->output_count + circuit->state_count;
    met_named_tensor *arrays = MET_NEW_ARRAY(arena, met_named_tensor, count);
    met_result_bytes *bytes = MET_NEW_ARRAY(arena, met_result_bytes, count);
    for (size_t k = 0; k < count; k++) {
        size_t length;
        met_edge_id edge = result_edge(circuit, k);
        arrays[k] = (met_named_tensor){ result_name(circuit, k), met_execution_tensor(execution, edge) };
        if (!arrays[k].tensor)
            return false;
        const void *at = met_execution_array(execution, edge, &length);
        bytes[k].at = met_arena_copy(arena, at, length, 1);
        bytes[k].size = arrays[k].tensor->count ? length / arrays[k].tensor->count : 1;
    }
    met_eval_result *result = MET_NEW(arena, met_eval_result);
    *result = (met_eval_result){ circuit->output_count, circuit->state_count, arrays };
    outcome->result = result;
    outcome->bytes = bytes;
    return true;
}

static bool run_kernels(const met_subject *subject, const met_way *way, const met_program *program, met_compiler *compiler,
                        met_outcome *outcome)
{
    met_execute_options options = { .threads = way->threads, .pinned = way->pinned, .poison = way->poison };
    met_execution *execution = met_execution_new(subject->session, program, compiler, &options);
    bool good = execution && met_subject_fill(subject, execution) && met_execution_run(execution) &&
                take_results(subject, execution, outcome);
    if (good) {
        outcome->kernel_count = program->launch_count;
        for (uint32_t k = 0; k < program->launch_count; k++)
            outcome->packing_count += program->launches[k].constant;
        outcome->kernels = summaries_of(subject, execution, program);
        outcome->underflow = met_execution_underflow(execution);
        outcome->array_bytes = met_execution_bytes(execution, &outcome->array_bytes_apart);
    }
    met_execution_free(execution);
    return good;
}

/* `compiler` NULL: one for this run. */
static const met_outcome *run_compiled(const met_subject *subject, const met_way *way, met_compiler *compiler)
{
    const char *name = met_way_class(subject->session, way);
    const met_program *program = name ? met_subject_program(subject, way, met_class_find(name)) : NULL;
    if (!program)
        return NULL;
    met_outcome *outcome = MET_NEW(subject->session->arena, met_outcome);
    outcome->name = name_of(subject, way, program->class->name);
    outcome->threads = way->threads ? way->threads : 1;
    outcome->numerics = met_numerics_of_program(subject->settled, program);
    met_compiler *own = compiler ? NULL : met_compiler_new(subject->session, &(met_compiler_options){ .cache = way->cache });
    compiler = compiler ? compiler : own;
    bool good = compiler && run_kernels(subject, way, program, compiler, outcome);
    met_compiler_free(own);
    return good ? outcome : NULL;
}

/* --- The interpreter as a way --- */

/* The bytes that the numbers of a result have in their edge's format; formats without whole bytes an element have none. */
static met_result_bytes encode(const met_subject *subject, met_edge_id edge, const met_tensor *tensor)
{
    met_format format = subject->circuit->edges[edge.id].format;
    int bits = met_dtype_table[format.dtype].bits;
    if (!met_format_is_plain(format) || bits % 8 != 0)
        return (met_result_bytes){ (const unsigned char *)tensor->values, sizeof *tensor->values };
    size_t size = (size_t)bits / 8;
    unsigned char *at = met_arena_alloc(subject->session->arena, tensor->count, size);
    for (size_t i = 0; i < tensor->count; i++) {
        uint64_t code = met_encode((met_dtype)format.dtype, tensor->values[i], MET_RNE, MET_OVERFLOW_INF);
        memcpy(at + i * size, &code, size);
    }
    return (met_result_bytes){ at, size };
}

met_outcome *met_subject_interpret(const met_subject *subject, const char *name, const met_tree *trees, const met_code_folds *codes,
                                   const met_plan_numerics *numerics)
{
    met_arena *arena = subject->session->arena;
    met_outcome *outcome = MET_NEW(arena, met_outcome);
    *outcome = (met_outcome){ .name = name, .threads = 1, .numerics = numerics };
    outcome->result = met_eval_coded(subject->circuit, &subject->point, trees, codes, &subject->options, subject->in_count, subject->ins);
    if (!outcome->result)
        return NULL;
    size_t count = outcome->result->output_count + outcome->result->state_count;
    met_result_bytes *bytes = MET_NEW_ARRAY(arena, met_result_bytes, count);
    for (size_t k = 0; k < count; k++)
        bytes[k] = encode(subject, result_edge(subject->circuit, k), outcome->result->arrays[k].tensor);
    outcome->bytes = bytes;
    return outcome;
}

static const met_outcome *interpret(const met_subject *subject, const met_way *way)
{
    if (strcmp(way->planner, "none") == 0 && !way->tiles && !way->emulate)
        return met_subject_interpret(subject, name_of(subject, way, interpreter), NULL, NULL, met_numerics_of_point(subject->settled));
    refuse_interpreter(subject->session);
    return NULL;
}

const met_outcome *met_subject_run_with(const met_subject *subject, const met_way *way, met_compiler *compiler)
{
    subject = met_subject_of_way(subject, way);
    if (!subject)
        return NULL;
    if (way->emulate && strcmp(way->hardware, interpreter) != 0)
        return met_subject_emulate(subject, way);
    return strcmp(way->hardware, interpreter) == 0 ? interpret(subject, way) : run_compiled(subject, way, compiler);
}

const met_outcome *met_subject_run(const met_subject *subject, const met_way *way)
{
    return met_subject_run_with(subject, way, NULL);
}
