/* Writes JSON directly. With many ranks a tree of json-c would be many times as large as the text, on a host that is to
 * run something else. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/utf8.h"
#include "driver/results/results.h"

/* Foreign text may contain anything. Control characters, and bytes that are not UTF-8, become '?', which every reader
 * accepts. */
static void put_text(FILE *f, const char *text)
{
    putc('"', f);
    for (size_t left = strlen(text), step; left; text += step, left -= step) {
        const size_t shown = utf8_shown(text, left, &step);
        if (!shown)
            putc('?', f);
        else if (*text == '"' || *text == '\\')
            fprintf(f, "\\%c", *text);
        else
            fwrite(text, 1, shown, f);
    }
    putc('"', f);
}

static void put_member(FILE *f, const char *key, const char *text)
{
    fprintf(f, "\"%s\": ", key);
    put_text(f, text);
}

/* Writes a member that is not the first of its object. */
static void put_more(FILE *f, const char *key, const char *text)
{
    fputs(", ", f);
    put_member(f, key, text);
}

/* Writes whole numbers as such, seconds to the nanosecond, and all others so that they are read back unchanged. JSON
 * has no word for what is not a number, so that becomes null. */
static void put_value(FILE *f, double v, bool seconds)
{
    static const double exact = 9007199254740992.0; /* 2^53: whole numbers below are exact */
    if (!isfinite(v))
        fputs("null", f);
    else if (seconds)
        fprintf(f, "%.9f", v);
    else if (fabs(v) < exact && v == floor(v))
        fprintf(f, "%.0f", v);
    else
        fprintf(f, "%.17g", v);
}

static void put_figure(FILE *f, const struct results_run *run, const struct results_figure *g, bool seconds)
{
    const struct results_summary s = results_summarize(g, run->ranks);
    const double unknown = NAN;
    fputs("\"min\": ", f);
    put_value(f, s.known ? s.least : unknown, seconds);
    fputs(", \"mean\": ", f);
    put_value(f, s.known ? s.mean : unknown, seconds);
    fputs(", \"max\": ", f);
    put_value(f, s.known ? s.most : unknown, seconds);
    if (s.known) {
        fprintf(f, ", \"max-rank\": %zu, ", s.slowest);
        put_member(f, "max-host", run->hosts[run->host[s.slowest]].name);
    }
    if (g->absent) {
        put_more(f, "absent", g->absent);
    }
    /* If no rank has a value, the list is empty rather than full of nulls. */
    fputs(", \"per-rank\": [", f);
    for (size_t i = 0; i < run->ranks && s.known; i++) {
        fputs(i ? ", " : "", f);
        put_value(f, g->value[i], seconds);
    }
    putc(']', f);
}

static void put_counter(FILE *f, const struct results_run *run, const struct results_figure *g)
{
    fputs("        {", f);
    put_member(f, "name", g->name);
    put_more(f, "unit", g->unit);
    put_more(f, "source", g->source);
    fprintf(f, ", \"level\": %s, ", g->level ? "true" : "false");
    put_figure(f, run, g, false);
    putc('}', f);
}

static void put_phase(FILE *f, const struct results_run *run, enum results_part part)
{
    const struct results_phase *p = &run->phase[part];
    fprintf(f, "     {\"name\": \"%s\", ", results_part_names[part]);
    if (p->resolution > 0) {
        fputs("\"resolution-seconds\": ", f);
        put_value(f, p->resolution, true);
        fputs(", ", f);
    }
    fputs("\"seconds\": {", f);
    put_figure(f, run, &p->seconds, true);
    fputs("},\n      \"counters\": [", f);
    for (size_t i = 0; i < p->counter_count; i++) {
        fputs(i ? ",\n" : "\n", f);
        put_counter(f, run, &p->counters[i]);
    }
    fputs(p->counter_count ? "\n      ]}" : "]}", f);
}

static void put_hosts(FILE *f, const struct results_run *run)
{
    fputs("   \"hosts\": [", f);
    for (size_t i = 0; i < run->host_count; i++) {
        const struct results_host *h = &run->hosts[i];
        fputs(i ? ",\n    {" : "\n    {", f);
        put_member(f, "name", h->name);
        put_more(f, "kernel", h->kernel);
        put_more(f, "glibc", h->glibc);
        putc('}', f);
    }
    fputs("\n   ],\n   \"rank-hosts\": [", f);
    for (size_t i = 0; i < run->ranks; i++)
        fprintf(f, "%s%zu", i ? ", " : "", run->host[i]);
    fputs("],\n", f);
}

static void put_run(FILE *f, const struct results_run *run)
{
    fputs("  {", f);
    put_member(f, "mode", run->mode);
    fprintf(f, ", \"repeat\": %" PRIu64 ", \"status\": ", run->repeat);
    if (run->status != 0) {
        fprintf(f, "\"failed\", \"exit-status\": %d}", run->status);
        return;
    }
    char begun[64] = "";
    const time_t when = (time_t)run->begun;
    struct tm utc;
    if (gmtime_r(&when, &utc))
        strftime(begun, sizeof begun, "%Y-%m-%dT%H:%M:%SZ", &utc);
    fputs("\"done\", ", f);
    put_member(f, "begun", begun);
    fprintf(f, ", \"ranks\": %zu,\n   ", run->ranks);
    put_member(f, "loader", run->loader);
    put_more(f, "mpi", run->mpi);
    fprintf(f, ",\n   \"functions-visited\": %" PRIu64, run->functions_visited);
    if (*run->mpi_test) {
        put_more(f, "mpi-test", run->mpi_test);
    }
    fputs(",\n", f);
    put_hosts(f, run);
    fputs("   \"phases\": [", f);
    const char *between = "\n";
    for (int part = 0; part < RESULTS_PARTS; part++) {
        if (!run->phase[part].ran)
            continue;
        fputs(between, f);
        put_phase(f, run, (enum results_part)part);
        between = ",\n";
    }
    fputs("\n   ]}", f);
}

static void put_set(FILE *f, const struct results_set *s)
{
    fputs(" \"set\": {", f);
    put_member(f, "path", s->path);
    put_more(f, "application", s->application);
    fputs(",\n  ", f);
    put_member(f, "manifest", s->manifest);
    put_more(f, "profile", s->profile);
    fprintf(f, ",\n  \"modules\": %" PRIu64 ", \"utilities\": %" PRIu64 ", \"functions\": %" PRIu64, s->modules,
            s->utilities, s->functions);
    if (s->opened)
        fprintf(f, ", \"opened\": %" PRIu64, s->opened);
    fputs("},\n", f);
}

void results_write_json(const struct results *r, FILE *f)
{
    fprintf(f, "{\"" RESULTS_KEY "\": %d,\n ", RESULTS_VERSION);
    put_member(f, "version", r->version);
    fputs(",\n", f);
    put_set(f, &r->set);
    fputs(" \"options\": {", f);
    for (size_t i = 0; i < r->option_count; i++) {
        if (i)
            fputs(", ", f);
        put_member(f, r->options[i].name, r->options[i].value);
    }
    fputs("},\n \"runs\": [", f);
    for (size_t i = 0; i < r->run_count; i++) {
        fputs(i ? ",\n" : "\n", f);
        put_run(f, &r->runs[i]);
    }
    fputs("\n ]}\n", f);
}
