/* Runs mpi_objects.py in the interpreter that has imported the set.
 *
 * That interpreter is isolated from the user's environment. mpi4py belongs to the user's MPI and is looked for only
 * now, after everything that is timed. Some hosts may have it and others not, so the ranks agree on it before any of
 * them sends.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "driver/mpi_objects.h"

#include <stdio.h>

#include <mpi.h>

#include "driver/exception.h"
#include "driver/mpi_objects_py.h"

/* Returns the functions of mpi_objects.py; NULL with an exception. */
static PyObject *load_functions(void)
{
    PyObject *names = PyDict_New();
    PyObject *code = Py_CompileString(mpi_objects_py, "mpi_objects.py", Py_file_input);
    bool well = names && code && PyDict_SetItemString(names, "__builtins__", PyEval_GetBuiltins()) == 0;
    PyObject *none = well ? PyEval_EvalCode(code, names, names) : NULL;
    if (!none)
        Py_CLEAR(names);
    Py_XDECREF(none);
    Py_XDECREF(code);
    return names;
}

/* Returns a new reference, or NULL with an exception. */
static PyObject *call(PyObject *names, const char *function)
{
    PyObject *callable = PyDict_GetItemString(names, function); /* borrowed */
    return callable ? PyObject_CallObject(callable, NULL) : NULL;
}

/* Whether this rank has mpi4py. `text` becomes its version, or what is wrong. */
static bool find(PyObject *names, char text[MPI_OBJECTS_TEXT])
{
    PyObject *version = names ? call(names, "find") : NULL;
    const char *utf8 = version ? PyUnicode_AsUTF8(version) : NULL;
    if (utf8)
        snprintf(text, MPI_OBJECTS_TEXT, "%s", utf8);
    else
        exception_take(text, MPI_OBJECTS_TEXT);
    Py_XDECREF(version);
    return utf8;
}

/* Whether all ranks have mpi4py. Otherwise *lacking is the first rank that has not, and `text` becomes its text. */
static bool all_have(const struct ranks *r, bool mine, char text[MPI_OBJECTS_TEXT], int *lacking)
{
    int candidate = mine ? r->count : r->rank;
    MPI_Allreduce(&candidate, lacking, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (*lacking == r->count)
        return true;
    MPI_Bcast(text, MPI_OBJECTS_TEXT, MPI_CHAR, *lacking, MPI_COMM_WORLD);
    return false;
}

static bool exchange(PyObject *names, struct error *e)
{
    PyObject *wrong = call(names, "exchange");
    const char *utf8 = wrong && wrong != Py_None ? PyUnicode_AsUTF8(wrong) : NULL;
    bool well = wrong == Py_None;
    char text[MPI_OBJECTS_TEXT];
    if (utf8)
        snprintf(text, sizeof text, "%s", utf8);
    else if (!well)
        exception_take(text, sizeof text);
    if (!well)
        error_set(e, ERROR_MISMATCH, "the MPI test: %s; check MPI, mpi4py and the hosts", text);
    Py_XDECREF(wrong);
    return well;
}

bool mpi_objects_run(const struct run *run, char said[MPI_OBJECTS_TEXT], struct error *e)
{
    const struct ranks *r = &run->ranks;
    char text[MPI_OBJECTS_TEXT] = "";
    int lacking;
    if (!run->options.python) {
        snprintf(said, MPI_OBJECTS_TEXT, "Python objects not sent: there is no interpreter (--no-python)");
        return true;
    }
    PyObject *names = load_functions();
    bool well = true;
    if (all_have(r, find(names, text), text, &lacking)) {
        snprintf(said, MPI_OBJECTS_TEXT, "Python objects sent with mpi4py %.*s", MPI_OBJECTS_TEXT / 2, text);
        well = exchange(names, e);
    } else {
        snprintf(said, MPI_OBJECTS_TEXT, "Python objects not sent: rank %d: %.*s", lacking, MPI_OBJECTS_TEXT - 64,
                 text);
    }
    Py_XDECREF(names);
    return well;
}
