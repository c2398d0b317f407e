/* The loops that everybody writes, for the report on what compilers make of them (bench/report_libraries.c). */

float dot(long n, const float *a, const float *b)
{
    float s = 0;
    for (long i = 0; i < n; i++)
        s += a[i] * b[i];
    return s;
}

float sum(long n, const float *a)
{
    float s = 0;
    for (long i = 0; i < n; i++)
        s += a[i];
    return s;
}

double sum_of_doubles(long n, const double *a)
{
    double s = 0;
    for (long i = 0; i < n; i++)
        s += a[i];
    return s;
}

float dot_in_double(long n, const float *a, const float *b)
{
    double s = 0;
    for (long i = 0; i < n; i++)
        s += (double)a[i] * b[i];
    return (float)s;
}
