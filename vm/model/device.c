/* device.c: devices as objects: named, copied, set, read, listed. Design, section 5. */
#include "device.h"

#include <math.h>
#include <string.h>

#include "object.h"
#include "roof.h"

static double *number_at(kci_figures *figures, size_t place)
{
    return (double *)(void *)((char *)figures + place * sizeof(double));
}

static double number_of(const kci_figures *figures, size_t place)
{
    return *(const double *)(const void *)((const char *)figures + place * sizeof(double));
}

const char *kci_device_name(const kc_device *device)
{
    return device->id ? device->id : "";
}

/* ---- life -------------------------------------------------------------------- */

void kci_device_destroy(kc_object *object)
{
    kc_device *device = (kc_device *)(void *)object;
    kc_context *context = object->context;
    kci_free_text(context, device->id);
    kci_free_text(context, device->asked);
    for (size_t i = 0; i < KCI_TEXTS; i++)
        kci_free_text(context, device->texts[i]);
    for (size_t i = 0; i < device->remark_count; i++) {
        kci_free_text(context, device->remarks[i].path);
        kci_free_text(context, device->remarks[i].text);
    }
    kci_free(context, device->remarks, device->remark_capacity * sizeof *device->remarks);
    kci_free(context, device, sizeof *device);
}

static kc_device *empty_device(kc_context *context)
{
    kc_device *device = kci_new(context, KC_DEVICE, sizeof *device);
    if (device)
        for (size_t i = 0; i < KCI_FIGURES; i++)
            *number_at(&device->known, i) = *number_at(&device->full, i) = NAN;
    return device;
}

/* Replaces a text; *slot is unchanged when there is no memory. */
static bool keep_text(kc_context *context, char **slot, const char *text)
{
    char *copy = kci_copy_text(context, text);
    if (!copy)
        return false;
    kci_free_text(context, *slot);
    *slot = copy;
    return true;
}

static bool add_remark(kc_device *device, const char *path, const char *text)
{
    kc_context *context = device->base.context;
    for (size_t i = 0; i < device->remark_count; i++)
        if (strcmp(device->remarks[i].path, path) == 0)
            return keep_text(context, &device->remarks[i].text, text);
    if (!kci_reserve(context, &device->remarks, &device->remark_capacity, device->remark_count + 1,
                     sizeof *device->remarks))
        return false;
    kci_remark remark = { kci_copy_text(context, path), NULL };
    if (remark.path)
        remark.text = kci_copy_text(context, text);
    if (!remark.text) {
        kci_free_text(context, remark.path);
        return false;
    }
    device->remarks[device->remark_count++] = remark;
    return true;
}

static bool copy_into(kc_device *device, const kc_device *base)
{
    kc_context *context = device->base.context;
    device->known = base->known;
    device->file = base->file;
    for (size_t i = 0; i < KCI_FIGURES; i++) {
        unsigned char origin = base->origin[i];
        device->origin[i] = origin == KCI_SET ? KCI_GIVEN : origin;
    }
    if (base->id && !keep_text(context, &device->id, base->id))
        return false;
    if (base->asked && !keep_text(context, &device->asked, base->asked))
        return false;
    for (size_t i = 0; i < KCI_TEXTS; i++)
        if (base->texts[i] && !keep_text(context, &device->texts[i], base->texts[i]))
            return false;
    for (size_t i = 0; i < base->remark_count; i++)
        if (!add_remark(device, base->remarks[i].path, base->remarks[i].text))
            return false;
    return true;
}

kc_device *kc_device_new(kc_context *context, const kc_device *base)
{
    if (!context)
        return NULL;
    kc_device *device = empty_device(context);
    if (device && base && !copy_into(device, base)) {
        kc_release(device);
        return NULL;
    }
    return device;
}

/* ---- shipped devices ------------------------------------------------------------ */

size_t kc_device_count(void)
{
    return kci_device_file_count;
}

const char *kc_device_id(size_t i)
{
    return i < kci_device_file_count ? kci_device_files[i].id : NULL;
}

/* Names are equal whatever their case, "H100 SXM5" being "h100-sxm5". */
static char plain(char c)
{
    return c == ' ' || c == '_' ? '-' : c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

static bool same_name(const char *a, const char *b, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!a[i] || plain(a[i]) != plain(b[i]))
            return false;
    return !a[length];
}

static const char *file_text(const kci_device_file *file, const char *path)
{
    for (size_t i = 0; i < file->count; i++)
        if (file->figures[i].text && strcmp(file->figures[i].path, path) == 0)
            return file->figures[i].text;
    return NULL;
}

