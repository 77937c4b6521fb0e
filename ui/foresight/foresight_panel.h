// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QWidget>
#include <filesystem>
#include <optional>
#include <vector>

#include "engine/base/problem.h"
#include "engine/foresight/accelerator_case.h"
#include "engine/foresight/mesh_foresight.h"
#include "engine/planning/project_forecast.h"
#include "engine/planning/run_plan.h"
#include "engine/planning/target_hardware.h"
#include "engine/runs/records/run_record.h"
#include "ui/charts/chart_sheet.h"
#include "ui/foresight/foresight_charts.h"
#include "ui/project/plan_watch.h"
#include "ui/values/background.h"

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QStackedWidget;
class QTableView;

namespace meshreel {

class ChartView;
class EmptyState;
class ExportButton;
class ProjectDocument;
class TargetChoice;

/// Numbers of devices as people list them: "8, 16". Nothing when the text is something else, or a number is
/// not from 1 to 4,096.
std::optional<std::vector<int>> readDeviceNumbers(const QString& text);

/// What is foreseen of a project on other hardware.
struct ForesightAnswer {
    AcceleratorCase of;
    std::shared_ptr<const TargetHardware> target;
    std::optional<ForeseenMesh> own;  ///< the project's mesh, mode and block sizes; nothing where not legal
    std::vector<ForeseenDevices> devices;
    std::vector<ForeseenScaling> scaling;
};

/// Throws as projectCase() does.
ForesightAnswer foreseeOn(const RunPlan& plan, std::shared_ptr<const TargetHardware> target,
                          const std::vector<int>& devices);

/// Each finished run beside what is foreseen of its mesh. A pasted run names no mesh and is held against
/// `pastedOn`; without one it is left out.
std::vector<MeasuredCase> besideMeasured(const ForesightAnswer& answer, const std::vector<RunRecord>& runs,
                                         const ForeseenMesh* pastedOn);

/// Returns the keys that give a foreseen mesh, its mode and its block sizes to a project.
KeyChanges toMeshChanges(const ForeseenMesh& mesh);

/// The foreseen meshes, a row each: those of the first number of devices first, the fastest of each first.
/// The project's own is bold, and stands before all others unless it is one of them. The others are judged
/// beside it.
class ForeseenMeshModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column {
        Devices,
        Mesh,
        Attention,
        Blocks,
        Step,
        Range,
        Beside,  ///< the verdict
        Clip,
        Memory,
        Money,
        Besides,
        ColumnCount
    };

    using QAbstractTableModel::QAbstractTableModel;

    void setAnswer(const ForesightAnswer& answer);
    /// Price of a device for an hour; 0: money is not shown.
    void setPrice(double price);
    [[nodiscard]] const ForeseenMesh& mesh(int row) const { return m_meshes[static_cast<std::size_t>(row)]; }
    /// Returns the row of the project's own mesh; -1 without an answer.
    [[nodiscard]] int ownRow() const { return m_own; }
    /// Returns the row of the fastest mesh of the first number of devices; -1 where there is none.
    [[nodiscard]] int firstRow() const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

  private:
    [[nodiscard]] QVariant ofOwn(const QModelIndex& index, int role) const;

    std::vector<ForeseenMesh> m_meshes;
    int m_own = -1;
    bool m_ownIsAdded = false;  ///< it is none of the foreseen ones
    double m_price = 0;
};

/// The open project on hardware that is not here: its meshes ranked, and charts of them. What
/// `meshreel foresee` prints.
class ForesightPanel : public QWidget {
    Q_OBJECT

  public:
    enum class Chart { BestByContext, Splits, Blocks, Scaling, Measured };

    ForesightPanel(ProjectDocument& document, TargetChoice& target, QWidget* parent = nullptr);

    void showForecast(const ProjectForecast& forecast);
    /// Sets the runs that the foresight is compared with.
    void setRuns(std::vector<RunRecord> runs);
    void showChart(Chart chart);
    void setDevices(const QString& devices);

    [[nodiscard]] ForeseenMeshModel& meshes() const { return *m_meshes; }
    [[nodiscard]] ChartView& chartView() const { return *m_view; }
    /// Returns why there is no chart; empty when there is one.
    [[nodiscard]] QString obstacle() const;
    /// Exports in the format of the file's extension. Throws Error.
    void exportTo(const std::filesystem::path& file) const;
    /// Gives the mesh of the row to the project, as one step that can be undone.
    void useMesh(int row);

  signals:
    /// The answer to what was asked last is shown.
    void answered();
    /// The user chose a file to export to.
    void exportRequested(const QString& file);

  private:
    QWidget* makeHeader(TargetChoice& target);
    QWidget* makeBody();
    void fillPrograms();
    void ask();
    void draw();
    void showSentence(const QString& sentence);
    [[nodiscard]] const ForeseenMesh* chosenMesh() const;

    ProjectDocument& m_document;
    TargetChoice& m_target;
    ProjectForecast m_forecast;
    std::optional<ForesightAnswer> m_answer;
    std::vector<RunRecord> m_runs;
    ChartSheet m_sheet;
    ForeseenMeshModel* m_meshes;
    QComboBox* m_program;
    QLineEdit* m_devices;
    QDoubleSpinBox* m_price;
    QComboBox* m_chart;
    ExportButton* m_export;
    QStackedWidget* m_stage;
    EmptyState* m_words;
    ChartView* m_view;
    QTableView* m_table;
    QLabel* m_basis;
    QPushButton* m_use;
    LatestOnly m_asking;
};

}  // namespace meshreel
