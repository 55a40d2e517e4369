/* The words that a captured profile may have as values besides numbers: those of DWARF, as libdwarf calls them, and
 * those for what was captured.
 *
 * pyelfprof writes no other word, and pyelfgen accepts no other. So only the values of `application` and `name` can
 * contain words of the application. Words of later versions of DWARF have to be added here.
 */
#ifndef BASE_PROFILE_WORDS_H
#define BASE_PROFILE_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* A capture of more libraries than this leaves out counts that are usual (docs/capture.md). Rows may have been taken
 * out since, so the number that counts is that of `captured: libraries`. */
enum { PROFILE_WORDS_FEW_LIBRARIES = 200 };

enum profile_words {
    PROFILE_WORDS_TAGS, /* "pointer_type"; and `others`, which counts what has no word */
    PROFILE_WORDS_FORMS,
    PROFILE_WORDS_ATTRIBUTES,
    PROFILE_WORDS_LANGUAGES, /* "c", "c++", "fortran08", and `other` */
    PROFILE_WORDS_KINDS
};

/* Whether the first `length` bytes of `text` are one of these words. */
bool profile_words_have(enum profile_words kind, const char *text, size_t length);

#endif
