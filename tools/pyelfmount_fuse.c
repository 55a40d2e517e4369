/* See pyelfmount_fuse.h.
 *
 * Nothing in the set ever changes, so the kernel may keep what it has read, names and sizes as well as pages, for
 * as long as it likes.
 */
#ifdef PYELFGEN_FUSE_THREADS /* libfuse lets us say how many threads it may have */
#define FUSE_USE_VERSION 312
#else
#define FUSE_USE_VERSION 32
#endif

#include "tools/pyelfmount_fuse.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <fuse_log.h>
#include <fuse_lowlevel.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/process.h"
#include "base/workers.h"

struct mounted {
    struct view *view;
    struct fuse *fuse;
    bool handlers, there;
    struct timespec since;
    uid_t user;
    gid_t group;
};

static struct mounted *here(void)
{
    return fuse_get_context()->private_data;
}

/* Whether nobody waits for what is being made: the reader was interrupted, or the set is being unmounted. */
static bool unwanted(void *context)
{
    const struct mounted *m = context;
    return fuse_interrupted() || fuse_session_exited(fuse_get_session(m->fuse));
}

/* Tells why, where somebody can see it, and makes an errno of it. */
static int refuse(struct mounted *m, const struct error *e)
{
    if (unwanted(m))
        return -EINTR;
    error_report("pyelfmount", e);
    return e->code == ERROR_MEMORY ? -ENOMEM : -EIO;
}

/* Whoever waits for a library has a thread for himself meanwhile; besides, some answer those who want what is there,
 * or tell that nobody waits any more. */
enum { THREADS_MOST = WORKERS_MOST + 16, THREADS_IDLE = 10 };

/* --- operations ------------------------------------------------------------------------ */

static void *start(struct fuse_conn_info *connection, struct fuse_config *config)
{
    const double always = 1e9; /* seconds */
    /* a listing need not know sizes */
    connection->want &= ~(unsigned)FUSE_CAP_READDIRPLUS;
    /* as many reads may wait at a time, for the kernel too */
    connection->max_background = THREADS_MOST;
    config->use_ino = 1;
    config->kernel_cache = 1;
    config->entry_timeout = config->attr_timeout = config->negative_timeout = always;
    return here();
}

enum { BLOCK = 512, FIRST_INODE = 4, INODES = 4 };

/* Steps from the set down to it. */
static unsigned depth_of(const char *path)
{
    unsigned depth = 0;
    for (const char *p = path; path[1] && *p; p++)
        depth += *p == '/';
    return depth;
}

static void fill(const struct mounted *m, enum view_kind kind, unsigned depth, uint32_t file, struct stat *s)
{
    *s = (struct stat){.st_nlink = 1, .st_uid = m->user, .st_gid = m->group, .st_blksize = 1 << 17};
    s->st_atim = s->st_mtim = s->st_ctim = m->since;
    s->st_ino = FIRST_INODE + (ino_t)INODES * file;
    if (kind == VIEW_DIRECTORY) { /* after the first file in it, which directories above may begin with too */
        s->st_mode = S_IFDIR | 0555;
        s->st_nlink = 2;
        s->st_ino += depth;
    } else {
        s->st_mode = S_IFREG | (view_is_object(m->view, file) ? 0555 : 0444);
    }
    if (!depth)
        s->st_ino = 1;
}

static int get_attributes(const char *path, struct stat *s, struct fuse_file_info *f)
{
    struct mounted *m = here();
    const struct view_stop stop = {unwanted, m};
    struct error e = {0};
    uint64_t size = 0;
    uint32_t file;
    (void)f;
    const enum view_kind kind = view_find(m->view, path + 1, &file);
    if (kind == VIEW_NOTHING)
        return -ENOENT;
    fill(m, kind, depth_of(path), file, s);
    if (kind == VIEW_FILE && !view_size(m->view, file, &stop, &size, &e))
        return refuse(m, &e);
    s->st_size = (off_t)size;
    s->st_blocks = (blkcnt_t)((size + BLOCK - 1) / BLOCK);
    return 0;
}

struct listing {
    const struct mounted *mounted;
    unsigned depth; /* of what is in it */
    void *buffer;
    fuse_fill_dir_t fill;
    bool full; /* there was no memory for an entry */
};

static bool list_one(void *context, const char *name, enum view_kind kind, uint32_t file)
{
    struct listing *l = context;
    struct stat s;
    fill(l->mounted, kind, l->depth, file, &s);
    l->full |= l->fill(l->buffer, name, &s, 0, 0) != 0;
    return !l->full;
}

