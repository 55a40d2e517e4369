/* How profiles are written: mappings in YAML's flow style. */
#ifndef TOOLS_CAPTURE_FLOW_H
#define TOOLS_CAPTURE_FLOW_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

/* A mapping in flow style. Its key and its brace are written with its first member, so that an empty mapping leaves no
 * trace. */
struct flow {
    FILE *to;
    struct flow *in;  /* the mapping that it is a member of, or NULL */
    const char *open; /* its key in that mapping; without one, the text before the mapping */
    const char *comma;
    bool begun;
};

static inline void flow_key(struct flow *f, const char *key)
{
    if (f->begun) {
        fputs(f->comma, f->to);
    } else {
        if (f->in)
            flow_key(f->in, f->open);
        else
            fputs(f->open, f->to);
        putc('{', f->to);
    }
    fprintf(f->to, "%s: ", key);
    f->begun = true;
}

static inline struct flow flow_in(struct flow *row, const char *key)
{
    return (struct flow){.to = row->to, .in = row, .open = key, .comma = row->comma};
}

static inline void put_number(struct flow *f, const char *key, uint64_t number)
{
    flow_key(f, key);
    fprintf(f->to, "%" PRIu64, number);
}

/* A number that is left out where it is 0. */
static inline void put_some(struct flow *f, const char *key, uint64_t number)
{
    if (number)
        put_number(f, key, number);
}

static inline void put_word(struct flow *f, const char *key, const char *word)
{
    flow_key(f, key);
    fputs(word, f->to);
}

static inline void flow_end(struct flow *f)
{
    if (f->begun)
        putc('}', f->to);
}

#endif
