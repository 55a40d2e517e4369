/* Chooses how long the names of classes are, in libraries with rows whose functions have mangled names.
 *
 * The eight methods of a class share its name, but the rest of each method's name has a length of its own. Each class
 * gets as many letters as make the names of all functions most like those that the row says. Wanted lengths that are
 * too short for functions are left to other names: of objects and of functions that are not numbered.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "emit/plan/names_row.h"
#include "emit/solve/rows_lengths.h"

enum {
    LETTERS_LEAST = 2,
    LETTERS_MOST = MANGLE_CLASS_MOST - MANGLE_NUMBER_MOST - 64,
    LENGTHS = 1024, /* longer names count as so long */
    PASSES = 4,
    OTHERS_MOST = 1 << 20,   /* symbols that are no functions: the lengths of more say nothing new */
    UNDEFINED_ESTIMATE = 20, /* characters of an undefined name */
};

/* rest: lengths of functions' names without their classes' letters. more: how many more names there are up to each
 * length than are wanted. */
struct fitting {
    uint32_t *rest;
    uint32_t functions;
    int64_t more[LENGTHS + 1];
};

/* Average characters of the names of dynamic functions and objects, as the row wants them; 0 where it does not say. */
static uint64_t dynamic_average(const struct plan_library *l)
{
    const struct profile_row *row = l->said;
    const uint64_t defined = rows_value_or(row, ROW_DYNAMIC_FUNCTIONS, 0) + rows_value_or(row, ROW_DYNAMIC_OBJECTS, 0);
    const uint64_t undefined = rows_value_or(row, ROW_DYNAMIC_UNDEFINED, 0) * (UNDEFINED_ESTIMATE + 1);
    const uint64_t bytes = lengths_spare(rows_value_or(row, ROW_DYNAMIC_DYNSTR, 0), undefined);
    return defined ? lengths_spare(bytes / defined, 1) : 0;
}

/* Draws as many lengths as there are functions, out of those wanted lengths of the library that functions' names can
 * have: `least` or more. False when memory ran out. */
static bool draw_wanted(const struct plan *plan, const struct plan_library *l, uint32_t functions, uint32_t least,
                        uint32_t *wanted)
{
    const uint64_t symbols = (uint64_t)l->said->value[ROW_SYMTAB] / sizeof(Elf64_Sym);
    const uint32_t names = functions + (uint32_t)lengths_smaller(lengths_spare(symbols, functions), OTHERS_MOST);
    uint32_t *all = malloc((names + (size_t)1) * sizeof *all);
    uint32_t first = 0;
    if (!all)
        return false;
    (void)lengths_draw(plan, l, names, all);
    while (first < names - functions && all[first] < least)
        first++;
    const uint64_t average = dynamic_average(l);
    lengths_take_near(all + first, names - first, average ? average * functions : UINT64_MAX, functions, wanted);
    free(all);
    return true;
}

static uint32_t place_of(uint32_t length)
{
    return length < LENGTHS ? length : LENGTHS;
}

/* The first entry of `more` that counts the function if its class has so many letters. */
static uint32_t place_with(const struct fitting *f, uint32_t function, uint32_t letters)
{
    const uint32_t length = letters + names_digits(function / MANGLE_METHODS);
    return place_of(f->rest[function] + length + names_digits(length));
}

static uint32_t class_end(const struct fitting *f, uint32_t class)
{
    return (uint32_t)lengths_smaller((class + UINT64_C(1)) * MANGLE_METHODS, f->functions);
}

/* Changes a class's letters. Returns how much larger the sum of the squares of `more` becomes. */
static int64_t change_class(struct fitting *f, uint32_t class, uint32_t from, uint32_t to)
{
    int64_t gain = 0;
    for (uint32_t i = class * MANGLE_METHODS; i < class_end(f, class); i++) {
        const uint32_t old = place_with(f, i, from);
        const uint32_t new = place_with(f, i, to);
        const int by = new < old ? 1 : -1;
        for (uint32_t at = new < old ? new : old; at < (new < old ? old : new); at++) {
            gain += 2 * by * f->more[at] + 1;
            f->more[at] += by;
        }
    }
    return gain;
}

/* Changes a class's letters to the number, of some tried, with which names are most as they are wanted. Whether that is
 * another number. */
