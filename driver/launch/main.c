/* pyelfrun: starts the program of each mode that was asked for.
 *
 * Under a launcher, or as one process, it becomes that program. If it is to launch runs itself, it starts the ranks of
 * each run, which are pyelfrun again.
 */
#include <stdlib.h>

#include "base/process.h"
#include "driver/common/options.h"
#include "driver/launch/launch.h"
#include "driver/launch/parts.h"

static int launch(const struct options *options, int argc, char **argv)
{
    struct launch_end end;
    struct error e;
    if (!launch_trees(options, argc, argv, &end, &e)) {
        const int status = error_report("pyelfrun", &e);
        end.status = end.status ? end.status : status;
    }
    if (end.signal)
        process_end_by(end.signal);
    return end.status;
}

int main(int argc, char **argv)
{
    struct options options;
    struct error e;
    int status;
    process_start();
    if (!options_parse(&options, argc, argv, NULL, &status))
        return process_printed("pyelfrun") ? status : EXIT_FAILURE;
    if (options.mode_count == 0)
        options.mode[options.mode_count++] = MODE_VANILLA;

    if (!launch_has_room(&e))
        return error_report("pyelfrun", &e);
    if (options.launcher || options.repeat > 1 || options.mode_count > 1)
        return launch(&options, argc, argv);

    launch_parts_begin(&options);
    /* Returns only if it fails. */
    launch_rank(&options, argv, &e);
    return error_report("pyelfrun", &e);
}
