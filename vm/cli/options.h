/* options.h: what the command line asks for. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum format { FORMAT_TABLE, FORMAT_JSON, FORMAT_CSV, FORMAT_CSV_TENSORS } format;

typedef enum verbosity { QUIET, NORMAL, VERBOSE } verbosity;

/* A --set, or name=value after the script. */
typedef struct setting {
    const char *name, *value;       /* name ends at the "=": see length */
    size_t length;
} setting;

typedef enum what { RUN, PROMPT, SHOW_HELP, SHOW_VERSION, WRONG } what;

typedef struct options {
    what what;
    const char *code;               /* -e */
    bool kernel;                    /* the first word is a kernel of the stdlib, the others its parameters */
    const char *measured, *as;      /* of a kernel: its measured time; the convention to count by */
    bool best;                      /* of a kernel: its fastest schedule too */
    bool help;                      /* the code is what `kcost help` asks */
    bool complete;                  /* the first word is complete, the others what stands on a shell's command line */
    bool calibrate;                 /* the first word is calibrate, the second a file of times */
    bool diff;                      /* the first word is diff, the others two files */
    const char *tolerance;          /* of diff */
    bool profile;                   /* the first word is profile, the others files */
    const char **predictions;       /* of profile: NAME=WHAT */
    size_t prediction_count;
    const char *output;             /* -o; NULL: standard output */
    const char *plot, *plot_data, *html; /* files; NULL: not asked for; plot "-": the terminal */
    format format;
    verbosity verbosity;
    bool explain;
    const char *field;              /* of --explain FIELD; NULL: where the time goes */
    bool check;                     /* devices --check */
    unsigned threads;               /* of sweeps; 0: one a core */
    unsigned part, parts;           /* --shard; 0: all */
    size_t memory_limit;            /* bytes; 0, as of the next two: none */
    double time_limit;              /* seconds */
    uint64_t instruction_limit;
    bool sandbox;
    setting *settings;
    size_t setting_count;
    char **words;                   /* what is no option, the script first */
    size_t word_count;
} options;

/* Reads the command line; wrong usage is said on stderr. */
options options_read(int argc, char **argv);
void options_free(options *o);
/* Is it "device"?  The last value that --device or device= gave; NULL: none. */
bool options_is_device(const setting *s);
const char *options_device(const options *o);
void options_help(FILE *out);
/* The table of options, a line each: letter, name, argument and text, tabs between them; of subcommands name and text. */
void options_list(FILE *out);
void options_subcommands(FILE *out);

#endif
