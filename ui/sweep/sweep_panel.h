// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <filesystem>
#include <optional>

#include "ui/sweep/sweep_runner.h"

class QAction;
class QLabel;
class QProgressBar;
class QStackedWidget;
class QTableView;

namespace meshreel {

class EmptyState;
class SweepModel;

/// A grid of settings that are timed beside each other: its cells with what they took. A sweep that was
/// stopped goes on where it was.
class SweepPanel : public QWidget {
    Q_OBJECT

  public:
    explicit SweepPanel(QWidget* parent = nullptr);

    /// Why no sweep may start; empty when one may.
    void setObstacle(const QString& reason);
    /// Reads it on another thread; opened() or troubled() tell how it went.
    void open(const std::filesystem::path& file);
    void start();
    /// Every pass, as CSV. Throws what writeFileAtomically throws.
    void exportTo(const std::filesystem::path& file) const;

    [[nodiscard]] SweepRunner& runner() const { return *m_runner; }
    [[nodiscard]] SweepModel& model() const { return *m_model; }
    [[nodiscard]] QTableView& table() const { return *m_table; }
    [[nodiscard]] QString words() const;

    struct Actions {
        QAction *open, *start, *cancel, *save;
    };
    [[nodiscard]] const Actions& actions() const { return m_actions; }

  signals:
    void opened();
    void noted(const QString& sentence);
    void troubled(const meshreel::Trouble& trouble);

  private:
    void makeActions();
    QWidget* makeTools();
    void setUpTable();
    void connectRunner();
    void askForSweep();
    void askForCsv();
    void showSweep(OpenedSweep sweep);
    void refresh();

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
