/* crew.c: threads that evaluate blocks. */
#define _GNU_SOURCE             /* sched_getaffinity */

#include "crew.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

typedef struct place {
    kci_block *block;
    bool done;
} place;

/* A ring: [ awaited … taken … issued ), each at its number modulo `most`. */
struct kci_crew {
    kc_context *context;
    pthread_t *threads;
    unsigned thread_count, asked;
    place *ring;
    size_t most;
    uint64_t issued, taken, awaited;
    bool over;
    pthread_mutex_t lock;
    pthread_cond_t work, done;
};

unsigned kci_crew_cores(void)
{
#if defined(__linux__)
    cpu_set_t cores;
    if (sched_getaffinity(0, sizeof cores, &cores) == 0 && CPU_COUNT(&cores) > 0)
        return (unsigned)CPU_COUNT(&cores);
#endif
    long cores_online = sysconf(_SC_NPROCESSORS_ONLN);
    return cores_online > 0 ? (unsigned)cores_online : 1;
}

/* The first block that nobody has taken yet.  The lock is held before and after. */
static void run_next(kci_crew *crew)
{
    place *at = &crew->ring[crew->taken++ % crew->most];
    pthread_mutex_unlock(&crew->lock);
    kci_block_run(at->block);
    pthread_mutex_lock(&crew->lock);
    at->done = true;
    pthread_cond_signal(&crew->done);
}

static void *serve(void *data)
{
    kci_crew *crew = data;
    pthread_mutex_lock(&crew->lock);
    while (!crew->over) {
        if (crew->taken < crew->issued)
            run_next(crew);
        else
            pthread_cond_wait(&crew->work, &crew->lock);
    }
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

/* Signals are for the thread that asked. */
static void start(kci_crew *crew, unsigned threads)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (crew->thread_count < threads && pthread_create(&crew->threads[crew->thread_count], NULL, serve, crew) == 0)
        crew->thread_count++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

kci_crew *kci_crew_new(kc_context *context, unsigned threads, size_t most)
{
    kci_crew *crew = kci_alloc(context, sizeof *crew);
    if (!crew)
        return NULL;
    crew->context = context;
    crew->most = most;
    crew->asked = threads;
    crew->ring = kci_alloc(context, most * sizeof *crew->ring);
    crew->threads = kci_alloc(context, threads * sizeof *crew->threads);
    if (!crew->ring || !crew->threads || pthread_mutex_init(&crew->lock, NULL) != 0) {
        kci_free(context, crew->ring, most * sizeof *crew->ring);
        kci_free(context, crew->threads, threads * sizeof *crew->threads);
        kci_free(context, crew, sizeof *crew);
        return NULL;
    }
    pthread_cond_init(&crew->work, NULL);
    pthread_cond_init(&crew->done, NULL);
    start(crew, threads - 1); /* the caller is one of them */
    return crew;
}

void kci_crew_free(kci_crew *crew)
{
    if (!crew)
        return;
    kc_context *context = crew->context;
    pthread_mutex_lock(&crew->lock);
    crew->over = true;
    pthread_cond_broadcast(&crew->work);
    pthread_mutex_unlock(&crew->lock);
    for (unsigned i = 0; i < crew->thread_count; i++)
        pthread_join(crew->threads[i], NULL);
    pthread_mutex_destroy(&crew->lock);
    pthread_cond_destroy(&crew->work);
    pthread_cond_destroy(&crew->done);
    kci_free(context, crew->ring, crew->most * sizeof *crew->ring);
    kci_free(context, crew->threads, crew->asked * sizeof *crew->threads);
    kci_free(context, crew, sizeof *crew);
}

void kci_crew_issue(kci_crew *crew, kci_block *block)
{
    pthread_mutex_lock(&crew->lock);
    crew->ring[crew->issued++ % crew->most] = (place){ block, false };
    pthread_cond_signal(&crew->work);
    pthread_mutex_unlock(&crew->lock);
}

size_t kci_crew_out(const kci_crew *crew)
{
    return (size_t)(crew->issued - crew->awaited);
}

kci_block *kci_crew_await(kci_crew *crew)
{
    place *at = &crew->ring[crew->awaited++ % crew->most];
    pthread_mutex_lock(&crew->lock);
    while (!at->done) {
        if (crew->taken < crew->issued)
            run_next(crew);
        else
            pthread_cond_wait(&crew->done, &crew->lock);
    }
    pthread_mutex_unlock(&crew->lock);
    return at->block;
}
