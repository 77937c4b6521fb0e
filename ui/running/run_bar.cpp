// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/running/run_bar.h"

#include <QApplication>
#include <QEvent>
#include <QHBoxLayout>
#include <QMouseEvent>
#include <QProgressBar>
#include <QPushButton>
#include <QResizeEvent>
#include <QStackedWidget>
#include <QToolButton>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "ui/running/event_queue.h"
#include "ui/running/stage_strip.h"
#include "ui/theme/look.h"
#include "ui/theme/plain_text.h"
#include "ui/values/engine_texts.h"
#include "ui/widgets/panel_parts.h"

namespace meshreel {

namespace {

constexpr int progressUnits = 1000;
constexpr int buttonHeight = 28;
constexpr int barHeight = 36;
constexpr int progressWidth = 90;
constexpr int progressHeight = 8;
constexpr int problemIconSide = 16;
constexpr QSize runIconSize{32, 32};

QFont boldFont(QFont font) {
    font.setBold(true);
    return font;
}

/// The button that matters most, in the accent colour while it can be pressed.
void setAccent(QPushButton* button, bool accented) {
    QPalette colours = QApplication::palette(button);
    const QColor ink = colours.color(accented ? QPalette::HighlightedText : QPalette::ButtonText);
    if (accented) {
        colours.setColor(QPalette::Button, colours.color(QPalette::Highlight));
        colours.setColor(QPalette::ButtonText, ink);
    }
    button->setPalette(colours);
    button->setIcon(accented ? QIcon(tintedPixmap(QStringLiteral("play"), runIconSize, ink))
                             : themedIcon(QStringLiteral("play")));
}

QString progressText(const Progress& progress) {
    QString text = phaseTitle(progress.phase);
    if (progress.phase == Phase::Denoise && progress.stepsDone > 0)
        text = RunBar::tr("%1, step %2 of %3", "phase and steps")
                   .arg(text)
                   .arg(progress.stepsDone)
                   .arg(progress.steps);
    if (progress.secondsLeft)
        text = RunBar::tr("%1 · about %2 left", "what happens, duration")
                   .arg(text, durationText(*progress.secondsLeft));
    return text;
}

}  // namespace

RunBar::RunBar(QWidget* parent)
    : QWidget(parent),
      m_run(new QPushButton(themedIcon(QStringLiteral("play")), tr("Run"), this)),
      m_pause(new QPushButton(themedIcon(QStringLiteral("pause")), tr("Pause"), this)),
      m_resume(new QPushButton(themedIcon(QStringLiteral("resume")), tr("Resume"), this)),
      m_cancel(new QPushButton(themedIcon(QStringLiteral("cancel")), tr("Cancel"), this)),
      m_toProblem(new QToolButton(this)),
      m_status(new ClampedText(1, this)),
      m_progress(new QProgressBar(this)),
      m_stages(new StageStrip(this)),
      m_end(new QStackedWidget(this)) {
    setAccessibleName(tr("Status"));
    m_run->setObjectName(QStringLiteral("run"));
    m_cancel->setObjectName(QStringLiteral("cancel"));
    m_pause->setObjectName(QStringLiteral("pause"));
    m_resume->setObjectName(QStringLiteral("resume"));
    m_run->setFont(boldFont(m_run->font()));
    for (QPushButton* button : {m_run, m_pause, m_resume, m_cancel})
        button->setFixedHeight(buttonHeight);
    m_resume->setToolTip(tr("Resume the stopped run from its last finished step"));
    m_run->setDefault(true);
    m_cancel->setToolTip(tr("Stop after the current block; steps that are done are kept"));
    m_toProblem->setObjectName(QStringLiteral("toProblem"));
    m_toProblem->setAutoRaise(true);
    m_toProblem->setToolTip(tr("Go to the first problem"));
    m_toProblem->setAccessibleName(m_toProblem->toolTip());
    m_status->installEventFilter(this);
    m_progress->setRange(0, progressUnits);
    m_progress->setTextVisible(false);  // the sentence counts steps, which do not all take as long
    m_progress->setFixedSize(progressWidth, progressHeight);
    m_progress->setAccessibleName(tr("Progress of the run"));
    m_end->addWidget(m_stages);

    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(panelMargin, 0, panelMargin, 0);
    row->setSpacing(spacing);
    for (QWidget* part : std::initializer_list<QWidget*>{m_run, m_resume, m_pause, m_cancel, m_toProblem})
        row->addWidget(part);
    row->addWidget(m_status, 0, Qt::AlignVCenter);
    row->addWidget(m_progress);
    row->addWidget(m_end, 1);
    setFixedHeight(barHeight);

    connect(m_run, &QPushButton::clicked, this, &RunBar::runRequested);
    connect(m_pause, &QPushButton::clicked, this, &RunBar::pauseRequested);
    connect(m_resume, &QPushButton::clicked, this, &RunBar::resumeRequested);
    connect(m_cancel, &QPushButton::clicked, this, &RunBar::cancelRequested);
    connect(m_toProblem, &QToolButton::clicked, this, &RunBar::problemRequested);
    refresh();
}

void RunBar::setOutlook(QWidget* outlook) {
    m_outlook = outlook;
    m_end->addWidget(outlook);
    outlook->installEventFilter(this);
    refresh();
}

void RunBar::setObstacle(const QString& reason) {
    m_obstacle = reason;
    refresh();
}

void RunBar::setChecking(bool checking) {
    m_checking = checking;
    refresh();
}

void RunBar::setEngineObstacle(const QString& reason) {
    m_engineObstacle = reason;
    refresh();
}

void RunBar::setPausable(bool pausable) {
    m_pausable = pausable;
    refresh();
}

void RunBar::showBusy() {
    m_busy = true;
    m_stopping = false;
    m_pausable = true;
    m_resumable = false;
    m_sentence = tr("Starting");
    m_progress->setValue(0);
    m_stages->begin();
    refresh();
}

void RunBar::follow(const RunEvent& event) {
    m_stages->follow(event);
    handle(event, [this](const Progress& progress) { showProgress(progress); });
}

void RunBar::showProgress(const Progress& progress) {
    m_progress->setValue(static_cast<int>(std::lround(progress.fraction * progressUnits)));
    if (m_stopping)
        return;  // being stopped: that is what the sentence says
    m_sentence = progressText(progress);
    refresh();
}

void RunBar::showStopping(const QString& sentence) {
    m_stopping = true;
    m_sentence = sentence;
    refresh();
}

void RunBar::showIdle(const QString& sentence, bool resumable) {
    m_busy = false;
    m_resumable = resumable;
    m_sentence = sentence;
    m_stages->end();
    refresh();
}

void RunBar::nameStopped(const QString& run) {
    m_resume->setToolTip(tr("Resume the stopped run %1 from its last finished step", "name").arg(run));
}

void RunBar::forgetOutcome() {
    if (m_busy || m_sentence.isEmpty())
        return;
    m_sentence.clear();
    refresh();
}

QString RunBar::statusText() const {
    return m_status->text();
}

void RunBar::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange)
        refresh();
    QWidget::changeEvent(event);
}

