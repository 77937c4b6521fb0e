// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QString>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <optional>
#include <vector>

#include "engine/base/problem.h"
#include "engine/runs/rated_runs.h"
#include "engine/runs/records/pair_ranking.h"
#include "engine/runs/run_votes.h"
#include "ui/player/playback.h"
#include "ui/values/background.h"
#include "ui/values/clip.h"

class QLabel;
class QPushButton;
class QShortcut;
class QSlider;
class QStackedWidget;
class QToolButton;

namespace meshreel {

class ClampedText;
class ClipPairView;
class EmptyState;
class RankingView;

/// The videos of two runs, whose sides were drawn by lot.
struct BlindPair {
    RunPair pair;
    Clip left;
    Clip right;

    /// Returns the rate at which both are played: each shows the frame of its own rate at that time.
    [[nodiscard]] double framesPerSecond() const;
    /// Returns how many frames of that rate the longer one takes.
    [[nodiscard]] int length() const;
    /// Returns the picture of one of the clips at a frame of that rate; its last one where it has ended.
    [[nodiscard]] QImage pictureAt(const Clip& clip, int frame) const;
    /// Returns what the pictures take in memory.
    [[nodiscard]] qsizetype bytes() const;
};

/// Shows the videos of runs in pairs, in step, without any sign of which they are, and keeps which was
/// better. 1 or the left arrow: the left one; 2 or the right arrow: the right one; 0 or the down arrow:
/// neither. S passes a pair over, Backspace takes the last vote back, Space pauses. While the ranking is
/// shown, the arrow keys scroll it. The window stays in use.
class RateDialog : public QDialog {
    Q_OBJECT

  public:
    explicit RateDialog(QWidget* parent = nullptr);
    ~RateDialog() override;

    /// Reads the runs, and shows a first pair or why there is none.
    void rate(const std::vector<std::filesystem::path>& folders);
    [[nodiscard]] ClipPairView& view() const { return *m_view; }
    [[nodiscard]] QPushButton& voteButton(Better better) const;
    [[nodiscard]] QToolButton& takeBackButton() const { return *m_takeBack; }
    [[nodiscard]] QToolButton& skipButton() const { return *m_skip; }
    /// Shows the ranking in place of the pair, or the pair again.
    [[nodiscard]] QToolButton& rankingButton() const { return *m_showRanking; }
    [[nodiscard]] RankingView& ranking() const { return *m_ranking; }
    [[nodiscard]] Playback& playback() { return m_playback; }
    /// Returns the pair that is shown; nothing while none is.
    [[nodiscard]] const std::optional<BlindPair>& shownPair() const { return m_shown; }
    [[nodiscard]] const std::optional<RatingSession>& session() const { return m_session; }
    /// Returns how far it got: votes and pairs.
    [[nodiscard]] QString progress() const;
    /// Returns why there is no pair; empty while there is one, or it is being read.
    [[nodiscard]] QString obstacle() const;

    void done(int result) override;

  signals:
    /// A pair is shown.
    void pairShown();
    /// A vote was kept, or taken back.
    void voted();

  protected:
    void keyPressEvent(QKeyEvent* event) override;

  private:
    /// What reading a pair gave: the pair, or which run has a video that cannot be read, and why.
    struct PairReading {
        std::optional<BlindPair> pair;
        std::size_t broken = 0;
        std::optional<Problem> problem;
    };

    QWidget* makeTools();
    QWidget* makePairPage();
    QWidget* makeTransport();
    QWidget* makeVotes();
    void addKey(int key, void (RateDialog::*act)());
    void begin(RatingSession session);
    /// Ranks the settings by the votes as they are, on another thread.
    void rank();
    void showRanking();
    void prepare();
    void read(const RunPair& pair, bool first);
    [[nodiscard]] static PairReading readPair(const RunPair& pair, const std::filesystem::path& left,
                                              const std::filesystem::path& right);
    void take(PairReading reading, bool first);
    void showNext();
    void showFrame(int frame);
    void vote(Better better);
    void voteLeft() { vote(Better::Left); }
    void voteRight() { vote(Better::Right); }
    void voteNeither() { vote(Better::Neither); }
    void skip();
    void takeBack();
    void leave();
    void refresh();
    void refuse(const Problem& problem);

    std::optional<RatingSession> m_session;
    std::optional<PairRanking> m_ranked;  ///< by all votes; nothing while that is computed
    std::optional<BlindPair> m_shown;
    std::deque<BlindPair> m_ready;
    std::vector<QShortcut*> m_voteKeys;  ///< the ranking takes their keys while it is shown
    bool m_isPreparing = false;          ///< a pair is read that will be shown behind the others
    bool m_isTakingBack = false;         ///< a pair is read that will be shown at once
    std::size_t m_broken = 0;            ///< runs whose video could not be read
    int m_round = 0;                     ///< what was read for an earlier one is old
    Playback m_playback;
    QLabel* m_progress;
    QLabel* m_problem;
    ClampedText* m_prompt;
    QToolButton* m_showRanking;
    QStackedWidget* m_stage;
    QWidget* m_pairPage = nullptr;
    ClipPairView* m_view;
    QToolButton* m_play;
    QSlider* m_position;
    QWidget* m_votes = nullptr;
    QPushButton* m_left;
    QPushButton* m_neither;
    QPushButton* m_right;
    QToolButton* m_takeBack;
    QToolButton* m_skip;
    RankingView* m_ranking;
    QLabel* m_rankingWords;
    QWidget* m_rankingPage = nullptr;
    EmptyState* m_words;
    LatestOnly m_beginning;
    LatestOnly m_rankingWork;
    Background m_reading;
};

}  // namespace meshreel
