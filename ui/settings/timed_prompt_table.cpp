// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/settings/timed_prompt_table.h"

#include <QEvent>
#include <QFontMetrics>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "engine/project/project.h"
#include "engine/project/project_keys.h"
#include "ui/project/project_document.h"
#include "ui/theme/look.h"
#include "ui/widgets/accessibility.h"

namespace meshreel {

namespace {

enum PartColumn : int { FromColumn, ToColumn, WordsColumn, TokensColumn, UpColumn, DownColumn, RemoveColumn };

constexpr int leastWords = 80;

const ProjectKey& timedKey() {
    return *findProjectKey("prompt");
}

QLineEdit* makeLineEdit(const QString& text, const QString& name, QWidget* parent) {
    auto* edit = new QLineEdit(text, parent);
    edit->setCursorPosition(0);
    edit->setAccessibleName(name);
    edit->setMinimumWidth(leastWords);
    return edit;
}

/// Half of the time that the part has.
double middleOf(const TimedPart& part, const Project& project) {
    const PromptSpan span = spanOf(part, project.numFrames, project.fps);
    return (span.begin + span.end) / 2;
}

}  // namespace

TimedPromptTable::TimedPromptTable(ProjectDocument& document, QWidget* parent)
    : QWidget(parent), m_document(document), m_body(nullptr), m_grid(nullptr), m_add(new QToolButton(this)) {
    m_add->setObjectName(QStringLiteral("addPart"));
    m_add->setText(tr("Add a timed part"));
    m_add->setToolTip(tr("Say what the video should show for a part of its time"));
    m_add->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_add->setAutoRaise(true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(tightSpacing);
    column->addWidget(m_add, 0, Qt::AlignLeading);
    connect(m_add, &QToolButton::clicked, this, &TimedPromptTable::addPart);
    connect(&m_document, &ProjectDocument::changed, this, &TimedPromptTable::refresh);
    m_add->setIcon(themedIcon(QStringLiteral("add")));
    refresh();
}

void TimedPromptTable::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) {
        m_add->setIcon(themedIcon(QStringLiteral("add")));
        rebuild();
    }
    QWidget::changeEvent(event);
}

void TimedPromptTable::setParts(std::vector<PromptPart> parts) {
    m_parts = std::move(parts);
    showTokens();
}

void TimedPromptTable::refresh() {
    const QString text = m_document.text(timedKey());
    TimedPrompt read = readTimedPrompt(text.toStdString());
    // What was typed into a line is not replaced by what it is read as.
    if (text == m_text && read.parts.size() == m_prompt.parts.size())
        return;
    m_text = text;
    m_prompt = std::move(read);
    rebuild();
}

void TimedPromptTable::rebuild() {
    m_tokens.clear();
    if (QWidget* before = std::exchange(m_body, nullptr)) {
        for (QWidget* control : before->findChildren<QWidget*>())
            control->disconnect(this);  // one that loses the focus speaks of a line that was
        before->hide();
        before->deleteLater();
    }
    if (m_prompt.parts.empty())
        return;
    m_body = new QWidget(this);
    m_grid = new QGridLayout(m_body);
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setSpacing(tightSpacing);
    m_grid->setColumnStretch(WordsColumn, 1);
    addHeadings();
    addGlobalLine();
    for (std::size_t index = 0; index < m_prompt.parts.size(); ++index)
        addLine(index);
    static_cast<QVBoxLayout*>(layout())->insertWidget(0, m_body);
    m_body->show();
    tabAsLaidOut(*this);
    showTokens();
}

void TimedPromptTable::addHeadings() {
    const auto add = [this](PartColumn column, const QString& title) {
        auto* label = new QLabel(title, m_body);
        QPalette colours = label->palette();
        colours.setColor(QPalette::WindowText, mutedColor(palette()));
        label->setPalette(colours);
        m_grid->addWidget(label, 0, column, column == TokensColumn ? Qt::AlignTrailing : Qt::AlignLeading);
    };
    add(FromColumn, tr("From", "when a part of the prompt begins"));
    add(ToColumn, tr("To", "when a part of the prompt ends"));
    add(WordsColumn, tr("Words", "that hold between the two"));
    add(TokensColumn, tr("Tokens"));
}

