/* profile_forms.c: the forms of CSV that profilers write: which line is the header, what its columns are, and what a
 * row says of a launch.
 *
 * A form has a metric a row (its name, its unit and its value are columns) or a metric a column.  What a column is
 * follows from its title alone, so their order is nothing, and one importer reads all forms. */
#include <math.h>
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

static bool is_title(const char *text, size_t length, const char *title)
{
    size_t i = 0;
    while (i < length && title[i] && lower(text[i]) == title[i])
        i++;
    return i == length && title[i] == '\0';
}

static char *trim(char *text)
{
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
        if (is_title(title, length, titles[i].title))
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
        if (is_title(header->columns[i].name, strlen(header->columns[i].name), title))
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
        char *title = trim(kci_rows_cell(row, i));
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
static kc_status end_table(kc_profile *p)
{
    kc_status status = kci_launch_end(p);
    for (size_t i = 0; i < p->header.count && status == KC_OK; i++) {
        const kci_p_column *column = &p->header.columns[i];
        if (column->role == KCI_C_UNKNOWN)
            status = kci_unused_add(p, column->name, "a column that is not known", p->rows - p->header.rows_before);
    }
    return status;
}

static kc_status take_header(kc_profile *p, const kci_p_rows *row, bool *is_one)
{
    kci_p_header header;
    kc_status status = read_header(p, row, &header);
    *is_one = status == KC_OK && header.form;
    if (!*is_one) {
        free_columns(p->object.context, header.columns, header.count);
        return status;
    }
    status = end_table(p);
    kci_header_free(p);
    p->header = header;
    p->header.rows_before = p->rows;
    return status;
}

/* ---- before the header -------------------------------------------------------------------------------- */

/* Is the line, in p->row, a header with one of the separators?  Then it is p->header. */
static kc_status try_line(kc_profile *p, bool *is_one)
{
    static const char separators[] = ",;\t";
    const char *line = kci_rows_cell(&p->row, 0);
    kc_status status = KC_OK;
    *is_one = false;
    for (const char *s = separators; *s && !*is_one && status == KC_OK; s++) {
        if (!strchr(line, *s))
            continue;
        kci_p_rows row = { .context = p->object.context, .separator = *s, .line = p->row.first - 1 };
        kci_rows_take(&row, line, strlen(line));
        kci_rows_take(&row, "\n", 1);
        if (row.failed)
            status = kc_context_status(p->object.context);
        else if (row.ready)
            status = take_header(p, &row, is_one);
        if (*is_one)
            p->row.separator = *s;
        kci_rows_free(&row);
    }
    return status;
}

/* How numbers are written, by those of the first rows: `bytes` are what follows the header. */
static kc_status see_style(kc_profile *p, const char *bytes, size_t length)
{
    enum { ROWS = 500 };
    kci_p_rows row = { .context = p->object.context, .separator = p->row.separator };
    size_t at = 0;
    for (int n = 0; n < ROWS && at < length && !row.failed; n++) {
        at += kci_rows_take(&row, bytes + at, length - at);
        for (size_t i = 0; row.ready && i < row.count && i < p->header.count; i++) {
            kci_p_role role = p->header.columns[i].role;
            if (role == KCI_C_SOURCE || role == KCI_C_VALUE || role == KCI_C_MEAN || role == KCI_C_LEAST || role == KCI_C_MOST)
                kci_style_see(&p->style, kci_rows_cell(&row, i));
        }
        if (row.ready)
            kci_rows_clear(&row);
    }
    kci_rows_free(&row);
    if (row.failed && kc_context_status(p->object.context) == KC_ENOMEM)
        return KC_ENOMEM;
    int commas = p->style.commas, points = p->style.points;
    p->style.point = commas > points || (commas == points && p->row.separator == ';') ? ',' : '.';
    return KC_OK;
}

/* ---- rows --------------------------------------------------------------------------------------------------- */

static const char *cell_of(const kc_profile *p, kci_p_role role)
{
    size_t at = p->header.at[role];
    return at ? kci_rows_cell(&p->row, at - 1) : NULL;
}

bool kci_read_extent(const char *text, double extent[3])
{
    const kci_p_style style = { .point = '.' };
    size_t count = 0;
    kci_p_number number;
    while (count < 3) {
        text += strspn(text, " ([{,xX*\t");
        const char *rest;
        if (!kci_style_number(&style, text, &number, &rest) || !(number.value >= 0))
            break;
        extent[count++] = number.value;
        text = rest;
    }
    for (size_t i = count; i < 3; i++)
        extent[i] = count ? 1 : 0;
    return count > 0;
}

static double number_of(const kci_p_style *style, const char *cell)
{
    const char *rest;
    kci_p_number number;
    return cell && kci_style_number(style, cell, &number, &rest) ? number.value : 0;
}

static void take_extent(const kc_profile *p, kci_p_role whole, const kci_p_role along[3], double extent[3])
{
    const char *cell = cell_of(p, whole);
    if (cell) {
        kci_read_extent(cell, extent);
        return;
    }
    for (int i = 0; i < 3; i++)
        extent[i] = number_of(&p->style, cell_of(p, along[i]));
}

static bool is_blank(const char *cell)
{
    static const char *const absent[] = { "", "-", "n/a", "na", "nan", "(nan)", "null", "none" };
    while (*cell == ' ')
        cell++;
    if (*cell >= '0' && *cell <= '9')
        return false;
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
        if (is_title(cell, strlen(cell), absent[i]))
            return true;
    return false;
}

/* The unit of a value: behind its number, in the row's cell, or above its column; times 0: none is said.  False: it is
 * none that is known. */
static bool unit_of(const kc_profile *p, const kci_p_column *column, const char *behind, const char *cell, kci_p_unit *unit)
{
    *unit = column->has_unit ? column->unit : (kci_p_unit){ KCI_U_ANY, 0, 0 };
    const char *said = *behind ? behind : cell;
    return !*said || kci_unit_read(said, strlen(said), p->header.binary, unit);
}

/* The value of a metric, found by its name and the family of its unit; why not: it is not used. */
static const char *set_value(kc_profile *p, const char *metric, size_t source, const kci_p_column *column,
                             const char *unit_cell, const char *cell)
{
    kci_p_number number;
    const char *behind;
    kci_p_unit unit;
    const kci_p_metrics *metrics = &p->metrics;
    size_t length = strlen(metric);
    if (is_blank(cell))
        return *cell ? "no value" : NULL;
    if (!kci_style_number(&p->style, cell, &number, &behind))
        return "no number";
    if (!unit_of(p, column, behind, unit_cell, &unit))
        return "a unit that is not known";
    if (source == UINT16_MAX || (unit.times > 0 && metrics->sources[source].family != unit.family))
        source = kci_metrics_find(metrics, metric, length, unit.family);
    if (source == UINT16_MAX)
        return kci_metrics_find(metrics, metric, length, KCI_U_ANY) == UINT16_MAX ? "a metric that is not known"
                                                                                  : "a unit of another kind";
    if (unit.times == 0)
        unit = metrics->sources[source].unit;
    if (unit.times == 0)
        return "the export does not say its unit";
    kci_launch_set(p, (uint16_t)source, column->which, kci_unit_apply(unit, &number));
    return NULL;
}

/* "GPU activities", "KERNEL_DISPATCH": rows of other types are of the host. */
static bool is_of_gpu(const char *type)
{
    static const char *const types[] = { "", "gpu activities", "kernel_dispatch", "kernel" };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (is_title(type, strlen(type), types[i]))
            return true;
    return false;
}

/* Of a metric a row: rows of one launch follow each other and agree in these. */
static kc_status same_launch(kc_profile *p, bool *same)
{
    static const kci_p_role roles[] = { KCI_C_ID, KCI_C_NAME, KCI_C_GRID, KCI_C_BLOCK };
    kci_text *key = &p->launch.key;
    size_t before = key->length;
    kci_text_add_n(key, "\n", 1);
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
        const char *cell = cell_of(p, roles[i]);
        kci_text_add(key, cell ? cell : "");
        kci_text_add_n(key, "\n", 1);
    }
    if (key->failed)
        return KC_ENOMEM;
    size_t length = key->length - before;
    *same = p->launch.open && length == before && memcmp(key->bytes, key->bytes + before, length) == 0;
    memmove(key->bytes, key->bytes + before, length);
    key->length = length;
    return KC_OK;
}

