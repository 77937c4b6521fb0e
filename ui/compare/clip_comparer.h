// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QString>
#include <QWidget>
#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include "engine/base/stop_token.h"
#include "engine/media/frame_comparison.h"
#include "ui/player/frame_view.h"
#include "ui/player/playback.h"
#include "ui/values/background.h"
#include "ui/values/clip.h"

class QComboBox;
class QLabel;

namespace meshreel {

class PlaybackControls;

/// The videos of two runs, frame by frame beside each other.
struct ClipPair {
    Clip first;
    Clip second;
    Clip difference;                           ///< amplified; empty for videos of two sizes
    std::vector<FrameDistance> likeness = {};  ///< for every common frame; empty for videos of two sizes

    /// Returns the number of frames that both have.
    [[nodiscard]] int commonFrames() const {
        return static_cast<int>(std::min(first.frames.size(), second.frames.size()));
    }
    [[nodiscard]] bool isOneLength() const { return first.frames.size() == second.frames.size(); }
};

/// How much differences are amplified, to be seen.
inline constexpr int differenceGain = 8;

/// Reads and compares. Throws Error{Input} when a run has no video, or one that cannot be read,
/// Error{Cancelled}.
ClipPair readClipPair(const std::filesystem::path& firstRun, const std::filesystem::path& secondRun,
                      const StopToken& stop);

/// Returns how frames are shown side by side when the videos differ in length or rate; empty when they do
/// not.
QString pairingText(const ClipPair& pair);

/// "PSNR 31.2 dB, SSIM 0.962".
QString likenessText(const FrameDistance& likeness);

/// Two pictures, zoomed and moved together: beside each other, one wiped over the other, or their difference.
class ClipPairView : public QWidget {
    Q_OBJECT

  public:
    enum class Mode { SideBySide, Wipe, Difference };

    explicit ClipPairView(QWidget* parent = nullptr);

    void setMode(Mode mode);
    [[nodiscard]] Mode mode() const { return m_mode; }
    void setNames(const QString& first, const QString& second);
    /// Null pictures stay empty.
    void setPictures(const QImage& first, const QImage& second, const QImage& difference);
    /// `share` of the view's width shows the first picture, at the left.
    void setWipe(double share);
    [[nodiscard]] double wipe() const { return m_wipe; }

    [[nodiscard]] QSize minimumSizeHint() const override;

  protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    [[nodiscard]] QSize paneSize() const;
    /// Returns the right half when side by side, otherwise the whole view.
    [[nodiscard]] QRect secondPane() const;
    /// Returns the pane under the pointer.
    [[nodiscard]] QRect paneUnder(const QEvent& event) const;
    [[nodiscard]] bool dragsWipe(const QEvent& event) const;
    void paintPane(QPainter& painter, const QRect& pane, const QImage& picture, const QString& name) const;
    void paintWipe(QPainter& painter) const;

    Mode m_mode = Mode::SideBySide;
    PictureZoom m_zoom;
    QImage m_first;
    QImage m_second;
    QImage m_difference;
    QString m_firstName;
    QString m_secondName;
    double m_wipe = 0.5;
};

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
    [[nodiscard]] QString describeLikeness(int frame) const;

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
