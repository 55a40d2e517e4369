/* The ranks draw the Mandelbrot set together. Rank r of n computes the rows r, r + n, r + 2n, ..., so that each has a
 * share of the expensive middle. Rank 0 gathers the rows with MPI_Gatherv, and all ranks add their iterations with
 * MPI_Allreduce. Then rank 0 draws the whole picture alone and compares checksums, and every rank compares the sum that
 * it received.
 *
 * The arithmetic uses whole numbers, so the picture is the same on every machine and with every compiler.
 */
#include "driver/mpitest.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include <mpi.h>

#include "driver/picture.h"
#include "runtime/clock.h"

enum { SIDE = MPITEST_SIDE, ITERATIONS_MOST = 255 };

/* Fixed point with 24 bits after the point. A value stays below 8, a product
 * below 2^54. */
#define ONE (INT64_C(1) << 24)

static uint16_t iterations_at(int row, int column)
{
    /* The window is [-2, 1) by [-1.5, 1.5). */
    int64_t cr = -2 * ONE + 3 * ONE * column / SIDE;
    int64_t ci = -3 * ONE / 2 + 3 * ONE * row / SIDE;
    int64_t zr = 0, zi = 0;
    uint16_t n = 0;
    for (; n < ITERATIONS_MOST; n++) {
        int64_t zr2 = zr * zr / ONE, zi2 = zi * zi / ONE;
        if (zr2 + zi2 > 4 * ONE)
            break;
        zi = 2 * zr * zi / ONE + ci;
        zr = zr2 - zi2 + cr;
    }
    return n;
}

/* Returns the sum of the row's iterations. */
static uint64_t draw_row(uint16_t *pixels, int row)
{
    uint64_t sum = 0;
    for (int column = 0; column < SIDE; column++)
        sum += pixels[column] = iterations_at(row, column);
    return sum;
}

/* FNV-1a over the pixels in reading order. */
static uint64_t checksum_row(uint64_t hash, const uint16_t *pixels)
{
    for (int column = 0; column < SIDE; column++) {
        hash = (hash ^ (pixels[column] & 0xff)) * UINT64_C(0x100000001b3);
        hash = (hash ^ (pixels[column] >> 8)) * UINT64_C(0x100000001b3);
    }
    return hash;
}

#define CHECKSUM_START UINT64_C(0xcbf29ce484222325)

/* How many rows rank `rank` of `count` has. */
static int rows_of(int rank, int count)
{
    return rank < SIDE ? (SIDE - 1 - rank) / count + 1 : 0;
}

struct picture {
    uint16_t *mine; /* this rank's rows */
    uint16_t *all;  /* rank 0: all rows, those of rank 0 first */
    int *counts;    /* rank 0: pixels of each rank */
    int *offsets;
    uint64_t sum; /* sum of all iterations, as the reduction returned it */
};

static bool prepare(struct picture *p, const struct ranks *r, struct error *e)
{
    static_assert((uint64_t)SIDE * SIDE * ITERATIONS_MOST < INT32_MAX, "counts and offsets fit an int");
    *p = (struct picture){0};
    p->mine = calloc((size_t)rows_of(r->rank, r->count) * SIDE + 1, sizeof *p->mine);
    bool well = p->mine;
    if (well && r->rank == 0) {
        p->all = calloc((size_t)SIDE * SIDE, sizeof *p->all);
        p->counts = calloc((size_t)r->count, sizeof *p->counts);
        p->offsets = calloc((size_t)r->count, sizeof *p->offsets);
        well = p->all && p->counts && p->offsets;
        for (int i = 0, offset = 0; well && i < r->count; i++) {
            p->counts[i] = rows_of(i, r->count) * SIDE;
            p->offsets[i] = offset;
            offset += p->counts[i];
        }
    }
    return well ? true : error_set(e, ERROR_MEMORY, "there is no memory left for the MPI test");
}

