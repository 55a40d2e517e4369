/* Whether a file already has the wanted contents: then it can be left alone, and keeps
 * its modification time. Where it lacks permissions of the mode that it is to have, it gets these.
 */
#ifndef BASE_SAME_H
#define BASE_SAME_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Whether `name` in the directory open as `directory` is a regular file that consists of
 * these bytes, and has `mode`. What cannot be read, or is a symbolic link, is not. */
bool same_bytes(int directory, const char *name, mode_t mode, const void *bytes, uint64_t size);

/* same_bytes in pieces. same_open returns a descriptor, to be closed, if `name` is a regular file of `size` bytes, or
 * -1; same_piece is whether these bytes are at `offset` of it, and same_mode, which comes last, whether it has `mode`.
 */
int same_open(int directory, const char *name, uint64_t size);
bool same_piece(int fd, const void *bytes, uint64_t size, uint64_t offset);
bool same_mode(int fd, mode_t mode);

/* Whether it has the bytes and the mode of the file open as `fd`. */
bool same_file(int directory, const char *name, int fd);

#endif
