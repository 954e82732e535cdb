/* profile_header.c: which line of a CSV is the header, of what form, and what its columns are.
 *
 * What a column is follows from its title alone, so their order is nothing. */
#include <stdio.h>
#include <string.h>

#include "profile.h"

/* ---- titles ------------------------------------------------------------------------------------- */

static const struct {
    const char *title;              /* in lower case */
    kci_p_role role;
} titles[] = {
    { "kernel name", KCI_C_NAME }, { "kernel_name", KCI_C_NAME }, { "kernelname", KCI_C_NAME }, { "kernel", KCI_C_NAME },
    { "name", KCI_C_NAME },
    { "id", KCI_C_ID }, { "dispatch_id", KCI_C_ID }, { "index", KCI_C_ID },
    { "grid size", KCI_C_GRID }, { "grid_size", KCI_C_GRID }, { "grd", KCI_C_GRID }, { "grid", KCI_C_GRID },
    { "grid x", KCI_C_GRID_X }, { "grid_size_x", KCI_C_GRID_X }, { "grid y", KCI_C_GRID_Y }, { "grid_size_y", KCI_C_GRID_Y },
    { "grid z", KCI_C_GRID_Z }, { "grid_size_z", KCI_C_GRID_Z },
    { "grdx", KCI_C_GRID_X }, { "grdy", KCI_C_GRID_Y }, { "grdz", KCI_C_GRID_Z },
    { "blkx", KCI_C_BLOCK_X }, { "blky", KCI_C_BLOCK_Y }, { "blkz", KCI_C_BLOCK_Z },
    { "block size", KCI_C_BLOCK }, { "block_size", KCI_C_BLOCK }, { "workgroup_size", KCI_C_BLOCK }, { "wgr", KCI_C_BLOCK },
    { "block", KCI_C_BLOCK },
    { "block x", KCI_C_BLOCK_X }, { "workgroup_size_x", KCI_C_BLOCK_X }, { "block y", KCI_C_BLOCK_Y },
    { "workgroup_size_y", KCI_C_BLOCK_Y }, { "block z", KCI_C_BLOCK_Z }, { "workgroup_size_z", KCI_C_BLOCK_Z },
    { "metric name", KCI_C_METRIC }, { "counter_name", KCI_C_METRIC },
    { "metric unit", KCI_C_UNIT },
    { "metric value", KCI_C_VALUE }, { "counter_value", KCI_C_VALUE },
    { "average", KCI_C_MEAN }, { "avg", KCI_C_MEAN }, { "averagens", KCI_C_MEAN },
    { "minimum", KCI_C_LEAST }, { "min", KCI_C_LEAST }, { "minns", KCI_C_LEAST },
    { "maximum", KCI_C_MOST }, { "max", KCI_C_MOST }, { "maxns", KCI_C_MOST },
    { "invocations", KCI_C_CALLS }, { "calls", KCI_C_CALLS }, { "instances", KCI_C_CALLS },
    { "type", KCI_C_TYPE }, { "kind", KCI_C_TYPE },
    { "cc", KCI_C_CAPABILITY },
    /* Where and when it ran: of no use here. */
    { "process id", KCI_C_IGNORED }, { "process name", KCI_C_IGNORED }, { "host name", KCI_C_IGNORED },
    { "context", KCI_C_IGNORED }, { "stream", KCI_C_IGNORED }, { "device", KCI_C_IGNORED }, { "section name", KCI_C_IGNORED },
    { "thread id", KCI_C_IGNORED }, { "correlation_id", KCI_C_IGNORED }, { "agent_id", KCI_C_IGNORED },
    { "queue_id", KCI_C_IGNORED }, { "stream_id", KCI_C_IGNORED }, { "process_id", KCI_C_IGNORED },
    { "thread_id", KCI_C_IGNORED }, { "kernel_id", KCI_C_IGNORED }, { "gpu_id", KCI_C_IGNORED }, { "gpu-id", KCI_C_IGNORED },
    { "metric description", KCI_C_IGNORED }, { "pid", KCI_C_IGNORED }, { "tid", KCI_C_IGNORED },
    { "queue-id", KCI_C_IGNORED }, { "queue-index", KCI_C_IGNORED }, { "sig", KCI_C_IGNORED }, { "obj", KCI_C_IGNORED },
    { "body size", KCI_C_IGNORED }, { "rule name", KCI_C_IGNORED }, { "rule type", KCI_C_IGNORED },
    { "rule description", KCI_C_IGNORED }, { "time(%)", KCI_C_IGNORED }, { "percentage", KCI_C_IGNORED },
    { "corrid", KCI_C_IGNORED }, { "ctx", KCI_C_IGNORED }, { "strm", KCI_C_IGNORED }, { "greenctx", KCI_C_IGNORED },
    { "estimated speedup type", KCI_C_IGNORED }, { "estimated speedup", KCI_C_IGNORED },
};

