/* See view.h. */
#include "emit/set/view.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/manifest.h"
#include "base/workers.h"
#include "emit/library/builders.h"
#include "emit/library/files.h"
#include "emit/library/images.h"
#include "emit/set/differences.h"
#include "emit/set/driver_py.h"
#include "emit/set/make.h"
#include "emit/set/view_names.h"

/* What is known of a library, or wanted of it. Each includes those before it. */
enum known { KNOWN_NOTHING, KNOWN_SIZES, KNOWN_DIGESTS, KNOWN_IMAGE };

enum text_id { TEXT_MANIFEST, TEXT_DIFFERENCES, TEXT_DRIVER, TEXTS };

struct text {
    struct bytes bytes; /* once it is made */
    bool busy;          /* some thread makes it */
    bool sized;
    uint64_t size;
};

struct entry {
    uint8_t known; /* KNOWN_DIGESTS at most: how much of it is in set.library */
    bool busy;     /* some thread makes it */
};

struct view {
    const struct stock *stock;
    struct view_names names;

    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t changed;
    struct set set; /* but for its plan, which is constant */
    struct entry *entry;
    struct images images;
    struct text text[TEXTS];
    struct builders builders;
    struct builder **idle; /* those that nobody uses */
    unsigned idles;
    struct view_counts counts;
};

/* Bytes of a builder's image. A larger one is freed: the next library is not likely to need it. */
enum { BUILDER_KEPT = 1 << 28 };

/* --- making libraries ------------------------------------------------------------------ */

/* Under the lock, which is released while waiting. */
static struct builder *take_builder(struct view *v)
{
    while (!v->idles)
        pthread_cond_wait(&v->changed, &v->lock);
    return v->idle[--v->idles];
}

static void keep_record(struct view *v, uint32_t library, enum known known, struct set_library *made)
{
    struct entry *entry = &v->entry[library];
    if (known > KNOWN_DIGESTS)
        known = KNOWN_DIGESTS;
    if (entry->known >= known) {
        make_forget(made);
        return;
    }
    make_forget(&v->set.library[library]);
    v->set.library[library] = *made;
    entry->known = (uint8_t)known;
}

/* Whether the builder's files can be kept without others being dropped. */
static bool has_room(struct view *v, const struct builder *b)
{
    pthread_mutex_lock(&v->lock);
    const uint64_t left = v->images.most > v->images.bytes ? v->images.most - v->images.bytes : 0;
    pthread_mutex_unlock(&v->lock);
    return images_size(b) <= left;
}

/* Makes what is wanted. The lock is held before and after, but not meanwhile. */
static bool make_once(struct view *v, uint32_t library, enum known want, struct error *e)
{
    const struct plan *plan = v->set.plan;
    const bool sizes = want == KNOWN_SIZES && make_is_planned(plan);
    struct builder *b = take_builder(v);
    struct set_library made;
    struct image *image = NULL;
    pthread_mutex_unlock(&v->lock);
    bool ok =
        sizes ? make_sizes(b, plan, v->stock, library, &made, e) : make_library(b, plan, v->stock, library, &made, e);
    /* A file whose size is asked for will be read next, as a rule, so its image is kept. An image that is made for
     * digests alone must not displace others. */
    if (ok && !sizes && (want != KNOWN_DIGESTS || has_room(v, b)) && !(image = images_copy(b, library)))
        ok = error_set(e, ERROR_MEMORY, "out of memory for %s", plan->library[library].name);
    if (!ok || b->capacity > BUILDER_KEPT)
        builder_free(b);
    pthread_mutex_lock(&v->lock);
    v->idle[v->idles++] = b;
    *(sizes ? &v->counts.sized : &v->counts.made) += 1;
    if (!ok) {
        make_forget(&made);
        return false;
    }
    keep_record(v, library, sizes ? KNOWN_SIZES : KNOWN_DIGESTS, &made);
    if (image)
        images_add(&v->images, image);
    return true;
}

