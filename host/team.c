/* A team of threads. pthreads rather than OpenMP: its members are ours to pin, to wait busily or not, and to ask for their
 * floating-point flags, which every thread has of its own; and it is the same under every compiler and sanitizer. */
#define _GNU_SOURCE /* pthread_setaffinity_np, CPU sets */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "base/diag.h"
#include "host/machine.h"

static const met_span nowhere;

/* Turns of the busy wait: some tens of microseconds to a hundred, longer than launches of small kernels are apart. */
enum { TURNS = 2000 };

typedef struct team_member {
    met_team *team;
    uint32_t number;
    pthread_t thread;
} team_member;

struct met_team {
    uint32_t count;
    uint32_t turns;  /* 0 if there are fewer CPUs than members: then waiting busily is in the way of working */
    bool pinned;
    cpu_set_t before; /* of the caller */
    team_member *members;  /* of number 1 and on */
    met_work_fn work; /* NULL: go home */
    void *context;
    atomic_uint round;   /* number of the present work */
    atomic_uint pending; /* members that have not finished it */
    pthread_mutex_t mutex;
    pthread_cond_t begun, ended;
};

static void pause_a_little(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* Waits until *word is `value`, or is not, first busily and then asleep. */
static void await(met_team *team, pthread_cond_t *change, atomic_uint *word, unsigned value, bool equal)
{
    for (uint32_t turn = 0; turn < team->turns; turn++) {
        if ((atomic_load_explicit(word, memory_order_acquire) == value) == equal)
            return;
        pause_a_little();
    }
    pthread_mutex_lock(&team->mutex);
    while ((atomic_load_explicit(word, memory_order_acquire) == value) != equal)
        pthread_cond_wait(change, &team->mutex);
    pthread_mutex_unlock(&team->mutex);
}

static void *serve(void *argument)
{
    team_member *self = argument;
    met_team *team = self->team;
    for (unsigned round = 0;; round++) {
        await(team, &team->begun, &team->round, round, false);
        met_work_fn work = team->work;
        if (work)
            work(team->context, self->number);
        if (atomic_fetch_sub_explicit(&team->pending, 1, memory_order_acq_rel) == 1) {
            pthread_mutex_lock(&team->mutex);
            pthread_cond_signal(&team->ended);
            pthread_mutex_unlock(&team->mutex);
        }
        if (!work)
            return NULL;
    }
}

/* Gives the members work; the caller has none yet. */
static void begin(met_team *team, met_work_fn work, void *context)
{
    team->work = work;
    team->context = context;
    atomic_store_explicit(&team->pending, team->count - 1, memory_order_relaxed);
    pthread_mutex_lock(&team->mutex);
    atomic_fetch_add_explicit(&team->round, 1, memory_order_release);
    pthread_cond_broadcast(&team->begun);
    pthread_mutex_unlock(&team->mutex);
}

void met_team_run(met_team *team, met_work_fn work, void *context)
{
    if (team->count > 1)
        begin(team, work, context);
    work(context, 0);
    if (team->count > 1)
        await(team, &team->ended, &team->pending, 0, true);
}

uint32_t met_team_count(const met_team *team)
{
    return team->count;
}

/* --- Beginning and end --- */

/* The n-th CPU of a set. */
static bool pin(pthread_t thread, const cpu_set_t *set, uint32_t n)
{
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, set) || n-- > 0)
            continue;
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        return pthread_setaffinity_np(thread, sizeof one, &one) == 0;
    }
    return false;
}

static bool start(met_team *team, uint32_t number)
{
    team_member *member = &team->members[number];
    member->team = team;
    member->number = number;
    if (pthread_create(&member->thread, NULL, serve, member) != 0)
        return false;
    if (team->pinned)
        pin(member->thread, &team->before, number);
    return true;
}

static met_team *refuse(met_session *session, uint32_t count, const char *why, uint32_t limit)
{
    met_diag *diag = met_diag_add(session, MET_DIAG_run, nowhere, "%u threads cannot be had: %s", (unsigned)count, why);
    met_diag_help(diag, "take at most %u", (unsigned)limit);
    return NULL;
}

met_team *met_team_new(met_session *session, uint32_t count, bool pinned)
{
    uint32_t cpus = met_cpu_count();
    if (count > MET_TEAM_LIMIT)
        return refuse(session, count, "that is more than met shares work among", MET_TEAM_LIMIT);
    if (pinned && count > cpus)
        return refuse(session, count, "pinned, each needs a CPU", cpus);
    met_team *team = MET_NEW(session->arena, met_team);
    *team = (met_team){ .turns = count > cpus ? 0 : TURNS, .pinned = pinned };
    team->members = MET_NEW_ARRAY(session->arena, team_member, count);
    pthread_mutex_init(&team->mutex, NULL);
    pthread_cond_init(&team->begun, NULL);
    pthread_cond_init(&team->ended, NULL);
    team->pinned = pinned && pthread_getaffinity_np(pthread_self(), sizeof team->before, &team->before) == 0;
    for (team->count = 1; team->count < count; team->count++) {
        uint32_t started = team->count;
        if (start(team, started))
            continue;
        met_team_free(team);
        return refuse(session, count, "the system starts no more", started);
    }
    if (team->pinned)
        pin(pthread_self(), &team->before, 0);
    return team;
}

void met_team_free(met_team *team)
{
    if (!team)
        return;
    if (team->count > 1)
        begin(team, NULL, NULL);
    for (uint32_t t = 1; t < team->count; t++)
        pthread_join(team->members[t].thread, NULL);
    if (team->pinned)
        pthread_setaffinity_np(pthread_self(), sizeof team->before, &team->before);
    pthread_cond_destroy(&team->begun);
    pthread_cond_destroy(&team->ended);
    pthread_mutex_destroy(&team->mutex);
    team->count = 0;
}
