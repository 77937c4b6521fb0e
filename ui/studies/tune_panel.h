// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QPointer>
#include <QString>
#include <QWidget>
#include <filesystem>
#include <optional>
#include <vector>

#include "engine/base/problem.h"
#include "engine/base/units.h"
#include "engine/kernels/attention/flash_block_sizes.h"
#include "engine/measure/tile_tuning.h"
#include "engine/planning/project_forecast.h"
#include "engine/project/project.h"
#include "engine/runs/records/run_record.h"
#include "ui/charts/chart_sheet.h"
#include "ui/charts/tile_chart.h"
#include "ui/project/plan_watch.h"
#include "ui/studies/tile_tuner.h"

class QComboBox;
class QFormLayout;
class QHBoxLayout;
class QLabel;
class QProgressBar;
class QPushButton;
class QSpinBox;
class QStackedWidget;

namespace meshreel {

class ChartView;
class EmptyState;
class ExportButton;
class ProjectDocument;

/// "ulysses: 1,024 queries × 1,024 keys, 12 choices".
QString taskText(const TuneTask& task);

/// Describes where a search that began so many seconds ago is, and about how long it still takes.
QString progressText(const TuneTask& task, const TuneProgress& progress, double secondsSinceBegin);

/// Returns the fastest sizes and the project's own, their medians and spreads, and the verdict.
QString verdictText(const TuneResult& result);

/// "Attention of heads of up to 128 numbers", "Linear layers", of a kernel by its name.
QString kernelTitle(const TunedKernel& kernel);

/// Returns the fastest candidate and what runs take now, their medians and spreads, and the verdict.
QString verdictText(const TunedKernel& kernel);

/// What a search for block sizes tries, and how often.
class TuneForm : public QWidget {
    Q_OBJECT

  public:
    explicit TuneForm(QWidget* parent = nullptr);

    [[nodiscard]] TileTuningOptions options() const;
    void setOptions(const TileTuningOptions& options);
    /// A GPU has a list of its own of what there is to try.
    void setOnGpu(bool onGpu);

  private:
    void addField(const QString& title, QWidget* field, const QString& help);
    /// Only what the chosen way of choosing sizes asks for.
    void showFields();

    QComboBox* m_mode;
    QSpinBox* m_count;
    QSpinBox* m_step;
    QSpinBox* m_most;
    QSpinBox* m_passes;
    QSpinBox* m_warmUp;
    QFormLayout* m_form;
    bool m_onGpu = false;
};

/// A search for block sizes in progress and its results: a map of what each pair took, the progress of the
/// search, and the fastest pair in words. On GPUs the pairs are forms and blocks, and each kernel has a map.
class TuneResults : public QWidget {
    Q_OBJECT

  public:
    explicit TuneResults(QWidget* parent = nullptr);

    /// Adds it after the words about the search.
    void addButton(QWidget* button);

    /// `preparing` says what comes before the first pass.
    void begin(const QString& preparing);
    void showTask(const TuneTask& task);
    void showProgress(const TuneProgress& progress);
    void showResult(const TuneResult& result);
    void showKernelProgress(const KernelProgress& progress);
    /// All kernels, one of them at a time.
    void showKernels(const std::vector<TunedKernel>& kernels);
    /// Times that are foreseen for other hardware, not measured; `own` are the project's sizes there.
    void showForeseen(const QString& hardware, const std::vector<TileTime>& tiles, const TileTime& own);
    /// Nothing was searched and nothing is foreseen.
    void clear();
    /// The search ended without a result; the sentence says why.
    void showEnd(const QString& sentence);
    void setBusy(bool busy);

    [[nodiscard]] QString words() const;
    [[nodiscard]] QString verdict() const;
    /// Returns the choice of the kernel that is shown; hidden when there are none.
    [[nodiscard]] QComboBox& kernelChoice() const { return *m_kernelChoice; }
    [[nodiscard]] ChartView& view() const { return *m_view; }
    /// Returns the map; nothing to draw before the first pass that counts.
    [[nodiscard]] const ChartSheet& sheet() const { return m_sheet; }

  signals:
    /// There is a map now.
    void mapShown();

  protected:
    void changeEvent(QEvent* event) override;

  private:
    QWidget* makeFoot();
    void showMap(const std::vector<TileTime>& tiles, const TileNotes& notes = {});
    void showKernel(const TunedKernel& kernel);

    QStackedWidget* m_stage;
    EmptyState* m_empty;
    ChartView* m_view;
    QPointer<TileChart> m_map;  ///< the view's; null before the first pass that counts
    QProgressBar* m_progress;
    QLabel* m_words;
    QLabel* m_verdict;
    QHBoxLayout* m_row;
    QComboBox* m_kernelChoice;
    TuneTask m_task;
    std::vector<TunedKernel> m_kernels;  ///< to choose from
    ChartSheet m_sheet;
    QElapsedTimer m_begun;
};

/// The search for the block sizes that are fastest here for the project's video, mesh and attention: what is
/// tried, what it took, and the winner, to be written into the project. Where a GPU computes the project, its
/// forms and blocks are searched, and runs on that GPU take the winners.
class TunePanel : public QWidget {
    Q_OBJECT

  public:
    explicit TunePanel(ProjectDocument& document, QWidget* parent = nullptr);

    /// Follows the plan to the GPU and back. While other hardware is planned for, the map shows what is
    /// foreseen there, until a search begins.
    void showForecast(const ProjectForecast& forecast);
    /// Why no search may start; empty when one may.
    void setObstacle(const QString& reason);
    [[nodiscard]] TileTuner& tuner() const { return *m_tuner; }
    [[nodiscard]] TuneForm& form() const { return *m_form; }
    [[nodiscard]] TuneResults& results() const { return *m_results; }

    void start();
    /// Times the fastest and the project's own sizes, or what runs take now, again, as often as the
    /// verdict asks for.
    void repeat();
    [[nodiscard]] QPushButton& repeatButton() const { return *m_repeat; }
    /// Block sizes as one step that can be undone; a GPU's winners into the user's cache.
    void useFastest();
    /// The map, in the format of the file's extension. Throws Error.
    void exportTo(const std::filesystem::path& file) const;

  signals:
    void wentWrong(const meshreel::Problem& problem);
    /// The user chose a file to export the map to.
    void exportRequested(const QString& file);

  private:
    QWidget* makeSide();
    void connectTuner();
    void showEarlierOr(const QString& sentence);
    void writeToProject();
    void keepForRuns();
    /// Returns whether runs take another candidate than the fastest of some kernel.
    [[nodiscard]] bool hasNewWinner() const;
    /// Returns the passes that would tell what the verdicts leave within the noise; 0: nothing to tell.
    [[nodiscard]] int repeats() const;
    void refresh();

    ProjectDocument& m_document;
    TileTuner* m_tuner;
    TuneForm* m_form;
    TuneResults* m_results;
    QPushButton* m_start;
    QPushButton* m_cancel;
    QPushButton* m_repeat;
    QPushButton* m_write;
    ExportButton* m_export;
    QLabel* m_about;
    Project m_searched;  ///< what the results are of
    std::optional<TuneResult> m_result;
    std::vector<TunedKernel> m_kernels;         ///< for a search on GPUs; otherwise empty
    bool m_onGpu = false;                       ///< according to the plan
    std::optional<FlashBlockSizes> m_foreseen;  ///< the fastest on the hardware that is planned for
    QString m_obstacle;
};

}  // namespace meshreel
