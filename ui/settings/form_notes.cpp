// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/settings/form_notes.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QMenu>
#include <QToolButton>
#include <algorithm>
#include <filesystem>
#include <string>

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
#include "ui/settings/prompt_examples.h"
#include "ui/settings/timed_prompt_table.h"
#include "ui/theme/look.h"
#include "ui/theme/plain_text.h"
#include "ui/values/engine_texts.h"
#include "ui/widgets/edits.h"

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
    keepInk(*this, mutedColor);
}

void ModelState::showForecast(const ProjectForecast& forecast) {
    bool isAlarming = isUnusable(forecast);
    QStringList parts{isAlarming ? tr("Not ready: see Problems") : tr("Installed")};
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
        isAlarming = isAlarming || fit.kind == FitKind::TooLarge;
    }
    if (forecast.prediction != nullptr)
        parts += tr("about %1, %2", "duration of a run, how it is known")
                     .arg(roughDuration(forecast.prediction->total.seconds),
                          predictionBasisText(*forecast.prediction));
    setText(parts.join(QStringLiteral(" · ")));
    keepInk(*this, isAlarming ? errorColor : mutedColor);
}

namespace {

constexpr double smallText = 0.9;

const ProjectKey& promptKey() {
    return *findProjectKey("prompt");
}

const ProjectKey& imageKey() {
    return *findProjectKey("image");
}

constexpr qsizetype shownOfPrompt = 60;  ///< letters in the list of examples

/// "Growing: a big yellow star growing on a navy …".
QString entryText(const PromptExample& example) {
    QString prompt = example.prompt;
    if (prompt.size() > shownOfPrompt)
        prompt = prompt.left(shownOfPrompt).trimmed() + QStringLiteral("…");
    const QString text =
        example.motion.isEmpty()
            ? prompt
            : PromptTools::tr("%1: %2", "kind of motion, prompt").arg(example.motion, prompt);
    return QString(text).replace(QLatin1Char('&'), QLatin1String("&&"));
}

}  // namespace

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
    m_example->setPopupMode(QToolButton::MenuButtonPopup);
    m_example->setToolTip(
        tr("Take a prompt that this model does well, and with the next click the next one; "
           "the arrow lists them by their motion"));
    m_example->setMenu(new QMenu(m_example));
    m_length->setTextFormat(Qt::PlainText);
    QFont font = m_length->font();
    font.setPointSizeF(font.pointSizeF() * smallText);
    m_length->setFont(font);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(spacing);
    row->addWidget(m_length);
    row->addWidget(m_example);
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
    if (m_examples.empty())
        return;
    const auto now = std::ranges::find(m_examples, m_document.text(promptKey()), &PromptExample::prompt);
    const bool isLast = now == m_examples.end() || now + 1 == m_examples.end();
    take(isLast ? m_examples.front() : *(now + 1));
}

void PromptTools::take(const PromptExample& example) {
    std::vector<KeyText> texts{{&promptKey(), example.prompt}};
    // A picture that somebody chose stays.
    const QString image = m_document.text(imageKey());
    if (!example.image.isEmpty() && (image.isEmpty() || isExamplePicture(image)))
        texts.push_back({&imageKey(), shownPath(example.image)});
    m_document.setTexts(tr("Example"), texts);
}

void PromptTools::readExamples() {
    const QString model = QString::fromStdString(m_document.project().model);
    if (m_model == model)
        return;
    m_model = model;
    QString name;
    QString card;
    try {
        const std::filesystem::path folder = findModel(model.toStdString());
        name = QString::fromStdString(folder.filename().string());
        card = QString::fromStdString(describeModel(folder).card);
    } catch (...) {
        card.clear();  // Problems says what is wrong with the model
    }
    m_examples = promptExamples(name, card);
    QMenu* menu = m_example->menu();
    menu->clear();
    menu->setToolTipsVisible(true);
    for (const PromptExample& example : m_examples)
        menu->addAction(entryText(example), this, [this, example] { take(example); })
            ->setToolTip(asPlainText(example.prompt));
    m_example->setEnabled(!m_examples.empty());
}

void PromptTools::refresh() {
    readExamples();
    m_example->setIcon(themedIcon(QStringLiteral("dice")));
    const std::int64_t most = m_document.project().maxSequenceLength;
    const bool isKnown = m_tokens && !m_document.project().prompt.empty();
    m_length->setText(isKnown ? tr("%1 / %2 tokens", "of the prompt, that the model reads")
                                    .arg(QLocale().toString(static_cast<qlonglong>(*m_tokens)),
                                         QLocale().toString(static_cast<qlonglong>(most)))
                              : QString());
    m_length->setToolTip(tr("What is beyond the limit is not read"));
    keepInk(*m_length, isKnown && *m_tokens > most ? warningColor : mutedColor);
}

}  // namespace meshreel

#include "moc_form_notes.cpp"
