// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/consequences_bar.h"

#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <utility>

#include "engine/planning/run_plan.h"
#include "engine/runs/run_forecast.h"
#include "ui/controller/rate_refinement.h"
#include "ui/models/consequences.h"
#include "ui/theme/look.h"
#include "ui/widgets/clamped_text.h"
#include "ui/widgets/measure_item.h"
#include "ui/widgets/refine_item.h"
#include "ui/widgets/stage_meter.h"

namespace meshreel {

namespace {

constexpr double smallScale = 0.85;
constexpr int itemDistance = 16;  ///< all of one device in sight at 1024 pixels
constexpr int sentenceLines = 3;  ///< as high as the items that it stands in for

QLabel* inkedLabel(const QString& text, const QColor& ink, double scale, bool bold, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    label->setTextFormat(Qt::PlainText);
    QFont font = label->font();
    font.setPointSizeF(font.pointSizeF() * scale);
    font.setBold(bold);
    label->setFont(font);
    QPalette palette = label->palette();
    palette.setColor(QPalette::WindowText, ink);
    label->setPalette(palette);
    return label;
}

}  // namespace

ConsequencesBar::ConsequencesBar(QWidget* parent)
    : QWidget(parent),
      m_items(new QHBoxLayout(this)),
      m_measure(new MeasureItem(this)),
      m_refine(new RefineItem(this)) {
    m_items->setContentsMargins(panelMargin, spacing, panelMargin, spacing);
    m_items->setSpacing(itemDistance);
    m_items->addWidget(m_measure, 0, Qt::AlignVCenter);
    m_measure->hide();
    m_refine->hide();
    m_items->addStretch(1);
    setAccessibleName(tr("Consequences"));
}

void ConsequencesBar::showForecast(const ProjectForecast& forecast) {
    m_forecast = forecast;
    refresh();
}

void ConsequencesBar::setMeasuring(bool measuring) {
    m_measure->setMeasuring(measuring);
    refresh();
}

void ConsequencesBar::showRefinement(const RefinementStatus& status) {
    m_refine->showStatus(status);
    const bool refined = status.state != RefinementStatus::State::Off;
    if (std::exchange(m_isRefined, refined) != refined)
        refresh();
}

QString ConsequencesBar::text() const {
    QStringList words;
    for (const QWidget* item : m_shown)
        for (const QLabel* label : item->findChildren<QLabel*>())
            words += label->text();
    return words.join(QLatin1Char('\n'));
}

void ConsequencesBar::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange)
        refresh();
    QWidget::changeEvent(event);
}

void ConsequencesBar::refresh() {
    const bool hadFocus = m_refine->hasFocus();
    m_refine->setParent(this);  // it outlives the item that it stands in
    for (QWidget* item : m_shown)
        delete item;
    m_shown.clear();
    if (m_forecast.plan == nullptr) {
        if (m_forecast.trouble)
            showSentence(m_forecast.trouble->message);
        else if (!m_forecast.problems.empty())
            showSentence(tr("Tokens, work and memory are shown once the problems are solved."));
        m_measure->setVisible(m_measure->isMeasuring());
        return;
    }
    showTime();
    for (const Consequence& consequence : consequencesOf(*m_forecast.plan)) {
        add(makeItem(consequence));
        if (consequence.isMemory)
            add(makeMeter());
    }
    if (hadFocus && m_refine->isVisible())
        m_refine->setFocus();
}

void ConsequencesBar::showTime() {
    const bool known = m_forecast.prediction != nullptr && !m_measure->isMeasuring();
    const bool severalMachines = !m_forecast.plan->project.hosts.empty();
    if (known)
        add(makeItem(timeOf(*m_forecast.prediction, *m_forecast.basis->rates),
                     m_isRefined ? m_refine : nullptr));
    else if (severalMachines)
        add(makeItem(unknownTime()));
    m_measure->setVisible(m_measure->isMeasuring() ||
                          (!known && !severalMachines && m_forecast.basis != nullptr));
}

void ConsequencesBar::add(QWidget* item) {
    constexpr int behindMeasure = 1;
    m_items->insertWidget(behindMeasure + static_cast<int>(m_shown.size()), item, 0, Qt::AlignVCenter);
    item->show();  // now, as the focus goes only to what is shown
    m_shown.push_back(item);
}

QWidget* ConsequencesBar::makeMeter() {
    auto* meter = new StageMeter(this);
    meter->setNeeds(stageNeedsOf(*m_forecast.plan));
    return meter;
}

QWidget* ConsequencesBar::makeItem(const Consequence& consequence, QWidget* beside) {
    auto* item = new QWidget(this);
    const QColor muted = mutedColor(palette());
    const QColor ink = consequence.alarming ? errorColor(palette())
                                            : palette().color(QPalette::Active, QPalette::WindowText);
    auto* grid = new QGridLayout(item);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setVerticalSpacing(0);
    auto* head = new QHBoxLayout;
    head->setSpacing(spacing);
    head->addWidget(inkedLabel(consequence.title, muted, smallScale, false, item));
    if (beside != nullptr) {
        head->addStretch(1);
        head->addWidget(beside);
        beside->show();
    }
    grid->addLayout(head, 0, 0);
    grid->addWidget(inkedLabel(consequence.value, ink, 1, true, item), 1, 0);
    grid->addWidget(inkedLabel(consequence.remark, muted, smallScale, false, item), 2, 0);
    item->setToolTip(consequence.detail);
    item->setAccessibleName(
        QStringLiteral("%1: %2, %3").arg(consequence.title, consequence.value, consequence.remark));
    return item;
}

void ConsequencesBar::showSentence(const QString& sentence) {
    auto* words = new ClampedText(sentenceLines, this);
    QPalette colours = words->palette();
    colours.setColor(QPalette::WindowText, mutedColor(palette()));
    words->setPalette(colours);
    words->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    words->setText(sentence);
    add(words);
}

}  // namespace meshreel
