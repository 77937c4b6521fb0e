// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QStringList>
#include <QTemporaryDir>
#include <memory>

#include "engine/runs/run_history.h"
#include "ui/window/main_window.h"

class QAction;
class QPushButton;

namespace meshreel::testing {

inline constexpr int fewSteps = 3;
inline constexpr int manySteps = 40;
inline constexpr int runMilliseconds = 120'000;  ///< more than any run here takes on a busy machine

/// Tests of the whole Studio: its widgets, the engine and the embedded model. Each begins with a new window;
/// runs, queue and settings are in a folder that all of the program share.
class StudioTestCase : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase();
    void init();
    void cleanup();

  protected:
    /// Another window, as after a restart.
    void openWindow();
    void typeText(const char* key, const QString& text);
    void fillIn(int steps);
    void clickRun();
    void runToEnd(int steps);
    /// On the window, or a widget in it, which takes them or leaves them to the window.
    void drop(const QStringList& files, QWidget* target = nullptr);
    void addToQueue();
    /// Of block sizes, which takes longer than any test.
    void startLongSearch();
    [[nodiscard]] QAction* action(const char* text) const;
    [[nodiscard]] QPushButton* button(const char* name) const;
    /// Whether the history shows the last run with this status.
    [[nodiscard]] bool lastRunIs(RunStatus status) const;
    [[nodiscard]] RunSummary lastRun() const;

    QTemporaryDir m_folder;
    std::unique_ptr<MainWindow> m_window;
    QString m_lastFolder;  ///< of the run begun last
};

}  // namespace meshreel::testing
