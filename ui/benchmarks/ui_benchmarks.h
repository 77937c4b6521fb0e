// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

#include "engine/measure/benchmarks/machine_peaks.h"

namespace meshreel {

// Returns how fluid the Studio is, without a display, at 1280 × 800. Every row is in milliseconds; its ratio
// is that to the limit which it should stay below, a detail of the row.

/// Measures a frame of panning through a chart of 10,000 steps.
BenchmarkRow measureChartPan();

/// Reading, sorting and painting 5,000 run folders, which are made in `folder`, an empty one.
BenchmarkRow measureRunList(const QString& folder);

/// Measures the longest time that the window's thread took for anything while the engine, with a worker on
/// every CPU, made a video into `folder`, an empty one. Throws Error{Internal} when the run fails.
BenchmarkRow measureStall(const QString& folder);

/// Measures the time from starting `program` with `arguments` to the line "painted" on its standard output,
/// with a warm page cache. Throws Error{Internal} when that line does not come.
BenchmarkRow measureFirstPaint(const QString& program, const QStringList& arguments);

/// Measures the time from a movement of the mouse to the painted frame while a timeline of 16 devices and 50
/// steps, in full and at every zoom down to single blocks, is dragged: the 95th of a hundred.
BenchmarkRow measureTimelinePan();

/// Shows the Studio's window, prints "painted" after its first paint, and returns.
void paintOnce();

}  // namespace meshreel
