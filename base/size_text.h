/* Sizes as profiles and options write them: "12.5 MB". */
#ifndef BASE_SIZE_TEXT_H
#define BASE_SIZE_TEXT_H

#include <stdint.h>

enum {
    SIZE_TEXT_ROOM = 48, /* bytes for a text of size_text_write */
};

/* The most that a size may be: 1 PiB. */
#define SIZE_TEXT_MOST (UINT64_C(1) << 50)

/* The units, for messages. */
#define SIZE_TEXT_UNITS "B, kB, MB, GB, KiB, MiB or GiB"

enum size_text {
    SIZE_TEXT_RIGHT,
    SIZE_TEXT_NEGATIVE,
    SIZE_TEXT_NONE,     /* no digits, a unit or not */
    SIZE_TEXT_NO_UNIT,  /* 0 needs none */
    SIZE_TEXT_UNKNOWN,  /* unit */
    SIZE_TEXT_FRACTION, /* no whole number of bytes */
    SIZE_TEXT_LARGE,    /* more than SIZE_TEXT_MOST */
};

/* WHOLE[.FRACTION][ ]UNIT, or what is wrong with it. By integer arithmetic: the same text is the same number of bytes
 * on every machine and in every locale. *bytes is 0 where it is not right. */
enum size_text size_text_read(const char *text, uint64_t *bytes);

/* In the largest decimal unit that needs at most one decimal. */
void size_text_write(uint64_t bytes, char text[SIZE_TEXT_ROOM]);

#endif
