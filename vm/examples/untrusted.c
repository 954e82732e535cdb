/* untrusted.c: runs a script that nobody has read: limits in the VM, and around it a process with limits of its own.
 *
 *     cc -std=c99 untrusted.c $(pkg-config --cflags --libs kcost-lua5.4) -o untrusted && ./untrusted matmul.lua
 *
 * The VM's limits hold against the script; the process holds against faults of the Lua engine.  Exit status: 0 it
 * answered, 1 it failed, 3 a limit. */
#define _POSIX_C_SOURCE 200809L

#include <kcost.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MEGABYTES = 64, SECONDS = 2, MOST_TEXT = 4096 };

/* In the child: what the script's first result says, or what went wrong, is one line into the pipe. */
static int answer(const char *script, FILE *out)
{
    kc_vm_options options;
    kc_vm *vm;
    double time = 0;
    memset(&options, 0, sizeof options); /* a sandbox */
    options.memory_limit = (size_t)MEGABYTES << 20;
    options.time_limit = SECONDS;
    kc_status status = kc_vm_new(&options, &vm);
    if (status == KC_OK)
        status = kc_vm_run_file(vm, script);
    kc_object *first = kc_vm_answer(vm, 0);
    if (status != KC_OK)
        fprintf(out, "%s\n", vm ? kc_vm_message(vm) : kc_status_text(status));
    else if (!first || kc_object_kind(first) != KC_RESULT || kc_result_number((kc_result *)first, KC_TIME, &time) != KC_OK)
        fprintf(out, "the script returned no evaluated kernel\n");
    else
        fprintf(out, "%s on %s: %.1f us, %s binds\n", kc_result_name((kc_result *)first), kc_result_device((kc_result *)first),
                1e6 * time, kc_result_bound((kc_result *)first));
    kc_vm_free(vm);
    return status == KC_OK ? 0 : status == KC_ELIMIT ? 3 : 1;
}

static void limit(int resource, size_t most)
{
    struct rlimit r;
    r.rlim_cur = r.rlim_max = (rlim_t)most;
    setrlimit(resource, &r);
}

/* What comes through the pipe until it is closed; 0: not in time. */
static int receive(int from, char *text, size_t size)
{
    size_t length = 0;
    struct pollfd ready = { from, POLLIN, 0 };
    ssize_t more = 1;
    while (more > 0 && length + 1 < size && poll(&ready, 1, 1000 * (SECONDS + 1)) == 1) {
        more = read(from, text + length, size - 1 - length);
        length += more > 0 ? (size_t)more : 0;
    }
    text[length] = '\0';
    return more == 0;
}

int main(int count, char **words)
{
    char text[MOST_TEXT];
    int ends[2], status = 0;
    if (count != 2 || pipe(ends) != 0)
        return 2;
    pid_t child = fork();
    if (child == 0) {
        limit(RLIMIT_CORE, 0);
        limit(RLIMIT_CPU, SECONDS + 1);
        limit(RLIMIT_AS, (size_t)(2 * MEGABYTES + 512) << 20);
        FILE *out = fdopen(ends[1], "w");
        int exit_status = out ? answer(words[1], out) : 1;
        if (out)
            fclose(out);
        _exit(exit_status);
    }
    close(ends[1]);
    if (child < 0)
        return 1;
    if (!receive(ends[0], text, sizeof text))
        kill(child, SIGKILL);
    waitpid(child, &status, 0);
    fputs(text, stdout);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}
