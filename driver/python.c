/* The set under embedded CPython: import, visit, check.
 *
 * The interpreter is isolated (PEP 587), so that the set runs and not the user's environment: no PYTHON* variables, no
 * site directories, no bytecode written, no signal handlers. Its standard library is the one that belongs to the
 * libpython of this program. It is found from the program's own path, or as that libpython was configured, never from a
 * python3 in PATH.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/process.h"
#include "driver/advice.h"
#include "driver/exception.h"
#include "driver/loader.h"
#include "driver/memory.h"
#include "driver/memory_finder_py.h"

#if PY_VERSION_HEX < 0x03080000
#error "pyelfrun needs CPython 3.8 or newer"
#endif

struct python {
    const struct run *run;
    PyObject **modules;       /* owned; one for each imported library */
    struct _inittab *inittab; /* owned; in mode static, else NULL */
};

static bool fail(struct error *e, const struct manifest_library *l, const char *what, const char *name)
{
    char exception[400];
    exception_take(exception, sizeof exception);
    return error_set(e, ERROR_MISMATCH, "%s: %s%s: %s; %s", l->stem, what, name, exception, advice_for(exception));
}

static bool fail_status(struct error *e, PyStatus status)
{
    return error_set(e, ERROR_SYSTEM, "Python does not start: %s; check that its standard library is installed",
                     status.err_msg ? status.err_msg : "no reason is given");
}

/* Whether this is the Python whose headers were compiled in. An executable of a set brings the libpython that it was
 * linked with, and Python's structures differ between versions. */
static bool is_ours(struct error *e)
{
    const char *there = Py_GetVersion(); /* "3.11.2 (main, ...": may be asked before Python starts */
    char version[32];
    const int length = snprintf(version, sizeof version, "%d.%d.", PY_MAJOR_VERSION, PY_MINOR_VERSION);
    if (strncmp(there, version, (size_t)length) == 0)
        return true;
    return error_set(e, ERROR_SYSTEM,
                     "the set's executable has brought CPython %.*s, and this pyelfrun was built with %s; use one that "
                     "was built with the former, or generate the set with --libpython libpython%d.%d.so.1.0",
                     (int)strcspn(there, " "), there, PY_VERSION, PY_MAJOR_VERSION, PY_MINOR_VERSION);
}

/* Sets the program's name to a path with a slash, so that getpath does not look for a python3 in PATH. */
static PyStatus set_program(PyConfig *config)
{
    char path[PATH_MAX];
    struct error e;
    if (!process_program(path, &e))
        strcpy(path, "/pyelfrun");
    return PyConfig_SetBytesString(config, &config->program_name, path);
}

static bool initialise(struct error *e)
{
    PyPreConfig before;
    PyPreConfig_InitIsolatedConfig(&before);
    before.utf8_mode = 1; /* paths keep their bytes in any locale */
    PyStatus status = Py_PreInitialize(&before);
    if (PyStatus_Exception(status))
        return fail_status(e, status);

    PyConfig config;
    PyConfig_InitIsolatedConfig(&config);
    config.site_import = 0;
    config.write_bytecode = 0;
    config.pathconfig_warnings = 0;
    status = set_program(&config);
    if (!PyStatus_Exception(status))
        status = Py_InitializeFromConfig(&config);
    PyConfig_Clear(&config);
    return PyStatus_Exception(status) ? fail_status(e, status) : true;
}

/* Whether this Python suits the set. Modules are laid out for the default build: they have no object header of another
 * size, and no type slot that announces the GIL. */
static bool suits(struct error *e)
{
#ifdef Py_GIL_DISABLED
    bool threaded = true;
#else
    bool threaded = false;
#endif
    PyObject *flags = PySys_GetObject("abiflags");
    const char *text = flags && PyUnicode_Check(flags) ? PyUnicode_AsUTF8(flags) : NULL;
    if (threaded || (text && strchr(text, 't')))
        return error_set(e, ERROR_SYSTEM,
                         "this Python is a free-threaded build, for which a set's modules are not made; "
                         "link pyelfrun with a default build of CPython");
    if (PySys_GetObject("getobjects"))
        return error_set(e, ERROR_SYSTEM,
                         "this Python traces references (--with-trace-refs), for which a set's modules are not "
                         "made; link pyelfrun with a default build of CPython");
    PyErr_Clear();
    return true;
}

/* Makes the modules that the executable contains built-in modules. The table has to live as long as the interpreter. */
static bool register_modules(struct python *p, struct error *e)
{
    const struct executable *x = p->run->executable;
    size_t count = 0;
    p->inittab = calloc((size_t)x->object_count + 1, sizeof *p->inittab);
    if (!p->inittab)
        return error_set(e, ERROR_MEMORY, "there is no memory left for the table of modules");
    for (size_t i = 0; i < x->object_count; i++)
        if (x->objects[i].init)
            p->inittab[count++] = (struct _inittab){x->objects[i].stem, (PyObject * (*)(void)) x->objects[i].init};
    if (PyImport_ExtendInittab(p->inittab) != 0)
        return error_set(e, ERROR_MEMORY, "there is no memory left for Python's table of modules");
    return true;
}

/* Maps the names of the modules in memory to their paths. Returns a new reference, or NULL with an exception. */
static PyObject *list_paths(const struct run *run)
{
    PyObject *paths = PyDict_New();
    for (size_t i = 0; paths && i < run->manifest.imported; i++) {
        char path[MEMORY_PATH_MOST];
        memory_path(run, i, path);
        PyObject *place = PyUnicode_FromString(path);
        if (!place || PyDict_SetItemString(paths, run->manifest.libraries[i].stem, place) != 0)
            Py_CLEAR(paths);
        Py_XDECREF(place);
    }
    return paths;
}

