#include "cost/ratio.h"

__extension__ typedef __int128 wide;

static wide magnitude(wide a)
{
    return a < 0 ? -a : a;
}

static met_ratio reduced(wide over, wide under)
{
    const met_ratio none = { 0, 0 };
    if (under == 0)
        return none;
    wide a = magnitude(over), b = magnitude(under);
    while (b != 0) {
        wide rest = a % b;
        a = b;
        b = rest;
    }
    over = under < 0 ? -over / a : over / a;
    under = magnitude(under) / a;
    if (magnitude(over) > INT64_MAX || under > INT64_MAX)
        return none;
    return (met_ratio){ (int64_t)over, (int64_t)under };
}

met_ratio met_ratio_of(int64_t over, int64_t under)
{
    return reduced(over, under);
}

met_ratio met_ratio_add(met_ratio a, met_ratio b)
{
    return reduced((wide)a.over * b.under + (wide)b.over * a.under, (wide)a.under * b.under);
}

met_ratio met_ratio_sub(met_ratio a, met_ratio b)
{
    return reduced((wide)a.over * b.under - (wide)b.over * a.under, (wide)a.under * b.under);
}

met_ratio met_ratio_mul(met_ratio a, met_ratio b)
{
    return reduced((wide)a.over * b.over, (wide)a.under * b.under);
}

met_ratio met_ratio_div(met_ratio a, met_ratio b)
{
    return reduced((wide)a.over * b.under, (wide)a.under * b.over);
}

int met_ratio_compare(met_ratio a, met_ratio b)
{
    wide left = (wide)a.over * b.under, right = (wide)b.over * a.under;
    return left < right ? -1 : left > right;
}

bool met_ratio_fits(met_ratio a)
{
    return a.under != 0;
}

int met_ratio_sign(met_ratio a)
{
    return a.over < 0 ? -1 : a.over > 0;
}

double met_ratio_number(met_ratio a)
{
    return (double)a.over / (double)a.under;
}
