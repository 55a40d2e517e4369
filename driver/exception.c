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
    PyObject *said = value ? PyObject_Str(value) : NULL;
    const char *utf8 = said ? PyUnicode_AsUTF8(said) : NULL;
    snprintf(text, size, "%s: %.300s", value ? Py_TYPE(value)->tp_name : "no exception", utf8 ? utf8 : "?");
    PyErr_Clear();
    Py_XDECREF(said);
    Py_XDECREF(value);
}