static bool has_alias(const kci_device_file *file, const char *name)
{
    const char *full_name = file_text(file, "name");
    if (full_name && same_name(name, full_name, strlen(full_name)))
        return true;
    const char *word = file_text(file, "aliases");
    while (word && *word) {
        size_t length = strcspn(word, " ");
        if (same_name(name, word, length))
            return true;
        word += length + (word[length] == ' ');
    }
    return false;
}

static const kci_device_file *find_file(const char *name)
{
    for (size_t i = 0; i < kci_device_file_count; i++)
        if (same_name(name, kci_device_files[i].id, strlen(kci_device_files[i].id)))
            return &kci_device_files[i];
    for (size_t i = 0; i < kci_device_file_count; i++)
        if (has_alias(&kci_device_files[i], name))
            return &kci_device_files[i];
    return NULL;
}

typedef struct all_names {
    kc_context *context;    /* keeps the aliases as texts of their own */
} all_names;

enum { LONGEST_NAME = 48 };

/* The `*left`th id or alias of this length, counted down; NULL: there are not so many. */
static const char *name_of_length(kc_context *context, size_t length, size_t *left)
{
    for (size_t f = 0; f < kci_device_file_count; f++) {
        const kci_device_file *file = &kci_device_files[f];
        if (strlen(file->id) == length && (*left)-- == 0)
            return file->id;
        for (const char *word = file_text(file, "aliases"); word && *word;) {
            size_t size = strcspn(word, " ");
            if (size == length && (*left)-- == 0)
                return kci_name(context, kci_intern(context, word, size));
            word += size + (word[size] == ' ');
        }
    }
    return NULL;
}

/* The names that a misspelt one may mean; short ones first, so that "h10" is "h100"
 * before it is "h100-pcie-80gb". */
static const char *nth_name(const void *data, size_t i)
{
    const char *name = NULL;
    for (size_t length = 1; !name && length <= LONGEST_NAME; length++)
        name = name_of_length(((const all_names *)data)->context, length, &i);
    return name;
}

/* Takes one figure of a file.  The build has checked that its path is known. */
static bool take_figure(kc_device *device, const kci_device_figure *figure)
{
    if (strncmp(figure->path, "exceptions.", strlen("exceptions.")) == 0)
        return add_remark(device, figure->path, figure->text);
    const kci_figure_row *row = kci_figure_find(figure->path);
    if (!row || !(row->rule & KCI_IS_TEXT) != !figure->text) {
        kci_fail(device->base.context, KC_EARGUMENT, "device '%s': unknown figure '%s'", device->id, figure->path);
        return false;
    }
    if (row->rule & KCI_IS_TEXT)
        return keep_text(device->base.context, &device->texts[row->place], figure->text);
    *number_at(&device->known, row->place) = figure->number;
    device->origin[row->place] = KCI_SHIPPED;
    return true;
}

kc_device *kc_device_named(kc_context *context, const char *name)
{
    if (!context)
        return NULL;
    const kci_device_file *file = name ? find_file(name) : NULL;
    if (!file) {
        all_names names = { context };
        kci_fail(context, KC_EARGUMENT, "unknown device '%.80s'%s", name ? name : "",
                 kci_nearest(context, name ? name : "", nth_name, &names));
        return NULL;
    }
    kc_device *device = empty_device(context);
    if (!device)
        return NULL;
    device->file = file;
    bool good = keep_text(context, &device->id, file->id);
    if (good && !same_name(name, file->id, strlen(file->id)))
        good = keep_text(context, &device->asked, name);
    for (size_t i = 0; good && i < file->count; i++)
        good = take_figure(device, &file->figures[i]);
    if (!good || kc_device_seal(device) != KC_OK) {
        kc_release(device);
        return NULL;
    }
    return device;
}

/* ---- setting --------------------------------------------------------------------- */

/* A device that may still be changed. */
static kc_status open_device(const kc_device *device)
{
    if (!device)
        return KC_EARGUMENT;
    if (device->sealed)
        return kci_fail(device->base.context, KC_EARGUMENT,
                        "device '%s' is complete and no longer changes; copy it with kc_device_new",
                        kci_device_name(device));
    return KC_OK;
}

static kc_status unknown_figure(const kc_device *device, const char *path)
{
    return kci_fail(device->base.context, KC_EARGUMENT, "device: unknown figure '%.80s'%s", path ? path : "",
                    kci_nearest(device->base.context, path ? path : "", kci_figure_nth_path, NULL));
}

/* What is wrong with the number, or NULL.  Figures stay within 1e-30 and 1e30,
 * so that no product of three of them leaves the doubles. */
