// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QWidget>
#include <filesystem>
#include <optional>

#include "ui/charts/chart_sheet.h"
#include "ui/tune/tile_tuner.h"

class QChartView;
class QComboBox;
class QFormLayout;
class QLabel;
class QProgressBar;
class QPushButton;
class QSpinBox;
class QStackedWidget;

namespace meshreel {

class EmptyState;
class ExportButton;
class ProjectDocument;

/// The search for the block sizes that are fastest here for the project's video, mesh and attention: what is
/// tried, a map of what it took, and the winner, to be written into the project.
class TunePanel : public QWidget {
    Q_OBJECT

  public:
    explicit TunePanel(ProjectDocument& document, QWidget* parent = nullptr);

    /// A run that goes on keeps a search from starting, as it would be measured too.
    void setEngineBusy(bool busy);
    [[nodiscard]] TileTuner& tuner() const { return *m_tuner; }

    void start();
    /// As one step that can be undone.
    void writeToProject();
    /// The map, in the format of the file's extension. Throws Error.
    void exportTo(const std::filesystem::path& file) const;

    [[nodiscard]] TileTuningOptions options() const;
    void setOptions(const TileTuningOptions& options);
    [[nodiscard]] QString words() const;
    [[nodiscard]] QString verdict() const;

  signals:
    void troubled(const meshreel::Trouble& trouble);
    /// The user chose a file to export the map to.
    void exportRequested(const QString& file);

  protected:
    void changeEvent(QEvent* event) override;

  private:
    QWidget* makeOptions();
    QWidget* makeStage();
    QWidget* makeFoot();
    void connectTuner();
    void refresh();
    void showTask(const TuneTask& task);
    void showProgress(const TuneProgress& progress);
    void showResult(const TuneResult& result);
    void showMap(const std::vector<TileTime>& tiles);

    ProjectDocument& m_document;
    TileTuner* m_tuner;
    QComboBox* m_mode;
    QSpinBox* m_count;
    QSpinBox* m_step;
    QSpinBox* m_most;
    QSpinBox* m_passes;
    QSpinBox* m_warmUp;
    QFormLayout* m_form;
    QPushButton* m_start;
    QPushButton* m_cancel;
    QPushButton* m_write;
    ExportButton* m_export;
    QProgressBar* m_progress;
    QStackedWidget* m_stage;
    EmptyState* m_empty;
    QChartView* m_view;
    QLabel* m_words;
    QLabel* m_verdict;
    TuneTask m_task;
    std::optional<TuneResult> m_result;
    ChartSheet m_sheet;
    QElapsedTimer m_begun;
    bool m_engineIsBusy = false;
};

}  // namespace meshreel
