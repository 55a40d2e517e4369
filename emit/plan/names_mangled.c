/* Mangling for libraries with rows; see names_mangled.h. */
#include "emit/plan/names_mangled.h"

#include <assert.h>
#include <string.h>

#include "base/bytes.h"
#include "base/demangle.h"
#include "emit/plan/names_parts.h"

/* A long name consists of the library's namespace, a class with the symbol's number, classes within that class, and
 * the symbol's own words. These are the sizes of the parts. */
enum {
    WORDS_LEAST = 5, /* characters of a component's words, without the number before them */
    WORDS_KINDS = 9, /* different lengths, from the least on */
    COMPONENT_MOST = 2 + WORDS_LEAST + WORDS_KINDS - 1,
    LAST_LEAST = 4,
    LAST_ROOM = LAST_LEAST + 4, /* room for the last words with their number, whatever number it is */
    CLASSES_MOST = 20           /* the most that parameters refer to */
};

/* Parameters are of four kinds: a reference to a constant object of a class S_::words<S0_, ...>, a template of the
 * library's namespace with arguments that are classes in the name; a reference to a constant object of the innermost
 * class; a type that the name has already; or a letter. */
#define REFERENCE       "RK"
#define TEMPLATE_BEGINS "RKNS_"
#define REFERENCE_SHOWN 7 /* " const&" */
#define SEPARATOR_SHOWN 2 /* ", " and "::" */
enum {
    TYPES_MOST = 4,
    TEMPLATES_MOST = 8, /* the most different ones in a name */
    TEMPLATE_ADDS = 4,  /* further types that can be named by number: template, instance, constant, reference */
    REFERENCE_ADDS = 2,
    AGAIN = 5, /* one in so many parameters is of a new type; the others are of types that the name has already */
    LETTERS_MOST = 6
};

struct letter {
    char code;
    uint8_t shown;
};

/* `bool`, `char`, `double`, `float`, `int`, `unsigned int`, `long`, `unsigned long` */
static const struct letter letters[] = {{'b', 4}, {'c', 4},  {'d', 6}, {'f', 5},
                                        {'i', 3}, {'j', 12}, {'l', 4}, {'m', 13}};
enum { LETTER_INT = 4, LETTERS = sizeof letters / sizeof letters[0] };

/* What stands before an object's name: a table of virtual functions, information on a type, and the name of a type. */
static const struct {
    char code[3];
    uint8_t shown;
} specials[] = {{"", 0},
                {"TV", sizeof "vtable for " - 1},
                {"TI", sizeof "typeinfo for " - 1},
                {"TS", sizeof "typeinfo name for " - 1}};
enum { SPECIALS = sizeof specials / sizeof specials[0], SPECIAL = 2 /* characters */ };

/* The part of a name that is written so far. */
struct spelling {
    uint8_t *at;
    bool counts;       /* whether only what debuggers show is asked for; then words have any characters */
    uint32_t shown;    /* characters that debuggers show for it */
    uint32_t classes;  /* in the name, the library's namespace included */
    uint32_t numbered; /* types that can be named by number (5.1.10) */
    uint16_t class_shown[CLASSES_MOST];
};

static uint32_t prefix_length(const struct plan_library *l)
{
    const uint32_t prefix = (uint32_t)strlen(l->prefix);
    return (uint32_t)(sizeof "_ZN" - 1) + names_digits(prefix) + prefix;
}

uint32_t names_mangled_least(const struct plan_library *l, uint32_t name, bool function)
{
    return prefix_length(l) + names_digits(name) + name + 1 + function; /* 'E', and 'v' behind it in a function */
}

static void put(struct spelling *s, const char *text)
{
    s->at = put_bytes(s->at, text, strlen(text));
}

/* Writes words of `length` characters, with that number before them. */
static void put_words(struct spelling *s, uint64_t key, uint32_t length)
{
    s->at = names_put_number(s->at, length);
    if (!s->counts)
        words_camel_case(key, length, (char *)s->at);
    s->at += length;
}

