/* See prepare.h. */
#include "emit/prepare.h"

#include <stdlib.h>
#include <string.h>

#include "base/workers.h"
#include "emit/library/inside.h"
#include "emit/profile/copies.h"
#include "emit/profile/model.h"
#include "emit/search/dwo_check.h"
#include "emit/search/manner_fit.h"
#include "emit/search/manner_sample.h"
#include "emit/search/manners_search.h"
#include "emit/search/mix.h"
#include "emit/search/settled.h"
#include "emit/search/split_fit.h"
#include "emit/set/assemble.h"
#include "emit/set/progress.h"
#include "emit/solve/plan_make.h"

/* A key that an option sets instead of the profile. `back` is the option that takes it back; NULL: there is none. */
struct choice {
    enum profile_key_id key;
    const char *option, *back;
};
static const struct choice split = {KEY_SPLIT, "--split", NULL};
static const struct choice separate = {KEY_SEPARATE, "--separate", "--separate=none"};
static const struct choice name_index = {KEY_INDEX, "--index", "--index=none"};
static const struct choice type_units = {KEY_TYPE_UNITS, "--type-units", NULL};

static bool refuse_choice(const struct choice *given, const struct choice *other, struct error *e)
{
    const char *const name = profile_keys[other->key].name;
    if (other->back)
        return error_set(e, ERROR_USAGE, "%s excludes 'dwarf: %s', which the profile has; give %s too", given->option,
                         name, other->back);
    return error_set(e, ERROR_USAGE,
                     "%s excludes 'dwarf: %s', which the profile has; leave it out, or remove that from the profile",
                     given->option, name);
}

/* Refuses keys that exclude each other, where an option sets one of the two. Where the profile sets both, they were
 * refused before. */
static bool choices_fit(const struct profile *profile, const struct options *o, struct error *e)
{
    static const struct choice *const pairs[][2] = {
        {&split, &separate}, {&split, &name_index}, {&split, &type_units}, {&type_units, &name_index}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        const struct choice *a = pairs[i][0], *b = pairs[i][1];
        const bool both = !profile_value_is_standard(profile, a->key) && !profile_value_is_standard(profile, b->key);
        if (both && o->instead[a->key] && o->instead[b->key])
            return error_set(e, ERROR_USAGE, "%s and %s exclude each other; give one of them", a->option, b->option);
        if (both)
            return o->instead[a->key] ? refuse_choice(a, b, e) : refuse_choice(b, a, e);
    }
    return true;
}

/* Notes what rows say that an option replaces. What a library then has otherwise is no difference that pyelfgen could
 * not help. */
static void overrule(struct profile *profile, enum profile_key_id key)
{
    static const struct {
        enum profile_key_id key;
        enum row_value value;
    } said[] = {
        {KEY_HASH, ROW_HASH},
        {KEY_RELR, ROW_RELR},
        {KEY_RELR, ROW_RELATIVE},
        {KEY_CF_PROTECTION, ROW_CF_PROTECTION},
        {KEY_COMPRESS, ROW_COMPRESSED},
        {KEY_SEPARATE, ROW_DEBUG_FILE},
        {KEY_SPLIT, ROW_SPLIT},
        {KEY_INDEX, ROW_MIX_NAMES},
        {KEY_TYPE_UNITS, ROW_DWARF_TYPE_UNITS},
    };
    for (size_t i = 0; i < sizeof said / sizeof said[0]; i++)
        profile->overruled[said[i].value] |= said[i].key == key;
}

static bool load_profile(struct profile *profile, struct options *o, struct error *e)
{
    if (o->profile[0]) {
        if (!profile_load(profile, o->profile, e))
            return false;
    } else { /* Pynamic's counts: the profile takes over what the options hold */
        *profile = o->counts;
        memset(&o->counts, 0, sizeof o->counts);
    }
    if (o->copies && !profile_multiply(profile, o->copies, e))
        return false;
    if (o->has_seed)
        profile->seed = o->seed;
    for (int key = 0; key < KEY_COUNT; key++) {
        const char *value = o->instead[key];
        if (value && !profile_value_read(profile, (enum profile_key_id)key, value, NULL, e))
            return false;
        if (value)
            overrule(profile, (enum profile_key_id)key);
    }
    if (!choices_fit(profile, o, e))
        return false;
    if (o->sources && profile->rows)
        return error_set(e, ERROR_USAGE, "--sources does not go with a profile with 'libraries'; leave it out");
    if (o->sources && profile->dwarf.language == LANGUAGE_CPP)
        return error_set(e, ERROR_USAGE, "--sources writes C only, and the profile's units are C++");
    if (o->sources && profile->dwarf.language == LANGUAGE_FORTRAN)
        return error_set(e, ERROR_USAGE, "--sources writes C only, and the profile's units are Fortran");
    return profile_unsplit(profile, e);
}

