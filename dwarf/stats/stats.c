/* Counting: tables, sets, sums and names; see stats.h. */
#include "dwarf/stats/stats.h"

#include <inttypes.h>
#include <libdwarf/dwarf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "dwarf/stats/parts.h"

const char *const stats_number_names[STATS_NUMBERS] = {
#define X(number, name) [number] = name,
    STATS_NUMBER_LIST(X)
#undef X
};

const char *const stats_tally_names[STATS_TALLIES] = {
    [STATS_TAG] = "tags",           [STATS_ATTRIBUTE] = "attributes", [STATS_FORM] = "forms",
    [STATS_LANGUAGE] = "languages", [STATS_VERSION] = "versions",
};

/* ---- tallies ---- */

void stats_tally_add(struct debug_stats *s, enum stats_tally tally, uint32_t key, uint64_t uses)
{
    struct stats_tally_table *t = &s->tally[tally];
    uint32_t low = 0;
    uint32_t high = t->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (t->of[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < t->count && t->of[low].key == key) {
        t->of[low].uses += uses;
    } else if (t->count == STATS_KEYS) {
        t->rest += uses;
    } else {
        memmove(&t->of[low + 1], &t->of[low], (t->count - low) * sizeof t->of[0]);
        t->of[low].key = key;
        t->of[low].uses = uses;
        t->count++;
    }
}

/* ---- sets ---- */

/* Open addressing. A slot of 0 is free, so 0 is stored as another number that no offset and hardly a hash has. */
static uint64_t *set_find(const struct stats_set *set, uint64_t value)
{
    size_t i = random_mix(value) & (set->capacity - 1);
    while (set->slot[i] && set->slot[i] != value)
        i = (i + 1) & (set->capacity - 1);
    return &set->slot[i];
}

static bool set_grow(struct stats_set *set)
{
    struct stats_set larger = {.count = set->count, .capacity = set->capacity ? set->capacity * 2 : 64};
    larger.slot = calloc(larger.capacity, sizeof *larger.slot);
    if (!larger.slot)
        return false;
    for (size_t i = 0; i < set->capacity; i++) {
        if (set->slot[i])
            *set_find(&larger, set->slot[i]) = set->slot[i];
    }
    free(set->slot);
    *set = larger;
    return true;
}

bool stats_set_add(struct stats_set *set, uint64_t value, bool *added)
{
    value = value ? value : UINT64_MAX;
    if (set->count * 2 >= set->capacity && !set_grow(set))
        return false;
    uint64_t *slot = set_find(set, value);
    *added = !*slot;
    set->count += *added;
    *slot = value;
    return true;
}

void stats_set_free(struct stats_set *set)
{
    free(set->slot);
    *set = (struct stats_set){0};
}

/* ---- sections ---- */

/* The section called `name`. It is made if there is room; otherwise it is the last one, which stands for all that have
 * none of their own. */
static struct stats_section *section_find(struct debug_stats *s, const char *name)
{
    for (uint32_t i = 0; i < s->section_count; i++) {
        if (strcmp(s->section[i].name, name) == 0)
            return &s->section[i];
    }
    if (s->section_count < STATS_SECTIONS) {
        struct stats_section *made = &s->section[s->section_count++];
        if (s->section_count == STATS_SECTIONS)
            name = "others";
        snprintf(made->name, sizeof made->name, "%s", name);
        return made;
    }
    return &s->section[STATS_SECTIONS - 1];
}

void stats_add_section(struct debug_stats *s, const char *name, uint64_t file_bytes, uint64_t bytes)
{
    if (strcmp(name, ".text") == 0 || strncmp(name, ".text.", 6) == 0)
        s->number[STATS_TEXT_BYTES] += bytes;
    bool zdebug = strncmp(name, ".zdebug", 7) == 0;
    if (!zdebug && strncmp(name, ".debug", 6) != 0)
        return;
    char plain[STATS_NAME];
    snprintf(plain, sizeof plain, ".%s", name + (zdebug ? 2 : 1));
    struct stats_section *section = section_find(s, plain);
    section->file_bytes += file_bytes;
    section->bytes += bytes;
}

/* ---- sums ---- */

bool stats_add(struct debug_stats *sum, const struct debug_stats *more, struct error *e)
{
    /* what can fail comes first; it does no harm if it is done in part */
    for (size_t i = 0; i < more->shapes.capacity; i++) {
        bool added;
        if (more->shapes.slot[i] && !stats_set_add(&sum->shapes, more->shapes.slot[i], &added))
            return error_set(e, ERROR_MEMORY, "out of memory");
    }
    bytes_append(&sum->dwos, more->dwos.data, more->dwos.size);
    if (sum->dwos.failed)
        return error_set(e, ERROR_MEMORY, "out of memory");
    for (int n = 0; n < STATS_NUMBERS; n++)
        sum->number[n] += more->number[n];
    for (enum stats_tally tally = 0; tally < STATS_TALLIES; tally++) {
        const struct stats_tally_table *t = &more->tally[tally];
        for (uint32_t i = 0; i < t->count; i++)
            stats_tally_add(sum, tally, t->of[i].key, t->of[i].uses);
        sum->tally[tally].rest += t->rest;
    }
    for (uint32_t i = 0; i < more->section_count; i++) {
        const struct stats_section *section = &more->section[i];
        struct stats_section *same = section_find(sum, section->name);
        same->bytes += section->bytes;
        same->file_bytes += section->file_bytes;
    }
    sum->sizes.count += more->sizes.count;
    sum->sizes.bytes += more->sizes.bytes;
    sum->sizes.squares += more->sizes.squares;
    sum->sample.units += more->sample.units;
    sum->sample.units_read += more->sample.units_read;
    sum->sample.bytes += more->sample.bytes;
    sum->sample.bytes_read += more->sample.bytes_read;
    sum->sample.lined += more->sample.lined;
    sum->sample.lined_read += more->sample.lined_read;
    sum->sample.xx += more->sample.xx;
    sum->sample.xy += more->sample.xy;
    sum->sample.yy += more->sample.yy;
    sum->groups_left += more->groups_left;
    if (!*sum->remark)
        memcpy(sum->remark, more->remark, sizeof sum->remark);
    return true;
}

void stats_free(struct debug_stats *s)
{
    stats_set_free(&s->shapes);
    bytes_free(&s->dwos);
    *s = (struct debug_stats){0};
}

/* ---- samples ---- */

/* The relative error of a ratio estimator (Cochran, Sampling Techniques, section 6.4): of DIEs to bytes, from n
 * units. How much there is beyond the sample is a share of bytes, as units may be read in part. */
static double sample_error(const struct stats_sample *p, double dies)
{
    double n = (double)p->units_read;
    if (p->units_read < 2 || dies <= 0)
        return 1;
    double ratio = dies / (double)p->bytes_read;
    double squares = p->yy - 2 * ratio * p->xy + ratio * ratio * p->xx;
    double variance = squares > 0 ? squares / (n - 1) : 0;
    double left = 1 - (double)p->bytes_read / (double)p->bytes;
    return sqrt(left * variance / n) / (dies / n);
}

double stats_scale(struct debug_stats *s)
{
    const struct stats_sample *p = &s->sample;
    if (p->bytes_read == 0 || p->bytes_read >= p->bytes)
        return 0;
    double error = sample_error(p, (double)s->number[STATS_DIES]);
    double times = (double)p->bytes / (double)p->bytes_read;
    double times_lined = p->lined_read ? (double)p->lined / (double)p->lined_read : 1;
    for (int n = 0; n < STATS_NUMBERS; n++) {
        bool of_file = n == STATS_FILES || n == STATS_FILES_WITHOUT || n == STATS_TEXT_BYTES;
        bool of_unit = n >= STATS_COMPILE_UNITS && n <= STATS_CODE_BYTES; /* all units are met */
        bool of_lines = n >= STATS_LINE_TABLES && n <= STATS_LINE_SEQUENCES;
        if (!of_file && !of_unit)
            s->number[n] = (uint64_t)((double)s->number[n] * (of_lines ? times_lined : times) + 0.5);
    }
    for (int t = 0; t < STATS_TALLIES; t++) {
        for (uint32_t i = 0; i < s->tally[t].count; i++)
            s->tally[t].of[i].uses = (uint64_t)((double)s->tally[t].of[i].uses * times + 0.5);
        s->tally[t].rest = (uint64_t)((double)s->tally[t].rest * times + 0.5);
    }
    return error;
}

/* ---- names ---- */

const char *stats_key_name(enum stats_tally tally, uint32_t key, char text[STATS_NAME])
{
    const char *name = NULL;
    int answer = DW_DLV_NO_ENTRY;
    size_t prefix = 0; /* "DW_TAG_" */
    switch (tally) {
    case STATS_TAG:
        answer = dwarf_get_TAG_name(key, &name);
        prefix = 7;
        break;
    case STATS_ATTRIBUTE:
        answer = dwarf_get_AT_name(key, &name);
        prefix = 6;
        break;
    case STATS_FORM:
        answer = dwarf_get_FORM_name(key, &name);
        prefix = 8;
        break;
    case STATS_LANGUAGE:
        answer = dwarf_get_LANG_name(key, &name);
        prefix = 8;
        break;
    case STATS_VERSION:
    case STATS_TALLIES:
        snprintf(text, STATS_NAME, "%" PRIu32, key);
        return text;
    }
    if (answer == DW_DLV_OK && name && strlen(name) > prefix)
        return name + prefix;
    snprintf(text, STATS_NAME, "0x%" PRIx32, key);
    return text;
}
