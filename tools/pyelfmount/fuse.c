/* See fuse.h.
 *
 * Nothing in the set ever changes. So the kernel may keep names, sizes and pages that it has read for as long as it
 * likes.
 *
 * The kernel looks up names in a directory one at a time, and lists the directory only in between. A late answer would
 * hold up all other readers, so a lookup never waits for a size. Where the size is not known yet, the entry gets one
 * that is larger than any file, and the kernel may not keep its attributes. A reader that wants the size then asks for
 * the attributes, and only that reader waits. A reader that does not ask is told where the file ends.
 */
#ifdef PYELFGEN_FUSE_THREADS /* libfuse takes a limit for its threads */
#define FUSE_USE_VERSION 312
#else
#define FUSE_USE_VERSION 32
#endif

#include "tools/pyelfmount/fuse.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse_log.h>
#include <fuse_lowlevel.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/cli.h"
#include "base/process.h"
#include "base/workers.h"

struct mounted {
    struct view *view;
    struct fuse_session *session;
    bool handlers, there;
    struct timespec since;
    mode_t umask;
    uid_t user;
    gid_t group;
};

static const double always = 1e9; /* seconds */

/* A request, for those who ask whether its reader still waits. */
struct waiter {
    const struct mounted *mounted;
    fuse_req_t request;
};

/* Whether nobody waits for what is being made, because the reader was interrupted or the set is being unmounted. */
static bool unwanted(void *context)
{
    const struct waiter *w = context;
    return fuse_req_interrupted(w->request) || fuse_session_exited(w->mounted->session);
}

/* Reports the error where somebody still waits, and answers with an errno for it. */
static void refuse(struct waiter *w, const struct error *e)
{
    const bool gone = unwanted(w);
    if (!gone)
        error_report("pyelfmount", e);
    fuse_reply_err(w->request, gone ? EINTR : e->code == ERROR_MEMORY ? ENOMEM : EIO);
}

/* A reader that waits for a library occupies a thread. The further threads answer readers of what is there, and
 * requests that say that a reader no longer waits. */
enum { THREADS_MOST = WORKERS_MOST + 16, THREADS_IDLE = 10 };

/* --- places ---------------------------------------------------------------------------- */

/* Where something is in the set. `file` is the number of a file or, of a directory, of the first file in it;
 * directories above may begin with the same file. `depth` is how many steps a directory is below the set, and 0 for
 * files. The inode number that the kernel gets contains all three. */
struct place {
    enum view_kind kind;
    uint32_t file;
    unsigned depth;
};

enum { FIRST_INODE = 4, INODES = 4, PATH_ROOM = FILE_NAME_MOST + NAME_MAX + 2 };

static fuse_ino_t number_of(const struct place *p)
{
    const bool is_set = p->kind == VIEW_DIRECTORY && !p->depth;
    return is_set ? FUSE_ROOT_ID : FIRST_INODE + (fuse_ino_t)INODES * p->file + p->depth;
}

static struct place place_of(fuse_ino_t number)
{
    if (number < FIRST_INODE)
        return (struct place){.kind = VIEW_DIRECTORY};
    const unsigned depth = (number - FIRST_INODE) % INODES;
    return (struct place){.kind = depth ? VIEW_DIRECTORY : VIEW_FILE,
                          .file = (uint32_t)((number - FIRST_INODE) / INODES),
                          .depth = depth};
}

/* The directory's path within the set. */
static void path_of(const struct mounted *m, const struct place *p, char path[FILE_NAME_MOST])
{
    const char *const name = p->depth ? view_name(m->view, p->file) : "";
    size_t length = 0;
    for (unsigned depth = 0; name[length] && (name[length] != '/' || ++depth < p->depth);)
        length++;
    snprintf(path, FILE_NAME_MOST, "%.*s", (int)length, name);
}

enum { BLOCK = 512 };