static const char *wrong_number(const kci_figure_row *row, double value)
{
    if (!isfinite(value))
        return "must be a finite number";
    if (value < 0 || (value == 0 && !(row->rule & KCI_MAY_BE_ZERO)))
        return row->rule & KCI_MAY_BE_ZERO ? "must not be negative"
                                           : "must be above 0 (leave out what the device does not have)";
    if (value > 1e30 || (value > 0 && value < 1e-30))
        return "is out of all bounds";
    if ((row->rule & KCI_SHARE) && value > 1)
        return "is a share of the peak, at most 1";
    if ((row->rule & KCI_WHOLE) && value != floor(value))
        return "must be a whole number";
    return NULL;
}

kc_status kc_device_set(kc_device *device, const char *path, double value)
{
    kc_status status = open_device(device);
    if (status != KC_OK)
        return status;
    kc_context *context = device->base.context;
    const kci_figure_row *row = path ? kci_figure_find(path) : NULL;
    if (!row)
        return unknown_figure(device, path);
    if (row->rule & KCI_IS_TEXT)
        return kci_fail(context, KC_EARGUMENT, "device: %s is a text, not a number", path);
    const char *wrong = wrong_number(row, value);
    if (wrong) {
        char shown[32];
        kci_format_number(value, shown);
        return kci_fail(context, KC_EARGUMENT, "device: %s %s, not %s", path, wrong,
                        isfinite(value) ? shown : "infinite or NaN");
    }
    *number_at(&device->known, row->place) = value;
    device->origin[row->place] = KCI_SET;
    return KC_OK;
}

kc_status kc_device_set_text(kc_device *device, const char *path, const char *text)
{
    kc_status status = open_device(device);
    if (status != KC_OK)
        return status;
    kc_context *context = device->base.context;
    if (!path || !text)
        return kci_fail(context, KC_EARGUMENT, "device: a path and a text are needed");
    if (strncmp(path, "source.", 7) == 0 || strncmp(path, "exceptions.", 11) == 0)
        return add_remark(device, path, text) ? KC_OK : KC_ENOMEM;
    if (strcmp(path, "id") == 0)
        return keep_text(context, &device->id, text) ? KC_OK : KC_ENOMEM;
    const kci_figure_row *row = kci_figure_find(path);
    if (!row)
        return unknown_figure(device, path);
    if (!(row->rule & KCI_IS_TEXT))
        return kci_fail(context, KC_EARGUMENT, "device: %s is a number, not the text '%.40s'", path, text);
    if (row->place >= KCI_TEXT_SCOPE && strcmp(text, "warp") != 0 && strcmp(text, "group") != 0 &&
        strcmp(text, "cta") != 0)
        return kci_fail(context, KC_EARGUMENT, "device: %s must be warp, group or cta, not '%.40s'", path, text);
    if (row->place == KCI_TEXT_NAME && !keep_text(context, &device->id, text))
        return KC_ENOMEM;
    return keep_text(context, &device->texts[row->place], text) ? KC_OK : KC_ENOMEM;
}

/* ---- reading ------------------------------------------------------------------------ */

kc_status kc_device_get(const kc_device *device, const char *path, double *value)
{
    if (!device || !path || !value)
        return KC_EARGUMENT;
    const kci_figure_row *row = kci_figure_find(path);
    if (!row)
        return unknown_figure(device, path);
    if (row->rule & KCI_IS_TEXT)
        return kci_fail(device->base.context, KC_EARGUMENT, "device: %s is a text", path);
    double number = number_of(&device->known, row->place);
    if (isnan(number))
        return kci_fail(device->base.context, KC_EARGUMENT, "device '%s' does not say %s",
                        kci_device_name(device), path);
    *value = number;
    return KC_OK;
}

const char *kc_device_get_text(const kc_device *device, const char *path)
{
    if (!device || !path)
        return NULL;
    if (strcmp(path, "id") == 0)
        return kci_device_name(device);
    if (strncmp(path, "source.", 7) == 0)
        return kci_device_source(device, path + 7);
    if (strncmp(path, "exceptions.", 11) == 0)
        return kci_device_exception(device, path + 11);
    const kci_figure_row *row = kci_figure_find(path);
    return row && (row->rule & KCI_IS_TEXT) ? device->texts[row->place] : NULL;
}

static bool is_set(const kc_device *device, const kci_figure_row *row)
{
    if (row->rule & KCI_IS_TEXT)
        return device->texts[row->place] != NULL;
    return device->origin[row->place] != KCI_ABSENT;
}

const char *kc_device_path(const kc_device *device, size_t i)
{
    for (size_t r = 0; device && r < kci_figure_row_count; r++)
        if (is_set(device, &kci_figure_rows[r]) && i-- == 0)
            return kci_figure_rows[r].path;
    return NULL;
}