void RunBar::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    shareRoom();
}

/// The sentence is cut only where the room at the end is needed, and has a third of both even then.
void RunBar::shareRoom() {
    constexpr int least = 3;  // parts
    if (m_status->isHidden() || m_isSharing)
        return;
    m_isSharing = true;
    layout()->activate();
    const int room = m_status->width() + m_end->width();
    const int spare = room - m_end->currentWidget()->sizeHint().width();
    const int width = std::min(m_status->sizeHint().width(), std::max(room / least, spare));
    m_status->setMaximumWidth(std::max(0, width));
    layout()->activate();
    m_isSharing = false;
}

bool RunBar::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_outlook && event->type() == QEvent::LayoutRequest)
        shareRoom();
    if (watched == m_status && event->type() == QEvent::MouseButtonRelease && m_toProblem->isEnabled() &&
        static_cast<QMouseEvent*>(event)->button() == Qt::LeftButton)
        emit problemRequested();
    return QWidget::eventFilter(watched, event);
}

/// A button that is hidden or disabled would leave its focus to whatever comes next in the window, where keys
/// that are meant for the button would change the project.
void RunBar::passFocusOn(bool mayRun) {
    const QWidget* focused = window()->focusWidget();
    if (focused == nullptr || (focused != this && !isAncestorOf(focused)))
        return;
    const std::array<std::pair<QPushButton*, bool>, 4> usable{
        {{m_pause, mayPause()}, {m_resume, mayResume()}, {m_run, mayRun}, {m_cancel, m_busy}}};
    QPushButton* next = nullptr;
    for (const auto& [button, can] : usable) {
        if (can && button == focused)
            return;
        // Never Cancel, nor Run while it queues: a key meant for Pause, pressed once more, would end the run
        // or queue another.
        if (can && next == nullptr && button != m_cancel && (button != m_run || !m_busy))
            next = button;
    }
    if (next == nullptr) {
        setFocus();  // where keys do nothing
        return;
    }
    next->setVisible(true);
    next->setEnabled(true);
    next->setFocus();
}

