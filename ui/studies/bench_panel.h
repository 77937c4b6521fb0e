// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QString>
#include <QWidget>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/problem.h"
#include "engine/measure/benchmarks/benchmark_history.h"
#include "engine/measure/benchmarks/benchmark_run.h"
#include "engine/planning/project_forecast.h"
#include "ui/studies/bench_model.h"
#include "ui/studies/bench_runner.h"
#include "ui/values/background.h"

class QAction;
class QComboBox;
class QFormLayout;
class QLabel;
class QProgressBar;
class QPushButton;
class QSpinBox;
class QStackedWidget;
class QTableView;
class QToolButton;

namespace meshreel {

class EmptyState;
class ProjectDocument;

/// Which group of benchmarks is measured, how often, and what it is compared with.
class BenchForm : public QWidget {
    Q_OBJECT

  public:
    explicit BenchForm(QWidget* parent = nullptr);

    [[nodiscard]] std::string group() const;
    void setGroup(const std::string& group);
    [[nodiscard]] int passes() const;
    [[nodiscard]] BenchmarkOptions options() const;
    void setOptions(const BenchmarkOptions& options);
    /// While something is measured the group stays.
    void setBusy(bool busy);

    /// Offers earlier measurements, the newest first, and the one of a file. Chooses what was chosen, or else
    /// the one of the file, the first that is complete, or the first.
    void offerBaselines(const std::vector<KeptBenchmark>& earlier, const std::optional<KeptBenchmark>& ofFile,
                        const QString& file);
    /// Chooses the one of the file.
    void chooseFile();
    /// Returns the date of the chosen one, `fileBaseline` for that of the file; empty when nothing is
    /// compared.
    [[nodiscard]] QString baseline() const;
    static constexpr QLatin1String fileBaseline{"file"};

    [[nodiscard]] QComboBox& groupBox() const { return *m_group; }
    [[nodiscard]] QComboBox& baselineBox() const { return *m_baseline; }
    [[nodiscard]] QToolButton& fileButton() const { return *m_file; }

  signals:
    void groupChanged();
    void baselineChanged();
    void fileRequested();

  private:
    void addGroup(std::string_view name, std::string_view help);
    void addField(const QString& title, QWidget* field, const QString& help);
    void showHelp();

    BenchmarkOptions m_options;
    QLabel* m_help;
    QFormLayout* m_form;
    QComboBox* m_group;
    QSpinBox* m_passes;
    QSpinBox* m_seconds;
    QComboBox* m_baseline;
    QToolButton* m_file;
    bool m_isChosen = false;  ///< somebody chose a baseline
};

/// What the engine's operations take on this machine, beside the machine's own limits and an earlier
/// measurement, as `meshreel bench` measures it. Measurements are kept, by groups.
class BenchPanel : public QWidget {
    Q_OBJECT

  public:
    explicit BenchPanel(ProjectDocument& document, QWidget* parent = nullptr);

    /// Why no measurement may start; empty when one may.
    void setObstacle(const QString& reason);
    /// What the open project computes is marked.
    void showForecast(const ProjectForecast& forecast);
    /// Measures the group.
    void start();
    /// Measures the selected rows again, or those within the noise: as often as the verdict asks for, else as
    /// often as the form says.
    void repeat();
    /// Reads a measurement to compare with on another thread; emits wentWrong() for another file.
    void compareWith(const std::filesystem::path& file);
    /// As CSV, or as `meshreel bench --json` prints it, by the file's name. Throws what writeFileAtomically
    /// throws.
    void exportTo(const std::filesystem::path& file) const;

    [[nodiscard]] BenchRunner& runner() const { return *m_runner; }
    [[nodiscard]] BenchModel& model() const { return *m_model; }
    [[nodiscard]] BenchForm& form() const { return *m_form; }
    [[nodiscard]] QTableView& table() const { return *m_table; }
    [[nodiscard]] QString words() const;
    /// Returns the measurement that is shown; nothing while there is none, or one goes on.
    [[nodiscard]] const std::optional<KeptBenchmark>& shown() const { return m_shown; }

    struct Actions {
        QAction *start, *cancel, *repeat, *save;
    };
    [[nodiscard]] const Actions& actions() const { return m_actions; }

  signals:
    /// The kept measurements of the group were read.
    void opened();
    void noted(const QString& sentence);
    void wentWrong(const meshreel::Problem& problem);

  protected:
    void showEvent(QShowEvent* event) override;

  private:
    void makeActions();
    QWidget* makeSide();
    QWidget* makeResults();
    QPushButton* buttonOf(QAction* action);
    void setUpTable();
    void connectParts();
    /// Reads what is kept of the group.
    void read();
    void showKept(std::vector<KeptBenchmark> kept);
    void tellUnreadable(int lines);
    /// Returns the last kept one that is complete, or else the last.
    [[nodiscard]] std::optional<KeptBenchmark> lastKept() const;
    void begin(BenchTask task, std::size_t rows);
    void take(const BenchResult& result);
    void refreshBaselines();
    void compare();
    [[nodiscard]] const KeptBenchmark* chosenBaseline() const;
    void askForBaseline();
    void askForFile();
    void refresh();
    void refreshRepeat();
    [[nodiscard]] QString stateWords() const;

    /// Rows that are to be measured again, and how often.
    struct Repeats {
        std::vector<std::string> rows;
        int passes = 0;
    };
    [[nodiscard]] Repeats repeats() const;

    ProjectDocument& m_document;
    BenchRunner* m_runner;
    BenchModel* m_model;
    BenchForm* m_form;
    Actions m_actions{};
    QStackedWidget* m_stage;
    EmptyState* m_empty;
    QTableView* m_table;
    QProgressBar* m_progress;
    QLabel* m_words;
    QString m_obstacle;
    std::vector<KeptBenchmark> m_kept;  ///< of the group, the earliest first
    std::optional<KeptBenchmark> m_shown;
    std::optional<KeptBenchmark> m_ofFile;
    QString m_file;
    QString m_end;  ///< how the last measurement ended, where that is to be said
    int m_measured = 0;
    QElapsedTimer m_begun;
    bool m_isRead = false;
    bool m_isReading = false;  ///< until then nobody knows what is kept of the group
    LatestOnly m_reading;
    Background m_background;
};

}  // namespace meshreel
