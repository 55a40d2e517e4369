/* Results as pyelfrun writes them: two runs that were done, on two hosts and with two counters, and one run that
 * failed. */
#ifndef TESTS_RESULTS_CASE_H
#define TESTS_RESULTS_CASE_H

#include "driver/results/results.h"

#define RUN(repeat, visit)                                                                                             \
    "  {\"mode\": \"link\", \"repeat\": " repeat ", \"status\": \"done\", \"begun\": \"2026-01-31T23:59:58Z\", "       \
    "\"ranks\": 3,\n"                                                                                                  \
    "   \"loader\": \"CPython 3.11.2\", \"mpi\": \"Some MPI 1.0\",\n"                                                  \
    "   \"functions-visited\": 1128, \"mpi-test\": \"nothing sent\",\n"                                                \
    "   \"hosts\": [\n"                                                                                                \
    "    {\"name\": \"n1\", \"kernel\": \"Linux 6.1\", \"glibc\": \"2.36\"},\n"                                        \
    "    {\"name\": \"n2\", \"kernel\": \"Linux 6.2\", \"glibc\": \"2.36\"}\n"                                         \
    "   ],\n"                                                                                                          \
    "   \"rank-hosts\": [0, 1, 1],\n"                                                                                  \
    "   \"phases\": [\n"                                                                                               \
    "     {\"name\": \"startup\", \"resolution-seconds\": 0.010000000, \"seconds\": {\"min\": null, \"mean\": null, "  \
    "\"max\": null, \"absent\": \"no clock\", \"per-rank\": []},\n"                                                    \
    "      \"counters\": []},\n"                                                                                       \
    "     {\"name\": \"import\", \"seconds\": {\"min\": 0.100000000, \"mean\": 0.200000000, \"max\": 0.300000000, "    \
    "\"max-rank\": 1, \"max-host\": \"n2\", \"per-rank\": [0.100000000, 0.300000000, 0.200000000]},\n"                 \
    "      \"counters\": [\n"                                                                                          \
    "        {\"name\": \"faults\", \"unit\": \"faults\", \"source\": \"os\", \"level\": false, \"min\": -1, "         \
    "\"mean\": 2.5, \"max\": 6, \"max-rank\": 2, \"max-host\": \"n2\", \"absent\": \"not on this host\", "             \
    "\"per-rank\": [-1, null, 6]},\n"                                                                                  \
    "        {\"name\": \"misses\", \"unit\": \"misses\", \"source\": \"papi\", \"level\": true, \"min\": null, "      \
    "\"mean\": null, \"max\": null, \"absent\": \"no \\\"PMU\\\"\", \"per-rank\": []}\n"                               \
    "      ]},\n"                                                                                                      \
    "     {\"name\": \"visit\", \"seconds\": {\"min\": " visit ", \"mean\": " visit ", \"max\": " visit ", "           \
    "\"max-rank\": 0, \"max-host\": \"n1\", \"per-rank\": [" visit ", " visit ", " visit "]},\n"                       \
    "      \"counters\": []}\n"                                                                                        \
    "   ]}"

static const char right[] =
    "{\"pyelfrun-results\": 1,\n"
    " \"version\": \"0.1.0\",\n"
    " \"set\": {\"path\": \"/sets/a\\\\b\", \"application\": \"first steps\",\n"
    "  \"manifest\": \"2c26d79c7b09040acf9f430f7cc0191c\", \"profile\": \"\",\n"
    "  \"modules\": 4, \"utilities\": 2, \"functions\": 1128},\n"
    " \"options\": {\"phases\": \"import,visit\", \"dlopen-flags\": \"now\"},\n"
    " \"runs\": [\n" RUN("1", "1.500000000") ",\n" RUN(
        "2", "2.500000000") ",\n"
                            "  {\"mode\": \"static\", \"repeat\": 1, \"status\": \"failed\", \"exit-status\": 3}\n"
                            " ]}\n";

#endif
