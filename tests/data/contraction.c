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

void contract_pairs(int dot, const int64_t *n, const void *a, const uint32_t *b, float *c);
void contract_pairs(int dot, const int64_t *n, const void *a, const uint32_t *b, float *c)
{
    static float room[TILE_LANES * TILE_DEPTH];
    if (dot)
        pairs_contract_dot(n[0], n[1], n[2], a, n[3], (tile_pairs){ b, n[4] }, c, n[5], n[6] != 0);
    else
        pairs_contract(n[0], n[1], n[2], a, n[3], (tile_pairs){ b, n[4] }, c, n[5], n[6] != 0, room);
}

void pairs_of_b(uint32_t *to, const uint16_t *from, const int64_t *n);
void pairs_of_b(uint32_t *to, const uint16_t *from, const int64_t *n)
{
    pairs_panels(to, n[0], from, n[1], n[2], n[3], n[4]);
}

void pairs_of_a(uint32_t *to, const uint16_t *bf16, const float *floats, const int64_t *at, const int64_t *n);
void pairs_of_a(uint32_t *to, const uint16_t *bf16, const float *floats, const int64_t *at, const int64_t *n)
{
    if (bf16)
        pairs_rows_of_bf16(to, n[0], bf16, at, n[1], n[2], n[3]);
    else
        pairs_rows_of_floats(to, n[0], floats, n[1], n[2], n[3]);
}

void contract_from(int format, const int64_t *n, const float *a, const void *b, float *c, const tile_range *live,
                   const tile_range *parts);
void contract_from(int format, const int64_t *n, const float *a, const void *b, float *c, const tile_range *live,
                   const tile_range *parts)
{
    static float room[TILE_LANES * TILE_DEPTH];
    const pack_source from = { b, n[4], n[5] };
    if (format == FORMAT_F32)
        pack_contract(FORMAT_F32, n[0], n[1], n[2], a, n[3], from, c, n[6], n[7] != 0, live, parts, room);
    else
        pack_contract(FORMAT_BF16, n[0], n[1], n[2], a, n[3], from, c, n[6], n[7] != 0, live, parts, room);
}
