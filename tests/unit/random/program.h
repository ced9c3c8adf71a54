/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Random programs: small graphs of operations that the reference executor runs, valid by construction, written as text.
 * A program grows by makers, functions that take one of its values and add an operation on it; each family of
 * operations has a file with a table of its makers. Each value carries what is known about its numbers.
 */

#pragma once

#include <math.h>
#include <string.h>

#include "ir/module.h"
#include "numbers.h"

enum
{
  RANDOM_MAX_RANK = 64,
  RANDOM_USUAL_RANK = 6,       /* … of programs without extreme numbers */
  RANDOM_MAX_VALUES = 160,
  RANDOM_MAX_ELEMENTS = 400,   /* of one value, and … */
  RANDOM_MANY_ELEMENTS = 5000, /* … in a program of large values */
  RANDOM_MAX_WORK = 20000,     /* elements, or uses of elements by windows, in a program with extreme numbers */
};

typedef struct
{
  GhloElementType element;
  guint           rank;
  gint64          dimensions[RANDOM_MAX_RANK];
  guint64         open;        /* bit set of the dimensions that the program writes as "?" */
} RandomType;

typedef struct
{
  RandomType    type;
  RandomNumbers numbers;
  guint         id;            /* the value's name is %v followed by it */
} RandomValue;

typedef struct
{
  guint      id;
  RandomType type;
  RandomFill fill;
  guint32    seed;
} RandomArgument;

typedef struct
{
  GRand        *random;
  const guint8 *choices;       /* the remaining bytes to choose by, which the caller owns; NULL: @random chooses */
  gsize         n_choices;
  guint         n_chosen;      /* without bytes */
  GStringChunk *texts;         /* the texts that random_text () and related functions return */
  GString      *functions;     /* functions besides @main, and other symbols */
  GString      *body;          /* the body under construction */
  RandomValue   values[RANDOM_MAX_VALUES];
  guint         n_values;      /* the end of the values in scope … */
  guint         first;         /* … and their beginning */
  guint         n_ids;
  guint         n_names;       /* of numbered names that regions use in addition */
  guint         depth;         /* of nested regions and functions */
  gboolean      is_closed;     /* inside a function or region that captures nothing */
  gboolean      is_scalar;     /* inside a region on scalars */
  gboolean      is_loose;      /* values on which another executor may answer differently are allowed */
  gboolean      for_passes;    /* makers are weighted for tests of passes */
  gint64        end;           /* of the range of numbers that this program's extreme ones often are beside */
  gboolean      is_extreme;    /* sizes, strides, padding and the like may be any numbers */
  gboolean      is_large;      /* some sizes fill vectors with a remainder */
  GArray       *arguments;     /* RandomArgument, of @main */
  GArray       *known;         /* RandomNumbers by id */
  GArray       *results;       /* guint: ids of the results of @main */
} RandomProgram;

typedef enum
{
  RANDOM_TAKES_OPEN   = 1 << 0,   /* the value may have dimensions "?" */
  RANDOM_TAKES_SCALAR = 1 << 1,   /* suitable for regions on scalars: elementwise, no argument, no region */
  RANDOM_TOP_ONLY     = 1 << 2,   /* not inside regions and functions */
  RANDOM_HAS_NUMBERS  = 1 << 3,   /* states numbers, which may be extreme, … */
  RANDOM_HAS_WINDOWS  = 1 << 4,   /* … and more of them in windows */
} RandomMakerFlags;

/* One row of a family's table, which ends with a row without a name. */
typedef struct
{
  const char *name;
  /* Adds an operation on @value, and whatever else it needs. FALSE when the value does not suit, in which case
   * constants and arguments may still have been added. */
  gboolean  (*make) (RandomProgram *self, guint value);
  guint weight;
  guint pass_weight;          /* in programs for passes */
  guint flags;
} RandomMaker;

extern const RandomMaker random_elementwise_makers[], random_chlo_makers[], random_layout_makers[],
  random_indexing_makers[], random_gather_makers[], random_product_makers[], random_convolution_makers[],
  random_reduction_makers[], random_order_makers[], random_control_makers[], random_structure_makers[],
  random_algebra_makers[], random_dynamic_makers[], random_process_makers[], random_quantized_makers[];

typedef struct
{
  guint    n_steps;
  gboolean is_loose;
  gboolean for_passes;
  gboolean is_extreme;
  const guint8 *choices;       /* nullable: bytes that choose instead of the seed */
  gsize    n_choices;
} RandomOptions;

/* A whole program; the same @seed and options give the same program. */
RandomProgram *random_program_new        (guint32              seed,
                                          const RandomOptions *options);
void           random_program_free       (RandomProgram       *self);
char          *random_program_to_text    (const RandomProgram *self);
/* What is known about the value of that name in the text; NONE for other names. */
RandomNumbers  random_program_known      (const RandomProgram *self,
                                          const char          *name);
