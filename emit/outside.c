/* See outside.h. The functions of the C library are those that have had one version since
 * GLIBC_2.2.5, in libc.so.6 itself; CPython's those that 3.8 to 3.13 all export. */
#include "emit/outside.h"

#include <assert.h>
#include <string.h>

#include "base/random.h"
#include "emit/outside_beside.h"
#include "emit/outside_newer.h"

/* clang-format off */
static const char *const libc[] = {
    "a64l", "abort", "abs", "accept", "access", "acct", "addmntent", "addseverity", "adjtime", "adjtimex", "alarm",
    "alphasort", "alphasort64", "arch_prctl", "argp_error", "argp_failure", "argp_help", "argp_parse",
    "argp_state_help", "argp_usage", "argz_add", "argz_add_sep", "argz_append", "argz_count", "argz_create",
    "argz_create_sep", "argz_delete", "argz_extract", "argz_insert", "argz_next", "argz_replace", "argz_stringify",
    "asctime", "asctime_r", "asprintf", "atof", "atoi", "atol", "atoll", "backtrace", "backtrace_symbols",
    "backtrace_symbols_fd", "basename", "bcmp", "bcopy", "bind", "bind_textdomain_codeset", "bindresvport",
    "bindtextdomain", "brk", "bsd_signal", "bsearch", "btowc", "bzero", "calloc", "canonicalize_file_name", "capget",
    "capset", "catclose", "catgets", "catopen", "cfgetispeed", "cfgetospeed", "cfmakeraw", "cfsetispeed",
    "cfsetospeed", "cfsetspeed", "chdir", "chflags", "chmod", "chown", "chroot", "clearenv", "clearerr",
    "clearerr_unlocked", "clock", "clone", "close", "closedir", "closelog", "confstr", "connect", "copysign",
    "copysignf", "copysignl", "creat", "creat64", "ctermid", "ctime", "ctime_r", "cuserid", "daemon", "dcgettext",
    "dcngettext", "delete_module", "dgettext", "difftime", "dirfd", "dirname", "div", "dl_iterate_phdr", "dngettext",
    "dprintf", "drand48", "drand48_r", "dup", "dup2", "dysize", "ecvt", "ecvt_r", "endaliasent", "endfsent",
    "endgrent", "endhostent", "endmntent", "endnetent", "endnetgrent", "endprotoent", "endpwent", "endrpcent",
    "endservent", "endspent", "endttyent", "endusershell", "endutent", "endutxent", "envz_add", "envz_entry",
    "envz_get", "envz_merge", "envz_remove", "envz_strip", "erand48", "erand48_r", "err", "error", "error_at_line",
    "errx", "ether_aton", "ether_aton_r", "ether_hostton", "ether_line", "ether_ntoa", "ether_ntoa_r", "ether_ntohost",
    "euidaccess", "execl", "execle", "execlp", "execv", "execve", "execvp", "exit", "fchdir", "fchflags", "fchmod",
    "fchown", "fclose", "fcloseall", "fcntl", "fcvt", "fcvt_r", "fdatasync", "fdopen", "feof", "feof_unlocked",
    "ferror", "ferror_unlocked", "fexecve", "fflush", "fflush_unlocked", "ffs", "ffsl", "ffsll", "fgetc",
    "fgetc_unlocked", "fgetgrent", "fgetgrent_r", "fgetpos", "fgetpos64", "fgetpwent", "fgetpwent_r", "fgets",
    "fgets_unlocked", "fgetspent", "fgetspent_r", "fgetwc", "fgetwc_unlocked", "fgetws", "fgetws_unlocked", "fileno",
    "fileno_unlocked", "finite", "finitef", "finitel", "flock", "flockfile", "fmtmsg", "fnmatch", "fopen", "fopen64",
    "fopencookie", "fork", "fpathconf", "fprintf", "fputc", "fputc_unlocked", "fputs", "fputs_unlocked", "fputwc",
    "fputwc_unlocked", "fputws", "fputws_unlocked", "fread", "fread_unlocked", "free", "freeaddrinfo", "freopen",
    "freopen64", "frexp", "frexpf", "frexpl", "fscanf", "fseek", "fseeko", "fseeko64", "fsetpos", "fsetpos64",
    "fstatfs", "fstatfs64", "fstatvfs", "fstatvfs64", "fsync", "ftell", "ftello", "ftello64", "ftime", "ftok",
    "ftruncate", "ftruncate64", "ftrylockfile", "fts_children", "fts_close", "fts_open", "fts_read", "fts_set", "ftw",
    "ftw64", "funlockfile", "fwide", "fwprintf", "fwrite", "fwrite_unlocked", "fwscanf", "gai_strerror", "gcvt",
    "get_avphys_pages", "get_current_dir_name", "get_nprocs", "get_nprocs_conf", "get_phys_pages", "getaddrinfo",
    "getaliasbyname", "getaliasbyname_r", "getaliasent", "getaliasent_r", "getc", "getc_unlocked", "getchar",
    "getchar_unlocked", "getcontext", "getcwd", "getdate", "getdate_r", "getdelim", "getdirentries", "getdirentries64",
    "getdomainname", "getdtablesize", "getegid", "getenv", "geteuid", "getfsent", "getfsfile", "getfsspec", "getgid",
    "getgrent", "getgrent_r", "getgrgid", "getgrgid_r", "getgrnam", "getgrnam_r", "getgrouplist", "getgroups",
    "gethostbyaddr", "gethostbyaddr_r", "gethostbyname", "gethostbyname2", "gethostbyname2_r", "gethostbyname_r",
    "gethostent", "gethostent_r", "gethostid", "gethostname", "getitimer", "getline", "getloadavg", "getlogin",
    "getlogin_r", "getmntent", "getmntent_r", "getnameinfo", "getnetbyaddr", "getnetbyaddr_r", "getnetbyname",
    "getnetbyname_r", "getnetent", "getnetent_r", "getnetgrent", "getnetgrent_r", "getopt", "getopt_long",
    "getopt_long_only", "getpagesize", "getpass", "getpeername", "getpgid", "getpgrp", "getpid", "getppid",
    "getpriority", "getprotobyname", "getprotobyname_r", "getprotobynumber", "getprotobynumber_r", "getprotoent",
    "getprotoent_r", "getpt", "getpw", "getpwent", "getpwent_r", "getpwnam", "getpwnam_r", "getpwuid", "getpwuid_r",
    "getresgid", "getresuid", "getrlimit", "getrlimit64", "getrpcbyname", "getrpcbyname_r", "getrpcbynumber",
    "getrpcbynumber_r", "getrpcent", "getrpcent_r", "getrusage", "gets", "getservbyname", "getservbyname_r",
    "getservbyport", "getservbyport_r", "getservent", "getservent_r", "getsid", "getsockname", "getsockopt",
    "getspent", "getspent_r", "getspnam", "getspnam_r", "getsubopt", "gettext", "gettimeofday", "getttyent",
    "getttynam", "getuid", "getusershell", "getutent", "getutent_r", "getutid", "getutid_r", "getutline",
    "getutline_r", "getutmp", "getutmpx", "getutxent", "getutxid", "getutxline", "getw", "getwc", "getwc_unlocked",
    "getwchar", "getwchar_unlocked", "getwd", "glob_pattern_p", "globfree", "globfree64", "gmtime", "gmtime_r",
    "gnu_get_libc_release", "gnu_get_libc_version", "grantpt", "group_member", "gsignal", "gtty", "hasmntopt",
    "hcreate", "hcreate_r", "hdestroy", "hdestroy_r", "herror", "hsearch", "hsearch_r", "hstrerror", "htonl", "htons",
    "iconv", "iconv_close", "iconv_open", "if_freenameindex", "if_indextoname", "if_nameindex", "if_nametoindex",
    "imaxabs", "imaxdiv", "index", "inet_addr", "inet_aton", "inet_lnaof", "inet_makeaddr", "inet_netof",
    "inet_network", "inet_nsap_addr", "inet_nsap_ntoa", "inet_ntoa", "inet_ntop", "inet_pton", "init_module",
    "initgroups", "initstate", "initstate_r", "innetgr", "insque", "ioctl", "ioperm", "iopl", "iruserok",
    "iruserok_af", "isalnum", "isalpha", "isascii", "isatty", "isblank", "iscntrl", "isdigit", "isfdtype", "isgraph",
    "isinf", "isinff", "isinfl", "islower", "isnan", "isnanf", "isnanl", "isprint", "ispunct", "isspace", "isupper",
    "iswalnum", "iswalpha", "iswblank", "iswcntrl", "iswctype", "iswdigit", "iswgraph", "iswlower", "iswprint",
    "iswpunct", "iswspace", "iswupper", "iswxdigit", "isxdigit", "jrand48", "jrand48_r", "kill", "killpg", "klogctl",
    "l64a", "labs", "lchown", "lckpwdf", "lcong48", "lcong48_r", "ldexp", "ldexpf", "ldexpl", "ldiv", "lfind", "link",
    "listen", "llabs", "lldiv", "localeconv", "localtime", "localtime_r", "lockf", "lockf64", "longjmp", "lrand48",
    "lrand48_r", "lsearch", "lseek", "lseek64", "madvise", "makecontext", "mallinfo", "malloc", "malloc_stats",
    "malloc_trim", "malloc_usable_size", "mallopt", "mblen", "mbrlen", "mbrtowc", "mbsinit", "mbsnrtowcs", "mbsrtowcs",
    "mbstowcs", "mbtowc", "mcheck", "mcheck_check_all", "mcheck_pedantic", "mcount", "memalign", "memccpy", "memchr",
    "memcmp", "memfrob", "memmem", "memmove", "mempcpy", "memrchr", "memset", "mincore", "mkdir", "mkdtemp", "mkfifo",
    "mkstemp", "mkstemp64", "mktemp", "mktime", "mlock", "mlockall", "mmap", "mmap64", "modf", "modff", "modfl",
    "modify_ldt", "moncontrol", "monstartup", "mount", "mprobe", "mprotect", "mrand48", "mrand48_r", "mremap",
    "msgctl", "msgget", "msgrcv", "msgsnd", "msync", "mtrace", "munlock", "munlockall", "munmap", "muntrace",
    "nanosleep", "ngettext", "nice", "nl_langinfo", "nrand48", "nrand48_r", "ntohl", "ntohs", "ntp_adjtime",
    "ntp_gettime", "obstack_free", "obstack_printf", "obstack_vprintf", "on_exit", "open", "open64", "open_memstream",
    "opendir", "openlog", "parse_printf_format", "pathconf", "pause", "pclose", "perror", "personality", "pipe",
    "pivot_root", "poll", "popen", "posix_fadvise", "posix_fadvise64", "posix_fallocate", "posix_fallocate64",
    "posix_madvise", "posix_memalign", "posix_openpt", "posix_spawn_file_actions_addclose",
    "posix_spawn_file_actions_adddup2", "posix_spawn_file_actions_addopen", "posix_spawn_file_actions_destroy",
    "posix_spawn_file_actions_init", "posix_spawnattr_destroy", "posix_spawnattr_getflags",
    "posix_spawnattr_getpgroup", "posix_spawnattr_getschedparam", "posix_spawnattr_getschedpolicy",
    "posix_spawnattr_getsigdefault", "posix_spawnattr_getsigmask", "posix_spawnattr_init", "posix_spawnattr_setflags",
    "posix_spawnattr_setpgroup", "posix_spawnattr_setschedparam", "posix_spawnattr_setschedpolicy",
    "posix_spawnattr_setsigdefault", "posix_spawnattr_setsigmask", "prctl", "pread", "pread64", "printf",
    "printf_size", "printf_size_info", "profil", "pselect", "psignal", "pthread_attr_destroy",
    "pthread_attr_getdetachstate", "pthread_attr_getinheritsched", "pthread_attr_getschedparam",
    "pthread_attr_getschedpolicy", "pthread_attr_getscope", "pthread_attr_init", "pthread_attr_setdetachstate",
    "pthread_attr_setinheritsched", "pthread_attr_setschedparam", "pthread_attr_setschedpolicy",
    "pthread_attr_setscope", "pthread_condattr_destroy", "pthread_condattr_init", "pthread_equal", "pthread_exit",
    "pthread_getschedparam", "pthread_mutex_destroy", "pthread_mutex_init", "pthread_mutex_lock",
    "pthread_mutex_unlock", "pthread_self", "pthread_setcancelstate", "pthread_setcanceltype", "pthread_setschedparam",
    "ptrace", "ptsname", "ptsname_r", "putc", "putc_unlocked", "putchar", "putchar_unlocked", "putenv", "putgrent",
    "putpwent", "puts", "putspent", "pututline", "pututxline", "putw", "putwc", "putwc_unlocked", "putwchar",
    "putwchar_unlocked", "pvalloc", "pwrite", "pwrite64", "qecvt", "qecvt_r", "qfcvt", "qfcvt_r", "qgcvt", "qsort",
    "quotactl", "raise", "rand", "rand_r", "random", "random_r", "rawmemchr", "rcmd", "rcmd_af", "re_comp",
    "re_compile_fastmap", "re_compile_pattern", "re_exec", "re_match", "re_match_2", "re_search", "re_search_2",
    "re_set_registers", "re_set_syntax", "read", "readdir", "readdir64", "readdir64_r", "readdir_r", "readlink",
    "readv", "realloc", "reboot", "recv", "recvfrom", "recvmsg", "regcomp", "regerror", "regfree",
    "register_printf_function", "remove", "remque", "rename", "revoke", "rewind", "rewinddir", "rexec", "rexec_af",
    "rindex", "rmdir", "rpmatch", "rresvport", "rresvport_af", "ruserok", "ruserok_af", "ruserpass", "sbrk", "scalbn",
    "scalbnf", "scalbnl", "scandir", "scandir64", "scanf", "sched_get_priority_max", "sched_get_priority_min",
    "sched_getparam", "sched_getscheduler", "sched_rr_get_interval", "sched_setparam", "sched_setscheduler",
    "sched_yield", "seed48", "seed48_r", "seekdir", "select", "semctl", "semget", "semop", "send", "sendfile",
    "sendmsg", "sendto", "setaliasent", "setbuf", "setbuffer", "setcontext", "setdomainname", "setegid", "setenv",
    "seteuid", "setfsent", "setfsgid", "setfsuid", "setgid", "setgrent", "setgroups", "sethostent", "sethostid",
    "sethostname", "setitimer", "setjmp", "setlinebuf", "setlocale", "setlogin", "setlogmask", "setmntent",
    "setnetent", "setnetgrent", "setpgid", "setpgrp", "setpriority", "setprotoent", "setpwent", "setregid",
    "setresgid", "setresuid", "setreuid", "setrlimit", "setrlimit64", "setrpcent", "setservent", "setsid",
    "setsockopt", "setspent", "setstate", "setstate_r", "settimeofday", "setttyent", "setuid", "setusershell",
    "setutent", "setutxent", "setvbuf", "sgetspent", "sgetspent_r", "shmat", "shmctl", "shmdt", "shmget", "shutdown",
    "sigaction", "sigaddset", "sigaltstack", "sigandset", "sigblock", "sigdelset", "sigemptyset", "sigfillset",
    "siggetmask", "sighold", "sigignore", "siginterrupt", "sigisemptyset", "sigismember", "siglongjmp", "signal",
    "sigorset", "sigpause", "sigpending", "sigprocmask", "sigqueue", "sigrelse", "sigreturn", "sigset", "sigsetmask",
    "sigstack", "sigsuspend", "sigtimedwait", "sigwait", "sigwaitinfo", "sleep", "snprintf", "sockatmark", "socket",
    "socketpair", "sprintf", "sprofil", "srand", "srand48", "srand48_r", "srandom", "srandom_r", "sscanf", "ssignal",
    "statfs", "statfs64", "statvfs", "statvfs64", "stpcpy", "stpncpy", "strcasecmp", "strcasestr", "strcat", "strchr",
    "strchrnul", "strcmp", "strcoll", "strcpy", "strcspn", "strdup", "strerror", "strerror_r", "strfmon", "strfry",
    "strftime", "strlen", "strncasecmp", "strncat", "strncmp", "strncpy", "strndup", "strnlen", "strpbrk", "strptime",
    "strrchr", "strsep", "strsignal", "strspn", "strstr", "strtod", "strtof", "strtoimax", "strtok", "strtok_r",
    "strtol", "strtold", "strtoll", "strtoq", "strtoul", "strtoull", "strtoumax", "strtouq", "strverscmp", "strxfrm",
    "stty", "swab", "swapcontext", "swapoff", "swapon", "swprintf", "swscanf", "symlink", "sync", "syscall", "sysconf",
    "sysinfo", "syslog", "system", "sysv_signal", "tcdrain", "tcflow", "tcflush", "tcgetattr", "tcgetpgrp", "tcgetsid",
    "tcsendbreak", "tcsetattr", "tcsetpgrp", "tdelete", "tdestroy", "telldir", "tempnam", "textdomain", "tfind",
    "time", "timegm", "timelocal", "times", "tmpfile", "tmpfile64", "tmpnam", "tmpnam_r", "toascii", "tolower",
    "toupper", "towctrans", "towlower", "towupper", "truncate", "truncate64", "tsearch", "ttyname", "ttyname_r",
    "ttyslot", "twalk", "tzset", "ualarm", "ulckpwdf", "ulimit", "umask", "umount", "umount2", "uname", "ungetc",
    "ungetwc", "unlink", "unlockpt", "unsetenv", "updwtmp", "updwtmpx", "usleep", "utime", "utimes", "utmpname",
    "utmpxname", "valloc", "vasprintf", "vdprintf", "verr", "verrx", "versionsort", "versionsort64", "vfork",
    "vfprintf", "vfscanf", "vfwprintf", "vfwscanf", "vhangup", "vlimit", "vprintf", "vscanf", "vsnprintf", "vsprintf",
    "vsscanf", "vswprintf", "vswscanf", "vsyslog", "vwarn", "vwarnx", "vwprintf", "vwscanf", "wait", "wait3", "wait4",
    "waitid", "waitpid", "warn", "warnx", "wcpcpy", "wcpncpy", "wcrtomb", "wcscasecmp", "wcscat", "wcschr",
    "wcschrnul", "wcscmp", "wcscoll", "wcscpy", "wcscspn", "wcsdup", "wcsftime", "wcslen", "wcsncasecmp", "wcsncat",
    "wcsncmp", "wcsncpy", "wcsnlen", "wcsnrtombs", "wcspbrk", "wcsrchr", "wcsrtombs", "wcsspn", "wcsstr", "wcstod",
    "wcstof", "wcstoimax", "wcstok", "wcstol", "wcstold", "wcstoll", "wcstombs", "wcstoq", "wcstoul", "wcstoull",
    "wcstoumax", "wcstouq", "wcswcs", "wcswidth", "wcsxfrm", "wctob", "wctomb", "wctrans", "wctype", "wcwidth",
    "wmemchr", "wmemcmp", "wmemcpy", "wmemmove", "wmempcpy", "wmemset", "wordexp", "wordfree", "wprintf", "write",
    "writev", "wscanf",
};

