/* Fuzzer of the reader of results. What passes is written and read again, and
 * must then be written the same. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/results.h"

static char *text_of(const struct results *r, size_t *size)
{
    char *text = NULL;
    FILE *f = open_memstream(&text, size);
    if (!f)
        abort();
    results_write_json(r, f);
    fclose(f);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct results r, again;
    struct error e;
    if (!results_parse(&r, (const char *)data, size, &e))
        return 0;
    size_t first_size, second_size, count;
    char *first = text_of(&r, &first_size);
    if (!results_parse(&again, first, first_size, &e))
        abort();
    char *second = text_of(&again, &second_size);
    if (first_size != second_size || memcmp(first, second, first_size) != 0)
        abort();
    free(results_cases(&r, &count));
    free(first);
    free(second);
    results_free(&again);
    results_free(&r);
    return 0;
}
