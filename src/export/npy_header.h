/* The header of a `.npy` file: a Python dictionary in a fixed frame, of which exactly what NumPy writes is accepted. */
#ifndef MET_EXPORT_NPY_HEADER_H
#define MET_EXPORT_NPY_HEADER_H

#include "base/str.h"
#include "met/tensor.h"

typedef struct met_npy_header {
    char kind;   /* 'f', 'i', 'u' or 'b' */
    size_t size; /* bytes of an element */
    bool big_endian;
    bool fortran;
    size_t rank;
    uint64_t shape[MET_RANK_LIMIT];
    size_t data; /* offset of the first element */
} met_npy_header;

/* True if the header is good and the file holds exactly the data that it promises; false with a diagnostic. */
bool met_npy_read_header(met_session *session, const char *name, met_str file, met_npy_header *ret_header);

/* "`NAME`, byte OFFSET: WHAT" */
void met_npy_error(met_session *session, const char *name, size_t offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
