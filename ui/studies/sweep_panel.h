// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QObject>
#include <QString>
#include <QWidget>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/problem.h"
#include "engine/base/sentence.h"
#include "engine/base/stop_token.h"
#include "engine/measure/sweep.h"
#include "engine/project/project.h"
#include "engine/project/sweep_file.h"
#include "engine/timing/verdict.h"
#include "ui/values/background.h"

class QAction;
class QLabel;
class QProgressBar;
class QStackedWidget;
class QTableView;

namespace meshreel {

class EmptyState;
class ProjectDocument;

/// A sweep that was read, with the passes that its folder holds already.
struct OpenedSweep {
    std::shared_ptr<const SweepFile> sweep;
    std::filesystem::path file;
    std::filesystem::path folder;  ///< folder of the results
    std::vector<SweepRow> rows;
    std::vector<Error> leftOut = {};  ///< rows that cannot be read
};

/// Returns the folder of a sweep's results: beside its file, or in the user's data folder if nothing can be
/// written there.
std::filesystem::path sweepFolder(const std::filesystem::path& file);

/// Throws ProjectError for a file that is not a sweep, Error{Project} when the folder is of another one.
OpenedSweep openSweep(const std::filesystem::path& file, const std::filesystem::path& folder);

/// Times the cells of a sweep on a thread of its own, one sweep at a time. News come on the thread of this
/// object.
class SweepRunner : public QObject {
    Q_OBJECT

  public:
    explicit SweepRunner(QObject* parent = nullptr);
    /// Stops the sweep and waits for it; it continues where it was stopped.
    ~SweepRunner() override;

    [[nodiscard]] bool isBusy() const { return m_isBusy; }
    /// Does nothing while one is running.
    void start(const std::shared_ptr<const SweepFile>& sweep, const std::filesystem::path& folder,
               const PassesOfCells& more = {});
    void cancel();

  signals:
    void busyChanged(bool busy);
    /// A pass was timed, or a cell refused.
    void rowAdded(const meshreel::SweepRow& row);
    /// A row or a cell that could not be read, once the others are done.
    void leftOut(const meshreel::Problem& problem);
    void noted(const meshreel::Sentence& note);

    // Exactly one of these ends a sweep.
    void finished();
    void cancelled();
    void failed(const meshreel::Problem& problem);

  private:
    void setBusy(bool busy);

    bool m_isBusy = false;
    StopSource m_stop;
    Background m_background;
};

/// The cells of a sweep: their settings, how far they are, and what they took.
class SweepModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum class CellState { Waiting, Begun, Done, Refused };

    using QAbstractTableModel::QAbstractTableModel;

    void setSweep(std::shared_ptr<const SweepFile> sweep, std::vector<SweepRow> rows);
    void addRow(const SweepRow& row);
    /// The cell with the project's settings is its own, which is bold.
    void setOwn(const Project& project);
    /// From now on these cells are to have so many passes.
    void askFor(const PassesOfCells& more);
    /// Returns the cells that have more passes than the sweep says, or are to have them.
    [[nodiscard]] const PassesOfCells& asked() const { return m_asked; }

    [[nodiscard]] const std::vector<SweepRow>& passes() const { return m_rows; }
    [[nodiscard]] CellState stateOf(int row) const;
    /// Returns how many cells are in this state.
    [[nodiscard]] int cellsThatAre(CellState state) const;
    [[nodiscard]] bool isOwn(int row) const { return m_cells[static_cast<std::size_t>(row)].isOwn; }
    /// Returns what judge() says of a cell beside its reference; nothing of the reference, and before both
    /// ran.
    [[nodiscard]] std::optional<Verdict> verdict(int row) const;
    /// Returns the passes that tell the rows from their references, as far as these are within the noise.
    [[nodiscard]] PassesOfCells passesToRepeat(const std::vector<int>& rows) const;
    /// Returns every pass as `meshreel sweep` writes it.
    [[nodiscard]] std::string csv() const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

  private:
    /// Columns after those of the settings.
    enum Result { Seconds, Spread, Beside, State, ResultCount };

    struct Cell {
        SweepCell cell;
        std::vector<double> seconds;
        QString refusal;
        bool isOwn = false;
    };

    void add(Cell& cell, const SweepRow& row);
    void markOwn();
    [[nodiscard]] int passesWanted(const Cell& cell) const;
    [[nodiscard]] const Cell& findReference(const Cell& cell) const;
    [[nodiscard]] QString settingText(const Cell& cell, int column) const;
    [[nodiscard]] QVariant resultText(const Cell& cell, Result result) const;
    [[nodiscard]] QString stateText(const Cell& cell) const;
    [[nodiscard]] int settingCount() const;

    std::shared_ptr<const SweepFile> m_sweep;
    std::vector<SweepRow> m_rows;
    std::vector<Cell> m_cells;
    PassesOfCells m_asked;
    std::optional<Project> m_own;
};

/// A grid of settings that are timed together: its cells with what they took. A sweep that was stopped
/// continues where it was.
class SweepPanel : public QWidget {
    Q_OBJECT

  public:
    explicit SweepPanel(ProjectDocument& document, QWidget* parent = nullptr);

    /// Why no sweep may start; empty when one may.
    void setObstacle(const QString& reason);
    /// Reads it on another thread; emits opened() or wentWrong() at the end.
    void open(const std::filesystem::path& file);
    void start();
    /// Times the selected cells, or all, that are within the noise, and their references, as often as the
    /// verdict asks for.
    void repeat();
    /// Writes a sweep of the open project to the file, and opens it. Throws what writeFileAtomically throws.
    void createFor(const std::filesystem::path& file);
    /// Every pass, as CSV. Throws what writeFileAtomically throws.
    void exportTo(const std::filesystem::path& file) const;

    [[nodiscard]] SweepRunner& runner() const { return *m_runner; }
    [[nodiscard]] SweepModel& model() const { return *m_model; }
    [[nodiscard]] QTableView& table() const { return *m_table; }
    [[nodiscard]] QString words() const;

    struct Actions {
        QAction *open, *create, *start, *repeat, *cancel, *save;
    };
    [[nodiscard]] const Actions& actions() const { return m_actions; }

  signals:
    void opened();
    void noted(const QString& sentence);
    void wentWrong(const meshreel::Problem& problem);

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    void makeActions();
    QWidget* makeTools();
    void setUpTable();
    void connectRunner();
    void askForSweep();
    void askForNew();
    /// Columns share what room there is beside their contents.
    void spreadColumns();
    void askForCsv();
    void showSweep(OpenedSweep sweep);
    void refresh();
    void refreshRepeat();
    [[nodiscard]] PassesOfCells passesToRepeat() const;

    ProjectDocument& m_document;
    std::optional<OpenedSweep> m_sweep;
    SweepRunner* m_runner;
    SweepModel* m_model;
    Actions m_actions{};
    QStackedWidget* m_stage;
    EmptyState* m_empty;
    QTableView* m_table;
    QProgressBar* m_progress;
    QLabel* m_words;
    QString m_obstacle;
    Background m_background;
};

}  // namespace meshreel
