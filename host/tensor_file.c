#include "host/tensor_file.h"

#include <string.h>

#include "host/file.h"
#include "met/npy.h"

/* The widest elements, and more header than any file has. */
static const size_t file_limit = MET_TENSOR_LIMIT * 8 + ((size_t)1 << 20);

met_tensor *met_tensor_load(met_session *session, const char *path)
{
    const char *bytes;
    size_t length;
    if (!met_file_read_kind(session, path, "\x93NUMPY", file_limit, &bytes, &length))
        return NULL;
    return met_npy_read(session, strcmp(path, "-") == 0 ? "<stdin>" : path, bytes, length);
}

bool met_tensor_save(met_session *session, const char *path, const met_tensor *tensor)
{
    size_t length;
    const char *bytes = met_npy_write(session, tensor, &length);
    return met_file_write(session, path, bytes, length);
}
