/* How large the glue is, and what its frames and rows are; see glue.h. */
#include "emit/library/glue_parts.h"

#include "base/bytes.h"
#include "elf/write/plt.h"

static uint32_t entry_size(const struct code *c, const struct shape *s)
{
    uint32_t size = plan_landing(c->library) + CODE_PROLOGUE + CODE_MARK + CODE_OWN + CODE_EPILOGUE;
    for (uint32_t chain = 0; chain < c->library->calls.chains; chain++) {
        if (!glue_entry_calls(c, chain))
            continue;
        struct function head = plan_function(c->library, chain * c->plan->depth);
        size += code_pass_size(&head) + CODE_CALL;
    }
    return size + (s->extern_called >= 0 ? CODE_CALL : 0) + (s->calls_own_extern ? CODE_CALL : 0);
}

uint32_t glue_init_size(const struct plan_library *l)
{
    switch (l->glue.init) {
    case INIT_TAIL:
        return plan_landing(l) + PYINIT_TAIL_SIZE;
    case INIT_PHASES:
        return plan_landing(l) + PYINIT_PHASES_SIZE;
    default:
        if (plan_is_plain(l) && !l->glue.adds_methods)
            return plan_landing(l) + PYINIT_PLAIN_SIZE;
        return plan_landing(l) + PYINIT_KEPT_SIZE + glue_init_more(l);
    }
}

enum plan_init glue_init_of(const struct plan_library *l, uint64_t said)
{
    const uint64_t bytes = said > plan_landing(l) ? said - plan_landing(l) : said;
    return bytes == 0 || bytes >= PYINIT_SIZE ? INIT_FRAMED : bytes < PYINIT_TAIL_SIZE ? INIT_PHASES : INIT_TAIL;
}

struct glue glue_size(const struct code *c, const struct shape *s)
{
    struct glue g = {0};
    const uint32_t landing = plan_landing(c->library);
    g.place[GLUE_DTORS].size = landing + DTORS_SIZE;
    g.place[GLUE_FRAME_DUMMY].size = landing + (shape_excepts(s) ? PERSONALITY_SIZE : FRAME_DUMMY_SIZE);
    g.place[GLUE_CONSTRUCTOR].size = c->library->extra.start.constructing;
    if (s->python) {
        const bool plain = plan_is_plain(c->library);
        g.place[GLUE_EXECUTE].size = shape_executes(c->library) ? landing + EXECUTE_SIZE : 0;
        g.place[GLUE_PYINIT].size = glue_init_size(c->library) + c->library->extra.start.initialising;
        g.place[GLUE_METHOD].size =
            landing + METHOD_SIZE + c->library->glue.result_by_got + glue_more_by_rsp(c->library);
        g.place[GLUE_VISITED].size = plain ? 0 : landing + VISITED_SIZE + glue_more_by_rsp(c->library);
        g.place[GLUE_ENTRY].size = entry_size(c, s);
    }
    if (s->has_extern)
        g.place[GLUE_EXTERN].size = landing + EXTERN_SIZE;
    for (unsigned i = 0; i < s->helpers; i++)
        g.place[GLUE_HELPER + i].size = glue_helper_size(c->library);
    if (s->executable)
        g.place[GLUE_START].size = landing + START_SIZE;
    for (unsigned i = 0; i < GLUE_COUNT; i++) {
        g.place[i].offset = g.end;
        g.end += (g.place[i].size + CODE_ALIGN - 1) & ~(uint32_t)(CODE_ALIGN - 1);
    }
    return g;
}

uint32_t glue_small_entries(const struct plan_library *l, const struct shape *s, const struct glue *g)
{
    uint64_t plt[SHAPE_PLT_TABLES];
    uint32_t count = 0;
    shape_plt_sizes(l, s, plt);
    for (unsigned i = 0; i < SHAPE_PLT_TABLES; i++)
        count += plt[i] && plt[i] < UNWIND_SMALL;
    for (unsigned i = GLUE_CONSTRUCTOR; i < GLUE_COUNT; i++) { /* those of crtbegin.o have no entry */
        const bool dynamic = i == GLUE_PYINIT || (i == GLUE_ENTRY && !l->glue.inner_entry);
        count += !dynamic && g->place[i].size && g->place[i].size < UNWIND_SMALL;
    }
    return count;
}

static bool has_frame(const struct plan_library *l, enum glue_function which)
{
    return which >= GLUE_PYINIT && which != GLUE_START && (which != GLUE_PYINIT || l->glue.init == INIT_FRAMED);
}

bool glue_is_pointed(const struct plan_library *l, enum glue_function which)
{
    return has_frame(l, which) && (!l->glue.by_rsp || which == GLUE_ENTRY || which == GLUE_EXTERN);
}