void TimedPromptTable::addGlobalLine() {
    auto* words =
        makeLineEdit(QString::fromStdString(m_prompt.global), tr("Words that hold all the time"), m_body);
    words->setObjectName(QStringLiteral("words0"));
    words->setPlaceholderText(tr("nothing that holds all the time"));
    connect(words, &QLineEdit::textEdited, this, [this](const QString& text) {
        m_prompt.global = text.toStdString();
        tellDocument(Edit::Typed);
    });
    m_grid->addWidget(new QLabel(tr("all the time"), m_body), 1, FromColumn, 1, 2);
    m_grid->addWidget(words, 1, WordsColumn);
    m_tokens.push_back(new QLabel(m_body));
    m_tokens.back()->setObjectName(QStringLiteral("tokens"));
    m_grid->addWidget(m_tokens.back(), 1, TokensColumn, Qt::AlignTrailing | Qt::AlignVCenter);
}

void TimedPromptTable::addLine(std::size_t index) {
    const int row = m_grid->rowCount();
    const auto number = static_cast<int>(index) + 1;
    addBound(index, true);
    addBound(index, false);
    auto* words = makeLineEdit(QString::fromStdString(m_prompt.parts[index].text),
                               tr("Words of part %1").arg(number), m_body);
    words->setObjectName(QStringLiteral("words%1").arg(number));
    connect(words, &QLineEdit::textEdited, this, [this, index](const QString& text) {
        m_prompt.parts[index].text = text.toStdString();
        tellDocument(Edit::Typed);
    });
    m_grid->addWidget(words, row, WordsColumn);
    m_tokens.push_back(new QLabel(m_body));
    m_tokens.back()->setObjectName(QStringLiteral("tokens"));
    m_grid->addWidget(m_tokens.back(), row, TokensColumn, Qt::AlignTrailing | Qt::AlignVCenter);
    addMover(index, -1, UpColumn);
    addMover(index, 1, DownColumn);
    auto* remove = new QToolButton(m_body);
    remove->setObjectName(QStringLiteral("remove%1").arg(number));
    remove->setIcon(themedIcon(QStringLiteral("close")));
    remove->setAutoRaise(true);
    remove->setToolTip(tr("Remove part %1").arg(number));
    remove->setAccessibleName(remove->toolTip());
    connect(remove, &QToolButton::clicked, this, [this, index] {
        changeLines([index](std::vector<TimedPart>& parts) {
            parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(index));
        });
    });
    m_grid->addWidget(remove, row, RemoveColumn);
}

void TimedPromptTable::addBound(std::size_t index, bool isBegin) {
    const TimedPart& part = m_prompt.parts[index];
    const int row = isBegin ? m_grid->rowCount() : m_grid->rowCount() - 1;
    const auto number = static_cast<int>(index) + 1;
    auto* bound = makeLineEdit(
        QString::fromStdString(boundText(isBegin ? part.begin : part.end, part.unit)),
        isBegin ? tr("From when part %1 holds").arg(number) : tr("Until when part %1 holds").arg(number),
        m_body);
    bound->setObjectName((isBegin ? QStringLiteral("from%1") : QStringLiteral("to%1")).arg(number));
    bound->setPlaceholderText(isBegin ? tr("start", "of the video") : tr("end", "of the video"));
    bound->setToolTip(tr("Percent (33%), seconds (2s or 0:02) or frames (17), alike at both ends"));
    bound->setFixedWidth(QFontMetrics(bound->font()).horizontalAdvance(QStringLiteral("100.0%")) +
                         2 * spacing);
    connect(bound, &QLineEdit::editingFinished, this,
            [this, index, isBegin, bound] { changeBound(index, isBegin, bound->text()); });
    m_grid->addWidget(bound, row, isBegin ? FromColumn : ToColumn);
}

