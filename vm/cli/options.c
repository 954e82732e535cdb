/* options.c: one table of options that drives getopt_long and --help alike. */
#define _POSIX_C_SOURCE 200809L

#include "options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kcost.h"
#include "terminal.h"

enum { LONG_ONLY = 256 };           /* letters of options that have none */
enum {
    SET = LONG_ONLY, DEVICE, JSON, CSV, EXPLAIN, CHECK, THREADS, SHARD, MEASURED, AS, BEST, TOLERANCE, KERNEL, PLOT,
    PLOT_DATA, HTML, MEMORY, TIME, STEPS, SANDBOX, COLOUR, VERSION
};

static const struct {
    int letter;
    const char *name;               /* NULL: only the letter */
    const char *argument;           /* NULL: none; in brackets: may be left out */
    const char *help;
} table[] = {
    { 'e', NULL, "CODE", "run CODE instead of a script; kc is there" },
    { SET, "set", "NAME=VALUE", "what param(NAME, default) gives in the script" },
    { DEVICE, "device", "NAME", "the same as --set device=NAME" },
    { JSON, "json", NULL, "print one JSON document" },
    { CSV, "csv", "[=tensors]", "print one CSV table; with =tensors the ledger, a row a tensor" },
    { EXPLAIN, "explain", "[=FIELD]", "say where the time goes and what would help; of a FIELD, its formula with values" },
    { 'o', "output", "FILE", "write results to FILE" },
    { PLOT, "plot", "FILE", "draw what fits, or the plots returned, as .svg or .png; - for the terminal" },
    { PLOT_DATA, "plot-data", "FILE", "the points of the plot as CSV" },
    { HTML, "html", "FILE", "write a report: tables, explanations and plots on one page" },
    { THREADS, "threads", "N", "sweep in N threads; one a core if it is not given" },
    { SHARD, "shard", "I/N", "sweep only part I of N; 'kcost merge' joins the parts" },
    { MEASURED, "measured", "TIME", "of a kernel: what it took, as 612us, beside the roofs" },
    { AS, "as", "CONVENTION", "of a kernel: counted as others count: pytorch, fma1, causal=half; kcost help conventions" },
    { BEST, "best", NULL, "of a kernel: the fastest schedule too" },
    { TOLERANCE, "tolerance", "SHARE", "diff: differences up to it are none, as 1% or 0.01; 0 if it is not given" },
    { KERNEL, "kernel", "NAME=WHAT", "profile, calibrate: what kernels of that name should be, as 'gemm=gemm m=4096 n=4096 k=4096'" },
    { MEMORY, "memory-limit", "SIZE", "the script may take SIZE bytes: 16M; K, M and G are 2^10, 2^20, 2^30" },
    { TIME, "time-limit", "S", "the script may run S seconds: 0.2" },
    { STEPS, "instruction-limit", "N", "the script may run N instructions, so that it ends the same each time" },
    { SANDBOX, "sandbox", NULL, "the script is not trusted: no files, and a process of its own" },
    { CHECK, "check", NULL, "devices: recompute every figure of the devices, or of a FILE" },
    { 'v', "verbose", NULL, "tables with ledger, kernels and notes; errors with a traceback" },
    { 'q', "quiet", NULL, "tables without the lines around them" },
    { COLOUR, "color", "[=WHEN]", "colours: always, never, or auto: on a terminal, unless NO_COLOR is set" },
    { VERSION, "version", NULL, "print the version" },
    { 'h', "help", NULL, "print this text" },
};
enum { COUNT = sizeof table / sizeof *table };

/* Ways to call the command; of a subcommand the name stands first. */
static const struct {
    const char *subcommand, *words, *text;
} usage[] = {
    { NULL, "[options] script.lua [name=value ...]", NULL },
    { NULL, "[options] -e 'code'", NULL },
    { NULL, "[options] -", "the script comes from standard input" },
    { NULL, "[options] KERNEL [name=value ...]", "of the stdlib, such as gemm" },
    { NULL, "[options] MODEL.json [name=value ...]", "what serving it takes, from its config.json" },
    { "occupancy", "threads=N ... --device NAME", "how many CTAs a core holds, and what would keep more" },
    { "devices", "[NAME ...] [--check [FILE ...]]", "lists, shows or checks them" },
    { "calibrate", "TIMES --device NAME [-o FILE]", "a device, by times measured on it" },
    { "diff", "BEFORE AFTER", "two documents of --json; fails where a cost grew" },
    { "profile", "FILE ... [--device NAME]", "what a profiler exported; beside predictions with --kernel" },
    { "merge", "PART ...", "parts of a sweep, as --json or --csv printed them" },
    { "help", "[NAME]", "a call, one of its options, a field, a kernel of the stdlib" },
    { NULL, "", "on a terminal: a prompt" },
};
enum { USAGES = sizeof usage / sizeof *usage };