static void put_size(struct stat *s, uint64_t size)
{
    s->st_size = (off_t)size;
    s->st_blocks = (blkcnt_t)((size + BLOCK - 1) / BLOCK);
}

/* Fills in all but a file's size. The modes are those that pyelfgen would give. */
static void fill(const struct mounted *m, const struct place *p, struct stat *s)
{
    *s = (struct stat){.st_nlink = 1, .st_uid = m->user, .st_gid = m->group, .st_blksize = 1 << 17};
    s->st_atim = s->st_mtim = s->st_ctim = m->since;
    s->st_ino = number_of(p);
    s->st_mode = p->kind == VIEW_DIRECTORY          ? S_IFDIR | 0777
                 : view_is_object(m->view, p->file) ? S_IFREG | 0777
                                                    : S_IFREG | 0666;
    s->st_mode &= ~m->umask;
}

/* --- operations ------------------------------------------------------------------------ */

static void start(void *context, struct fuse_conn_info *connection)
{
    (void)context;
    /* as many reads may wait in the kernel as there are threads */
    connection->max_background = THREADS_MOST;
}

/* Larger than any file. It is never the answer to a request for attributes. */
#define UNKNOWN_SIZE (UINT64_C(1) << 40)

static void look_up(fuse_req_t request, fuse_ino_t parent, const char *name)
{
    const struct mounted *m = fuse_req_userdata(request);
    const struct place in = place_of(parent);
    struct fuse_entry_param found = {.attr_timeout = always, .entry_timeout = always};
    char path[PATH_ROOM];
    path_of(m, &in, path);
    const size_t above = strlen(path);
    /* the kernel has a limit of its own, which is larger than what statfs says */
    if (strlen(name) > NAME_MAX ||
        snprintf(path + above, sizeof path - above, "%s%s", above ? "/" : "", name) >= (int)(sizeof path - above)) {
        fuse_reply_err(request, ENAMETOOLONG);
        return;
    }
    struct place p = {.depth = in.depth + 1};
    p.kind = view_find(m->view, path, &p.file);
    if (p.kind == VIEW_FILE)
        p.depth = 0;
    if (p.kind != VIEW_NOTHING) {
        uint64_t size = 0;
        fill(m, &p, &found.attr);
        found.ino = number_of(&p);
        if (p.kind == VIEW_FILE && !view_knows_size(m->view, p.file, &size)) {
            size = UNKNOWN_SIZE;
            found.attr_timeout = 0;
        }
        put_size(&found.attr, size);
    }
    fuse_reply_entry(request, &found); /* where there is no such name, the kernel may remember that */
}

static void get_attributes(fuse_req_t request, fuse_ino_t number, struct fuse_file_info *f)
{
    struct mounted *m = fuse_req_userdata(request);
    struct waiter waiter = {m, request};
    const struct view_stop stop = {unwanted, &waiter};
    const struct place p = place_of(number);
    struct error e = {0};
    struct stat s;
    uint64_t size = 0;
    (void)f;
    fill(m, &p, &s);
    if (p.kind == VIEW_FILE && !view_size(m->view, p.file, &stop, &size, &e)) {
        refuse(&waiter, &e);
        return;
    }
    put_size(&s, size);
    fuse_reply_attr(request, &s, always);
}

/* The list never changes, so the kernel may keep it. */
static void open_directory(fuse_req_t request, fuse_ino_t number, struct fuse_file_info *f)
{
    (void)number;
    f->cache_readdir = 1;
    f->keep_cache = 1;
    fuse_reply_open(request, f);
}

/* A piece of a directory's list. Nothing is kept from one piece to the next: offsets say where to go on. So nothing is
 * left where the kernel does not close what it has opened, as when the set is unmounted. */
struct listing {
    const struct mounted *mounted;
    fuse_req_t request;
    unsigned depth; /* of the entries in the directory */
    char *bytes;
    size_t used, size;
};

/* Offsets to go on from: after "." and after ".."; after a file, its number plus FROM_FILES and 1. */
enum { FROM_START, FROM_ABOVE, FROM_FILES };