static bool make_plan(struct prepared *p, const struct options *o, struct error *e)
{
    return plan_make(&p->plan, &p->profile, &o->executables, &p->stock->corpus, o->threads, e);
}

struct preparation {
    struct prepared *p;
    const struct options *o;
    bool has_plan; /* it is made already */
};

/* The most bytes that headers' names come to in any library. UINT64_MAX where that is not known: then all headers are
 * made. */
static uint64_t names_most(const struct prepared *p)
{
    const struct plan *const plan = &p->plan;
    const struct corpus *const corpus = &p->stock->corpus;
    const bool is_open = (mix_is_wanted(&p->profile) && !p->profile.rows) || corpus->dialect.clang;
    uint64_t most = 0;
    if (is_open || plan->executables.link || plan->executables.joined)
        return UINT64_MAX;
    for (uint32_t i = 0; i < plan->library_count; i++) {
        const struct plan_library *const l = &plan->library[i];
        const int64_t said = l->said ? l->said->value[ROW_MIX_STR] : 0; /* and headers' names are a part of it */
        const uint64_t usual = debug_names_usual(corpus, l->size[SIZE_DEBUG]);
        const uint64_t names = said > 0 && (uint64_t)said > usual ? (uint64_t)said : usual;
        most = names > most ? names : most;
    }
    return most;
}

/* Sets the error that says why there is no stock. Returns false. */
static bool stock_failed(const struct stock *s, struct error *e)
{
    if (s && stock_is_overfull(s))
        return error_set(
            e, ERROR_INFEASIBLE,
            "distributions: tags: more is said of code than blocks of it have room for; give fewer "
            "'inlined_subroutine', 'formal_parameter' or 'variable', or leave tags, forms and attributes out");
    return error_set(e, ERROR_MEMORY, "out of memory");
}

static bool make_part(void *context, unsigned worker, uint32_t part, struct error *e)
{
    const struct preparation *w = context;
    (void)worker;
    const bool is_first = part == STOCK_PART_HEADERS;
    if (is_first && !w->has_plan && !make_plan(w->p, w->o, e))
        return false;
    const bool made = is_first ? stock_make_headers(w->p->stock, names_most(w->p)) : stock_make_part(w->p->stock, part);
    return made || stock_failed(w->p->stock, e);
}

/* Makes the stock, from which all libraries are made and which is read-only from then on, and beside it the plan, if
 * there is none yet. */
static bool make_stock_and_plan(struct prepared *p, const struct options *o, const struct manners *manners,
                                struct error *e)
{
    struct preparation w = {p, o, p->plan.library != NULL};
    const struct manner *const manner = &manners->of[p->profile.dwarf.language];
    if (!(p->stock = stock_begin(stock_dialect(&p->profile), manner, p->profile.seed)) ||
        !stock_add_rows(p->stock, &p->profile, manners, o->threads))
        return stock_failed(p->stock, e);
    if (!workers_run(o->threads, STOCK_PARTS, make_part, &w, e))
        return false;
    stock_end(p->stock);
    if (!w.has_plan || plan_goes_with(&p->plan, &p->stock->corpus))
        return true;
    plan_free(&p->plan);
    return make_plan(p, o, e);
}

static bool make_in_manners(struct prepared *p, const struct options *o, const struct manners *manners, struct error *e)
{
    if (!make_stock_and_plan(p, o, manners, e))
        return false;
    p->plan.before = p->before;
    p->plan.is_final = p->has_manner;
    p->plan.is_found = p->is_found;
    return /* Whether one executable can hold them all, where it is to. */
        assemble_check(&p->plan, o->sources, e) &&

        /* What each debug section gets, where the profile says. */
        mix_settle(&p->plan, p->stock, &p->builders, e);
}

static void forget(struct prepared *p)
{
    plan_free(&p->plan);
    stock_free(p->stock);
    p->plan = (struct plan){0};
    p->stock = NULL;
}

/* Forgets the stock, and what was settled with it. The plan of a profile with rows stays. */
static void forget_stock(struct prepared *p)
{
    if (!p->profile.rows)
        plan_free(&p->plan);
    mix_forget(&p->plan);
    stock_free(p->stock);
    p->stock = NULL;
}