/* The same where the words end in the number of a place. */
static void put_numbered(struct spelling *s, const struct plan_library *l, uint32_t place, uint32_t length)
{
    s->at = names_put_number(s->at, length);
    if (!s->counts)
        names_put_numbered(l, place, length, s->at);
    s->at += length;
}

/* From here on, the name as it is now can be referred to as a class. */
static void count_class(struct spelling *s)
{
    if (s->classes < CLASSES_MOST)
        s->class_shown[s->classes] = (uint16_t)s->shown;
    s->classes++;
    s->numbered++;
}

/* How many classes parameters may refer to, the library's namespace included. */
static uint32_t known_classes(const struct spelling *s)
{
    return s->classes < CLASSES_MOST ? s->classes : CLASSES_MOST;
}

/* Characters of a reference to what is named by number, from 0 on: S_, S0_ to SZ_, S10_ and so on. */
static uint32_t reference_length(uint32_t number)
{
    enum { BASE = 36 };
    return number == 0 ? 2 : number <= BASE ? 3 : 4;
}

static void put_reference(struct spelling *s, uint32_t number)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    enum { BASE = sizeof digits - 1 };
    assert(number <= BASE * BASE);
    s->at = put_u8(s->at, 'S');
    if (number > BASE)
        s->at = put_u8(s->at, (uint8_t)digits[(number - 1) / BASE]);
    if (number)
        s->at = put_u8(s->at, (uint8_t)digits[(number - 1) % BASE]);
    s->at = put_u8(s->at, '_');
}

/* --- parameters ------------------------------------------------------------------------- */

/* Types of parameters that were written and may be written again. */
struct parameters {
    uint32_t number[TEMPLATES_MOST + 1];
    uint32_t shown[TEMPLATES_MOST + 1];
    uint32_t count;
    bool of_class;
};

static void remember(struct parameters *p, uint32_t number, uint32_t shown)
{
    if (p->count == TEMPLATES_MOST + 1)
        return;
    p->number[p->count] = number;
    p->shown[p->count++] = shown;
}

/* Writes a parameter of a new type in at most `room` characters; false where it does not fit. */
static bool put_template(struct spelling *s, struct parameters *p, uint64_t key, uint32_t room)
{
    const uint32_t words = WORDS_LEAST + (uint32_t)random_below(key, WORDS_KINDS);
    const uint32_t types = 1 + (uint32_t)(key >> 8) % TYPES_MOST;
    const uint32_t known = known_classes(s);
    uint32_t class[TYPES_MOST];
    uint32_t length = (uint32_t)(sizeof TEMPLATE_BEGINS "IEE" - 1) + names_digits(words) + words;
    uint32_t shown = s->class_shown[0] + SEPARATOR_SHOWN + words + (uint32_t)sizeof "<>" - 1 + REFERENCE_SHOWN;
    for (uint32_t i = 0; i < types; i++) {
        class[i] = 1 + (uint32_t)(key >> (16 + 8 * i) & 255) % (known - 1);
        length += reference_length(class[i]);
        shown += s->class_shown[class[i]] + (i ? SEPARATOR_SHOWN : 0U);
    }
    if (length > room)
        return false;
    put(s, TEMPLATE_BEGINS);
    put_words(s, ~key, words);
    put(s, "I");
    for (uint32_t i = 0; i < types; i++)
        put_reference(s, class[i]);
    put(s, "EE");
    s->numbered += TEMPLATE_ADDS;
    s->shown += shown;
    remember(p, s->numbered - 1, shown);
    return true;
}

/* Writes a reference to a constant object of the innermost class; false where it does not fit, or was written
 * before. */