static int list(const char *path, void *buffer, fuse_fill_dir_t filler, off_t offset, struct fuse_file_info *f,
                enum fuse_readdir_flags flags)
{
    struct listing l = {here(), depth_of(path) + 1, buffer, filler, false};
    (void)offset, (void)f, (void)flags;
    filler(buffer, ".", NULL, 0, 0);
    filler(buffer, "..", NULL, 0, 0);
    view_list(l.mounted->view, path + 1, list_one, &l);
    return l.full ? -ENOMEM : 0;
}

static int open_file(const char *path, struct fuse_file_info *f)
{
    uint32_t file;
    switch (view_find(here()->view, path + 1, &file)) {
    case VIEW_NOTHING:
        return -ENOENT;
    case VIEW_DIRECTORY:
        return -EISDIR;
    default:
        break;
    }
    if ((f->flags & O_ACCMODE) != O_RDONLY)
        return -EROFS;
    f->fh = file;
    f->keep_cache = 1;
    return 0;
}

static int read_file(const char *path, char *bytes, size_t size, off_t offset, struct fuse_file_info *f)
{
    struct mounted *m = here();
    const struct view_stop stop = {unwanted, m};
    struct error e = {0};
    uint64_t got;
    (void)path;
    if (!view_read(m->view, (uint32_t)f->fh, &stop, bytes, size, (uint64_t)offset, &got, &e))
        return refuse(m, &e);
    return (int)got;
}

static const struct fuse_operations operations = {
    .init = start,
    .getattr = get_attributes,
    .readdir = list,
    .open = open_file,
    .read = read_file,
};

/* --- mounting -------------------------------------------------------------------------- */

static const char *wish_for(int number)
{
    return number == ENOENT     ? "make the directory first"
           : number == ENOTCONN ? "what was mounted there is gone: fusermount3 -u it first"
                                : "give an empty directory that may be read";
}

static bool refuse_errno(const char *directory, const char *what, const char *wish, struct error *e)
{
    error_errno(e, directory, what);
    struct error said = *e;
    error_set(e, ERROR_SYSTEM, "%s; %s", said.text, wish);
    return error_at(e, directory, 0);
}

static bool is_empty(const char *directory, struct error *e)
{
    DIR *d = opendir(directory);
    const struct dirent *entry;
    if (!d)
        return refuse_errno(directory, "nothing can be mounted there", wish_for(errno), e);
    do {
        errno = 0;
        entry = readdir(d);
    } while (entry && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0));
    const int number = errno;
    closedir(d);
    errno = number;
    if (!entry)
        return !number || refuse_errno(directory, "nothing can be mounted there", wish_for(number), e);
    error_set(e, ERROR_SYSTEM, "it is not empty, and what is in it would not be seen; mount on an empty directory");
    return error_at(e, directory, 0);
}

bool mount_possible(const char *directory, struct error *e)
{
    struct stat s;
    if (stat(directory, &s) != 0)
        return refuse_errno(directory, "nothing can be mounted there", wish_for(errno), e);
    if (!S_ISDIR(s.st_mode)) {
        error_set(e, ERROR_SYSTEM, "is no directory; give an empty one");
        return error_at(e, directory, 0);
    }
    if (!is_empty(directory, e))
        return false;
    int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return refuse_errno("/dev/fuse", "there is no FUSE here",
                            "load it with modprobe fuse, or give the container --device /dev/fuse --cap-add "
                            "SYS_ADMIN",
                            e);
    close(fd);
    return true;
}

/* The last that libfuse has said: one line, with why. */
static char *fuse_said(void)
{
    static char said[400]; /* it gives its log no context */
    return said;
}

static void hear(enum fuse_log_level level, const char *format, va_list values)
{
    (void)level;
    vsnprintf(fuse_said(), 400, format, values);
    fuse_said()[strcspn(fuse_said(), "\n")] = '\0';
}

static bool mount_there(struct mounted *m, const char *directory, bool others, struct error *e)
{
    char name[] = "pyelfmount", option[] = "-o", more[160];
    char *words[] = {name, option, more, NULL};
    struct fuse_args arguments = FUSE_ARGS_INIT(3, words);
    snprintf(more, sizeof more, "ro,fsname=pyelfmount,subtype=pyelfmount,default_permissions%s",
             others ? ",allow_other" : "");
    char *absolute = realpath(directory, NULL); /* the background is in another directory */
    if (!absolute)
        return error_errno(e, directory, "cannot mount the set");
    m->fuse = fuse_new(&arguments, &operations, sizeof operations, m);
    /* A signal has to find what unmounts before there is anything mounted. */
    m->handlers = m->fuse && fuse_set_signal_handlers(fuse_get_session(m->fuse)) == 0;
    m->there = m->handlers && fuse_mount(m->fuse, absolute) == 0;
    free(absolute);
    fuse_opt_free_args(&arguments);
    if (m->there)
        return true;
    const char *why = fuse_said();
    error_set(e, ERROR_SYSTEM, "cannot mount the set: %s", *why ? why : "fusermount3 may have said why");
    return error_at(e, directory, 0);
}

