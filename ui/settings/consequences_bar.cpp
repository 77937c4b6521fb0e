// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/settings/consequences_bar.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QProgressBar>
#include <QPushButton>
#include <QStringList>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "engine/base/sentence.h"
#include "engine/base/units.h"
#include "engine/estimates/machine_rates.h"
#include "engine/planning/forecast.h"
#include "engine/planning/run_plan.h"
#include "engine/planning/target_hardware.h"
#include "ui/project/consequences.h"
#include "ui/project/rate_refinement.h"
#include "ui/theme/look.h"
#include "ui/theme/plain_text.h"
#include "ui/values/engine_texts.h"
#include "ui/widgets/panel_parts.h"

namespace meshreel {

namespace {

constexpr QSize usualSize{36, 18};
constexpr double columnGap = 3;
constexpr double leastHeight = 2;  ///< of a column, so that every stage is visible
constexpr double meterRadius = 1.5;
constexpr int troughAlpha = 28;
constexpr double smallScale = 0.85;  ///< of the window's letters

}  // namespace

std::vector<QRectF> meterColumns(const std::vector<StageNeed>& needs, const QRectF& area, double gap) {
    std::vector<QRectF> columns;
    const auto count = static_cast<double>(needs.size());
    const double width = (area.width() - gap * (count - 1)) / count;
    double left = area.left();
    for (const StageNeed& need : needs) {
        const double height = std::clamp(need.share * area.height(), leastHeight, area.height());
        columns.emplace_back(left, area.bottom() - height, width, height);
        left += width + gap;
    }
    return columns;
}

StageMeter::StageMeter(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void StageMeter::setNeeds(std::vector<StageNeed> needs) {
    m_needs = std::move(needs);
    QStringList words;
    for (const StageNeed& need : m_needs)
        words += tr("%1: %2", "stage and its memory").arg(need.stage, need.bytes);
    setAccessibleName(tr("Memory of the stages"));
    setAccessibleDescription(words.join(QStringLiteral(", ")));
    setToolTip(words.join(QLatin1Char('\n')));
    update();
}

QSize StageMeter::sizeHint() const {
    return usualSize;
}

void StageMeter::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    const QRectF area(rect());
    QColor trough = palette().color(QPalette::WindowText);
    trough.setAlpha(troughAlpha);
    std::vector<QRectF> columns = meterColumns(m_needs, area, columnGap);
    if (isRightToLeft())  // the stages in the order of reading
        for (QRectF& column : columns)
            column.moveRight(area.left() + area.right() - column.left());
    for (std::size_t i = 0; i < columns.size(); ++i) {
        painter.setBrush(trough);
        painter.drawRoundedRect(QRectF(columns[i].left(), area.top(), columns[i].width(), area.height()),
                                meterRadius, meterRadius);
        painter.setBrush(m_needs[i].share > 1 ? errorColor(palette()) : palette().color(QPalette::Highlight));
        painter.drawRoundedRect(columns[i], meterRadius, meterRadius);
    }
}

namespace {

constexpr int barWidth = 130;
constexpr int meterHeight = 10;

void makeSmall(QLabel& label) {
    QFont font = label.font();
    font.setPointSizeF(font.pointSizeF() * smallScale);
    label.setFont(font);
    label.setTextFormat(Qt::PlainText);
}

}  // namespace

MeasureItem::MeasureItem(QWidget* parent)
    : QWidget(parent),
      m_title(new QLabel(this)),
      m_measure(new QPushButton(this)),
      m_progress(new QProgressBar(this)),
      m_cancel(new QToolButton(this)),
      m_remark(new QLabel(this)) {
    makeSmall(*m_title);
    makeSmall(*m_remark);
    m_measure->setObjectName(QStringLiteral("measure"));
    m_progress->setTextVisible(false);
    m_progress->setFixedSize(barWidth, meterHeight);
    m_progress->setAccessibleName(tr("Measuring this machine"));
    m_cancel->setObjectName(QStringLiteral("cancelMeasuring"));
    m_cancel->setAutoRaise(true);
    m_cancel->setToolTip(tr("Stop measuring; nothing of it is kept"));
    m_cancel->setAccessibleName(tr("Stop measuring"));

    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(spacing);
    row->addWidget(m_title);
    row->addWidget(m_measure);
    row->addWidget(m_progress);
    row->addWidget(m_cancel);
    row->addWidget(m_remark);
    connect(m_measure, &QPushButton::clicked, this, &MeasureItem::measureRequested);
    connect(m_cancel, &QToolButton::clicked, this, &MeasureItem::cancelRequested);
    setMeasuring(false);
    ink();
}

void MeasureItem::setMeasuring(bool measuring) {
    m_title->setText(measuring ? tr("Measuring this machine") : tr("Time"));
    m_remark->setText(measuring ? tr("about two minutes") : QString());
    m_remark->setVisible(measuring);
    m_measure->setVisible(!measuring);
    m_progress->setRange(0, 0);  // how many things will be timed is known with the first
    m_progress->setVisible(measuring);
    m_cancel->setVisible(measuring);
    refresh();
    m_before = 0;
    m_begun.start();
}

void MeasureItem::setWaiting(bool waiting) {
    m_waiting = waiting;
    refresh();
}

void MeasureItem::showTimed(int count, int all, const QString& what) {
    constexpr int enough = 10;  // things, before their times predict those of others
    if (what.isEmpty())
        m_before = count;
    const int timed = std::max(1, count - m_before);
    const double each = static_cast<double>(m_begun.elapsed()) / millisecondsPerSecond / timed;
    m_progress->setRange(0, all);
    m_progress->setValue(count);
    m_remark->setText(timed < enough ? tr("%1 of %2 measurements").arg(count).arg(all)
                                     : tr("%1 of %2 measurements, about %3 left", "counts, duration")
                                           .arg(count)
                                           .arg(all)
                                           .arg(roughDuration(each * std::max(0, all - count))));
    m_progress->setToolTip(what);
}

void MeasureItem::setObstacle(const QString& reason) {
    m_obstacle = reason;
    refresh();
}

void MeasureItem::offerAgain(const QString& reason) {
    m_again = reason;
    refresh();
}

void MeasureItem::setOffer(Offer offer) {
    m_offer = offer;
    refresh();
}

void MeasureItem::refresh() {
    m_title->setVisible(isMeasuring() || (m_again.isEmpty() && m_offer == Offer::InPlace));
    m_measure->setText(m_waiting           ? tr("Measuring waits")
                       : m_again.isEmpty() ? tr("Measure this machine")
                                           : tr("Measure again"));
    m_measure->setEnabled(m_obstacle.isEmpty() && !m_waiting);
    m_measure->setToolTip(
        m_waiting ? tr("Measuring this machine was paused. It goes on with what it has once nothing else is "
                       "computed.")
        : !m_obstacle.isEmpty() ? m_obstacle
        : !m_again.isEmpty()
            ? m_again
            : tr("How long a run takes is predicted once this machine was measured. It takes "
                 "about two minutes, in which it should do nothing else. Later it is measured "
                 "further while nothing runs, unless you stop that."));
}

bool MeasureItem::isMeasuring() const {
    return m_measure->isHidden();
}

void MeasureItem::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange)
        ink();
    QWidget::changeEvent(event);
}

