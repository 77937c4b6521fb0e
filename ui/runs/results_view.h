// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <utility>
#include <vector>

#include "engine/events/run_event.h"
#include "engine/timing/step_record.h"
#include "ui/running/event_queue.h"
#include "ui/runs/use_menu.h"
#include "ui/values/clip.h"
#include "ui/values/opened_run.h"

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QStackedWidget;
class QToolButton;

namespace meshreel {

class ChartPanel;
class ClampedText;
class DevicesPanel;
class EmptyState;
class LivePreview;
class PlayerWidget;
struct OpenedRun;

/// The timing summary of a run, to be read and copied.
class SummaryPanel : public QWidget {
    Q_OBJECT

  public:
    explicit SummaryPanel(QWidget* parent = nullptr);

    void setText(const QString& summary);
    [[nodiscard]] QString text() const;
    void copy() const;

  signals:
    /// There is no summary: the user wants to choose a run.
    void runsRequested();

  private:
    QStackedWidget* m_stage;
    EmptyState* m_empty;
    QPlainTextEdit* m_text;
    QToolButton* m_copy;
};

/// One run, current or past: preview or player, with the panels of its chart, devices and timing summary,
/// which are elsewhere in the window. During a run another one can be looked at; what the first one reports
/// meanwhile is kept for the way back.
class ResultsView : public QWidget {
    Q_OBJECT

  public:
    explicit ResultsView(QWidget* parent = nullptr);

    // A run in progress.
    void beginLive(const QString& title, int expectedSteps);
    /// One that goes on with what `before` has done.
    void continueLive(const OpenedRun& before);
    /// A run that is done, and whose video is made again.
    void decodeLive(const OpenedRun& run);
    void follow(const std::vector<StudioEvent>& events);
    void setSummary(const QString& summary);
    void setCaption(const QString& sentence);
    /// Where the run in progress is kept, once it is done: its clip can be continued.
    void setLiveFolder(const QString& folder);
    void endLive();

    // Shows a past run.
    void showRun(const OpenedRun& run);
    void showVideoFile(const QString& path, const QString& title, const Clip& clip);
    /// Back to the run in progress, or to how it ended.
    void showLive();
    /// Returns whether something else is shown than the run in progress or the last one.
    [[nodiscard]] bool isAside() const { return m_isAside; }

    [[nodiscard]] ChartPanel& chart() const { return *m_chart; }
    [[nodiscard]] PlayerWidget& player() const { return *m_player; }
    [[nodiscard]] LivePreview& preview() const { return *m_preview; }
    [[nodiscard]] DevicesPanel& devices() const { return *m_devices; }
    [[nodiscard]] SummaryPanel& summary() const { return *m_summary; }
    /// Below the picture, if there is room for it.
    void setFooter(QWidget* footer);
    void setTasks(TaskSource tasks) { m_uses->setTasks(std::move(tasks)); }
    /// Returns where the picture is.
    [[nodiscard]] QWidget& stage() const;
    [[nodiscard]] bool showsPreview() const;

  signals:
    /// The next clip is to go on from the one that is shown, a run's folder or a video's file, after this
    /// frame, counted from 0; after the last one where it is -1.
    void continueRequested(const QString& clip, int frame);
    /// What is shown, or the shown frame of it, is to be an input.
    void useRequested(const meshreel::UseRequest& request);
    /// A run's folder or a video's file is shown now; empty: neither.
    void shownChanged(const QString& path);

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    /// The run in progress or the last one, as far as it has reported.
    struct LiveRun {
        QString title;
        QString caption;
        QString folder;  ///< once it is done
        int expectedSteps = 0;
        std::vector<StepRecord> steps;
        std::vector<int> resumedFrom;
        std::vector<StepDeviceTimes> deviceTimes;
        Progress progress;
        QString summary;
        Clip video;
        bool hasPreview = false;  ///< shown in place of the video
    };

    void addSteps(const std::vector<StepRecord>& steps);
    void addDeviceTimes(const std::vector<StepDeviceTimes>& steps);
    void showProgress(const Progress& progress);
    void showPreview(const Clip& clip);
    void showDecoded(const ClipPart& part);
    void showVideo(const Clip& clip);
    void layOut();
    void setTitle(const QString& title, const QString& caption);
    void showPlayer(const Clip& clip);
    void goAside();
    void refreshBack();
    void makeContinueButton();
    void makeUseButton();
    /// What is shown lies at this path; empty: it cannot be continued.
    void setSource(const QString& path);

    LiveRun m_live;
    QString m_source;
    bool m_goesOn = false;
    bool m_isAside = false;
    ClampedText* m_title;
    QLabel* m_caption;
    QPushButton* m_back;
    QToolButton* m_use;
    UseMenu* m_uses;
    QToolButton* m_continue;
    QStackedWidget* m_stage;
    LivePreview* m_preview;
    PlayerWidget* m_player;
    ChartPanel* m_chart;
    DevicesPanel* m_devices;
    SummaryPanel* m_summary;
    QWidget* m_footer = nullptr;
};

}  // namespace meshreel