/* Makes Python's import ask memory_finder.py first. */
static bool install_finder(const struct run *run)
{
    PyObject *names = PyDict_New();
    PyObject *paths = list_paths(run);
    PyObject *code = Py_CompileString(memory_finder_py, "memory_finder.py", Py_file_input);
    bool well = names && paths && code && PyDict_SetItemString(names, "__builtins__", PyEval_GetBuiltins()) == 0;
    PyObject *none = well ? PyEval_EvalCode(code, names, names) : NULL;
    PyObject *install = none ? PyDict_GetItemString(names, "install") : NULL; /* borrowed */
    PyObject *done = install ? PyObject_CallFunctionObjArgs(install, paths, NULL) : NULL;
    well = done != NULL;
    Py_XDECREF(done);
    Py_XDECREF(none);
    Py_XDECREF(code);
    Py_XDECREF(paths);
    Py_XDECREF(names);
    return well;
}

/* Puts the set first in sys.path, or installs the finder, and sets the flags of dlopen by sys.setdlopenflags. */
static bool point_at_set(const struct run *run)
{
    PyObject *path = PySys_GetObject("path");
    PyObject *directory = PyUnicode_DecodeFSDefault(run->directory);
    bool well = run->memory ? install_finder(run) : path && directory && PyList_Insert(path, 0, directory) == 0;
    Py_XDECREF(directory);
    PyObject *set_flags = PySys_GetObject("setdlopenflags");
    if (well && set_flags) {
        PyObject *none = PyObject_CallFunction(set_flags, "i", options_dlopen_flags(&run->options));
        well = none != NULL;
        Py_XDECREF(none);
    }
    return well;
}

static bool python_start(void **state, const struct run *run, struct error *e)
{
    if (!is_ours(e))
        return false;
    struct python *p = *state = calloc(1, sizeof *p);
    if (p)
        p->modules = calloc(run->manifest.imported, sizeof *p->modules);
    if (!p || !p->modules)
        return error_set(e, ERROR_MEMORY, "there is no memory left for the modules");
    p->run = run;
    if (run->mode == MODE_STATIC && !register_modules(p, e))
        return false;
    if (!initialise(e) || !suits(e))
        return false;
    if (!point_at_set(run)) {
        char exception[400];
        exception_take(exception, sizeof exception);
        return error_set(e, ERROR_SYSTEM, "Python cannot be told where the set is: %s", exception);
    }
    return true;
}

static void python_stop(void *state)
{
    struct python *p = state;
    if (!p)
        return;
    for (size_t i = 0; p->modules && Py_IsInitialized() && i < p->run->manifest.imported; i++)
        Py_XDECREF(p->modules[i]);
    if (Py_IsInitialized())
        Py_FinalizeEx();
    free(p->inittab);
    free(p->modules);
    free(p);
}

static bool python_open(void *state, size_t library, struct error *e)
{
    struct python *p = state;
    const struct manifest_library *l = &p->run->manifest.libraries[library];
    void *handle; /* stays open, as what is imported does */
    if (l->kind == MANIFEST_UTILITY)
        return memory_open(p->run, library, &handle, e);
    if (!memory_bring(p->run, library, e))
        return false;
    p->modules[library] = PyImport_ImportModule(l->stem);
    return p->modules[library] ? true : fail(e, l, "cannot be imported", "");
}

/* Takes over the reference `object`, which is NULL after an exception. */
static bool take_number(PyObject *object, uint64_t *number)
{
    if (!object)
        return false;
    *number = PyLong_AsUnsignedLong(object);
    Py_DECREF(object);
    return !PyErr_Occurred();
}

static bool python_visit(void *state, size_t library, uint64_t *result, struct error *e)
{
    struct python *p = state;
    const struct manifest_library *l = &p->run->manifest.libraries[library];
    if (!take_number(PyObject_CallMethod(p->modules[library], l->entry, NULL), result))
        return fail(e, l, "no result from ", l->entry);
    return true;
}

static bool python_check(void *state, size_t library, struct error *e)
{
    struct python *p = state;
    const struct manifest_library *l = &p->run->manifest.libraries[library];
    uint64_t functions, visited;
    if (l->kind != MANIFEST_MODULE || !l->attributes)
        return true;
    if (!take_number(PyObject_GetAttrString(p->modules[library], "functions"), &functions))
        return fail(e, l, "does not tell its ", "functions");
    if (!take_number(PyObject_CallMethod(p->modules[library], "visited", NULL), &visited))
        return fail(e, l, "no result from ", "visited");
    if (functions != l->functions)
        return error_set(e, ERROR_MISMATCH,
                         "%s: has %" PRIu64 " functions, the manifest says %" PRIu64
                         "; check the set with pyelfgen --verify",
                         l->stem, functions, l->functions);
    const uint64_t marked = l->marks ? l->visited : 0;
    if (visited != marked)
        return error_set(e, ERROR_MISMATCH,
                         "%s: visited() returned %" PRIu64 ", the manifest says %" PRIu64
                         "; check the set with pyelfgen --verify",
                         l->stem, visited, marked);
    return true;
}

static void python_describe(const struct run *run, char *text, size_t size)
{
    const char *version = Py_GetVersion();
    snprintf(text, size, "CPython %.*s%s", (int)strcspn(version, " "), version, run->memory ? ", from memory" : "");
}

const struct loader loader_python = {python_start, python_open, python_visit,
                                     python_check, python_stop, python_describe};