struct mounted *mount_begin(struct view *view, const char *directory, bool others, struct error *e)
{
    struct mounted *m = calloc(1, sizeof *m);
    if (!m) {
        error_set(e, ERROR_MEMORY, "out of memory");
        return NULL;
    }
    m->view = view;
    m->user = getuid();
    m->group = getgid();
    clock_gettime(CLOCK_REALTIME, &m->since);
    fuse_set_log_func(hear);
    if (mount_there(m, directory, others, e))
        return m;
    mount_end(m);
    return NULL;
}

/* ---- until a signal ends it ----
 *
 * libfuse ends when its handler has run before it looks, or while it waits: a signal between the two would be lost.
 * So a thread takes the signals, and interrupts that wait until it has ended.
 */

enum {
    WAKE = SIGUSR1,
    WAKE_NS = 10 * 1000 * 1000,
};

struct ending {
    struct fuse *fuse;
    pthread_t serving, waiting;
    sigset_t signals; /* that end it, and WAKE, by which serve() says that it has ended otherwise */
    sem_t ended;
};

static void take_no_notice(int number)
{
    (void)number;
}

static bool has_ended(struct ending *n)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += WAKE_NS;
    if (until.tv_nsec >= 1000 * 1000 * 1000) {
        until.tv_sec++;
        until.tv_nsec -= 1000 * 1000 * 1000;
    }
    return sem_timedwait(&n->ended, &until) == 0;
}

static void *await_signal(void *context)
{
    struct ending *n = context;
    int number;
    while (sigwait(&n->signals, &number) != 0 || number == WAKE)
        if (sem_trywait(&n->ended) == 0)
            return NULL;
    fuse_session_exit(fuse_get_session(n->fuse));
    while (!has_ended(n))
        pthread_kill(n->serving, WAKE);
    return NULL;
}

/* 0, or by which signal it has ended; or -errno. */
static int loop(struct fuse *fuse)
{
#ifdef PYELFGEN_FUSE_THREADS
    struct fuse_loop_config *config = fuse_loop_cfg_create();
    if (!config)
        return -ENOMEM;
    fuse_loop_cfg_set_max_threads(config, THREADS_MOST);
    fuse_loop_cfg_set_idle_threads(config, THREADS_IDLE);
    const int ended = fuse_loop_mt(fuse, config);
    fuse_loop_cfg_destroy(config);
    return ended;
#else /* as many as are wanted */
    struct fuse_loop_config config = {.clone_fd = 0, .max_idle_threads = THREADS_IDLE};
    return fuse_loop_mt(fuse, &config);
#endif
}

/* As loop(). The threads of libfuse have all signals blocked that end it, and this one has WAKE only. */
static int serve(struct fuse *fuse)
{
    struct ending n = {.fuse = fuse, .serving = pthread_self()};
    sigset_t wake, before;
    const struct sigaction none = {.sa_handler = take_no_notice};
    sigemptyset(&wake);
    sigaddset(&wake, WAKE);
    process_endings(&n.signals); /* for which libfuse has handlers */
    sigaddset(&n.signals, WAKE);
    sem_init(&n.ended, 0, 0);
    sigaction(WAKE, &none, NULL);
    pthread_sigmask(SIG_BLOCK, &n.signals, &before);
    int ended = -pthread_create(&n.waiting, NULL, await_signal, &n);
    if (ended == 0) {
        pthread_sigmask(SIG_UNBLOCK, &wake, NULL);
        ended = loop(fuse);
        pthread_sigmask(SIG_BLOCK, &wake, NULL);
        sem_post(&n.ended);
        pthread_kill(n.waiting, WAKE);
        pthread_join(n.waiting, NULL);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    sem_destroy(&n.ended);
    return ended;
}

bool mount_serve(struct mounted *m, bool foreground, struct error *e)
{
    if (fuse_daemonize(foreground) != 0)
        return error_errno(e, "", "cannot go to the background; use -f");
    fuse_set_log_func(NULL); /* threads speak for themselves */
    const int ended = serve(m->fuse);
    return ended >= 0 || error_set(e, ERROR_SYSTEM, "libfuse cannot go on: %s", strerror(-ended));
}

void mount_end(struct mounted *m)
{
    if (!m)
        return;
    if (m->there)
        fuse_unmount(m->fuse);
    if (m->handlers)
        fuse_remove_signal_handlers(fuse_get_session(m->fuse));
    if (m->fuse)
        fuse_destroy(m->fuse);
    free(m);
}
