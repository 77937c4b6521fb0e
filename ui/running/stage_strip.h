// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QString>
#include <QTimer>
#include <QWidget>
#include <array>
#include <optional>
#include <vector>

#include "engine/events/run_event.h"

namespace meshreel {

/// How far a stage of a run is.
struct LiveStage {
    enum class State {
        Ahead,
        Going,
        Done,
        PassedOver,  ///< the run had nothing to do there
        Stopped,     ///< the run ended in it
    };
    Phase phase = Phase::Load;
    State state = State::Ahead;
    double seconds = 0;               ///< for a finished one
    bool wasInCache = false;          ///< what it makes was kept from an earlier run
    std::optional<double> part = {};  ///< finished part of the running one, in [0, 1], if known
};

/// The stages of a run, as its events have them.
class RunStages {
  public:
    RunStages();

    void follow(const RunEvent& event);
    /// The run ended, well or not.
    void end();

    [[nodiscard]] const std::array<LiveStage, 6>& stages() const { return m_stages; }

    /// "Load", "Steps", …: a word or two.
    [[nodiscard]] static QString title(Phase phase);
    /// Returns what is below the title. `elapsed`: seconds that the current stage has taken so far.
    [[nodiscard]] QString value(const LiveStage& stage, double elapsed) const;
    /// Returns a sentence for each stage, and one for the time that is left.
    [[nodiscard]] QStringList sentences() const;

  private:
    [[nodiscard]] LiveStage& at(Phase phase) { return m_stages.at(static_cast<std::size_t>(phase)); }
    void begin(Phase phase);
    void setProgress(const Progress& progress);
    [[nodiscard]] QString sentence(const LiveStage& stage) const;

    std::array<LiveStage, 6> m_stages;
    Progress m_progress;
};

/// Widths of cells that would like `wanted`, together `room`: what is left over goes to all alike; where room
/// lacks, the widest give way.
std::vector<int> cellWidths(std::vector<int> wanted, int room);

/// The stages of a run side by side: finished ones with their seconds, the current one with its progress,
/// later ones dimmed. Their sentences are its tool tip and what a screen reader reads.
class StageStrip : public QWidget {
    Q_OBJECT

  public:
    explicit StageStrip(QWidget* parent = nullptr);

    /// A run begins: everything is still to come.
    void begin();
    void follow(const RunEvent& event);
    void end();

    [[nodiscard]] const RunStages& stages() const { return m_stages; }
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    void refresh();
    void drawStage(QPainter& painter, const LiveStage& stage, const QRect& cell) const;
    [[nodiscard]] QFont stageFont(const LiveStage& stage) const;
    [[nodiscard]] QString valueOf(const LiveStage& stage) const;
    [[nodiscard]] std::vector<QRect> cells() const;

    RunStages m_stages;
    QElapsedTimer m_sinceStart;  ///< for the current stage
    QTimer m_tick;
};

}  // namespace meshreel