void MeasureItem::ink() {
    for (QLabel* label : {m_title, m_remark}) {
        QPalette colours = label->palette();
        colours.setColor(QPalette::WindowText, mutedColor(palette()));
        label->setPalette(colours);
    }
    m_cancel->setIcon(themedIcon(QStringLiteral("cancel")));
}

RefineItem::RefineItem(QWidget* parent)
    : QWidget(parent), m_words(new QLabel(this)), m_stop(new QToolButton(this)) {
    QFont font = m_words->font();
    font.setPointSizeF(font.pointSizeF() * smallScale);
    m_words->setFont(font);
    m_words->setTextFormat(Qt::PlainText);
    const int side = m_words->sizeHint().height();  // the row stays as high as without it
    m_stop->setFixedSize(side, side);
    m_stop->setAutoRaise(true);
    m_stop->setObjectName(QStringLiteral("stopRefining"));
    m_stop->setToolTip(tr("Stop measuring. “Keep measuring when idle” in the Run menu starts it again."));
    m_stop->setAccessibleName(tr("Stop refining"));
    setFocusProxy(m_stop);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(tightSpacing);
    row->addWidget(m_words);
    row->addWidget(m_stop);
    connect(m_stop, &QToolButton::clicked, this, &RefineItem::stopRequested);
    ink();
}

void RefineItem::showStatus(const RefinementStatus& status) {
    const bool waiting = status.state == RefinementStatus::State::Waiting;
    m_words->setText(waiting ? tr("Refinement paused: CPU busy")
                             : tr("refining: round %1 of %2").arg(status.round).arg(status.rounds));
    m_words->setToolTip(
        waiting ? tr("Other programs keep the processors busy. Round %1 of %2 is measured when they "
                     "are at rest.")
                      .arg(status.round)
                      .arg(status.rounds)
                : tr("While nothing runs, this machine is measured further, which makes "
                     "predictions more exact. Whatever you start comes first."));
}

void RefineItem::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange)
        ink();
    QWidget::changeEvent(event);
}

void RefineItem::ink() {
    QPalette colours = m_words->palette();
    colours.setColor(QPalette::WindowText, mutedColor(palette()));
    m_words->setPalette(colours);
    m_stop->setIcon(themedIcon(QStringLiteral("cancel")));
}