/* Without numbers of launches a metric that comes again begins the next one. */
static bool comes_again(const kc_profile *p, const char *metric, const char *unit)
{
    kci_p_unit read;
    if (p->header.at[KCI_C_ID] || !kci_unit_read(unit, strlen(unit), p->header.binary, &read))
        return false;
    uint16_t source = kci_metrics_find(&p->metrics, metric, strlen(metric), read.family);
    return source != UINT16_MAX && !isnan(p->launch.raw[0][source]);
}

static kc_status open_launch(kc_profile *p)
{
    kc_status status = kci_launch_begin(p, trim(kci_rows_cell(&p->row, p->header.at[KCI_C_NAME] - 1)));
    kci_p_open *launch = &p->launch;
    static const kci_p_role grid[] = { KCI_C_GRID_X, KCI_C_GRID_Y, KCI_C_GRID_Z };
    static const kci_p_role block[] = { KCI_C_BLOCK_X, KCI_C_BLOCK_Y, KCI_C_BLOCK_Z };
    take_extent(p, KCI_C_GRID, grid, launch->grid);
    take_extent(p, KCI_C_BLOCK, block, launch->block);
    double calls = number_of(&p->style, cell_of(p, KCI_C_CALLS));
    launch->weight = calls >= 1 ? floor(calls) : 1;
    launch->capability = number_of(&(kci_p_style){ .point = '.' }, cell_of(p, KCI_C_CAPABILITY));
    return status;
}

