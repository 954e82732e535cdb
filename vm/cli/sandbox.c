/* sandbox.c: a second wall around a script that is not trusted: a child process under the system's own limits, killed
 * when it outlives its time.  The VM holds its limits itself; this is for faults of the engine. */
#define _POSIX_C_SOURCE 200809L

#include "sandbox.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "output.h"
#include "terminal.h"

/* Sanitizers reserve terabytes of addresses. */
#if defined(__SANITIZE_ADDRESS__)
enum { BOUND_ADDRESSES = 0 };
#else
enum { BOUND_ADDRESSES = 1 };
#endif

enum { FAILED = 1, LIMIT = 3, BY_SIGNAL = 128 };

static const double slack = 1;              /* seconds: to start, and to print what the script returned */
static const double process = 512 << 20;    /* bytes of addresses: the command and its libraries */
static const double thread = 80 << 20;      /* a thread's stack and heap */

static void bound(int resource, double most)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0)
        return;
    if (limit.rlim_max == RLIM_INFINITY || most < (double)limit.rlim_max)
        limit.rlim_cur = limit.rlim_max = (rlim_t)most;
    setrlimit(resource, &limit);
}

static double threads_of(const options *o)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return o->threads > 0 ? o->threads : cores > 0 ? (double)cores : 1;
}

static void build_wall(const options *o)
{
    bound(RLIMIT_CORE, 0);
    if (o->time_limit > 0)
        bound(RLIMIT_CPU, ceil((o->time_limit + slack) * threads_of(o)));
    if (o->memory_limit > 0 && BOUND_ADDRESSES)
        bound(RLIMIT_AS, 2 * (double)o->memory_limit + process + thread * threads_of(o));
}

/* Until the child ends, or its time does; `ended` is the blocked signal of it. */
static int status_of(pid_t child, const options *o, const sigset_t *ended)
{
    int status = 0;
    double seconds = o->time_limit + slack;
    struct timespec most = { (time_t)seconds, (long)(1e9 * (seconds - floor(seconds))) };
    bool killed = false;
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (sigtimedwait(ended, NULL, o->time_limit > 0 ? &most : NULL) < 0 && errno == EAGAIN) {
            killed = kill(child, SIGKILL) == 0;
            waitpid(child, &status, 0);
            break;
        }
    }
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    int by = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (by == SIGINT || by == SIGPIPE || by == SIGTERM)
        return BY_SIGNAL + by; /* as a shell has it: nothing of the script's */
    if (killed || by == SIGXCPU)
        complain("the script's process outlived its time limit and was killed");
    else
        complain("the script's process ended by a signal: %s", strsignal(by));
    return LIMIT;
}

int sandbox_run(const options *o, int (*work)(const options *))
{
    sigset_t ended, before;
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ended, &before);
    fflush(NULL);
    pid_t child = fork();
    if (child < 0)
        return complain("no process for the script: %s", strerror(errno)) ? 0 : FAILED;
    if (child == 0) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        build_wall(o);
        int status = work(o);
        if (!output_close(stdout, NULL) && status == 0)
            status = FAILED;
        _exit(status);
    }
    struct sigaction ignore = { .sa_handler = SIG_IGN }, interrupt;
    sigaction(SIGINT, &ignore, &interrupt); /* the child's answer to it is ours */
    int status = status_of(child, o, &ended);
    sigaction(SIGINT, &interrupt, NULL);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return status;
}
