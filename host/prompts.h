/* Prompts: what a model's transcripts begin with. A set is made from a seed, or said on the command line, or read from a file
 * with one prompt a line. Its digest says which set it was: SHA-256 of the prompts as a file would have them, one a line, the
 * tokens in decimal with a space between two. */
#ifndef MET_HOST_PROMPTS_H
#define MET_HOST_PROMPTS_H

#include "met/session.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MET_PROMPTS_LIMIT = 1000 /* prompts of a set */, MET_PROMPT_LIMIT = 4096 /* tokens of a prompt */ };

typedef struct met_prompt {
    size_t count;
    const uint32_t *tokens;
} met_prompt;

typedef struct met_prompt_set {
    size_t count;
    const met_prompt *at;
    const char *source; /* "seed 1", "the command line", the file's path */
    const char *digest;
} met_prompt_set;

/* `count` prompts of 4 to 8 tokens below `vocabulary`, functions of seed and place alone. NULL with a diagnostic: none, or more
 * than the limit. */
const met_prompt_set *met_prompts_of_seed(met_session *session, uint64_t seed, uint64_t count, uint64_t vocabulary);
/* Tokens in decimal, with commas, white space or both between them; every text is a prompt. NULL with a diagnostic: something
 * else, no token, too many, one that the vocabulary does not have. */
const met_prompt_set *met_prompts_of_texts(met_session *session, size_t count, const char *const *texts, uint64_t vocabulary);
/* The same, a line a prompt; what follows a `#` is a comment, lines without anything else are skipped. */
const met_prompt_set *met_prompts_of_file(met_session *session, const char *path, uint64_t vocabulary);

#ifdef __cplusplus
}
#endif
#endif
