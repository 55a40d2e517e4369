/* See copies.h. */
#include "emit/profile/copies.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "emit/profile/keys.h"

static bool too_many(const char *what, uint32_t copies, uint64_t most, struct error *e)
{
    return error_set(e, ERROR_INPUT, "--copies: %u times the profile's %s are more than the most, %" PRIu64, copies,
                     what, most);
}

/* Multiplies a number that the profile gives. False where it becomes more than `most`. */
static bool multiply(int64_t *number, uint32_t copies, int64_t most)
{
    if (*number == PROFILE_DERIVED)
        return true;
    return !__builtin_mul_overflow(*number, (int64_t)copies, number) && *number <= most;
}

/* Whether as many rows and edges are within the limits of a profile. */
static bool rows_fit(const struct profile *p, uint32_t copies, struct error *e)
{
    uint64_t edges = 0;
    for (uint32_t i = 0; i < p->rows; i++)
        edges += p->row[i].edges;
    if ((uint64_t)p->rows * copies > PROFILE_ROWS_MOST)
        return too_many("rows", copies, PROFILE_ROWS_MOST, e);
    return edges * copies <= PROFILE_EDGES_MOST || too_many("edges", copies, PROFILE_EDGES_MOST, e);
}

static bool multiply_counts(struct profile *p, uint32_t copies, struct error *e)
{
    bool fits = multiply(&p->modules, copies, PROFILE_LIBRARIES_MOST) &&
                multiply(&p->utilities, copies, PROFILE_LIBRARIES_MOST) &&
                p->modules + p->utilities <= PROFILE_LIBRARIES_MOST;
    if (!fits)
        return too_many("libraries", copies, PROFILE_LIBRARIES_MOST, e);
    for (enum size_kind k = 0; k < SIZE_KINDS; k++)
        fits = fits && multiply(&p->sections[k], copies, PROFILE_SIZE_MOST);
    for (enum mix_kind k = 0; k < MIX_KINDS; k++)
        fits = fits && multiply(&p->dwarf.mix[k], copies, PROFILE_SIZE_MOST);
    if (!fits)
        return too_many("bytes", copies, PROFILE_SIZE_MOST, e);
    if (p->captured.libraries != PROFILE_DERIVED) {
        p->captured.libraries *= copies;
        p->captured.unreadable *= copies;
    }
    return rows_fit(p, copies, e);
}

/* Multiplies the counts of a text such as 'member:400 typedef:100', up to the most that there is. False when memory ran
 * out. */
static bool multiply_text(char **text, uint32_t copies)
{
    struct bytes to = {0};
    const char *from = *text;
    while (from && *from) {
        const size_t key = strcspn(from, ":");
        char *end = (char *)from + key;
        bytes_append(&to, from, key);
        if (*end == ':') {
            char number[24];
            uint64_t count = strtoull(from + key + 1, &end, 10);
            if (__builtin_mul_overflow(count, (uint64_t)copies, &count))
                count = UINT64_MAX;
            bytes_append(&to, number, (size_t)snprintf(number, sizeof number, ":%" PRIu64, count));
        }
        from = end;
    }
    if (!from)
        return true;
    bytes_u8(&to, 0);
    if (to.failed) {
        bytes_free(&to);
        return false;
    }
    free(*text);
    *text = (char *)to.data;
    return true;
}

/* Copies a row whose edges are to lead `by` rows further. False when memory ran out; *to can be freed in any case. */
static bool copy_row(const struct profile_row *from, uint32_t by, struct profile_row *to)
{
    bool ok = true;
    profile_row_init(to);
    memcpy(to->value, from->value, sizeof to->value);
    to->edge = malloc((from->edges + (size_t)1) * sizeof *to->edge);
    for (uint32_t i = 0; to->edge && i < from->edges; i++)
        to->edge[to->edges++] = (struct profile_edge){from->edge[i].row + by, from->edge[i].symbols};
    for (unsigned i = 0; i < ROW_TEXTS; i++) {
        if (from->text[i] && i != ROW_TEXT_NEEDED)
            ok = (to->text[i] = strdup(from->text[i])) && ok;
    }
    if (from->text[ROW_TEXT_NEEDED])
        ok = to->edge && (to->text[ROW_TEXT_NEEDED] = profile_row_needed(to)) && ok;
    return ok && to->edge;
}

static bool multiply_rows(struct profile *p, uint32_t copies)
{
    const uint32_t rows = p->rows;
    struct profile_row *const more = realloc(p->row, (size_t)rows * copies * sizeof *more);
    bool ok = more;
    if (more)
        p->row = more;
    for (uint32_t c = 1; c < copies && ok; c++)
        for (uint32_t i = 0; i < rows && ok; i++)
            ok = copy_row(&p->row[i], c * rows, &p->row[p->rows++]);
    return ok;
}

bool profile_multiply(struct profile *p, uint32_t copies, struct error *e)
{
    if (copies == 1)
        return true;
    if (!multiply_counts(p, copies, e))
        return false;
    bool ok = !p->rows || multiply_rows(p, copies);
    p->copies = copies;
    for (unsigned i = 0; i < PROFILE_DISTRIBUTIONS && ok; i++)
        ok = multiply_text(&p->distributions[i], copies);
    return ok || error_set(e, ERROR_MEMORY, "no memory for %u copies of a profile", copies);
}