/* Of these only where lengths are wanted: short ones, of which there are few. */
static const char *const inner[] = {
    "_Exit", "__assert", "__bzero", "__clone", "__close", "__dup2", "__fcntl", "__ffs", "__finite", "__flbf", "__fork",
    "__fpurge", "__fxstat", "__getpid", "__isinf", "__isinff", "__isinfl", "__isnan", "__isnanf", "__isnanl", "__lseek",
    "__lxstat", "__mbrlen", "__open", "__open64", "__pipe", "__poll", "__read", "__sbrk", "__select", "__send",
    "__statfs", "__strdup", "__uflow", "__vfork", "__wait", "__write", "__wuflow", "__xmknod", "__xstat", "_exit",
    "_longjmp", "_mcount", "_setjmp", "_tolower", "_toupper",
};

static const char *const python[] = {
    "PyArg_Parse", "PyArg_ParseTuple", "PyArg_ParseTupleAndKeywords", "PyArg_UnpackTuple", "PyArg_VaParse",
    "PyArg_VaParseTupleAndKeywords", "PyArg_ValidateKeywordArguments", "PyAsyncGen_New", "PyBool_FromLong",
    "PyBuffer_FillContiguousStrides", "PyBuffer_FillInfo", "PyBuffer_FromContiguous", "PyBuffer_GetPointer",
    "PyBuffer_IsContiguous", "PyBuffer_Release", "PyBuffer_ToContiguous", "PyByteArray_AsString", "PyByteArray_Concat",
    "PyByteArray_FromObject", "PyByteArray_FromStringAndSize", "PyByteArray_Resize", "PyByteArray_Size",
    "PyBytes_AsString", "PyBytes_AsStringAndSize", "PyBytes_Concat", "PyBytes_ConcatAndDel", "PyBytes_DecodeEscape",
    "PyBytes_FromFormat", "PyBytes_FromFormatV", "PyBytes_FromObject", "PyBytes_FromString",
    "PyBytes_FromStringAndSize", "PyBytes_Repr", "PyBytes_Size", "PyCFunction_Call", "PyCFunction_GetFlags",
    "PyCFunction_GetFunction", "PyCFunction_GetSelf", "PyCFunction_NewEx", "PyCallIter_New", "PyCallable_Check",
    "PyCapsule_GetContext", "PyCapsule_GetDestructor", "PyCapsule_GetName", "PyCapsule_GetPointer", "PyCapsule_Import",
    "PyCapsule_IsValid", "PyCapsule_New", "PyCapsule_SetContext", "PyCapsule_SetDestructor", "PyCapsule_SetName",
    "PyCapsule_SetPointer", "PyCell_Get", "PyCell_New", "PyCell_Set", "PyClassMethod_New", "PyCode_Addr2Line",
    "PyCode_NewEmpty", "PyCode_Optimize", "PyCodec_BackslashReplaceErrors", "PyCodec_Decode", "PyCodec_Decoder",
    "PyCodec_Encode", "PyCodec_Encoder", "PyCodec_IgnoreErrors", "PyCodec_IncrementalDecoder",
    "PyCodec_IncrementalEncoder", "PyCodec_KnownEncoding", "PyCodec_LookupError", "PyCodec_NameReplaceErrors",
    "PyCodec_Register", "PyCodec_RegisterError", "PyCodec_ReplaceErrors", "PyCodec_StreamReader",
    "PyCodec_StreamWriter", "PyCodec_StrictErrors", "PyCodec_XMLCharRefReplaceErrors", "PyCompile_OpcodeStackEffect",
    "PyCompile_OpcodeStackEffectWithJump", "PyComplex_AsCComplex", "PyComplex_FromCComplex", "PyComplex_FromDoubles",
    "PyComplex_ImagAsDouble", "PyComplex_RealAsDouble", "PyConfig_Clear", "PyConfig_InitIsolatedConfig",
    "PyConfig_InitPythonConfig", "PyConfig_Read", "PyConfig_SetArgv", "PyConfig_SetBytesArgv",
    "PyConfig_SetBytesString", "PyConfig_SetString", "PyConfig_SetWideStringList", "PyContextVar_Get",
    "PyContextVar_New", "PyContextVar_Reset", "PyContextVar_Set", "PyContext_Copy", "PyContext_CopyCurrent",
    "PyContext_Enter", "PyContext_Exit", "PyContext_New", "PyCoro_New", "PyDescr_NewClassMethod", "PyDescr_NewGetSet",
    "PyDescr_NewMember", "PyDescr_NewMethod", "PyDescr_NewWrapper", "PyDictProxy_New", "PyDict_Clear",
    "PyDict_Contains", "PyDict_Copy", "PyDict_DelItem", "PyDict_DelItemString", "PyDict_GetItem",
    "PyDict_GetItemString", "PyDict_GetItemWithError", "PyDict_Items", "PyDict_Keys", "PyDict_Merge",
    "PyDict_MergeFromSeq2", "PyDict_New", "PyDict_Next", "PyDict_SetDefault", "PyDict_SetItem", "PyDict_SetItemString",
    "PyDict_Size", "PyDict_Update", "PyDict_Values", "PyErr_BadArgument", "PyErr_BadInternalCall",
    "PyErr_CheckSignals", "PyErr_Clear", "PyErr_Display", "PyErr_ExceptionMatches", "PyErr_Fetch", "PyErr_Format",
    "PyErr_FormatV", "PyErr_GetExcInfo", "PyErr_GivenExceptionMatches", "PyErr_NewException",
    "PyErr_NewExceptionWithDoc", "PyErr_NoMemory", "PyErr_NormalizeException", "PyErr_Occurred", "PyErr_Print",
    "PyErr_PrintEx", "PyErr_ProgramText", "PyErr_ProgramTextObject", "PyErr_ResourceWarning", "PyErr_Restore",
    "PyErr_SetExcInfo", "PyErr_SetFromErrno", "PyErr_SetFromErrnoWithFilename", "PyErr_SetFromErrnoWithFilenameObject",
    "PyErr_SetFromErrnoWithFilenameObjects", "PyErr_SetImportError", "PyErr_SetImportErrorSubclass",
    "PyErr_SetInterrupt", "PyErr_SetNone", "PyErr_SetObject", "PyErr_SetString", "PyErr_SyntaxLocation",
    "PyErr_SyntaxLocationEx", "PyErr_SyntaxLocationObject", "PyErr_WarnEx", "PyErr_WarnExplicit",
    "PyErr_WarnExplicitFormat", "PyErr_WarnExplicitObject", "PyErr_WarnFormat", "PyErr_WriteUnraisable",
    "PyEval_AcquireLock", "PyEval_AcquireThread", "PyEval_CallFunction", "PyEval_CallMethod",
    "PyEval_CallObjectWithKeywords", "PyEval_EvalCode", "PyEval_EvalCodeEx", "PyEval_EvalFrame", "PyEval_EvalFrameEx",
    "PyEval_GetBuiltins", "PyEval_GetFrame", "PyEval_GetFuncDesc", "PyEval_GetFuncName", "PyEval_GetGlobals",
    "PyEval_GetLocals", "PyEval_InitThreads", "PyEval_MergeCompilerFlags", "PyEval_ReleaseLock",
    "PyEval_ReleaseThread", "PyEval_RestoreThread", "PyEval_SaveThread", "PyEval_SetProfile", "PyEval_SetTrace",
    "PyEval_ThreadsInitialized", "PyExceptionClass_Name", "PyException_GetCause", "PyException_GetContext",
    "PyException_GetTraceback", "PyException_SetCause", "PyException_SetContext", "PyException_SetTraceback",
    "PyFile_FromFd", "PyFile_GetLine", "PyFile_NewStdPrinter", "PyFile_OpenCode", "PyFile_OpenCodeObject",
    "PyFile_SetOpenCodeHook", "PyFile_WriteObject", "PyFile_WriteString", "PyFloat_AsDouble", "PyFloat_FromDouble",
    "PyFloat_FromString", "PyFloat_GetInfo", "PyFloat_GetMax", "PyFloat_GetMin", "PyFrame_FastToLocals",
    "PyFrame_FastToLocalsWithError", "PyFrame_GetLineNumber", "PyFrame_LocalsToFast", "PyFrame_New", "PyFrozenSet_New",
    "PyFunction_GetAnnotations", "PyFunction_GetClosure", "PyFunction_GetCode", "PyFunction_GetDefaults",
    "PyFunction_GetGlobals", "PyFunction_GetKwDefaults", "PyFunction_GetModule", "PyFunction_New",
    "PyFunction_NewWithQualName", "PyFunction_SetAnnotations", "PyFunction_SetClosure", "PyFunction_SetDefaults",
    "PyFunction_SetKwDefaults", "PyGC_Collect", "PyGILState_Check", "PyGILState_Ensure",
    "PyGILState_GetThisThreadState", "PyGILState_Release", "PyGen_New", "PyGen_NewWithQualName", "PyHash_GetFuncDef",
    "PyImport_AddModule", "PyImport_AddModuleObject", "PyImport_AppendInittab", "PyImport_ExecCodeModule",
    "PyImport_ExecCodeModuleEx", "PyImport_ExecCodeModuleObject", "PyImport_ExecCodeModuleWithPathnames",
    "PyImport_ExtendInittab", "PyImport_GetImporter", "PyImport_GetMagicNumber", "PyImport_GetMagicTag",
    "PyImport_GetModule", "PyImport_GetModuleDict", "PyImport_Import", "PyImport_ImportFrozenModule",
    "PyImport_ImportFrozenModuleObject", "PyImport_ImportModule", "PyImport_ImportModuleLevel",
    "PyImport_ImportModuleLevelObject", "PyImport_ImportModuleNoBlock", "PyImport_ReloadModule", "PyIndex_Check",
    "PyInit__abc", "PyInit__ast", "PyInit__codecs", "PyInit__collections", "PyInit__functools", "PyInit__imp",
    "PyInit__io", "PyInit__locale", "PyInit__operator", "PyInit__signal", "PyInit__sre", "PyInit__stat",
    "PyInit__string", "PyInit__symtable", "PyInit__thread", "PyInit__tracemalloc", "PyInit__weakref", "PyInit_atexit",
    "PyInit_errno", "PyInit_faulthandler", "PyInit_gc", "PyInit_itertools", "PyInit_posix", "PyInit_pwd",
    "PyInit_time", "PyInstanceMethod_Function", "PyInstanceMethod_New", "PyInterpreterState_Clear",
    "PyInterpreterState_Delete", "PyInterpreterState_GetDict", "PyInterpreterState_GetID", "PyInterpreterState_Head",
    "PyInterpreterState_Main", "PyInterpreterState_New", "PyInterpreterState_Next", "PyInterpreterState_ThreadHead",
    "PyIter_Check", "PyIter_Next", "PyList_Append", "PyList_AsTuple", "PyList_GetItem", "PyList_GetSlice",
    "PyList_Insert", "PyList_New", "PyList_Reverse", "PyList_SetItem", "PyList_SetSlice", "PyList_Size", "PyList_Sort",
    "PyLong_AsDouble", "PyLong_AsLong", "PyLong_AsLongAndOverflow", "PyLong_AsLongLong",
    "PyLong_AsLongLongAndOverflow", "PyLong_AsSize_t", "PyLong_AsSsize_t", "PyLong_AsUnsignedLong",
    "PyLong_AsUnsignedLongLong", "PyLong_AsUnsignedLongLongMask", "PyLong_AsUnsignedLongMask", "PyLong_AsVoidPtr",
    "PyLong_FromDouble", "PyLong_FromLongLong", "PyLong_FromSize_t", "PyLong_FromSsize_t", "PyLong_FromString",
    "PyLong_FromUnicodeObject", "PyLong_FromUnsignedLongLong", "PyLong_FromVoidPtr", "PyLong_GetInfo",
    "PyMapping_Check", "PyMapping_GetItemString", "PyMapping_HasKey", "PyMapping_HasKeyString", "PyMapping_Items",
    "PyMapping_Keys", "PyMapping_Length", "PyMapping_SetItemString", "PyMapping_Size", "PyMapping_Values",
    "PyMarshal_Init", "PyMarshal_ReadLastObjectFromFile", "PyMarshal_ReadLongFromFile", "PyMarshal_ReadObjectFromFile",
    "PyMarshal_ReadObjectFromString", "PyMarshal_ReadShortFromFile", "PyMarshal_WriteLongToFile",
    "PyMarshal_WriteObjectToFile", "PyMarshal_WriteObjectToString", "PyMem_Calloc", "PyMem_Free", "PyMem_GetAllocator",
    "PyMem_Malloc", "PyMem_RawCalloc", "PyMem_RawFree", "PyMem_RawMalloc", "PyMem_RawRealloc", "PyMem_Realloc",
    "PyMem_SetAllocator", "PyMem_SetupDebugHooks", "PyMember_GetOne", "PyMember_SetOne", "PyMemoryView_FromBuffer",
    "PyMemoryView_FromMemory", "PyMemoryView_FromObject", "PyMemoryView_GetContiguous", "PyMethod_Function",
    "PyMethod_New", "PyMethod_Self", "PyModule_AddFunctions", "PyModule_AddObject",
    "PyModule_AddStringConstant", "PyModule_ExecDef", "PyModule_FromDefAndSpec2", "PyModule_GetDef",
    "PyModule_GetDict", "PyModule_GetFilename", "PyModule_GetFilenameObject", "PyModule_GetName",
    "PyModule_GetNameObject", "PyModule_GetState", "PyModule_New", "PyModule_NewObject", "PyModule_SetDocString",
    "PyNumber_Absolute", "PyNumber_Add", "PyNumber_And", "PyNumber_AsSsize_t", "PyNumber_Check", "PyNumber_Divmod",
    "PyNumber_Float", "PyNumber_FloorDivide", "PyNumber_InPlaceAdd", "PyNumber_InPlaceAnd",
    "PyNumber_InPlaceFloorDivide", "PyNumber_InPlaceLshift", "PyNumber_InPlaceMatrixMultiply",
    "PyNumber_InPlaceMultiply", "PyNumber_InPlaceOr", "PyNumber_InPlacePower", "PyNumber_InPlaceRemainder",
    "PyNumber_InPlaceRshift", "PyNumber_InPlaceSubtract", "PyNumber_InPlaceTrueDivide", "PyNumber_InPlaceXor",
    "PyNumber_Index", "PyNumber_Invert", "PyNumber_Long", "PyNumber_Lshift", "PyNumber_MatrixMultiply",
    "PyNumber_Multiply", "PyNumber_Negative", "PyNumber_Or", "PyNumber_Positive", "PyNumber_Power",
    "PyNumber_Remainder", "PyNumber_Rshift", "PyNumber_Subtract", "PyNumber_ToBase", "PyNumber_TrueDivide",
    "PyNumber_Xor", "PyODict_DelItem", "PyODict_New", "PyODict_SetItem", "PyOS_AfterFork", "PyOS_AfterFork_Child",
    "PyOS_AfterFork_Parent", "PyOS_BeforeFork", "PyOS_FSPath", "PyOS_InterruptOccurred", "PyOS_Readline",
    "PyOS_double_to_string", "PyOS_getsig", "PyOS_mystricmp", "PyOS_mystrnicmp", "PyOS_setsig", "PyOS_snprintf",
    "PyOS_string_to_double", "PyOS_strtol", "PyOS_strtoul", "PyOS_vsnprintf", "PyObject_ASCII",
    "PyObject_AsCharBuffer", "PyObject_AsFileDescriptor", "PyObject_AsReadBuffer", "PyObject_AsWriteBuffer",
    "PyObject_Bytes", "PyObject_Call", "PyObject_CallFinalizer", "PyObject_CallFinalizerFromDealloc",
    "PyObject_CallFunction", "PyObject_CallFunctionObjArgs", "PyObject_CallMethod", "PyObject_CallMethodObjArgs",
    "PyObject_CallObject", "PyObject_Calloc", "PyObject_CheckReadBuffer", "PyObject_ClearWeakRefs",
    "PyObject_CopyData", "PyObject_DelItem", "PyObject_DelItemString", "PyObject_Dir", "PyObject_Format",
    "PyObject_Free", "PyObject_GC_Del", "PyObject_GC_Track", "PyObject_GC_UnTrack", "PyObject_GenericGetAttr",
    "PyObject_GenericGetDict", "PyObject_GenericSetAttr", "PyObject_GenericSetDict", "PyObject_GetArenaAllocator",
    "PyObject_GetAttr", "PyObject_GetAttrString", "PyObject_GetBuffer", "PyObject_GetItem", "PyObject_GetIter",
    "PyObject_HasAttr", "PyObject_HasAttrString", "PyObject_Hash", "PyObject_HashNotImplemented", "PyObject_Init",
    "PyObject_InitVar", "PyObject_IsInstance", "PyObject_IsSubclass", "PyObject_IsTrue", "PyObject_Length",
    "PyObject_LengthHint", "PyObject_Malloc", "PyObject_Not", "PyObject_Print", "PyObject_Realloc", "PyObject_Repr",
    "PyObject_RichCompare", "PyObject_RichCompareBool", "PyObject_SelfIter", "PyObject_SetArenaAllocator",
    "PyObject_SetAttr", "PyObject_SetAttrString", "PyObject_SetItem", "PyObject_Size", "PyObject_Str", "PyObject_Type",
    "PyPickleBuffer_FromObject", "PyPickleBuffer_GetBuffer", "PyPickleBuffer_Release",
    "PyPreConfig_InitIsolatedConfig", "PyPreConfig_InitPythonConfig", "PyRun_AnyFile", "PyRun_AnyFileEx",
    "PyRun_AnyFileExFlags", "PyRun_AnyFileFlags", "PyRun_File", "PyRun_FileEx", "PyRun_FileExFlags", "PyRun_FileFlags",
    "PyRun_InteractiveLoop", "PyRun_InteractiveLoopFlags", "PyRun_InteractiveOne", "PyRun_InteractiveOneFlags",
    "PyRun_InteractiveOneObject", "PyRun_SimpleFile", "PyRun_SimpleFileEx", "PyRun_SimpleFileExFlags",
    "PyRun_SimpleString", "PyRun_SimpleStringFlags", "PyRun_String", "PyRun_StringFlags", "PySeqIter_New",
    "PySequence_Check", "PySequence_Concat", "PySequence_Contains", "PySequence_Count", "PySequence_DelItem",
    "PySequence_DelSlice", "PySequence_Fast", "PySequence_GetItem", "PySequence_GetSlice", "PySequence_In",
    "PySequence_InPlaceConcat", "PySequence_InPlaceRepeat", "PySequence_Index", "PySequence_Length", "PySequence_List",
    "PySequence_Repeat", "PySequence_SetItem", "PySequence_SetSlice", "PySequence_Size", "PySequence_Tuple",
    "PySet_Add", "PySet_Clear", "PySet_Contains", "PySet_Discard", "PySet_New", "PySet_Pop", "PySet_Size",
    "PySlice_AdjustIndices", "PySlice_GetIndices", "PySlice_GetIndicesEx", "PySlice_New", "PySlice_Unpack",
    "PyState_AddModule", "PyState_FindModule", "PyState_RemoveModule", "PyStaticMethod_New", "PyStatus_Error",
    "PyStatus_Exception", "PyStatus_Exit", "PyStatus_IsError", "PyStatus_IsExit", "PyStatus_NoMemory", "PyStatus_Ok",
    "PyStructSequence_GetItem", "PyStructSequence_InitType", "PyStructSequence_InitType2", "PyStructSequence_New",
    "PyStructSequence_NewType", "PyStructSequence_SetItem", "PySys_AddAuditHook", "PySys_AddWarnOption",
    "PySys_AddWarnOptionUnicode", "PySys_AddXOption", "PySys_Audit", "PySys_FormatStderr", "PySys_FormatStdout",
    "PySys_GetObject", "PySys_GetXOptions", "PySys_HasWarnOptions", "PySys_ResetWarnOptions", "PySys_SetArgv",
    "PySys_SetArgvEx", "PySys_SetObject", "PySys_SetPath", "PySys_WriteStderr", "PySys_WriteStdout",
    "PyThreadState_Clear", "PyThreadState_Delete", "PyThreadState_DeleteCurrent", "PyThreadState_Get",
    "PyThreadState_GetDict", "PyThreadState_New", "PyThreadState_Next", "PyThreadState_SetAsyncExc",
    "PyThreadState_Swap", "PyThread_GetInfo", "PyThread_ReInitTLS", "PyThread_acquire_lock",
    "PyThread_acquire_lock_timed", "PyThread_allocate_lock", "PyThread_create_key", "PyThread_delete_key",
    "PyThread_delete_key_value", "PyThread_exit_thread", "PyThread_free_lock", "PyThread_get_key_value",
    "PyThread_get_stacksize", "PyThread_get_thread_ident", "PyThread_get_thread_native_id", "PyThread_init_thread",
    "PyThread_release_lock", "PyThread_set_key_value", "PyThread_set_stacksize", "PyThread_start_new_thread",
    "PyThread_tss_alloc", "PyThread_tss_create", "PyThread_tss_delete", "PyThread_tss_free", "PyThread_tss_get",
    "PyThread_tss_is_created", "PyThread_tss_set", "PyTraceBack_Here", "PyTraceBack_Print", "PyTraceMalloc_Track",
    "PyTraceMalloc_Untrack", "PyTuple_GetItem", "PyTuple_GetSlice", "PyTuple_New", "PyTuple_Pack", "PyTuple_SetItem",
    "PyTuple_Size", "PyType_ClearCache", "PyType_FromSpec", "PyType_FromSpecWithBases", "PyType_GenericAlloc",
    "PyType_GenericNew", "PyType_GetFlags", "PyType_GetSlot", "PyType_IsSubtype", "PyType_Modified", "PyType_Ready",
    "PyUnicodeDecodeError_Create", "PyUnicodeDecodeError_GetEncoding", "PyUnicodeDecodeError_GetEnd",
    "PyUnicodeDecodeError_GetObject", "PyUnicodeDecodeError_GetReason", "PyUnicodeDecodeError_GetStart",
    "PyUnicodeDecodeError_SetEnd", "PyUnicodeDecodeError_SetReason", "PyUnicodeDecodeError_SetStart",
    "PyUnicodeEncodeError_GetEncoding", "PyUnicodeEncodeError_GetEnd", "PyUnicodeEncodeError_GetObject",
    "PyUnicodeEncodeError_GetReason", "PyUnicodeEncodeError_GetStart", "PyUnicodeEncodeError_SetEnd",
    "PyUnicodeEncodeError_SetReason", "PyUnicodeEncodeError_SetStart", "PyUnicodeTranslateError_GetEnd",
    "PyUnicodeTranslateError_GetObject", "PyUnicodeTranslateError_GetReason", "PyUnicodeTranslateError_GetStart",
    "PyUnicodeTranslateError_SetEnd", "PyUnicodeTranslateError_SetReason", "PyUnicodeTranslateError_SetStart",
    "PyUnicode_Append", "PyUnicode_AppendAndDel", "PyUnicode_AsASCIIString", "PyUnicode_AsCharmapString",
    "PyUnicode_AsDecodedObject", "PyUnicode_AsDecodedUnicode", "PyUnicode_AsEncodedObject",
    "PyUnicode_AsEncodedString", "PyUnicode_AsEncodedUnicode", "PyUnicode_AsLatin1String",
    "PyUnicode_AsRawUnicodeEscapeString", "PyUnicode_AsUCS4", "PyUnicode_AsUCS4Copy", "PyUnicode_AsUTF16String",
    "PyUnicode_AsUTF32String", "PyUnicode_AsUTF8", "PyUnicode_AsUTF8AndSize", "PyUnicode_AsUTF8String",
    "PyUnicode_AsUnicodeEscapeString", "PyUnicode_AsWideChar", "PyUnicode_AsWideCharString",
    "PyUnicode_BuildEncodingMap", "PyUnicode_Compare", "PyUnicode_CompareWithASCIIString", "PyUnicode_Concat",
    "PyUnicode_Contains", "PyUnicode_CopyCharacters", "PyUnicode_Count", "PyUnicode_Decode", "PyUnicode_DecodeASCII",
    "PyUnicode_DecodeCharmap", "PyUnicode_DecodeFSDefault", "PyUnicode_DecodeFSDefaultAndSize",
    "PyUnicode_DecodeLatin1", "PyUnicode_DecodeLocale", "PyUnicode_DecodeLocaleAndSize",
    "PyUnicode_DecodeRawUnicodeEscape", "PyUnicode_DecodeUTF16", "PyUnicode_DecodeUTF16Stateful",
    "PyUnicode_DecodeUTF32", "PyUnicode_DecodeUTF32Stateful", "PyUnicode_DecodeUTF7", "PyUnicode_DecodeUTF7Stateful",
    "PyUnicode_DecodeUTF8", "PyUnicode_DecodeUTF8Stateful", "PyUnicode_DecodeUnicodeEscape",
    "PyUnicode_EncodeFSDefault", "PyUnicode_EncodeLocale", "PyUnicode_FSConverter", "PyUnicode_FSDecoder",
    "PyUnicode_Fill", "PyUnicode_Find", "PyUnicode_FindChar", "PyUnicode_Format", "PyUnicode_FromEncodedObject",
    "PyUnicode_FromFormat", "PyUnicode_FromFormatV", "PyUnicode_FromKindAndData", "PyUnicode_FromObject",
    "PyUnicode_FromOrdinal", "PyUnicode_FromString", "PyUnicode_FromStringAndSize", "PyUnicode_FromWideChar",
    "PyUnicode_GetDefaultEncoding", "PyUnicode_GetLength", "PyUnicode_GetSize", "PyUnicode_InternFromString",
    "PyUnicode_InternImmortal", "PyUnicode_InternInPlace", "PyUnicode_IsIdentifier", "PyUnicode_Join", "PyUnicode_New",
    "PyUnicode_Partition", "PyUnicode_RPartition", "PyUnicode_RSplit", "PyUnicode_ReadChar", "PyUnicode_Replace",
    "PyUnicode_Resize", "PyUnicode_RichCompare", "PyUnicode_Split", "PyUnicode_Splitlines", "PyUnicode_Substring",
    "PyUnicode_Tailmatch", "PyUnicode_Translate", "PyUnicode_WriteChar", "PyVectorcall_Call", "PyWeakref_GetObject",
    "PyWeakref_NewProxy", "PyWeakref_NewRef", "PyWideStringList_Append", "PyWideStringList_Insert", "PyWrapper_New",
    "Py_AddPendingCall", "Py_AtExit", "Py_BuildValue", "Py_BytesMain", "Py_CompileString", "Py_CompileStringExFlags",
    "Py_CompileStringFlags", "Py_CompileStringObject", "Py_DecRef", "Py_DecodeLocale", "Py_EncodeLocale",
    "Py_EndInterpreter", "Py_Exit", "Py_ExitStatusException", "Py_FatalError", "Py_FdIsInteractive", "Py_Finalize",
    "Py_FinalizeEx", "Py_FrozenMain", "Py_GetArgcArgv", "Py_GetBuildInfo", "Py_GetCompiler", "Py_GetCopyright",
    "Py_GetExecPrefix", "Py_GetPath", "Py_GetPlatform", "Py_GetPrefix", "Py_GetProgramFullPath", "Py_GetProgramName",
    "Py_GetPythonHome", "Py_GetRecursionLimit", "Py_GetVersion", "Py_IncRef", "Py_Initialize", "Py_InitializeEx",
    "Py_InitializeFromConfig", "Py_IsInitialized", "Py_Main", "Py_MakePendingCalls", "Py_NewInterpreter",
    "Py_PreInitialize", "Py_PreInitializeFromArgs", "Py_PreInitializeFromBytesArgs", "Py_ReprEnter", "Py_ReprLeave",
    "Py_RunMain", "Py_SetPath", "Py_SetProgramName", "Py_SetPythonHome", "Py_SetRecursionLimit",
    "Py_UniversalNewlineFgets", "Py_VaBuildValue",
};
/* clang-format on */

