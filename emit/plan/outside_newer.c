/* See outside_newer.h. Each name has had its version as the default since then, in libc.so.6 itself. */
#include "emit/plan/outside_newer.h"

#include <assert.h>
#include <stddef.h>

/* clang-format off */
static const char *const versions[] = {
    "GLIBC_2.4", "GLIBC_2.14", "GLIBC_2.3.4", "GLIBC_2.3", "GLIBC_2.7", "GLIBC_2.17", "GLIBC_2.8", "GLIBC_2.3.2",
    "GLIBC_2.15", "GLIBC_2.11", "GLIBC_2.6", "GLIBC_2.9", "GLIBC_2.16", "GLIBC_2.10", "GLIBC_2.5", "GLIBC_2.3.3",
    "GLIBC_2.12", "GLIBC_2.13", "GLIBC_2.18", "GLIBC_2.22", "GLIBC_2.25", "GLIBC_2.26", "GLIBC_2.27", "GLIBC_2.28",
    "GLIBC_2.30", "GLIBC_2.32", "GLIBC_2.33", "GLIBC_2.34",
};

/* The names of each version in turn, with a NULL behind those of each. */
static const char *const names[] = {
    /* GLIBC_2.4 */
    "__fgets_chk", "__getcwd_chk", "__mbstowcs_chk", "__pread64_chk", "__pread_chk", "__read_chk", "__readlink_chk",
    "__realpath_chk", "__recv_chk", "__recvfrom_chk", "__stack_chk_fail", "__stpncpy_chk", "eaccess", "faccessat",
    "fchmodat", "fchownat", "fdopendir", "inotify_add_watch", "inotify_init", "inotify_rm_watch", "linkat",
    "mkdirat", "mkfifoat", "open_wmemstream", "openat", "openat64", "ppoll", "readlinkat", "renameat", "symlinkat",
    "unlinkat", "unshare", NULL,
    /* GLIBC_2.14 */
    "clock_adjtime", "memcpy", "name_to_handle_at", "open_by_handle_at", "sendmmsg", "setns", "syncfs", NULL,
    /* GLIBC_2.3.4 */
    "__fprintf_chk", "__memcpy_chk", "__memmove_chk", "__mempcpy_chk", "__memset_chk", "__printf_chk",
    "__snprintf_chk", "__sprintf_chk", "__stpcpy_chk", "__strcat_chk", "__strcpy_chk", "__strncpy_chk",
    "__vfprintf_chk", "__vprintf_chk", "__vsnprintf_chk", "__vsprintf_chk", "__xpg_strerror_r", "regexec",
    "sched_getaffinity", "sched_setaffinity", NULL,
    /* GLIBC_2.3 */
    "__ctype_b_loc", "__ctype_tolower_loc", "__ctype_toupper_loc", "duplocale", "fgetxattr", "flistxattr",
    "freeifaddrs", "freelocale", "fremovexattr", "fsetxattr", "futimes", "getifaddrs", "getxattr", "isalnum_l",
    "isalpha_l", "iscntrl_l", "isdigit_l", "isgraph_l", "islower_l", "isprint_l", "ispunct_l", "isspace_l",
    "isupper_l", "isxdigit_l", "lgetxattr", "listxattr", "llistxattr", "lremovexattr", "lsetxattr", "lutimes",
    "newlocale", "nl_langinfo_l", "readahead", "realpath", "removexattr", "sendfile64", "setxattr", "strcasecmp_l",
    "strcoll_l", "strftime_l", "strncasecmp_l", "strtod_l", "strtol_l", "strtold_l", "strtoul_l", "tolower_l",
    "toupper_l", "uselocale", "wctrans_l", "wctype_l", NULL,
    /* GLIBC_2.7 */
    "__fread_chk", "__isoc99_fscanf", "__isoc99_scanf", "__isoc99_sscanf", "__isoc99_vfscanf", "__isoc99_vscanf",
    "__isoc99_vsscanf", "__open64_2", "__open_2", "__openat64_2", "__openat_2", "eventfd", "eventfd_read",
    "eventfd_write", "mkostemp", "mkostemp64", "signalfd", NULL,
    /* GLIBC_2.17 */
    "clock_getcpuclockid", "clock_getres", "clock_gettime", "clock_nanosleep", "clock_settime", "secure_getenv",
    NULL,
    /* GLIBC_2.8 */
    "__asprintf_chk", "__dprintf_chk", "__vasprintf_chk", "__vdprintf_chk", "qsort_r", "timerfd_create",
    "timerfd_gettime", "timerfd_settime", NULL,
    /* GLIBC_2.3.2 */
    "epoll_create", "epoll_ctl", "epoll_wait", "lchmod", "strptime_l", NULL,
    /* GLIBC_2.15 */
    "__fdelt_chk", "posix_spawn", "posix_spawnp", "process_vm_readv", "process_vm_writev", "scandirat",
    "scandirat64", NULL,
    /* GLIBC_2.11 */
    "__longjmp_chk", "execvpe", "mkostemps", "mkostemps64", "mkstemps", "mkstemps64", NULL,
    /* GLIBC_2.6 */
    "epoll_pwait", "futimens", "sched_getcpu", "strerror_l", "sync_file_range", "utimensat", NULL,
    /* GLIBC_2.9 */
    "dup3", "epoll_create1", "inotify_init1", "pipe2", NULL,
    /* GLIBC_2.16 */
    "aligned_alloc", "c16rtomb", "c32rtomb", "getauxval", "mbrtoc16", "mbrtoc32", "timespec_get", NULL,
    /* GLIBC_2.10 */
    "__cxa_at_quick_exit", "accept4", "fallocate", "fallocate64", "malloc_info", "preadv", "preadv64", "psiginfo",
    "pwritev", "pwritev64", NULL,
    /* GLIBC_2.5 */
    "__readlinkat_chk", "splice", "tee", "vmsplice", NULL,
    /* GLIBC_2.3.3 */
    "nftw", "nftw64", "remap_file_pages", "semtimedop", "strtoll_l", "strtoull_l", NULL,
    /* GLIBC_2.12 */
    "ntp_gettimex", "recvmmsg", NULL,
    /* GLIBC_2.13 */
    "fanotify_init", "fanotify_mark", "prlimit", "prlimit64", NULL,
    /* GLIBC_2.18 */
    "__cxa_thread_atexit_impl", NULL,
    /* GLIBC_2.22 */
    "fmemopen", NULL,
    /* GLIBC_2.25 */
    "__explicit_bzero_chk", "explicit_bzero", "getentropy", "getrandom", "strfromd", "strfromf", "strfroml", NULL,
    /* GLIBC_2.26 */
    "preadv2", "pwritev2", "reallocarray", NULL,
    /* GLIBC_2.27 */
    "copy_file_range", "glob", "glob64", "memfd_create", "mlock2", NULL,
    /* GLIBC_2.28 */
    "fcntl64", "renameat2", "statx", NULL,
    /* GLIBC_2.30 */
    "getdents64", "gettid", "tgkill", "twalk_r", NULL,
    /* GLIBC_2.32 */
    "pthread_sigmask", NULL,
    /* GLIBC_2.33 */
    "fstat", "fstat64", "fstatat", "fstatat64", "lstat", "lstat64", "mallinfo2", "stat", "stat64", NULL,
    /* GLIBC_2.34 */
    "_Fork", "__libc_start_main", "__mq_open_2", "__pthread_cleanup_routine", "__pthread_key_create",
    "__pthread_register_cancel", "__pthread_register_cancel_defer", "__pthread_unregister_cancel",
    "__pthread_unregister_cancel_restore", "__pthread_unwind_next", "_pthread_cleanup_pop", "_pthread_cleanup_push",
    "closefrom", "dlmopen",
    "pthread_attr_getguardsize", "pthread_attr_getstack", "pthread_attr_getstackaddr", "pthread_attr_getstacksize",
    "pthread_attr_setguardsize", "pthread_attr_setstack", "pthread_attr_setstackaddr", "pthread_attr_setstacksize",
    "pthread_cancel", "pthread_condattr_getclock", "pthread_condattr_getpshared", "pthread_condattr_setclock",
    "pthread_condattr_setpshared", "pthread_create", "pthread_detach", "pthread_getconcurrency",
    "pthread_getcpuclockid", "pthread_getspecific", "pthread_join", "pthread_key_create", "pthread_key_delete",
    "pthread_kill", "pthread_mutex_clocklock", "pthread_mutex_consistent", "pthread_mutex_getprioceiling",
    "pthread_mutex_setprioceiling", "pthread_mutex_timedlock", "pthread_mutex_trylock", "pthread_once",
    "pthread_rwlock_clockrdlock", "pthread_rwlock_clockwrlock", "pthread_rwlock_destroy", "pthread_rwlock_init",
    "pthread_rwlock_rdlock", "pthread_rwlock_timedrdlock", "pthread_rwlock_timedwrlock", "pthread_rwlock_tryrdlock",
    "pthread_rwlock_trywrlock", "pthread_rwlock_unlock", "pthread_rwlock_wrlock", "pthread_rwlockattr_destroy",
    "pthread_rwlockattr_getpshared", "pthread_rwlockattr_init", "pthread_rwlockattr_setpshared",
    "pthread_setconcurrency", "pthread_setschedprio", "pthread_setspecific", "pthread_sigqueue",
    "pthread_spin_destroy", "pthread_spin_init", "pthread_spin_lock", "pthread_spin_trylock", "pthread_spin_unlock",
    "pthread_testcancel", "res_dnok", "res_hnok", "res_mailok", "res_mkquery", "res_nmkquery", "res_nquery",
    "res_nquerydomain", "res_nsearch", "res_nsend", "res_ownok", "res_query", "res_querydomain", "res_search",
    "res_send", "sem_clockwait", "sem_close", "sem_destroy", "sem_getvalue", "sem_init", "sem_open", "sem_post",
    "sem_timedwait", "sem_trywait", "sem_unlink", "sem_wait", "shm_open", "shm_unlink", "timer_create",
    "timer_delete", "timer_getoverrun", "timer_gettime", "timer_settime", "timespec_getres", "tss_create",
    "tss_delete", "tss_get", "tss_set", NULL,
};
/* clang-format on */

enum { VERSIONS = sizeof versions / sizeof versions[0], NAMES = sizeof names / sizeof names[0] };

uint32_t outside_newer_versions(void)
{
    return VERSIONS;
}

const char *outside_newer_version(uint32_t version)
{
    return versions[version];
}

uint32_t outside_newer_first(uint32_t version)
{
    uint32_t first = 0;
    for (; version; first++)
        version -= !names[first];
    return first;
}

const char *outside_newer_name(uint32_t index)
{
    assert(index < NAMES);
    return names[index];
}