namespace {

constexpr double chipTint = 0.22;  ///< of the accent colour: text on it keeps its contrast

/// What is an item of a mode that can be left stands on a tinted ground.
class Chip : public QWidget {
  public:
    using QWidget::QWidget;

  protected:
    void paintEvent(QPaintEvent* /*event*/) override {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(
            mixedColor(palette().color(QPalette::Window), palette().color(QPalette::Highlight), chipTint));
        const double radius = height() / 2.0;
        painter.drawRoundedRect(QRectF(rect()), radius, radius);
    }
};

constexpr int itemDistance = 16;  ///< everything of one device visible at 1024 pixels

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

/// Returns the rates that a prediction used.
const MachineRates& usedRates(const PredictionBasis& basis) {
    return basis.rates ? *basis.rates : basis.taught.value();
}

}  // namespace

ConsequencesBar::ConsequencesBar(QWidget* parent)
    : QWidget(parent),
      m_items(new QHBoxLayout(this)),
      m_measure(new MeasureItem(this)),
      m_refine(new RefineItem(this)) {
    m_items->setContentsMargins(0, 0, 0, 0);
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

void ConsequencesBar::setMeasurementWaiting(bool waiting) {
    m_measure->setWaiting(waiting);
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

QSize ConsequencesBar::sizeHint() const {
    int width = m_measure->isHidden() ? 0 : m_measure->sizeHint().width() + itemDistance;
    for (const QWidget* item : m_shown)
        width += item->sizeHint().width() + itemDistance;
    return {width, QWidget::sizeHint().height()};
}

QSize ConsequencesBar::minimumSizeHint() const {
    return {0, QWidget::sizeHint().height()};
}

void ConsequencesBar::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    showWhatFits();
}

/// How the time is known goes first, then the last ones; the tool tip has them all.
void ConsequencesBar::showWhatFits() {
    int room = width() - (m_measure->isHidden() ? 0 : m_measure->sizeHint().width() + itemDistance);
    int needed = -itemDistance;
    for (const QWidget* item : m_shown)
        needed += item->sizeHint().width() + itemDistance;
    const bool allFit = needed <= room;
    QStringList all;
    for (QWidget* item : m_shown) {
        all += item->accessibleName();
        if (item == m_basis && !allFit) {
            item->hide();
            continue;
        }
        const bool isSentence = qobject_cast<ClampedText*>(item) != nullptr;
        room -= isSentence ? 0 : item->sizeHint().width();
        item->setVisible(room >= 0 || item == m_shown.front());
        room -= itemDistance;
    }
    setToolTip(asPlainText(all.join(QLatin1Char('\n'))));
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
    m_basis = nullptr;
    if (m_forecast.target != nullptr)
        add(makeTargetChip());
    if (m_forecast.plan == nullptr) {
        if (m_forecast.obstacle)
            showSentence(withCapital(sentenceText(m_forecast.obstacle->message)));
        else if (!m_forecast.problems.empty())
            showSentence(tr("Tokens, work and memory are shown once the problems are solved."));
        m_measure->setVisible(m_measure->isMeasuring());
        return showWhatFits();
    }
    showTime();
    if (m_forecast.target != nullptr && m_forecast.prediction != nullptr) {
        Consequence here = timeConsequence(*m_forecast.prediction, usedRates(*m_forecast.basis));
        here.title = tr("Time here", "on this machine, beside that on other hardware");
        addTime(here);
    }
    for (const Consequence& consequence : listConsequences(*m_forecast.plan, m_forecast.outlook.get())) {
        add(makeItem(consequence));
        if (!consequence.stages.empty())
            add(makeMeter(consequence.stages));
    }
    showWhatFits();
    if (hadFocus && m_refine->isVisible())
        m_refine->setFocus();
}

void ConsequencesBar::showTime() {
    if (m_forecast.target != nullptr && !m_measure->isMeasuring()) {
        m_measure->hide();
        return;
    }
    const bool known = m_forecast.prediction != nullptr && !m_measure->isMeasuring();
    const bool unpredictable = isBeyondPrediction(*m_forecast.plan);
    const std::optional<Sentence> foreign =
        known ? foreignRatesRemark(*m_forecast.plan, *m_forecast.basis) : std::nullopt;
    const std::optional<MissingRates> missing = known || m_forecast.basis == nullptr
                                                    ? std::nullopt
                                                    : missingRates(*m_forecast.plan, *m_forecast.basis);
    const bool taught = known && m_forecast.prediction->byRunsAlone;
    m_measure->setOffer(taught ? MeasureItem::Offer::Beside : MeasureItem::Offer::InPlace);
    m_measure->offerAgain(foreign   ? sentenceText(*foreign)
                          : missing ? sentenceText(missing->why)
                                    : QString());
    if (known)
        addTime(timeConsequence(*m_forecast.prediction, usedRates(*m_forecast.basis)),
                m_isRefined ? m_refine : nullptr);
    else if (unpredictable)
        add(makeItem(unknownTime()));
    m_measure->setVisible(m_measure->isMeasuring() || foreign || taught ||
                          (!known && !unpredictable && m_forecast.basis != nullptr));
}

void ConsequencesBar::addTime(const Consequence& time, QWidget* beside) {
    add(makeItem(time, beside));
    m_basis = makeItem({.title = predictionBasisText(*m_forecast.prediction),
                        .value = {},
                        .remark = {},
                        .detail = time.detail});
    add(m_basis);
}

void ConsequencesBar::add(QWidget* item) {
    constexpr int behindMeasure = 1;
    m_items->insertWidget(behindMeasure + static_cast<int>(m_shown.size()), item, 0, Qt::AlignVCenter);
    item->show();  // now, as the focus goes only to what is shown
    m_shown.push_back(item);
}

QWidget* ConsequencesBar::makeTargetChip() {
    const QString title = QString::fromStdString(m_forecast.target->hardware->title);
    Consequence foreseen{.title = tr("Predicting for %1", "hardware").arg(title),
                         .value = tr("time not known", "of a step on other hardware"),
                         .remark = {},
                         .detail = tr("Problems says why.")};
    if (m_forecast.outlook != nullptr)
        foreseen = foreseenConsequence(*m_forecast.outlook);
    auto* end = new QToolButton(this);
    end->setObjectName(QStringLiteral("planHere"));
    end->setAutoRaise(true);
    end->setIcon(themedIcon(QStringLiteral("close")));
    end->setToolTip(tr("Plan for this machine alone"));
    end->setAccessibleName(tr("Plan for this machine alone, not for %1", "hardware").arg(title));
    const int side = fontMetrics().height();
    end->setFixedSize(side, side);
    connect(end, &QToolButton::clicked, this, &ConsequencesBar::planHereRequested, Qt::QueuedConnection);
    QWidget* chip = makeItem(foreseen, end, new Chip(this));
    chip->setObjectName(QStringLiteral("targetChip"));
    chip->layout()->setContentsMargins(spacing, 1, tightSpacing, 1);
    chip->setToolTip(
        asPlainText(tr("What the project takes on %1. Runs happen on this machine, whose problems decide "
                       "whether they can.",
                       "hardware")
                        .arg(title) +
                    QStringLiteral("\n%1\n%2").arg(foreseen.remark, foreseen.detail)));
    return chip;
}

QWidget* ConsequencesBar::makeMeter(const std::vector<StageNeed>& needs) {
    auto* meter = new StageMeter(this);
    meter->setNeeds(needs);
    return meter;
}

QWidget* ConsequencesBar::makeItem(const Consequence& consequence, QWidget* beside, QWidget* item) {
    const bool isTinted = item != nullptr;  // on which muted letters would be too pale
    if (item == nullptr)
        item = new QWidget(this);
    const QColor muted = isTinted ? palette().color(QPalette::WindowText) : mutedColor(palette());
    const QColor ink = consequence.alarming ? errorColor(palette())
                                            : palette().color(QPalette::Active, QPalette::WindowText);
    auto* row = new QHBoxLayout(item);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(tightSpacing);
    row->addWidget(inkedLabel(consequence.title, muted, smallScale, false, item));
    if (!consequence.value.isEmpty())
        row->addWidget(inkedLabel(consequence.value, ink, 1, true, item));
    if (!consequence.isDetail && !consequence.remark.isEmpty())
        row->addWidget(inkedLabel(consequence.remark, muted, smallScale, false, item));
    if (beside != nullptr) {
        row->addWidget(beside);
        beside->show();
    }
    QStringList hint{consequence.remark, consequence.detail};
    QStringList told{consequence.value, consequence.remark};
    hint.removeAll(QString());
    told.removeAll(QString());
    item->setToolTip(asPlainText(hint.join(QLatin1Char('\n'))));
    item->setAccessibleName(
        told.isEmpty() ? consequence.title
                       : QStringLiteral("%1: %2").arg(consequence.title, told.join(QLatin1String(", "))));
    return item;
}

void ConsequencesBar::showSentence(const QString& sentence) {
    auto* words = new ClampedText(1, this);
    QPalette colours = words->palette();
    colours.setColor(QPalette::WindowText, mutedColor(palette()));
    words->setPalette(colours);
    words->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    words->setText(sentence);
    add(words);
}

}  // namespace meshreel

#include "moc_consequences_bar.cpp"
