// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/rating/rate_dialog.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QRandomGenerator>
#include <QScrollArea>
#include <QShortcut>
#include <QSignalBlocker>
#include <QSlider>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>

#include "engine/base/error.h"
#include "engine/media/video_reader.h"
#include "engine/runs/records/pair_ranking.h"
#include "engine/runs/run_folder.h"
#include "engine/runs/run_record_reader.h"
#include "ui/compare/clip_comparer.h"
#include "ui/compare/comparison.h"
#include "ui/rating/ranking_view.h"
#include "ui/theme/look.h"
#include "ui/values/engine_texts.h"
#include "ui/widgets/accessibility.h"
#include "ui/widgets/panel_parts.h"

namespace meshreel {

namespace {

constexpr double shareOfWindow = 0.92;
constexpr QSize leastDialog{560, 420};
constexpr int promptLines = 2;
constexpr int voteHeight = 44;
constexpr int rankingMargin = 24;
constexpr int mostRankingWidth = 980;
/// A larger pair is shown alone: the next one is read when it has gone.
constexpr qsizetype mostPreparedBytes = qsizetype{400} << 20;

Clip readRatedClip(const std::filesystem::path& folder) {
    const RunFolder run = RunFolder::open(folder);
    const auto video = run.openVideo();
    if (!video)
        throw Error(ErrorKind::Input, sentence("This run has no video"), {},
                    sentence("Resume it, or choose another one"));
    return toClip(video->readWith(readVideo), run.project().fps);
}

}  // namespace

double BlindPair::framesPerSecond() const {
    return std::max(left.framesPerSecond, right.framesPerSecond);
}

int BlindPair::length() const {
    return static_cast<int>(std::lround(std::max(left.seconds(), right.seconds()) * framesPerSecond()));
}

QImage BlindPair::pictureAt(const Clip& clip, int frame) const {
    constexpr double roundingSlack = 1e-6;
    const auto own =
        static_cast<qsizetype>(std::floor(frame * clip.framesPerSecond / framesPerSecond() + roundingSlack));
    return clip.frames.at(std::min(own, clip.frames.size() - 1));
}

qsizetype BlindPair::bytes() const {
    return left.frames.size() * left.frames.first().sizeInBytes() +
           right.frames.size() * right.frames.first().sizeInBytes();
}

RateDialog::RateDialog(QWidget* parent)
    : QDialog(parent),
      m_progress(new QLabel(this)),
      m_problem(new QLabel(this)),
      m_prompt(new ClampedText(promptLines, this)),
      m_showRanking(new QToolButton(this)),
      m_stage(new QStackedWidget(this)),
      m_view(new ClipPairView(this)),
      m_play(new QToolButton(this)),
      m_position(new QSlider(Qt::Horizontal, this)),
      m_left(new QPushButton(this)),
      m_neither(new QPushButton(this)),
      m_right(new QPushButton(this)),
      m_takeBack(new QToolButton(this)),
      m_skip(new QToolButton(this)),
      m_ranking(new RankingView(this)),
      m_rankingWords(new QLabel(this)),
      m_words(new EmptyState({}, this)) {
    setObjectName(QStringLiteral("rateDialog"));
    setWindowTitle(tr("Rate videos"));
    setModal(false);
    setMinimumSize(leastDialog);
    m_reading.setMostAtOnce(1);
    m_problem->setTextFormat(Qt::PlainText);
    m_problem->setWordWrap(true);
    m_problem->hide();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(panelMargin, spacing, panelMargin, panelMargin);
    column->setSpacing(spacing);
    m_stage->addWidget(m_words);
    m_pairPage = makePairPage();
    m_stage->addWidget(m_pairPage);
    m_rankingPage = new QScrollArea(this);
    m_stage->addWidget(m_rankingPage);
    column->addWidget(m_stage, 1);
    column->addWidget(m_problem);
    column->addWidget(makeTools());
    m_votes = makeVotes();
    column->addWidget(m_votes);
    auto* inner = new QWidget(this);
    auto* lines = new QVBoxLayout(inner);
    lines->setContentsMargins(rankingMargin, spacing, rankingMargin, spacing);
    lines->setSpacing(spacing);
    m_rankingWords->setTextFormat(Qt::PlainText);
    m_rankingWords->setWordWrap(true);
    m_ranking->setMaximumWidth(mostRankingWidth);
    lines->addWidget(m_rankingWords);
    lines->addWidget(m_ranking);
    lines->addStretch(1);
    auto* scroll = static_cast<QScrollArea*>(m_rankingPage);
    scroll->setWidgetResizable(true);
    scroll->setFocusPolicy(Qt::StrongFocus);
    scroll->setAccessibleName(tr("Ranking"));
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidget(inner);
    connect(&m_playback, &Playback::positionChanged, this, &RateDialog::showFrame);
    addKey(Qt::Key_1, &RateDialog::voteLeft);
    addKey(Qt::Key_Left, &RateDialog::voteLeft);
    addKey(Qt::Key_2, &RateDialog::voteRight);
    addKey(Qt::Key_Right, &RateDialog::voteRight);
    addKey(Qt::Key_0, &RateDialog::voteNeither);
    addKey(Qt::Key_Down, &RateDialog::voteNeither);
    addKey(Qt::Key_S, &RateDialog::skip);
    addKey(Qt::Key_Backspace, &RateDialog::takeBack);
    tabAsLaidOut(*this);
}

RateDialog::~RateDialog() = default;

/// Also while a button has the focus; held down it counts once.
void RateDialog::addKey(int key, void (RateDialog::*act)()) {
    auto* shortcut = new QShortcut(QKeySequence(key), this);
    shortcut->setAutoRepeat(false);
    connect(shortcut, &QShortcut::activated, this, act);
    m_voteKeys.push_back(shortcut);
}

QWidget* RateDialog::makeTools() {
    m_progress->setTextFormat(Qt::PlainText);
    m_showRanking->setIcon(themedIcon(QStringLiteral("compare")));
    m_showRanking->setText(tr("Ranking"));
    m_showRanking->setToolTip(tr("Show what the votes say of the settings so far"));
    m_showRanking->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_showRanking->setCheckable(true);
    m_showRanking->setFocusPolicy(Qt::TabFocus);
    m_skip->setIcon(themedIcon(QStringLiteral("step-forward")));
    m_skip->setText(tr("Skip"));
    m_skip->setToolTip(tr("Pass this pair over (S)"));
    m_takeBack->setIcon(themedIcon(QStringLiteral("edit-undo")));
    m_takeBack->setText(tr("Take back"));
    m_takeBack->setToolTip(tr("Take back the last vote, and see its pair again (Backspace)"));
    for (QToolButton* button : {m_skip, m_takeBack}) {
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        button->setAutoRaise(true);
        button->setFocusPolicy(Qt::TabFocus);
    }
    connect(m_showRanking, &QToolButton::toggled, this, [this](bool shown) {
        refresh();
        if (shown && m_session)
            m_rankingPage->setFocus();  // arrow keys scroll it
        if (!shown && m_shown) {
            m_playback.play();
            m_view->setFocus();
        }
    });
    connect(m_skip, &QToolButton::clicked, this, &RateDialog::skip);
    connect(m_takeBack, &QToolButton::clicked, this, &RateDialog::takeBack);
    auto* tools = new QWidget(this);
    auto* row = new QHBoxLayout(tools);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(spacing);
    row->addWidget(m_progress, 1);
    row->addWidget(m_takeBack);
    row->addWidget(m_skip);
    row->addWidget(m_showRanking);
    return tools;
}

QWidget* RateDialog::makePairPage() {
    m_view->setNames(QStringLiteral("1"), QStringLiteral("2"));
    m_view->setToolTip(tr("The wheel zooms both, dragging moves, a double click fits"));
    m_view->setAccessibleDescription(m_view->toolTip());
    auto* page = new QWidget(this);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(tightSpacing);
    column->addWidget(m_prompt);
    column->addWidget(m_view, 1);
    column->addWidget(makeTransport());
    return page;
}

QWidget* RateDialog::makeTransport() {
    m_play->setAutoRaise(true);
    m_play->setFocusPolicy(Qt::TabFocus);
    m_position->setAccessibleName(tr("Position in the videos"));
    m_position->setToolTip(tr("Drag to go to a frame of both"));
    m_position->setFocusPolicy(Qt::NoFocus);  // its keys vote
    connect(m_play, &QToolButton::clicked, &m_playback, &Playback::toggle);
    connect(m_position, &QSlider::valueChanged, &m_playback, &Playback::seek);
    const auto showPlaying = [this](bool playing) {
        m_play->setIcon(themedIcon(playing ? QStringLiteral("pause") : QStringLiteral("play")));
        const QString name = playing ? tr("Pause") : tr("Play");
        m_play->setAccessibleName(name);
        m_play->setToolTip(tr("%1 (%2)", "action and its key").arg(name, tr("Space")));
    };
    connect(&m_playback, &Playback::playingChanged, this, showPlaying);
    showPlaying(false);
    auto* transport = new QWidget(this);
    transport->setLayoutDirection(Qt::LeftToRight);  // time runs to the right, whatever the language
    auto* row = new QHBoxLayout(transport);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(m_play);
    row->addWidget(m_position, 1);
    return transport;
}

QWidget* RateDialog::makeVotes() {
    struct Choice {
        QPushButton* button;
        QString text;
        QString help;
        void (RateDialog::*act)();
    };
    auto* votes = new QWidget(this);
    votes->setLayoutDirection(Qt::LeftToRight);  // as the videos stand
    auto* row = new QHBoxLayout(votes);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(spacing);
    for (const Choice& choice :
         {Choice{m_left, tr("1  Left is better"), tr("1 or the left arrow"), &RateDialog::voteLeft},
          Choice{m_neither, tr("0  No difference"), tr("0 or the down arrow"), &RateDialog::voteNeither},
          Choice{m_right, tr("2  Right is better"), tr("2 or the right arrow"), &RateDialog::voteRight}}) {
        choice.button->setText(choice.text);
        choice.button->setToolTip(choice.help);
        choice.button->setAutoDefault(false);
        choice.button->setMinimumHeight(voteHeight);
        connect(choice.button, &QPushButton::clicked, this, choice.act);
        row->addWidget(choice.button, 1);
    }
    return votes;
}

QPushButton& RateDialog::voteButton(Better better) const {
    return *std::array{m_left, m_right, m_neither}.at(static_cast<std::size_t>(better));
}

QString RateDialog::progress() const {
    return m_progress->text();
}

QString RateDialog::obstacle() const {
    return m_stage->currentWidget() == m_words ? m_words->sentence() : QString();
}

void RateDialog::rate(const std::vector<std::filesystem::path>& folders) {
    leave();
    m_showRanking->setChecked(false);
    m_words->setSentence(tr("Reading the runs …"));
    refresh();
    if (!isVisible()) {
        if (const QWidget* window = parentWidget() == nullptr ? nullptr : parentWidget()->window())
            resize(window->size() * shareOfWindow);
        show();
    }
    raise();
    activateWindow();
    m_beginning.run(
        [folders, lot = QRandomGenerator::global()->generate64()] {
            std::vector<Error> unread;
            std::vector<JudgedRun> runs = readEach(
                folders,
                [](const std::filesystem::path& folder) { return std::vector{readJudgedRun(folder)}; },
                unread);
            return std::pair(RatingSession(std::move(runs), lot), unread.size());
        },
        [this](std::pair<RatingSession, std::size_t> read) {
            m_broken = read.second;
            begin(std::move(read.first));
        },
        [this](const Problem& problem) { refuse(problem); });
}

void RateDialog::begin(RatingSession session) {
    m_session = std::move(session);
    m_words->setSentence(tr("Reading the videos …"));
    rank();
    refresh();
}

void RateDialog::rank() {
    m_ranked.reset();
    m_rankingWork.run(
        [rated = m_session->sharedRated(), votes = m_session->votes()] { return rated->rank(votes); },
        [this](PairRanking ranked) {
            m_ranked = std::move(ranked);
            showRanking();
            prepare();
            refresh();
        },
        [this](const Problem& problem) { refuse(problem); });
}

void RateDialog::refuse(const Problem& problem) {
    m_words->setSentence(wholeText(problem));
    refresh();
}

/// Draws the pair behind the one that is shown, so that its videos are there when they are wanted.
void RateDialog::prepare() {
    const bool isLarge = m_shown && m_shown->bytes() > mostPreparedBytes;
    if (!m_ranked || m_isPreparing || !m_ready.empty() || isLarge)
        return;
    const std::optional<RunPair> pair = m_session->draw(*m_ranked);
    if (pair) {
        m_isPreparing = true;
        read(*pair, false);
    } else if (!m_shown) {
        m_words->setSentence(tr("None of the videos can be shown beside another one."));
    }
}

RateDialog::PairReading RateDialog::readPair(const RunPair& pair, const std::filesystem::path& left,
                                             const std::filesystem::path& right) {
    PairReading reading{.pair = BlindPair{.pair = pair, .left = {}, .right = {}}, .problem = {}};
    for (const auto& [run, folder, clip] : {std::tuple(pair.left, &left, &reading.pair->left),
                                            std::tuple(pair.right, &right, &reading.pair->right)})
        try {
            *clip = readRatedClip(*folder);
        } catch (...) {
            return {.pair = {}, .broken = run, .problem = currentProblem()};
        }
    return reading;
}

void RateDialog::read(const RunPair& pair, bool first) {
    const std::vector<JudgedRun>& runs = m_session->rated().runs();
    m_reading.run([pair, left = runs[pair.left].folder,
                   right = runs[pair.right].folder] { return readPair(pair, left, right); },
                  [this, first, round = m_round](PairReading reading) {
                      if (round == m_round)
                          take(std::move(reading), first);
                  },
                  [this, round = m_round](const Problem& problem) {
                      if (round == m_round)
                          refuse(problem);
                  });
}

void RateDialog::take(PairReading reading, bool first) {
    (first ? m_isTakingBack : m_isPreparing) = false;
    if (reading.pair) {
        if (first)
            m_ready.push_front(*std::move(reading.pair));
        else
            m_ready.push_back(*std::move(reading.pair));
    } else {
        m_session->leaveOut(reading.broken);
        ++m_broken;
    }
    showNext();
    prepare();
    refresh();
}

void RateDialog::showNext() {
    if (m_shown || m_isTakingBack || m_ready.empty())
        return;
    m_shown = std::move(m_ready.front());
    m_ready.pop_front();
    m_session->see(m_shown->pair);
    const std::vector<JudgedRun>& runs = m_session->rated().runs();
    const JudgedRun& left = runs[m_shown->pair.left];
    const JudgedRun& right = runs[m_shown->pair.right];
    m_prompt->setText(left.project.prompt == right.project.prompt
                          ? visibleText(QString::fromStdString(left.project.prompt))
                          : tr("These videos have two prompts."));
    {
        const QSignalBlocker blocker(m_position);
        m_position->setRange(0, std::max(m_shown->length() - 1, 0));
    }
    m_playback.setLength(m_shown->length(), m_shown->framesPerSecond());
    m_view->setMode(ClipPairView::Mode::SideBySide);  // also fits
    showFrame(0);
    m_playback.play();
    refresh();
    m_view->setFocus();
    emit pairShown();
}

void RateDialog::showFrame(int frame) {
    if (!m_shown)
        return;
    m_view->setPictures(m_shown->pictureAt(m_shown->left, frame), m_shown->pictureAt(m_shown->right, frame),
                        {});
    const QSignalBlocker blocker(m_position);
    m_position->setValue(frame);
}

void RateDialog::vote(Better better) {
    if (!m_shown || m_showRanking->isChecked())
        return;
    try {
        m_session->vote(m_shown->pair, better);
        m_problem->hide();
        rank();
    } catch (...) {
        const Problem problem = currentProblem();
        m_problem->setText(wholeText(problem));
        m_problem->show();
        return;
    }
    skip();
    emit voted();
}

void RateDialog::skip() {
    if (!m_shown || m_showRanking->isChecked())
        return;
    m_playback.pause();
    m_shown.reset();
    m_words->setSentence(tr("Reading the videos …"));
    showNext();
    prepare();
    refresh();
}

void RateDialog::takeBack() {
    if (!m_session || m_isTakingBack || m_showRanking->isChecked())
        return;
    try {
        const std::optional<RunPair> pair = m_session->takeBack();
        if (!pair)
            return;
        m_problem->hide();
        rank();
        m_playback.pause();
        if (m_shown) {
            m_session->putBack(m_shown->pair);
            m_ready.push_front(*std::exchange(m_shown, std::nullopt));
        }
        m_isTakingBack = true;
        m_words->setSentence(tr("Reading the videos …"));
        read(*pair, true);
    } catch (...) {
        const Problem problem = currentProblem();
        m_problem->setText(wholeText(problem));
        m_problem->show();
        return;
    }
    refresh();
    emit voted();
}

void RateDialog::refresh() {
    const bool rankingShown = m_showRanking->isChecked() && m_session.has_value();
    m_stage->setCurrentWidget(rankingShown ? m_rankingPage : m_shown ? m_pairPage : m_words);
    for (QPushButton* button : {m_left, m_neither, m_right})
        button->setEnabled(m_shown.has_value() && !rankingShown);
    m_skip->setEnabled(m_shown.has_value() && !rankingShown);
    m_takeBack->setEnabled(m_session && m_session->canTakeBack() && !m_isTakingBack && !rankingShown);
    m_showRanking->setEnabled(m_session.has_value());
    m_votes->setVisible(!rankingShown && m_session.has_value());
    for (QShortcut* key : m_voteKeys)
        key->setEnabled(!rankingShown);
    if (rankingShown)
        m_playback.pause();
    if (!m_session) {
        m_progress->clear();
        return;
    }
    const std::size_t pairs = m_session->pairs();
    const auto judged = static_cast<int>(m_session->votes().size());
    QStringList parts{tr("%n votes", nullptr, judged),
                      m_session->unseen() == 0
                          ? tr("every pair was seen: further votes narrow the intervals")
                          : tr("%1 of %2 pairs seen")
                                .arg(QLocale().toString(static_cast<qulonglong>(pairs - m_session->unseen())),
                                     QLocale().toString(static_cast<qulonglong>(pairs)))};
    if (const std::size_t out = m_session->leftOut() + m_broken; out > 0)
        parts += tr("%n runs without a video that can be shown are left out", nullptr, static_cast<int>(out));
    m_progress->setText(parts.join(QStringLiteral(" · ")));
}

void RateDialog::showRanking() {
    std::vector<RankingLine> lines;
    for (const std::size_t setting : m_ranked->order())
        lines.push_back({settingLabel(m_session->rated().settings()[setting]), m_ranked->items()[setting]});
    m_ranking->setLines(std::move(lines));
    m_rankingWords->setText(
        m_session->votes().empty() ? tr("There are no votes yet.")
        : m_ranked->groups() > 1
            ? tr("How often each setting is preferred to another one of its group, and the range that holds "
                 "the "
                 "true share in nine of ten cases. Settings of different groups were never compared: dotted "
                 "lines "
                 "part them.")
            : tr("How often each setting is preferred to another one, and the range that holds the true "
                 "share in "
                 "nine of ten cases. Places whose ranges overlap are not decided: more votes narrow them."));
}

/// Everything of an earlier call.
void RateDialog::leave() {
    ++m_round;
    m_beginning.forget();
    m_reading.dropWaiting();
    m_playback.pause();
    m_playback.setLength(0, 1);
    m_shown.reset();
    m_ready.clear();
    m_session.reset();
    m_ranked.reset();
    m_rankingWork.forget();
    m_ranking->setLines({});
    m_isPreparing = m_isTakingBack = false;
    m_broken = 0;
    m_problem->hide();
    m_view->setPictures({}, {}, {});
}

void RateDialog::done(int result) {
    leave();
    QDialog::done(result);
}

void RateDialog::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Space && event->modifiers() == Qt::NoModifier && m_shown &&
        !m_showRanking->isChecked())
        m_playback.toggle();
    else
        QDialog::keyPressEvent(event);
}

}  // namespace meshreel

#include "moc_rate_dialog.cpp"
