#include "base/digest.h"
#include "base/session.h"
#include "base/text.h"
#include "met/transcript.h"

const char *met_transcript_set_digest(met_session *session, const met_transcript_set *set)
{
    met_text all = met_text_new(session->arena);
    for (size_t p = 0; p < set->count; p++)
        met_text_bytes(&all, (const char *)set->at[p].bytes, set->at[p].row_count * set->at[p].vocabulary * set->at[p].size);
    return met_digest(session->arena, (met_str){ met_text_done(&all), all.length });
}

met_transcript_tally met_transcript_tally_of(met_session *session, size_t count, const met_transcript *a, const met_transcript *b)
{
    met_transcript_match *matches = MET_NEW_ARRAY(session->arena, met_transcript_match, count);
    double *rates = MET_NEW_ARRAY(session->arena, double, count);
    met_transcript_tally tally = { .count = count, .matches = matches };
    for (size_t p = 0; p < count; p++) {
        matches[p] = met_transcript_compare(&a[p], &b[p]);
        rates[p] = met_transcript_rate(&matches[p]);
        tally.diverged += matches[p].same < matches[p].positions;
    }
    tally.mean = met_mean(count, rates);
    tally.median = met_median(count, rates);
    return tally;
}

met_score_distance met_transcript_diff_at(const met_transcript_diff *diff, size_t position)
{
    met_score_distance worst = { .cosine = 1 };
    for (size_t p = 0; p < diff->a.count; p++) {
        const met_transcript *a = &diff->a.at[p], *b = &diff->fed_to_b[p];
        size_t begin = position ? a->prompt_count + position - 2 : 0; /* the last row of a prompt chooses position 1 */
        size_t end = position ? begin + 1 : a->prompt_count;
        for (size_t row = begin; row < end && row < a->row_count; row++)
            worst = met_score_worst(worst, met_score_compare(a, b, row));
    }
    return worst;
}

bool met_transcript_diff_same(const met_transcript_diff *diff)
{
    bool same = diff->tally.diverged == 0 && (diff->kept_same || !diff->kept_compared);
    for (size_t p = 0; same && p < diff->a.count; p++)
        same = met_scores_first_difference(&diff->a.at[p], &diff->fed_to_b[p]) == diff->a.at[p].row_count;
    return same;
}

bool met_transcript_diff_within(const met_transcript_diff *diff)
{
    return !diff->derived || met_transcript_diff_at(diff, 0).max_abs <= diff->tolerance;
}

bool met_transcript_diff_sound(const met_transcript_diff *diff)
{
    for (size_t c = 0; c < diff->control_count; c++)
        if (!diff->controls[c].passed)
            return false;
    return true;
}