enum { LIBC = sizeof libc / sizeof libc[0], PYTHON = sizeof python / sizeof python[0] };
/* Where the inner ones begin, those of outside_beside.h, at most so many, and those of outside_newer.h. */
enum {
    INNER = PYTHON + LIBC,
    BESIDE = INNER + sizeof inner / sizeof inner[0],
    BESIDE_MOST = 512,
    NEWER = BESIDE + BESIDE_MOST
};
enum { LENGTHS = 64 /* names are shorter */, PASSES = 3 };

/* What programs link with; not those that take names from others (libBrokenLocale.so.1, libc_malloc_debug.so.0) or need
 * a program to have some (libthread_db.so.1). */
static const char *const libraries[] = {"libm.so.6",    "libdl.so.2",     "libpthread.so.0",      "librt.so.1",
                                        "libutil.so.1", "libresolv.so.2", "ld-linux-x86-64.so.2", "libanl.so.1",
                                        "libmvec.so.1"};

uint32_t outside_libraries_most(void)
{
    return sizeof libraries / sizeof libraries[0];
}

const char *outside_library(uint32_t index)
{
    return libraries[index];
}

uint32_t outside_most(bool module)
{
    return LIBC + (module ? PYTHON : 0);
}

/* The names of a library in its order: place in the lists, CPython's before the C library's. */
static uint32_t place_of(bool module, uint64_t key, uint32_t index)
{
    if (module && index < PYTHON)
        return (random_below(key, PYTHON) + index) % PYTHON;
    return PYTHON + (random_below(random_mix(key), LIBC) + index - (module ? PYTHON : 0)) % LIBC;
}

