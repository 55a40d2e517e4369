/* Sizes as profiles and options write them: "12.5 MB". */
#ifndef BASE_SIZE_TEXT_H
#define BASE_SIZE_TEXT_H

#include <stdint.h>

enum {
    SIZE_TEXT_ROOM = 48, /* bytes for a text of size_text_write */
};

/* The largest size: 1 PiB. */
#define SIZE_TEXT_MOST (UINT64_C(1) << 50)

/* The units, for messages. */
#define SIZE_TEXT_UNITS "B, kB, MB, GB, KiB, MiB or GiB"

enum size_text {
    SIZE_TEXT_RIGHT,
    SIZE_TEXT_NEGATIVE,
    SIZE_TEXT_NONE,     /* no digits, with or without a unit */
    SIZE_TEXT_NO_UNIT,  /* 0 needs none */
    SIZE_TEXT_UNKNOWN,  /* the unit is unknown */
    SIZE_TEXT_FRACTION, /* not a whole number of bytes */
    SIZE_TEXT_LARGE,    /* more than SIZE_TEXT_MOST */
};

/* Reads WHOLE[.FRACTION][ ]UNIT, or tells what is wrong with it; *bytes is 0 then. All arithmetic is on integers, so a
 * text means the same number of bytes on every machine and in every locale. */
enum size_text size_text_read(const char *text, uint64_t *bytes);

/* Writes a size in the largest decimal unit in which it needs at most one decimal. */
void size_text_write(uint64_t bytes, char text[SIZE_TEXT_ROOM]);

#endif
