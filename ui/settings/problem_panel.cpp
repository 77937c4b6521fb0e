// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/settings/problem_panel.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>

#include "engine/project/project_keys.h"
#include "ui/theme/look.h"
#include "ui/values/engine_texts.h"
#include "ui/widgets/accessibility.h"
#include "ui/widgets/panel_parts.h"

namespace meshreel {

namespace {

constexpr QSize problemIconSize{18, 18};

/// What stands before a finding.
struct Mark {
    QString icon;
    QColor ink;
    QString name;
};

QLabel* wrappedLabel(const QString& text, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

/// Makes a finding with its mark, what it concerns, and below its words what can be done. `line`: in the
/// text, if it concerns one.
QWidget* makeItem(const Mark& mark, const QString& line, const Problem& finding, QWidget* actions) {
    auto* item = new QWidget;
    auto* icon = new QLabel(item);
    icon->setPixmap(tintedPixmap(mark.icon, problemIconSize, mark.ink));
    icon->setAccessibleName(mark.name);

    auto* words = new QVBoxLayout;
    words->setSpacing(tightSpacing);
    words->addWidget(wrappedLabel(
        line.isEmpty()
            ? problemText(finding)
            : ProblemPanel::tr("%1: %2", "line and what is wrong").arg(line, sentenceText(finding.message)),
        item));
    if (!finding.hint().empty()) {
        QLabel* detail = wrappedLabel(sentenceText(finding.hint()), item);
        QPalette muted = detail->palette();
        muted.setColor(QPalette::WindowText, mutedColor(item->palette()));
        detail->setPalette(muted);
        words->addWidget(detail);
    }
    words->addWidget(actions, 0, Qt::AlignLeading);

    auto* row = new QHBoxLayout(item);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(spacing);
    row->addWidget(icon, 0, Qt::AlignTop);
    row->addLayout(words, 1);
    return item;
}

}  // namespace

ProblemPanel::ProblemPanel(QWidget* parent)
    : QWidget(parent), m_allWell(new EmptyState({}, this)), m_scroll(new QScrollArea(this)) {
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setWidgetResizable(true);
    m_scroll->setAccessibleName(tr("Problems of the project"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_allWell);
    layout->addWidget(m_scroll);
    setEngineBusy(false);
    refresh();
}

void ProblemPanel::setEngineBusy(bool busy) {
    m_allWell->setSentence(busy ? tr("Nothing is wrong with this project.") : tr("Ready to run."));
}

void ProblemPanel::showFindings(std::vector<Diagnosis> diagnoses, std::vector<Problem> notes) {
    // Buttons under the pointer or with the focus stay while nothing changed.
    if (m_diagnoses == diagnoses && m_notes == notes)
        return;
    m_diagnoses = std::move(diagnoses);
    m_notes = std::move(notes);
    refresh();
}

std::optional<Severity> ProblemPanel::worst() const {
    if (m_diagnoses.empty())
        return std::nullopt;
    const auto isError = [](const Diagnosis& diagnosis) {
        return diagnosis.problem.severity == Severity::Error;
    };
    return std::ranges::any_of(m_diagnoses, isError) ? Severity::Error : Severity::Warning;
}

void ProblemPanel::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange)
        refresh();
    QWidget::changeEvent(event);
}

void ProblemPanel::refresh() {
    auto* list = new QWidget;
    auto* column = new QVBoxLayout(list);
    column->setContentsMargins(panelMargin, panelMargin, panelMargin, panelMargin);
    column->setSpacing(panelMargin);
    for (const Diagnosis& diagnosis : m_diagnoses)
        column->addWidget(makeProblem(diagnosis));
    for (const Problem& note : m_notes)
        column->addWidget(makeNote(note));
    column->addStretch(1);
    m_scroll->setWidget(list);
    const bool isEmpty = m_diagnoses.empty() && m_notes.empty();
    m_scroll->setVisible(!isEmpty);
    m_allWell->setVisible(isEmpty);
    tabAsLaidOut(*this);
}

QWidget* ProblemPanel::makeProblem(const Diagnosis& diagnosis) {
    const Problem& problem = diagnosis.problem;
    const Mark mark = problem.severity == Severity::Error
                          ? Mark{QStringLiteral("error"), errorColor(palette()), tr("Error")}
                          : Mark{QStringLiteral("warning"), warningColor(palette()), tr("Warning")};
    const QString line = problem.place.line > 0 ? tr("Line %1").arg(problem.place.line) : QString();
    return makeItem(mark, line, problem, makeActions(diagnosis));
}

QWidget* ProblemPanel::makeNote(const Problem& note) {
    return makeItem({QStringLiteral("info"), mutedColor(palette()), tr("Note")}, {}, note,
                    makeGoTo(note.key));
}

QPushButton* ProblemPanel::makeGoTo(const std::string& key) {
    auto* goTo = new QPushButton(tr("Go to setting"));
    goTo->setFlat(true);
    goTo->setAccessibleName(tr("Go to setting %1", "title of a setting").arg(titleOfKey(key)));
    connect(goTo, &QPushButton::clicked, this,
            [this, name = QString::fromStdString(key)] { emit goToRequested(name); });
    return goTo;
}

QWidget* ProblemPanel::makeActions(const Diagnosis& diagnosis) {
    auto* actions = new QWidget;
    auto* row = new QHBoxLayout(actions);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(spacing);
    for (const std::vector<KeyText>& fix : diagnosis.fixes) {
        auto* button = new QPushButton(themedIcon(QStringLiteral("check")), fixLabel(fix), actions);
        connect(button, &QPushButton::clicked, this, [this, fix] { emit fixRequested(fix); });
        row->addWidget(button);
    }
    if (findProjectKey(diagnosis.problem.key) != nullptr)
        row->addWidget(makeGoTo(diagnosis.problem.key));
    row->addStretch(1);
    return actions;
}

}  // namespace meshreel

#include "moc_problem_panel.cpp"
