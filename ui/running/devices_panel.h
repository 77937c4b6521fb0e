// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QStyledItemDelegate>
#include <QWidget>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/problem.h"
#include "engine/events/run_event.h"
#include "engine/gpu/gpu_facts.h"
#include "engine/gpu/gpu_list.h"
#include "engine/project/gpu_choice.h"
#include "engine/timing/step_record.h"
#include "ui/running/device_lane_model.h"
#include "ui/values/background.h"

class QBoxLayout;
class QCheckBox;
class QKeyEvent;
class QLabel;
class QStackedWidget;
class QToolButton;
class QTreeView;
class QTreeWidget;
class QTreeWidgetItem;

namespace meshreel {

class DeviceLaneModel;
class EmptyState;
class ExportButton;
struct Placement;

/// Draws a device's lane: time to the right, and at each moment the shares of what the device did upon each
/// other.
class LaneDelegate : public QStyledItemDelegate {
    Q_OBJECT

  public:
    LaneDelegate(const DeviceLaneModel& model, QObject* parent);

    /// Returns the part of a cell that time runs along.
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

/// What of this machine can compute.
struct MachineDevices {
    std::string cpu;               ///< its brand
    std::string isa;               ///< that its kernels use
    std::uint64_t memoryFree = 0;  ///< bytes
    std::optional<double> rate;    ///< rate of its linear layers in bf16, in operations a second, if measured
    std::vector<GpuDriver> drivers;
};

/// Asks each GPU driver in a process of its own, and takes as long as the slowest; `again` asks failed ones
/// anew. Throws Error{Input} when that process cannot be started.
MachineDevices askMachineDevices(bool again);

/// The CPU and the GPUs of this machine: what they are and how they multiply matrices. A tick says that the
/// project uses a GPU. The drivers are asked when the list is first shown.
class MachineList : public QWidget {
    Q_OBJECT

  public:
    /// As askMachineDevices(); called on another thread.
    using Ask = std::function<MachineDevices(bool again)>;

    explicit MachineList(Ask ask, QWidget* parent = nullptr);

    /// The project's value of the key `gpus`.
    void showChoice(const GpuChoice& gpus);
    /// Shows what follows from it; null while there is no plan.
    void showPlacement(const Placement* placement);

    [[nodiscard]] QTreeWidget& tree() const { return *m_tree; }
    [[nodiscard]] QCheckBox& automatic() const { return *m_automatic; }
    [[nodiscard]] QToolButton& askAgain() const { return *m_again; }
    /// Returns what computes the project, and why.
    [[nodiscard]] QString words() const;
    [[nodiscard]] QSize sizeHint() const override;

  signals:
    /// The project is to have this value of the key `gpus`.
    void gpusChosen(const QString& value);

  protected:
    void showEvent(QShowEvent* event) override;

  private:
    void ask(bool again);
    void fill(const MachineDevices& machine);
    void showProblem(const Problem& problem);
    void addCpu(const MachineDevices& machine);
    void addGpu(int number, const GpuFacts& gpu);
    void addWithout(const std::vector<GpuDriver>& drivers);
    void tick();
    void take(const QTreeWidgetItem& item);
    void choose(const std::vector<int>& numbers);
    /// Returns the devices that compute the project: named, or taken by the plan.
    [[nodiscard]] const std::vector<int>& used() const;

    Ask m_ask;
    QLabel* m_sentence;
    QCheckBox* m_automatic;
    QToolButton* m_again;
    QTreeWidget* m_tree;
    GpuChoice m_choice;
    std::vector<int> m_planned;
    bool m_wasAsked = false;
    bool m_isTicking = false;
    LatestOnly m_asking;
};

/// Shows how the devices of the current run spend its steps, as they end, or how those of a past one did;
/// beside it, what can compute on this machine.
class DevicesPanel : public QWidget {
    Q_OBJECT

  public:
    explicit DevicesPanel(QWidget* parent = nullptr, MachineList::Ask ask = askMachineDevices);

    void begin();
    void addSteps(const std::vector<StepDeviceTimes>& steps);
    void showProgress(const Progress& progress);
    void end();
    /// A run of the past; `steps` is empty when it did not record them.
    void showRun(const std::vector<StepDeviceTimes>& steps);
    /// Shows nothing that has devices.
    void clear();

    /// The lanes, in the format of the file's extension. Throws Error.
    void exportTo(const std::filesystem::path& file) const;

    [[nodiscard]] MachineList& machine() const { return *m_machine; }
    [[nodiscard]] const DeviceLaneModel& model() const { return m_model; }
    [[nodiscard]] QTreeView& view() const { return *m_view; }
    /// Returns what replaces the lanes, or is above them.
    [[nodiscard]] QString words() const;
    [[nodiscard]] bool showsLanes() const;

  signals:
    /// Where devices are set up is wanted.
    void meshRequested();
    /// The user chose a file to export to.
    void exportRequested(const QString& file);

  protected:
    /// Lanes and machine are side by side if both have room, else one below the other.
    void resizeEvent(QResizeEvent* event) override;

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
    MachineList* m_machine;
    QBoxLayout* m_parts;
    Subject m_subject = Subject::Nothing;
};

}  // namespace meshreel
