/* binding.h: what the files of the binding share: the state, objects, arguments, errors.
 *
 * A call of the language is a C function with the state as its first upvalue:
 *
 *     static int language_cast(lua_State *L)
 *     {
 *         kci_call c = kci_begin(L, "cast", 2);
 *         kc_value *a = kci_value(&c, 1, "a");
 *         const kc_dtype *dtype = kci_dtype(&c, 2, "dtype");
 *         KCI_RETURN(&c, kc_cast(a, dtype));
 *     }
 *
 * Memory.  Everything that C needs while the model works lies in userdata on the
 * stack, and the userdata that will hold a new handle is there before the model
 * is called.  So an error, which is a longjmp, leaks nothing.  No script code
 * runs between reading a table and the call: tables are read raw, and what a
 * finalizer could take out of them is anchored in a table of our own first.
 *
 * Order.  What comes from a Lua table as names is sorted by name. */
#ifndef KCI_BINDING_H
#define KCI_BINDING_H

#include <stdbool.h>
#include <stddef.h>

#include "compat.h"
#include "kcost.h"
#include "limit.h"
#include "memory.h"

enum { KCI_KINDS = KC_SWEEP + 1 };

/* A `--set`: what param(name, default) gives. */
typedef struct kci_param {
    struct kci_param *next;
    char *name, *value;
    bool asked;
} kci_param;

/* A module that the host gave: what require(name) runs. */
typedef struct kci_given {
    struct kci_given *next;
    char *name, *text;
    size_t length;
} kci_given;

/* What a script holds: one reference to a handle.  The userdata is a pointer to
 * this, and the state has a list of all: where memory is so short that the
 * collector can't call a finalizer, the reference is dropped with the state. */
typedef struct kci_box {
    kc_object *object;     /* NULL: not made yet */
    kc_comparison *within; /* of a result: the comparison it is a row of */
    size_t row;
    struct kci_box *next, **link; /* *link is this box */
} kci_box;

/* One a lua_State: a userdata in the registry. */
typedef struct kci_state {
    kc_context *context; /* NULL: closed */
    kci_memory *memory;
    bool own_memory;           /* a module's; a VM's account is the VM's */
    int metatables[KCI_KINDS]; /* registry references, so that finding one needs no memory */
    const void *metatable_at[KCI_KINDS];    /* where they are: tables don't move */
    int records;               /* registry reference: metatables of tables that kcost answers with */
    kci_box *boxes;            /* of all objects that scripts hold */
    size_t collect_at;         /* the model's bytes at which the collector is driven */
    /* Of a VM; zero in a module. */
    kci_param *params;
    kci_given *given;
    const char *script; /* its name, for errors without a Lua frame */
    const char *text;   /* and its text, NULL: unknown; for their line */
    size_t text_length;
    uint32_t runs;      /* so far, this one too */
    bool from_file;     /* the name is a path: `require` looks beside it */
    int asked;          /* registry reference: names that param was asked for */
    void (*print)(void *data, const char *text, size_t length);
    void *print_data;
    bool vm, trusted;
    const char *path; /* of a module too: KCOST_PATH */
    /* What sweeps are run with; 0, NULL: one thread a core, all parts, unwatched. */
    unsigned threads, part, parts;
    kc_watch watch;
    void *watch_data;
    kci_limits *limits;         /* NULL: a module's */
    uint64_t random[4];         /* of math.random */
    int pcall, xpcall, tonumber; /* registry references, see basic.c */
} kci_state;

/* One call in progress. */
typedef struct kci_call {
    lua_State *L;
    kci_state *state;
    const char *name; /* "matmul": messages begin "kc.matmul: " */
    bool global;      /* no field of kc: messages begin "require: " */
} kci_call;

/* ---- path.c ----------------------------------------------------------- */

/* Pushes the path of the first file that one of the templates (";" between them) names, or
 * returns false. */
bool kci_push_found(lua_State *L, const char *templates, const char *name);
/* The same of FOLDER/NAME.lua on the path of a trusted VM or a module. */
bool kci_push_replaced(lua_State *L, const kci_state *state, const char *folder, const char *name);
/* Pushes a file's bytes in userdata, with room for one more; false: it can't be read, and nothing is pushed. */
bool kci_push_bytes(lua_State *L, const char *path, size_t *length);
/* Pushes the file as a function whose chunk has that name; raises where it is no Lua. */
void kci_load_as(kci_call *c, const char *path, const char *chunk);

/* ---- record.c --------------------------------------------------------- */

/* Where the metatables of records will be, one a kind. */
void kci_record_metatables(lua_State *L, kci_state *state);
/* The table at the top is one that print shows and a script may return, `what` ("r.times"); fields that are not among
 * `names`, "matrix vector", are an error; NULL: any may be. */
