/* Compares a set with its manifest: every file there, of its size and digest,
 * and no library besides. */
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/workers.h"
#include "emit/set.h"

enum { MANIFEST_MOST = 1 << 28, READ_SLICE = 1 << 18 };

/* A set that is being verified. */
struct check {
    const char *path;
    int directory;
    struct json_object *libraries;
    struct progress *progress;
    unsigned char *buffers; /* READ_SLICE for each thread */
};

static bool broken(const char *path, const char *what, struct error *e)
{
    char file[600];
    snprintf(file, sizeof file, "%s/manifest.json", path);
    error_set(e, ERROR_INPUT, "%s; generate the set again", what);
    return error_at(e, file, 0);
}

static void mismatch(struct error *e, const char *path, const char *what)
{
    error_set(e, ERROR_MISMATCH, "%s", what);
    error_at(e, path, 0);
}

static char *read_manifest(const struct check *c, struct error *e)
{
    char file[600];
    snprintf(file, sizeof file, "%s/manifest.json", c->path);
    int fd = openat(c->directory, "manifest.json", O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (fd < 0) {
        if (errno == ENOENT) {
            error_set(e, ERROR_INPUT, "there is no manifest.json: not a set, or one that was not finished; generate it "
                                      "with pyelfgen");
            error_at(e, c->path, 0);
        } else {
            error_errno(e, file, "cannot open the file");
        }
        return NULL;
    }
    struct stat st;
    char *text = NULL;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > MANIFEST_MOST) {
        broken(c->path, "is not a regular file of a manifest's size", e);
    } else if (!(text = malloc((size_t)st.st_size + 1))) {
        error_set(e, ERROR_MEMORY, "out of memory for the manifest");
    } else {
        size_t size = 0;
        ssize_t n;
        while (size < (size_t)st.st_size && (n = read(fd, text + size, (size_t)st.st_size - size)) > 0)
            size += (size_t)n;
        text[size] = '\0';
    }
    close(fd);
    return text;
}

/* A digest's 32 hexadecimal digits. */
static bool parse_digest(const char *text, uint64_t digest[2])
{
    if (!text || strlen(text) != 32 || strspn(text, "0123456789abcdef") != 32)
        return false;
    char half[17] = {0};
    memcpy(half, text, 16);
    digest[0] = strtoull(half, NULL, 16);
    memcpy(half, text + 16, 16);
    digest[1] = strtoull(half, NULL, 16);
    return true;
}

/* Reads the whole file; false only where the system refuses. */
static bool digest_file(int fd, unsigned char *buffer, uint64_t *size, uint64_t digest[2])
{
    XXH3_state_t *state = XXH3_createState();
    if (!state)
        return false;
    XXH3_128bits_reset(state);
    ssize_t n;
    *size = 0;
    while ((n = read(fd, buffer, READ_SLICE)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            break;
        XXH3_128bits_update(state, buffer, (size_t)n);
        *size += (uint64_t)n;
    }
    XXH128_hash_t h = XXH3_128bits_digest(state);
    XXH3_freeState(state);
    digest[0] = h.high64;
    digest[1] = h.low64;
    return n == 0;
}

static bool check_library(void *context, unsigned worker, uint32_t index, struct error *e)
{
    const struct check *c = context;
    const struct json_object *row = json_object_array_get_idx(c->libraries, index);
    struct json_object *member = NULL;
    const char *name = NULL;
    uint64_t wanted[2];
    if (json_object_object_get_ex(row, "name", &member) && json_object_is_type(member, json_type_string))
        name = json_object_get_string(member);
    if (!name || !*name || strchr(name, '/') || strlen(name) > 255 || name[0] == '.')
        return broken(c->path, "a library's name is missing or unusable", e);
    if (!json_object_object_get_ex(row, "xxh3-128", &member) || !parse_digest(json_object_get_string(member), wanted))
        return broken(c->path, "a library's xxh3-128 is missing or broken", e);
    int64_t file = json_object_object_get_ex(row, "file", &member) ? json_object_get_int64(member) : -1;
    char path[900];
    snprintf(path, sizeof path, "%s/%s", c->path, name);
    int fd = openat(c->directory, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return error_errno(e, path, "cannot open the library");
    struct stat st;
    uint64_t size = 0;
    uint64_t digest[2];
    bool ok = false;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        mismatch(e, path, "is not a regular file; generate the set again");
    else if (!digest_file(fd, c->buffers + (size_t)worker * READ_SLICE, &size, digest))
        error_errno(e, path, "cannot read the library");
    else if (file < 0 || size != (uint64_t)file)
        mismatch(e, path, "its length is not the manifest's; generate the set again with --force");
    else if (digest[0] != wanted[0] || digest[1] != wanted[1])
        mismatch(e, path, "is not what was generated: its XXH3-128 differs from the manifest's; generate the set again "
                          "with --force");
    else
        ok = true;
    close(fd);
    if (ok)
        progress_step(c->progress);
    return ok;
}

static bool check_manifest(struct check *c, const char *text, unsigned threads, struct error *e)
{
    struct json_object *root = json_tokener_parse(text);
    if (!root)
        return broken(c->path, "is not JSON", e);
    struct json_object *version = NULL;
    bool ok = false;
    if (!json_object_object_get_ex(root, "pyelfgen-manifest", &version) || json_object_get_int(version) != 1)
        broken(c->path, "is no manifest of version 1", e);
    else if (!json_object_object_get_ex(root, "libraries", &c->libraries) ||
             !json_object_is_type(c->libraries, json_type_array) || json_object_array_length(c->libraries) == 0)
        broken(c->path, "has no list of libraries", e);
    else {
        c->progress->total = (uint32_t)json_object_array_length(c->libraries);
        ok = workers_run(threads, c->progress->total, check_library, c, e);
    }
    json_object_put(root);
    return ok;
}

bool set_verify(const char *path, unsigned threads, struct progress *progress, struct error *e)
{
    struct check c = {.path = path, .progress = progress};
    c.directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (c.directory < 0)
        return error_errno(e, path, "cannot open the set");
    bool ok = false;
    char *text = read_manifest(&c, e);
    c.buffers = malloc((size_t)WORKERS_MOST * READ_SLICE);
    if (text && !c.buffers)
        error_set(e, ERROR_MEMORY, "out of memory for reading the set");
    else if (text)
        ok = check_manifest(&c, text, threads, e);
    free(c.buffers);
    free(text);
    close(c.directory);
    return ok;
}