static const char *name_at(uint32_t place)
{
    if (place >= NEWER)
        return outside_newer_name(place - NEWER);
    if (place >= BESIDE)
        return outside_beside_name(place - BESIDE);
    if (place >= INNER)
        return inner[place - INNER];
    return place < PYTHON ? python[place] : libc[place - PYTHON];
}

const char *outside_name(bool module, uint64_t key, const uint16_t *choice, uint32_t index)
{
    return name_at(choice ? choice[index] : place_of(module, key, index));
}

uint32_t outside_version(bool module, uint64_t key, const uint16_t *choice, uint32_t index)
{
    const uint32_t place = choice ? choice[index] : place_of(module, key, index);
    if (place < NEWER)
        return place < PYTHON || place >= BESIDE ? 0 : 1;
    return 2 + outside_newer_version_of(place - NEWER);
}

const char *outside_version_name(uint32_t version)
{
    return version < 2 ? OUTSIDE_VERSION : outside_newer_version(version - 2);
}

uint32_t outside_versions_most(void)
{
    return outside_newer_versions();
}

uint64_t outside_versions_bytes(uint32_t count)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < count; i++)
        bytes += strlen(outside_newer_version(i)) + 1;
    return bytes;
}

uint64_t outside_versioned_bytes(bool module, uint64_t key, const uint16_t *choice, uint32_t count)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t version = outside_version(module, key, choice, i);
        if (version)
            bytes += strlen(outside_name(module, key, choice, i)) + 1 + strlen(outside_version_name(version)) + 1;
    }
    return bytes;
}

