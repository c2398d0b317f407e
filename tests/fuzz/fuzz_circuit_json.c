/* Any bytes as the JSON form of a circuit: a circuit or diagnostics. Whatever the reader and the checker let through can
 * be listed, written, bound, expanded, drawn and run, and what is written reads back to the same bytes. */
#include <string.h>

#include "host/json.h"
#include "base/map.h"
#include "ir/circuit.h"
#include "met/draw.h"
#include "met/eval.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room) __attribute__((weak)); /* the fuzzer's own */

/* --- Mutation: a file that is still JSON gets further than one with a broken bracket --- */

typedef struct stretch {
    size_t begin, end;
} stretch;

static bool in_token(uint8_t c)
{
    return c != '{' && c != '}' && c != '[' && c != ']' && c != ',' && c != ':' && c > ' ';
}

/* The token at or after a place: a string, a number or a word. Empty if there is none. */
static stretch token_at(const uint8_t *data, size_t size, size_t from)
{
    while (from > 0 && from < size && in_token(data[from]) && in_token(data[from - 1]))
        from--;
    while (from < size && !in_token(data[from]))
        from++;
    stretch token = { from, from };
    while (token.end < size && in_token(data[token.end]))
        token.end++;
    return token;
}

/* Puts another token of the file, or a small number, in the place of one. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    static const char *const words[] = { "0", "1", "2", "3", "-1", "true", "false", "null", "64", "1000000007", "9223372036854775807" };
    uint8_t with[64];
    if (size == 0 || seed % 4 == 0)
        return LLVMFuzzerMutate ? LLVMFuzzerMutate(data, size, room) : size;
    stretch old = token_at(data, size, (seed >> 2) * 2654435761u % size), other = token_at(data, size, (seed >> 3) * 40503u % size);
    size_t length = other.end - other.begin;
    if (seed % 4 == 1 || length > sizeof with) {
        const char *word = words[(seed >> 8) % (sizeof words / sizeof *words)];
        length = strlen(word);
        memcpy(with, word, length);
    } else {
        memcpy(with, data + other.begin, length);
    }
    size_t grown = size - (old.end - old.begin) + length;
    if (grown > room)
        return size;
    memmove(data + old.begin + length, data + old.end, size - old.end);
    memcpy(data + old.begin, with, length);
    return grown;
}

/* --- The target --- */

static const met_circuit *circuit_of(met_session *session, const char *text, size_t length)
{
    uint32_t source = met_session_add_source(session, "fuzz.json", text, length);
    const met_value *tree = source ? met_json_read(session, source) : NULL;
    const met_circuit *circuit = tree ? met_circuit_from_json(session, tree) : NULL;
    if (!circuit && met_session_error_count(session) == 0)
        __builtin_trap(); /* failed without saying why */
    return circuit;
}

/* "a=1,b=2,c=3,d=1,…" over the free sizes. */
static const char *settings(const met_circuit *circuit)
{
    met_text text = met_text_new(circuit->arena);
    met_map *set = met_map_new(circuit->arena); /* a name sets every size of its label */
    for (uint32_t i = 0; i < circuit->symbol_count; i++) {
        const met_symbol *symbol = &circuit->symbols[i];
        if (symbol->value || met_map_get_pair(set, symbol->label.id, 0, &(uint32_t){ 0 }))
            continue;
        met_map_set_pair(set, symbol->label.id, 0, 1);
        met_text_format(&text, "%s%s=%u", text.length ? "," : "", met_sym_text(circuit->session, symbol->label), 1 + i % 3);
    }
    return met_text_done(&text);
}

static void print(const met_circuit *circuit)
{
    uint64_t n;
    met_circuit_listing(circuit, true);
    met_circuit_listing(circuit, false);
    met_circuit_parameter_count(circuit, &n);
    met_circuit_flops(circuit, &n);
}

/* Small circuits alone: pictures of large ones are slow, and nothing new. */
static void draw(const met_circuit *circuit)
{
    static const met_draw_options options[] = { { .format = MET_DRAW_HTML }, { .format = MET_DRAW_ASCII, .width = 30, .whole = true } };
    for (size_t i = 0; i < 2 && circuit->node_count <= 50; i++)
        if (!met_draw(circuit, &options[i]) && met_session_error_count(circuit->session) == 0)
            __builtin_trap(); /* failed without saying why */
}

static void run(const met_circuit *circuit)
{
    static const char *const dtypes[] = { "f64", "bf16" };
    for (int d = 0; d < 2; d++) {
        met_eval_options options = { .dtype = dtypes[d], .fill = "normal", .work_limit = 20000 };
        met_eval_run(circuit, &options, 0, NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > (size_t)1 << 16)
        return 0;
    met_session *session = met_session_new();
    const met_circuit *circuit = circuit_of(session, (const char *)data, size);
    if (circuit) {
        print(circuit);
        const char *json = met_circuit_json(circuit);
        const met_circuit *again = circuit_of(session, json, strlen(json));
        if (!again || strcmp(json, met_circuit_json(again)) != 0)
            __builtin_trap();
        draw(circuit);
        const met_circuit *expanded = met_circuit_expand(circuit, "pow2");
        if (expanded)
            print(expanded);
        const met_circuit *bound = met_circuit_bind(circuit, settings(circuit));
        if (bound) {
            print(bound);
            run(bound);
        }
    }
    met_session_diagnostics_text(session);
    met_session_free(session);
    return 0;
}