/* As make_once. Where memory runs out, images that nobody reads give theirs back, and it is tried again. */
static bool make(struct view *v, uint32_t library, enum known want, struct error *e)
{
    struct error own = {0};
    bool ok = make_once(v, library, want, &own);
    if (!ok && own.code == ERROR_MEMORY && images_drop(&v->images) > 0)
        ok = make_once(v, library, want, &own);
    if (!ok && e)
        *e = own;
    return ok;
}

static bool has(const struct view *v, uint32_t library, enum known want)
{
    return want == KNOWN_IMAGE ? v->images.of[library] != NULL : v->entry[library].known >= want;
}

/* Under the lock: makes what is wanted, or waits until another thread has made it. */
static bool bring(struct view *v, uint32_t library, enum known want, struct error *e)
{
    struct entry *entry = &v->entry[library];
    bool ok = true;
    while (ok && !has(v, library, want)) {
        if (entry->busy) {
            pthread_cond_wait(&v->changed, &v->lock);
            continue;
        }
        entry->busy = true;
        ok = make(v, library, want, e);
        entry->busy = false;
        pthread_cond_broadcast(&v->changed);
    }
    return ok;
}

/* As bring, for all libraries. */
struct everything {
    struct view *view;
    enum known want;
    const struct view_stop *stop;
};

static bool is_stopped(const struct view_stop *stop, struct error *e)
{
    if (!stop || !stop->asked(stop->context))
        return false;
    error_set(e, ERROR_SYSTEM, "what is being made is no longer wanted");
    return true;
}

static bool bring_next(void *context, unsigned worker, uint32_t library, struct error *e)
{
    const struct everything *all = context;
    struct view *v = all->view;
    if (!make_has_file(v->set.plan, &v->set.plan->library[library]))
        return true;
    if (worker == 0 && is_stopped(all->stop, e)) /* only the caller's own thread can ask */
        return false;
    pthread_mutex_lock(&v->lock);
    const bool ok = bring(v, library, all->want, e);
    pthread_mutex_unlock(&v->lock);
    return ok;
}

static bool bring_all(struct view *v, enum known want, const struct view_stop *stop, struct error *e)
{
    struct everything all = {v, want, stop};
    return workers_run(v->builders.count, v->set.plan->library_count, bring_next, &all, e);
}

/* --- texts ----------------------------------------------------------------------------- */

/* What has to be known of all libraries to make a text, or to find its size. No images need to be kept for that. */
static enum known text_needs(const struct view *v, enum text_id id, bool only_size)
{
    const bool digests = id == TEXT_MANIFEST && !only_size;
    return digests || !make_is_planned(v->set.plan) ? KNOWN_DIGESTS : KNOWN_SIZES;
}

static bool write_text(struct view *v, enum text_id id, struct bytes *out, struct error *e)
{
    return make_text(&v->set, id == TEXT_MANIFEST ? MANIFEST_FILE : DIFFERENCES_FILE,
                     id == TEXT_MANIFEST ? manifest_write : differences_write, out, e);
}

/* Without the lock: makes the text, or only finds its size, which digests do not change. */
static bool make_one_text(struct view *v, enum text_id id, bool only_size, const struct view_stop *stop,
                          struct error *e)
{
    struct bytes made;
    if (!bring_all(v, text_needs(v, id, only_size), stop, e))
        return false;
    pthread_mutex_lock(&v->lock); /* records do not change meanwhile */
    const bool ok = write_text(v, id, &made, e);
    struct text *t = &v->text[id];
    if (ok) {
        t->sized = true;
        t->size = made.size;
    }
    if (ok && !only_size)
        t->bytes = made;
    else
        free(made.data);
    pthread_mutex_unlock(&v->lock);
    return ok;
}

/* Under the lock: waits a little for the thread that makes a text, which may take long. */
static bool await_text(struct view *v, const struct view_stop *stop, struct error *e)
{
    enum { A_LITTLE = 100000000, SECOND = 1000000000 }; /* ns */
    struct timespec until;
    if (is_stopped(stop, e))
        return false;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += A_LITTLE;
    until.tv_sec += until.tv_nsec / SECOND;
    until.tv_nsec %= SECOND;
    pthread_cond_timedwait(&v->changed, &v->lock, &until);
    return true;
}

