/* Files in and out, whole. Every failure is a diagnostic `file` (or `input-too-large`) that names the path; such a
 * diagnostic has no place in a source. The path "-" is standard input or standard output. */
#ifndef MET_HOST_FILE_H
#define MET_HOST_FILE_H

#include "met/session.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads all bytes of a file of at most `limit` bytes. The bytes live as long as the session and are followed by a NUL
 * that *ret_length does not count. */
bool met_file_read(met_session *session, const char *path, size_t limit, const char **ret_bytes, size_t *ret_length);

/* The same for a kind of file that begins with `magic`: of any other, only the beginning is read. */
bool met_file_read_kind(met_session *session, const char *path, const char *magic, size_t limit, const char **ret_bytes,
                        size_t *ret_length);

/* Reads a text and registers it as a source (met_session_add_source) under its path, "<stdin>" for "-".
 * Returns its id, or 0 with a diagnostic. */
uint32_t met_file_source(met_session *session, const char *path);

/* Writes a file in one step: readers see the old content or the new, never half of it, and a failure leaves the old
 * file as it was. A new file gets the permissions that the umask gives, a replaced one keeps its own. A symbolic link
 * is followed. Devices and pipes are written to directly. */
bool met_file_write(met_session *session, const char *path, const char *bytes, size_t length);

/* Whether that may work, for whoever would learn it only after long work: what is at `path` is a file or nothing, and its
 * directory takes files. False with the diagnostic that writing would give. */
bool met_file_may_write(met_session *session, const char *path);

/* Writes several files, all or none: what fails is undone, so that the old ones are as they were. */
typedef struct met_file_text {
    const char *path;
    const char *bytes;
    size_t length;
} met_file_text;
bool met_file_write_all(met_session *session, size_t count, const met_file_text *files);

/* What a path is, without following up on why: for choosing between a name and a file. */
bool met_file_exists(const char *path);
bool met_file_is_directory(const char *path);
/* True of symbolic links to one. What is none, such as a pipe, may keep a reader waiting for ever. */
bool met_file_is_regular(const char *path);

/* "blueprint, paper": the names, in order and each once, of the TOML files in some directories, without their ending.
 * Directories that are NULL, empty or cannot be read are passed over. */
const char *met_file_stems(met_session *session, size_t count, const char *const *directories);

/* The same names as a list. */
const char *const *met_file_stem_list(met_session *session, size_t count, const char *const *directories, size_t *ret_count);

#ifdef __cplusplus
}
#endif
#endif
