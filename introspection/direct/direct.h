/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A fast path for the calls that Python programs make most often: runs, and conversions between arrays and buffers.
 * The overrides work without this module, but a run of a small program then takes three times as long, nearly all of
 * it in PyGObject's marshalling and in Python.
 *
 * Each function handles the plain cases and returns None for all others. The overrides then take the slow path in
 * Python, which reports what is wrong with an argument. So no function here reports a bad argument, and none declines
 * once a run has begun.
 *
 * The module reads arrays through NumPy's array interface, so any version of NumPy will do, and uses CPython's stable
 * ABI.
 */

#pragma once

#include <Python.h>

#include <ghlo/ghlo.h>
/* Only module.c defines the pointer to PyGObject's functions. */
#ifndef GHLO_DIRECT_MODULE
#define NO_IMPORT_PYGOBJECT
#endif
#include <pygobject.h>

G_BEGIN_DECLS

/* The contents of an __array_struct__ capsule, from "The array interface protocol" in NumPy's documentation. */
typedef struct
{
  int          two;             /* the version of the structure: 2 */
  int          rank;
  char         kind;
  int          item_size;
  int          flags;
  Py_ssize_t  *shape;
  Py_ssize_t  *strides;         /* bytes */
  void        *data;
  PyObject    *description;     /* of the fields of a structured dtype */
} GhloDirectArray;

enum
{
  GHLO_DIRECT_C_CONTIGUOUS = 0x1,
  GHLO_DIRECT_ALIGNED = 0x100,
  GHLO_DIRECT_NOT_SWAPPED = 0x200,
};

/* An input of a run: a buffer, or an array that becomes a buffer after the interpreter's lock is released. */
typedef struct
{
  GhloBuffer            *buffer;    /* owned */
  GhloTensorType        *type;      /* owned; the array's type */
  PyObject              *capsule;   /* owned; keeps the array alive */
  const GhloDirectArray *array;     /* NULL where the input is a buffer */
  gboolean               is_lent;   /* a further reference on the capsule is held for the buffer */
} GhloDirectInput;

/* The GObject behind a PyGObject wrapper (transfer none); NULL where @object is no such wrapper. */
gpointer  ghlo_direct_unwrap            (PyObject              *object,
                                         GType                  type);
/* Wraps @object for Python (transfer full). */
PyObject *ghlo_direct_wrap              (gpointer               object);
/* Drops a reference on a Python object. Callable on any thread. */
void      ghlo_direct_drop              (gpointer               object);
/* Clears the exception and returns None. */
PyObject *ghlo_direct_decline           (void);

/* Returns FALSE where @value is neither a buffer nor an array of that form. @form is a tuple that begins with the array
 * class, the dtype and the tensor type, or is empty where the input takes no arrays. An exception may be set. */
gboolean  ghlo_direct_input_set         (GhloDirectInput       *self,
                                         PyObject              *value,
                                         PyObject              *form);
/* Lets a blocking run read a large array in place. */
void      ghlo_direct_input_lend        (GhloDirectInput       *self);
/* Called without the interpreter's lock. Returns FALSE when the library refuses the array. */
gboolean  ghlo_direct_input_make_buffer (GhloDirectInput       *self);
void      ghlo_direct_input_clear       (GhloDirectInput       *self);

/* Makes Ctrl-C write a byte to @descriptor, in @process only, in addition to its usual effect. Called in the main
 * thread. Returns FALSE where the installed handler is not the one that was recorded; a later call may succeed. */
gboolean  ghlo_direct_catch_interrupt   (int                    descriptor,
                                         pid_t                  process);
void      ghlo_direct_leave_interrupt   (void);

/* Initializers and functions of the module. */
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
