// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/activity/device_lane_model.h"
#include "ui/controller/run_news.h"

class QLabel;
class QStackedWidget;
class QTreeView;

namespace meshreel {

class EmptyState;

/// How the devices of the run at hand, or of the last one, spend its steps, as they end.
class DevicesPanel : public QWidget {
    Q_OBJECT

  public:
    explicit DevicesPanel(QWidget* parent = nullptr);

    void begin();
    void addSteps(const std::vector<StepDeviceTimes>& steps);
    void showProgress(const RunProgress& progress);
    void end();

    [[nodiscard]] const DeviceLaneModel& model() const { return m_model; }
    [[nodiscard]] QTreeView& view() const { return *m_view; }
    /// What stands in place of the lanes, or above them.
    [[nodiscard]] QString words() const;
    [[nodiscard]] bool showsLanes() const;

  signals:
    /// Where devices are set up is wanted.
    void meshRequested();

  private:
    QWidget* makeLanes();
    void refresh();

    DeviceLaneModel m_model;
    QStackedWidget* m_stage;
    EmptyState* m_empty;
    QLabel* m_sentence;
    QTreeView* m_view;
    bool m_runGoesOn = false;
};

}  // namespace meshreel
