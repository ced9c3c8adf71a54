/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Calls that programs in Python make over and over, straight to the library: runs, and arrays into buffers and back.
 * The overrides work without this module, but a run of a small program then takes three times as long, nearly all of
 * it in PyGObject's marshalling and in Python.
 *
 * A function does what is plain, and returns None for all else: the overrides then go the long way, which says what is
 * wrong with an argument. So nothing here refuses anything, and a run that has begun is never begun again.
 *
 * It takes arrays by NumPy's array interface, so that any version of NumPy will do, and CPython by its stable ABI.
 */

#pragma once

#include <Python.h>

#include <ghlo/ghlo.h>
/* One file has the pointer to PyGObject's functions. */
#ifndef GHLO_DIRECT_MODULE
#define NO_IMPORT_PYGOBJECT
#endif
#include <pygobject.h>

G_BEGIN_DECLS

/* What a capsule of __array_struct__ holds, by "The array interface protocol" of NumPy's documentation. */
typedef struct
{
  int          two;             /* its version */
  int          rank;
  char         kind;
  int          item_size;
  int          flags;
  Py_ssize_t  *shape;
  Py_ssize_t  *strides;         /* bytes */
  void        *data;
  PyObject    *description;     /* of structures */
} GhloDirectArray;

enum
{
  GHLO_DIRECT_C_CONTIGUOUS = 0x1,
  GHLO_DIRECT_ALIGNED = 0x100,
  GHLO_DIRECT_NOT_SWAPPED = 0x200,
};

/* An input of a run: a buffer, or an array that becomes one without the interpreter's lock. */
typedef struct
{
  GhloBuffer            *buffer;    /* owned */
  GhloTensorType        *type;      /* owned; of the array */
  PyObject              *capsule;   /* owned; what has the array */
  const GhloDirectArray *array;     /* NULL where there is a buffer */
  gboolean               is_lent;   /* there is a reference of the capsule for the buffer's memory */
} GhloDirectInput;

/* What the library sees in a wrapper of PyGObject's; NULL for anything else. */
gpointer  ghlo_direct_unwrap            (PyObject              *object,
                                         GType                  type);
/* A wrapper, which takes the reference over. */
PyObject *ghlo_direct_wrap              (gpointer               object);
/* Gives a reference to an object of Python's up, on whatever thread. */
void      ghlo_direct_drop              (gpointer               object);
/* None, and no exception. */
PyObject *ghlo_direct_decline           (void);

/* FALSE where @value is not plainly what the input takes. @form begins with the class of arrays, a dtype and the tensor
 * type; it is empty where no array will do. May leave an exception. */
gboolean  ghlo_direct_input_set         (GhloDirectInput       *self,
                                         PyObject              *value,
                                         PyObject              *form);
/* For a run that the caller waits for, which reads a large array where it is. */
void      ghlo_direct_input_lend        (GhloDirectInput       *self);
/* Works without the interpreter's lock. FALSE when the library refuses the array. */
gboolean  ghlo_direct_input_make_buffer (GhloDirectInput       *self);
void      ghlo_direct_input_clear       (GhloDirectInput       *self);

/* Has Ctrl-C write to @descriptor, in @process alone, besides what it does. In the main thread; FALSE when nothing is
 * known yet of the handler that is there, and another time it may be. */
gboolean  ghlo_direct_catch_interrupt   (int                    descriptor,
                                         pid_t                  process);
void      ghlo_direct_leave_interrupt   (void);

/* The module's functions, and what it needs made before. */
gboolean  ghlo_direct_init_arrays       (void);
gboolean  ghlo_direct_init_views        (void);
PyObject *ghlo_direct_run               (PyObject              *module,
                                         PyObject *const       *arguments,
                                         Py_ssize_t             n);
PyObject *ghlo_direct_start             (PyObject              *module,
                                         PyObject *const       *arguments,
                                         Py_ssize_t             n);
PyObject *ghlo_direct_copy              (PyObject              *module,
                                         PyObject *const       *arguments,
                                         Py_ssize_t             n);
PyObject *ghlo_direct_view              (PyObject              *module,
                                         PyObject              *object);

G_END_DECLS
