/* libFuzzer target of driver/results: any bytes as results. What is written of them can be read, and is then written
 * the same. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/results/results.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads and frees the text. Returns what is written of it, which the caller frees, and sets *size to its size. */
static char *again(char *text, size_t *size)
{
    struct results r;
    struct error e = {0};
    char *written = NULL;
    bool well = results_parse(&r, text, *size, &e);
    assert(well);
    FILE *f = open_memstream(&written, size);
    assert(f);
    results_write_json(&r, f);
    fclose(f);
    results_free(&r);
    free(text);
    return written;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct results r;
    struct error e = {0};
    if (!results_parse(&r, (const char *)data, size, &e)) {
        assert(e.code != ERROR_NONE && e.text[0] && !r.runs);
        return 0;
    }
    size_t count;
    free(results_cases(&r, &count));
    results_free(&r);

    /* The first writing rounds times to nanoseconds, the second one computes means of these rounded times. From then on
     * the text stays the same. */
    char *given = malloc(size + 1);
    assert(given);
    char *text = again(again(memcpy(given, data, size), &size), &size);
    char *before = strdup(text);
    text = again(text, &size);
    assert(before && strcmp(text, before) == 0);
    free(before);
    free(text);
    return 0;
}
