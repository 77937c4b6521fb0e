// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/problem_panel.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>

#include "engine/project/project_keys.h"
#include "ui/models/key_texts.h"
#include "ui/theme/icons.h"
#include "ui/theme/look.h"
#include "ui/widgets/empty_state.h"

namespace meshreel {

namespace {

constexpr QSize iconSize{18, 18};

bool isSame(const Diagnosis& one, const Diagnosis& other) {
    return one.problem.key == other.problem.key && one.problem.message == other.problem.message &&
           one.cures == other.cures;
}

QLabel* wrapped(const QString& text, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

}  // namespace

ProblemPanel::ProblemPanel(QWidget* parent)
    : QWidget(parent),
      m_allWell(new EmptyState(tr("Nothing is wrong with this project: press Run."), this)),
      m_scroll(new QScrollArea(this)) {
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setWidgetResizable(true);
    m_scroll->setAccessibleName(tr("Problems of the project"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_allWell);
    layout->addWidget(m_scroll);
    refresh();
}

void ProblemPanel::showDiagnoses(std::vector<Diagnosis> diagnoses) {
    // Buttons under the pointer or with the focus stay while nothing changed.
    if (std::ranges::equal(m_diagnoses, diagnoses, isSame))
        return;
    m_diagnoses = std::move(diagnoses);
    refresh();
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
        column->addWidget(makeItem(diagnosis));
    column->addStretch(1);
    m_scroll->setWidget(list);
    m_scroll->setVisible(!m_diagnoses.empty());
    m_allWell->setVisible(m_diagnoses.empty());
}

QWidget* ProblemPanel::makeItem(const Diagnosis& diagnosis) {
    const ProjectProblem& problem = diagnosis.problem;
    const bool isError = problem.severity == Severity::Error;
    auto* item = new QWidget;
    auto* icon = new QLabel(item);
    icon->setPixmap(isError ? tintedPixmap(QStringLiteral("error"), iconSize, errorColor(palette()))
                            : tintedPixmap(QStringLiteral("warning"), iconSize, warningColor(palette())));
    icon->setAccessibleName(isError ? tr("Error") : tr("Warning"));

    const QString title = titleOfKey(problem.key);
    const QString message = QString::fromStdString(problem.message);
    QLabel* what = wrapped(
        title.isEmpty() ? message : tr("%1: %2", "setting and what is wrong").arg(title, message), item);
    auto* words = new QVBoxLayout;
    words->setSpacing(tightSpacing);
    words->addWidget(what);
    if (!problem.hint.empty()) {
        QLabel* hint = wrapped(QString::fromStdString(problem.hint), item);
        QPalette muted = hint->palette();
        muted.setColor(QPalette::WindowText, mutedColor(palette()));
        hint->setPalette(muted);
        words->addWidget(hint);
    }
    words->addWidget(makeActions(diagnosis));

    auto* row = new QHBoxLayout(item);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(spacing);
    row->addWidget(icon, 0, Qt::AlignTop);
    row->addLayout(words, 1);
    return item;
}

QWidget* ProblemPanel::makeActions(const Diagnosis& diagnosis) {
    auto* actions = new QWidget;
    auto* row = new QHBoxLayout(actions);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(spacing);
    for (const Cure& cure : diagnosis.cures) {
        auto* button = new QPushButton(themedIcon(QStringLiteral("check")), cureLabel(cure), actions);
        connect(button, &QPushButton::clicked, this, [this, cure] { emit cureRequested(cure); });
        row->addWidget(button);
    }
    if (findProjectKey(diagnosis.problem.key) != nullptr) {
        auto* goTo = new QPushButton(tr("Go to setting"), actions);
        goTo->setFlat(true);
        const QString key = QString::fromStdString(diagnosis.problem.key);
        connect(goTo, &QPushButton::clicked, this, [this, key] { emit goToRequested(key); });
        row->addWidget(goTo);
    }
    row->addStretch(1);
    return actions;
}

}  // namespace meshreel