uint64_t outside_bytes(bool module, uint64_t key, uint32_t count)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < count; i++)
        bytes += strlen(outside_name(module, key, NULL, i)) + 1;
    return bytes;
}

/* Names of every length that are not chosen, as a list for each. */
struct spare {
    uint64_t lengths;        /* bit n: there are any of length n */
    uint32_t first[LENGTHS]; /* plus 1; 0: none */
    uint32_t next[NEWER];
    bool longer; /* the next that is as near on both sides */
};

static void spare_name(struct spare *s, uint32_t place)
{
    const size_t length = strlen(name_at(place));
    s->next[place] = s->first[length];
    s->first[length] = place + 1;
    s->lengths |= UINT64_C(1) << length;
}

/* Takes the first of a length that has any. */
static uint32_t take_spare(struct spare *s, uint32_t length)
{
    const uint32_t place = s->first[length] - 1;
    s->first[length] = s->next[place];
    if (!s->first[length])
        s->lengths &= ~(UINT64_C(1) << length);
    return place;
}

/* The length that would best take the place of a name's, with `more` characters wanted at most. */
static bool find_swap(const struct spare *s, uint32_t place, int64_t more, uint32_t *length)
{
    const int64_t own = (int64_t)strlen(name_at(place));
    const uint64_t shorter = s->lengths & ((UINT64_C(1) << own) - 1);
    const uint64_t longer = s->lengths & ~shorter & ~(UINT64_C(1) << own);
    if (more > 0) {
        const uint64_t within = more < LENGTHS - own ? longer & ((UINT64_C(2) << (own + more)) - 1) : longer;
        *length = within ? 63 - (uint32_t)__builtin_clzll(within) : 0;
    } else {
        const uint64_t within = own + more > 0 ? shorter & ~((UINT64_C(1) << (own + more)) - 1) : shorter;
        *length = within ? (uint32_t)__builtin_ctzll(within) : 0;
    }
    return *length;
}

