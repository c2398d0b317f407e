#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "support/random_parts.h"

uint64_t random_next(random_source *r)
{
    /* A counter through a mixer of two multiplications. */
    uint64_t x = r->state += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

unsigned random_below(random_source *r, unsigned limit)
{
    return limit ? (unsigned)(random_next(r) % limit) : 0;
}

const char *random_word(random_source *r, const char *const *words)
{
    unsigned count = 0;
    while (words[count])
        count++;
    return words[random_below(r, count)];
}

void put(writer *w, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int n = vsnprintf(w->at + w->length, w->room - w->length, format, list);
    va_end(list);
    if (n > 0 && (size_t)n < w->room - w->length)
        w->length += (size_t)n;
}

/* --- Terms --- */

static const char *spaced(unsigned rank)
{
    static const char *const lists[] = { "", "a", "a b", "a b c", "a b c d" };
    return lists[rank];
}

/* One op on an array of this rank, written for that rank and no other. Returns the rank of its result. */
static unsigned put_op(random_source *r, writer *w, unsigned rank, bool parameters)
{
    static const char *const maps[] = { "tanh", "relu", "square", "sigmoid", "neg", "cos", NULL };
    static const char *const rows[] = { "softmax", "l1norm", "maxnorm", "l2norm", NULL };
    const char *shape = spaced(rank);
    char target = "abcd"[rank ? random_below(r, rank) : 0];
    unsigned kind = rank ? random_below(r, parameters ? 7 : 6) : 0;
    switch (kind) {
    case 1:
        put(w, "%s[%s; %c]", random_word(r, rows), shape, target);
        return rank;
    case 2:
        put(w, "%s[%s; %c]", random_word(r, (const char *const[]){ "sum", "max", "mean", NULL }), shape, target);
        return rank - 1;
    case 3:
        put(w, "view[%s <- ", shape);
        for (unsigned p = 0; p < rank; p++)
            put(w, "%s%c", p ? ", " : "", "abcd"[rank - 1 - p]);
        put(w, "]");
        return rank;
    case 4:
        put(w, "map['%s -> %s']({ a*2 + i_%c })", shape, shape, target);
        return rank;
    case 5:
        put(w, "rmsnorm[%s; %c](gain=no)", shape, target);
        return rank;
    case 6:
        put(w, "linear[%s; %c -> ", shape, target);
        for (unsigned p = 0; p < rank; p++)
            put(w, "%s%c", p ? " " : "", "abcd"[p] == target ? 'e' : "abcd"[p]);
        put(w, "]");
        return rank;
    default:
        put(w, "%s['%s -> %s']", random_word(r, maps), shape, shape);
        return rank;
    }
}

static void put_pair(random_source *r, writer *w, unsigned rank)
{
    const char *shape = spaced(rank);
    put(w, "%s['%s, %s -> %s']", random_word(r, (const char *const[]){ "add", "mul", "sub", "maximum", NULL }), shape, shape, shape);
}

random_term random_chain(random_source *r, unsigned steps, unsigned in_count, const unsigned *ins, bool parameters)
{
    random_term t = { .in_count = in_count, .out_count = in_count };
    writer w = { t.text, sizeof t.text, 0 };
    unsigned ranks[8], count = in_count;
    for (unsigned i = 0; i < in_count; i++)
        ranks[i] = t.ins[i] = ins[i];
    put(&w, "(");
    for (unsigned s = 0; s < (steps ? steps : 1); s++) {
        unsigned made = 0, next[8];
        put(&w, s ? " @ " : "");
        for (unsigned i = 0; i < count; i++) {
            put(&w, i ? " * " : "");
            unsigned kind = steps ? random_below(r, 8) : 0;
            if (kind == 0) {
                put(&w, "id");
                next[made++] = ranks[i];
            } else if (kind == 1 && i + 1 < count && ranks[i] == ranks[i + 1]) {
                put_pair(r, &w, ranks[i]);
                next[made++] = ranks[i++];
            } else if (kind == 2 && count < 3 && s + 1 < steps) {
                put(&w, "copy");
                next[made++] = ranks[i];
                next[made++] = ranks[i];
            } else {
                next[made++] = put_op(r, &w, ranks[i], parameters);
            }
        }
        count = made;
        memcpy(ranks, next, sizeof ranks);
    }
    put(&w, ")");
    t.out_count = count;
    memcpy(t.outs, ranks, sizeof t.outs);
    return t;
}
