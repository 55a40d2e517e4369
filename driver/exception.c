/* See exception.h. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "driver/exception.h"

#include <stdio.h>

void exception_take(char *text, size_t size)
{
#if PY_VERSION_HEX >= 0x030c0000
    PyObject *value = PyErr_GetRaisedException();
#else
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    Py_XDECREF(type);
    Py_XDECREF(traceback);
#endif
    /* Python takes the dynamic linker's words for text of the locale. Bytes that are none there, as in a path in UTF-8,
     * are surrogates in what is said, and become bytes again. */
    PyObject *said = value ? PyObject_Str(value) : NULL;
    PyObject *bytes = said ? PyUnicode_AsEncodedString(said, "utf-8", "surrogateescape") : NULL;
    const char *utf8 = bytes ? PyBytes_AsString(bytes) : NULL;
    snprintf(text, size, "%s: %.300s", value ? Py_TYPE(value)->tp_name : "no exception", utf8 ? utf8 : "?");
    PyErr_Clear();
    Py_XDECREF(bytes);
    Py_XDECREF(said);
    Py_XDECREF(value);
}