/* Runs @n random makers. */
void           random_grow               (RandomProgram *self,
                                          guint          n);

/* Choosing. */
guint          random_pick               (RandomProgram *self,
                                          guint          n);
/* TRUE in one of @n cases. */
gboolean       random_once               (RandomProgram *self,
                                          guint          n);
gint64         random_size               (RandomProgram       *self);
/* A number from 0 to @most, which may be extreme where @most is. */
gint64         random_within             (RandomProgram *self,
                                          gint64         most);
guint32        random_seed               (RandomProgram       *self);
void           random_shuffle            (RandomProgram *self,
                                          gint64        *numbers,
                                          guint          n);
GhloElementType random_element           (RandomProgram       *self);
GhloElementType random_float             (RandomProgram       *self);
GhloElementType random_integer           (RandomProgram       *self);
/* i32 or i64; the latter for extreme numbers. */
GhloElementType random_integer_type       (RandomProgram       *self);
RandomType     random_type               (RandomProgram *self,
                                          guint          max_rank);
/* The highest rank that values may have, which is @usual in programs without extreme numbers. */
guint          random_max_rank           (const RandomProgram *self,
                                          guint                usual);

/* Extreme numbers: 0, small ones, powers of two at which arithmetic in 32 and 64 bits ends, and those beside them. */
gint64         random_extreme            (RandomProgram       *self);
/* Chooses the number that extreme ones are often beside, so that some of them cancel out in few bits. */
void           random_extreme_begin      (RandomProgram       *self);
/* The same from @least on. */
gint64         random_extreme_from       (RandomProgram       *self,
                                          gint64               least);
/* Mostly small sizes, of up to 64 dimensions; where one is 0, others may be extreme. */
RandomType     random_extreme_type       (RandomProgram       *self);

/* What windows do along one dimension. */
typedef struct
{
  gint64 size, base, low, high;           /* of the operand: its size, dilation, and padding */
  gint64 window, dilation, stride;
  gint64 count;                           /* the number of windows */
  guint  rank;                            /* of the operand, which is given: of many dimensions few get more than one */
} RandomAxis;

/* Chooses all but size and window with extreme numbers, so that there are few windows. @is_plain: without dilation. */
void           random_extreme_axis       (RandomProgram       *self,
                                          RandomAxis          *axis,
                                          gboolean             is_plain);
/* Padding of @axis for a small result, whose size becomes count; the interior padding becomes base, less 1. */
void           random_extreme_padding    (RandomProgram       *self,
                                          RandomAxis          *axis);

/* Any value in scope with elements that every operation accepts. */
guint          random_other              (RandomProgram *self,
                                          guint          fallback);

/* Types. */
gboolean       random_is_float           (GhloElementType      type);
gboolean       random_is_complex         (GhloElementType      type);
gboolean       random_is_integer         (GhloElementType      type);
gint64         random_count              (const RandomType    *type);
gboolean       random_same_type          (const RandomType *a,
                                          const RandomType *b);
RandomType     random_scalar             (GhloElementType      element);
RandomType     random_vector             (GhloElementType element,
                                          gint64          size);
/* Whether a value may have that type: it must not have too many elements. */
gboolean       random_fits               (const RandomProgram *self,
                                          const RandomType    *type);

/* Values. Their definitions' text is written by the caller. */
guint          random_define             (RandomProgram    *self,
                                          const RandomType *type,
                                          RandomNumbers     numbers);
/* Whether a value with those numbers may be made at all. */
gboolean       random_allows             (const RandomProgram *self,
                                          RandomNumbers        numbers);
guint          random_constant           (RandomProgram    *self,
                                          const RandomType *type,
                                          RandomFill        fill);
/* A constant of given integers, for shapes and indices. */
guint          random_integers           (RandomProgram  *self,
                                          GhloElementType element,
                                          const gint64   *numbers,
                                          guint           n);
guint          random_integer_constant   (RandomProgram  *self,
                                          GhloElementType element,
                                          gint64          number);
/* A new argument of @main, or a constant inside closed regions. */
guint          random_argument           (RandomProgram    *self,
                                          const RandomType *type,
                                          RandomFill        fill);
/* A value of that type: an existing one, a constant, or an argument. */
guint          random_like               (RandomProgram    *self,
                                          const RandomType *type);
/* The same, with numbers that suit sums or functions, in programs that are not loose. */
guint          random_bounded               (RandomProgram    *self,
                                             const RandomType *type);

/* Texts that live as long as the program. */
const char    *random_text               (RandomProgram    *self,
                                          const RandomType *type);
const char    *random_type_of            (RandomProgram *self,
                                          guint          value);
const char    *random_name               (RandomProgram *self,
                                          guint          value);
