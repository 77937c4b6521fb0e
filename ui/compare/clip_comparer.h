// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

#include "engine/base/stop_token.h"
#include "ui/compare/clip_pair.h"
#include "ui/compare/clip_pair_view.h"
#include "ui/controller/latest_only.h"
#include "ui/player/playback.h"

class QComboBox;
class QLabel;

namespace meshreel {

class PlaybackControls;

/// A run that can be looked at beside another one.
struct NamedRun {
    QString name;
    std::filesystem::path folder;
};

/// The videos of two runs, played in step, with how near they are to each other.
class ClipComparer : public QWidget {
    Q_OBJECT

  public:
    explicit ClipComparer(QWidget* parent = nullptr);
    ~ClipComparer() override;

    /// The first two are chosen; their videos are read once the widget is seen.
    void setRuns(std::vector<NamedRun> runs);
    void setMode(ClipPairView::Mode mode);
    [[nodiscard]] ClipPairView& view() const { return *m_view; }
    [[nodiscard]] Playback& playback() { return m_playback; }
    [[nodiscard]] QString likeness() const;

  signals:
    /// The chosen videos are shown, or why they are not.
    void shown();

  protected:
    void showEvent(QShowEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    QWidget* makeHeader();
    void load();
    void showPair(ClipPair pair);
    void showFrame(int frame);
    [[nodiscard]] QString likenessOf(int frame) const;

    std::vector<NamedRun> m_runs;
    ClipPair m_pair;
    Playback m_playback;
    QComboBox* m_first;
    QComboBox* m_second;
    QComboBox* m_mode;
    QLabel* m_likeness;
    ClipPairView* m_view;
    PlaybackControls* m_controls;
    bool m_isStale = false;  ///< what is chosen is not what is shown
    StopSource m_stop;
    LatestOnly m_reading;
};

}  // namespace meshreel
