/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The module's method table, and conversions from and to PyGObject's wrappers.
 */

#define GHLO_DIRECT_MODULE
#include "direct.h"

gpointer
ghlo_direct_unwrap (PyObject *object,
                    GType     type)
{
  GObject *found = PyObject_TypeCheck (object, &PyGObject_Type) ? pygobject_get (object) : NULL;

  return found != NULL && G_TYPE_CHECK_INSTANCE_TYPE (found, type) ? found : NULL;
}

PyObject *
ghlo_direct_wrap (gpointer object)
{
  return pygobject_new_full (object, TRUE, NULL);
}

void
ghlo_direct_drop (gpointer object)
{
  PyGILState_STATE state;

  /* The library may still be working after the interpreter has been finalized. */
  if (!Py_IsInitialized ())
    return;
  state = PyGILState_Ensure ();
  Py_DECREF ((PyObject *) object);
  PyGILState_Release (state);
}

PyObject *
ghlo_direct_decline (void)
{
  PyErr_Clear ();
  Py_RETURN_NONE;
}

#define FAST(function) ((PyCFunction) (void (*) (void)) (function))

static PyMethodDef functions[] = {
  { "run", FAST (ghlo_direct_run), METH_FASTCALL,
    "run (source, inputs, forms, watch): the result of an executable or a session" },
  { "start", FAST (ghlo_direct_start), METH_FASTCALL,
    "start (source, inputs, forms, answer): what cancels the run; answer is called with a result or with an error" },
  { "copy", FAST (ghlo_direct_copy), METH_FASTCALL,
    "copy (array, type): a buffer with an array's elements" },
  { "view", ghlo_direct_view, METH_O,
    "view (buffer): what NumPy makes an array of, over the buffer's memory" },
  { NULL }
};

static PyModuleDef definition = {
  PyModuleDef_HEAD_INIT,
  .m_name = "_ghlo_direct",
  .m_doc = "Calls that programs make over and over, straight to the library. Each function returns None for what it "
           "leaves to the overrides.",
  .m_size = -1,
  .m_methods = functions,
};

PyMODINIT_FUNC PyInit__ghlo_direct (void);

PyMODINIT_FUNC
PyInit__ghlo_direct (void)
{
  PyObject *gobject = pygobject_init (3, 0, 0);

  if (gobject == NULL)
    return NULL;
  Py_DECREF (gobject);
  if (!ghlo_direct_init_arrays () || !ghlo_direct_init_views ())
    return NULL;

  return PyModule_Create (&definition);
}