/* The first form all of whose titles a header has is its own. */
static const struct {
    const char *name, *titles[3];
    bool items, binary, counters;
} forms[] = {
    { "nvprof metrics", { "kernel", "metric name", "metric description" }, false, true, true },
    { "ncu summary", { "metric name", "invocations" }, false, false, true },
    { "ncu details", { "metric name", "metric value" }, false, false, true },
    { "rocprofv3 counters", { "counter_name", "counter_value" }, true, true, true },
    { "nsys summary", { "instances", "avg", "name" }, false, false, false },
    { "nsys trace", { "grdx", "duration", "name" }, false, false, false },
    { "nvprof trace", { "start", "duration", "grid x" }, false, true, false },
    { "nvprof summary", { "calls", "avg", "name" }, false, true, false },
    { "rocprofv3 stats", { "calls", "averagens" }, true, true, false },
    { "rocprofv3 trace", { "start_timestamp", "workgroup_size_x" }, true, true, false },
    { "rocprof-compute", { "dispatch_id", "workgroup_size" }, true, true, true },
    { "rocprof", { "kernelname", "durationns" }, true, true, true },
    { "rocprof", { "kernelname", "grd" }, true, true, true },
    { "ncu raw", { "kernel name" }, false, false, true },
    { "plain", { NULL }, false, false, false },
};

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

bool kci_is_title(const char *text, size_t length, const char *title)
{
    size_t i = 0;
    while (i < length && title[i] && lower(text[i]) == title[i])
        i++;
    return i == length && title[i] == '\0';
}

/* Bytes of a control character (of ASCII, or U+0080 to U+009F); 0: it is another. */
static size_t control_length(const unsigned char *at)
{
    if (at[0] < 0x20 || at[0] == 0x7F)
        return 1;
    return at[0] == 0xC2 && at[1] >= 0x80 && at[1] < 0xA0 ? 2 : 0;
}

char *kci_trim(char *text)
{
    for (char *at = text; *at; at++)
        memset(at, ' ', control_length((unsigned char *)at));
    while (*text == ' ' || *text == '\t')
        text++;
    for (size_t end = strlen(text); end > 0 && (text[end - 1] == ' ' || text[end - 1] == '\t'); end--)
        text[end - 1] = '\0';
    return text;
}

/* "dram__bytes.sum [Mbyte]" and "Avg (ns)" are a title and a unit; the title's length. */
static size_t split_title(const char *title, kci_p_unit *unit, bool *has_unit)
{
    size_t length = strlen(title);
    char last = length > 0 ? title[length - 1] : '\0';
    const char *open = last == ']' ? strrchr(title, '[') : last == ')' ? strrchr(title, '(') : NULL;
    *has_unit = false;
    if (!open || open == title || open[-1] != ' ' || !kci_unit_read(open + 1, (size_t)(title + length - 2 - open), false, unit))
        return length;
    *has_unit = last == ']' || unit->family != KCI_U_COUNT; /* "(SM)" and the like belong to the title */
    return *has_unit ? (size_t)(open - 1 - title) : length;
}

static kci_p_role role_of(const char *title, size_t length)
{
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        if (kci_is_title(title, length, titles[i].title))
            return titles[i].role;
    return KCI_C_UNKNOWN;
}

/* ---- headers -------------------------------------------------------------------------------------- */

static void free_columns(kc_context *context, kci_p_column *columns, size_t count)
{
    for (size_t i = 0; columns && i < count; i++)
        kci_free_text(context, columns[i].name);
    kci_free(context, columns, count * sizeof *columns);
}

void kci_header_free(kc_profile *p)
{
    free_columns(p->object.context, p->header.columns, p->header.count);
    p->header = (kci_p_header){ .form = NULL };
}

static bool has_title(const kci_p_header *header, const char *title)
{
    for (size_t i = 0; i < header->count; i++)
        if (kci_is_title(header->columns[i].name, strlen(header->columns[i].name), title))
            return true;
    return false;
}