/* The spare name whose length is nearest; in turn a longer and a shorter one, so that the others make no difference. */
static uint32_t take_nearest(struct spare *s, uint32_t length)
{
    uint32_t at = length < LENGTHS ? length : LENGTHS - 1;
    for (uint32_t apart = 0; apart < LENGTHS; apart++) {
        const bool below = at >= apart && s->first[at - apart];
        const bool above = at + apart < LENGTHS && s->first[at + apart];
        if (!below && !above)
            continue;
        at = above && (s->longer || !below) ? at + apart : at - apart;
        s->longer ^= apart && below && above;
        break;
    }
    return take_spare(s, at);
}

/* Which of the names has the newer version: spread over all. */
static uint32_t newer_at(uint32_t version, uint32_t versions, uint32_t count)
{
    return (uint32_t)((version + UINT64_C(1)) * count / (versions + UINT64_C(1)));
}

/* The name of a newer version whose length is nearest, the first one of these after any. */
static uint16_t newer_name(uint32_t version, uint64_t key, int64_t length)
{
    const uint32_t first = outside_newer_first(version);
    uint32_t count = 0;
    while (outside_newer_name(first + count))
        count++;
    const uint32_t any = random_below(random_at(key, version), count);
    uint32_t best = any;
    for (uint32_t i = 0; i < count && length >= 0; i++) {
        const uint32_t at = (any + i) % count;
        const int64_t apart = (int64_t)strlen(outside_newer_name(first + at)) - length;
        const int64_t least = (int64_t)strlen(outside_newer_name(first + best)) - length;
        if ((apart < 0 ? -apart : apart) < (least < 0 ? -least : least))
            best = at;
    }
    return (uint16_t)(NEWER + first + best);
}

