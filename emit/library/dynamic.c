#include "emit/library/dynamic.h"

#include <assert.h>
#include <elf.h>
#include <string.h>

#include "base/bytes.h"
#include "base/relr.h"
#include "emit/library/join.h"
#include "emit/library/library.h"

/* The tags between those of the libraries that it needs and the NULLs. */
struct tags {
    Elf64_Sxword tag[40];
    uint32_t count;
};

/* Adds a tag if the library has what it tells of. */
static void add(struct tags *t, bool has, Elf64_Sxword tag)
{
    assert(t->count < sizeof t->tag / sizeof t->tag[0]);
    t->tag[t->count] = tag;
    t->count += has;
}

static struct tags list_tags(const struct plan_library *l, const struct shape *s)
{
    const bool now = l->elf.bind == BIND_NOW;
    struct tags t = {.count = 0};
    add(&t, !l->without_libc, DT_NEEDED);
    add(&t, s->soname, DT_SONAME);
    add(&t, l->runpath, DT_RUNPATH);
    add(&t, true, DT_INIT);
    add(&t, true, DT_FINI);
    add(&t, true, DT_INIT_ARRAY);
    add(&t, true, DT_INIT_ARRAYSZ);
    add(&t, true, DT_FINI_ARRAY);
    add(&t, true, DT_FINI_ARRAYSZ);
    add(&t, l->elf.hash != HASH_GNU, DT_HASH);
    add(&t, l->elf.hash != HASH_SYSV, DT_GNU_HASH);
    add(&t, true, DT_STRTAB);
    add(&t, true, DT_SYMTAB);
    add(&t, true, DT_STRSZ);
    add(&t, true, DT_SYMENT);
    add(&t, s->executable, DT_DEBUG);
    add(&t, true, DT_PLTGOT);
    add(&t, s->plt, DT_PLTRELSZ);
    add(&t, s->plt, DT_PLTREL);
    add(&t, s->plt, DT_JMPREL);
    add(&t, true, DT_RELA);
    add(&t, true, DT_RELASZ);
    add(&t, true, DT_RELAENT);
    add(&t, l->extra.versioning.defined, DT_VERDEF);
    add(&t, l->extra.versioning.defined, DT_VERDEFNUM);
    add(&t, now, DT_FLAGS);
    add(&t, now || s->executable, DT_FLAGS_1);
    add(&t, shape_versioned(l), DT_VERNEED);
    add(&t, shape_versioned(l), DT_VERNEEDNUM);
    add(&t, shape_has_versions(l), DT_VERSYM);
    add(&t, s->packed < s->relative, DT_RELACOUNT);
    add(&t, s->packed, DT_RELR);
    add(&t, s->packed, DT_RELRSZ);
    add(&t, s->packed, DT_RELRENT);
    return t;
}

uint32_t dynamic_count(const struct plan_library *l, const struct shape *s)
{
    return s->needed + list_tags(l, s).count + 1 + s->spare_tags;
}

/* R_X86_64_RELATIVE relocations in .rela.dyn, which are the first there. An executable's are also those of parts that
 * are written elsewhere: `all` bytes instead of the `own`. */
static uint64_t relative_count(const struct shape *s, uint64_t all, uint64_t own)
{
    return s->relative - s->packed + (all - own) / sizeof(Elf64_Rela);
}

static uint64_t value_of(const struct library *l, Elf64_Sxword tag)
{
    /* an executable's sections, which the dynamic linker sees, may be more than its own part in this image */
    const struct section *s = l->joined ? l->joined->layout.section : l->layout.section;
    const struct section *own = l->layout.section;
    const bool now = l->row->elf.bind == BIND_NOW;
    switch (tag) {
    case DT_NEEDED:
        return l->strings.libc;
    case DT_SONAME:
        return l->strings.soname;
    case DT_RUNPATH:
        return l->strings.runpath;
    case DT_INIT:
        return s[SECTION_INIT].address;
    case DT_FINI:
        return s[SECTION_FINI].address;
    case DT_INIT_ARRAY:
        return s[SECTION_INIT_ARRAY].address;
    case DT_INIT_ARRAYSZ:
        return s[SECTION_INIT_ARRAY].size;
    case DT_FINI_ARRAY:
        return s[SECTION_FINI_ARRAY].address;
    case DT_FINI_ARRAYSZ:
        return s[SECTION_FINI_ARRAY].size;
    case DT_HASH:
        return s[SECTION_HASH].address;
    case DT_GNU_HASH:
        return s[SECTION_GNU_HASH].address;
    case DT_STRTAB:
        return s[SECTION_DYNSTR].address;
    case DT_SYMTAB:
        return s[SECTION_DYNSYM].address;
    case DT_STRSZ:
        return s[SECTION_DYNSTR].size;
    case DT_SYMENT:
        return sizeof(Elf64_Sym);
    case DT_PLTGOT:
        return s[layout_got_plt(&l->layout)].address;
    case DT_PLTRELSZ:
        return s[SECTION_RELA_PLT].size;
    case DT_PLTREL:
        return DT_RELA;
    case DT_JMPREL:
        return s[SECTION_RELA_PLT].address;
    case DT_RELA:
        return s[SECTION_RELA_DYN].address;
    case DT_RELASZ:
        return s[SECTION_RELA_DYN].size;
    case DT_RELAENT:
        return sizeof(Elf64_Rela);
    case DT_VERDEF:
        return s[SECTION_VERDEF].address;
    case DT_VERDEFNUM:
        return own[SECTION_VERDEF].info;
    case DT_FLAGS:
        return DF_BIND_NOW;
    case DT_FLAGS_1:
        return (now ? DF_1_NOW : 0u) | (l->shape.executable ? DF_1_PIE : 0u);
    case DT_VERNEED:
        return s[SECTION_VERNEED].address;
    case DT_VERNEEDNUM:
        return own[SECTION_VERNEED].info;
    case DT_VERSYM:
        return s[SECTION_VERSYM].address;
    case DT_RELACOUNT:
        return relative_count(&l->shape, s[SECTION_RELA_DYN].size, own[SECTION_RELA_DYN].size);
    case DT_RELR:
        return s[SECTION_RELR_DYN].address;
    case DT_RELRSZ:
        return s[SECTION_RELR_DYN].size;
    case DT_RELRENT:
        return RELR_WORD;
    default: /* DT_DEBUG, which the dynamic linker sets */
        return 0;
    }
}

static uint8_t *put_entry(uint8_t *p, Elf64_Sxword tag, uint64_t value)
{
    return put_u64(put_u64(p, (uint64_t)tag), value);
}

void dynamic_write(const struct library *l, uint8_t *image)
{
    const struct section *own = l->layout.section;
    const char *const strings = (const char *)image + own[SECTION_DYNSTR].offset;
    const struct tags t = list_tags(l->row, &l->shape);
    uint8_t *const start = image + own[SECTION_DYNAMIC].offset;
    uint8_t *p = start;
    uint64_t name = l->strings.needed;
    for (uint32_t i = 0; i < l->shape.needed; i++) {
        p = put_entry(p, DT_NEEDED, name);
        name += strlen(strings + name) + 1;
    }
    for (uint32_t i = 0; i < t.count; i++)
        p = put_entry(p, t.tag[i], value_of(l, t.tag[i]));
    for (uint32_t i = 0; i < 1 + l->shape.spare_tags; i++)
        p = put_entry(p, DT_NULL, 0);
    assert(p == start + own[SECTION_DYNAMIC].size);
}
