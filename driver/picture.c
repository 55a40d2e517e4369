/* Writes by the simplified API of libpng.
 *
 * libpng is opened when a picture is wanted, and only then: as a library that
 * every rank needs it would be searched for symbols in each look-up of mode
 * vanilla, which is what is measured.
 */
#include "driver/picture.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COLOURS = 256 };

struct png {
    void *library;
    int (*write)(png_image *image, FILE *file, int to_8_bit, const void *points, png_int_32 row, const void *colours);
};

static bool open_png(struct png *png, struct error *e)
{
    char name[64];
    snprintf(name, sizeof name, "libpng%d.so.%d", PNG_LIBPNG_VER_SONUM, PNG_LIBPNG_VER_SONUM);
    png->library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    void *write = png->library ? dlsym(png->library, "png_image_write_to_stdio") : NULL;
    if (!write)
        return error_set(e, ERROR_SYSTEM, "--picture: libpng cannot be used: %s; install libpng", dlerror());
    memcpy(&png->write, &write, sizeof png->write);
    return true;
}

static void close_png(struct png *png)
{
    if (png->library)
        dlclose(png->library);
}

/* An empty file beside that of the picture, and its name; NULL with `e` filled
 * where it cannot be. */
static FILE *make_temporary(const char *path, char temporary[PATH_MAX], struct error *e)
{
    errno = ENAMETOOLONG;
    bool fits = snprintf(temporary, PATH_MAX, "%s.XXXXXX", path) < PATH_MAX;
    int fd = fits ? mkstemp(temporary) : -1;
    FILE *file = fd < 0 ? NULL : fdopen(fd, "wb");
    if (file)
        return file;
    error_errno(e, path, "cannot be written; name another file with --picture");
    if (fd >= 0) {
        close(fd);
        unlink(temporary);
    }
    return NULL;
}

/* Permissions do not tell whether a file can be made there, making one does. */
static bool can_write(const char *path, struct error *e)
{
    char temporary[PATH_MAX];
    struct stat there;
    struct png png = {0};
    if (stat(path, &there) == 0 && S_ISDIR(there.st_mode)) {
        error_set(e, ERROR_SYSTEM, "is a directory; name a file with --picture");
        return error_at(e, path, 0);
    }
    FILE *file = make_temporary(path, temporary, e);
    if (!file)
        return false;
    fclose(file);
    unlink(temporary);
    bool well = open_png(&png, e);
    close_png(&png);
    return well;
}

bool picture_possible(const struct run *run)
{
    struct error e;
    return ranks_agree(&run->ranks, run->ranks.rank != 0 || can_write(run->options.picture, &e), &e);
}

/* From dark blue over red to yellow, and black where no iteration left the
 * bounds: the square root spreads the few iterations of most points. */
static void fill_colours(uint8_t colour[COLOURS][3])
{
    memset(colour, 0, 3 * COLOURS);
    for (int i = 0, root = 0; i < COLOURS - 1; i++) {
        while ((root + 1) * (root + 1) <= i * COLOURS)
            root++;
        colour[i][0] = (uint8_t)root;
        colour[i][1] = (uint8_t)(i * root / COLOURS);
        colour[i][2] = (uint8_t)(96 - 96 * i / COLOURS);
    }
}

static bool write_points(const struct png *png, FILE *file, const uint8_t *points, int side, const char *path,
                         struct error *e)
{
    uint8_t colour[COLOURS][3];
    png_image image = {
        .version = PNG_IMAGE_VERSION,
        .width = (png_uint_32)side,
        .height = (png_uint_32)side,
        .format = PNG_FORMAT_RGB_COLORMAP,
        .colormap_entries = COLOURS,
    };
    fill_colours(colour);
    errno = 0;
    if (png->write(&image, file, 0, points, side, colour))
        return true;
    return error_errno(e, path, image.message[0] ? image.message : "the picture cannot be written");
}

/* Takes the open file to its end and its name. */
static bool complete(FILE *file, const char *temporary, const char *path, struct error *e)
{
    mode_t mask = umask(0);
    umask(mask);
    if (fflush(file) == 0 && fchmod(fileno(file), 0666 & ~mask) == 0 && rename(temporary, path) == 0)
        return true;
    return error_errno(e, path, "the picture cannot be written");
}

bool picture_write(const char *path, const uint8_t *points, int side, struct error *e)
{
    struct png png = {0};
    char temporary[PATH_MAX];
    FILE *file = open_png(&png, e) ? make_temporary(path, temporary, e) : NULL;
    bool well = file && write_points(&png, file, points, side, path, e) && complete(file, temporary, path, e);
    if (file) {
        if (!well)
            unlink(temporary);
        fclose(file);
    }
    close_png(&png);
    return well;
}