/* Exchanges names of older versions so that all take `bytes` instead of `is`, as far as that can be:
 * all a little, or `few` much. Returns what they take. */
static uint64_t exchange(struct spare *s, uint32_t count, uint64_t bytes, uint64_t is, bool few, uint16_t *choice)
{
    for (unsigned pass = few ? 1 : 0; pass < PASSES && is != bytes; pass++)
        for (uint32_t i = 0; i < count && is != bytes; i++) {
            uint32_t better;
            int64_t more = (int64_t)(bytes - is);
            if (!pass) /* each its part, so that lengths stay what they are */
                more = more * 2 / (count - i) + (more > 0 ? 1 : -1);
            if (choice[i] >= NEWER || !find_swap(s, choice[i], more, &better))
                continue;
            const uint32_t old = choice[i];
            choice[i] = (uint16_t)take_spare(s, better);
            is += better - (uint64_t)strlen(name_at(old));
            spare_name(s, old);
        }
    return is;
}

/* The same with names of newer versions, for others of the same. */
static uint64_t exchange_newer(uint32_t count, uint32_t versions, uint64_t bytes, uint64_t is, uint64_t key,
                               uint16_t *choice)
{
    for (uint32_t v = 0; v < versions && is != bytes; v++) {
        uint16_t *name = &choice[newer_at(v, versions, count)];
        const int64_t own = (int64_t)strlen(name_at(*name));
        const int64_t wanted = own + (int64_t)(bytes - is);
        *name = newer_name(v, key, wanted > 0 ? wanted : 0);
        is += strlen(name_at(*name)) - (uint64_t)own;
    }
    return is;
}

