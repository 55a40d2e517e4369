/* Error messages about profiles; see keys.h. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "emit/profile/keys.h"

const char *profile_shown(const char *text, char shown[PROFILE_SHOWN])
{
    size_t length = strlen(text);
    if (length > PROFILE_SHOWN - 4) {
        length = PROFILE_SHOWN - 4;
        while (length && ((unsigned char)text[length] & 0xc0) == 0x80) /* not inside a UTF-8 character */
            length--;
        snprintf(shown, PROFILE_SHOWN, "%.*s...", (int)length, text);
    } else {
        snprintf(shown, PROFILE_SHOWN, "%s", text);
    }
    return shown;
}

bool profile_row_wrong(const struct profile_source *s, struct error *e, const char *format, ...)
{
    char text[640];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!s->row_line) {
        error_set(e, ERROR_INPUT, PROFILE_LIBRARIES ": row %u: %s", s->row, text);
        return error_at(e, s->name, s->rows_line);
    }
    error_set(e, ERROR_INPUT, PROFILE_LIBRARIES ": row %u (line %u): %s", s->row, s->row_line[s->row], text);
    return error_at(e, s->name, s->row_line[s->row]);
}

const char *profile_path(enum profile_section section, char path[PROFILE_PATH])
{
    path[0] = '\0';
    if (section == profile_sections[section].parent)
        return path;
    profile_path(profile_sections[section].parent, path);
    size_t used = strlen(path);
    snprintf(path + used, PROFILE_PATH - used, "%s: ", profile_sections[section].name);
    return path;
}

unsigned profile_section_line(const struct profile_source *s, enum profile_section section)
{
    while (section != SECTION_ROOT && !s->section_line[section])
        section = profile_sections[section].parent;
    return s->section_line[section];
}

bool profile_wrong(const struct profile_source *s, enum profile_key_id key, struct error *e, const char *format, ...)
{
    char text[640], path[PROFILE_PATH];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!s)
        return error_set(e, ERROR_USAGE, "%s", text);
    const struct profile_key *k = &profile_keys[key];
    if (key >= KEY_ROW)
        return profile_row_wrong(s, e, "%s%s: %s", profile_path(k->section, path), k->name, text);
    error_set(e, ERROR_INPUT, "%s%s: %s", profile_path(k->section, path), k->name, text);
    return error_at(e, s->name, s->key_line[key] ? s->key_line[key] : profile_section_line(s, k->section));
}
