// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "engine/attention/attention_mode.h"
#include "engine/planning/mode_forecast.h"

namespace meshreel {

struct RunPlan;

/// The table of attention modes: what each exchanges, rotates and computes with, what a device holds while
/// computing, and what it costs on the project's mesh. The project's mode is named in bold; modes that would
/// not run are grey and say why.
class AttentionModeModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { Name, ExchangeKind, RotationKind, Kernel, Cost, Holds, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;

    void setPlan(const RunPlan& plan);
    /// The project's mode, which has left the plan, or never had one.
    void setCurrent(const AttentionMode* mode);
    /// Clears the costs of all modes and whether they would run.
    void forgetPlan();
    [[nodiscard]] static const AttentionMode& mode(const QModelIndex& index);
    [[nodiscard]] QModelIndex indexOf(const AttentionMode* mode) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

  private:
    [[nodiscard]] QString toolTip(const QModelIndex& index) const;
    [[nodiscard]] QString cell(const QModelIndex& index) const;

    std::vector<ModeForecast> m_forecasts;
    const AttentionMode* m_current = nullptr;
};

}  // namespace meshreel
