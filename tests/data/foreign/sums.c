/* Sums and dot products whose trees are known, for tests/unit/test_library.c. Compiled without contraction: what is fused is
 * written so. */
#include <math.h>
#include <stdlib.h>

float in_order(long n, const float *a, const float *b)
{
    float s = 0;
    for (long i = 0; i < n; i++)
        s += a[i] * b[i];
    return s;
}

float fused(long n, const float *a, const float *b)
{
    float s = 0;
    for (long i = 0; i < n; i++)
        s = fmaf(a[i], b[i], s);
    return s;
}

/* Four lanes, then l with l + half; the rest one by one onto the result. */
float lanes4(long n, const float *a, const float *b)
{
    float lane[4] = { 0 };
    long i = 0;
    for (; i + 4 <= n; i += 4)
        for (int l = 0; l < 4; l++)
            lane[l] += a[i + l] * b[i + l];
    float s = (lane[0] + lane[2]) + (lane[1] + lane[3]);
    for (; i < n; i++)
        s += a[i] * b[i];
    return s;
}

/* The same, but backwards where the length is odd. */
float by_gap(long n, const float *a, const float *b)
{
    float s = 0;
    if (n % 2 == 0)
        return lanes4(n, a, b);
    for (long i = n; i-- > 0;)
        s += a[i] * b[i];
    return s;
}

/* Sixteen products, of which those of l and l + 8 are added; blocks of eight fused onto them; the rest. n from 16 on. */
float folded(long n, const float *a, const float *b)
{
    float lane[8];
    long i = 16;
    for (int l = 0; l < 8; l++)
        lane[l] = a[l] * b[l] + a[l + 8] * b[l + 8];
    for (; i + 8 <= n; i += 8)
        for (int l = 0; l < 8; l++)
            lane[l] = fmaf(a[i + l], b[i + l], lane[l]);
    float s = ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
    for (; i < n; i++)
        s = fmaf(a[i], b[i], s);
    return s;
}

float halves(long n, const float *a)
{
    if (n == 1)
        return a[0];
    return halves(n / 2, a) + halves(n - n / 2, a + n / 2);
}

float in_double(long n, const float *a, const float *b)
{
    double s = 0;
    for (long i = 0; i < n; i++)
        s += (double)a[i] * b[i];
    return (float)s;
}

float compensated(long n, const float *a)
{
    volatile float s = 0, lost = 0;
    for (long i = 0; i < n; i++) {
        volatile float x = a[i] - lost, t = s + x;
        lost = (t - s) - x;
        s = t;
    }
    return s;
}

/* Begins somewhere else in every call. */
float at_random(long n, const float *a)
{
    static unsigned state = 1;
    state = state * 1103515245u + 12345u;
    long first = (long)(state >> 16) % n;
    float s = 0;
    for (long i = 0; i < n; i++)
        s += a[(first + i) % n];
    return s;
}

/* The order depends on the numbers. */
float largest_last(long n, const float *a)
{
    long largest = 0;
    float s = 0;
    for (long i = 1; i < n; i++)
        if (fabsf(a[i]) >= fabsf(a[largest]))
            largest = i;
    for (long i = 0; i < n; i++)
        if (i != largest)
            s += a[i];
    return s + a[largest];
}

/* In order below 32 terms, in two lanes from there on. */
float by_length(long n, const float *a)
{
    float s[2] = { 0 };
    for (long i = 0; i < n; i++)
        s[n < 32 ? 0 : i % 2] += a[i];
    return s[0] + s[1];
}

/* Another order where the operand does not begin at 16 bytes. */
float by_place(long n, const float *a)
{
    int odd = (size_t)a % 16 != 0;
    float s = 0;
    for (long i = 0; i < n; i++)
        s += a[odd ? n - 1 - i : i];
    return s;
}

/* Another order with two threads. */
float by_threads(long n, const float *a)
{
    const char *threads = getenv("OMP_NUM_THREADS");
    return threads && atoi(threads) > 1 ? halves(n / 2, a) + halves(n - n / 2, a + n / 2) : halves(1, a) + (n > 1 ? by_length(n - 1, a + 1) : 0);
}

/* c += A b, A by rows: each row in order, then onto what is there; or with beta 0 only the sum. */
void rows_by_vector(int rows, int n, float *a, int lda, float *b, float beta, float *c)
{
    for (int r = 0; r < rows; r++) {
        float s = 0;
        for (int i = 0; i < n; i++)
            s += a[r * lda + i] * b[i];
        c[r] = beta == 0 ? s : s + beta * c[r];
    }
}

/* C = A B in Fortran's manner: everything by its address, matrices by columns; on top of what is there where beta is not 0. */
void product_(char *ta, int *rows, int *cols, int *n, double *a, int *lda, double *b, int *ldb, double *beta, double *c, int *ldc)
{
    for (int j = 0; j < *cols; j++)
        for (int i = 0; i < *rows; i++) {
            double s = *beta == 0 ? 0 : *beta * c[i + j * *ldc];
            for (int k = 0; k < *n; k++)
                s += (*ta == 'N' ? a[i + k * *lda] : a[k + i * *lda]) * b[k + j * *ldb];
            c[i + j * *ldc] = s;
        }
}

float magnitudes(int n, float *a, int step)
{
    float s = 0;
    for (int i = 0; i < n; i++)
        s += fabsf(a[i * step]);
    return s;
}

float norm(long n, float *a)
{
    float s = 0;
    for (long i = 0; i < n; i++)
        s += a[i] * a[i];
    return sqrtf(s);
}

float mean(long n, float *a)
{
    float s = 0;
    for (long i = 0; i < n; i++)
        s += a[i];
    return s / (float)n;
}
