/* The lengths that a rule was seen at, and those between them that are worth a question. */
#include "report/reveal.h"

/* The next case of the base after case `at` of the span; `last` + 1: none. */
static size_t next_of_base(const met_reveal_report *report, const met_reveal_span *span, size_t at)
{
    do
        at++;
    while (at <= span->last && !report->cases[at].base);
    return at;
}

/* Keeps them ascending. */
static void add(met_reveal_span *span, uint64_t terms)
{
    size_t at = 0;
    while (at < span->between_count && span->between[at].terms < terms)
        at++;
    if (span->between_count == MET_REVEAL_BETWEEN || (at < span->between_count && span->between[at].terms == terms))
        return;
    for (size_t i = span->between_count++; i > at; i--)
        span->between[i] = span->between[i - 1];
    span->between[at] = (met_reveal_between){ .terms = terms };
}

/* A place in the gap above `low`, by round: halfway, one above the lower end, one below the upper, a third of the way. */
static uint64_t place_in(uint64_t low, uint64_t high, int round)
{
    uint64_t places[] = { low + (high - low) / 2, low + 1, high - 1, low + (high - low) / 3 };
    return places[round] > low ? places[round] : low + 1;
}

void met_reveal_choose_between(const met_reveal_report *report, met_reveal_span *span)
{
    span->between_count = 0;
    for (int round = 0; round < 4 && span->has_rule; round++)
        for (size_t i = span->first, k = next_of_base(report, span, i); k <= span->last; i = k, k = next_of_base(report, span, k)) {
            uint64_t low = report->cases[i].terms, high = report->cases[k].terms;
            if (high > low + 1)
                add(span, place_in(low, high, round));
        }
}

bool met_reveal_span_holds(const met_reveal_report *report, const met_reveal_span *span)
{
    bool holds = span->has_rule && report->cases[span->last].terms != report->cases[span->first].terms;
    for (size_t i = 0; i < span->between_count; i++)
        holds = holds && span->between[i].agrees;
    return holds;
}

void met_reveal_put_lengths(met_text *out, const met_reveal_report *report, const met_reveal_span *span)
{
    for (size_t i = span->first, next; i <= span->last; i = next) {
        size_t end = i;
        next = next_of_base(report, span, i);
        while (next <= span->last && report->cases[next].terms == report->cases[end].terms + 1) {
            end = next;
            next = next_of_base(report, span, next);
        }
        met_text_format(out, "%s%llu", i > span->first ? ", " : "", (unsigned long long)report->cases[i].terms);
        if (end != i)
            met_text_format(out, " … %llu", (unsigned long long)report->cases[end].terms);
    }
}

void met_reveal_put_json_lengths(met_json *json, const char *key, const met_reveal_report *report, const met_reveal_span *span)
{
    met_json_open(json, key, '[');
    for (size_t i = span->first; i <= span->last; i = next_of_base(report, span, i))
        met_json_put_integer(json, NULL, report->cases[i].terms);
    met_json_close(json, ']');
}