void options_list(FILE *out)
{
    for (size_t i = 0; i < COUNT; i++) {
        char letter[2] = { table[i].letter < LONG_ONLY ? (char)table[i].letter : '\0', '\0' };
        fprintf(out, "%s\t%s\t%s\t%s\n", letter, table[i].name ? table[i].name : "",
                table[i].argument ? table[i].argument : "", table[i].help);
    }
}

void options_subcommands(FILE *out)
{
    for (size_t i = 0; i < USAGES; i++)
        if (usage[i].subcommand)
            fprintf(out, "%s\t%s\n", usage[i].subcommand, usage[i].text);
}

static void help_usage(FILE *out)
{
    for (size_t i = 0; i < USAGES; i++) {
        char words[80];
        const char *subcommand = usage[i].subcommand ? usage[i].subcommand : "";
        snprintf(words, sizeof words, "%s%s%s", subcommand, *subcommand ? " " : "", usage[i].words);
        if (usage[i].text)
            fprintf(out, "%s kcost %-37s  (%s)\n", i ? "      " : "usage:", words, usage[i].text);
        else
            fprintf(out, "%s kcost %s\n", i ? "      " : "usage:", words);
    }
}

void options_help(FILE *out)
{
    help_usage(out);
    fputs("\n"
          "What a GPU kernel costs: work, memory traffic, time on a device, and why.\n"
          "\n",
          out);
    for (size_t i = 0; i < COUNT; i++) {
        char left[64];
        const char *argument = table[i].argument ? table[i].argument : "";
        const char *space = table[i].argument && argument[0] != '[' ? " " : "";
        int length = table[i].letter < LONG_ONLY ? snprintf(left, sizeof left, "  -%c", table[i].letter)
                                                 : snprintf(left, sizeof left, "    ");
        if (table[i].name)
            length += snprintf(left + length, sizeof left - (size_t)length, "%s --%s",
                               table[i].letter < LONG_ONLY ? "," : " ", table[i].name);
        snprintf(left + length, sizeof left - (size_t)length, "%s%s", space, argument);
        fprintf(out, "%-29s%s\n", left, table[i].help);
    }
    fputs("\n"
          "KCOST_PATH: folders, ; between them, whose stdlib/NAME.lua and devices/NAME.lua come before "
          "those that are compiled in, and whose NAME.lua a script may require.\n"
          "COLUMNS: how wide text for people is, on a terminal or not; without it a terminal's own width, else no limit.\n"
          "NO_COLOR: no colours.\n"
          "XDG_STATE_HOME: the folder (~/.local/state without it) in whose kcost/history the prompt keeps its "
          "lines.  It edits and completes them where libedit (Debian: libedit2) is installed.\n"
          "Results go to standard output, everything else to standard error.\n"
          "Exit status: 0 good, 1 the script failed, 2 wrong usage, 3 a limit was hit, 130 interrupted.\n",
          out);
}

/* What getopt_long wants, from the table. */
static void for_getopt(char *letters, struct option *longs)
{
    size_t at = 0;
    for (size_t i = 0; i < COUNT; i++) {
        int has = !table[i].argument ? no_argument
                  : table[i].argument[0] == '[' ? optional_argument : required_argument;
        if (table[i].letter < LONG_ONLY) {
            letters[at++] = (char)table[i].letter;
            if (has == required_argument)
                letters[at++] = ':';
        }
        if (table[i].name)
            *longs++ = (struct option){ table[i].name, has, NULL, table[i].letter };
    }
    letters[at] = '\0';
    *longs = (struct option){ NULL, 0, NULL, 0 };
}

static void wrong(options *o, const char *sentence, const char *word)
{
    char text[512];
    snprintf(text, sizeof text, sentence, word);
    complain("%s", text);
    o->what = WRONG;
}

static void add_setting(options *o, const char *name, size_t length, const char *value)
{
    o->settings[o->setting_count++] = (setting){ name, value, length };
}

