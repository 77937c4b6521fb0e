// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/results_view.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/player/live_preview.h"
#include "ui/player/player_widget.h"
#include "ui/running/devices_panel.h"
#include "ui/runs/chart_panel.h"
#include "ui/runs/use_menu.h"
#include "ui/theme/look.h"
#include "ui/values/clip.h"
#include "ui/values/engine_texts.h"
#include "ui/values/opened_run.h"
#include "ui/widgets/panel_parts.h"

namespace meshreel {

SummaryPanel::SummaryPanel(QWidget* parent)
    : QWidget(parent),
      m_stage(new QStackedWidget(this)),
      m_empty(new EmptyState(
          tr("Where the time went stands here once a run is done, or a past one is opened."), this)),
      m_text(new QPlainTextEdit(this)),
      m_copy(new QToolButton(this)) {
    m_text->setReadOnly(true);
    m_text->setFrameShape(QFrame::NoFrame);
    m_text->setFont(monospaceFont());
    m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_text->setLayoutDirection(Qt::LeftToRight);  // the published layout
    m_text->setAccessibleName(tr("Timing summary"));
    m_copy->setIcon(themedIcon(QStringLiteral("edit-copy")));
    m_copy->setText(tr("Copy"));
    m_copy->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_copy->setToolTip(tr("Copy the timing summary"));

    auto* header = new QHBoxLayout;
    header->addStretch(1);
    header->addWidget(m_copy);
    auto* page = new QWidget(this);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(panelMargin, spacing, panelMargin, spacing);
    column->setSpacing(tightSpacing);
    column->addLayout(header);
    column->addWidget(m_text, 1);
    m_stage->addWidget(m_empty);
    m_stage->addWidget(page);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_stage);

    const QPushButton* runs = m_empty->addButton(themedIcon(QStringLiteral("folder")), tr("Open a run"));
    connect(runs, &QPushButton::clicked, this, &SummaryPanel::runsRequested);
    connect(m_copy, &QToolButton::clicked, this, &SummaryPanel::copy);
    setText({});
}

void SummaryPanel::setText(const QString& summary) {
    // The block starts with an empty line, which is meant for terminals.
    m_text->setPlainText(summary.startsWith(QLatin1Char('\n')) ? summary.mid(1) : summary);
    m_stage->setCurrentIndex(summary.isEmpty() ? 0 : 1);
}

QString SummaryPanel::text() const {
    return m_text->toPlainText();
}

void SummaryPanel::copy() const {
    QGuiApplication::clipboard()->setText(text());
}

namespace {

constexpr double titleScale = 1.05;
constexpr int titleLines = 1;         ///< of a prompt, which may be as long as a page
constexpr int leastWithFooter = 280;  ///< of the height: below it the picture needs the room

}  // namespace

ResultsView::ResultsView(QWidget* parent)
    : QWidget(parent),
      m_title(new ClampedText(titleLines, this)),
      m_caption(new QLabel(this)),
      m_back(new QPushButton(themedIcon(QStringLiteral("play")), {}, this)),
      m_use(new QToolButton(this)),
      m_uses(new UseMenu(UseMenu::Frames::Shown, m_use)),
      m_continue(new QToolButton(this)),
      m_stage(new QStackedWidget(this)),
      m_preview(new LivePreview(this)),
      m_player(new PlayerWidget(this)),
      m_chart(new ChartPanel(this)),
      m_devices(new DevicesPanel(this)),
      m_summary(new SummaryPanel(this)) {
    m_player->setPlaceholder(
        tr("Describe a video on the left and press Run.\nRuns, videos, pictures and projects can be dropped "
           "here."));
    QFont font = m_title->font();
    font.setBold(true);
    font.setPointSizeF(font.pointSizeF() * titleScale);
    m_title->setFont(font);
    m_caption->setTextFormat(Qt::PlainText);
    m_caption->setWordWrap(true);
    m_caption->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_back->setObjectName(QStringLiteral("backToLive"));
    connect(m_back, &QPushButton::clicked, this, &ResultsView::showLive);
    makeUseButton();
    makeContinueButton();
    layOut();
    setTitle({}, {});
    refreshBack();
    m_stage->setCurrentWidget(m_player);
}

void ResultsView::layOut() {
    m_stage->addWidget(m_player);
    m_stage->addWidget(m_preview);

    auto* words = new QVBoxLayout;
    words->setSpacing(tightSpacing);
    words->addWidget(m_title);
    words->addWidget(m_caption);
    auto* header = new QHBoxLayout;
    header->setSpacing(spacing);
    header->addLayout(words, 1);
    header->addWidget(m_use, 0, Qt::AlignTop);
    header->addWidget(m_continue, 0, Qt::AlignTop);
    header->addWidget(m_back, 0, Qt::AlignTop);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(spacing, tightSpacing, spacing, tightSpacing);
    column->setSpacing(tightSpacing);
    column->addLayout(header);
    column->addWidget(m_stage, 1);
}

