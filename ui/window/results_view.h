// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

#include "engine/timing/device_time.h"
#include "engine/timing/step_record.h"
#include "ui/models/step_table_model.h"
#include "ui/player/clip.h"

class QLabel;
class QStackedWidget;

namespace meshreel {

class ChartPanel;
class DevicesPanel;
class LivePreview;
class PlayerWidget;
class SummaryPanel;
struct OpenedRun;

/// One run as it goes on or as it went: preview or player, with the panels of its chart, devices and timing
/// summary, which stand elsewhere in the window.
class ResultsView : public QWidget {
    Q_OBJECT

  public:
    explicit ResultsView(QWidget* parent = nullptr);

    // A run going on.
    void beginLive(const QString& title, int expectedSteps);
    /// One that goes on with what `before` has done.
    void continueLive(const OpenedRun& before);
    void addSteps(const std::vector<StepRecord>& steps);
    void showPreview(const Clip& clip);
    void showDecoded(const ClipPart& part);
    void showVideo(const Clip& clip);
    void setSummary(const QString& summary);
    void setCaption(const QString& sentence);

    // Something of the past.
    void showRun(const OpenedRun& run);
    void showVideoFile(const QString& title, const Clip& clip);

    [[nodiscard]] ChartPanel& chart() const { return *m_chart; }
    [[nodiscard]] PlayerWidget& player() const { return *m_player; }
    [[nodiscard]] LivePreview& preview() const { return *m_preview; }
    [[nodiscard]] DevicesPanel& devices() const { return *m_devices; }
    [[nodiscard]] SummaryPanel& summary() const { return *m_summary; }
    [[nodiscard]] bool showsPreview() const;

  private:
    void layOut();
    void setTitle(const QString& title, const QString& caption);
    void showPlayer(const Clip& clip);

    StepTableModel m_steps;
    QLabel* m_title;
    QLabel* m_caption;
    QStackedWidget* m_stage;
    LivePreview* m_preview;
    PlayerWidget* m_player;
    ChartPanel* m_chart;
    DevicesPanel* m_devices;
    SummaryPanel* m_summary;
};

}  // namespace meshreel