static void add_pair(options *o, const char *pair, const char *sentence)
{
    const char *equals = strchr(pair, '=');
    if (!equals || equals == pair)
        wrong(o, sentence, pair);
    else
        add_setting(o, pair, (size_t)(equals - pair), equals + 1);
}

/* A whole number from 1 at the start of the text; 0: none.  *end: behind it. */
static unsigned count_at(const char *text, const char **end)
{
    unsigned long n = 0;
    for (*end = text; **end >= '0' && **end <= '9' && n < 100000000; ++*end)
        n = n * 10 + (unsigned long)(**end - '0');
    return *end > text ? (unsigned)n : 0;
}

static void take_shard(options *o, const char *text)
{
    const char *end;
    o->part = count_at(text, &end);
    if (*end == '/')
        o->parts = count_at(end + 1, &end);
    if (*end || o->part < 1 || o->part > o->parts)
        wrong(o, "--shard wants I/N, part I of N parts, as in 3/16, not '%s'", text);
}

static void take_colour(options *o, const char *text)
{
    static const char *const words[] = { [COLOUR_AUTO] = "auto", [COLOUR_ALWAYS] = "always", [COLOUR_NEVER] = "never" };
    for (int when = COLOUR_AUTO; when <= COLOUR_NEVER; when++)
        if (strcmp(text, words[when]) == 0) {
            terminal_colours((colour_when)when);
            return;
        }
    wrong(o, "--color wants auto, always or never, not '%s'", text);
}

static bool is_field(const char *word)
{
    for (int f = 0; f < KC_FIELD_COUNT; f++)
        if (strcmp(kc_field_name((kc_field)f), word) == 0)
            return true;
    return false;
}

static bool has_ending(const char *text, const char *ending)
{
    size_t length = strlen(text), end = strlen(ending);
    return length > end && strcmp(text + length - end, ending) == 0;
}

/* A positive number, with a suffix where it is a size. */
static double amount(options *o, const char *name, const char *text, bool size)
{
    static const char suffixes[] = "KMG";
    char *end;
    double number = strtod(text, &end);
    const char *suffix = size && *end ? strchr(suffixes, *end) : NULL;
    if (suffix) {
        number *= (double)(1 << (10 * (suffix - suffixes + 1)));
        end++;
    }
    if (!(number > 0 && number < 1e18) || *end || end == text || strpbrk(text, "xXnN"))
        wrong(o, size ? "%s wants a size, as in 16M" : "%s wants a number above 0", name);
    return number;
}

static void take(options *o, int letter)
{
    const char *end;
    switch (letter) {
    case 'e':
        if (o->code)
            wrong(o, "-e is given twice%s", "");
        o->code = optarg;
        break;
    case SET:
        add_pair(o, optarg, "--set wants NAME=VALUE, not '%s'");
        break;
    case DEVICE:
        add_setting(o, "device", strlen("device"), optarg);
        break;
    case JSON:
        o->format = FORMAT_JSON;
        break;
    case CSV:
        o->format = optarg ? FORMAT_CSV_TENSORS : FORMAT_CSV;
        if (optarg && strcmp(optarg, "tensors") != 0)
            wrong(o, "--csv may be --csv=tensors, not --csv=%s", optarg);
        break;
    case 'o':
        o->output = optarg;
        break;
    case PLOT:
        o->plot = optarg;
        if (strcmp(optarg, "-") != 0 && !has_ending(optarg, ".svg") && !has_ending(optarg, ".png"))
            wrong(o, "--plot wants FILE.svg, FILE.png or -, not '%s'", optarg);
        break;
    case PLOT_DATA:
        o->plot_data = optarg;
        break;
    case HTML:
        o->html = optarg;
        break;
    case THREADS:
        o->threads = count_at(optarg, &end);
        if (o->threads < 1 || *end)
            wrong(o, "--threads wants a whole number from 1, not '%s'", optarg);
        break;
    case SHARD:
        take_shard(o, optarg);
        break;
    case MEMORY:
        o->memory_limit = (size_t)amount(o, "--memory-limit", optarg, true);
        break;
    case TIME:
        o->time_limit = amount(o, "--time-limit", optarg, false);
        break;
    case STEPS:
        o->instruction_limit = (uint64_t)amount(o, "--instruction-limit", optarg, false);
        break;
    case SANDBOX:
        o->sandbox = true;
        break;
    case EXPLAIN:
        o->explain = true;
        o->field = optarg;
        if (optarg && !is_field(optarg))
            wrong(o, "--explain wants a field of a result, such as bytes, flops or time, not '%s'", optarg);
        break;
    case MEASURED:
        o->measured = optarg;
        break;
    case AS:
        o->as = optarg;
        break;
    case BEST:
        o->best = true;
        break;
    case TOLERANCE:
        o->tolerance = optarg;
        break;
    case KERNEL:
        o->predictions[o->prediction_count++] = optarg;
        if (!strchr(optarg, '=') || optarg[0] == '=')
            wrong(o, "--kernel wants NAME=WHAT, as 'gemm=gemm m=4096 n=4096 k=4096', not '%s'", optarg);
        break;
    case CHECK:
        o->check = true;
        break;
    case 'v':
        o->verbosity = VERBOSE;
        break;
    case 'q':
        o->verbosity = QUIET;
        break;
    case COLOUR:
        take_colour(o, optarg ? optarg : "always");
        break;
    case VERSION:
        if (o->what == RUN)
            o->what = SHOW_VERSION;
        break;
    case 'h':
        if (o->what == RUN)
            o->what = SHOW_HELP;
        break;
    default: /* getopt_long has said it */
        o->what = WRONG;
    }
}