void RunBar::refresh() {
    const bool blocked = !m_busy && (!m_obstacle.isEmpty() || !m_engineObstacle.isEmpty());
    const bool mayRun = !m_checking && (m_busy ? m_obstacle.isEmpty() : !blocked);
    passFocusOn(mayRun);
    m_run->setEnabled(mayRun);
    m_run->setText(m_busy ? tr("Queue") : tr("Run"));
    setAccent(m_run, mayRun && !m_busy);
    const QString obstacle = m_obstacle.isEmpty() ? m_engineObstacle : m_obstacle;
    const QString checking = tr("Checking the project");
    m_run->setToolTip(m_checking ? checking
                      : !mayRun  ? asPlainText(obstacle)
                      : m_busy   ? tr("Run this project when its turn comes (Ctrl+Enter)")
                                 : tr("Generate the video (Ctrl+Enter)"));
    m_resume->setVisible(!m_busy && m_resumable);
    m_pause->setVisible(m_busy);
    m_resume->setEnabled(mayResume());
    m_pause->setEnabled(mayPause());
    m_pause->setToolTip(m_pausable || m_stopping ? tr("Stop after the current step; nothing is lost")
                                                 : tr("Every step is done: the run cannot pause any more"));
    m_cancel->setVisible(m_busy);
    m_cancel->setEnabled(m_busy);
    m_progress->setVisible(m_busy);
    m_toProblem->setIcon(QIcon(tintedPixmap(QStringLiteral("error"), QSize(problemIconSide, problemIconSide),
                                            errorColor(palette()))));
    m_toProblem->setVisible(!m_obstacle.isEmpty());
    m_toProblem->setEnabled(!m_obstacle.isEmpty());
    m_status->setCursor(m_obstacle.isEmpty() ? Qt::ArrowCursor : Qt::PointingHandCursor);
    // How the last run ended says nothing about a project that cannot run, but it says why there is Resume.
    QStringList news;
    if (m_checking)
        news += checking;
    if (!blocked || m_resumable)
        news += m_sentence;
    if (blocked)
        news += obstacle;
    news.removeAll(QString());
    m_status->setText(news.join(QStringLiteral(" · ")));
    m_status->setVisible(!m_status->text().isEmpty());
    m_end->setCurrentWidget(m_busy || m_outlook == nullptr ? m_stages : m_outlook);
    shareRoom();
}

}  // namespace meshreel

#include "moc_run_bar.cpp"
