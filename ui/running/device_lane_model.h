// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <array>
#include <vector>

#include "engine/timing/step_record.h"

class QColor;

namespace meshreel {

/// One step, or several that are drawn as one.
struct LaneStretch {
    int firstStep = 0;  ///< counted from 0
    int steps = 1;
    double start = 0;    ///< in seconds of steps
    double seconds = 0;  ///< of the device that took longest
    std::vector<DeviceTime> devices;
};

/// How the devices of a run spent its steps, on a time axis of nothing but steps. When there are too many for
/// a picture, neighbours are joined.
class LaneHistory {
  public:
    static constexpr std::size_t mostStretches = 1200;

    void clear();
    /// Begins anew where the number of devices is another one.
    void add(const StepDeviceTimes& step);

    [[nodiscard]] const std::vector<LaneStretch>& stretches() const { return m_stretches; }
    /// Returns the time of every device, summed over all steps.
    [[nodiscard]] const std::vector<DeviceTime>& totals() const { return m_totals; }
    [[nodiscard]] int steps() const { return m_steps; }
    [[nodiscard]] double seconds() const;
    /// Returns null when there is none.
    [[nodiscard]] const LaneStretch* stretchAt(double seconds) const;

  private:
    void joinNeighbours();

    std::vector<LaneStretch> m_stretches;
    std::vector<DeviceTime> m_totals;
    int m_steps = 0;
};

/// What a device does during a step.
struct LaneActivityColumn {
    double (*seconds)(const DeviceTime& time);
    int column;  ///< column of DeviceLaneModel
    const char* title;
    int color;  ///< index for ChartStyle::series
};

/// A row for each device of the current run: its lane, and what share of the time it spent on what.
class DeviceLaneModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    /// HostOnly is for GPUs: see hasGpus().
    enum Column { Device, Lane, Computing, HostOnly, Exchanging, Waiting, Received, ColumnCount };

    /// Returns the columns in the order in which a lane is filled, from below.
    static const std::array<LaneActivityColumn, 4>& activities();

    using QAbstractTableModel::QAbstractTableModel;

    void clear();
    void add(const std::vector<StepDeviceTimes>& steps);
    /// How many steps the run has still to do.
    void setStepsLeft(int steps);

    [[nodiscard]] const LaneHistory& history() const { return m_history; }
    /// Returns whether devices are GPUs, which are idle at times in which they could compute.
    [[nodiscard]] bool hasGpus() const;
    /// Returns the steps of the history, each separately.
    [[nodiscard]] const std::vector<StepDeviceTimes>& steps() const { return m_steps; }
    /// Returns where the time axis ends: what is drawn and, as far as it is known, what is to come.
    [[nodiscard]] double expectedSeconds() const;
    [[nodiscard]] int stepsLeft() const { return m_stepsLeft; }
    /// Returns the seconds of a device in a stretch of the time axis.
    [[nodiscard]] QString stretchText(const LaneStretch& stretch, int device) const;
    /// Returns the lanes in words; empty without steps.
    [[nodiscard]] QString sentence() const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    [[nodiscard]] QString text(const DeviceTime& total, int row, int column) const;
    [[nodiscard]] QString secondsText(const DeviceTime& time) const;

    LaneHistory m_history;
    std::vector<StepDeviceTimes> m_steps;
    int m_stepsLeft = 0;
};

}  // namespace meshreel