static bool improve(struct fitting *f, uint32_t class, uint16_t *letters)
{
    static const int steps[] = {-32, -8, -3, -1, 1, 3, 8, 32};
    int64_t least = 0;
    uint16_t best = *letters;
    for (unsigned i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        const int other = *letters + steps[i];
        if (other < LETTERS_LEAST || other > LETTERS_MOST)
            continue;
        const int64_t gain = change_class(f, class, *letters, (uint32_t)other);
        change_class(f, class, (uint32_t)other, *letters);
        if (gain < least) {
            least = gain;
            best = (uint16_t)other;
        }
    }
    const bool better = best != *letters;
    change_class(f, class, *letters, best);
    *letters = best;
    return better;
}

/* Begins with as many letters as make a class's first name as long as some wanted name, taken at random. Sets f->more.
 */
static void begin(const struct plan_library *l, struct fitting *f, const uint32_t *wanted)
{
    for (uint32_t i = 0; i < f->functions; i++)
        f->more[place_of(wanted[i])]--;
    for (uint32_t class = 0; class < l->names.classes; class ++) {
        const uint32_t any =
            random_below(random_at(plan_key(l, PURPOSE_CLASSES), UINT64_C(1) << 32 | class), f->functions);
        const uint32_t first = class * MANGLE_METHODS < f->functions ? class * MANGLE_METHODS : 0;
        const uint64_t letters = lengths_spare(wanted[any], f->rest[first] + UINT64_C(2) + names_digits(class));
        l->names.class_letters[class] = (uint16_t)(letters < LETTERS_LEAST  ? LETTERS_LEAST
                                                   : letters > LETTERS_MOST ? LETTERS_MOST
                                                                            : letters);
        for (uint32_t i = class * MANGLE_METHODS; i < class_end(f, class); i++)
            f->more[place_with(f, i, l->names.class_letters[class])]++;
    }
    for (uint32_t at = 1; at <= LENGTHS; at++)
        f->more[at] += f->more[at - 1];
}

/* Sets f->rest: the characters of each name without its class and that one's length. Returns the least of them. */
static uint32_t measure(const struct plan *plan, const struct plan_library *l, struct fitting *f)
{
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < f->functions; i++) {
        const struct function own = plan_function(l, i);
        const uint32_t class = mangle_class_length(plan->names.letters, l, i / MANGLE_METHODS);
        f->rest[i] = mangle_length(plan->names.letters, l, i, &own) - class - names_digits(class);
        least = f->rest[i] < least ? f->rest[i] : least;
    }
    return least;
}

bool rows_choose_classes(const struct plan *plan, struct plan_library *l, const struct want *w)
{
    const uint32_t numbered = w->functions > w->small ? w->functions - w->small : 0;
    if (!names_are_mangled(&plan->names, l) || l->stripped || !numbered ||
        numbered > (uint64_t)l->said->value[ROW_SYMTAB] / sizeof(Elf64_Sym) || /* .symtab has no room for them */
        l->said->value[ROW_TEXT] == PROFILE_DERIVED || !l->said->text[ROW_TEXT_NAME_LENGTHS])
        return true;
    struct fitting *f = calloc(1, sizeof *f);
    uint32_t *wanted = malloc(numbered * sizeof *wanted);
    const uint32_t classes = w->functions / MANGLE_METHODS + 1; /* the most that there can be */
    uint16_t *letters = malloc(classes * sizeof *letters);
    if (f)
        *f = (struct fitting){.rest = malloc(numbered * sizeof *f->rest), .functions = numbered};
    bool ok = f && f->rest && wanted && letters;
    ok = ok && draw_wanted(plan, l, numbered, measure(plan, l, f) + LETTERS_LEAST + 2, wanted);
    if (ok) {
        l->names.class_letters = letters;
        l->names.classes = classes;
        begin(l, f, wanted);
        bool better = true;
        for (unsigned pass = 0; pass < PASSES && better; pass++) {
            better = false;
            for (uint32_t class = 0; class < classes; class ++)
                better |= improve(f, class, &l->names.class_letters[class]);
        }
    } else {
        free(letters);
    }
    free(f ? f->rest : NULL);
    free(f);
    free(wanted);
    return ok;
}
