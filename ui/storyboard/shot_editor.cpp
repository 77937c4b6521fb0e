// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/storyboard/shot_editor.h"

#include <QCheckBox>
#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStringList>
#include <QVBoxLayout>
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "engine/base/problem.h"
#include "engine/film/film_plan.h"
#include "engine/film/storyboard.h"
#include "engine/project/project.h"
#include "engine/project/project_keys.h"
#include "ui/project/project_document.h"
#include "ui/settings/key_field.h"
#include "ui/storyboard/film_watch.h"
#include "ui/storyboard/storyboard_document.h"
#include "ui/theme/look.h"
#include "ui/theme/plain_text.h"
#include "ui/values/engine_texts.h"
#include "ui/widgets/accessibility.h"
#include "ui/widgets/edits.h"

namespace meshreel {

namespace {

constexpr double mostSeconds = 3600;
constexpr double secondsPerArrow = 0.5;
constexpr double mostBlend = 1000;
constexpr int shotNumberWidth = 136;

QLabel* shotTitle(const QString& text, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    label->setTextFormat(Qt::PlainText);
    return label;
}

/// As a storyboard spells the text of a key: nothing of it where the text says nothing. A prompt is the
/// shot's own even when it is empty, so that the shared one does not come back under the writer's hands.
std::optional<std::string> writtenText(const ProjectKey& key, const QString& text) {
    if (text.isEmpty() && key.name != "prompt")
        return {};
    return text.toStdString();
}

}  // namespace

ShotEditor::ShotEditor(StoryboardDocument& document, FilmWatch& watch, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_watch(watch),
      m_name(new QLineEdit(this)),
      m_seconds(new NumberEdit(
          {.minimum = 0.1, .maximum = mostSeconds, .step = secondsPerArrow, .integer = false}, this)),
      m_continues(new QCheckBox(tr("Goes on from the shot before"), this)),
      m_blendTitle(shotTitle(tr("Frames in which the film passes over"), this)),
      m_blend(new NumberEdit({.minimum = 0, .maximum = mostBlend, .step = 1, .integer = true}, this)),
      m_problems(new QVBoxLayout) {
    setAccessibleName(tr("Shot"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(panelMargin, spacing, panelMargin, spacing);
    column->setSpacing(tightSpacing);
    m_problems->setSpacing(tightSpacing);
    column->addLayout(m_problems);
    addKey(*column, "prompt");
    column->addSpacing(tightSpacing);
    column->addWidget(makeLength());
    column->addSpacing(tightSpacing);
    column->addWidget(makeContinuation());
    for (const char* name : {"image", "last_image", "keyframes"}) {
        column->addSpacing(tightSpacing);
        addKey(*column, name);
    }
    column->addStretch(1);
    connect(&m_document, &StoryboardDocument::fileChanged, this, [this] { m_name->setModified(false); });
    connect(&m_document, &StoryboardDocument::changed, this, &ShotEditor::refresh);
    connect(&m_watch, &FilmWatch::changed, this, &ShotEditor::refresh);
    tabAsLaidOut(*this);
    refresh();
}

void ShotEditor::addKey(QVBoxLayout& column, std::string_view name) {
    const ProjectKey& key = *findProjectKey(name);
    const QString title = engineText(key.title);
    KeyField* field = KeyField::make(key, this);
    field->describe(title, engineText(key.help));
    field->setToolTip(asPlainText(engineText(key.help)));
    column.addWidget(shotTitle(title, this));
    column.addWidget(field);
    connect(field, &KeyField::edited, this, [this, &key](const QString& text) { setOwn(key, text, true); });
    connect(field, &KeyField::chosen, this, [this, &key](const QString& text) { setOwn(key, text, false); });
    if (QWidget* input = field->focusProxy())
        input->installEventFilter(this);
    m_keys.push_back({.key = &key, .field = field});
}

QWidget* ShotEditor::makeLength() {
    auto* line = new QWidget(this);
    auto* grid = new QGridLayout(line);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setSpacing(tightSpacing);
    grid->setHorizontalSpacing(spacing);
    grid->setColumnStretch(1, 1);
    const QString name = tr("Name");
    nameControl(*m_name, tr("Name of the shot"));
    m_name->setToolTip(tr("Letters, digits, '-', '_' and '.'; the folder of its run is called after it."));
    const QString seconds = tr("Seconds");
    nameControl(*m_seconds, seconds);
    m_seconds->setToolTip(tr("How long the film shows the shot. Empty: as long as all shots."));
    m_seconds->setFixedWidth(shotNumberWidth);
    const std::vector<std::pair<QString, QWidget*>> fields{{name, m_name}, {seconds, m_seconds}};
    for (const auto& [text, control] : fields) {
        QLabel* title = shotTitle(text, line);
        title->setBuddy(control);
        const int row = grid->rowCount();
        grid->addWidget(title, row, 0);
        grid->addWidget(control, row, 1, control == m_seconds ? Qt::AlignLeading : Qt::Alignment());
    }
    m_name->installEventFilter(this);
    m_seconds->installEventFilter(this);
    connect(m_name, &QLineEdit::editingFinished, this, &ShotEditor::writeName);
    connect(m_seconds, &NumberEdit::edited, this,
            [this, seconds](const QString& text) { setText(storyboard_key::seconds, seconds, text); });
    return line;
}

QWidget* ShotEditor::makeContinuation() {
    auto* line = new QWidget(this);
    auto* column = new QVBoxLayout(line);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(tightSpacing);
    m_continues->setToolTip(tr("It begins with the last frames of the shot before."));
    m_blendTitle->setBuddy(m_blend);
    m_blendTitle->setWordWrap(true);
    nameControl(*m_blend, m_blendTitle->text());
    m_blend->setToolTip(tr("Of those that both shots show; 0 cuts."));
    m_blend->setFixedWidth(shotNumberWidth);
    auto* row = new QHBoxLayout;
    row->setSpacing(spacing);
    row->addWidget(m_blend);
    row->addWidget(m_blendTitle, 1);
    column->addWidget(m_continues);
    column->addLayout(row);
    m_blend->installEventFilter(this);
    connect(m_continues, &QCheckBox::clicked, this, &ShotEditor::setContinues);
    connect(m_blend, &NumberEdit::edited, this,
            [this](const QString& text) { setText(storyboard_key::blend, m_blendTitle->text(), text); });
    return line;
}

KeyField* ShotEditor::field(std::string_view key) const {
    const auto found =
        std::ranges::find_if(m_keys, [key](const KeyEntry& entry) { return entry.key->name == key; });
    return found == m_keys.end() ? nullptr : found->field;
}

void ShotEditor::focusPrompt() {
    m_keys.front().field->setFocus(Qt::ShortcutFocusReason);
}

void ShotEditor::showShot(int shot) {
    if (shot == m_shot)
        return;
    m_shot = shot;
    m_name->setModified(false);  // what was typed was another shot's
    refresh();
}

void ShotEditor::writeName() {
    if (m_shot < 0 || !m_name->isModified())
        return;
    m_name->setModified(false);
    const QString name = m_name->text().trimmed();
    if (name != m_document.ownText(m_shot, storyboard_key::name))
        m_document.setValues(m_shot, m_name->accessibleName(),
                             {{.key = std::string(storyboard_key::name),
                               .text = name.isEmpty() ? std::nullopt : std::optional(name.toStdString())}});
    refreshNumbers();  // the name before, where this one is refused
}

bool ShotEditor::eventFilter(QObject* watched, QEvent* event) {
    // Undo belongs to the storyboard as a whole, not to the field that happens to have the focus.
    if (event->type() == QEvent::ShortcutOverride) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (watched == m_name && (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Save)))
            writeName();
        if (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo)) {
            event->ignore();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void ShotEditor::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) {
        m_shownProblems.clear();  // in other colours
        refreshProblems();
    }
    QWidget::changeEvent(event);
}

void ShotEditor::setOwn(const ProjectKey& key, const QString& text, bool isTyping) {
    if (m_shot < 0)
        return;
    const ShotValue value{.key = std::string(key.name), .text = writtenText(key, text)};
    const QString title = engineText(key.title);
    if (isTyping)
        m_document.typeValue(m_shot, title, value);
    else
        m_document.setValues(m_shot, title, {value});
}

void ShotEditor::setText(std::string_view key, const QString& title, const QString& text) {
    if (m_shot >= 0)
        m_document.typeValue(m_shot, title,
                             {.key = std::string(key),
                              .text = text.isEmpty() ? std::nullopt : std::optional(text.toStdString())});
}

void ShotEditor::setContinues(bool continues) {
    if (m_shot < 0)
        return;
    const std::string key(storyboard_key::continues);
    if (continues)
        m_document.setValues(m_shot, m_continues->text(),
                             {{.key = "continue_from", .text = {}}, {.key = key, .text = "true"}});
    else
        m_document.setValues(
            m_shot, m_continues->text(),
            {{.key = key, .text = {}}, {.key = std::string(storyboard_key::blend), .text = {}}});
}

void ShotEditor::refresh() {
    m_shot = std::min(m_shot, m_document.count() - 1);
    setEnabled(m_shot >= 0);
    if (m_shot < 0)
        return;
    refreshKeys();
    refreshNumbers();
    refreshContinuation();
    refreshProblems();
}

void ShotEditor::refreshKeys() {
    const Shot& shot = m_document.shot(m_shot);
    const PlannedShot* planned = m_watch.planned(m_shot);
    const Project& project = planned != nullptr ? planned->project : shot.project;
    for (const KeyEntry& entry : m_keys) {
        entry.field->showProject(project);
        const bool isOwn = shot.written.contains(entry.key->name);
        entry.field->setText(isOwn ? m_document.ownText(m_shot, entry.key->name)
                                   : QString::fromStdString(valueText(shot.project, *entry.key)));
    }
}

void ShotEditor::refreshNumbers() {
    const Shot& shot = m_document.shot(m_shot);
    m_name->setPlaceholderText(QString::fromStdString(shot.name));
    if (const QString name = m_document.ownText(m_shot, storyboard_key::name);
        !m_name->isModified() && m_name->text() != name)
        m_name->setText(name);
    const PlannedShot* planned = m_watch.planned(m_shot);
    constexpr int digits = 2;
    const bool isTimed = planned != nullptr && planned->project.fps > 0;
    m_seconds->setStandIn(
        {}, isTimed && !shot.seconds
                ? tr("usual (%1)", "seconds")
                      .arg(QLocale().toString(
                          static_cast<double>(planned->shownFrames()) / planned->project.fps, 'f', digits))
                : QString());
    m_seconds->setValue(m_document.ownText(m_shot, storyboard_key::seconds));
    m_blend->setStandIn({}, planned != nullptr && !shot.blend
                                ? tr("usual (%1)", "frames").arg(planned->blendedFrames)
                                : QString());
    m_blend->setValue(m_document.ownText(m_shot, storyboard_key::blend));
}

void ShotEditor::refreshContinuation() {
    const Shot& shot = m_document.shot(m_shot);
    const QString written = m_document.ownText(m_shot, storyboard_key::continues);
    const bool continues = !written.isEmpty() && written != QStringLiteral("false");
    const bool isNamed = continues && written != QStringLiteral("true");
    m_continues->setText(isNamed ? tr("Goes on from the shot %1", "name").arg(written)
                                 : tr("Goes on from the shot before"));
    m_continues->setChecked(continues);
    m_continues->setEnabled(m_shot > 0 || continues);
    const bool followsTheOneBefore = shot.continues && static_cast<int>(*shot.continues) + 1 == m_shot;
    m_blend->setVisible(followsTheOneBefore || shot.written.contains(storyboard_key::blend));
    m_blendTitle->setVisible(!m_blend->isHidden());
}

QString ShotEditor::problemText() const {
    QStringList lines;
    for (const Problem& problem : m_shownProblems)
        lines += storyboardProblemText(problem);
    return lines.join(QLatin1Char('\n'));
}

void ShotEditor::refreshProblems() {
    if (m_shot < 0)
        return;
    std::vector<Problem> problems = m_watch.problemsOf(m_shot);
    if (problems == m_shownProblems)
        return;
    m_shownProblems = std::move(problems);
    for (QWidget* row : std::exchange(m_problemRows, {})) {
        row->hide();
        row->deleteLater();
    }
    for (const Problem& problem : m_shownProblems)
        addProblem(problem);
    tabAsLaidOut(*this);
}

void ShotEditor::addProblem(const Problem& problem) {
    auto* row = new QWidget(this);
    auto* column = new QVBoxLayout(row);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(tightSpacing);
    QLabel* words = shotTitle(storyboardProblemText(problem), row);
    words->setWordWrap(true);
    words->setTextInteractionFlags(Qt::TextSelectableByMouse);
    QPalette colours = words->palette();
    colours.setColor(QPalette::WindowText,
                     problem.severity == Severity::Error ? errorColor(palette()) : warningColor(palette()));
    words->setPalette(colours);
    column->addWidget(words);
    for (const Fix& fix : problem.fixes) {
        if (fix.changes.empty())
            continue;
        KeyChanges changes = fix.changes;
        std::vector<ShotValue> values;
        for (KeyChange& change : changes) {
            change.key = change.key.empty() ? problem.key : change.key;
            values.push_back({.key = change.key, .text = change.value});
        }
        if (std::ranges::any_of(
                changes, [](const KeyChange& change) { return findProjectKey(change.key) == nullptr; }))
            continue;
        const QString label = fixLabel(keyTexts(changes));
        auto* button = new QPushButton(QString(label).replace(QLatin1Char('&'), QLatin1String("&&")), row);
        button->setAccessibleName(label);
        column->addWidget(button, 0, Qt::AlignLeading);
        connect(button, &QPushButton::clicked, this,
                [this, label, values] { m_document.setValues(m_shot, label, values); });
    }
    m_problems->addWidget(row);
    m_problemRows.push_back(row);
}

}  // namespace meshreel

#include "moc_shot_editor.cpp"
