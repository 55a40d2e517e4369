/* Statistics of the files' debug information; see pyelfprof.h.
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

#include "tools/pyelfprof.h"

/* The most bytes of .debug_info that are read, of all files and of one. */
#define TOTAL_MOST (UINT64_C(1) << 30)
#define FILE_MOST  (UINT64_C(1) << 28)

struct reading {
    struct prof_file *file;
    struct prof_reading of;
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

/* Attributes that tell compilers apart: gcc's location views, and what clang's string offsets need. */
enum { STR_OFFSETS_BASE = 0x72, GNU_LOCVIEWS = 0x2137 };

static bool has(const struct stats_tally_table *t, uint32_t key)
{
    for (uint32_t i = 0; i < t->count; i++) {
        if (t->of[i].key == key)
            return true;
    }
    return false;
}

/* Each use of the form counts as one unreadable list, because no list was read. */
bool prof_leave_range_lists(struct debug_stats *s)
{
    enum { FORM_RNGLISTX = 0x23 };
    const struct stats_tally_table *forms = &s->tally[STATS_FORM];
    uint64_t uses = 0;
    if (!strstr(s->remark, "unless it is in a tied file") || s->number[STATS_RANGE_LISTS])
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
    const uint64_t counts[] = {d->dies, d->defined, d->attributes, d->rows, d->entries};
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

static void take(struct prof *p, struct prof_file *file, struct debug_stats *s)
{
    struct error e;
    const struct stats_sample *sample = &s->sample;
    double sampled = sample->bytes ? (double)sample->bytes_read / (double)sample->bytes : 1;
    prof_leave_range_lists(s); /* no profile has them */
    double error = stats_scale(s);
    file->dwarf = (struct prof_dwarf){
        .known = s->number[STATS_DIES] > 0,
        .views = has(&s->tally[STATS_ATTRIBUTE], GNU_LOCVIEWS),
        .clang = has(&s->tally[STATS_ATTRIBUTE], STR_OFFSETS_BASE) && !s->number[STATS_SKELETON_UNITS],
        .version = most_of(&s->tally[STATS_VERSION]),
        .language = most_of(&s->tally[STATS_LANGUAGE]),
        .units = s->number[STATS_COMPILE_UNITS] + s->number[STATS_SKELETON_UNITS],
        .partial = s->number[STATS_PARTIAL_UNITS],
        .types = s->number[STATS_TYPE_UNITS],
        .uneven = uneven_of(&s->sizes),
        .dies = s->number[STATS_DIES],
        .defined = s->number[STATS_DEFINED_DIES],
        .attributes = s->number[STATS_ATTRIBUTES],
        .rows = s->number[STATS_LINE_ROWS],
        .entries = s->number[STATS_LIST_ENTRIES],
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
    if (s->number[STATS_UNREADABLE]) {
        error_set(&e, ERROR_INPUT,
                  "libdwarf cannot read %" PRIu64 " names, lists or tables, which do not count; first %s",
                  s->number[STATS_UNREADABLE], s->remark);
        error_at(&e, path_of(file), 0);
        prof_complain(p, &e);
    }
    if (!stats_add(&p->dwarf, s, &e))
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

static void finish(struct prof *p, struct reading *r, struct debug_stats *s)
{
    struct error e;
    show((size_t)(r->file - p->file), p->count);
    if (prof_reading_finish(&r->of, s, &e))
        take(p, r->file, s);
    else
        prof_complain(p, &e);
    stats_free(s);
}

/* False, with a complaint, where the file cannot be read. */
static bool start(struct prof *p, struct reading *r, uint64_t most)
{
    struct error e;
    const struct prof_file *file = r->file;
    if (prof_reading_start(&r->of, path_of(file), &file->state, file->capture.compression, most, &e))
        return true;
    prof_complain(p, &e);
    return false;
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* The most bytes to read of one file. Files up to that size are read whole and larger ones up to it, so that all
 * together stay near TOTAL_MOST. Never 0, which would mean all. */
static uint64_t share_of_each(const struct prof *p)
{
    uint64_t *bytes = prof_must(malloc((p->count + 1) * sizeof *bytes));
    for (size_t i = 0; i < p->count; i++)
        bytes[i] = p->file[i].capture.mix[MIX_INFO];
    qsort(bytes, p->count, sizeof *bytes, compare);
    uint64_t left = TOTAL_MOST;
    uint64_t share = FILE_MOST;
    for (size_t i = 0; i < p->count; i++) {
        if (bytes[i] > left / (p->count - i)) {
            share = left / (p->count - i);
            break;
        }
        left -= bytes[i];
    }
    free(bytes);
    return share < FILE_MOST ? share + 1 : FILE_MOST;
}

void prof_dwarf(struct prof *p)
{
    const uint64_t most = p->full ? 0 : share_of_each(p);
    size_t slots = 2 * prof_threads();
    struct reading *reading = prof_must(arena_zeroed(&p->arena, slots, sizeof *reading));
    struct debug_stats *s = prof_must(arena_zeroed(&p->arena, 1, sizeof *s));
    size_t first = 0;
    size_t next = 0;
    for (size_t i = 0; i < p->count; i++) {
        if (p->file[i].capture.mix[MIX_INFO] == 0)
            continue;
        if (next - first == slots)
            finish(p, &reading[first++ % slots], s);
        struct reading *r = &reading[next % slots];
        r->file = &p->file[i];
        next += start(p, r, most);
    }
    while (first < next)
        finish(p, &reading[first++ % slots], s);
    show(p->count, p->count);
}