static kc_status take_columns(kc_profile *p)
{
    kc_status status = KC_OK;
    for (size_t i = 0; i < p->header.count && status == KC_OK; i++) {
        const kci_p_column *column = &p->header.columns[i];
        if (column->role != KCI_C_SOURCE)
            continue;
        const char *why = set_value(p, column->metric, column->source, column, "", kci_rows_cell(&p->row, i));
        if (why)
            status = kci_unused_add(p, column->name, why, 1);
    }
    return status;
}

static kc_status take_metric(kc_profile *p)
{
    const char *metric = trim(kci_rows_cell(&p->row, p->header.at[KCI_C_METRIC] - 1));
    const char *unit = cell_of(p, KCI_C_UNIT) ? cell_of(p, KCI_C_UNIT) : "";
    static const kci_p_role values[] = { KCI_C_VALUE, KCI_C_MEAN, KCI_C_LEAST, KCI_C_MOST };
    bool same;
    if (!*metric)
        return kci_unused_add(p, "rules", "rows without a metric", 1);
    kc_status status = same_launch(p, &same);
    if (status == KC_OK && (!same || comes_again(p, metric, unit))) {
        status = open_launch(p);
        status = status == KC_OK ? take_columns(p) : status;
    }
    const char *why = NULL;
    for (size_t i = 0; i < sizeof values / sizeof *values && !why; i++) {
        size_t at = p->header.at[values[i]];
        if (at)
            why = set_value(p, metric, UINT16_MAX, &p->header.columns[at - 1], unit, kci_rows_cell(&p->row, at - 1));
    }
    return status == KC_OK && why ? kci_unused_add(p, metric, why, 1) : status;
}

static bool is_open(const char *name)
{
    int open = 0;
    for (; *name; name++)
        open += (*name == '(' || *name == '<') - (*name == ')' || *name == '>');
    return open > 0;
}

/* A kernel's name that nobody quoted may have separators: cells too many belong to it, but for empty ones at the end. */
static void join_name(kc_profile *p)
{
    kci_p_rows *row = &p->row;
    size_t at = p->header.at[KCI_C_NAME] - 1;
    while (row->count > p->header.count && !*kci_rows_cell(row, row->count - 1) && !is_open(kci_rows_cell(row, at)))
        row->count--;
    size_t more = row->count - p->header.count;
    for (size_t i = at + 1; i <= at + more; i++)
        row->bytes[row->cells[i] - 1] = row->separator;
    for (size_t i = at + 1; i < p->header.count; i++)
        row->cells[i] = row->cells[i + more];
    row->count = p->header.count;
}

