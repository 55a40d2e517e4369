/* Statistics of the files' debug information; see prof.h.
 *
 * Each file is read by a process of its own, a few at a time. libdwarf walks some 23 MB of .debug_info in a second. So
 * no more than TOTAL_MOST bytes are read of all files together: of the largest files only some units. The profile says
 * how sure the estimates of the rest are.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/order.h"
#include "elf/read/unpack.h"
#include "tools/capture/prof.h"

/* The most bytes of .debug_info that are read, of all files and of one. */
#define TOTAL_MOST (UINT64_C(1) << 30)
#define FILE_MOST  (UINT64_C(1) << 28)

struct reading {
    const struct prof_debug *debug;
    struct prof_reading of;
};

/* What the statistics of one library with .dwo files are summed up in, until all of these are read. */
struct split_sum {
    struct prof_file *file;
    struct debug_stats stats;
    struct prof_skeletons skeletons;
};

struct work {
    struct prof *p;
    struct prof_debugs files, dwos;
    struct split_sum *sum;
    size_t sums, sum_capacity;
    struct debug_stats stats; /* of the file that was read last */
};

static const char *path_of(const struct prof_file *file)
{
    return file->debug_path ? file->debug_path : file->path;
}

/* The key that is used most often; 0 where there is none. */
static uint32_t most_of(const struct stats_tally_table *t)
{
    uint32_t key = 0;
    uint64_t uses = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        if (t->of[i].uses > uses) {
            key = t->of[i].key;
            uses = t->of[i].uses;
        }
    }
    return key;
}

enum prof_language prof_language_of(uint32_t language)
{
    char key[STATS_NAME];
    const char *name = stats_key_name(STATS_LANGUAGE, language, key);
    if (strncmp(name, "C_plus_plus", strlen("C_plus_plus")) == 0)
        return PROF_CPP;
    if (strncmp(name, "Fortran", strlen("Fortran")) == 0)
        return PROF_FORTRAN;
    return strcmp(name, "C") == 0 || (name[0] == 'C' && name[1] >= '0' && name[1] <= '9') ? PROF_C : PROF_OTHERS;
}

/* Attributes that tell compilers apart, gcc's location views and what clang's string offsets need; and DW_AT_type. */
enum { STR_OFFSETS_BASE = 0x72, GNU_LOCVIEWS = 0x2137, TYPE = 0x49 };

static uint64_t uses_of(const struct stats_tally_table *t, uint32_t key)
{
    for (uint32_t i = 0; i < t->count; i++) {
        if (t->of[i].key == key)
            return t->of[i].uses;
    }
    return 0;
}

static bool has(const struct stats_tally_table *t, uint32_t key)
{
    return uses_of(t, key) > 0;
}

/* Each use of the form counts as one unreadable list, because no list was read. libdwarf says of a .dwo file that the
 * lists are elsewhere, and of a package in which it finds them that there are no addresses. */
bool prof_leave_range_lists(struct debug_stats *s)
{
    enum { FORM_RNGLISTX = 0x23 };
    const bool apart = strstr(s->remark, "unless it is in a tied file") ||
                       strstr(s->remark, "DW_DLE_MISSING_NEEDED_DEBUG_ADDR_SECTION");
    const struct stats_tally_table *forms = &s->tally[STATS_FORM];
    uint64_t uses = 0;
    if (!apart || s->number[STATS_RANGE_LISTS])
        return false;
    for (uint32_t i = 0; i < forms->count; i++)
        uses += forms->of[i].key == FORM_RNGLISTX ? forms->of[i].uses : 0;
    s->number[STATS_UNREADABLE] -= uses < s->number[STATS_UNREADABLE] ? uses : s->number[STATS_UNREADABLE];
    snprintf(s->remark, sizeof s->remark, "is not known");
    return true;
}

