/* Parsing and help from one table of options; see cli.h.
 *
 * getopt_long keeps its state in globals and takes its tables as parallel arrays. The few lines here keep both in one
 * place.
 */
#include "base/cli.h"

#include <stdio.h>
#include <string.h>

#include "base/version.h"

struct cli cli_start(const struct cli_program *program, int argc, char **argv)
{
    return (struct cli){.program = program, .argc = argc, .argv = argv, .next = 1};
}

static bool has_short(const struct cli_program *p, int letter)
{
    for (size_t i = 0; i < p->option_count; i++)
        if (p->options[i].key == letter)
            return true;
    return false;
}

static void print_help(const struct cli_program *p)
{
    const char *prefix = "Usage:";
    for (const char *line = p->usage; *line;) {
        size_t length = strcspn(line, "\n");
        printf("%s %s %.*s\n", prefix, p->name, (int)length, line);
        prefix = "  or: ";
        line += length + (line[length] == '\n');
    }
    printf("%s\n\n", p->summary);
    for (size_t i = 0; i < p->option_count; i++) {
        const struct cli_option *o = &p->options[i];
        if (!o->help)
            continue;
        char left[64];
        int n = 0;
        if (o->key < 256 && o->name)
            n = snprintf(left, sizeof left, "  -%c, --%s", o->key, o->name);
        else if (o->key < 256)
            n = snprintf(left, sizeof left, "  -%c", o->key);
        else
            n = snprintf(left, sizeof left, "      --%s", o->name);
        if (o->argument && n > 0 && (size_t)n < sizeof left)
            snprintf(left + n, sizeof left - (size_t)n, "%s%s", o->name ? "=" : " ", o->argument);
        if (strlen(left) < 28)
            printf("%-28s  %s\n", left, o->help);
        else
            printf("%s\n%30s%s\n", left, "", o->help);
    }
    printf("%-28s  %s\n", has_short(p, 'h') ? "      --help" : "  -h, --help", "print this help and exit");
    printf("%-28s  %s\n", "      --version", "print the version and exit");
    if (p->details)
        printf("\n%s", p->details);
}

static void print_version(const struct cli_program *p)
{
    printf("%s (pyelfgen) %s\n", p->name, PYELFGEN_VERSION);
    puts("License MIT. There is no warranty, to the extent permitted by law.");
}

/* The option that the first `length` characters of `name` name or abbreviate; NULL if there is none or several. */
static const struct cli_option *find_long(const struct cli_program *p, const char *name, size_t length, bool *ambiguous)
{
    const struct cli_option *found = NULL;
    *ambiguous = false;
    for (size_t i = 0; i < p->option_count; i++) {
        const struct cli_option *o = &p->options[i];
        if (!o->name || strncmp(o->name, name, length) != 0)
            continue;
        if (o->name[length] == '\0')
            return o;
        *ambiguous = found != NULL;
        found = o;
    }
    return *ambiguous ? NULL : found;
}

static int wrong(struct error *e, const char *format, const char *what, size_t length)
{
    char shown[128];
    snprintf(shown, sizeof shown, "%.*s", (int)(length < 100 ? length : 100), what);
    char text[256];
    snprintf(text, sizeof text, format, shown);
    error_set(e, ERROR_USAGE, "%s; see --help", text);
    return CLI_WRONG;
}

static int next_long(struct cli *c, const char *text, const char **value, struct error *e)
{
    size_t length = strcspn(text, "=");
    const bool helps = length == 4 && strncmp(text, "help", 4) == 0;
    if (helps || (length == 7 && strncmp(text, "version", 7) == 0)) {
        if (text[length] == '=')
            return wrong(e, "option '--%s' takes no argument", text, length);
        (helps ? print_help : print_version)(c->program);
        return CLI_DONE;
    }
    bool ambiguous;
    const struct cli_option *o = find_long(c->program, text, length, &ambiguous);
    if (!o)
        return wrong(e, ambiguous ? "option '--%s' is ambiguous" : "there is no option '--%s'", text, length);
    if (!o->argument) {
        if (text[length] == '=')
            return wrong(e, "option '--%s' takes no argument", text, length);
    } else if (text[length] == '=') {
        *value = text + length + 1;
    } else if (c->next < c->argc) {
        *value = c->argv[c->next++];
    } else {
        return wrong(e, "option '--%s' needs an argument", text, length);
    }
    return o->key;
}

static int next_short(struct cli *c, const char **value, struct error *e)
{
    const char *letter = c->cluster++;
    if (!*c->cluster)
        c->cluster = NULL;
    for (size_t i = 0; i < c->program->option_count; i++) {
        const struct cli_option *o = &c->program->options[i];
        if (o->key != *letter)
            continue;
        if (o->argument) {
            if (c->cluster)
                *value = c->cluster;
            else if (c->next < c->argc)
                *value = c->argv[c->next++];
            else
                return wrong(e, "option '-%s' needs an argument", letter, 1);
            c->cluster = NULL;
        }
        return o->key;
    }
    if (*letter == 'h') {
        print_help(c->program);
        return CLI_DONE;
    }
    return wrong(e, "there is no option '-%s'", letter, 1);
}

int cli_next(struct cli *c, const char **value, struct error *e)
{
    *value = NULL;
    if (c->cluster)
        return next_short(c, value, e);
    if (c->next >= c->argc)
        return CLI_END;
    const char *text = c->argv[c->next++];
    if (c->only_operands || text[0] != '-' || text[1] == '\0') {
        *value = text;
        return CLI_OPERAND;
    }
    if (strcmp(text, "--") == 0) {
        c->only_operands = true;
        return cli_next(c, value, e);
    }
    if (text[1] == '-')
        return next_long(c, text + 2, value, e);
    c->cluster = text + 1;
    return next_short(c, value, e);
}

bool cli_number(const char *text, const char *what, uint64_t least, uint64_t most, uint64_t *number, struct error *e)
{
    uint64_t n = 0;
    const char *p = text;
    for (; *p >= '0' && *p <= '9'; p++) {
        unsigned digit = (unsigned)(*p - '0');
        if (n > (UINT64_MAX - digit) / 10)
            break;
        n = n * 10 + digit;
    }
    if (p == text || *p || n < least || n > most)
        return error_set(e, ERROR_USAGE, "%s '%.60s' is not a whole number from %llu to %llu; see --help", what, text,
                         (unsigned long long)least, (unsigned long long)most);
    *number = n;
    return true;
}

char *cli_word(char **text, bool *closed)
{
    char *in = *text + strspn(*text, " \t\n");
    char *word = in, *out = in;
    char quote = '\0';
    if (!*in)
        return NULL;
    for (; *in && (quote || !strchr(" \t\n", *in)); in++) {
        if (quote ? *in == quote : *in == '\'' || *in == '"')
            quote = quote ? '\0' : *in;
        else
            *out++ = *in;
    }
    *text = *in ? in + 1 : in;
    *out = '\0';
    *closed = !quote;
    return word;
}