void kci_record_mark(lua_State *L, const kci_state *state, const char *what, const char *names);
/* Of a schedule, as a kernel and a result show it. */
#define KCI_SCHEDULE_NAMES \
    "tile grid order stages warps split combine raster overlap hold place cluster persistent path vector threads"
/* The same with an __index of its own, whose upvalues, behind the state, are at the top: the table below goes. */
void kci_record_mark_with(lua_State *L, lua_CFunction index, int upvalues);
bool kci_is_record(lua_State *L, int index);

/* ---- state.c ---------------------------------------------------------- */

/* Pushes the state's userdata, made at the first call. `memory` NULL: through
 * the Lua state's own allocator. */
kci_state *kci_state_push(lua_State *L, kci_memory *memory);
/* The state, of a function that has it as first upvalue. */
kci_state *kci_state_of(lua_State *L);
/* Params and modules of the host. */
void kci_state_free_given(kci_state *state);

/* ---- limit.c ---------------------------------------------------------- */

/* Raises the sentence of the limit that was hit. */
int kci_limit_error(lua_State *L, const kci_state *state);
/* For a function that loops: counts so many steps; raises when the run is over. */
void kci_step(lua_State *L, const kci_state *state, size_t steps);
/* Raises where a limit has ended the run, by the clock: behind a call that may have been cut short. */
void kci_not_over(lua_State *L, const kci_state *state);
/* For a function that a script catches errors with: raises when the run is over. */
void kci_caught(lua_State *L, const kci_state *state, int error);
/* For a function that calls back: raises when calls back are nested too deeply for the C stack. */
void kci_not_deep(lua_State *L, const kci_state *state);
#define KCI_NO_MEMORY "not enough memory"
bool kci_is_memory_error(lua_State *L, int index);
/* What the model's long calls are watched with, from any thread; sweeps and searches, for the host too. */
int kci_watch_call(void *limits, double done, double points);
int kci_watch_sweep(void *state, double done, double points);

/* ---- returns.c -------------------------------------------------------- */

/* The line of the `return` that stands outside of all functions; 0: there is none, or several, or the text is one line,
 * which says nothing. */
int kci_return_line(const char *text, size_t length);

/* ---- error.c ---------------------------------------------------------- */

/* Raises "script.lua:12: kc.matmul: " and the sentence; %s, %d, %%. */
int kci_error(const kci_call *c, const char *format, ...);
/* Pushes "script.lua:12: ", the user's line. */
void kci_push_position(lua_State *L, const kci_state *state);
/* Raises the text at the top of the stack at the user's line. */
int kci_raise(lua_State *L, const kci_state *state);
/* Raises what the model last said. */
int kci_model_error(const kci_call *c);
_Noreturn void kci_no_memory(lua_State *L);
/* Pushes "; did you mean 'b'?" for the nearest of count names, or "". */
const char *kci_push_nearest(lua_State *L, const char *word, const char *const *names,
                             size_t count);
/* Pushes words for the value at `index`: "a tensor", "127.5", "'abc'", "nothing". */
const char *kci_push_described(lua_State *L, const kci_state *state, int index);

/* ---- number.c --------------------------------------------------------- */

enum { KCI_NUMBER_TEXT = 32 };
/* The shortest text that reads back, whole numbers below 2^53 without a point;
 * "nan", "inf", "-inf".  Independent of the locale.  Returns its length. */
size_t kci_number_to_text(double number, char text[KCI_NUMBER_TEXT]);
/* Pushes the text of the value at `index` as print and kc.str show it. */
void kci_push_text(lua_State *L, const kci_state *state, int index);

/* ---- object.c --------------------------------------------------------- */

void kci_object_metatables(lua_State *L, kci_state *state);
void kci_box_free(kci_state *state, kci_box *box);
/* Pushes an empty box that can hold any handle. */
kci_box *kci_box_push(lua_State *L, kci_state *state);
/* Puts a handle into the box at the top, which takes the reference. */
void kci_box_fill(lua_State *L, kci_state *state, kci_box *box, void *object);
/* The handle at `index`, or NULL where it is no kcost object. */
kc_object *kci_object_at(lua_State *L, const kci_state *state, int index);
kci_box *kci_box_at(lua_State *L, const kci_state *state, int index);
const char *kci_kind_name(kc_kind kind); /* "a tensor" */

/* Puts the handle that `expression` makes into a new box on the stack; when the
 * allocator refuses, collects and tries once more.  Raises when it fails. */
#define KCI_PUSH(c, expression)                                                                    \
    do {                                                                                           \
        kci_box *box_ = kci_box_push((c)->L, (c)->state);                                          \
        void *made_ = (expression);                                                                \
        if (made_ == NULL && kci_try_again(c))                                                     \
            made_ = (expression);                                                                  \
        if (made_ == NULL)                                                                         \
            return kci_model_error(c);                                                             \
        kci_box_fill((c)->L, (c)->state, box_, made_);                                             \
    } while (0)
