/* profile_forms.c: what the rows of a CSV say of launches, in all forms that profilers write.
 *
 * A form has a metric a row (its name, its unit and its value are columns) or a metric a column; the header says which. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "profile.h"

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
            status = kci_header_take(p, &row, is_one);
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

/* One of an extent's numbers.  In a list a comma stands between two of them, elsewhere between thousands. */
static bool read_along(const char *text, bool list, double *along, const char **rest)
{
    kci_p_number number = { .value = -1 };
    if (list)
        number.value = kci_parse_number(text, rest);
    else if (!kci_style_number(&(kci_p_style){ .point = '.' }, text, &number, rest))
        return false;
    *along = number.value;
    return (!list || *rest != text) && *along >= 0 && *along <= KCI_P_LARGEST;
}

bool kci_read_extent(const char *text, double extent[3])
{
    size_t count = 0;
    const char *rest;
    text += strspn(text, " \t");
    bool list = *text && strchr("([{", *text);
    while (count < 3) {
        text += strspn(text, " ([{,xX*\t");
        if (!read_along(text, list, &extent[count], &rest))
            break;
        count++;
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
        extent[i] = fmax(0, number_of(&p->style, cell_of(p, along[i])));
}

static bool is_blank(const char *cell)
{
    static const char *const absent[] = { "", "-", "n/a", "na", "nan", "(nan)", "null", "none" };
    while (*cell == ' ')
        cell++;
    if (*cell >= '0' && *cell <= '9')
        return false;
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
        if (kci_is_title(cell, strlen(cell), absent[i]))
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
        if (kci_is_title(type, strlen(type), types[i]))
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
    kc_status status = kci_launch_begin(p, kci_trim(kci_rows_cell(&p->row, p->header.at[KCI_C_NAME] - 1)));
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
    const char *metric = kci_trim(kci_rows_cell(&p->row, p->header.at[KCI_C_METRIC] - 1));
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
    if (!is_blank(kci_rows_cell(&p->row, header->at[KCI_C_NAME] - 1)))
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
    kc_status status = p->row.count > 1 ? kci_header_take(p, &p->row, &is_one) : KC_OK;
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
    const char *name = kci_trim(kci_rows_cell(row, header->at[KCI_C_NAME] - 1));
    const char *type = header->at[KCI_C_TYPE] ? kci_trim(kci_rows_cell(row, header->at[KCI_C_TYPE] - 1)) : NULL;
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
        status = kci_header_end(p);
    if (status != KC_OK || p->header.form)
        return status;
    if (p->hint[0])
        return kci_fail(p->object.context, KC_EARGUMENT, "it is no profile that can be read: %s", p->hint);
    return kci_fail(p->object.context, KC_EARGUMENT, "it is no profile that can be read: no line is the header of a CSV of "
                    "Nsight Compute, nvprof or ROCm, or name,time[,flops][,bytes], and it is no JSON trace");
}