static bool add_entry(struct listing *l, const char *name, const struct place *p, off_t next)
{
    struct stat s;
    fill(l->mounted, p, &s);
    const size_t room = l->size - l->used;
    const size_t size = fuse_add_direntry(l->request, l->bytes + l->used, room, name, &s, next);
    if (size > room)
        return false;
    l->used += size;
    return true;
}

static bool add_file(void *context, const char *name, enum view_kind kind, uint32_t file)
{
    struct listing *l = context;
    const struct place p = {kind, file, kind == VIEW_DIRECTORY ? l->depth : 0};
    return add_entry(l, name, &p, (off_t)file + 1 + FROM_FILES);
}

static void list_from(struct listing *l, const struct place *p, off_t from)
{
    const struct place above = {VIEW_DIRECTORY, p->file, p->depth ? p->depth - 1 : 0};
    char path[FILE_NAME_MOST];
    path_of(l->mounted, p, path);
    if (from == FROM_START && !add_entry(l, ".", p, FROM_ABOVE))
        return;
    if (from <= FROM_ABOVE && !add_entry(l, "..", &above, FROM_FILES))
        return;
    const off_t file = from <= FROM_FILES ? 0 : from - FROM_FILES;
    if (file < UINT32_MAX)
        view_list(l->mounted->view, path, (uint32_t)file, add_file, l);
}

static void read_directory(fuse_req_t request, fuse_ino_t number, size_t size, off_t offset, struct fuse_file_info *f)
{
    const struct mounted *m = fuse_req_userdata(request);
    const struct place p = place_of(number);
    struct listing l = {.mounted = m, .request = request, .depth = p.depth + 1, .size = size};
    (void)f;
    l.bytes = malloc(size + 1);
    if (!l.bytes) {
        fuse_reply_err(request, ENOMEM);
        return;
    }
    list_from(&l, &p, offset);
    fuse_reply_buf(request, l.bytes, l.used);
    free(l.bytes);
}

static void open_file(fuse_req_t request, fuse_ino_t number, struct fuse_file_info *f)
{
    const struct place p = place_of(number);
    if (p.kind == VIEW_DIRECTORY || (f->flags & O_ACCMODE) != O_RDONLY) {
        fuse_reply_err(request, p.kind == VIEW_DIRECTORY ? EISDIR : EROFS);
        return;
    }
    f->keep_cache = 1;
    fuse_reply_open(request, f);
}

static void read_file(fuse_req_t request, fuse_ino_t number, size_t size, off_t offset, struct fuse_file_info *f)
{
    struct mounted *m = fuse_req_userdata(request);
    struct waiter waiter = {m, request};
    const struct view_stop stop = {unwanted, &waiter};
    struct error e = {0};
    uint64_t got;
    (void)f;
    char *const bytes = malloc(size + 1);
    if (!bytes)
        fuse_reply_err(request, ENOMEM);
    else if (view_read(m->view, place_of(number).file, &stop, bytes, size, (uint64_t)offset, &got, &e))
        fuse_reply_buf(request, bytes, got);
    else
        refuse(&waiter, &e);
    free(bytes);
}

/* Files have no extended attributes. Tools that copy files want to be told so. */
static void list_more_attributes(fuse_req_t request, fuse_ino_t number, size_t size)
{
    (void)number;
    if (size)
        fuse_reply_buf(request, NULL, 0);
    else
        fuse_reply_xattr(request, 0);
}

/* For df: a full file system as large as the set. */
static void tell_space(fuse_req_t request, fuse_ino_t number)
{
    const struct mounted *m = fuse_req_userdata(request);
    const struct statvfs s = {.f_bsize = BLOCK,
                              .f_frsize = BLOCK,
                              .f_blocks = view_bytes(m->view) / BLOCK,
                              .f_files = view_files(m->view),
                              .f_flag = ST_RDONLY,
                              .f_namemax = NAME_MAX};
    (void)number;
    fuse_reply_statfs(request, &s);
}

