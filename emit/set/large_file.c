/* See large_file.h. */
#include "emit/set/large_file.h"

#include <unistd.h>

#include "base/same.h"
#include "elf/write/output.h"
#include "emit/library/files.h"
#include "emit/library/large.h"
#include "emit/set/digest_pieces.h"

/* Where the pieces of the file go: into a new file, or into a comparison with one that is there. */
struct target {
    const struct output *output; /* the new file, or NULL */
    int there;
    const char *path; /* of the file that is there, for messages */
    bool differs;
    struct digest_pieces digest;
};

static bool put_piece(void *context, const void *bytes, uint64_t size, uint64_t offset, struct error *e)
{
    struct target *t = context;
    digest_pieces_add(&t->digest, bytes, size, offset);
    if (t->output)
        return output_write(t->output, bytes, size, offset, e);
    t->differs = !same_piece(t->there, bytes, size, offset);
    return !t->differs || error_set(e, ERROR_MISMATCH, "the file that is there is another");
}

static bool read_back(const void *context, void *bytes, uint64_t size, uint64_t offset, struct error *e)
{
    const struct target *t = context;
    const struct output there = {.fd = t->there, .path = t->path};
    return output_read(t->output ? t->output : &there, bytes, size, offset, e);
}

static bool go_through(struct builder *b, struct target *t, struct set_file *file, struct error *e)
{
    const struct layout *layout = &b->library.layout;
    struct window *w = &b->large->window;
    digest_pieces_start(&t->digest, layout->file_size);
    const bool ok = window_open(w, layout, put_piece, t, e) && library_write(b, e) && window_finish(w, e) &&
                    digest_pieces_end(&t->digest, read_back, t, file->digest, e);
    window_close(w);
    digest_pieces_free(&t->digest);
    return ok;
}

/* Whether the file is there already. Where that cannot be found out, returns false and sets *failed. */
static bool is_there(struct builder *b, const struct directory *directory, const char *path, struct set_file *file,
                     bool *failed, struct error *e)
{
    struct target t = {.there = directory->force ? -1 : same_open(directory->fd, file->name, file->size), .path = path};
    *failed = false;
    if (t.there < 0)
        return false;
    file->kept = go_through(b, &t, file, e);
    *failed = !file->kept && !t.differs;
    file->kept = file->kept && same_mode(t.there, 0777 & ~directory->umask);
    close(t.there);
    return file->kept;
}

bool large_write(struct builder *b, struct directory *directory, struct set_file *file, struct error *e)
{
    struct output output;
    struct target t = {.output = &output, .there = -1};
    char path[DIRECTORY_PATH_MOST];
    bool failed;
    *file = (struct set_file){.size = b->library.layout.file_size};
    files_name(b->library.row, file->name);
    directory_path(directory, file->name, path);
    if (is_there(b, directory, path, file, &failed, e) || failed)
        return !failed;
    if (!directory_change(directory, e) || !output_begin(&output, directory->fd, file->name, path, 0777, file->size, e))
        return false;
    return output_end(&output, go_through(b, &t, file, e), e);
}