void ResultsView::makeUseButton() {
    m_use->setObjectName(QStringLiteral("useResult"));
    m_use->setIcon(themedIcon(QStringLiteral("use-project")));
    m_use->setText(tr("Use as"));
    m_use->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_use->setPopupMode(QToolButton::InstantPopup);
    m_use->setToolTip(tr("Let the shown frame, or the video, be an input of the next video"));
    m_use->setAccessibleDescription(m_use->toolTip());
    m_use->setMenu(m_uses);
    connect(m_uses, &UseMenu::requested, this, [this](UseRequest request) {
        request.shown = m_player->playback().position();
        request.picture = m_player->shownFrame();
        emit useRequested(request);
    });
}

void ResultsView::makeContinueButton() {
    m_continue->setObjectName(QStringLiteral("continueClip"));
    m_continue->setIcon(themedIcon(QStringLiteral("resume")));
    m_continue->setText(tr("Continue"));
    m_continue->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_continue->setPopupMode(QToolButton::MenuButtonPopup);
    m_continue->setToolTip(tr("Make the next clip: it goes on from the last frame of this one"));
    m_continue->setAccessibleDescription(m_continue->toolTip());
    auto* menu = new QMenu(m_continue);
    const auto fromLast = [this] { emit continueRequested(m_source, -1); };
    menu->addAction(tr("From the &last frame"), this, fromLast);
    menu->addAction(tr("From the &shown frame"), this,
                    [this] { emit continueRequested(m_source, m_player->playback().position()); });
    m_continue->setMenu(menu);
    connect(m_continue, &QToolButton::clicked, this, fromLast);
    setSource({});
}

void ResultsView::setSource(const QString& path) {
    m_source = path;
    m_continue->setVisible(!path.isEmpty());
    m_use->setVisible(!path.isEmpty());
    m_uses->setClip(path);
    emit shownChanged(path);
}

void ResultsView::setLiveFolder(const QString& folder) {
    m_live.folder = folder;
    if (!m_isAside)
        setSource(folder);
}

void ResultsView::setFooter(QWidget* footer) {
    m_footer = footer;
    layout()->addWidget(footer);
}

void ResultsView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    if (m_footer != nullptr)
        m_footer->setVisible(height() >= leastWithFooter);
}

void ResultsView::beginLive(const QString& title, int expectedSteps) {
    m_live = {};
    m_live.title = title;
    m_live.expectedSteps = expectedSteps;
    m_live.hasPreview = true;
    m_goesOn = true;
    m_preview->clear();
    refreshBack();
    if (m_isAside)
        return;
    setTitle(title, {});
    setSource({});
    m_chart->setSteps({});
    m_devices->begin();
    m_chart->setExpectedSteps(expectedSteps);
    m_summary->setText({});
    m_player->setClip({});
    m_stage->setCurrentWidget(m_preview);
}

void ResultsView::continueLive(const OpenedRun& before) {
    beginLive(visibleText(QString::fromStdString(before.project.prompt)),
              static_cast<int>(before.project.numInferenceSteps));
    m_live.steps = before.steps;
    m_live.resumedFrom = before.resumedFrom;
    m_live.resumedFrom.push_back(static_cast<int>(before.steps.size()));
    m_live.deviceTimes = before.deviceTimes;
    if (m_isAside)
        return;
    m_chart->setSteps(m_live.steps, m_live.resumedFrom);
    m_devices->addSteps(before.deviceTimes);
}

void ResultsView::decodeLive(const OpenedRun& run) {
    if (!m_isAside)
        showRun(run);
    m_live = {.title = visibleText(QString::fromStdString(run.project.prompt)),
              .caption = run.state,
              .folder = {},
              .expectedSteps = static_cast<int>(run.project.numInferenceSteps),
              .steps = run.steps,
              .resumedFrom = run.resumedFrom,
              .deviceTimes = run.deviceTimes,
              .progress = {},
              .summary = run.summary,
              .video = run.clip,
              .hasPreview = false};
    m_goesOn = true;
    refreshBack();
}

void ResultsView::follow(const std::vector<StudioEvent>& events) {
    // Charts are drawn once for all steps that arrive together.
    std::vector<StepRecord> steps;
    std::vector<StepDeviceTimes> deviceTimes;
    for (const StudioEvent& happened : events)
        handle(
            happened.event, [&](const StepRecord& step) { steps.push_back(step); },
            [&](const StepDeviceTimes& times) { deviceTimes.push_back(times); },
            [this](const Progress& progress) { showProgress(progress); },
            [&](const Preview&) { showPreview(happened.pictures); },
            [&](const DecodedFrames& decoded) {
                showDecoded({.clip = happened.pictures,
                             .first = static_cast<int>(decoded.first),
                             .total = static_cast<int>(decoded.total)});
            },
            [&](const FramesReady&) { showVideo(happened.pictures); });
    if (!steps.empty())
        addSteps(steps);
    if (!deviceTimes.empty())
        addDeviceTimes(deviceTimes);
}

