/* What is known of the keys of rows, and how keys get their numbers; see compare.h. */
#include <string.h>

#include "tools/compare/compare.h"

struct known {
    const char *name; /* also stands for all keys below it: "dynamic" for "dynamic.weak" */
    enum compare_kind kind;
    const char *missing;
};

/* In the order of the tables. Keys that are not listed come after these; they are numbers or words as their first value
 * is. `missing` is what pyelfprof means where it leaves the key out. */
static const struct known known[] = {
    {"libraries", COMPARE_SUM, NULL},
    {"kind", COMPARE_WORD, "utility"},
    {"text", COMPARE_SUM, NULL},
    {"data", COMPARE_SUM, NULL},
    {"bss", COMPARE_SUM, NULL},
    {"debug", COMPARE_SUM, NULL},
    {"symtab", COMPARE_SUM, NULL},
    {"strtab", COMPARE_SUM, NULL},
    {"functions", COMPARE_SUM, NULL},
    {"dynamic", COMPARE_SUM, NULL},
    {"local", COMPARE_SUM, NULL},
    {"global", COMPARE_SUM, NULL},
    {"relocations", COMPARE_SUM, NULL},
    {"plt", COMPARE_SUM, NULL},
    {"needed", COMPARE_SUM, NULL},
    {"outside", COMPARE_SUM, NULL},
    {"indirect", COMPARE_SUM, NULL},
    {"machine", COMPARE_WORD, "62"},
    {"hash", COMPARE_WORD, "gnu"},
    {"bind", COMPARE_WORD, "lazy"},
    {"relro", COMPARE_WORD, "partial"},
    {"data-rel-ro", COMPARE_SUM, NULL},
    {"build-id", COMPARE_WORD, "true"},
    {"soname", COMPARE_WORD, "true"},
    {"cf-protection", COMPARE_WORD, "false"},
    {"runpath", COMPARE_SUM, NULL},
    {"versions", COMPARE_SUM, NULL},
    {"versions-defined", COMPARE_SUM, NULL},
    {"tls", COMPARE_SUM, NULL},
    {"ifunc", COMPARE_SUM, NULL},
    {"constructors", COMPARE_SUM, "1"},
    {"constructor-code", COMPARE_SUM, NULL},
    {"constructor-memory", COMPARE_SUM, NULL},
    {"constructor-bss", COMPARE_SUM, NULL},
    {"init-code", COMPARE_SUM, NULL},
    {"unwind-entries", COMPARE_SUM, NULL},
    {"unwind-small", COMPARE_SUM, NULL},
    {"unwind-rsp", COMPARE_SUM, NULL},
    {"unwind-rbp", COMPARE_SUM, NULL},
    {"called", COMPARE_SUM, NULL},
    {"exceptions", COMPARE_SUM, NULL},
    {"destructors", COMPARE_SUM, "1"},
    {"page", COMPARE_WORD, "4096"},
    {"loads", COMPARE_SUM, "4"},
    {"mangled", COMPARE_SUM, NULL},
    {"demangled", COMPARE_SUM, NULL},
    {"cold", COMPARE_SUM, NULL},
    {"cold-code", COMPARE_SUM, NULL},
    {"methods", COMPARE_SUM, NULL},
    {"compressed", COMPARE_WORD, "none"},
    {"debug-file", COMPARE_WORD, "false"},
    {"split", COMPARE_WORD, "false"},
    {"alternate", COMPARE_WORD, "false"},
    {"debug-link", COMPARE_WORD, "false"},
    {"share", COMPARE_SUM, NULL},
    {"zstd", COMPARE_LOOSE, NULL},
    {"dwarf.version", COMPARE_WORD, "none"},
    {"dwarf.language", COMPARE_WORD, "none"},
    {"dwarf.level", COMPARE_WORD, "2"},
    {"dwarf.uneven", COMPARE_LOOSE, NULL},
    {"dwarf.sampled", COMPARE_SKIP, NULL},
    {"dwarf.error", COMPARE_SKIP, NULL},
    {"dwarf", COMPARE_SUM, NULL},
    {"mix", COMPARE_SUM, NULL},
    {"dwo", COMPARE_SUM, NULL},
    {"loaded", COMPARE_SKIP, NULL},
    {"import", COMPARE_SKIP, NULL},
};
enum { KNOWN = sizeof known / sizeof known[0] };