/* ---- sources ---------------------------------------------------------------------------- */

bool kci_device_listed(const char *list, const char *path)
{
    while (*list) {
        size_t length = strcspn(list, " ");
        if (strncmp(list, path, length) == 0 && (path[length] == '\0' || path[length] == '.'))
            return true;
        list += length + (list[length] == ' ');
    }
    return false;
}

/* The remark of one kind ("source.") that lists the path; the last one given wins. */
static const char *remark_of(const kc_device *device, const char *kind, const char *path)
{
    size_t length = strlen(kind);
    for (size_t i = device->remark_count; i > 0; i--) {
        const kci_remark *remark = &device->remarks[i - 1];
        if (strncmp(remark->path, kind, length) == 0 && kci_device_listed(remark->path + length, path))
            return remark->text;
    }
    return NULL;
}

const char *kci_device_source(const kc_device *device, const char *path)
{
    const kci_figure_row *row = kci_figure_find(path);
    if (!row || !is_set(device, row))
        return NULL;
    unsigned origin = row->rule & KCI_IS_TEXT ? KCI_SHIPPED : device->origin[row->place];
    if (origin == KCI_RECOMPUTED)
        return "derived: cores * rate * clock";
    if (origin == KCI_SHIPPED && device->file)
        for (size_t i = 0; i < device->file->count; i++)
            if (kci_figure_find(device->file->figures[i].path) == row)
                return device->file->figures[i].source;
    const char *remark = remark_of(device, "source.", row->path);
    return remark ? remark : "set by the caller";
}

const char *kci_device_exception(const kc_device *device, const char *path)
{
    return remark_of(device, "exceptions.", path);
}

/* ---- defaults ------------------------------------------------------------------------------ */

static const kci_device_file *defaults_of(const char *arch)
{
    for (size_t i = 0; arch && i < kci_device_default_count; i++)
        if (strcmp(kci_device_defaults[i].id, arch) == 0)
            return &kci_device_defaults[i];
    return NULL;
}

double kci_device_default(const kc_device *device, const char *path, const char **source)
{
    const char *arch = device->texts[KCI_TEXT_ARCH];
    const kci_device_file *files[2] = { defaults_of(arch), defaults_of("default") };
    for (size_t f = 0; f < 2; f++)
        for (size_t i = 0; files[f] && i < files[f]->count; i++) {
            const kci_device_figure *figure = &files[f]->figures[i];
            if (figure->text || strcmp(figure->path, path) != 0)
                continue;
            if (source)
                *source = figure->source;
            return figure->number;
        }
    return NAN;
}

static void fill_from(kc_device *device, const kci_device_file *file)
{
    for (size_t i = 0; file && i < file->count; i++) {
        const kci_figure_row *row = kci_figure_find(file->figures[i].path);
        if (!row || (row->rule & KCI_IS_TEXT))
            continue;
        double *slot = number_at(&device->full, row->place);
        if (isnan(*slot))
            *slot = file->figures[i].number;
    }
}

/* The vector unit sustains no more than the board's power pays for: tdp / energy. */
static void limit_power(kci_figures *full)
{
    double paid = full->tdp / (full->energy.vector * full->vector[KCI_F32]);
    full->sustained.vector = fmin(full->sustained.vector, paid); /* NAN: nobody knows */
}

/* A share that is told for no format is that of f16, of the architecture. */
kc_status kci_sealed(const kc_device *device, const char *call)
{
    if (!device || device->sealed)
        return KC_OK;
    return kci_fail(device->base.context, KC_EARGUMENT, "%s: the device '%.80s' is not sealed; kc_device_seal ends its making",
                    call, kci_device_name(device));
}

void kci_device_fill(kc_device *device)
{
    device->defaults = defaults_of(device->texts[KCI_TEXT_ARCH]);
    device->full = device->known;
    double *share = device->full.sustained.matrix;
    double stated = share[KCI_F16];
    share[KCI_F16] = NAN;
    fill_from(device, device->defaults);
    fill_from(device, defaults_of("default"));
    for (size_t i = 0; i < KCI_FORMATS; i++)
        if (isnan(share[i]))
            share[i] = share[KCI_F16];
    if (!isnan(stated))
        share[KCI_F16] = stated;
    kci_figures *full = &device->full;
    if (full->fitted.hbm > 0)
        full->sustained.hbm = full->fitted.hbm;
    if (full->fitted.fixed > 0)
        full->launch.fixed = full->fitted.fixed;
    if (isnan(full->l2.bandwidth) && !isnan(full->l2.capacity))
        full->l2.bandwidth = full->l2.rate * full->cores * full->clock;
    limit_power(full);
    kci_roofs_find(device);
}
