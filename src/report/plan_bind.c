/* Rows and context of a mode: sizes of the circuit by the labels that architectures give them. */
#include <string.h>

#include "base/diag.h"
#include "report/plan.h"

static const met_span nowhere;

typedef struct mode_rows {
    const char *mode, *label; /* the size that is the mode's rows */
    uint64_t rows;            /* unless the request says otherwise */
} mode_rows;

static const mode_rows modes[] = {
    { "decode", "n", 1 },      { "multi_seq", "b", 16 }, { "verify", "n", 8 },
    { "prefill", "n", 4096 },  { "encode", "n", 512 },
};

static const mode_rows *mode_of(const char *name)
{
    static const mode_rows other = { "run", "n", 0 };
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (name && strcmp(modes[i].mode, name) == 0)
            return &modes[i];
    return &other;
}

static bool has_label(const met_circuit *circuit, uint32_t symbol, const char *label)
{
    return met_str_is(met_sym_str(circuit->session, circuit->symbols[symbol].label), label);
}

/* What the circuit says of a size already: symbols that are bound; sizes that a mode or a toy fixes have an axis alone. */
typedef struct said {
    bool free;      /* some symbol has no value yet */
    uint64_t value; /* 0: nothing does */
} said;

static said said_of(const met_circuit *circuit, const char *label)
{
    said of = { 0 };
    for (uint32_t a = 0; a < circuit->axis_count; a++)
        if (met_str_is(met_sym_str(circuit->session, circuit->axes[a].label), label))
            met_dim_is_constant(circuit->axes[a].size, &of.value);
    for (uint32_t s = 0; s < circuit->symbol_count; s++) {
        if (!has_label(circuit, s, label))
            continue;
        of.free = of.free || !circuit->symbols[s].value;
        if (circuit->symbols[s].value)
            met_dim_is_constant(circuit->symbols[s].value, &of.value);
    }
    return of;
}

/* The value that a size is to have: what the request says, else what the circuit does, else the fallback if it is free. False
 * if the request contradicts the circuit, or is about a size that the circuit of a mode does not have. */
static bool settle(const met_circuit *circuit, const met_plan_request *request, const char *label, const char *option, uint64_t wanted,
                   uint64_t fallback, uint64_t *ret_value)
{
    said of = said_of(circuit, label);
    *ret_value = wanted ? wanted : of.value ? of.value : of.free ? fallback : 0;
    if (!wanted || wanted == of.value || (!of.value && (of.free || !request->mode)))
        return true;
    met_diag *diag;
    if (of.value)
        diag = met_diag_add(circuit->session, MET_DIAG_plan, nowhere, "--%s %llu, but `%s` is %llu", option, (unsigned long long)wanted, label,
                            (unsigned long long)of.value);
    else
        diag = met_diag_add(circuit->session, MET_DIAG_plan, nowhere, "--%s %llu, but in the mode %s nothing has a size `%s`", option,
                            (unsigned long long)wanted, request->mode, label);
    met_diag_help(diag, "the mode, --toy or --set say so; leave --%s out, or take another mode", option);
    return false;
}

met_circuit *met_plan_bind(met_circuit *circuit, met_plan_request *request)
{
    const mode_rows *mode = mode_of(request->mode);
    uint64_t rows, context;
    if (!settle(circuit, request, mode->label, "rows", request->rows, mode->rows, &rows) ||
        !settle(circuit, request, "c", "context", request->context, 4096, &context))
        return NULL;
    uint64_t *sizes = MET_NEW_ARRAY(circuit->arena, uint64_t, circuit->symbol_count);
    for (uint32_t s = 0; s < circuit->symbol_count; s++) {
        if (circuit->symbols[s].value)
            continue;
        sizes[s] = has_label(circuit, s, mode->label) ? rows : has_label(circuit, s, "c") ? context : 0;
    }
    request->rows = rows ? rows : 1;
    request->context = context;
    return met_circuit_bind_symbols(circuit, sizes);
}