/* "gemm", "norm.rms", or a model, "config.json"; a script's name has another dot or a slash, or is a file's. */
static bool is_kernel(const char *word)
{
    if (has_ending(word, ".json"))
        return true;
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
    size_t family = strspn(word, letters), member = word[family] == '.' ? strspn(word + family + 1, letters) : 0;
    size_t length = family + (member ? member + 1 : 0);
    return family > 0 && word[length] == '\0' && strcmp(word + family, ".lua") != 0 && access(word, F_OK) != 0;
}

/* "--explain bytes" with a space, wherever it stands: no script, kernel or parameter is called that. */
static void take_field(options *o)
{
    for (size_t i = 0; i < o->word_count && !o->field; i++) {
        if (!is_field(o->words[i]))
            continue;
        o->field = o->words[i];
        memmove(o->words + i, o->words + i + 1, (o->word_count - i) * sizeof *o->words); /* and the NULL behind them */
        o->word_count--;
    }
}

/* `kcost help tile` is a script that asks for it. */
static void take_help(options *o)
{
    o->help = true;
    o->code = "local kc = require 'kcost' local name = kc.param('name', '')\n"
              "require('kcost.internal.help').fit(kc.param('columns', 80))\n"
              "local good, text = pcall(kc.help, name ~= '' and name or nil)\n"
              "return good and text or error(text:gsub('^.-kc.help: ', ''), 0)"; /* no line of this is to blame */
    if (o->word_count > 2)
        wrong(o, "help says one thing at a time, not also '%s'", o->words[2]);
    else if (o->word_count == 2)
        add_setting(o, "name", strlen("name"), o->words[1]);
    o->word_count = 0;
}

bool options_is_device(const setting *s)
{
    return s->length == strlen("device") && strncmp(s->name, "device", s->length) == 0;
}

const char *options_device(const options *o)
{
    const char *device = NULL;
    for (size_t i = 0; i < o->setting_count; i++)
        device = options_is_device(&o->settings[i]) ? o->settings[i].value : device;
    return device;
}

/* The file, and what kc.calibrate is told beside. */
static void take_calibrate(options *o)
{
    if (o->word_count < 2 || strchr(o->words[1], '='))
        wrong(o, "calibrate wants a file of measured times, as in: kcost calibrate times.csv --device a100 -o my-a100.lua%s", "");
    for (size_t i = 2; i < o->word_count; i++)
        add_pair(o, o->words[i], "calibrate takes one file, and name=value, not '%s'");
    if (!options_device(o) && o->what != WRONG)
        wrong(o, "calibrate wants --device, what was measured, as in: kcost calibrate times.csv --device a100 -o my-a100.lua%s", "");
}

/* "causal" */
static bool is_name(const char *word)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    return *word && !(*word >= '0' && *word <= '9') && word[strspn(word, letters)] == '\0';
}

