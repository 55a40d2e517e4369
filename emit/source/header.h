/* The headers of the corpus as text. */
#ifndef EMIT_SOURCE_HEADER_H
#define EMIT_SOURCE_HEADER_H

#include "base/bytes.h"
#include "dwarf/corpus/corpus.h"
#include "emit/stock/block.h"

/* What a source of ours begins with, in the first 16 bytes. */
#define SOURCE_MARK "/* pyelfgen's: "

/* Replaces `out` by the text of a header, in which each declaration stands on the line that debug information gives it.
 * False when memory ran out. */
bool header_text(struct bytes *out, const struct corpus *c, const struct blocks *blocks, uint32_t header);

/* The name of an inline function of a header. */
const char *header_inline_name(const struct corpus *c, uint32_t header, uint32_t k);

#endif