void ResultsView::addSteps(const std::vector<StepRecord>& steps) {
    m_live.steps.insert(m_live.steps.end(), steps.begin(), steps.end());
    if (!m_isAside)
        m_chart->addSteps(steps);
}

void ResultsView::addDeviceTimes(const std::vector<StepDeviceTimes>& steps) {
    m_live.deviceTimes.insert(m_live.deviceTimes.end(), steps.begin(), steps.end());
    if (!m_isAside)
        m_devices->addSteps(steps);
}

void ResultsView::showProgress(const Progress& progress) {
    m_live.progress = progress;
    if (!m_isAside)
        m_devices->showProgress(progress);
}

void ResultsView::showPreview(const Clip& clip) {
    m_preview->setClip(clip);
}

void ResultsView::showDecoded(const ClipPart& part) {
    if (m_live.hasPreview)
        m_preview->addDecoded(part);
}

void ResultsView::showVideo(const Clip& clip) {
    m_live.video = clip;
    m_live.hasPreview = false;
    m_preview->clear();
    if (!m_isAside)
        showPlayer(clip);
}

void ResultsView::setSummary(const QString& summary) {
    m_live.summary = summary;
    if (!m_isAside)
        m_summary->setText(summary);
}

void ResultsView::setCaption(const QString& sentence) {
    m_live.caption = sentence;
    if (!m_isAside)
        setTitle(m_title->text(), sentence);
}

void ResultsView::endLive() {
    m_goesOn = false;
    m_preview->end();
    if (!m_isAside)
        m_devices->end();
    refreshBack();
}

void ResultsView::goAside() {
    m_isAside = m_isAside || m_goesOn;
    if (!m_isAside)
        m_live = {};
    refreshBack();
}

void ResultsView::showRun(const OpenedRun& run) {
    goAside();
    setTitle(visibleText(QString::fromStdString(run.project.prompt)),
             run.clipProblem.isEmpty() ? run.state : run.clipProblem);
    m_chart->setSteps(run.steps, run.resumedFrom);
    m_devices->showRun(run.deviceTimes);
    m_chart->setExpectedSteps(static_cast<int>(run.project.numInferenceSteps));
    m_summary->setText(run.summary);
    showPlayer(run.clip);
    const QString folder = QString::fromStdString(run.folder.string());
    setSource(run.clip.isEmpty() ? QString() : folder);
    emit shownChanged(folder);  // with a video or without
}

void ResultsView::showVideoFile(const QString& path, const QString& title, const Clip& clip) {
    goAside();
    setTitle(title, {});
    setSource(path);
    m_chart->setSteps({});
    m_devices->clear();
    m_chart->setExpectedSteps(0);
    m_summary->setText({});
    showPlayer(clip);
}

void ResultsView::showLive() {
    if (!m_isAside)
        return;
    m_isAside = false;
    setTitle(m_live.title, m_live.caption);
    setSource(m_live.folder);
    m_chart->setSteps(m_live.steps, m_live.resumedFrom);
    m_chart->setExpectedSteps(m_live.expectedSteps);
    m_summary->setText(m_live.summary);
    if (m_goesOn && m_live.hasPreview) {
        m_devices->begin();
        m_devices->addSteps(m_live.deviceTimes);
        m_devices->showProgress(m_live.progress);
    } else {
        m_devices->showRun(m_live.deviceTimes);
    }
    if (m_live.hasPreview)
        m_stage->setCurrentWidget(m_preview);
    else
        showPlayer(m_live.video);
    if (m_back->hasFocus())
        m_stage->currentWidget()->setFocus();
    refreshBack();
}

QWidget& ResultsView::stage() const {
    return *m_stage;
}

bool ResultsView::showsPreview() const {
    return m_stage->currentWidget() == m_preview;
}

void ResultsView::setTitle(const QString& title, const QString& caption) {
    m_title->setText(title);
    m_caption->setText(caption);
    m_title->setVisible(!title.isEmpty());
    m_caption->setVisible(!caption.isEmpty());
}

void ResultsView::showPlayer(const Clip& clip) {
    if (!m_isAside)
        m_preview->clear();
    m_stage->setCurrentWidget(m_player);
    m_player->setClip(clip);
    m_player->playback().play();
}

void ResultsView::refreshBack() {
    m_back->setText(m_goesOn ? tr("Back to the current run") : tr("Back to the last run"));
    m_back->setVisible(m_isAside);
}

}  // namespace meshreel

#include "moc_results_view.cpp"
