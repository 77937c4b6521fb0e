// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QChart>
#include <functional>
#include <memory>
#include <vector>

#include "engine/runs/records/data_table.h"
#include "engine/timing/step_record.h"
#include "ui/charts/step_chart.h"

namespace meshreel {

/// A chart that can be written to a file: the drawing, dark on white, and the numbers behind it.
struct ChartSheet {
    std::function<std::unique_ptr<QChart>()> draw;
    DataTable numbers;
};

/// The step chart of one run; its numbers are those of steps.csv, but that steps are counted from 1.
/// `resumedFrom` as of StepChart::setRecords().
ChartSheet stepSheet(const std::vector<StepRecord>& records, StepMetric metric,
                     const std::vector<int>& resumedFrom = {});

}  // namespace meshreel
