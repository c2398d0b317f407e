/* The lane algebra behind functions that take arrays of 16: compiled after the header of each class by test_lanes.c. */
#define CALL(name, result) \
    void call_##name(const float *a, const float *b, const float *c, float *out); \
    void call_##name(const float *a, const float *b, const float *c, float *out) \
    { \
        lane x = lane_load(a), y = lane_load(b), z = lane_load(c); \
        (void)x, (void)y, (void)z; \
        lane_store(out, result); \
    }

static lane flag(lane_mask m)
{
    return lane_select(m, lane_set(1), lane_set(0));
}

CALL(add, lane_add(x, y))
CALL(sub, lane_sub(x, y))
CALL(mul, lane_mul(x, y))
CALL(div, lane_div(x, y))
CALL(fma, lane_fma(x, y, z))
CALL(sqrt, lane_sqrt(x))
CALL(neg, lane_neg(x))
CALL(abs, lane_abs(x))
CALL(rint, lane_rint(x))
CALL(floor, lane_floor(x))
CALL(max, lane_max(x, y))
CALL(min, lane_min(x, y))
CALL(exp2p, lane_exp2p(x))
CALL(expp, lane_expp(x))
CALL(tanhp, lane_tanhp(x))
CALL(erfp, lane_erfp(x))
CALL(copysign, lane_copysign(x, y))
CALL(scale, lane_scale(x, y))
CALL(canonical, lane_canonical(x))
CALL(lt, flag(lane_lt(x, y)))
CALL(le, flag(lane_le(x, y)))
CALL(eq, flag(lane_eq(x, y)))
CALL(ne, flag(lane_ne(x, y)))
CALL(and_not, flag(lane_and(lane_lt(x, y), lane_not(lane_lt(x, z)))))
CALL(or, flag(lane_or(lane_lt(x, y), lane_lt(x, z))))
CALL(select, lane_select(lane_lt(x, y), y, z))
CALL(call1, lane_call1(exp2, x))
CALL(call2, lane_call2(fmin, x, y))
CALL(fold_add, lane_set(lane_fold_add(x)))
CALL(fold_mul, lane_set(lane_fold_mul(x)))
CALL(fold_max, lane_set(lane_fold_max(x)))
CALL(fold_min, lane_set(lane_fold_min(x)))

/* Single values. */
#define CALL_VALUE(name, result) \
    void call_##name(const float *a, const float *b, const float *c, float *out); \
    void call_##name(const float *a, const float *b, const float *c, float *out) \
    { \
        for (int l = 0; l < LANES; l++) { \
            float x = a[l], y = b[l]; \
            (void)x, (void)y, (void)c; \
            out[l] = result; \
        } \
    }
CALL_VALUE(value_max, value_max(x, y))
CALL_VALUE(value_min, value_min(x, y))
CALL_VALUE(value_exp2p, value_exp2p(x))
CALL_VALUE(value_expp, value_expp(x))
CALL_VALUE(value_tanhp, value_tanhp(x))
CALL_VALUE(value_erfp, value_erfp(x))
CALL_VALUE(value_scale, value_scale(x, y))
CALL_VALUE(value_canonical, value_canonical(x))

/* Loads and stores of n values; n = 16 goes by the whole ones. */
#define MOVE(name, load, store) \
    void move_##name(const void *from, void *to, int64_t n); \
    void move_##name(const void *from, void *to, int64_t n) \
    { \
        lane x = n == LANES ? load(from) : load##_part(from, n); \
        if (n == LANES) \
            store(to, x); \
        else \
            store##_part(to, x, n); \
    }
MOVE(f32, lane_load, lane_store)
MOVE(to_bf16, lane_load, lane_store_bf16)
MOVE(of_bf16, lane_load_bf16, lane_store)
MOVE(to_f16, lane_load, lane_store_f16)
MOVE(of_f16, lane_load_f16, lane_store)
MOVE(to_i32, lane_load, lane_store_i32)
MOVE(of_i32, lane_load_i32, lane_store)

/* What stands in the lanes that a load of a part leaves out. */
void load_part(const float *from, float *to, int64_t n);
void load_part(const float *from, float *to, int64_t n)
{
    lane_store(to, lane_load_part(from, n));
}

uint16_t value_bf16(float x);
uint16_t value_bf16(float x)
{
    return value_to_bf16(x);
}

uint16_t value_f16(float x);
uint16_t value_f16(float x)
{
    return value_to_f16(x);
}

int32_t value_i32(float x);
int32_t value_i32(float x)
{
    return value_to_i32(x);
}

float value_from(int is_f16, uint16_t h);
float value_from(int is_f16, uint16_t h)
{
    return is_f16 ? value_of_f16(h) : value_of_bf16(h);
}

void range(int64_t lo, int64_t hi, float *out);
void range(int64_t lo, int64_t hi, float *out)
{
    lane_store(out, flag(lane_range(lo, hi)));
}

int any(float x);
int any(float x)
{
    return lane_any(lane_lt(lane_index(0, 1), lane_set(x)));
}

void iota(int64_t first, int64_t step, float *out);
void iota(int64_t first, int64_t step, float *out)
{
    lane_store(out, lane_index(first, step));
}

void turn(const void *from, int64_t step, float *to, uint32_t *words);
void turn(const void *from, int64_t step, float *to, uint32_t *words)
{
    lane v[LANES];
    lane_load_turned(v, from, step);
    for (int i = 0; i < LANES; i++) {
        lane_store(to + i * LANES, v[i]);
        lane_pairs_store(words + i * LANES, lane_words(v[i]));
    }
}

void dot_pairs(const float *acc, const uint32_t *a, const uint32_t *b, float *out, float *value);
void dot_pairs(const float *acc, const uint32_t *a, const uint32_t *b, float *out, float *value)
{
    lane_store(out, lane_dot_pairs(lane_load(acc), lane_pairs_load(a), lane_pairs_load(b)));
    for (int l = 0; l < LANES; l++)
        value[l] = value_dot_pair(acc[l], a[l], b[l]);
}

void pairs_parts(const uint16_t *even, const uint16_t *odd, float *of_even, float *of_odd);
void pairs_parts(const uint16_t *even, const uint16_t *odd, float *of_even, float *of_odd)
{
    lane_pairs joined = lane_pairs_join(even, odd);
    lane_store(of_even, lane_pairs_even(joined));
    lane_store(of_odd, lane_pairs_odd(joined));
}
