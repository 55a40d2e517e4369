/* What C++ adds. */
#include "dwarf/corpus_parts.h"

void add_cpp_inlines(struct header_builder *b)
{
    add_c_inlines(b);
}

void add_cpp_piece(struct header_builder *b)
{
    add_c_piece(b);
}