static const struct fuse_lowlevel_ops operations = {
    .init = start,
    .lookup = look_up,
    .getattr = get_attributes,
    .opendir = open_directory,
    .readdir = read_directory,
    .open = open_file,
    .read = read_file,
    .listxattr = list_more_attributes,
    .statfs = tell_space,
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

/* Whether the device can be opened. That it is there says nothing of the right to it, or of a driver behind it. */
static bool has_fuse(struct error *e)
{
    static const char device[] = "/dev/fuse";
    const int fd = open(device, O_RDWR | O_CLOEXEC);
    if (fd >= 0) {
        close(fd);
        return true;
    }
    switch (errno) {
    case EACCES:
        return refuse_errno(device, "you may not open it",
                            "have root make it readable and writable for all, as usual: chmod 666 /dev/fuse", e);
    case EPERM:
        return refuse_errno(device, "the container may not open it",
                            "start it with --device /dev/fuse --cap-add SYS_ADMIN", e);
    case ENOENT:
    case ENODEV:
    case ENXIO:
        return refuse_errno(device, "there is no FUSE here",
                            "load it with modprobe fuse, or give the container --device /dev/fuse --cap-add SYS_ADMIN",
                            e);
    default:
        return error_errno(e, device, "cannot be opened");
    }
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
    return is_empty(directory, e) && has_fuse(e);
}

/* The last message of libfuse, one line that says why something failed. */
static char *fuse_said(void)
{
    static char said[400]; /* static, because libfuse gives its log no context */
    return said;
}

static void hear(enum fuse_log_level level, const char *format, va_list values)
{
    (void)level;
    vsnprintf(fuse_said(), 400, format, values);
    fuse_said()[strcspn(fuse_said(), "\n")] = '\0';
}

/* Opens the directory and locks it, so that of several programs that want to mount there one does. What became of it
 * while the set was planned is looked at once more. Returns a descriptor; -1 with the error set. */
static int hold_directory(const char *directory, struct error *e)
{
    const int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        refuse_errno(directory, "nothing can be mounted there", wish_for(errno), e);
        return -1;
    }
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        error_set(e, ERROR_SYSTEM, "another pyelfmount is about to mount there; give each a directory of its own");
        error_at(e, directory, 0);
    } else if (is_empty(directory, e)) {
        return fd;
    }
    close(fd);
    return -1;
}

static bool mount_there(struct mounted *m, const char *directory, bool others, struct error *e)
{
    char name[] = "pyelfmount", option[] = "-o", more[160];
    char *words[] = {name, option, more, NULL};
    struct fuse_args arguments = FUSE_ARGS_INIT(3, words);
    snprintf(more, sizeof more, "ro,fsname=pyelfmount,subtype=pyelfmount,default_permissions%s",
             others ? ",allow_other" : "");
    const int held = hold_directory(directory, e);
    if (held < 0)
        return false;
    char *absolute = realpath(directory, NULL); /* the background process has another working directory */
    if (!absolute) {
        close(held);
        return error_errno(e, directory, "cannot mount the set");
    }
    m->session = fuse_session_new(&arguments, &operations, sizeof operations, m);
    /* The handlers come first: a signal after mounting must find what unmounts. */
    m->handlers = m->session && fuse_set_signal_handlers(m->session) == 0;
    m->there = m->handlers && fuse_session_mount(m->session, absolute) == 0;
    close(held);
    free(absolute);
    fuse_opt_free_args(&arguments);
    if (m->there)
        return true;
    const char *why = fuse_said();
    error_set(e, ERROR_SYSTEM, "cannot mount the set: %s", *why ? why : "fusermount3 may have said why");
    return error_at(e, directory, 0);
}

/* The times of all files: when the set was mounted, or SOURCE_DATE_EPOCH, seconds that make builds the same every time
 * (reproducible-builds.org). False where that is no such number. */
