// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QString>
#include <filesystem>
#include <optional>

#include "engine/runs/run_folder.h"
#include "engine/runs/run_history.h"
#include "ui/values/background.h"

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QToolButton;

namespace meshreel {

class ClampedText;
class PlayerWidget;
struct OpenedRun;

/// A run large, over the window: its clip plays, its settings stand below. The arrow keys go on to the next
/// and the previous one, S gives the star, Enter opens the run, Space and Escape close. The window stays in
/// use.
class RunPreview : public QDialog {
    Q_OBJECT

  public:
    explicit RunPreview(QWidget* parent = nullptr);

    /// Shows a run, the `place`th of `count`, counted from 1.
    void showRun(const RunSummary& run, int place, int count);
    void showStar(bool starred);
    /// Returns the folder of the run that is shown; empty before the first.
    [[nodiscard]] const QString& folder() const { return m_folder; }
    [[nodiscard]] PlayerWidget& player() const { return *m_player; }
    [[nodiscard]] QPlainTextEdit& settings() const { return *m_settings; }

    void done(int result) override;

  signals:
    /// To the next run, or back where it is -1.
    void stepRequested(int by);
    void openRequested(const QString& folder);
    void starRequested(const QString& folder);
    /// The clip of the run has been read, or cannot be.
    void shown(const QString& folder);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    bool takeKey(const QKeyEvent& event);
    void layOut();
    void showOpened(const OpenedRun& run);
    [[nodiscard]] QToolButton* addStep(const char* icon, const QString& name, const QString& key, int by);

    QString m_folder;
    std::optional<std::filesystem::path> m_video;
    std::filesystem::file_time_type m_previewTime;
    ClampedText* m_title;
    QLabel* m_facts;
    QLabel* m_place;
    PlayerWidget* m_player;
    QPlainTextEdit* m_settings;
    QToolButton* m_back;
    QToolButton* m_forward;
    QToolButton* m_star;
    QPushButton* m_open;
    LatestOnly m_reading;
};

/// Returns what a run's project holds that is not at its default, "Title: value" a line.
QString settingsText(const RunState& state);

}  // namespace meshreel