#define KCI_RETURN(c, expression)                                                                  \
    do {                                                                                           \
        KCI_PUSH(c, expression);                                                                   \
        return 1;                                                                                  \
    } while (0)
/* The same for a call that returns a kc_status. */
#define KCI_DO(c, expression)                                                                      \
    do {                                                                                           \
        kc_status status_ = (expression);                                                          \
        if (status_ == KC_ENOMEM && kci_try_again(c))                                              \
            status_ = (expression);                                                                \
        if (status_ != KC_OK)                                                                      \
            kci_model_error(c);                                                                    \
    } while (0)
/* True when the model ran out of memory: the garbage is gone now. */
bool kci_try_again(const kci_call *c);
/* Lets the collector know what the model holds; called when handles are made. */
void kci_drive_collector(lua_State *L, kci_state *state);

/* ---- ask.c ------------------------------------------------------------- */

/* Sets an option of count or evaluate from the value at `index`, which is the top. */
void kci_set_option(kci_call *c, kc_options *options, const char *name, int index);
/* What evaluate takes, of the table at `index`; stays on the stack.  NULL where there is none. */
kc_options *kci_read_options(kci_call *c, int index);
/* The same but "measured", of a table that may have `save` as well, which the caller reads. */
kc_options *kci_read_options_and_save(kci_call *c, int index);

/* ---- sweep.c ----------------------------------------------------------- */

/* A `where` that is a function: where on the stack its error is and what is called; the point that it is asked of. */
typedef struct kci_filter {
    lua_State *L;
    int error, call;
    const kc_point *point;
} kci_filter;

/* Adds the axes of the table at `table`, which may also have `options`. */
void kci_read_axes(kci_call *c, kc_space *space, int table, const char *const *options, size_t count);
/* `where` of the table; *filter has room for a function and lives as long as the search or sweep. */
void kci_read_where(kci_call *c, kc_space *space, int table, kci_filter *filter);
/* Raises what the model says of a sweep or a search, or the error of its function. */
int kci_space_failed(kci_call *c, const kci_filter *filter);

/* ---- fields.c, result.c ----------------------------------------------- */

int kci_index_object(lua_State *L); /* __index of all kinds but results and comparisons */
int kci_index_result(lua_State *L);
int kci_index_comparison(lua_State *L);
/* The schedule as it was resolved, as a record; nil where there is none. */
int kci_push_schedule(kci_call *c, const kc_result *r);
int kci_index_sweep(lua_State *L); /* swept.c */
int kci_sweep_length(lua_State *L);
/* Puts the value at the top under a column's title into the table below it: row.tile.i, row.times.hbm,
 * but row["hbm.bandwidth"], which would else hide row.smem. */
void kci_put_column(lua_State *L, const char *title);
/* explain.c: r:explain(), r:sensitivity() */
int kci_result_explain(lua_State *L);
int kci_result_sensitivity(lua_State *L);
/* Raises: no such field; `names` are the kind's. */
int kci_no_field(kci_call *c, const char *what, const char *const *names, size_t count);
/* Puts the value at the top under the dotted `path` into the table below it. */
void kci_put_nested(lua_State *L, const char *path);
/* r:table(), of everything that has a JSON form; pushes a method of this object's. */
int kci_object_table(lua_State *L);
int kci_push_method(lua_State *L, lua_CFunction function);
/* Pushes the Lua value of a JSON text. */
void kci_push_json(kci_call *c, const char *text);

/* ---- arguments.c ------------------------------------------------------ */

/* Starts a call with at most `most` arguments; missing ones become nil. */
kci_call kci_begin(lua_State *L, const char *name, int most);
bool kci_absent(const kci_call *c, int index);
/* Each raises, naming call and argument, where the value is of another type. */
const char *kci_string(kci_call *c, int index, const char *argument);
double kci_number(kci_call *c, int index, const char *argument);
double kci_whole(kci_call *c, int index, const char *argument, double least);
bool kci_boolean(kci_call *c, int index, const char *argument);
kc_tensor *kci_tensor(kci_call *c, int index, const char *argument);
kc_value *kci_value(kci_call *c, int index, const char *argument);
/* A kernel or a written tensor; a program too with `programs`. */
kc_object *kci_kernel_like(kci_call *c, int index, const char *argument, bool programs);
/* By name or as an object; a name's handle is left on the stack. NULL: absent. */
kc_dtype *kci_dtype(kci_call *c, int index, const char *argument);
kc_device *kci_device(kci_call *c, int index, const char *argument);
/* "b h" or { "b", "h" }; the text stays on the stack. NULL: absent. */
const char *kci_dims(kci_call *c, int index, const char *argument);

