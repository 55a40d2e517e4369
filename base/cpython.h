/* How CPython 3.8 to 3.13 lay out what an extension module defines (Include/moduleobject.h, methodobject.h), in bytes:
 * for those who write such a definition and those who look for one. */
#ifndef BASE_CPYTHON_H
#define BASE_CPYTHON_H

enum {
    /* struct PyModuleDef: five words of a head, of which the first counts references and the others are zero before
     * Python has seen it; m_name, m_doc, m_size, m_methods, m_slots, and three words for garbage collection */
    MODULE_DEF_NAME = 40,
    MODULE_DEF_DOC = 48,
    MODULE_DEF_SIZE = 56,
    MODULE_DEF_METHODS = 64,
    MODULE_DEF_SLOTS = 72,
    MODULE_DEF_BYTES = 104,
    /* struct PyMethodDef: ml_name, ml_meth, ml_flags, ml_doc; one without a name ends an array */
    METHOD_DEF_FUNCTION = 8,
    METHOD_DEF_FLAGS = 16,
    METHOD_DEF_DOC = 24,
    METHOD_DEF_BYTES = 32,
    METHOD_NOARGS = 4, /* METH_NOARGS */
    /* struct PyModuleDef_Slot: a kind and a value; kind 0 ends an array */
    MODULE_SLOT_VALUE = 8,
    MODULE_SLOT_BYTES = 16,
    MODULE_SLOT_EXEC = 2, /* Py_mod_exec */
};

#endif
