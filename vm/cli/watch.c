/* watch.c: progress of long calls on a terminal, and Ctrl-C, which ends them and keeps what is done. */
#define _POSIX_C_SOURCE 200809L

#include "watch.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "sheet.h"
#include "terminal.h"

/* ---- Ctrl-C ---------------------------------------------------------------------------- */

/* A signal handler has no other way to say it, nor to know. */
static kc_vm *volatile running;
static volatile sig_atomic_t pressed, inside, fatal;

static void on_interrupt(int signal_number)
{
    enum { FATAL = 3 };
    pressed++;
    if (running && (pressed > 1 || !inside))
        kc_vm_interrupt(running);
    if (fatal && pressed >= FATAL) {
        signal(signal_number, SIG_DFL);
        raise(signal_number);
    }
}

/* A signal that is ignored, as in the background, stays so, but where it is typed at a prompt: there, without SA_RESTART,
 * it ends the line. */
static void listen(const watch *w)
{
    struct sigaction action = { .sa_handler = on_interrupt }, before;
    action.sa_flags = w->prompt ? 0 : SA_RESTART;
    fatal = !w->prompt;
    if (w->prompt || (sigaction(SIGINT, NULL, &before) == 0 && before.sa_handler == SIG_DFL))
        sigaction(SIGINT, &action, NULL);
}

static void listen_no_more(void)
{
    struct sigaction action = { .sa_handler = SIG_DFL }, now_set;
    if (sigaction(SIGINT, NULL, &now_set) == 0 && now_set.sa_handler == on_interrupt)
        sigaction(SIGINT, &action, NULL);
}

void watch_begin(watch *w, kc_vm *vm)
{
    pressed = inside = 0;
    running = vm;
    listen(w);
}

bool watch_end(watch *w)
{
    running = NULL;
    watch_erase(w);
    w->points = 0;
    if (!w->prompt)
        listen_no_more();
    return pressed > 0;
}

/* ---- the line ---------------------------------------------------------------------------- */

static double now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

void watch_erase(watch *w)
{
    if (w->drawn)
        fputs("\r\033[K", stderr);
    w->drawn = false;
}

/* "12 s", "3 min 20 s", "2 h 10 min" */
static void time_text(char *out, size_t size, double seconds)
{
    enum { MINUTE = 60, HOUR = 3600 };
    if (seconds < MINUTE)
        snprintf(out, size, "%.0f s", seconds);
    else if (seconds < HOUR)
        snprintf(out, size, "%d min %d s", (int)seconds / MINUTE, (int)seconds % MINUTE);
    else
        snprintf(out, size, "%.0f h %d min", seconds / HOUR - 0.5, (int)(seconds / MINUTE) % MINUTE);
}

/* How much is done, how fast, how long the rest takes at that rate; the bar takes what is left of the line. */
static void draw(const watch *w, double seconds)
{
    enum { WIDEST = 30, FRAME = 3, NARROWEST = 5, MARGIN = 1 };
    static const char full[] = "==============================", empty[] = "                              ";
    char text[160], rate[CELL_BYTES], left[40];
    double part = w->done / w->points, each = seconds > 0 ? w->done / seconds : 0;
    char some[CELL_BYTES], all[CELL_BYTES];
    quantity(some, w->done, "");
    quantity(all, w->points, "");
    quantity(rate, each, "/s");
    time_text(left, sizeof left, each > 0 ? (w->points - w->done) / each : 0);
    int length = snprintf(text, sizeof text, each > 0 ? "%3d %%, %s left, %s of %s, %s" : "%3d %%", (int)(100 * part),
                          left, some, all, rate);
    size_t width = terminal_width(stderr), most = width > MARGIN ? width - MARGIN : 0;
    if (terminal_columns(text, (size_t)length) > most)
        length = snprintf(text, sizeof text, "%3d %%, %s left", (int)(100 * part), left);
    size_t columns = terminal_columns(text, (size_t)length), room = most > columns + FRAME ? most - columns - FRAME : 0;
    int bar = (int)(room < WIDEST ? room : WIDEST), done = (int)(part * bar);
    fputs("\r", stderr);
    if (bar >= NARROWEST)
        fprintf(stderr, "[%.*s%.*s] ", done, full, bar - done, empty);
    fprintf(stderr, "%s\033[K", text);
    fflush(stderr);
}

static void progress(watch *w, double done, double points)
{
    static const double patience = 0.5, step = 0.1; /* seconds: short calls need no line */
    if (points != w->points || done < w->done) {
        watch_erase(w);
        w->began = now();
        w->due = w->began + patience;
    }
    w->points = points;
    w->done = done;
    if (done >= points)
        watch_erase(w);
    else if (w->shows && now() >= w->due) {
        draw(w, now() - w->began);
        w->drawn = true;
        w->due = now() + step;
    }
}

int watch_call(void *data, double done, double points)
{
    watch *w = data;
    bool known = points > 0, over = known && done >= points;
    if (known)
        progress(w, done, points);
    if (known && !pressed)
        inside = !over;
    if (!pressed || over)
        return 0;
    watch_erase(w);
    w->interrupted = true;
    inside = 0;
    return 1;
}
