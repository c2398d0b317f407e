/* Contractions and packing behind functions without types of their own: compiled after their text by
 * test_contraction.c. */
void contract(const int64_t *n, const float *a, const float *b, float *c, const tile_range *live);
void contract(const int64_t *n, const float *a, const float *b, float *c, const tile_range *live)
{
    tile_contract(n[0], n[1], n[2], a, n[3], (tile_panels){ b, n[4], n[5] }, c, n[6], n[7] != 0, live);
}

void contract_parts(const int64_t *n, const float *a, const float *b, float *c, const tile_range *parts);
void contract_parts(const int64_t *n, const float *a, const float *b, float *c, const tile_range *parts)
{
    tile_contract_parts(n[0], n[1], n[2], a, n[3], (tile_panels){ b, n[4], n[5] }, c, n[6], parts);
}

void panels(int format, float *to, const void *from, const int64_t *n);
void panels(int format, float *to, const void *from, const int64_t *n)
{
    if (format == FORMAT_F32)
        pack_panels(FORMAT_F32, to, n[0], from, n[1], n[2], n[3], n[4]);
    else if (format == FORMAT_BF16)
        pack_panels(FORMAT_BF16, to, n[0], from, n[1], n[2], n[3], n[4]);
    else
        pack_panels(FORMAT_F16, to, n[0], from, n[1], n[2], n[3], n[4]);
}

void rows(int format, float *to, const void *from, const int64_t *at, const int64_t *n);
void rows(int format, float *to, const void *from, const int64_t *at, const int64_t *n)
{
    if (format == FORMAT_F32)
        pack_rows(FORMAT_F32, to, n[0], from, at, n[1], n[2], n[3]);
    else if (format == FORMAT_BF16)
        pack_rows(FORMAT_BF16, to, n[0], from, at, n[1], n[2], n[3]);
    else
        pack_rows(FORMAT_F16, to, n[0], from, at, n[1], n[2], n[3]);
}