/* Whether a row can state the counts. Those of huge files are too large. */
static bool is_in_range(const struct prof_dwarf *d)
{
    const uint64_t counts[] = {d->dies, d->defined, d->functions, d->attributes,
                               d->rows, d->entries, d->addresses, d->entry_values};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        if (counts[i] > CAPTURE_DWARF_MOST)
            return false;
    return d->units <= CAPTURE_COUNT_MOST && d->partial <= CAPTURE_COUNT_MOST && d->types <= CAPTURE_COUNT_MOST;
}

/* 0 for fewer than two units. */
static uint64_t uneven_of(const struct uneven_sum *sizes)
{
    const uint64_t uneven = uneven_hundredths(sizes);
    return sizes->count < 2 ? 0 : uneven < CAPTURE_UNEVEN_MOST ? uneven : CAPTURE_UNEVEN_MOST;
}

/* Whether there are functions and line tables, but neither types nor variables, as with gcc -g1. One entry in so many
 * may have a type: objects of libraries that are linked in have some. */
static bool has_lines_alone(const struct debug_stats *s)
{
    enum { TYPED_OF = 64 };
    return s->number[STATS_FUNCTIONS] && uses_of(&s->tally[STATS_ATTRIBUTE], TYPE) <= s->number[STATS_DIES] / TYPED_OF;
}

/* Units may describe code more than once, but not more than there is. */
static uint64_t code_of(const struct prof_file *file, const struct debug_stats *s)
{
    const uint64_t code = s->number[STATS_CODE_BYTES];
    const uint64_t all = file->capture.share[SHARE_CODE];
    return code < all ? code : all;
}

/* How much of the code is in inlined calls: the share that is of the functions that were read, whose code may be
 * described more than once. */
static uint64_t inlined_of(const struct prof_file *file, const struct debug_stats *s)
{
    const double functions = (double)s->number[STATS_FUNCTION_BYTES];
    const double share = functions > 0 ? (double)s->number[STATS_INLINED_BYTES] / functions : 0;
    return (uint64_t)((share < 1 ? share : 1) * (double)code_of(file, s) + 0.5);
}

static void take(struct prof *p, struct prof_file *file, struct debug_stats *s)
{
    struct error e;
    const struct stats_sample *sample = &s->sample;
    double sampled = sample->bytes ? (double)sample->bytes_read / (double)sample->bytes : 1;
    const bool any_left = prof_leave_range_lists(s); /* no profile has them */
    double error = stats_scale(s);
    const uint64_t skeletons = s->number[STATS_SKELETON_UNITS];
    file->dwarf = (struct prof_dwarf){
        .known = s->number[STATS_DIES] > 0,
        .views = has(&s->tally[STATS_ATTRIBUTE], GNU_LOCVIEWS),
        .clang = has(&s->tally[STATS_ATTRIBUTE], STR_OFFSETS_BASE) && !s->number[STATS_SKELETON_UNITS],
        .version = most_of(&s->tally[STATS_VERSION]),
        .language = most_of(&s->tally[STATS_LANGUAGE]),
        .units = s->number[STATS_COMPILE_UNITS] + s->number[STATS_SKELETON_UNITS] -
                 (file->dwo.units < skeletons ? file->dwo.units : skeletons),
        .partial = s->number[STATS_PARTIAL_UNITS],
        .types = s->number[STATS_TYPE_UNITS],
        .level = has_lines_alone(s),
        .uneven = uneven_of(&s->sizes),
        .code = code_of(file, s),
        .dies = s->number[STATS_DIES],
        .defined = s->number[STATS_DEFINED_DIES],
        .functions = s->number[STATS_CODE_FUNCTIONS],
        .attributes = s->number[STATS_ATTRIBUTES],
        .rows = s->number[STATS_LINE_ROWS],
        .entries = s->number[STATS_LIST_ENTRIES],
        .addresses = s->number[STATS_LINE_ADDRESSES],
        .entry_values = s->number[STATS_ENTRY_VALUES],
        .type_names = s->number[STATS_TYPE_NAME_BYTES],
        .inlined = inlined_of(file, s),
        .has_inlined = s->number[STATS_FUNCTION_BYTES] > 0 && code_of(file, s) > 0 && !skeletons && !any_left &&
                       !s->number[STATS_UNREADABLE],
        .sampled = sampled,
        .error = error,
    };
    if (!is_in_range(&file->dwarf)) {
        file->dwarf = (struct prof_dwarf){0};
        error_set(&e, ERROR_INPUT,
                  "has more debugging information entries, attributes or rows than the %" PRIu64
                  " that a profile can say; its row does without",
                  CAPTURE_DWARF_MOST);
        error_at(&e, path_of(file), 0);
        prof_complain(p, &e);
    }
    file->capture.split |= s->number[STATS_SKELETON_UNITS] > 0;
    if (!s->number[STATS_DIES] && !s->number[STATS_UNREADABLE]) {
        error_set(&e, ERROR_INPUT, "libdwarf finds no entries in its .debug_info; its row does without 'dwarf'");
        error_at(&e, path_of(file), 0);
        prof_complain(p, &e);
    }
    if (s->number[STATS_UNREADABLE]) {
        error_set(&e, ERROR_INPUT,
                  "libdwarf cannot read %" PRIu64 " names, lists or tables, which do not count; first %s",
                  s->number[STATS_UNREADABLE], s->remark);
        error_at(&e, path_of(file), 0);
        prof_complain(p, &e);
    }
    const enum prof_language language = prof_language_of(most_of(&s->tally[STATS_LANGUAGE]));
    if (!stats_add(&p->dwarf[language], s, &e))
        prof_complain(p, &e);
}

