/* threads.c: eight threads, each with a VM of its own, run the same script at other sizes.
 *
 *     cc -std=c99 -pthread threads.c $(pkg-config --cflags --libs kcost-lua5.4) -o threads && ./threads matmul.lua
 *
 * A VM belongs to one thread at a time, and VMs share nothing: no lock is needed. */
#include <kcost.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 8 };

typedef struct job {
    const char *script;
    char m[16];         /* a param is a text */
    double time;        /* s */
    kc_status status;
    char message[256];
} job;

static void *work(void *data)
{
    job *j = data;
    kc_vm *vm;
    j->status = kc_vm_new(NULL, &vm);
    if (j->status == KC_OK)
        j->status = kc_vm_param(vm, "m", j->m);
    if (j->status == KC_OK)
        j->status = kc_vm_run_file(vm, j->script);
    if (j->status == KC_OK)
        j->status = kc_result_number((const kc_result *)kc_vm_answer(vm, 0), KC_TIME, &j->time);
    snprintf(j->message, sizeof j->message, "%s", vm ? kc_vm_message(vm) : kc_status_text(j->status));
    kc_vm_free(vm);
    return NULL;
}

int main(int count, char **words)
{
    job jobs[THREADS];
    pthread_t threads[THREADS];
    int failed = count != 2, started = 0;
    for (; !failed && started < THREADS; started++) {
        jobs[started].script = words[1];
        snprintf(jobs[started].m, sizeof jobs[started].m, "%d", 512 * (started + 1));
        if (pthread_create(&threads[started], NULL, work, &jobs[started]) != 0)
            break;
    }
    for (int i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
        if (jobs[i].status == KC_OK)
            printf("m = %s: %.1f us\n", jobs[i].m, 1e6 * jobs[i].time);
        else
            fprintf(stderr, "m = %s: %s\n", jobs[i].m, jobs[i].message);
        failed |= jobs[i].status != KC_OK;
    }
    return failed || started < THREADS;
}