/* Columns that are metrics.  In a table with a metric a row, its value and its mean belong to the row's metric. */
static void find_sources(const kci_p_metrics *metrics, kci_p_header *header)
{
    size_t mean = header->at[KCI_C_MEAN];
    bool by_row = header->at[KCI_C_METRIC] > 0;
    for (size_t i = 0; i < header->count; i++) {
        kci_p_column *column = &header->columns[i];
        kci_p_role role = column->role;
        const kci_p_column *named = column;
        if (role == KCI_C_MEAN || role == KCI_C_LEAST || role == KCI_C_MOST) {
            column->which = (uint8_t)(role - KCI_C_MEAN);
            if (by_row || !mean)
                continue;
            named = &header->columns[mean - 1];
        } else if (role != KCI_C_UNKNOWN) {
            continue;
        }
        column->metric = named->name;
        column->source = kci_metrics_find(metrics, named->name, strlen(named->name),
                                          column->has_unit ? column->unit.family : KCI_U_ANY);
        if (column->source != UINT16_MAX)
            column->role = KCI_C_SOURCE;
    }
}

/* How many columns are of use, with a name or without. */
static size_t known_columns(const kci_p_header *header)
{
    size_t known = 0;
    for (size_t i = 0; i < header->count; i++)
        known += header->columns[i].role != KCI_C_UNKNOWN && header->columns[i].role != KCI_C_IGNORED;
    return known;
}

static size_t value_columns(const kci_p_header *header)
{
    size_t values = 0;
    for (size_t i = 0; i < header->count; i++)
        values += header->columns[i].role == KCI_C_SOURCE;
    return values + (header->at[KCI_C_METRIC] ? header->at[KCI_C_VALUE] + header->at[KCI_C_MEAN] : 0);
}

static void name_form(kci_p_header *header)
{
    for (size_t f = 0; !header->form && f < sizeof forms / sizeof *forms; f++) {
        bool all = true;
        for (size_t t = 0; t < 3 && forms[f].titles[t]; t++)
            all = all && has_title(header, forms[f].titles[t]);
        if (!all)
            continue;
        header->form = forms[f].name;
        header->items = forms[f].items;
        header->binary = forms[f].binary;
        header->counters = forms[f].counters;
    }
    header->units_row = header->at[KCI_C_METRIC] == 0;
}

/* A row as a header; its form is NULL where it is none. */
static kc_status read_header(kc_profile *p, const kci_p_rows *row, kci_p_header *header)
{
    kc_context *context = p->object.context;
    *header = (kci_p_header){ .columns = kci_alloc(context, row->count * sizeof *header->columns), .count = row->count };
    if (!header->columns)
        return KC_ENOMEM;
    for (size_t i = 0; i < row->count; i++) {
        kci_p_column *column = &header->columns[i];
        char *title = kci_trim(kci_rows_cell(row, i));
        size_t length = split_title(title, &column->unit, &column->has_unit);
        column->role = role_of(title, length);
        column->source = UINT16_MAX;
        title[length] = '\0';
        column->name = kci_copy_text(context, title);
        if (!column->name)
            return KC_ENOMEM;
        if (header->at[column->role] == 0)
            header->at[column->role] = i + 1;
        else if (column->role != KCI_C_UNKNOWN)
            column->role = KCI_C_IGNORED; /* the second of one title */
    }
    find_sources(&p->metrics, header);
    if (has_title(header, "num calls")) /* calls of the host, of Nsight Systems */
        snprintf(p->hint, sizeof p->hint, "line %zu is the header of calls of the host, not of kernels", row->first);
    else if (header->at[KCI_C_NAME] && value_columns(header))
        name_form(header);
    else if (known_columns(header) >= 3 && !p->hint[0])
        snprintf(p->hint, sizeof p->hint, "line %zu looks like a header, but has %s", row->first,
                 !header->at[KCI_C_NAME] ? "no column with kernel names" : "no column with a metric that is known");
    return KC_OK;
}

/* The table ends: its last launch, and the columns that are not known. */
kc_status kci_header_end(kc_profile *p)
{
    kc_status status = kci_launch_end(p);
    for (size_t i = 0; i < p->header.count && status == KC_OK; i++) {
        const kci_p_column *column = &p->header.columns[i];
        if (column->role == KCI_C_UNKNOWN)
            status = kci_unused_add(p, column->name, "a column that is not known", p->rows - p->header.rows_before);
    }
    return status;
}

kc_status kci_header_take(kc_profile *p, const kci_p_rows *row, bool *is_one)
{
    kci_p_header header;
    kc_status status = read_header(p, row, &header);
    *is_one = status == KC_OK && header.form;
    if (!*is_one) {
        free_columns(p->object.context, header.columns, header.count);
        return status;
    }
    status = kci_header_end(p);
    kci_header_free(p);
    p->header = header;
    p->header.rows_before = p->rows;
    return status;
}