/* ---- tables.c --------------------------------------------------------- */

/* Refuses keys of the table at `index` that are not in `names`. */
void kci_options(kci_call *c, int index, const char *argument, const char *const *names,
                 size_t count);
/* Pushes the option, nil where the table at `index` is absent; its index. */
int kci_option(kci_call *c, int index, const char *name);

/* { i = 1024, ["i j"] = 4096 }, sorted; the memory is on the stack. */
typedef struct kci_sizes {
    kc_size *items;
    size_t count;
} kci_sizes;
kci_sizes kci_read_sizes(kci_call *c, int index, const char *argument, bool any_number);

/* { k = "k2" }, sorted. */
typedef struct kci_pairs {
    const char **from, **to;
    size_t count;
} kci_pairs;
kci_pairs kci_read_pairs(kci_call *c, int index, const char *argument);

/* { S, P, O }: `pick` turns the item at an index into a handle, or raises. */
typedef struct kci_handles {
    void **items;
    size_t count;
} kci_handles;
typedef void *(*kci_pick)(kci_call *c, int index, const char *argument);
kci_handles kci_read_handles(kci_call *c, int index, const char *argument, kci_pick pick);

/* { "S", O }: names, or tensors, which stand for theirs. */
typedef struct kci_names {
    const char **items;
    size_t count;
} kci_names;
kci_names kci_read_names(kci_call *c, int index, const char *argument);

/* How many items the list at `index` has; raises where it has other keys or holes. */
size_t kci_list_length(kci_call *c, int index, const char *argument);

/* Pushes an own table with the sorted names of the table at `index`; how many. */
size_t kci_push_sorted_keys(kci_call *c, int index, const char *argument);
/* Pushes "; did you mean 'b'?" for the nearest of the names that the table at `index` (from the bottom) has, or "". */
const char *kci_push_nearest_key(kci_call *c, const char *name, int index);

/* ---- the calls, and the module ---------------------------------------- */

extern const luaL_Reg kci_language_calls[]; /* language.c: tensors and values */
extern const luaL_Reg kci_kernel_calls[];   /* kernels.c: kernels and programs */
extern const luaL_Reg kci_tile_calls[];     /* tile.c */
extern const luaL_Reg kci_device_calls[];   /* device.c */
extern const luaL_Reg kci_ask_calls[];      /* ask.c */
extern const luaL_Reg kci_occupancy_calls[]; /* occupancy.c */
extern const luaL_Reg kci_sweep_calls[];    /* sweep.c */
extern const luaL_Reg kci_search_calls[];   /* search.c */
extern const luaL_Reg kci_json_calls[];     /* json.c: load_json */
extern const luaL_Reg kci_script_calls[];   /* script.c: param, str */
int kci_device_with(lua_State *L);
/* Pushes the device of that name or alias; raises. */
int kci_push_named_device(kci_call *c, const char *name);
void kci_push_device_field(kci_call *c, kc_device *device, const char *field);

/* Is the word the name of a call, "matmul"? */
bool kci_is_call(const char *word, size_t length);
/* Pushes a new kcost table, with its own lib.  The state's userdata is at `state_at`. */
void kci_module_push(lua_State *L, int state_at);
/* profile.c, for stdlib files: profile(path, launches), the export of a profiler as tables. */
int kci_core_profile(lua_State *L);
/* Gives the kcost table its `lib`, which loads the stdlib by need, and pushes the table of the stdlib's own files, for
 * "internal" of the kcost table's metatable: no script reaches it there. */
void kci_library_add(lua_State *L, int state_at, int module);
/* Is that a file of the stdlib's own, which `lib` has not, but require as "kcost.internal.NAME"? */
bool kci_is_internal(const char *name);
/* Pushes what such a file gives; `module`: the kcost table. */
void kci_internal_push(lua_State *L, int module, const char *name);
/* help.c: gives the kcost table at the top its `help`; pushes what stdlib files are given as second argument. */
void kci_help_add(lua_State *L, int state_at);
void kci_core_push(lua_State *L, int state_at);
int kci_core_paths(lua_State *L);
int kci_core_figure(lua_State *L);
/* Pushes a table with fresh copies of what scripts may use; `stdlib`: errors in
 * it are raised at the user's line. */
void kci_environment_push(lua_State *L, kci_state *state, int state_at, bool stdlib);
/* Opens the libraries that environments are copied from; the state's userdata, at the top, is at `state_at`. */
void kci_environment_open(lua_State *L, kci_state *state, int state_at);
/* Gives the environment at the top a `require`, of its own kcost table or of that at `module`; 0: made at the first
 * call.  In a sandbox it stands behind the environment, where a script that looks for what leads out finds none. */
void kci_require_add(lua_State *L, const kci_state *state, int state_at, int module);

#endif