static unsigned find_known(const char *name)
{
    size_t top = strcspn(name, ".");
    unsigned found = KNOWN;
    for (unsigned i = 0; i < KNOWN; i++) {
        if (strcmp(known[i].name, name) == 0)
            return i;
        if (strlen(known[i].name) == top && strncmp(known[i].name, name, top) == 0)
            found = i;
    }
    return found;
}

/* Whether the key is an estimate where not all debug information was read. */
static bool is_sampled(const char *name, enum compare_kind kind)
{
    return kind == COMPARE_SUM && strncmp(name, "dwarf.", 6) == 0 && strcmp(name, "dwarf.units") != 0 &&
           strcmp(name, "dwarf.code") != 0 && strcmp(name, "dwarf.partial") != 0 &&
           strcmp(name, "dwarf.type-units") != 0;
}

/* The number of the key, or COMPARE_KEYS_MOST where it is not there. Rows have mostly the same keys in the same order,
 * so the search begins behind the last key that was found. */
static uint32_t find_key(const struct compare_keys *keys, const char *name)
{
    for (uint32_t i = 0; i < keys->count; i++) {
        const uint32_t at = (keys->last + 1 + i) % keys->count;
        if (strcmp(keys->of[at].name, name) == 0)
            return at;
    }
    return COMPARE_KEYS_MOST;
}

uint32_t compare_key(struct compare *c, struct compare_keys *keys, const char *name)
{
    uint32_t found = find_key(keys, name);
    if (found == COMPARE_KEYS_MOST) {
        name = compare_text(c, name); /* known by this text from now on */
        found = find_key(keys, name);
    }
    if (found != COMPARE_KEYS_MOST)
        return keys->last = found;
    if (keys->count == COMPARE_KEYS_MOST)
        return COMPARE_KEYS_MOST;
    unsigned at = find_known(name);
    struct compare_key *key = &keys->of[keys->count];
    *key = (struct compare_key){
        .name = name,
        .kind = at < KNOWN ? known[at].kind : COMPARE_SUM,
        .missing = at < KNOWN ? known[at].missing : NULL,
        .rank = at,
        .known = at < KNOWN,
    };
    key->sampled = is_sampled(key->name, key->kind);
    return keys->last = keys->count++;
}

void compare_start(struct compare *c, struct compare_keys *keys)
{
    static const char *const graph[] = {"needed.libraries", "needed.symbols", "needed.same-libraries",
                                        "needed.same-order", "needed.same-symbols"};
    for (size_t i = 0; i < sizeof graph / sizeof graph[0]; i++)
        compare_key(c, keys, graph[i]);
    for (size_t i = 0; i < KNOWN; i++) {
        if (known[i].missing && strncmp(known[i].name, "dwarf.", 6) != 0)
            compare_key(c, keys, known[i].name);
    }
}

int compare_key_order(const struct compare_keys *keys, uint32_t a, uint32_t b)
{
    unsigned x = keys->of[a].rank;
    unsigned y = keys->of[b].rank;
    return x != y ? (x < y ? -1 : 1) : a < b ? -1 : a > b;
}

void compare_complain(struct compare *c, const struct error *e)
{
    c->trouble = true;
    error_report("pyelfstat", e);
    if (c->complaints == c->complaint_room) {
        size_t room = c->complaint_room ? 2 * c->complaint_room : 16;
        const struct error **more = report_must(arena_zeroed(&c->report.arena, room, sizeof *more));
        if (c->complaints)
            memcpy(more, c->complaint, c->complaints * sizeof *more);
        c->complaint = more;
        c->complaint_room = room;
    }
    struct error *copy = report_must(arena_take(&c->report.arena, sizeof *copy));
    *copy = *e;
    c->complaint[c->complaints++] = copy;
}
