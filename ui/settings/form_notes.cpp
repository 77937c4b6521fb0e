// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/settings/form_notes.h"

#include <QApplication>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QRegularExpression>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

#include "engine/base/problem.h"
#include "engine/base/problem_ids.h"
#include "engine/catalogue/model_library.h"
#include "engine/estimates/prediction.h"
#include "engine/planning/model_fit.h"
#include "engine/planning/project_forecast.h"
#include "engine/planning/run_plan.h"
#include "engine/project/project_keys.h"
#include "ui/project/consequences.h"
#include "ui/project/plan_watch.h"
#include "ui/project/project_document.h"
#include "ui/settings/timed_prompt_table.h"
#include "ui/theme/look.h"
#include "ui/theme/plain_text.h"
#include "ui/values/engine_texts.h"

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
        const ModelFit fit = assessFit(*forecast.plan);
        if (fit.kind == FitKind::TooLarge)
            parts += fit.memory > forecast.plan->memory.available
                         ? tr("needs more memory than there is")
                         : tr("needs more memory than memory_budget allows");
        // In the words of `meshreel get` and the Models panel.
        const DiskRate disk = forecast.disk ? *forecast.disk : DiskRate();
        if (forecast.fit != nullptr)
            parts += sentenceText(fitSentence(*forecast.fit, disk));
        else if (fit.kind != FitKind::TooLarge)
            parts += sentenceText(fitSentence(fit, disk));
        m_alarming = m_alarming || fit.kind == FitKind::TooLarge;
    }
    if (forecast.prediction != nullptr)
        parts += tr("about %1, %2", "duration of a run, how it is known")
                     .arg(roughDuration(forecast.prediction->total.seconds),
                          predictionBasisText(*forecast.prediction));
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

namespace {

constexpr double smallText = 0.9;

const ProjectKey& promptKey() {
    return *findProjectKey("prompt");
}

/// A card holds its examples as indented lines; prompts of large models are sentences of what a camera sees.
constexpr std::array largeModels{
    "A red fox trots through fresh snow at sunrise, close shot, soft light, shallow depth of field",
    "Waves roll onto a black sand beach at dusk, slow aerial shot, mist over the cliffs",
    "An old tram climbs a steep street in the rain, warm windows, reflections on the stones",
};

}  // namespace

QStringList examplePrompts(const QString& card) {
    static const QRegularExpression section(
        QStringLiteral("^## What to ask for\\s*$(.*?)(?=^## |\\z)"),
        QRegularExpression::MultilineOption | QRegularExpression::DotMatchesEverythingOption);
    QStringList prompts;
    for (const QString& line : section.match(card).captured(1).split(QLatin1Char('\n')))
        if (line.startsWith(QLatin1String("    ")) && !line.trimmed().isEmpty())
            prompts += line.trimmed();
    if (prompts.isEmpty())
        for (const char* prompt : largeModels)
            prompts += QLatin1String(prompt);
    return prompts;
}

PromptTools::PromptTools(ProjectDocument& document, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_example(new QToolButton(this)),
      m_length(new QLabel(this)),
      m_timedParts(new TimedPromptTable(document, this)) {
    m_example->setObjectName(QStringLiteral("example"));
    m_example->setText(tr("Example"));
    m_example->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_example->setAutoRaise(true);
    m_length->setTextFormat(Qt::PlainText);
    QFont font = m_length->font();
    font.setPointSizeF(font.pointSizeF() * smallText);
    m_length->setFont(font);
    auto* row = new QHBoxLayout;
    row->setSpacing(spacing);
    row->addWidget(m_example);
    row->addStretch(1);
    row->addWidget(m_length);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(tightSpacing);
    column->addLayout(row);
    column->addWidget(m_timedParts);
    connect(m_example, &QToolButton::clicked, this, &PromptTools::takeNext);
    connect(&m_document, &ProjectDocument::changed, this, &PromptTools::refresh);
    refresh();
}

void PromptTools::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange)
        refresh();
    QWidget::changeEvent(event);
}

void PromptTools::setTokens(std::optional<std::int64_t> tokens) {
    m_tokens = tokens;
    refresh();
}

/// The one behind the present prompt, if that is one of them.
void PromptTools::takeNext() {
    const qsizetype now = m_examples.indexOf(m_document.text(promptKey()));
    m_document.setText(promptKey(), m_examples.at((now + 1) % m_examples.size()));
    emit exampleTaken();
}

void PromptTools::refresh() {
    const QString model = QString::fromStdString(m_document.project().model);
    if (model != m_model || m_examples.isEmpty()) {
        m_model = model;
        QString card;
        try {
            card = QString::fromStdString(describeModel(findModel(model.toStdString())).card);
        } catch (...) {
            card.clear();  // Problems says what is wrong with the model
        }
        m_examples = examplePrompts(card);
    }
    m_example->setIcon(themedIcon(QStringLiteral("dice")));
    m_example->setToolTip(asPlainText(tr("Take a prompt that this model does well:") + QLatin1Char('\n') +
                                      m_examples.join(QLatin1Char('\n'))));
    const std::int64_t most = m_document.project().maxSequenceLength;
    const bool isKnown = m_tokens && !m_document.project().prompt.empty();
    m_length->setText(isKnown ? tr("%1 / %2 tokens", "of the prompt, that the model reads")
                                    .arg(QLocale().toString(static_cast<qlonglong>(*m_tokens)),
                                         QLocale().toString(static_cast<qlonglong>(most)))
                              : QString());
    m_length->setToolTip(tr("What is beyond the limit is not read"));
    QPalette colours = m_length->palette();
    colours.setColor(QPalette::WindowText,
                     isKnown && *m_tokens > most ? warningColor(palette()) : mutedColor(palette()));
    m_length->setPalette(colours);
}

}  // namespace meshreel

#include "moc_form_notes.cpp"
