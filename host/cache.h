/* A directory of compiled kernels, each under the digest of all that it was made from.
 *
 * Entries are made in a directory of our own beside them and renamed into place, so two processes may make the same entry
 * at once: one replaces the other, byte for byte as good. An entry ends with the digest of its own bytes; one that was cut
 * short or changed is no entry. Where the directory cannot be made or written, or others may write to it, what is made
 * stands in a temporary directory and is gone when the cache is closed. */
#ifndef MET_HOST_CACHE_H
#define MET_HOST_CACHE_H

#include "met/session.h"

#define MET_CACHE_KEY 65 /* hexadecimal digits of a SHA-256, and a NUL */

typedef struct met_cache met_cache;

/* `directory` NULL: $MET_CACHE, else $XDG_CACHE_HOME/met, else $HOME/.cache/met; empty: a temporary one. Nothing is made
 * on disk before the first entry is. Never NULL. */
met_cache *met_cache_open(met_session *session, const char *directory);
void met_cache_close(met_cache *cache);

/* The key of something made from these texts, in this order. */
void met_cache_key(size_t count, const char *const *texts, char ret_key[MET_CACHE_KEY]);

/* The file of an entry that is whole; NULL if there is none. Lives as long as the session, like all paths here. */
const char *met_cache_find(met_cache *cache, const char *key);

/* Where the parts of an entry are made: a path in our own directory that ends in `ending`. NULL with a diagnostic `file`
 * if there is no place to write to. */
const char *met_cache_work(met_cache *cache, const char *key, const char *ending);
/* Seals the file at met_cache_work(key, ".so") and moves it into place. Its path, or NULL with a diagnostic `file`. */
const char *met_cache_publish(met_cache *cache, const char *key);
/* Keeps the file at met_cache_work(key, ending) beyond the cache's life, for people. Its path. */
const char *met_cache_keep(met_cache *cache, const char *key, const char *ending);
/* A file that was kept under this name, not sealed; NULL if there is none. */
const char *met_cache_entry(met_cache *cache, const char *key, const char *ending);
/* Whether what is kept stands in the cache's own directory, where the next one finds it. There must be a work path. */
bool met_cache_lasts(met_cache *cache);
/* Removes the file at met_cache_work(key, ending), if there is one. */
void met_cache_discard(met_cache *cache, const char *key, const char *ending);

#endif
