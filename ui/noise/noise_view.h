// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>
#include <QRectF>
#include <QString>
#include <QWidget>
#include <optional>
#include <vector>

namespace meshreel {

struct RunPlan;

/// One step of the denoising loop.
struct NoiseStep {
    double level = 1;        ///< what the model gets when it begins: timestep over training timesteps
    double sigma = 1;        ///< the scheduler's
    int expert = 1;          ///< 1: `transformer`, 2: `transformer_2`
    double guidance = 1;     ///< 1: not guided
    bool shortened = false;  ///< a step cache may leave out a part of it
};

/// The noise levels of a run, and which expert works on which.
struct NoiseLevels {
    std::vector<NoiseStep> steps;
    std::vector<double>
        unshifted;  ///< level of each step without the flow shift; empty when that says nothing
    double flowShift = 1;
    std::optional<double> boundary;  ///< level from which on down the second expert works
    QString scheduler;               ///< as the project names it
};

NoiseLevels computeNoiseLevels(const RunPlan& plan);

/// "high noise", "low noise"; of a single transformer "transformer".
QString expertText(const NoiseLevels& levels, int expert);

/// Scheduler, steps and shift, and who computes which steps, in sentences.
QString noiseSentences(const NoiseLevels& levels);

/// Returns what a step does, in lines.
QString noiseStepText(const NoiseLevels& levels, int step);

/// The places of the parts of the picture of noise levels.
struct NoiseDrawing {
    /// Consecutive steps of one expert.
    struct Stretch {
        int expert = 1;
        QRectF area;
    };

    QRectF plot;                     ///< level 1 at its top, 0 at its bottom
    std::vector<QPointF> points;     ///< for each step
    std::vector<QPointF> unshifted;  ///< may be empty
    std::vector<Stretch> stretches;
    double boundary = -1;  ///< y; negative: none

    /// Returns the step whose column holds `x`; -1 outside.
    [[nodiscard]] int stepAt(double x) const;
    [[nodiscard]] double levelY(double level) const { return plot.bottom() - level * plot.height(); }
};

NoiseDrawing drawNoise(const NoiseLevels& levels, const QRectF& plot);

/// The noise level of every step, tinted by the expert that computes it, with the boundary between them. The
/// step under the pointer, or the one chosen with the arrow keys, is marked.
class NoiseView : public QWidget {
    Q_OBJECT

  public:
    explicit NoiseView(QWidget* parent = nullptr);

    void setLevels(NoiseLevels levels);
    /// -1 marks none.
    void chooseStep(int step);
    [[nodiscard]] int chosenStep() const { return m_chosen; }
    [[nodiscard]] NoiseDrawing drawing() const;
    [[nodiscard]] QSize minimumSizeHint() const override;

  signals:
    void stepChosen(int step);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    void paintStretches(QPainter& painter, const NoiseDrawing& drawing) const;
    void paintAxes(QPainter& painter, const NoiseDrawing& drawing) const;
    void paintBoundary(QPainter& painter, const NoiseDrawing& drawing) const;
    void paintLevels(QPainter& painter, const NoiseDrawing& drawing) const;
    void paintChosen(QPainter& painter, const NoiseDrawing& drawing) const;

    NoiseLevels m_levels;
    int m_chosen = -1;
};

}  // namespace meshreel
