/* See json_file.h. */
#include "base/json_file.h"

#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/whole.h"

enum { DEPTH_MOST = 16 };

/* Whether json-c's tree of the text may take more than `most` bytes. Each comma counts as one more member, and each
 * object or list as a table, whatever it holds. */
static bool is_too_heavy(const char *text, size_t size, size_t most)
{
    enum { OBJECT = 900, LIST = 400, MEMBER = 160 };
    size_t weight = 0;
    for (size_t i = 0; i < size; i++)
        weight += text[i] == '{' ? OBJECT : text[i] == '[' ? LIST : text[i] == ',' ? MEMBER : 1;
    return weight > most;
}

static bool fail_memory(const struct json_file_limits *limits, struct error *e)
{
    return error_set(e, ERROR_MEMORY, "there is no memory left for %s", limits->what);
}

struct json_object *json_file_parse(const char *text, size_t size, const struct json_file_limits *limits,
                                    struct error *e)
{
    if (size > limits->bytes || is_too_heavy(text, size, limits->weight)) {
        error_set(e, ERROR_INPUT, "is larger than %s that this program reads", limits->what);
        return NULL;
    }
    struct json_tokener *tokener = json_tokener_new_ex(DEPTH_MOST);
    if (!tokener) {
        fail_memory(limits, e);
        return NULL;
    }
    json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
    json_object *top = json_tokener_parse_ex(tokener, text, (int)size);
    const enum json_tokener_error status = json_tokener_get_error(tokener);
    json_tokener_free(tokener);
    if (status == json_tokener_success && json_object_is_type(top, json_type_object))
        return top;
    if (status == json_tokener_continue)
        error_set(e, ERROR_INPUT, "ends in the middle; is it a file that was cut off?");
    else if (status != json_tokener_success)
        error_set(e, ERROR_INPUT, "is not JSON: %s", json_tokener_error_desc(status));
    else
        error_set(e, ERROR_INPUT, "is not what %s has written", limits->made);
    json_object_put(top);
    return NULL;
}

/* Reads the whole file, or more than limits->bytes bytes of a larger one. The caller frees the text. NULL with the
 * error filled. */
static char *read_all(int fd, const struct json_file_limits *limits, size_t *size, struct error *e)
{
    char *text = whole_read_most(fd, limits->bytes + 1, size);
    if (!text && errno == ENOMEM)
        fail_memory(limits, e);
    else if (!text)
        error_errno(e, NULL, "cannot be read");
    return text;
}

char *json_file_text(const char *path, const struct json_file_limits *limits, size_t *size, struct error *e)
{
    /* Opening a pipe must not block. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0) {
        error_errno(e, path, "cannot be read");
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    const bool regular = S_ISREG(st.st_mode) || error_set(e, ERROR_INPUT, "is not a regular file");
    char *text = regular ? read_all(fd, limits, size, e) : NULL;
    close(fd);
    if (!text)
        error_at(e, path, 0);
    return text;
}

struct json_object *json_file_read(const char *path, const struct json_file_limits *limits, struct error *e)
{
    size_t size;
    char *text = json_file_text(path, limits, &size, e);
    json_object *top = text ? json_file_parse(text, size, limits, e) : NULL;
    free(text);
    if (text && !top)
        error_at(e, path, 0);
    return top;
}
