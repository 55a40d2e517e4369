/* Finds what is not compared because a side does not say it; see compare.h. */
#include <stdlib.h>
#include <string.h>

#include "tools/compare/compare.h"

/* The keys of each group. The first is its name. */
enum { GROUP_KEYS = 4 };
static const char *const group_keys[COMPARE_GROUPS][GROUP_KEYS] = {
    [GROUP_ZSTD] = {"zstd"},
    [GROUP_DWARF] = {"dwarf"},
    [GROUP_LOAD] = {"constructor-memory", "constructor-bss"},
    [GROUP_INLINED] = {"dwarf.inlined", "dwarf.addresses", "dwarf.entry-values", "dwarf.type-names"},
    [GROUP_FRAMES] = {"unwind-rsp", "unwind-rbp"}};

/* Whether the key is that of this name, or below it: "zstd.text" is below "zstd". */
static bool is_below(const char *key, const char *name)
{
    size_t length = strlen(name);
    return strncmp(key, name, length) == 0 && (key[length] == '\0' || key[length] == '.');
}

bool compare_is_in(const char *key, enum compare_group group)
{
    for (size_t i = 0; i < GROUP_KEYS && group_keys[group][i]; i++)
        if (is_below(key, group_keys[group][i]))
            return true;
    return false;
}

/* Whether any row of the side has a key of that name, or below it. */
static bool has(const struct comparison *c, int side, const char *name)
{
    for (size_t i = 0; i < c->side[side].rows; i++) {
        const struct compare_row *row = &c->side[side].row[i];
        for (size_t j = 0; j < row->values; j++) {
            if (is_below(c->keys.of[row->value[j].key].name, name))
                return true;
        }
    }
    return false;
}

static bool has_group(const struct comparison *c, int side, enum compare_group group)
{
    for (size_t i = 0; i < GROUP_KEYS && group_keys[group][i]; i++)
        if (has(c, side, group_keys[group][i]))
            return true;
    return false;
}

/* Whether the side says the group, be it that it has nothing. A side without debug information has no `dwarf`. A
 * profile may be of libraries that were loaded (--load), which files here never are. Frames are not in old profiles. */
static bool says(const struct comparison *c, int side, enum compare_group group)
{
    const bool is_dwarf = group == GROUP_DWARF || group == GROUP_INLINED;
    return has_group(c, side, group) || (is_dwarf && !has(c, side, "mix.info")) ||
           (group == GROUP_LOAD && c->side[side].profile) || (group == GROUP_FRAMES && !c->side[side].profile);
}

static void skip_group(struct compare_keys *keys, enum compare_group group)
{
    for (uint32_t k = 0; k < keys->count; k++) {
        if (compare_is_in(keys->of[k].name, group))
            keys->of[k].kind = COMPARE_SKIP;
    }
}

void compare_skip_unknown(struct comparison *c)
{
    for (enum compare_group g = 0; g < COMPARE_GROUPS; g++) {
        for (int s = 0; s < SIDES; s++) {
            const bool is_part = g == GROUP_INLINED && c->unknown[s][GROUP_DWARF]; /* which tells it */
            c->unknown[s][g] = !is_part && !says(c, s, g) && has_group(c, !s, g);
            if (c->unknown[s][g])
                compare_be_silent(c, group_keys[g][0], s);
        }
        if (compare_is_unknown(c, g))
            skip_group(&c->keys, g);
    }
}

void compare_be_silent(struct comparison *c, const char *name, int side)
{
    for (size_t i = 0; i < c->silences; i++) {
        if (strcmp(c->silence[i].name, name) == 0)
            return;
    }
    c->silence = report_must(realloc(c->silence, (c->silences + 1) * sizeof *c->silence));
    c->silence[c->silences++] = (struct compare_silence){name, side};
}

char *compare_silence_text(const struct comparison *c, int side)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = report_must(open_memstream(&text, &size));
    for (size_t i = 0; i < c->silences; i++) {
        if (c->silence[i].side == side)
            fprintf(to, "%s%s", ftell(to) ? ", " : "", c->silence[i].name);
    }
    if (fclose(to) != 0)
        report_must(NULL);
    return text;
}

bool compare_has_graph(const struct compare_side *side)
{
    for (size_t i = 0; i < side->rows; i++) {
        if (!side->row[i].has_edges)
            return false;
    }
    return true;
}