/* Shows on a terminal how many files were read. */
static void show(size_t file, size_t files)
{
    if (!isatty(STDERR_FILENO))
        return;
    if (file < files)
        fprintf(stderr, "\rreading debug information: %zu of %zu files", file, files);
    else
        fputs("\r\033[K", stderr);
}

/* The sum that the statistics of a library with .dwo files go into. */
static struct split_sum *sum_of(struct work *w, struct prof_file *file)
{
    for (size_t i = w->sums; i-- > 0;)
        if (w->sum[i].file == file)
            return &w->sum[i];
    if (w->sums == w->sum_capacity) {
        w->sum_capacity = 2 * w->sums + 16;
        w->sum = prof_must(realloc(w->sum, w->sum_capacity * sizeof *w->sum));
    }
    w->sum[w->sums] = (struct split_sum){.file = file};
    return &w->sum[w->sums++];
}

static void count_dwo(struct prof_dwo *dwo, const struct prof_debug *debug, const struct debug_stats *s)
{
    dwo->files++;
    dwo->units += s->number[STATS_COMPILE_UNITS];
    for (int m = 0; m < CAPTURE_MIXES; m++)
        dwo->mix[m] += debug->mix[m];
}

/* Takes what was read of a library or of one of its .dwo files. */
static void receive(struct work *w, const struct prof_debug *debug)
{
    struct debug_stats *const s = &w->stats;
    struct error e;
    if (!debug->is_dwo && !s->number[STATS_SKELETON_UNITS]) {
        take(w->p, debug->of, s);
        return;
    }
    struct split_sum *const sum = sum_of(w, debug->of);
    bool ours = true;
    if (debug->is_dwo) {
        prof_leave_range_lists(s);
        /* An object of clang -gsplit-dwarf=single has both, and libdwarf reads the skeletons. */
        ours = !s->number[STATS_SKELETON_UNITS] && prof_meet(&sum->skeletons, &s->dwos);
        if (ours)
            count_dwo(&debug->of->dwo, debug, s);
    } else {
        debug->of->capture.split = true;
        prof_find_dwos(w->p, debug->of, &s->dwos, &w->dwos, &sum->skeletons);
    }
    bytes_free(&s->dwos);
    if (ours && !stats_add(&sum->stats, s, &e))
        prof_complain(w->p, &e);
}

static void complain(struct work *w, const struct prof_debug *debug, const struct error *e)
{
    debug->of->dwo.unread += debug->is_dwo;
    prof_complain(w->p, e);
}