static bool time_of_files(struct timespec *t, struct error *e)
{
    static const char epoch[] = "SOURCE_DATE_EPOCH";
    const char *const given = getenv(epoch);
    uint64_t seconds;
    if (!given)
        return clock_gettime(CLOCK_REALTIME, t) == 0 || error_errno(e, NULL, "cannot tell the time");
    if (!cli_number(given, epoch, 0, INT64_MAX, &seconds, NULL))
        return error_set(e, ERROR_SYSTEM,
                         "the environment variable %s is '%.60s', which is not a whole number of seconds; correct or "
                         "unset it",
                         epoch, given);
    *t = (struct timespec){.tv_sec = (time_t)seconds};
    return true;
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
    m->umask = umask(0);
    umask(m->umask);
    fuse_set_log_func(hear);
    if (time_of_files(&m->since, e) && mount_there(m, directory, others, e))
        return m;
    mount_end(m);
    return NULL;
}

/* ---- until a signal ends it ----
 *
 * libfuse ends where its signal handler runs before it looks for an end, or while it waits. A signal between the two
 * would be lost. So a thread takes the signals, and interrupts libfuse's wait again and again until libfuse has
 * ended. */

enum {
    WAKE = SIGURG, /* which ends nothing */
    WAKE_NS = 10 * 1000 * 1000,
};

struct ending {
    struct fuse_session *session;
    pthread_t serving, waiting;
    sigset_t signals; /* those that end it, and WAKE, by which serve() says that it has ended otherwise */
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
    fuse_session_exit(n->session);
    while (!has_ended(n))
        pthread_kill(n->serving, WAKE);
    return NULL;
}

/* Returns 0, the number of the signal that ended it, or -errno. */
static int loop(struct fuse_session *session)
{
#ifdef PYELFGEN_FUSE_THREADS
    struct fuse_loop_config *config = fuse_loop_cfg_create();
    if (!config)
        return -ENOMEM;
    fuse_loop_cfg_set_max_threads(config, THREADS_MOST);
    fuse_loop_cfg_set_idle_threads(config, THREADS_IDLE);
    const int ended = fuse_session_loop_mt(session, config);
    fuse_loop_cfg_destroy(config);
    return ended;
#else /* no limit: libfuse starts as many as it wants */
    struct fuse_loop_config config = {.clone_fd = 0, .max_idle_threads = THREADS_IDLE};
    return fuse_session_loop_mt(session, &config);
#endif
}

/* Returns as loop() does. The threads of libfuse have all signals blocked that end the program; this thread has only
 * WAKE unblocked. */
static int serve(struct fuse_session *session)
{
    struct ending n = {.session = session, .serving = pthread_self()};
    sigset_t wake, before;
    const struct sigaction none = {.sa_handler = take_no_notice};
    sigemptyset(&wake);
    sigaddset(&wake, WAKE);
    process_endings(&n.signals); /* libfuse has handlers for some of these */
    sigaddset(&n.signals, WAKE);
    sem_init(&n.ended, 0, 0);
    sigaction(WAKE, &none, NULL);
    pthread_sigmask(SIG_BLOCK, &n.signals, &before);
    int ended = -pthread_create(&n.waiting, NULL, await_signal, &n);
    if (ended == 0) {
        pthread_sigmask(SIG_UNBLOCK, &wake, NULL);
        ended = loop(session);
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
        return error_errno(e, NULL, "cannot go to the background; use -f");
    fuse_set_log_func(NULL); /* libfuse's threads print their own messages */
    const int ended = serve(m->session);
    return ended >= 0 || error_set(e, ERROR_SYSTEM, "libfuse cannot go on: %s", strerror(-ended));
}

void mount_end(struct mounted *m)
{
    if (!m)
        return;
    if (m->there)
        fuse_session_unmount(m->session);
    if (m->handlers)
        fuse_remove_signal_handlers(m->session);
    if (m->session)
        fuse_session_destroy(m->session);
    free(m);
}