/* The row behind a header with a metric a column may hold their units: no name, and nothing that is a number. */
static bool take_units(kc_profile *p)
{
    kci_p_header *header = &p->header;
    kci_p_number number;
    const char *rest;
    if (!header->units_row)
        return false;
    header->units_row = false;
    if (!is_blank(cell_of(p, KCI_C_NAME)))
        return false;
    for (size_t i = 0; i < header->count; i++)
        if (kci_style_number(&p->style, kci_rows_cell(&p->row, i), &number, &rest))
            return false;
    for (size_t i = 0; i < header->count; i++) {
        kci_p_column *column = &header->columns[i];
        const char *cell = kci_rows_cell(&p->row, i);
        if (*cell && column->role == KCI_C_SOURCE)
            column->has_unit = kci_unit_read(cell, strlen(cell), header->binary, &column->unit);
    }
    return true;
}

/* Profilers talk between their rows, and an export may hold several tables. */
static kc_status take_other(kc_profile *p)
{
    const char *first = kci_rows_cell(&p->row, 0);
    bool is_one = false;
    kc_status status = p->row.count > 1 ? take_header(p, &p->row, &is_one) : KC_OK;
    if (is_one || status != KC_OK)
        return status;
    if (strncmp(first, "==", 2) == 0 || p->row.count == 1)
        return kci_unused_add(p, "chatter", "lines that are no rows", 1);
    return kci_unused_add(p, "rows", "fewer cells than the header", 1);
}

static kc_status take_row(kc_profile *p)
{
    kci_p_rows *row = &p->row;
    const kci_p_header *header = &p->header;
    const char *first = kci_rows_cell(row, 0);
    if (row->count < header->count || strncmp(first, "==", 2) == 0)
        return take_other(p);
    if (*first && strcmp(first, header->columns[0].name) == 0)
        return take_other(p); /* the header once more */
    if (row->count > header->count)
        join_name(p);
    if (take_units(p))
        return KC_OK;
    p->rows++;
    const char *type = cell_of(p, KCI_C_TYPE), *name = cell_of(p, KCI_C_NAME);
    if (type && !is_of_gpu(type))
        return kci_unused_add(p, type, "rows of another type", 1);
    if (strncmp(name, "[CUDA mem", 9) == 0)
        return kci_unused_add(p, name, "no kernel", 1);
    if (is_blank(name))
        return kci_unused_add(p, "rows", "no kernel name", 1);
    if (header->at[KCI_C_METRIC])
        return take_metric(p);
    kc_status status = open_launch(p);
    return status == KC_OK ? take_columns(p) : status;
}

/* ---- the text -------------------------------------------------------------------------------------------------- */

static kc_status take_ready(kc_profile *p, const char *rest, size_t length)
{
    kc_status status;
    if (p->header.form) {
        status = take_row(p);
    } else {
        bool is_one;
        status = try_line(p, &is_one);
        if (is_one)
            status = see_style(p, rest, length);
        else if (status == KC_OK)
            status = kci_unused_add(p, "chatter", "lines that are no rows", 1);
    }
    kci_rows_clear(&p->row);
    return status;
}

kc_status kci_profile_text(kc_profile *p, const char *bytes, size_t length)
{
    kc_status status = KC_OK;
    for (size_t at = 0; at < length && status == KC_OK;) {
        at += kci_rows_take(&p->row, bytes + at, length - at);
        if (p->row.failed)
            return kc_context_status(p->object.context);
        if (p->row.ready)
            status = take_ready(p, bytes + at, length - at);
    }
    return status;
}

kc_status kci_profile_text_end(kc_profile *p)
{
    p->unended = p->row.count > 0;
    kci_rows_end(&p->row, &p->cut);
    if (p->cut && p->header.form)
        kci_rows_clear(&p->row);
    kc_status status = p->row.ready ? take_ready(p, "", 0) : KC_OK;
    if (status == KC_OK)
        status = end_table(p);
    if (status != KC_OK || p->header.form)
        return status;
    if (p->hint[0])
        return kci_fail(p->object.context, KC_EARGUMENT, "it is no profile that can be read: %s", p->hint);
    return kci_fail(p->object.context, KC_EARGUMENT, "it is no profile that can be read: no line is the header of a CSV of "
                    "Nsight Compute, nvprof or ROCm, or name,time[,flops][,bytes], and it is no JSON trace");
}