static bool put_of_class(struct spelling *s, struct parameters *p, uint32_t room)
{
    const uint32_t class = known_classes(s) - 1;
    const uint32_t shown = s->class_shown[class] + REFERENCE_SHOWN;
    if (p->of_class || sizeof REFERENCE - 1 + reference_length(class) > room)
        return false;
    put(s, REFERENCE);
    put_reference(s, class);
    s->numbered += REFERENCE_ADDS;
    s->shown += shown;
    remember(p, s->numbered - 1, shown);
    p->of_class = true;
    return true;
}

static bool put_again(struct spelling *s, const struct parameters *p, uint64_t key, uint32_t room)
{
    const uint32_t which = p->count ? (uint32_t)(key >> 48) % p->count : 0;
    if (!p->count || reference_length(p->number[which]) > room)
        return false;
    put_reference(s, p->number[which]);
    s->shown += p->shown[which];
    return true;
}

static void put_letter(struct spelling *s, uint64_t key)
{
    const struct letter *letter = &letters[random_below(key, LETTERS)];
    s->at = put_u8(s->at, (uint8_t)letter->code);
    s->shown += letter->shown;
}

/* Writes parameters of a function, or arguments of a template, in at most `room` characters; may use fewer. Where
 * the name has no class, all are letters. */
static void put_parameters(struct spelling *s, uint64_t key, uint32_t room)
{
    struct parameters p = {.count = 0};
    uint8_t *const end = s->at + room;
    uint32_t in_letters = 0;
    for (uint32_t i = 0; s->at < end; i++) {
        const uint64_t r = random_at(key, i);
        const uint32_t left = (uint32_t)(end - s->at);
        const bool again = p.count > TEMPLATES_MOST || (p.count && r % AGAIN);
        bool done = s->classes > 1 && ((again && put_again(s, &p, r, left)) || put_template(s, &p, r, left) ||
                                       put_of_class(s, &p, left) || put_again(s, &p, r, left));
        if (!done && in_letters++ == LETTERS_MOST)
            break;
        if (!done)
            put_letter(s, r);
        s->shown += i ? SEPARATOR_SHOWN : 0U;
    }
}

/* --- the name --------------------------------------------------------------------------- */

/* How many of `rest` characters parameters may take. This varies from name to name, also where their words do not. */
static uint32_t room_of_parameters(const struct plan_library *l, uint64_t key, uint32_t rest)
{
    enum { WHOLE = PLAN_ELABORATE_MOST + 1, VARIES = 256 };
    const uint32_t share = l->names.elaborate * (VARIES / 2 + (uint32_t)(key >> 32) % VARIES) / VARIES;
    const uint32_t rounding = (uint32_t)(key >> 16) % WHOLE;
    return (rest * (share < WHOLE - 1 ? share : WHOLE - 1) + rounding) / WHOLE;
}

/* Writes classes within the one with the symbol's number, as many as fit in `rest` characters beside the last words.
 * Returns the characters that remain. */
static uint32_t put_classes(struct spelling *s, uint64_t key, uint32_t rest)
{
    for (uint32_t i = 0; rest > LAST_LEAST + COMPONENT_MOST; i++) {
        const uint32_t words = WORDS_LEAST + random_below(random_at(~key, i), WORDS_KINDS);
        put_words(s, random_at(~key, i), words);
        s->shown += SEPARATOR_SHOWN + words;
        count_class(s);
        rest -= names_digits(words) + words;
    }
    return rest;
}

/* Writes the end of a function: its parameters. `more`: the words before them leave one character over, which one
 * more parameter takes. */
static void end_function(struct spelling *s, const uint8_t *parameters, uint32_t length, bool more)
{
    const uint32_t shown = letters[LETTER_INT].shown;
    put(s, "E");
    s->shown += (uint32_t)sizeof "()" - 1;
    if (length) {
        s->at = put_bytes(s->at, parameters, length);
        put(s, more ? "i" : "");
        s->shown += more ? SEPARATOR_SHOWN + shown : 0U;
    } else {
        put(s, more ? "ii" : "v");
        s->shown += more ? SEPARATOR_SHOWN + 2 * shown : 0U;
    }
}

