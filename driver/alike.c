/* See alike.h. */
#include "driver/alike.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include <mpi.h>

enum { SET, MODE, PICTURE, JSON, FIRST_OPTION, FACTS = FIRST_OPTION + OPTIONS_SAID };

/* What a rank runs, as texts. */
struct facts {
    char text[FACTS][OPTIONS_TEXT];
};

static void gather_facts(const struct run *run, struct facts *f)
{
    static_assert((int)SET_DIGEST_TEXT <= (int)OPTIONS_TEXT, "a digest is a fact");
    memset(f, 0, sizeof *f);
    snprintf(f->text[SET], OPTIONS_TEXT, "%s", run->digest);
    snprintf(f->text[MODE], OPTIONS_TEXT, "%s", mode_names[run->mode]);
    snprintf(f->text[PICTURE], OPTIONS_TEXT, "%s", run->options.picture ? "yes" : "no");
    snprintf(f->text[JSON], OPTIONS_TEXT, "%s", run->options.json ? "yes" : "no");
    for (unsigned i = 0; i < OPTIONS_SAID; i++) {
        char said[OPTIONS_TEXT];
        snprintf(f->text[FIRST_OPTION + i], OPTIONS_TEXT, "%s", options_said[i].say(&run->options, said));
    }
}

static const char *name_of(unsigned fact)
{
    return fact == MODE      ? "mode"
           : fact == PICTURE ? "picture"
           : fact == JSON    ? "json"
                             : options_said[fact - FIRST_OPTION].name;
}

static bool compare(const struct run *run, const struct facts *mine, const struct facts *first, struct error *e)
{
    unsigned i = 0;
    while (i < FACTS && strcmp(mine->text[i], first->text[i]) == 0)
        i++;
    if (i == FACTS)
        return true;
    if (i == SET)
        return error_set(e, ERROR_MISMATCH,
                         "%.300s is another set here than on rank 0: its manifest is not the same; copy the set anew",
                         run->directory);
    return error_set(e, ERROR_USAGE, "was started with %s '%s', and rank 0 with '%s'; start all ranks alike",
                     name_of(i), mine->text[i], first->text[i]);
}

bool alike_check(const struct run *run)
{
    struct facts mine, first;
    struct error e;
    gather_facts(run, &mine);
    first = mine;
    MPI_Bcast(&first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
    return ranks_agree(&run->ranks, compare(run, &mine, &first, &e), &e);
}