/* Under the lock: as bring, for a text. */
static bool bring_text(struct view *v, enum text_id id, bool only_size, const struct view_stop *stop, struct error *e)
{
    struct text *t = &v->text[id];
    bool ok = true;
    while (ok && !(only_size ? t->sized : t->bytes.data != NULL)) {
        if (t->busy) {
            ok = await_text(v, stop, e);
            continue;
        }
        t->busy = true;
        pthread_mutex_unlock(&v->lock);
        ok = make_one_text(v, id, only_size, stop, e);
        pthread_mutex_lock(&v->lock);
        t->busy = false;
        pthread_cond_broadcast(&v->changed);
    }
    return ok;
}

/* --- names ----------------------------------------------------------------------------- */

static bool name_library(struct view *v, uint32_t library)
{
    const struct plan *plan = v->set.plan;
    const struct set_library *made = &v->set.library[library];
    bool ok = true;
    if (!make_has_file(plan, &plan->library[library]))
        return true;
    if (!files_are_split(&plan->library[library]))
        return view_names_add_library(&v->names, plan, library);
    for (uint32_t i = 0; i < made->files && ok; i++)
        ok = view_names_add(&v->names, made->file[i].name, library, i);
    return ok;
}

static bool name_all(struct view *v, struct error *e)
{
    const struct plan *plan = v->set.plan;
    bool ok = true;
    if (plan->split && !bring_all(v, KNOWN_DIGESTS, NULL, e))
        return false;
    for (uint32_t i = 0; i < plan->library_count && ok; i++)
        ok = name_library(v, i);
    ok = ok && view_names_add(&v->names, MANIFEST_FILE, plan->library_count, TEXT_MANIFEST) &&
         view_names_add(&v->names, DRIVER_FILE, plan->library_count, TEXT_DRIVER) &&
         (!plan->profile->rows || view_names_add(&v->names, DIFFERENCES_FILE, plan->library_count, TEXT_DIFFERENCES));
    if (!ok)
        return error_set(e, ERROR_MEMORY, "out of memory for the names of %u libraries", plan->library_count);
    view_names_sort(&v->names);
    return true;
}

enum view_kind view_find(const struct view *v, const char *name, uint32_t *file)
{
    return view_names_find(&v->names, name, file);
}

void view_list(const struct view *v, const char *name, uint32_t first, view_each *each, void *context)
{
    view_names_list(&v->names, name, first, each, context);
}

/* --- files ----------------------------------------------------------------------------- */

uint32_t view_files(const struct view *v)
{
    return v->names.count;
}

uint64_t view_bytes(const struct view *v)
{
    uint64_t bytes = 0;
    for (unsigned kind = 0; kind < FIVE_SIZES; kind++)
        bytes += v->set.plan->total[kind];
    return bytes;
}

static bool is_text(const struct view *v, const struct view_name *n)
{
    return n->library == v->set.plan->library_count;
}

bool view_is_object(const struct view *v, uint32_t file)
{
    return !is_text(v, &v->names.name[file]);
}

const char *view_name(const struct view *v, uint32_t file)
{
    return v->names.name[file].name;
}

bool view_knows_size(struct view *v, uint32_t file, uint64_t *size)
{
    const struct view_name *n = &v->names.name[file];
    if (is_text(v, n) && n->which == TEXT_DRIVER) {
        *size = driver_py_size;
        return true;
    }
    pthread_mutex_lock(&v->lock);
    const bool known = is_text(v, n) ? v->text[n->which].sized : v->entry[n->library].known >= KNOWN_SIZES;
    if (known)
        *size = is_text(v, n) ? v->text[n->which].size : v->set.library[n->library].file[n->which].size;
    pthread_mutex_unlock(&v->lock);
    return known;
}

bool view_size(struct view *v, uint32_t file, const struct view_stop *stop, uint64_t *size, struct error *e)
{
    const struct view_name *n = &v->names.name[file];
    if (view_knows_size(v, file, size))
        return true;
    pthread_mutex_lock(&v->lock);
    const bool ok =
        is_text(v, n) ? bring_text(v, (enum text_id)n->which, true, stop, e) : bring(v, n->library, KNOWN_SIZES, e);
    pthread_mutex_unlock(&v->lock);
    return ok && view_knows_size(v, file, size);
}

