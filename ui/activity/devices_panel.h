// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <filesystem>

#include "ui/activity/device_lane_model.h"
#include "ui/controller/run_news.h"

class QLabel;
class QStackedWidget;
class QTreeView;

namespace meshreel {

class EmptyState;
class ExportButton;

/// How the devices of the run at hand spend its steps, as they end, or how those of a past one did.
class DevicesPanel : public QWidget {
    Q_OBJECT

  public:
    explicit DevicesPanel(QWidget* parent = nullptr);

    void begin();
    void addSteps(const std::vector<StepDeviceTimes>& steps);
    void showProgress(const RunProgress& progress);
    void end();
    /// A run of the past; `steps` is empty when it did not record them.
    void showRun(const std::vector<StepDeviceTimes>& steps);
    /// Nothing that has devices.
    void clear();

    /// The lanes, in the format of the file's extension. Throws Error.
    void exportTo(const std::filesystem::path& file) const;

    [[nodiscard]] const DeviceLaneModel& model() const { return m_model; }
    [[nodiscard]] QTreeView& view() const { return *m_view; }
    /// What stands in place of the lanes, or above them.
    [[nodiscard]] QString words() const;
    [[nodiscard]] bool showsLanes() const;

  signals:
    /// Where devices are set up is wanted.
    void meshRequested();
    /// The user chose a file to export to.
    void exportRequested(const QString& file);

  private:
    enum class Subject { Nothing, RunAtHand, PastRun };

    QWidget* makeLanes();
    void restart(Subject subject);
    void refresh();
    [[nodiscard]] QString emptySentence() const;

    DeviceLaneModel m_model;
    QStackedWidget* m_stage;
    EmptyState* m_empty;
    QLabel* m_sentence;
    QTreeView* m_view;
    ExportButton* m_export;
    Subject m_subject = Subject::Nothing;
};

}  // namespace meshreel
