// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QTimer>
#include <QWidget>
#include <vector>

#include "ui/mesh/mesh_picture.h"

class QLabel;
class QSlider;
class QToolButton;

namespace meshreel {

/// What passes between two devices in one step of a walk.
struct WalkTransfer {
    int from = 0;
    int to = 0;

    friend bool operator==(const WalkTransfer&, const WalkTransfer&) = default;
};

/// One self-attention stopped at a moment: who computes with whose keys, and what is on its way.
struct WalkStep {
    enum class Kind { Start, ToHeads, Gather, Compute, ToTokens, End };

    Kind kind = Kind::Start;
    QString title;
    QString sentence;
    /// For each device the ring indices whose keys and values it works on; empty while it does not compute.
    std::vector<std::vector<int>> keys;
    std::vector<WalkTransfer> transfers;  ///< transfers in progress during the step
};

/// Returns the steps of one self-attention on a mesh, as engine/attention does them: tokens for heads, keys
/// around the ring or along the line both ways or gathered, and back.
std::vector<WalkStep> walkAttention(const MeshPicture& picture);

/// Steps through an attention: by slider, button or clock, with the words of each step.
class WalkTransport : public QWidget {
    Q_OBJECT

  public:
    explicit WalkTransport(QWidget* parent = nullptr);

    /// The step shown stays if there are as many.
    void setSteps(std::vector<WalkStep> steps);
    [[nodiscard]] int stepCount() const { return static_cast<int>(m_steps.size()); }
    void goToStep(int step);

  signals:
    void stepShown(const meshreel::WalkStep& step);

  private:
    QToolButton* makeButton(const char* icon, const QString& name);
    void showStep();
    void play(bool playing);

    std::vector<WalkStep> m_steps;
    QSlider* m_slider;
    QToolButton* m_play;
    QLabel* m_title;
    QLabel* m_sentence;
    QTimer m_clock;
};

}  // namespace meshreel
