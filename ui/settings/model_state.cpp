// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/settings/model_state.h"

#include <QApplication>
#include <QEvent>
#include <algorithm>

#include "engine/base/problem_ids.h"
#include "engine/planning/prediction.h"
#include "engine/planning/run_plan.h"
#include "ui/project/consequences.h"
#include "ui/project/plan_watch.h"
#include "ui/theme/look.h"

namespace meshreel {

namespace {

constexpr double smallState = 0.9;

bool isUnusable(const ProjectForecast& forecast) {
    return forecast.model == nullptr || std::ranges::any_of(forecast.problems, [](const Problem& problem) {
               return problem.id == ProblemId("model-unusable");
           });
}

}  // namespace

ModelState::ModelState(QWidget* parent) : QLabel(parent) {
    setTextFormat(Qt::PlainText);
    setWordWrap(true);
    QFont small = font();
    small.setPointSizeF(small.pointSizeF() * smallState);
    setFont(small);
    ink();
}

void ModelState::showForecast(const ProjectForecast& forecast) {
    m_alarming = isUnusable(forecast);
    QStringList parts{m_alarming ? tr("Not ready: see Problems") : tr("Installed")};
    if (forecast.plan != nullptr) {
        for (const Consequence& consequence : listConsequences(*forecast.plan))
            if (consequence.isMemory) {
                parts += consequence.alarming ? tr("needs more memory than there is") : tr("will fit");
                m_alarming = m_alarming || consequence.alarming;
            }
    }
    if (forecast.prediction != nullptr)
        parts += tr("about %1", "duration of a run").arg(roughDuration(forecast.prediction->total.seconds));
    setText(parts.join(QStringLiteral(" · ")));
    ink();
}

void ModelState::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange)
        ink();
    QLabel::changeEvent(event);
}

void ModelState::ink() {
    QPalette colours = QApplication::palette(this);
    colours.setColor(QPalette::WindowText, m_alarming ? errorColor(colours) : mutedColor(colours));
    setPalette(colours);
}

}  // namespace meshreel
