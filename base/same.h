/* Whether a file already has the wanted contents. Then it can be left alone, and keeps its modification time. If it
 * lacks permissions of the wanted mode, these are added. And whether two paths lead to one file. */
#ifndef BASE_SAME_H
#define BASE_SAME_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Whether `name` in the directory open as `directory` is a regular file of exactly these bytes, with the permissions of
 * `mode`. False for a symbolic link and for a file that cannot be read. */
bool same_bytes(int directory, const char *name, mode_t mode, const void *bytes, uint64_t size);

/* same_bytes in pieces. same_open returns a descriptor, which the caller closes, if `name` is a regular file of `size`
 * bytes; else -1. same_piece tells whether these bytes are at `offset` of it. same_mode comes last and tells whether it
 * has `mode`. */
int same_open(int directory, const char *name, uint64_t size);
bool same_piece(int fd, const void *bytes, uint64_t size, uint64_t offset);
bool same_mode(int fd, mode_t mode);

/* Whether `name` has the bytes and the mode of the file open as `fd`. */
bool same_file(int directory, const char *name, int fd);

/* Whether both paths lead to one file, by whatever links and mounts. False where there is none at one of them. */
bool same_place(const char *a, const char *b);

#endif
