// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/run_preview.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <string>

#include "engine/base/held_file.h"
#include "engine/base/paths.h"
#include "engine/base/problem.h"
#include "engine/project/project_keys.h"
#include "ui/player/frame_view.h"
#include "ui/player/player_widget.h"
#include "ui/theme/look.h"
#include "ui/values/engine_texts.h"
#include "ui/values/opened_run.h"
#include "ui/values/pictures.h"
#include "ui/widgets/accessibility.h"
#include "ui/widgets/panel_parts.h"

namespace meshreel {

QString settingsText(const RunState& state) {
    QStringList lines;
    for (const std::string& setting : state.settings) {
        const std::size_t equals = setting.find('=');
        const ProjectKey* key = findProjectKey(setting.substr(0, equals));
        if (key != nullptr && equals != std::string::npos)
            lines += RunPreview::tr("%1: %2", "setting and its value")
                         .arg(distinctTitle(*key),
                              visibleText(QString::fromStdString(setting.substr(equals + 1))).simplified());
    }
    return lines.join(QLatin1Char('\n'));
}

namespace {

constexpr double shareOfWindow = 0.86;
constexpr QSize leastPreview{420, 360};
constexpr int settingLines = 5;
constexpr int previewTitleLines = 2;

}  // namespace

RunPreview::RunPreview(QWidget* parent)
    : QDialog(parent),
      m_title(new ClampedText(previewTitleLines, this)),
      m_facts(new QLabel(this)),
      m_place(new QLabel(this)),
      m_player(new PlayerWidget(this)),
      m_settings(new QPlainTextEdit(this)),
      m_back(addStep("previous", tr("Previous run"), tr("Left arrow"), -1)),
      m_forward(addStep("next", tr("Next run"), tr("Right arrow"), 1)),
      m_star(new QToolButton(this)),
      m_open(new QPushButton(themedIcon(QStringLiteral("play")), tr("Open"), this)) {
    setObjectName(QStringLiteral("runPreview"));
    setWindowTitle(tr("Preview of a run"));
    setModal(false);
    QFont font = m_title->font();
    font.setBold(true);
    m_title->setFont(font);
    m_facts->setTextFormat(Qt::PlainText);
    m_facts->setWordWrap(true);
    m_place->setTextFormat(Qt::PlainText);
    m_settings->setReadOnly(true);
    m_settings->setFrameShape(QFrame::NoFrame);
    m_settings->setTabChangesFocus(true);
    m_settings->setAccessibleName(tr("Settings of the run"));
    m_settings->setFixedHeight(settingLines * fontMetrics().lineSpacing() + spacing);
    m_star->setAutoRaise(true);
    m_star->setCheckable(true);
    m_star->setFocusPolicy(Qt::TabFocus);
    m_open->setToolTip(tr("Show the chart, summary and video of the run"));
    m_open->setAutoDefault(false);
    layOut();
    m_player->view().installEventFilter(this);
    connect(m_star, &QToolButton::clicked, this, [this] { emit starRequested(m_folder); });
    connect(m_open, &QPushButton::clicked, this, [this] { emit openRequested(m_folder); });
    tabAsLaidOut(*this);
}

QToolButton* RunPreview::addStep(const char* icon, const QString& name, const QString& key, int by) {
    auto* button = new QToolButton(this);
    button->setIcon(themedIcon(QLatin1String(icon)));
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    button->setAccessibleName(name);
    button->setToolTip(tr("%1 (%2)", "action and its key").arg(name, key));
    connect(button, &QToolButton::clicked, this, [this, by] { emit stepRequested(by); });
    return button;
}

void RunPreview::layOut() {
    auto* words = new QVBoxLayout;
    words->setSpacing(tightSpacing);
    words->addWidget(m_title);
    words->addWidget(m_facts);
    auto* footer = new QHBoxLayout;
    footer->setSpacing(spacing);
    for (QWidget* control : std::initializer_list<QWidget*>{m_back, m_place, m_forward, m_star})
        footer->addWidget(control);
    footer->addStretch(1);
    footer->addWidget(m_open);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(panelMargin, spacing, panelMargin, spacing);
    column->setSpacing(spacing);
    column->addLayout(words);
    column->addWidget(m_player, 1);
    column->addWidget(m_settings);
    column->addLayout(footer);
    setMinimumSize(leastPreview);
}

void RunPreview::showRun(const RunSummary& run, int place, int count) {
    const QString folder = QString::fromStdString(run.folder.string());
    m_place->setText(
        tr("%1 of %2", "numbers of runs").arg(locale().toString(place), locale().toString(count)));
    m_back->setEnabled(place > 1);
    m_forward->setEnabled(place < count);
    showStar(run.notes.star);
    if (!isVisible()) {
        if (const QWidget* window = parentWidget() == nullptr ? nullptr : parentWidget()->window())
            resize(window->size() * shareOfWindow);
        show();
        m_player->view().setFocus();
    }
    m_facts->setText(run.problem.empty() ? stateSentence(run.state) : sentenceText(run.problem));
    if (folder == m_folder && run.video == m_video && run.previewTime == m_previewTime)
        return;
    m_folder = folder;
    m_video = run.video;
    m_previewTime = run.previewTime;
    const QString prompt = visibleText(QString::fromStdString(run.prompt));
    m_title->setText(prompt.isEmpty() ? visibleText(QString::fromStdString(run.name)) : prompt);
    m_settings->setPlainText(settingsText(run.state));
    m_player->setPlaceholder(run.video ? QString() : tr("This run has no video."));
    m_player->setClip({});
    if (run.preview)  // until the clip is read
        m_player->view().setImage(readSmallPicture(QString::fromStdString(run.preview->string()),
                                                   m_player->view().size(), Links::Refuse));
    m_reading.run([path = run.folder] { return openRun(path); },
                  [this](const OpenedRun& opened) { showOpened(opened); },
                  [this](const Problem& problem) {
                      m_facts->setText(wholeText(problem));
                      emit shown(m_folder);
                  });
}

void RunPreview::showOpened(const OpenedRun& run) {
    if (!run.clipProblem.isEmpty())
        m_facts->setText(run.clipProblem);
    if (!run.clip.isEmpty()) {
        m_player->setClip(run.clip);
        m_player->playback().play();
    }
    emit shown(m_folder);
}

void RunPreview::showStar(bool starred) {
    m_star->setChecked(starred);
    m_star->setIcon(themedIcon(starred ? QStringLiteral("star-full") : QStringLiteral("star")));
    const QString name = starred ? tr("Take the star away") : tr("Give a star");
    m_star->setAccessibleName(name);
    m_star->setToolTip(tr("%1 (%2)", "action and its key").arg(name, QStringLiteral("S")));
}

void RunPreview::done(int result) {
    m_reading.forget();
    m_folder.clear();
    m_player->setClip({});  // which may take as much memory as a run
    QDialog::done(result);
}

bool RunPreview::takeKey(const QKeyEvent& event) {
    if ((event.modifiers() & ~Qt::KeypadModifier) != Qt::NoModifier)
        return false;
    const bool mirrored = isRightToLeft();
    switch (event.key()) {
        case Qt::Key_Left:
        case Qt::Key_Right: {
            const bool on = (event.key() == Qt::Key_Right) != mirrored;
            if ((on ? m_forward : m_back)->isEnabled())
                emit stepRequested(on ? 1 : -1);
            return true;
        }
        case Qt::Key_Space:
            reject();
            return true;
        case Qt::Key_S:
            emit starRequested(m_folder);
            return true;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            emit openRequested(m_folder);
            return true;
        default:
            return false;
    }
}

bool RunPreview::eventFilter(QObject* watched, QEvent* event) {
    return (event->type() == QEvent::KeyPress && takeKey(*static_cast<QKeyEvent*>(event))) ||
           QDialog::eventFilter(watched, event);
}

void RunPreview::keyPressEvent(QKeyEvent* event) {
    if (!takeKey(*event))
        QDialog::keyPressEvent(event);
}

}  // namespace meshreel

#include "moc_run_preview.cpp"