static void forget_before(struct prepared *p)
{
    free(p->before);
    p->plan.before = p->before = NULL;
}

/* Decides whether libraries get as many attributes as their rows say, or nearly, by spare types. They need not
 * (plan.any_attributes) if a sample then has entries that are far from the application's, and further than those with
 * `any` number of attributes. */
static bool follow_attributes(struct prepared *p, const struct debug_counts *any, struct error *e)
{
    const double far = 0.05;
    const struct profile_entries said = profile_entries_of_all(&p->profile);
    struct debug_counts counts[DEBUG_LANGUAGES];
    struct debug_counts all = {.imports = 0};
    p->plan.any_attributes = false;
    if (!manner_sample(&p->plan, p->stock, &p->builders, counts, e))
        return false;
    for (unsigned i = 0; i < DEBUG_LANGUAGES; i++)
        debug_counts_add(&all, &counts[i], COUNT_ONCE);
    const double distance = manner_distance(&said, &all);
    p->plan.any_attributes = distance > far && distance > manner_distance(&said, any);
    return true;
}

/* What a search goes by, in a model and in the whole. */
struct searching {
    const struct options *o;
    struct manners *manners; /* the first ones, then those that are tried, in the end the nearest */
    struct manners_search search;
    struct progress progress;
};

/* Begins a search, the first one or a new one, of so many tries. False where none makes sense. */
static bool begin_searching(struct searching *s, const struct profile *profile, uint32_t tries)
{
    *s->manners = profile_manners(profile);
    if (!manners_search_start(&s->search, profile))
        return false;
    progress_start(&s->progress, "planning", tries, s->o->quiet);
    s->progress.of = "tries";
    return true;
}

/* Makes stock and plan in the first manners. */
static bool make_first(struct prepared *p, const struct searching *s, struct error *e)
{
    if (p->profile.rows && !p->before && !(p->before = mix_before_none(&p->profile)))
        return error_set(e, ERROR_MEMORY, "out of memory");
    return make_in_manners(p, s->o, s->manners, e);
}

/* Finds the manners that come nearest to the application, of those that are tried and in which sizes can be met. The
 * first ones have been made. p is left with what was tried last. */
static bool search_manners(struct prepared *p, struct searching *s, struct error *e)
{
    bool made = true;
    for (;;) {
        struct debug_counts counts[DEBUG_LANGUAGES];
        p->plan.any_attributes = true;
        if (made && !manner_sample(&p->plan, p->stock, &p->builders, counts, e))
            return false;
        progress_step(&s->progress);
        if (!manners_search_next(&s->search, made ? counts : NULL, s->manners))
            return true;
        forget_stock(p);
        made = make_in_manners(p, s->o, s->manners, e);
        if (!made && e->code != ERROR_INFEASIBLE)
            return false;
    }
}

/* Makes stock and plan in the nearest manners, if they are not what was tried last, and settles in full what was
 * settled nearly as before. */
static bool make_finally(struct prepared *p, const struct searching *s, bool all_settled, struct error *e)
{
    p->plan.is_final = p->has_manner = true;
    if (!s->search.is_best) {
        forget_stock(p);
        return make_in_manners(p, s->o, s->manners, e);
    }
    if (!p->profile.rows || all_settled)
        return true;
    mix_forget(&p->plan);
    return mix_settle(&p->plan, p->stock, &p->builders, e);
}

/* Makes a model of the application (emit/profile/model.h) in *model, which starts zeroed, and searches in it. */
static bool search_model(struct prepared *model, const struct profile *profile, struct searching *s, struct error *e)
{
    if (!profile_model_make(&model->profile, profile, e) || !make_first(model, s, e))
        return false;
    return manner_sample_tells(&model->plan) ? search_manners(model, s, e)
                                             : error_set(e, ERROR_INFEASIBLE, "no sample of a model can tell");
}

/* Searches in a model. Keeps how its libraries were settled; those of the application begin there. */
static bool search_in_model(struct prepared *p, struct searching *s, struct error *e)
{
    struct prepared *const model = calloc(1, sizeof *model); /* large for a stack */
    if (!model)
        return error_set(e, ERROR_MEMORY, "out of memory");
    model->builders = p->builders;
    const bool ok = search_model(model, &p->profile, s, e);
    if (ok) {
        manners_search_after_model(&s->search);
        p->before = model->before;
        model->before = NULL;
    }
    p->builders = model->builders;
    forget(model);
    forget_before(model);
    profile_model_free(&model->profile);
    free(model);
    return ok;
}