const char    *random_names              (RandomProgram *self,
                                          const guint   *values,
                                          guint          n);
const char    *random_list               (RandomProgram *self,
                                          const gint64  *numbers,
                                          guint          n);
/* "(T, T) -> T" */
const char    *random_signature          (RandomProgram    *self,
                                          const guint      *operands,
                                          guint             n,
                                          const RandomType *result);
const char    *random_printf             (RandomProgram       *self,
                                          const char          *format,
                                          ...) G_GNUC_PRINTF (2, 3);
/* How values are quantized: by scales that are powers of two, so that little is rounded. */
typedef struct
{
  const char     *storage;               /* "i8<-100:100>" */
  const char     *stored;                /* "i8" */
  gint64          least, greatest;
  GhloElementType expressed;
  const char     *element;               /* "!quant.uniform<…>" */
  RandomNumbers   numbers;               /* that it represents */
} RandomQuantization;

typedef enum
{
  RANDOM_ANY_STORAGE,
  RANDOM_BYTES,                          /* at most 8 bits */
  RANDOM_WIDE,                           /* 16 bits, without zero points */
} RandomStorage;

/* Chooses a quantization, whose elements are stored like those of @like unless it is NULL. With @n scales for indices
   along @axis, which is -1 for one scale. */
RandomQuantization random_quantization    (RandomProgram            *self,
                                          RandomStorage             storage,
                                          const RandomQuantization *like,
                                          GhloElementType           expressed,
                                          int                       axis,
                                          gint64                    n,
                                          gboolean                  has_zero_points);
/* The type with that element type instead of its f32. */
const char    *random_quantized_text      (RandomProgram            *self,
                                          const RandomType         *type,
                                          const RandomQuantization *quantization);
/* Emit the quantization of a value of f32, in steps named after @name, and the reverse, which defines a value. */
void           random_emit_quantize       (RandomProgram            *self,
                                          guint                     value,
                                          const RandomQuantization *quantization,
                                          const char               *name);
guint          random_emit_dequantize     (RandomProgram            *self,
                                          const char               *name,
                                          const RandomType         *type,
                                          const RandomQuantization *quantization);
/* Whether what is known of a value of f32 suits quantization. */
gboolean       random_may_quantize        (const RandomProgram      *self,
                                          guint                     value);
/* "stablehlo.add", and "add". */
const char    *random_scalar_name        (GhloScalarKind       kind);
const char    *random_scalar_mnemonic    (GhloScalarKind       kind);
/* Appends to the body. */
void           random_emit               (RandomProgram       *self,
                                          const char          *format,
                                          ...) G_GNUC_PRINTF (2, 3);
/* "%vN = NAME OPERANDSATTRIBUTES : (T, …) -> T\n", and defines it. */
guint          random_op                 (RandomProgram    *self,
                                          const char       *name,
                                          const guint      *operands,
                                          guint             n,
                                          const char       *attributes,
                                          const RandomType *result,
                                          RandomNumbers     numbers);
/* The same in the generic form: "NAME"(OPERANDS)REST : … */
guint          random_generic_op         (RandomProgram    *self,
                                          const char       *name,
                                          const guint      *operands,
                                          guint             n,
                                          const char       *rest,
                                          const RandomType *result,
                                          RandomNumbers     numbers);

/* Regions: values defined inside go out of scope at the end. @is_closed: no outer value is in scope inside. */
typedef struct
{
  guint    n_values, first;
  gboolean is_closed, is_scalar;
  GString *body;
} RandomScope;

RandomScope    random_scope_begin        (RandomProgram *self,
                                          gboolean       is_closed,
                                          gboolean       is_scalar);
void           random_scope_end          (RandomProgram     *self,
                                          const RandomScope *scope);

/* The computations on two scalars in regions of reductions, windows, scatters and collectives. */
typedef enum
{
  RANDOM_SUM,
  RANDOM_PRODUCT,
  RANDOM_EXTREME,      /* one of the two, whatever the order */
  RANDOM_SECOND,       /* the second: in scatters, the update */
  RANDOM_DIFFERENCE,   /* depends on the order */
} RandomReductionKind;

typedef struct
{
  const char          *name;      /* "add" */
  RandomReductionKind  kind;
} RandomReduction;

RandomReduction random_reduction         (RandomProgram  *self,
                                          GhloElementType element,
                                          gboolean        may_overwrite);
/* For @n elements with @numbers, combined in an order that is up to the executor. */
RandomNumbers  random_reduced            (GhloElementType        element,
                                          const RandomReduction *reduction,
                                          RandomNumbers          numbers,
                                          double                 n);
/* "{ ^bb0(…): … }" */
const char    *random_reducer            (RandomProgram         *self,
                                          const RandomReduction *reduction,
                                          GhloElementType        element);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RandomProgram, random_program_free)
