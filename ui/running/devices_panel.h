// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QStyledItemDelegate>
#include <QWidget>
#include <filesystem>

#include "engine/events/run_event.h"
#include "ui/running/device_lane_model.h"

class QKeyEvent;
class QLabel;
class QStackedWidget;
class QTreeView;

namespace meshreel {

class DeviceLaneModel;
class EmptyState;
class ExportButton;

/// Draws a device's lane: time to the right, and at each moment the shares of what the device did upon each
/// other.
class LaneDelegate : public QStyledItemDelegate {
    Q_OBJECT

  public:
    LaneDelegate(const DeviceLaneModel& model, QObject* parent);

    /// The part of a cell that time runs along.
    [[nodiscard]] static QRect laneArea(const QRect& cell);

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    bool helpEvent(QHelpEvent* event, QAbstractItemView* view, const QStyleOptionViewItem& option,
                   const QModelIndex& index) override;

  private:
    const DeviceLaneModel& m_model;
};

/// Tells the steps in the lane of the current row, one after the other by comma and full stop, as pointing at
/// them does.
class LaneReader : public QObject {
    Q_OBJECT

  public:
    /// Belongs to the view, which shows the model.
    LaneReader(const DeviceLaneModel& model, QTreeView& view);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    bool takeKey(int key);
    void tell(int stretch);

    const DeviceLaneModel& m_model;
    QTreeView& m_view;
    int m_told = -1;  ///< stretch of the history; -1 before the first
};

/// How the devices of the run at hand spend its steps, as they end, or how those of a past one did.
class DevicesPanel : public QWidget {
    Q_OBJECT

  public:
    explicit DevicesPanel(QWidget* parent = nullptr);

    void begin();
    void addSteps(const std::vector<StepDeviceTimes>& steps);
    void showProgress(const Progress& progress);
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