/* Searches in the application itself, unless no sample of it can tell. `by_model`: after a search in a model, which has
 * found the manners then. */
static bool search_in_whole(struct prepared *p, struct searching *s, bool by_model, struct error *e)
{
    if (!make_first(p, s, e))
        return false;
    if (manner_sample_tells(&p->plan)) {
        if (!search_manners(p, s, e) || !make_finally(p, s, s->search.tries == 1 && !by_model, e))
            return false;
        const struct debug_counts best = manners_search_best(&s->search);
        return follow_attributes(p, &best, e);
    }
    if (by_model)
        return make_finally(p, s, false, e);
    forget_before(p);
    return true;
}

/* Searches in a model first, if one makes a difference. Where on its scale a row asks for what does not go together, or
 * the whole cannot be made in the manners that were found, the search begins anew without one. */
static bool search_for(struct prepared *p, struct searching *s, bool by_model, struct error *e)
{
    if (!by_model)
        return search_in_whole(p, s, false, e);
    if (search_in_model(p, s, e) && search_in_whole(p, s, true, e))
        return true;
    if (e->code != ERROR_INFEASIBLE)
        return false;
    forget(p);
    forget_before(p);
    p->has_manner = false;
    progress_end(&s->progress);
    (void)begin_searching(s, &p->profile, MANNER_TRIES_MOST);
    return search_in_whole(p, s, false, e);
}

/* Makes stock and plan as was found before (settled.h). */
static bool make_as_found(struct prepared *p, const struct options *o, struct error *e)
{
    bool any_attributes;
    p->is_found = true;
    if (!settled_read_manners(&p->profile, &p->manners, &any_attributes, e))
        return error_at(e, profile_find_shown(o->profile), 0);
    if (!make_in_manners(p, o, &p->manners, e))
        return false;
    p->plan.any_attributes = any_attributes;
    return settled_read_libraries(&p->plan, e) || error_at(e, profile_find_shown(o->profile), 0);
}

/* Makes stock and plan. */
static bool make(struct prepared *p, const struct options *o, struct error *e)
{
    bool is_found;
    if (o->settle && !settled_can_be_kept(&p->profile, e))
        return false;
    if (!settled_is_for(&p->profile, &is_found, e))
        return false;
    if (is_found && !o->settle)
        return make_as_found(p, o, e);

    const bool by_model = profile_model_helps(&p->profile);
    struct searching *const s = malloc(sizeof *s); /* 29 kB, more than small stacks have to spare */
    if (!s)
        return error_set(e, ERROR_MEMORY, "out of memory for the search of a manner");
    *s = (struct searching){.o = o, .manners = &p->manners};
    const bool searches = begin_searching(s, &p->profile, MANNER_TRIES_MOST + (by_model ? MANNER_TRIES_NEAR : 0));
    const bool made = searches ? search_for(p, s, by_model, e) : make_in_manners(p, o, &p->manners, e);
    if (searches)
        progress_end(&s->progress);
    free(s);
    return made;
}

/* Makes stock and plan again until .dwo files are about as large as rows say, if libraries are split by their rows. */
static bool make_split(struct prepared *p, const struct options *o, struct error *e)
{
    enum { ROUNDS = 2 };
    const bool any_attributes = p->plan.any_attributes;
    bool ok = true;
    for (unsigned round = 0; ok && round < ROUNDS && split_fit_is_wanted(&p->plan); round++) {
        ok = split_fit(&p->profile, &p->plan, p->stock, &p->builders, e);
        forget(p);
        ok = ok && make_in_manners(p, o, &p->manners, e);
        p->plan.any_attributes = any_attributes;
    }
    return ok;
}

bool prepare(struct prepared *p, struct options *o, struct error *e)
{
    *p = (struct prepared){0};
    if (!o->threads)
        o->threads = workers_processors();

    if (!builders_start(&p->builders, o->threads, e))
        return false;

    /* What the application looks like: complete and in range from here on. */
    return load_profile(&p->profile, o, e) &&

           /* What cannot be met is refused here and in the next steps, before anything is written. */
           make(p, o, e) &&

           /* What debug information that is split has to be before that. */
           make_split(p, o, e) &&

           /* Whether no library has too many .dwo files. */
           dwo_check(&p->plan, p->stock, &p->builders, e) &&

           /* What parts of a large executable come to. */
           inside_settle(&p->plan, p->stock, &p->builders, e);
}

void prepare_free(struct prepared *p)
{
    forget(p);
    forget_before(p);
    profile_free(&p->profile);
    builders_free(&p->builders);
}