static void finish(struct work *w, struct reading *r)
{
    struct error e;
    if (prof_reading_finish(&r->of, &w->stats, &e))
        receive(w, r->debug);
    else
        complain(w, r->debug, &e);
    stats_free(&w->stats);
}

/* False, with a complaint, where the file cannot be read. */
static bool start(struct work *w, struct reading *r, uint64_t most)
{
    struct error e;
    const struct prof_debug *const d = r->debug;
    if (prof_reading_start(&r->of, d->path, &d->state, d->compression, most, &e))
        return true;
    complain(w, d, &e);
    return false;
}

/* The most bytes to read of one file. Files up to that size are read whole and larger ones up to it, so that all
 * together stay near TOTAL_MOST. Never 0, which would mean all. */
static uint64_t share_of_each(const struct prof_debugs *files)
{
    uint64_t *bytes = prof_must(malloc((files->count + 1) * sizeof *bytes));
    for (size_t i = 0; i < files->count; i++)
        bytes[i] = files->of[i].mix[MIX_INFO];
    qsort(bytes, files->count, sizeof *bytes, order_u64);
    uint64_t left = TOTAL_MOST;
    uint64_t share = FILE_MOST;
    for (size_t i = 0; i < files->count; i++) {
        if (bytes[i] > left / (files->count - i)) {
            share = left / (files->count - i);
            break;
        }
        left -= bytes[i];
    }
    free(bytes);
    return share < FILE_MOST ? share + 1 : FILE_MOST;
}

/* Reads the files, a few at a time: as many as there are slots, and further ones only while those that are being read
 * have less than UNPACK_MOST bytes in unpacked copies. `files` does not grow meanwhile. */
static void read_all(struct work *w, const struct prof_debugs *files)
{
    const uint64_t most = w->p->options.full ? 0 : share_of_each(files);
    size_t slots = 2 * prof_threads();
    struct reading *reading = prof_must(arena_zeroed(&w->p->arena, slots, sizeof *reading));
    size_t first = 0;
    size_t next = 0;
    uint64_t unpacked = 0;
    for (size_t i = 0; i < files->count; i++) {
        while (next - first == slots || unpacked >= UNPACK_MOST) {
            struct reading *const oldest = &reading[first++ % slots];
            unpacked -= prof_reading_unpacked(&oldest->of);
            finish(w, oldest);
        }
        show(i, files->count);
        struct reading *r = &reading[next % slots];
        r->debug = &files->of[i];
        if (!start(w, r, most))
            continue;
        unpacked += prof_reading_unpacked(&r->of);
        next++;
    }
    while (first < next)
        finish(w, &reading[first++ % slots]);
    show(files->count, files->count);
}

/* Takes what was read of a library and its .dwo files. Where some of these cannot be read, the rest alone would be no
 * library's. */
static void take_sum(struct prof *p, struct split_sum *sum)
{
    if (!sum->file->dwo.unread) {
        sum->file->dwo.missing += prof_unmet(&sum->skeletons);
        take(p, sum->file, &sum->stats);
    }
    stats_free(&sum->stats);
    free(sum->skeletons.of);
}

void prof_dwarf(struct prof *p)
{
    struct work *w = prof_must(arena_zeroed(&p->arena, 1, sizeof *w));
    w->p = p;
    for (size_t i = 0; i < p->count; i++) {
        struct prof_file *file = &p->file[i];
        struct prof_debug debug = {
            .of = file, .path = path_of(file), .state = file->state, .compression = file->capture.compression};
        memcpy(debug.mix, file->capture.mix, sizeof debug.mix);
        if (debug.mix[MIX_INFO])
            prof_debugs_add(&w->files, &debug);
    }
    read_all(w, &w->files);
    read_all(w, &w->dwos);
    for (size_t i = 0; i < w->sums; i++)
        take_sum(p, &w->sum[i]);
    free(w->sum);
    free(w->files.of);
    free(w->dwos.of);
}
