// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string_view>
#include <utility>

#include "tests/support/studio/filled_runs.h"
#include "tests/support/temporary_folder.h"
#include "ui/window/main_window.h"

namespace meshreel::testing {

/// The Studio's window as somebody has it who works with it, in a folder of its own, shown at its first size
/// in the language that is installed. No engine runs. It holds
/// - the project of filledProject() with an adapter and changed settings, all settings shown; its mesh,
///   attention, noise levels and text; its time predicted;
/// - the runs of writeFilledRuns() in Runs; the first in Result, Chart, Devices and Timing summary, selected
///   in Runs; both finished ones in Compare beside pasted timings and the open project;
/// - runs that are done, failed and waiting in Queue; two prompts and a style in Prompts;
/// - configs/sweeps/attention-strategies.yaml in Sweep, of which a cell is done and one refused; a finished
///   search in Tune; two measurements of a group in Bench;
/// - a storyboard of three shots, the last of which cannot be made;
/// - a log with warnings in Activity; an error with its place and hint in the banner.
/// XDG_DATA_HOME, XDG_CACHE_HOME and MESHREEL_RUNS name its folder until the next one is made; settings are
/// cleared.
class FilledStudio {
  public:
    /// Waits until all of it is there.
    FilledStudio();
    ~FilledStudio();
    FilledStudio(const FilledStudio&) = delete;
    FilledStudio& operator=(const FilledStudio&) = delete;

    [[nodiscard]] MainWindow& window() { return *m_window; }
    [[nodiscard]] const FilledRuns& runs() const { return m_runs; }
    [[nodiscard]] const std::filesystem::path& folder() const { return m_folder.path(); }

    /// The pages of the window: its panels by QDockWidget::objectName(), and "compare settings",
    /// "compare memory" and "compare videos", which Compare has beside its first.
    [[nodiscard]] static QStringList pages();
    /// Brings it to the front, filled: videos are read by then.
    void showPage(const QString& page);
    /// Gives the project a long video of 720p on 16 devices: long numbers, too little memory, a crowded mesh.
    void enlargeProject();
    /// Makes the project one that cannot run: Problems lists errors with fixes and a warning, fields have
    /// messages, and what shows a plan says why it has none.
    void breakProject();
    /// Shows a run in mid-denoising: bar, stages, preview, devices. The engine does nothing.
    void showRunGoingOn();
    /// Shows the same run as stopped, to be gone on with.
    void showRunStopped();

  private:
    /// Texts by the names of their keys.
    void set(std::initializer_list<std::pair<std::string_view, const char*>> texts);
    void showComparison(const QString& page);
    void fillProject();
    void fillRuns();
    void fillComparison();
    void fillQueue();
    void fillPrompts();
    void fillTuning();
    void fillSweep();
    void fillBench();
    void fillActivity();
    void fillStoryboard();

    TemporaryFolder m_folder;
    FilledRuns m_runs;
    std::unique_ptr<MainWindow> m_window;
};

}  // namespace meshreel::testing
