/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the lists of viewer.ui show: inputs and outputs, and the steps of a plan.
 */

const int BAR_LETTERS = 24;
const uint MOST_STEPS = 2000;     /* of a plan that is listed: each has an object, and the longest take long to make */

/* Seconds in words; nothing when they are not known. */
string format_time (double seconds) {
  if (seconds < 0)
    return "";
  return seconds >= 1e-3 ? "%.2f ms".printf (seconds * 1e3) : "%.1f µs".printf (seconds * 1e6);
}

/* A bar of text from one share of a run's time on, in eighths of a letter: steps come one after
 * the other, and those of a body below their loop, as in a flame graph. */
string draw_bar (double begin, double share) {
  if (share <= 0)
    return "";
  string[] rests = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
  var skipped = (int) (begin * BAR_LETTERS);
  var eighths = int.max ((int) ((begin + share) * BAR_LETTERS * 8 + 0.5) - skipped * 8, 1);
  return string.nfill (skipped, ' ') + string.joinv ("█", new string[eighths / 8 + 1]) + rests[eighths % 8];
}

/* An input or output. */
public class ValueRow : Object {
  public string title { get; set; default = ""; }             /* name and type */
  public string summary { get; set; default = ""; }           /* of its values */

  public ValueRow (string title) {
    Object (title: title);
  }
}

/* A step of a plan, and those of its body. Its time is that of all its executions in a run. */
public class StepRow : Object {
  public string operation { get; set; default = ""; }
  public string detail { get; set; default = ""; }
  public string unit { get; set; default = ""; }
  public string bytes { get; set; default = ""; }
  public string estimate { get; set; default = ""; }
  public string measured { get; set; default = ""; }
  public string bar { get; set; default = ""; }               /* when in the run that was */
  public ListStore? steps;

  public StepRow (Ghlo.PlanStep step) {
    Object (operation: step.operation.replace ("stablehlo.", ""), detail: step.detail, unit: step.unit,
            bytes: format_size (step.bytes, FormatSizeFlags.IEC_UNITS), estimate: format_time (step.estimate));
    steps = step.steps != null ? make_step_rows (step.steps) : null;
  }

  /* Takes over what a run measured of the step, which begins at so many seconds of a total. */
  public double update (Ghlo.PlanStep step, double begin, double total) {
    var time = double.max (step.measurement, 0);
    measured = format_time (step.measurement);
    bar = draw_bar (begin / total, time / total);
    if (steps != null)
      update_step_rows (steps, step.steps, begin, total);
    return time;
  }
}

ListStore make_step_rows (ListModel steps) {
  var rows = new ListStore (typeof (StepRow));
  for (var i = 0; i < steps.get_n_items (); i++)
    rows.append (new StepRow ((Ghlo.PlanStep) steps.get_item (i)));
  return rows;
}

void update_step_rows (ListModel rows, ListModel steps, double begin, double total) {
  var from = begin;
  for (var i = 0; i < rows.get_n_items (); i++)
    from += ((StepRow) rows.get_item (i)).update ((Ghlo.PlanStep) steps.get_item (i), from, total);
}

/* Shows a plan as a tree of rows, and gives those of its top. */
ListStore show_plan (Gtk.ColumnView view, Ghlo.Plan? plan) {
  var is_listed = plan != null && plan.get_n_steps () <= MOST_STEPS;
  var rows = is_listed ? make_step_rows (plan) : new ListStore (typeof (StepRow));
  var tree = new Gtk.TreeListModel (rows, false, true, (row) => ((StepRow) row).steps);
  view.model = new Gtk.NoSelection (tree);
  return rows;
}

/* The heading of a plan's list; there are devices that have no plans. */
string describe_plan (Ghlo.Plan? plan) {
  return plan == null ? "No plan" : @"Plan of $(plan.get_n_steps ()) steps";
}
