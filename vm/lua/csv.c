/* csv.c: the tables of several answers as one: the union of their columns.
 *
 * A table is read as often as it is needed, since the text of one object lives
 * only until it is asked for again.  Cells keep their quotes as they are. */
#include "csv.h"

#include <string.h>

typedef struct cell {
    size_t start, length;
} cell;

typedef struct join {
    kc_vm *vm;
    int tensors;
    kci_buffer names; /* the columns' titles, one after another */
    cell *columns;    /* in `names`, in the order of the joint table */
    cell *cells;      /* of the row at hand, by joint column */
    size_t *places;   /* joint column of each column of the table at hand */
    size_t count, capacity;
} join;

/* The cell at `at`; returns where it ends: at a comma, a line end or the end. */
static const char *skip_cell(const char *at)
{
    bool quoted = false;
    for (; *at != '\0' && (quoted || (*at != ',' && *at != '\n')); at++)
        if (*at == '"')
            quoted = !quoted;
    return at;
}

static void *grow(join *j, void *block, size_t size, size_t capacity)
{
    return kci_memory_model(j->vm->memory, block, j->capacity * size, capacity * size);
}

static bool reserve(join *j, size_t count)
{
    if (count <= j->capacity)
        return true;
    size_t capacity = 2 * count + 32;
    cell *columns = grow(j, j->columns, sizeof *columns, capacity);
    if (columns != NULL)
        j->columns = columns;
    cell *cells = columns != NULL ? grow(j, j->cells, sizeof *cells, capacity) : NULL;
    if (cells != NULL)
        j->cells = cells;
    size_t *places = cells != NULL ? grow(j, j->places, sizeof *places, capacity) : NULL;
    if (places == NULL)
        return false;
    j->places = places;
    j->capacity = capacity;
    return true;
}

static size_t find_column(const join *j, const char *name, size_t length)
{
    for (size_t i = 0; i < j->count; i++)
        if (j->columns[i].length == length &&
            memcmp(j->names.bytes + j->columns[i].start, name, length) == 0)
            return i;
    return j->count;
}

/* A new column stands behind the one that it follows in its own table. */
static bool add_columns(join *j, const char *line)
{
    size_t next = 0;
    for (;; line++) {
        const char *end = skip_cell(line);
        size_t length = (size_t)(end - line), found = find_column(j, line, length);
        if (found == j->count) {
            if (!reserve(j, j->count + 1))
                return false;
            memmove(j->columns + next + 1, j->columns + next,
                    (j->count - next) * sizeof *j->columns);
            j->columns[next] = (cell){j->names.length, length};
            kci_buffer_add(&j->names, line, length);
            j->count++;
            found = next;
        }
        if (j->names.failed)
            return false;
        next = found + 1;
        line = end;
        if (*line != ',')
            return true;
    }
}

static void add_row(join *j, const char *line)
{
    kci_buffer *out = &j->vm->output;
    for (size_t i = 0; i < j->count; i++) {
        if (i > 0)
            kci_buffer_add(out, ",", 1);
        kci_buffer_add(out, line + j->cells[i].start, j->cells[i].length);
    }
    kci_buffer_add(out, "\n", 1);
}

static void add_rows(join *j, const char *table)
{
    const char *line = table;
    size_t columns = 0;
    for (bool header = true; *line != '\0'; header = false) {
        const char *at = line;
        memset(j->cells, 0, j->count * sizeof *j->cells);
        for (size_t i = 0;; i++, at++) {
            const char *end = skip_cell(at);
            size_t length = (size_t)(end - at);
            if (header)
                j->places[columns++] = find_column(j, at, length);
            else if (i < columns)
                j->cells[j->places[i]] = (cell){(size_t)(at - line), length};
            at = end;
            if (*at != ',')
                break;
        }
        if (!header)
            add_row(j, line);
        line = *at == '\n' ? at + 1 : at;
    }
}

static bool has_table(const kci_answer *answer)
{
    return answer->object != NULL || answer->csv != NULL; /* plain values have no columns */
}

static const char *table_of(const join *j, size_t i)
{
    const kci_answer *answer = &j->vm->answers[i];
    return answer->object != NULL ? kc_csv(answer->object, j->tensors) : answer->csv;
}

static bool join_tables(join *j)
{
    kc_vm *vm = j->vm;
    if (!reserve(j, 1))
        return false;
    for (size_t i = 0; i < vm->answer_count; i++) {
        if (!has_table(&vm->answers[i]))
            continue;
        const char *table = table_of(j, i);
        if (table == NULL || (*table != '\0' && !add_columns(j, table)))
            return false;
    }
    for (size_t i = 0; i < j->count; i++)
        j->cells[i] = j->columns[i];
    if (j->count > 0)
        add_row(j, j->names.bytes);
    for (size_t i = 0; i < vm->answer_count; i++) {
        if (!has_table(&vm->answers[i]))
            continue;
        const char *table = table_of(j, i);
        if (table == NULL)
            return false;
        add_rows(j, table);
    }
    return !vm->output.failed;
}

bool kci_csv_join(kc_vm *vm, int tensors)
{
    join j = {.vm = vm, .tensors = tensors, .names = {.memory = vm->memory}};
    bool good = join_tables(&j);
    kci_buffer_free(&j.names);
    grow(&j, j.columns, sizeof *j.columns, 0);
    grow(&j, j.cells, sizeof *j.cells, 0);
    grow(&j, j.places, sizeof *j.places, 0);
    return good;
}