uint64_t outside_choose(bool module, uint32_t needed, uint64_t key, uint32_t count, uint32_t versions, uint64_t bytes,
                        const uint32_t *length, uint16_t *choice)
{
    struct spare s = {.lengths = 0};
    static_assert(LENGTHS <= 64, "a bit for each");
    uint64_t is = 0;
    const uint32_t all = outside_most(module);
    assert(outside_beside_most(UINT32_MAX) <= BESIDE_MOST);
    for (uint32_t i = length ? outside_beside_most(needed) : 0; i-- > 0;)
        spare_name(&s, BESIDE + i);
    for (uint32_t i = INNER; i < BESIDE && length; i++)
        spare_name(&s, i);
    for (uint32_t i = all; i-- > (length ? 0 : count);)
        spare_name(&s, place_of(module, key, i));
    for (uint32_t i = 0, v = 0; i < count; i++) {
        if (v < versions && i == newer_at(v, versions, count)) {
            if (!length)
                spare_name(&s, place_of(module, key, i));
            choice[i] =
                newer_name(v++, key, length ? (int64_t)length[i] : (int64_t)strlen(name_at(place_of(module, key, i))));
        } else {
            choice[i] = (uint16_t)(length ? take_nearest(&s, length[i]) : place_of(module, key, i));
        }
        is += strlen(name_at(choice[i])) + 1;
    }
    is = exchange(&s, count, bytes, is, length, choice);
    return exchange_newer(count, versions, bytes, is, key, choice);
}

/* How many names there are of each length. */
static void count_lengths(bool module, uint32_t needed, uint32_t there[LENGTHS])
{
    memset(there, 0, LENGTHS * sizeof *there);
    for (uint32_t i = 0; i < outside_beside_most(needed); i++)
        there[strlen(name_at(BESIDE + i))]++;
    for (uint32_t i = module ? 0 : PYTHON; i < BESIDE; i++)
        there[strlen(name_at(i))]++;
}

uint32_t outside_supply(bool module, uint32_t needed, uint32_t *length, uint32_t count)
{
    uint32_t there[LENGTHS];
    uint32_t found = 0;
    count_lengths(module, needed, there);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t wanted = length[i];
        if (wanted >= LENGTHS || !there[wanted])
            continue;
        there[wanted]--;
        length[i] = length[found];
        length[found++] = wanted;
    }
    return found;
}
