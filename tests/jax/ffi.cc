// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Handlers as people write them, with the headers that jaxlib brings along; see tests/jax/ffi.py.

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>

#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

// y = factor * x + the sum of offsets, as often as there are letters in "times".
static ffi::Error
Scale (float factor, ffi::Span<const int64_t> offsets, std::string_view times, ffi::Buffer<ffi::F32> x,
       ffi::ResultBuffer<ffi::F32> y)
{
  float offset = 0;

  if (times.empty ())
    return ffi::Error::InvalidArgument ("expected a letter at least");
  for (int64_t each : offsets)
    offset += static_cast<float> (each);
  for (size_t i = 0; i < x.element_count (); i++)
    y->typed_data ()[i] = (factor * x.typed_data ()[i] + offset) * static_cast<float> (times.size ());

  return ffi::Error::Success ();
}

XLA_FFI_DEFINE_HANDLER_SYMBOL (scale, Scale,
                               ffi::Ffi::Bind ()
                                   .Attr<float> ("factor")
                                   .Attr<ffi::Span<const int64_t>> ("offsets")
                                   .Attr<std::string_view> ("times")
                                   .Arg<ffi::Buffer<ffi::F32>> ()
                                   .Ret<ffi::Buffer<ffi::F32>> ());

// A state that counts, for each call of a program.
struct Counter
{
  static ffi::TypeId id;
  static ffi::TypeInfo info;

  int64_t start;
  std::atomic<int64_t> n_calls { 0 };
};

ffi::TypeId Counter::id = {};
ffi::TypeInfo Counter::info = ffi::MakeTypeInfo<Counter> ();

static ffi::ErrorOr<std::unique_ptr<Counter>>
Begin (int64_t start)
{
  auto counter = std::make_unique<Counter> ();

  counter->start = start;

  return counter;
}

static ffi::Error
Count (Counter *counter, ffi::ResultBuffer<ffi::S32> n)
{
  n->typed_data ()[0] = static_cast<int32_t> (counter->start + counter->n_calls++);

  return ffi::Error::Success ();
}

XLA_FFI_DEFINE_HANDLER_SYMBOL (begin, Begin, ffi::Ffi::BindInstantiate ().Attr<int64_t> ("start"));
XLA_FFI_DEFINE_HANDLER_SYMBOL (count, Count,
                               ffi::Ffi::Bind ().Ctx<ffi::State<Counter>> ().Ret<ffi::Buffer<ffi::S32>> ());

// Work on threads, whose end a future tells.
static ffi::Future
Square (ffi::ThreadPool threads, ffi::Buffer<ffi::F32> x, ffi::ResultBuffer<ffi::F32> y)
{
  ffi::CountDownPromise promise (static_cast<int64_t> (x.element_count ()));
  ffi::Future future (promise);

  for (size_t i = 0; i < x.element_count (); i++)
    threads.Schedule ([x, y, i, promise] () mutable {
      y->typed_data ()[i] = x.typed_data ()[i] * x.typed_data ()[i];
      promise.CountDown ();
    });

  return future;
}

XLA_FFI_DEFINE_HANDLER_SYMBOL (square, Square,
                               ffi::Ffi::Bind ()
                                   .Ctx<ffi::ThreadPool> ()
                                   .Arg<ffi::Buffer<ffi::F32>> ()
                                   .Ret<ffi::Buffer<ffi::F32>> ());

// The first column of a matrix whose columns lie one behind the other, by memory of its own.
static ffi::Error
First (ffi::ScratchAllocator scratch, ffi::Buffer<ffi::F32> x, ffi::ResultBuffer<ffi::F32> y)
{
  size_t n_rows = static_cast<size_t> (x.dimensions ()[0]);
  std::optional<void *> own = scratch.Allocate (n_rows * sizeof (float));

  if (!own.has_value ())
    return ffi::Error::Internal ("no memory");
  if (n_rows != y->element_count () || x.dimensions ()[1] != 3)
    return ffi::Error::Internal ("expected the dimensions that the program says");
  for (size_t i = 0; i < n_rows; i++)
    static_cast<float *> (*own)[i] = x.typed_data ()[i];
  for (size_t i = 0; i < n_rows; i++)
    y->typed_data ()[i] = static_cast<float *> (*own)[i];

  return ffi::Error::Success ();
}

XLA_FFI_DEFINE_HANDLER_SYMBOL (first, First,
                               ffi::Ffi::Bind ()
                                   .Ctx<ffi::ScratchAllocator> ()
                                   .Arg<ffi::Buffer<ffi::F32>> ()
                                   .Ret<ffi::Buffer<ffi::F32>> ());

// Adds one to what it shares with its result.
static ffi::Error
Increment (ffi::Buffer<ffi::F32> x, ffi::ResultBuffer<ffi::F32> y)
{
  if (x.typed_data () != y->typed_data ())
    return ffi::Error (ffi::ErrorCode::kInternal, "expected one buffer, found two");
  for (size_t i = 0; i < y->element_count (); i++)
    y->typed_data ()[i] += 1;

  return ffi::Error::Success ();
}

XLA_FFI_DEFINE_HANDLER_SYMBOL (increment, Increment,
                               ffi::Ffi::Bind ().Arg<ffi::Buffer<ffi::F32>> ().Ret<ffi::Buffer<ffi::F32>> ());

extern "C" __attribute__ ((visibility ("default"))) void *counter_id () { return &Counter::id; }
extern "C" __attribute__ ((visibility ("default"))) void *counter_info () { return &Counter::info; }
