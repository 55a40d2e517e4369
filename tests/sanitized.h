/* Whether a sanitizer watches the tests, under which each takes several times as long. Then a test of thousands of
 * cases goes through some of them; all are tested without a sanitizer. */
#ifndef TESTS_SANITIZED_H
#define TESTS_SANITIZED_H

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

#endif