/* What follows the name of a script or kernel are its parameters; a kernel's without a value is true. */
static void take_words(options *o)
{
    if (!o->code && o->word_count > 0 && strcmp(o->words[0], "help") == 0)
        take_help(o);
    if (o->explain && !o->field)
        take_field(o);
    if (o->explain && o->format != FORMAT_TABLE)
        wrong(o, "--explain prints sentences: not with --json or --csv, where r:explain() gives them%s", "");
    bool devices = !o->code && o->word_count > 0 && strcmp(o->words[0], "devices") == 0;
    bool merge = !o->code && o->word_count > 0 && strcmp(o->words[0], "merge") == 0;
    if (o->check && !devices)
        wrong(o, "--check belongs to 'kcost devices'%s", "");
    o->diff = !o->code && o->word_count > 0 && strcmp(o->words[0], "diff") == 0;
    o->profile = !o->code && o->word_count > 0 && strcmp(o->words[0], "profile") == 0;
    o->calibrate = !o->code && o->word_count > 0 && strcmp(o->words[0], "calibrate") == 0;
    if ((devices || o->diff || o->calibrate) && (o->plot || o->plot_data || o->html))
        wrong(o, "--plot, --plot-data and --html draw what scripts, kernels and merge give; kcost %s gives no points",
              o->words[0]);
    if (merge && o->word_count == 1)
        wrong(o, "merge wants the parts of a sweep, as in: kcost merge part-*.json%s", "");
    if (o->diff && o->word_count != 3)
        wrong(o, "diff wants two files, as in: kcost diff before.json after.json --tolerance 1%%%s", "");
    if (o->tolerance && !o->diff)
        wrong(o, "--tolerance belongs to 'kcost diff'%s", "");
    if (o->profile && o->word_count == 1)
        wrong(o, "profile wants files, as in: kcost profile ncu.csv --device h100%s", "");
    if (o->prediction_count && !o->profile && !o->calibrate)
        wrong(o, "--kernel belongs to 'kcost profile' and 'kcost calibrate'%s", "");
    if (o->calibrate)
        take_calibrate(o);
    bool files = devices || merge || o->diff || o->profile || o->calibrate;
    o->kernel = !files && !o->code && o->word_count > 0 && is_kernel(o->words[0]);
    if (!o->kernel && (o->measured || o->as || o->best))
        wrong(o, "--%s belongs to a kernel, as in: kcost gemm m=4096 n=4096 k=4096 --device h100",
              o->measured ? "measured" : o->as ? "as" : "best");
    if (files)
        return;
    for (size_t i = o->code ? 0 : 1; i < o->word_count && o->what != WRONG; i++)
        if (o->kernel && is_name(o->words[i]))
            add_setting(o, o->words[i], strlen(o->words[i]), "true");
        else
            add_pair(o, o->words[i], !o->kernel ? "a script takes name=value, not '%s'"
                                     : has_ending(o->words[i], ".lua") ? "a script comes first, as in: kcost %s"
                                     : "a kernel takes name=value, such as m=4096, not '%s'");
    if (!o->code && o->word_count == 0 && isatty(STDIN_FILENO))
        o->what = o->what == RUN ? PROMPT : o->what;
    else if (!o->code && o->word_count == 0)
        wrong(o, "no script: kcost script.lua, kcost -e 'code', kcost - for standard input, or kcost KERNEL name=value%s", "");
    if (o->what == PROMPT && (o->plot || o->plot_data || o->html))
        wrong(o, "--plot, --plot-data and --html draw the answer of a script, a kernel or merge, and a prompt has many; "
              "kc.plot.roofline { ... } shows the points of one%s", "");
}

options options_read(int argc, char **argv)
{
    static char name[] = "kcost";   /* what getopt_long begins its messages with */
    options o = { .what = RUN, .verbosity = NORMAL };
    char letters[2 * COUNT + 2];
    struct option longs[COUNT + 1];
    o.settings = calloc((size_t)argc + 1, sizeof *o.settings);
    o.predictions = calloc((size_t)argc + 1, sizeof *o.predictions);
    if (!o.settings || !o.predictions) {
        wrong(&o, "not enough memory%s", "");
        return o;
    }
    for_getopt(letters, longs);
    if (argc > 0)
        argv[0] = name;
    int letter;
    while ((letter = getopt_long(argc, argv, letters, longs, NULL)) != -1)
        take(&o, letter);
    o.words = argv + optind;
    o.word_count = (size_t)(argc - optind);
    o.complete = o.what == RUN && o.word_count > 1 && strcmp(o.words[0], "complete") == 0;
    if (o.what == RUN && !o.complete)
        take_words(&o);
    if (o.what == WRONG)
        fputs("Try 'kcost --help'.\n", stderr);
    return o;
}

void options_free(options *o)
{
    free(o->settings);
    free(o->predictions);
}