void TimedPromptTable::addMover(std::size_t index, int places, int column) {
    const auto number = static_cast<int>(index) + 1;
    auto* move = new QToolButton(m_body);
    move->setObjectName((places < 0 ? QStringLiteral("up%1") : QStringLiteral("down%1")).arg(number));
    move->setIcon(themedIcon(places < 0 ? QStringLiteral("up") : QStringLiteral("down")));
    move->setAutoRaise(true);
    move->setToolTip(places < 0 ? tr("Move part %1 up").arg(number) : tr("Move part %1 down").arg(number));
    move->setAccessibleName(move->toolTip());
    const auto other = static_cast<std::ptrdiff_t>(index) + places;
    move->setEnabled(other >= 0 && other < std::ssize(m_prompt.parts));
    connect(move, &QToolButton::clicked, this, [this, index, other] {
        changeLines([index, other](std::vector<TimedPart>& parts) {
            // The times stay in their order, and the words change places.
            std::swap(parts[index].text, parts[static_cast<std::size_t>(other)].text);
        });
    });
    m_grid->addWidget(move, m_grid->rowCount() - 1, column);
}

void TimedPromptTable::showTokens() {
    // Without words that hold all the time there is no part for them.
    const std::size_t first = m_prompt.global.empty() ? 1 : 0;
    const bool isKnown = m_tokens.size() > 1 && m_parts.size() == m_tokens.size() - first;
    for (std::size_t line = 0; line < m_tokens.size(); ++line)
        m_tokens[line]->setText(isKnown && line >= first ? QLocale().toString(static_cast<qlonglong>(
                                                               m_parts[line - first].tokens.size()))
                                                         : QString());
}

void TimedPromptTable::addPart() {
    const Project& project = m_document.project();
    changeLines([&](std::vector<TimedPart>& parts) {
        constexpr double half = 50;
        if (parts.empty())
            return parts.push_back({.begin = {}, .end = half, .unit = PromptTimeUnit::Percent, .text = {}});
        TimedPart& last = parts.back();
        if (!last.end)
            last.end = boundAt(middleOf(last, project), last.unit, false, project);
        parts.push_back({.begin = nextBound(last), .end = {}, .unit = last.unit, .text = {}});
    });
    if (m_body != nullptr)
        if (auto* words = m_body->findChild<QLineEdit*>(QStringLiteral("words%1").arg(lines())))
            words->setFocus();
}

void TimedPromptTable::changeBound(std::size_t index, bool isBegin, const QString& typed) {
    TimedPart part = m_prompt.parts[index];
    std::optional<double>& own = isBegin ? part.begin : part.end;
    std::optional<double>& other = isBegin ? part.end : part.begin;
    if (typed.toStdString() == boundText(own, part.unit))
        return;
    const std::optional<PromptBound> read = readPromptBound(typed.toStdString());
    if (!read)
        return rebuild();  // back to what it was
    const PromptTimeUnit unit = read->unit.value_or(part.unit);
    if (other && unit != part.unit) {
        const PromptSpan span = spanOf(part, m_document.project().numFrames, m_document.project().fps);
        other = boundAt(isBegin ? span.end : span.begin, unit, !isBegin, m_document.project());
    }
    own = read->value;
    part.unit = unit;
    if (own && unit == PromptTimeUnit::Frames)
        own = std::max(1.0, std::round(*own));  // a mark holds whole frames, counted from 1
    changeLines([&](std::vector<TimedPart>& parts) { parts[index] = part; });
}

void TimedPromptTable::changeLines(const std::function<void(std::vector<TimedPart>&)>& change) {
    change(m_prompt.parts);
    tellDocument(Edit::Done);
    rebuild();
}

void TimedPromptTable::tellDocument(Edit edit) {
    m_text = QString::fromStdString(timedPromptText(m_prompt));
    if (edit == Edit::Typed)
        m_document.typeText(timedKey(), m_text);
    else
        m_document.setText(timedKey(), m_text);
}

}  // namespace meshreel

#include "moc_timed_prompt_table.cpp"
