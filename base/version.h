/* The version, which is part of what determines the bytes of a set. */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

#define PYELFGEN_VERSION "0.1.0"

#endif