/* Writes the end of an object: its arguments, if it is made from a template. `more`: no words with their number fill
 * what is left; then the object is a member "x" of what has the words. */
static void end_object(struct spelling *s, const uint8_t *arguments, uint32_t length, bool more)
{
    if (length) {
        put(s, "I");
        s->at = put_bytes(s->at, arguments, length);
        put(s, "E");
        s->shown += (uint32_t)sizeof "<>" - 1;
    }
    put(s, more ? "1xE" : "E");
    s->shown += more ? SEPARATOR_SHOWN + 1U : 0U;
}

/* Writes the name or, with `counts`, uses as many characters at `at` for anything. Returns what debuggers show. */
static uint32_t spell(const struct plan_library *l, uint32_t place, uint32_t length, bool function, bool counts,
                      uint8_t *at)
{
    uint8_t text[PROFILE_NAME_MOST];
    const uint64_t key = names_words_key(l, place);
    const uint32_t class = WORDS_LEAST + names_digits(place);
    const uint32_t own = class + names_digits(class);
    const uint32_t least = 1 + names_digits(place) + names_digits(1 + names_digits(place));
    const uint32_t prefix = (uint32_t)strlen(l->prefix);
    uint32_t rest = length - prefix_length(l) - 1; /* 'E' */
    const uint32_t special = function || rest < SPECIAL + own ? 0 : (uint32_t)(key >> 40) % SPECIALS;
    struct spelling s = {.at = at, .counts = counts};
    rest -= special ? SPECIAL : 0U;
    put(&s, "_Z");
    put(&s, specials[special].code);
    put(&s, "N");
    s.at = put_bytes(names_put_number(s.at, prefix), l->prefix, prefix);
    s.shown = prefix;
    count_class(&s);

    const uint32_t wanted = room_of_parameters(l, names_own_key(l, place), rest);
    const bool nested = rest > own + LAST_LEAST + COMPONENT_MOST || (wanted > 2 && rest > own + LAST_ROOM);
    const uint32_t most = nested ? rest - own - LAST_ROOM : rest - least;
    const uint32_t brackets = function ? 0 : 2; /* 'I', 'E' */
    const uint32_t room = wanted < most ? wanted : most;
    if (nested) {
        put_numbered(&s, l, place, class);
        s.shown += SEPARATOR_SHOWN + class;
        count_class(&s);
        rest = room + put_classes(&s, key, rest - room - own);
    }
    struct spelling parameters = {
        .at = text, .counts = counts, .classes = s.classes, .numbered = s.numbered + !function};
    memcpy(parameters.class_shown, s.class_shown, sizeof s.class_shown);
    put_parameters(&parameters, ~key, room > brackets ? room - brackets : 0);
    const uint32_t used = (uint32_t)(parameters.at - text);
    bool even;
    uint32_t name = names_within(rest - (used ? used + brackets : function), &even);
    name -= even || function ? 0 : 1;
    s.shown += SEPARATOR_SHOWN + name + parameters.shown;
    if (nested)
        put_words(&s, ~key, name);
    else
        put_numbered(&s, l, place, name);
    if (function)
        end_function(&s, text, used, !even);
    else
        end_object(&s, text, used, !even);
    assert(s.at == at + length);
    return length > DEMANGLE_NAME_MOST ? length : s.shown + specials[special].shown;
}

void names_mangled_write(const struct plan_library *l, uint32_t place, uint32_t length, bool function, uint8_t *at)
{
    (void)spell(l, place, length, function, false, at);
}

uint32_t names_mangled_shown(const struct plan_library *l, uint32_t place, uint32_t length, bool function)
{
    uint8_t name[PROFILE_NAME_MOST];
    return spell(l, place, length, function, true, name);
}
