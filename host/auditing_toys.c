#include <string.h>

#include "base/text.h"
#include "host/auditing_parts.h"
#include "host/model.h"

typedef MET_VEC(const met_toy *) toy_list;

static const char *const formats[] = { "f32", "bf16" };

/* Sizes of examples: rows are few and odd, all else is wide enough for groups of scales. */
enum { EXAMPLE_ROWS = 5, EXAMPLE_SIZE = 128 };

static bool add_toy(met_auditing *auditing, toy_list *list, const met_circuit *circuit, const char *arch, const char *mode,
                    const char *format)
{
    const met_toy *toy = circuit ? met_toy_new(circuit, arch, mode, format) : NULL;
    if (toy)
        MET_PUSH(auditing->session->arena, list, toy);
    return toy != NULL;
}

static bool add_architecture(met_auditing *auditing, toy_list *list, const char *name)
{
    size_t mode_count;
    met_model_request request = { .name = name, .kernels = auditing->request.kernels, .toy = true };
    const char *const *modes = met_model_mode_names(auditing->session, &request, &mode_count);
    bool good = modes != NULL;
    for (size_t m = 0; good && m < mode_count; m++) {
        for (size_t f = 0; good && f < sizeof formats / sizeof *formats; f++) {
            request.mode = modes[m];
            request.default_format = formats[f];
            good = add_toy(auditing, list, met_model_load(auditing->session, &request), name, modes[m], formats[f]);
        }
    }
    return good;
}

static const met_circuit *example_circuit(met_auditing *auditing, const met_rule *rule, const char *format)
{
    met_session *session = auditing->session;
    met_text text = met_text_new(session->arena);
    met_text_format(&text, "example%s", rule->example);
    uint32_t source = met_session_add_source(session, rule->id, met_text_done(&text), text.length);
    const met_circuit *circuit = source ? met_circuit_read(session, source, format) : NULL;
    if (!circuit)
        return NULL;
    uint64_t *sizes = MET_NEW_ARRAY(session->arena, uint64_t, circuit->symbol_count + 1);
    for (uint32_t s = 0; s < circuit->symbol_count; s++)
        sizes[s] = met_str_is(met_sym_str(session, circuit->symbols[s].label), "n") ? EXAMPLE_ROWS : EXAMPLE_SIZE;
    return met_circuit_bind_symbols(circuit, sizes);
}

static bool is_known(const toy_list *list, const char *name)
{
    for (size_t t = 0; t < list->count; t++)
        if (!strcmp(list->at[t]->arch, name))
            return true;
    return false;
}

/* Rules may show a circuit that they are for, where no architecture has one. */
static bool add_examples(met_auditing *auditing, toy_list *list)
{
    bool good = true;
    for (uint32_t h = 0; h < auditing->lkb->hardware_count; h++) {
        const met_hardware *hardware = &auditing->lkb->hardware[h];
        for (uint32_t r = 0; good && r < hardware->rule_count; r++) {
            const met_rule *rule = hardware->rules[r];
            const char *mode = rule->modes.count ? rule->modes.names[0] : "run";
            if (!rule->example || is_known(list, rule->id))
                continue;
            for (size_t f = 0; good && f < sizeof formats / sizeof *formats; f++)
                good = add_toy(auditing, list, example_circuit(auditing, rule, formats[f]), rule->id, mode, formats[f]);
        }
    }
    return good;
}

bool met_auditing_load_toys(met_auditing *auditing)
{
    size_t count;
    toy_list list = { 0 };
    const char *const *names = met_model_names(auditing->session, auditing->request.kernels, &count);
    bool good = true;
    for (size_t a = 0; good && a < count; a++)
        good = add_architecture(auditing, &list, names[a]);
    good = good && add_examples(auditing, &list);
    auditing->toy_count = (uint32_t)list.count;
    auditing->toys = list.at;
    return good;
}