struct glue_frames glue_frames(const struct plan_library *l, const struct glue *g)
{
    struct glue_frames count = {0};
    for (unsigned i = 0; i < GLUE_COUNT; i++) {
        const bool is_there = g->place[i].size && has_frame(l, i);
        count.by_rbp += is_there && glue_is_pointed(l, i);
        count.by_rsp += is_there && !glue_is_pointed(l, i);
    }
    return count;
}

uint32_t glue_steps(const struct plan_library *l, const struct glue *g, enum glue_function which,
                    struct unwind_step step[GLUE_STEPS])
{
    enum { WORDS = 4 /* the return address and %rsp's 24 bytes */, PUSH = 1, SUB = 4 };
    if (!has_frame(l, which) || glue_is_pointed(l, which))
        return 0;
    const uint32_t at = plan_landing(l);
    if (which == GLUE_PYINIT)
        step[0] = (struct unwind_step){.at = at + PUSH, .words = 2, .word = 2, .reg = FRAME_RBX};
    else
        step[0] = (struct unwind_step){.at = at + SUB, .words = WORDS, .reg = UNWIND_NO_REGISTER};
    step[1] = (struct unwind_step){.at = g->place[which].size - 1, .words = 1, .reg = UNWIND_NO_REGISTER};
    return GLUE_STEPS;
}

/* Where a helper returns, behind its pieces. */
static uint32_t helper_returns(const struct plan_library *l)
{
    return glue_helper_size(l) - glue_more_by_rsp(l) - (HELPER_SIZE - HELPER_RETURNS);
}

uint64_t glue_rows_most(const struct code *c)
{
    return LINE_ROW_MOST * (UINT64_C(24) + c->library->calls.chains);
}

void glue_rows(const struct code *c, const struct glue *g, const struct shape *s, enum glue_function which,
               struct line_rows *rows, uint32_t *line)
{
    uint64_t at = g->place[which].offset;
    line_row(rows, at, *line);
    rows->p = put_u8(rows->p, DW_LNS_set_prologue_end);
    if (which == GLUE_PYINIT && c->library->glue.init != INIT_FRAMED) {
        line_row(rows, at + g->place[which].size - CODE_JUMP, ++*line);
        return;
    }
    at += plan_landing(c->library);
    switch (which) {
    case GLUE_PYINIT:
        at += c->library->extra.start.initialising;
        line_row(rows, at + PYINIT_MAKES, ++*line);
        if (plan_is_plain(c->library) && !c->library->glue.adds_methods) {
            line_row(rows, at + PYINIT_MADE, ++*line);
            break;
        }
        line_row(rows, at + PYINIT_TEST, ++*line);
        at += PYINIT_MORE;
        if (c->library->glue.adds_methods) {
            line_row(rows, at, ++*line);
            at += PYINIT_ADDS_SIZE;
        }
        if (!plan_is_plain(c->library))
            line_row(rows, at + PYINIT_TELLS_SIZE, ++*line);
        break;
    case GLUE_METHOD:
        line_row(rows, at + METHOD_BODY, ++*line);
        line_row(rows, at + METHOD_RETURNS + c->library->glue.result_by_got, ++*line);
        break;
    case GLUE_VISITED:
        line_row(rows, at + METHOD_BODY, ++*line);
        line_row(rows, at + VISITED_LOOP, ++*line);
        line_row(rows, at + VISITED_CALLS, ++*line);
        break;
    case GLUE_ENTRY:
    case GLUE_EXTERN:
        at += CODE_PROLOGUE;
        line_row(rows, at, ++*line);
        at += CODE_MARK + CODE_OWN;
        if (which == GLUE_ENTRY) {
            for (uint32_t chain = 0; chain < c->library->calls.chains; chain++) {
                if (!glue_entry_calls(c, chain))
                    continue;
                struct function head = plan_function(c->library, chain * c->plan->depth);
                line_row(rows, at, ++*line);
                at += code_pass_size(&head) + CODE_CALL;
            }
            for (int n = (s->extern_called >= 0) + s->calls_own_extern; n; n--) {
                line_row(rows, at, ++*line);
                at += CODE_CALL;
            }
        }
        line_row(rows, at, ++*line);
        break;
    case GLUE_START:
        line_row(rows, at + START_CALLS, ++*line);
        line_row(rows, at + START_HALTS, ++*line);
        break;
    default: /* a helper */
        line_row(rows, at + METHOD_BODY, ++*line);
        line_row(rows, g->place[which].offset + helper_returns(c->library), ++*line);
    }
}
