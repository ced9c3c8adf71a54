// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What the lists of viewer.ui show: inputs and outputs, and the steps of a plan.

import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import GObject from 'gi://GObject';
import Gtk from 'gi://Gtk?version=4.0';

const BAR_LETTERS = 24;
const MOST_STEPS = 2000;        // of a plan that is listed: each has an object, and the longest take long to make

// Seconds in words; nothing when they are not known.
export function formatTime(seconds) {
    if (seconds < 0)
        return '';
    return seconds >= 1e-3 ? `${(seconds * 1e3).toFixed(2)} ms` : `${(seconds * 1e6).toFixed(1)} µs`;
}

// A bar of text from one share of a run's time on, in eighths of a letter: steps come one after
// the other, and those of a body below their loop, as in a flame graph.
function drawBar(begin, share) {
    if (share <= 0)
        return '';
    const skipped = Math.floor(begin * BAR_LETTERS);
    const eighths = Math.max(Math.round((begin + share) * BAR_LETTERS * 8) - skipped * 8, 1);
    return ' '.repeat(skipped) + '█'.repeat(Math.floor(eighths / 8)) + ' ▏▎▍▌▋▊▉'[eighths % 8];
}

const texts = (...names) => Object.fromEntries(names.map(name =>
    [name, GObject.ParamSpec.string(name, name, name, GObject.ParamFlags.READWRITE, '')]));

// An input or output: name and type, and a summary of its values.
export const ValueRow = GObject.registerClass({
    GTypeName: 'ValueRow',
    Properties: texts('title', 'summary'),
}, class ValueRow extends GObject.Object {});

// A step of a plan, and those of its body. Its time is that of all its executions in a run,
// and the bar is when in the run that was.
export const StepRow = GObject.registerClass({
    GTypeName: 'StepRow',
    Properties: texts('operation', 'detail', 'unit', 'bytes', 'estimate', 'measured', 'bar'),
}, class StepRow extends GObject.Object {
    static from(step) {
        const row = new StepRow({
            operation: step.get_operation().replace('stablehlo.', ''), detail: step.get_detail(), unit: step.get_unit(),
            bytes: GLib.format_size_full(step.get_bytes(), GLib.FormatSizeFlags.IEC_UNITS),
            estimate: formatTime(step.get_estimate()),
        });
        const steps = step.get_steps();
        row.steps = steps !== null ? makeStepRows(steps) : null;
        return row;
    }

    // Takes over what a run measured of the step, which begins at so many seconds of a total.
    update(step, begin, total) {
        const time = Math.max(step.get_measurement(), 0);
        this.measured = formatTime(step.get_measurement());
        this.bar = drawBar(begin / total, time / total);
        if (this.steps !== null)
            updateStepRows(this.steps, step.get_steps(), begin, total);
        return time;
    }
});

function makeStepRows(steps) {
    const rows = new Gio.ListStore({itemType: StepRow});
    for (let i = 0; i < steps.get_n_items(); i++)
        rows.append(StepRow.from(steps.get_item(i)));
    return rows;
}

export function updateStepRows(rows, steps, begin, total) {
    for (let i = 0; i < rows.get_n_items(); i++)
        begin += rows.get_item(i).update(steps.get_item(i), begin, total);
}

// Shows a plan as a tree of rows, and gives those of its top.
export function showPlan(view, plan) {
    const isListed = plan !== null && plan.get_n_steps() <= MOST_STEPS;
    const rows = makeStepRows(isListed ? plan : new Gio.ListStore());
    const tree = Gtk.TreeListModel.new(rows, false, true, row => row.steps);
    view.model = new Gtk.NoSelection({model: tree});
    return rows;
}

// The heading of a plan's list; there are devices that have no plans.
export function describePlan(plan) {
    return plan === null ? 'No plan' : `Plan of ${plan.get_n_steps()} steps`;
}
