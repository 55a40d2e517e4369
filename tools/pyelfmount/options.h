/* pyelfmount's command line. */
#ifndef TOOLS_PYELFMOUNT_OPTIONS_H
#define TOOLS_PYELFMOUNT_OPTIONS_H

#include "emit/options.h"

struct mount_options {
    struct options set; /* which set to show */
    const char *directory;
    uint64_t cache; /* bytes of images to keep */
    bool foreground, others;
};

/* Parses the command line. --help and --version give OPTIONS_DONE. Free with options_free(&o->set). */
enum options_result mount_options_parse(struct mount_options *o, int argc, char **argv, struct error *e);

#endif