static void dispose(struct picture *p)
{
    free(p->mine);
    free(p->all);
    free(p->counts);
    free(p->offsets);
}

static void draw_together(struct picture *p, const struct ranks *r)
{
    uint64_t sum = 0;
    uint16_t *place = p->mine;
    for (int row = r->rank; row < SIDE; row += r->count, place += SIDE)
        sum += draw_row(place, row);
    MPI_Gatherv(p->mine, rows_of(r->rank, r->count) * SIDE, MPI_UINT16_T, p->all, p->counts, p->offsets, MPI_UINT16_T,
                0, MPI_COMM_WORLD);
    MPI_Allreduce(&sum, &p->sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
}

/* The gathered rows are in the order of ranks: those of rank 0, then those of rank 1, ... */
static const uint16_t *gathered_row(const struct picture *p, const struct ranks *r, int row)
{
    return p->all + p->offsets[row % r->count] + row / r->count * SIDE;
}

/* Called on rank 0. *sum becomes what every rank should have received. */
static bool check_picture(const struct picture *p, const struct ranks *r, uint64_t *checksum, uint64_t *sum,
                          struct error *e)
{
    uint16_t pixels[SIDE];
    uint64_t gathered = CHECKSUM_START, alone = CHECKSUM_START;
    *sum = 0;
    for (int row = 0; row < SIDE; row++) {
        *sum += draw_row(pixels, row);
        alone = checksum_row(alone, pixels);
        gathered = checksum_row(gathered, gathered_row(p, r, row));
    }
    *checksum = gathered;
    if (gathered == alone)
        return true;
    return error_set(e, ERROR_MISMATCH,
                     "the MPI test's picture has checksum %016" PRIx64 " where one process alone has %016" PRIx64
                     "; check MPI and the hosts",
                     gathered, alone);
}

static bool check_sum(uint64_t got, uint64_t sum, struct error *e)
{
    if (got == sum)
        return true;
    return error_set(e, ERROR_MISMATCH,
                     "the MPI test's reduction returned %" PRIu64 " instead of %" PRIu64 "; check MPI and the hosts",
                     got, sum);
}

/* Called on rank 0. */
static bool write_picture(const struct picture *p, const struct ranks *r, const char *path, struct error *e)
{
    static_assert(ITERATIONS_MOST <= UINT8_MAX, "a point of the file is a byte");
    uint8_t *points = malloc((size_t)SIDE * SIDE);
    if (!points)
        return error_set(e, ERROR_MEMORY, "there is no memory left for the picture");
    for (int row = 0; row < SIDE; row++)
        for (int column = 0; column < SIDE; column++)
            points[row * SIDE + column] = (uint8_t)gathered_row(p, r, row)[column];
    bool well = picture_write(path, points, SIDE, e);
    free(points);
    return well;
}

static bool test_picture(const struct run *run, struct picture *p, double *seconds, uint64_t *checksum)
{
    const struct ranks *r = &run->ranks;
    struct error e;
    uint64_t sum = 0;
    bool well = true;
    double begin = clock_now();
    draw_together(p, r);
    *seconds = clock_now() - begin;

    if (r->rank == 0)
        well = check_picture(p, r, checksum, &sum, &e);
    MPI_Bcast(&sum, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    well = well && check_sum(p->sum, sum, &e) &&
           (r->rank != 0 || !run->options.picture || write_picture(p, r, run->options.picture, &e));
    return ranks_agree(r, well, &e);
}

bool mpitest_run(const struct run *run, struct watchdog *dog, double *seconds, struct mpitest *test)
{
    struct error e;
    struct picture p;
    *test = (struct mpitest){0};
    watchdog_phase(dog, phase_names[PHASE_MPI]);
    bool well =
        ranks_agree(&run->ranks, prepare(&p, &run->ranks, &e), &e) && test_picture(run, &p, seconds, &test->checksum);
    dispose(&p);
    return well && ranks_agree(&run->ranks, mpi_objects_run(run, test->objects, &e), &e);
}
