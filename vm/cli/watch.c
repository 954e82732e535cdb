/* watch.c: progress of a sweep on a terminal, and Ctrl-C, which ends the sweep and keeps what is done. */
#define _POSIX_C_SOURCE 200809L

#include "watch.h"

#include <signal.h>
#include <stdio.h>
#include <time.h>

static volatile sig_atomic_t stop; /* a signal handler has no other way to say it */

/* The second Ctrl-C ends the program. */
static void on_interrupt(int signal_number)
{
    (void)signal_number;
    stop = 1;
}

/* A signal that is ignored, as in the background, stays so. */
static void listen(void)
{
    struct sigaction action = { .sa_handler = on_interrupt }, before;
    action.sa_flags = (int)SA_RESETHAND;
    stop = 0;
    if (sigaction(SIGINT, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
        sigaction(SIGINT, &action, NULL);
}

static void listen_no_more(void)
{
    struct sigaction action = { .sa_handler = SIG_DFL }, now_set;
    if (sigaction(SIGINT, NULL, &now_set) == 0 && now_set.sa_handler == on_interrupt)
        sigaction(SIGINT, &action, NULL);
}

static double now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

static void erase(watch *w)
{
    if (w->drawn)
        fputs("\r\033[K", stderr);
    w->drawn = false;
}

static void draw(watch *w, double done, double points)
{
    enum { WIDTH = 30 };
    char bar[WIDTH + 1];
    double part = points > 0 ? done / points : 1;
    for (int i = 0; i < WIDTH; i++)
        bar[i] = i < (int)(part * WIDTH) ? '=' : ' ';
    bar[WIDTH] = '\0';
    fprintf(stderr, "\r[%s] %3d %%  %.0f of %.0f points", bar, (int)(100 * part), done, points);
    fflush(stderr);
    w->drawn = true;
}

int watch_sweep(void *data, double done, double points)
{
    watch *w = data;
    if (done == 0) {
        listen();
        w->due = now() + 0.5; /* short sweeps need no line */
    }
    bool over = done >= points;
    if (stop || over) {
        erase(w);
        listen_no_more();
        w->interrupted = w->interrupted || (stop && !over);
        return stop && !over;
    }
    if (w->shows && now() >= w->due) {
        draw(w, done, points);
        w->due = now() + 0.1;
    }
    return 0;
}
