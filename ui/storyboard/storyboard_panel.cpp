// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/storyboard/storyboard_panel.h"

#include <QAction>
#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLocale>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QStringList>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "engine/base/problem.h"
#include "engine/base/strings.h"
#include "engine/estimates/prediction.h"
#include "engine/events/run_event.h"
#include "ui/player/playback.h"
#include "ui/player/player_widget.h"
#include "ui/project/consequences.h"
#include "ui/storyboard/shot_editor.h"
#include "ui/storyboard/storyboard_document.h"
#include "ui/storyboard/storyboard_strip.h"
#include "ui/theme/look.h"
#include "ui/values/engine_texts.h"
#include "ui/widgets/accessibility.h"
#include "ui/widgets/panel_parts.h"
#include "ui/widgets/splitter.h"

namespace meshreel {

namespace {

constexpr int filmUnits = 1000;  ///< of the progress bar
constexpr int summaryLines = 2;
constexpr int leastEditorWidth = 250;
constexpr int leastPlayerHeight = 140;
constexpr int firstEditorWidth = 400;
constexpr int firstPlayerWidth = 440;

/// A stack that may be as low as its pages: with a height for its width it would ask for what they prefer.
class LowStack : public QStackedWidget {
  public:
    using QStackedWidget::QStackedWidget;
    [[nodiscard]] bool hasHeightForWidth() const override { return false; }
};

/// Names what a film's clip is made of: two films of one mark look the same.
QString clipMark(const FilmOutlook& film) {
    QString mark = film.video ? QString::fromStdString(film.video->string()) : QString();
    for (const PlannedShot& shot : film.plan.shots) {
        const bool isMade = shot.state == ShotState::Made;
        mark += QStringLiteral("\n%1 %2").arg(
            isMade ? QString::fromStdString(shot.folder.string()) : QString(),
            QString::number(static_cast<qlonglong>(isMade ? shot.sharedFrames : 0)));
    }
    return mark;
}

}  // namespace

StoryboardPanel::StoryboardPanel(StoryboardDocument& document, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_watch(document),
      m_model(document, m_watch, nullptr),
      m_stage(new LowStack(this)),
      m_empty(
          new EmptyState(tr("A film of several shots: each has its own prompt and pictures, and can go on "
                            "from the one before. Only shots that changed are made again."),
                         this)),
      m_strip(new StoryboardStrip(m_model, this)),
      m_editor(new ShotEditor(document, m_watch, this)),
      m_player(new PlayerWidget(this)),
      m_problems(new QLabel(this)),
      m_summary(new ClampedText(summaryLines, this)),
      m_progress(new QProgressBar(this)),
      m_make(new QPushButton(themedIcon(QStringLiteral("play")), tr("Make what changed"), this)),
      m_cancel(new QPushButton(themedIcon(QStringLiteral("cancel")), tr("Cancel"), this)) {
    makeActions();
    connect(m_empty->addButton(themedIcon(QStringLiteral("document-new")), tr("New storyboard")),
            &QPushButton::clicked, this, &StoryboardPanel::newRequested);
    connect(m_empty->addButton(themedIcon(QStringLiteral("document-open")), tr("Open a storyboard…")),
            &QPushButton::clicked, this, &StoryboardPanel::openRequested);

    auto* scroll = new QScrollArea(this);
    scroll->setWidget(m_editor);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setMinimumWidth(leastEditorWidth);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_player->setMinimumHeight(leastPlayerHeight);
    auto* parts = new Splitter(Qt::Horizontal, this);
    parts->addPart(scroll, tr("Shot"));
    parts->addPart(m_player, tr("Film"));
    parts->setFirstSizes({firstEditorWidth, firstPlayerWidth});
    parts->setStretchFactor(1, 1);
    parts->setChildrenCollapsible(false);

    m_problems->setTextFormat(Qt::PlainText);
    m_problems->setWordWrap(true);
    m_problems->setContentsMargins(panelMargin, tightSpacing, panelMargin, tightSpacing);
    auto* page = new QWidget(this);
    auto* rows = new QVBoxLayout(page);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(0);
    rows->addWidget(makeTools());
    rows->addWidget(m_problems);
    rows->addWidget(m_strip);
    rows->addWidget(parts, 1);
    rows->addWidget(makeFooter());
    m_stage->addWidget(m_empty);
    m_stage->addWidget(page);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->addWidget(m_stage);

    connectStrip();
    connect(&m_document, &StoryboardDocument::changed, this, &StoryboardPanel::refresh);
    connect(&m_document, &StoryboardDocument::modifiedChanged, this, &StoryboardPanel::refreshActions);
    connect(&m_document, &StoryboardDocument::refused, this, &StoryboardPanel::wentWrong);
    connect(&m_document, &StoryboardDocument::shotEdited, m_strip, &StoryboardStrip::choose);
    connect(&m_watch, &FilmWatch::changed, this, &StoryboardPanel::refresh);
    connect(&m_player->playback(), &Playback::positionChanged, this,
            [this](int frame) { m_model.setPlaying(m_film.shotAt(frame)); });
    refresh();
    tabAsLaidOut(*this);
}

StoryboardPanel::~StoryboardPanel() {
    // What is left of it shall hear nothing when its parts end.
    m_strip->disconnect(this);
    m_player->playback().disconnect(this);
}

QAction* StoryboardPanel::makeAction(const char* icon, const QString& text, const QString& tip) {
    auto* action = new QAction(themedIcon(QLatin1String(icon)), text, this);
    action->setToolTip(tip);
    connect(action, &QAction::triggered, m_editor, &ShotEditor::writeName);  // it may have the focus still
    return action;
}

void StoryboardPanel::makeActions() {
    m_actions = {
        .add = makeAction("add", tr("Add shot"), tr("Add a shot behind this one")),
        .duplicate = makeAction("edit-copy", tr("Duplicate shot"), tr("Duplicate this shot (Ctrl+D)")),
        .left = makeAction("previous", tr("Move shot to the left"),
                           tr("Move this shot before the one before (Alt+Left)")),
        .right = makeAction("next", tr("Move shot to the right"),
                            tr("Move this shot behind the next one (Alt+Right)")),
        .remove = makeAction("trash", tr("Remove shot"), tr("Remove this shot (Delete)")),
        .share = makeAction("use-project", tr("Use the project's settings"),
                            tr("Let all shots have the model, size and other settings of the open project. A "
                               "prompt and pictures that all shots share are removed.")),
        .save = makeAction("document-save", tr("Save storyboard"), tr("Save the storyboard (Ctrl+S here)"))};
    connect(m_actions.add, &QAction::triggered, this, [this] {
        m_document.add(m_strip->chosen() + 1);
        m_editor->focusPrompt();
    });
    connect(m_actions.duplicate, &QAction::triggered, this,
            [this] { m_document.duplicate(m_strip->chosen()); });
    connect(m_actions.left, &QAction::triggered, this,
            [this] { m_document.move(m_strip->chosen(), m_strip->chosen() - 1); });
    connect(m_actions.right, &QAction::triggered, this,
            [this] { m_document.move(m_strip->chosen(), m_strip->chosen() + 1); });
    connect(m_actions.remove, &QAction::triggered, this, [this] { m_document.remove(m_strip->chosen()); });
    connect(m_actions.share, &QAction::triggered, this, &StoryboardPanel::shareRequested);
    connect(m_actions.save, &QAction::triggered, this, &StoryboardPanel::saveRequested);
}

QWidget* StoryboardPanel::makeTools() {
    auto* bar = new PanelToolBar(this);
    bar->setAccessibleName(tr("Tools of the storyboard"));
    bar->addAction(m_actions.add);
    bar->addActions({m_actions.duplicate, m_actions.left, m_actions.right, m_actions.remove});
    bar->addSeparator();
    bar->addActions({m_actions.share, m_actions.save});
    if (auto* add = qobject_cast<QToolButton*>(bar->widgetForAction(m_actions.add)))
        add->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    return bar;
}

QWidget* StoryboardPanel::makeFooter() {
    auto* footer = new QWidget(this);
    auto* row = new QHBoxLayout(footer);
    row->setContentsMargins(panelMargin, tightSpacing, panelMargin, tightSpacing);
    row->setSpacing(spacing);
    m_progress->setRange(0, filmUnits);
    m_progress->setTextVisible(false);
    m_progress->setAccessibleName(tr("Progress of the film"));
    m_progress->hide();
    m_cancel->setToolTip(tr("What is done of the shot is kept: making the film goes on from there."));
    m_cancel->hide();
    auto* words = new QVBoxLayout;
    words->setSpacing(tightSpacing);
    words->addWidget(m_summary);
    words->addWidget(m_progress);
    row->addLayout(words, 1);
    row->addWidget(m_cancel);
    row->addWidget(m_make);
    connect(m_make, &QPushButton::clicked, this, &StoryboardPanel::makeRequested);
    connect(m_cancel, &QPushButton::clicked, this, &StoryboardPanel::cancelRequested);
    return footer;
}

void StoryboardPanel::connectStrip() {
    connect(m_strip, &StoryboardStrip::chosenChanged, this, &StoryboardPanel::showChosen);
    connect(m_strip, &StoryboardStrip::moveRequested, &m_document, &StoryboardDocument::move);
    connect(m_strip, &StoryboardStrip::removeRequested, &m_document, &StoryboardDocument::remove);
    connect(m_strip, &StoryboardStrip::duplicateRequested, &m_document, &StoryboardDocument::duplicate);
    connect(m_strip, &StoryboardStrip::playRequested, this, &StoryboardPanel::play);
    connect(m_strip, &StoryboardStrip::editRequested, m_editor, &ShotEditor::focusPrompt);
}

bool StoryboardPanel::event(QEvent* event) {
    // Here Ctrl+S is about the storyboard; anywhere else it saves the project.
    const bool isKey = event->type() == QEvent::ShortcutOverride || event->type() == QEvent::KeyPress;
    if (isKey && m_document.isOpen() && static_cast<QKeyEvent*>(event)->matches(QKeySequence::Save)) {
        if (event->type() == QEvent::KeyPress)
            emit saveRequested();
        event->accept();
        return true;
    }
    return QWidget::event(event);
}

void StoryboardPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    m_watch.lookAgain();  // other programs make films, too
}

void StoryboardPanel::showChosen(int shot) {
    m_editor->showShot(shot);
    if (shot >= 0 && static_cast<std::size_t>(shot) < m_film.begins.size() && !m_film.clip.isEmpty() &&
        !m_player->playback().isPlaying())
        m_player->playback().seek(m_film.begins[static_cast<std::size_t>(shot)]);
    refreshActions();
}

void StoryboardPanel::play() {
    m_playsWhenRead = false;
    if (m_player->playback().isPlaying())
        m_player->playback().pause();
    else
        readClip(true);
}

void StoryboardPanel::readClip(bool thenPlay) {
    const FilmOutlook* film = m_watch.outlook();
    if (film == nullptr)
        return;
    m_playsWhenRead = m_playsWhenRead || thenPlay;
    const QString mark = clipMark(*film);
    if (mark == m_wantedClip) {  // it is in the player, or on its way
        if (!m_isReading && std::exchange(m_playsWhenRead, false) && !m_film.clip.isEmpty())
            m_player->playback().play();
        return;
    }
    m_wantedClip = mark;
    m_unreadableClip.clear();
    m_isReading = true;
    m_reading.run([film = *film] { return readFilmClip(film); },
                  [this](FilmClip read) { showClip(std::move(read)); },
                  [this, mark](const Problem& problem) {
                      m_playsWhenRead = false;
                      showClip({});
                      m_wantedClip.clear();
                      m_unreadableClip = mark;
                      emit wentWrong(problem);
                  });
}

void StoryboardPanel::showClip(FilmClip film) {
    m_isReading = false;
    m_film = std::move(film);
    m_model.setPlaying(-1);
    m_player->setClip(m_film.clip);
    if (std::exchange(m_playsWhenRead, false) && !m_film.clip.isEmpty())
        m_player->playback().play();
}

void StoryboardPanel::setObstacle(const QString& reason) {
    m_obstacle = reason;
    refreshSummary();
}

void StoryboardPanel::setMaking(bool making) {
    if (making == m_isMaking)
        return;
    m_isMaking = making;
    m_progress->setValue(0);
    m_before = making && m_watch.outlook() != nullptr ? m_watch.outlook()->plan : FilmPlan();
    m_made.reset();
    m_part = 0;
    if (!making)
        m_watch.lookAgain();
    refresh();
}

void StoryboardPanel::follow(const std::vector<StudioEvent>& events) {
    if (!m_isMaking)
        return;
    for (const StudioEvent& happened : events)
        handle(
            happened.event, [this](const FolderReady& ready) { beginShot(ready.folder); },
            [this](const Progress& progress) { m_part = progress.fraction; });
    showProgress();
}

void StoryboardPanel::beginShot(const std::filesystem::path& run) {
    if (m_before.shots.empty() && m_watch.outlook() != nullptr)
        m_before = m_watch.outlook()->plan;
    const auto found = std::ranges::find_if(
        m_before.shots, [&run](const PlannedShot& shot) { return shot.folder.filename() == run.filename(); });
    m_made = found == m_before.shots.end()
                 ? std::nullopt
                 : std::optional(static_cast<std::size_t>(found - m_before.shots.begin()));
    m_part = 0;
    m_watch.lookAgain();  // the one before is made
}

/// The shot that is made may have another place by now.
void StoryboardPanel::showProgress() {
    int row = -1;
    for (int shot = 0; m_made && shot < m_document.count() && row < 0; ++shot)
        if (const PlannedShot* planned = m_watch.planned(shot);
            planned != nullptr && planned->folder == m_before.shots[*m_made].folder)
            row = shot;
    m_model.setMaking(row, m_part);
    m_progress->setValue(m_made ? static_cast<int>(std::lround(m_before.share(*m_made, m_part) * filmUnits))
                                : 0);
    refreshSummary();
}

void StoryboardPanel::refreshShared() {
    const std::vector<Problem> problems = m_watch.problemsOf(-1);
    QStringList lines;
    for (const Problem& problem : problems)
        lines += storyboardProblemText(problem);
    m_problems->setText(lines.join(QLatin1Char('\n')));
    m_problems->setVisible(!problems.empty());
    keepInk(*m_problems, hasErrors(problems) ? errorColor : warningColor);
}

QString StoryboardPanel::planText() const {
    const FilmOutlook* film = m_watch.outlook();
    if (film == nullptr)
        return tr("The film is being checked.");
    const FilmPlan& plan = film->plan;
    if (plan.shots.empty())
        return {};
    constexpr int digits = 2;
    QStringList parts{
        tr("Film: %1 s", "seconds")
            .arg(QLocale().toString(static_cast<double>(plan.shownFrames()) / plan.shots.front().project.fps,
                                    'f', digits))};
    if (plan.left() == 0)
        parts += film->video ? tr("everything is made") : tr("its shots are made, but not joined");
    else
        parts += tr("to make: %1 of %2", "numbers of shots").arg(plan.left()).arg(plan.shots.size());
    if (plan.left() > 0) {
        const std::optional<PredictedSeconds> time = plan.timeLeft();
        parts += time ? predictedText(*time) : tr("time not known");
        if (const std::uint64_t bytes = plan.memoryBytes(); bytes > 0)
            parts += tr("%1 of memory", "bytes").arg(QString::fromStdString(formatBytes(bytes)));
    }
    return parts.join(QStringLiteral(" · "));
}

QString StoryboardPanel::whyNotMade() const {
    const FilmOutlook* film = m_watch.outlook();
    if (!m_obstacle.isEmpty())
        return m_obstacle;
    if (film == nullptr)
        return tr("The film is being checked.");
    if (hasErrors(m_watch.problemsOf(-1)))
        return tr("What all shots share must be mended first: see above the shots.");
    if (m_watch.hasErrors())
        return tr("Shots marked red cannot be made yet.");
    if (film->plan.left() == 0 && film->video)
        return tr("Everything is made: change a shot first.");
    return {};
}

QString StoryboardPanel::summary() const {
    return m_summary->text();
}

void StoryboardPanel::refreshSummary() {
    if (m_isMaking) {
        m_summary->setText(!m_made
                               ? tr("The film is being made.")
                               : tr("Shot %1 of %2: %3", "number, number of shots, name")
                                     .arg(*m_made + 1)
                                     .arg(m_before.shots.size())
                                     .arg(visibleText(QString::fromStdString(m_before.shots[*m_made].name))));
    } else {
        m_summary->setText(planText());
    }
    m_progress->setVisible(m_isMaking);
    m_cancel->setVisible(m_isMaking);
    m_make->setVisible(!m_isMaking);
    const QString why = whyNotMade();
    const FilmOutlook* film = m_watch.outlook();
    const bool onlyJoins = film != nullptr && film->plan.left() == 0 && !film->video;
    const bool goesOn = film != nullptr && std::ranges::find(film->plan.shots, ShotState::Begun,
                                                             &PlannedShot::state) != film->plan.shots.end();
    m_make->setText(onlyJoins ? tr("Join the shots") : goesOn ? tr("Go on") : tr("Make what changed"));
    m_make->setEnabled(why.isEmpty());
    m_make->setToolTip(why.isEmpty() ? tr("Make the shots that are not made as they are now, and join all")
                                     : why);
}

void StoryboardPanel::refreshActions() {
    const int shot = m_strip->chosen();
    const int count = m_document.count();
    m_actions.duplicate->setEnabled(shot >= 0);
    m_actions.left->setEnabled(shot > 0);
    m_actions.right->setEnabled(shot >= 0 && shot + 1 < count);
    m_actions.remove->setEnabled(shot >= 0 && count > 1);
    m_actions.save->setEnabled(m_document.isModified() || m_document.file().empty());
}

void StoryboardPanel::refresh() {
    m_stage->setCurrentIndex(m_document.isOpen() ? 1 : 0);
    if (m_strip->chosen() < 0 && m_document.count() > 0)
        m_strip->choose(0);
    refreshShared();
    const FilmOutlook* film = m_watch.outlook();
    const bool hasClips = film != nullptr && std::ranges::find(film->plan.shots, ShotState::Made,
                                                               &PlannedShot::state) != film->plan.shots.end();
    m_player->setPlaceholder(hasClips ? tr("Space plays the shots that are made.")
                                      : tr("No shot is made yet."));
    if (film != nullptr && !m_isMaking && isVisible() && clipMark(*film) != m_unreadableClip)
        readClip(false);
    showProgress();
    refreshActions();
}

}  // namespace meshreel

#include "moc_storyboard_panel.cpp"
