/* The values of the options in the words of the command line, for the results. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "driver/common/options.h"

static const char *say_phases(const struct options *o, char *text)
{
    text[0] = '\0';
    for (unsigned i = 0; i < PHASES; i++) {
        if (o->phase[i] && text[0])
            strcat(text, ",");
        if (o->phase[i])
            strcat(text, phase_names[i]);
    }
    return text;
}

static const char *say_order(const struct order_wish *wish, char *text)
{
    if (wish->kind == ORDER_RANDOM)
        snprintf(text, OPTIONS_TEXT, "random:%" PRIu64, wish->seed);
    else
        strcpy(text, wish->kind == ORDER_SHIFTED ? "shifted" : "given");
    return text;
}

static const char *say_import_order(const struct options *o, char *text)
{
    return say_order(&o->import_order, text);
}

static const char *say_visit_order(const struct options *o, char *text)
{
    return say_order(&o->visit_order, text);
}

static const char *say_cache(const struct options *o, char *text)
{
    (void)text;
    return o->cache == CACHE_COLD ? "cold" : o->cache == CACHE_WARM ? "warm" : "as it is";
}

static const char *say_flags(const struct options *o, char *text)
{
    snprintf(text, OPTIONS_TEXT, "%s%s%s", o->lazy ? "lazy" : "now", o->global ? ",global" : "",
             o->deep ? ",deepbind" : "");
    return text;
}

static const char *say_timeout(const struct options *o, char *text)
{
    if (o->timeout == 0)
        return "none";
    snprintf(text, OPTIONS_TEXT, "%" PRIu64, o->timeout);
    return text;
}

static const char *say_python(const struct options *o, char *text)
{
    (void)text;
    return o->python ? "yes" : "no";
}

static const char *say_counters(const struct options *o, char *text)
{
    const struct counters_option *c = &o->counters;
    if (!c->os && !c->sde && !c->papi)
        return "none";
    snprintf(text, OPTIONS_TEXT, "%s%s%s%s%s%s", c->os ? "os" : "", c->os && (c->sde || c->papi) ? "," : "",
             c->sde ? "sde" : "", c->sde && c->papi ? "," : "", c->papi ? "papi" : "",
             c->asked ? "" : ", where they cost nothing");
    return text;
}

static const char *say_audit(const struct options *o, char *text)
{
    (void)text;
    return o->audit ? "yes" : "no";
}

static const char *say_simulate(const struct options *o, char *text)
{
    (void)text;
    return o->simulate ? "I1 " SIMULATED_I1 " D1 " SIMULATED_D1 " LL " SIMULATED_LL : "no";
}

static const char *say_memory(const struct options *o, char *text)
{
    (void)text;
    return o->memory ? "yes" : "no";
}

const struct options_saying options_said[OPTIONS_SAID] = {
    {"phases", say_phases},
    {"import-order", say_import_order},
    {"visit-order", say_visit_order},
    {"cache", say_cache},
    {"dlopen-flags", say_flags},
    {"timeout-seconds", say_timeout},
    {"python", say_python},
    {"counters", say_counters},
    {"audit", say_audit},
    {"simulate", say_simulate},
    {"memory", say_memory},
};
