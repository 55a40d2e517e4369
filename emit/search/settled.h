/* What is found when a profile with rows is searched for, kept in the profile itself, so that whoever gets it need not
 * search again.
 *
 * A set with rows is composed several times before it is written: until headers and blocks are made as the
 * application's tags say (prepare.c), and until each library has as many rows and entries as its row says (mix.h). What
 * that ends with is a few numbers: the manners, and the mix of each library. `settled` in a profile has these, and the
 * digest of what they are for: the rest of the profile, and this version of pyelfgen. Where that is the same, the same
 * set is made without a search; otherwise they are not looked at.
 *
 * Like everything in a profile the numbers may come from anywhere. They are in range once they have been read, so that
 * a library is either made with them or has no room, which is an error. Numbers that were altered make another set, of
 * the same digest.
 */
#ifndef EMIT_SEARCH_SETTLED_H
#define EMIT_SEARCH_SETTLED_H

#include "emit/plan/plan.h"
#include "emit/stock/profile_manner.h"

/* Sets *is_for to whether the profile has what was found for it by this version. */
bool settled_is_for(const struct profile *profile, bool *is_for, struct error *e);

/* Reads the manners, and whether libraries need not have as many attributes as their rows say (plan.any_attributes). */
bool settled_read_manners(const struct profile *profile, struct manners *manners, bool *any_attributes,
                          struct error *e);

/* Reads what is found for all libraries into plan->mix, unless that is NULL, and plan->taste. They are settled then. */
bool settled_read_libraries(struct plan *plan, struct error *e);

/* Begins to keep, in plan->taste, what libraries are filled with when they are made. */
bool settled_keep(struct plan *plan, struct error *e);

/* Whether what is found for the profile can be kept. Otherwise `e` says why not. */
bool settled_can_be_kept(const struct profile *profile, struct error *e);

/* Whether settled_save can add something to the text of the profile that is found under `name`. */
bool settled_can_be_added(const char *name, struct error *e);

/* Writes the profile that was found under `name` once more, to `path`, with these manners and what is found for the
 * plan's libraries as `settled`. The rest of the text stays as it is. All libraries must have been made, and what they
 * are filled with kept. Writes as base/result_file.h does. */
bool settled_save(const struct plan *plan, const struct manners *manners, const char *name, const char *path,
                  struct error *e);

#endif