static uint64_t copy(void *to, uint64_t size, const void *from, uint64_t all, uint64_t offset)
{
    if (offset >= all)
        return 0;
    const uint64_t part = size < all - offset ? size : all - offset;
    memcpy(to, (const uint8_t *)from + offset, part);
    return part;
}

static bool read_text(struct view *v, enum text_id id, const struct view_stop *stop, void *bytes, uint64_t size,
                      uint64_t offset, uint64_t *got, struct error *e)
{
    if (id == TEXT_DRIVER) {
        *got = copy(bytes, size, driver_py, driver_py_size, offset);
        return true;
    }
    pthread_mutex_lock(&v->lock);
    const bool ok = bring_text(v, id, false, stop, e);
    pthread_mutex_unlock(&v->lock);
    if (ok) /* it stays as it is */
        *got = copy(bytes, size, v->text[id].bytes.data, v->text[id].bytes.size, offset);
    return ok;
}

bool view_read(struct view *v, uint32_t file, const struct view_stop *stop, void *bytes, uint64_t size, uint64_t offset,
               uint64_t *got, struct error *e)
{
    const struct view_name *n = &v->names.name[file];
    *got = 0;
    if (is_text(v, n))
        return read_text(v, (enum text_id)n->which, stop, bytes, size, offset, got, e);
    pthread_mutex_lock(&v->lock);
    struct image *image = bring(v, n->library, KNOWN_IMAGE, e) ? images_take(&v->images, n->library) : NULL;
    pthread_mutex_unlock(&v->lock);
    if (!image)
        return false;
    const uint64_t at = image->at[n->which];
    *got = copy(bytes, size, images_bytes(image) + at, image->at[n->which + 1] - at, offset);
    pthread_mutex_lock(&v->lock);
    images_give(&v->images, image);
    pthread_mutex_unlock(&v->lock);
    return true;
}

/* --- the whole ------------------------------------------------------------------------- */

struct view_counts view_counts(struct view *v)
{
    pthread_mutex_lock(&v->lock);
    struct view_counts counts = v->counts;
    counts.images = v->images.peak;
    pthread_mutex_unlock(&v->lock);
    return counts;
}

static bool start(struct view *v, uint64_t cache, unsigned threads, struct error *e)
{
    const uint32_t count = v->set.plan->library_count;
    v->entry = calloc(count, sizeof *v->entry);
    if (!builders_start(&v->builders, threads, e))
        return false;
    v->idle = calloc(v->builders.count, sizeof(struct builder *));
    if (!v->entry || !v->idle || !images_start(&v->images, count, cache))
        return error_set(e, ERROR_MEMORY, "out of memory for a set of %u libraries", count);
    if (!make_start(&v->set, e))
        return false;
    for (unsigned i = v->builders.count; i--;)
        v->idle[v->idles++] = &v->builders.of[i];
    return true;
}

struct view *view_open(const struct plan *plan, const struct stock *stock, uint64_t cache, unsigned threads,
                       struct error *e)
{
    struct view *v = calloc(1, sizeof *v);
    if (!v) {
        error_set(e, ERROR_MEMORY, "out of memory");
        return NULL;
    }
    v->stock = stock;
    v->set.plan = plan;
    pthread_mutex_init(&v->lock, NULL);
    pthread_cond_init(&v->changed, NULL);
    if (start(v, cache, threads, e) && name_all(v, e))
        return v;
    view_free(v);
    return NULL;
}

void view_free(struct view *v)
{
    if (!v)
        return;
    set_free(&v->set);
    builders_free(&v->builders);
    for (unsigned i = 0; i < TEXTS; i++)
        free(v->text[i].bytes.data);
    images_free(&v->images);
    free(v->idle);
    free(v->entry);
    view_names_free(&v->names);
    pthread_mutex_destroy(&v->lock);
    pthread_cond_destroy(&v->changed);
    free(v);
}
