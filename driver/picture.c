/* Writes the picture by the simplified API of libpng.
 *
 * libpng is opened only when a picture is wanted. If every rank needed it as a library, each look-up in mode vanilla
 * would search it for symbols, and that is what is measured.
 */
#include "driver/picture.h"

#include <dlfcn.h>
#include <errno.h>
#include <png.h>
#include <stdio.h>
#include <string.h>

#include "base/replacement.h"

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

static bool can_write(const char *path, struct error *e)
{
    struct png png = {0};
    if (!replacement_possible(path, RESULT_REPORT, e))
        return false;
    bool well = open_png(&png, e);
    close_png(&png);
    return well;
}

bool picture_possible(const struct run *run)
{
    struct error e;
    return ranks_agree(&run->ranks, run->ranks.rank != 0 || can_write(run->options.picture, &e), &e);
}

/* From dark blue over red to yellow; black where no iteration left the bounds. The square root spreads the small
 * numbers of iterations, which most points have. */
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

static bool write_points(const struct png *png, const struct replacement *to, const uint8_t *points, int side,
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
    if (png->write(&image, to->file, 0, points, side, colour))
        return true;
    if (errno == 0) /* it is libpng that fails, and not the file */
        return error_set(e, ERROR_SYSTEM, "%s: the picture cannot be written: %s", to->name, image.message);
    return replacement_cannot(to, e);
}

bool picture_write(const char *path, const uint8_t *points, int side, struct error *e)
{
    struct png png = {0};
    struct replacement to;
    bool well = open_png(&png, e) && replacement_open(&to, path, RESULT_REPORT, e);
    if (well && !write_points(&png, &to, points, side, e)) {
        replacement_drop(&to);
        well = false;
    }
    well = well && replacement_keep(&to, e);
    close_png(&png);
    return well;
}
