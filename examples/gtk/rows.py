# SPDX-License-Identifier: LGPL-2.1-or-later
"""The rows of the lists in viewer.ui: inputs and outputs, and the steps of a plan."""

from __future__ import annotations

from collections.abc import Iterable

import gi

gi.require_version('Gtk', '4.0')
from gi.repository import Ghlo, Gio, GLib, GObject, Gtk  # noqa: E402

BAR_LETTERS = 24
MOST_STEPS = 2000               # longer plans are not listed: each step has an object, and many take long to make


def format_time(seconds: float) -> str:
    """Formats a time in seconds; negative where it is unknown, which gives an empty string."""
    if seconds < 0:
        return ''
    return f'{seconds * 1e3:.2f} ms' if seconds >= 1e-3 else f'{seconds * 1e6:.1f} µs'


def draw_bar(begin: float, share: float) -> str:
    """Draws a bar of block characters, to an eighth of a character: BEGIN and SHARE are fractions of
    the run's time. Together the rows read like a flame graph, with a loop's body below the loop."""
    if share <= 0:
        return ''
    skipped = int(begin * BAR_LETTERS)
    eighths = max(round((begin + share) * BAR_LETTERS * 8) - skipped * 8, 1)
    return ' ' * skipped + '█' * (eighths // 8) + ' ▏▎▍▌▋▊▉'[eighths % 8]


class ValueRow(GObject.Object):
    """An input or output."""
    __gtype_name__ = 'ValueRow'
    title = GObject.Property(type=str)            # name and type
    summary = GObject.Property(type=str)          # of the values


class StepRow(GObject.Object):
    """A step of a plan, with the steps of its body. Its time is the sum of all executions in a run."""
    __gtype_name__ = 'StepRow'
    operation = GObject.Property(type=str)
    detail = GObject.Property(type=str)
    unit = GObject.Property(type=str)
    bytes = GObject.Property(type=str)
    estimate = GObject.Property(type=str)
    measured = GObject.Property(type=str)
    bar = GObject.Property(type=str)              # its part of the run's time

    def __init__(self, step: Ghlo.PlanStep) -> None:
        super().__init__(operation=step.get_operation().replace('stablehlo.', ''), detail=step.get_detail(),
                         unit=step.get_unit(),
                         bytes=GLib.format_size_full(step.get_bytes(), GLib.FormatSizeFlags.IEC_UNITS),
                         estimate=format_time(step.get_estimate()))
        steps = step.get_steps()
        self.steps = make_step_rows(steps) if steps is not None else None

    def update(self, step: Ghlo.PlanStep, begin: float, total: float) -> float:
        """Updates the row from the step's measured time; the step begins at BEGIN seconds of TOTAL."""
        time = max(step.get_measurement(), 0)
        self.measured = format_time(step.get_measurement())
        self.bar = draw_bar(begin / total, time / total)
        if self.steps is not None:
            update_step_rows(self.steps, step.get_steps() or [], begin, total)
        return time


def make_step_rows(steps: Iterable[Ghlo.PlanStep]) -> Gio.ListStore[StepRow]:
    rows = Gio.ListStore.new(StepRow)
    for step in steps:
        rows.append(StepRow(step))
    return rows


def update_step_rows(rows: Iterable[StepRow], steps: Iterable[Ghlo.PlanStep], begin: float, total: float) -> None:
    for row, step in zip(rows, steps):
        begin += row.update(step, begin, total)


def show_plan(view: Gtk.ColumnView, plan: Ghlo.Plan | None) -> Gio.ListStore[StepRow]:
    """Shows a plan as a tree of rows, and returns the rows of the top level."""
    rows = make_step_rows(plan if plan is not None and plan.get_n_steps() <= MOST_STEPS else [])
    tree = Gtk.TreeListModel.new(rows, False, True, lambda row: row.steps if isinstance(row, StepRow) else None)
    view.set_model(Gtk.NoSelection.new(tree))
    return rows


def describe_plan(plan: Ghlo.Plan | None) -> str:
    """Returns the heading of a plan's list; some devices have no plans."""
    return 'No plan' if plan is None else f'Plan of {plan.get_n_steps()} steps'
