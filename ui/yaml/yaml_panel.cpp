// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/yaml/yaml_panel.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QVBoxLayout>
#include <algorithm>

#include "engine/project/project_file.h"
#include "ui/controller/plan_watch.h"
#include "ui/models/cures.h"
#include "ui/models/key_texts.h"
#include "ui/models/project_document.h"
#include "ui/theme/icons.h"
#include "ui/theme/look.h"
#include "ui/yaml/yaml_editor.h"

namespace meshreel {

namespace {

constexpr QSize statusIconSize{16, 16};

/// Whether the document's problem says more than the text does by itself, in the same words or, of what
/// cannot be the value of its key, in others.
bool isNewsFor(const LoadedProject& read, const ProjectProblem& problem) {
    return problem.line == 0 && std::ranges::none_of(read.problems, [&problem](const ProjectProblem& told) {
               return told.key == problem.key &&
                      (told.message == problem.message || told.severity == Severity::Error);
           });
}

}  // namespace

YamlPanel::YamlPanel(ProjectDocument& document, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_editor(new YamlEditor(this)),
      m_icon(new QLabel(this)),
      m_status(new QLabel(this)),
      m_goTo(new QPushButton(tr("Go to line"), this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_editor, 1);
    layout->addWidget(makeStatus());
    connect(m_editor, &QPlainTextEdit::textChanged, this, &YamlPanel::takeText);
    connect(m_goTo, &QPushButton::clicked, this, [this] { m_editor->goToLine(m_firstLine); });
    connect(&m_document, &ProjectDocument::changed, this, &YamlPanel::followDocument);
    followDocument();
}

QWidget* YamlPanel::makeStatus() {
    m_status->setWordWrap(true);
    m_status->setTextFormat(Qt::PlainText);
    m_status->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* status = new QWidget(this);
    auto* row = new QHBoxLayout(status);
    row->setContentsMargins(panelMargin, spacing, panelMargin, spacing);
    row->setSpacing(spacing);
    row->addWidget(m_icon, 0, Qt::AlignTop);
    row->addWidget(m_status, 1);
    row->addWidget(m_goTo, 0, Qt::AlignTop);
    return status;
}

QString YamlPanel::statusText() const {
    return m_status->text();
}

void YamlPanel::followDocument() {
    if (m_taking)
        return;
    m_editor->showText(m_document.yaml());
    showStatus();
}

void YamlPanel::takeText() {
    const QScopedValueRollback<bool> taking(m_taking, true);
    m_document.setYaml(m_editor->toPlainText());
    showStatus();
}

void YamlPanel::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange)
        updateIcon();
    QWidget::changeEvent(event);
}

void YamlPanel::showForecast(const ProjectForecast& forecast) {
    m_forecast = forecast.problems;
    showStatus();
}

void YamlPanel::showStatus() {
    const LoadedProject read = readProject(m_editor->toPlainText().toStdString(), {});
    std::vector<ProjectProblem> problems = read.problems;
    std::ranges::copy_if(m_document.problems(), std::back_inserter(problems),
                         [&read](const ProjectProblem& problem) { return isNewsFor(read, problem); });
    // A text that the project could not take over is not what the forecast is of.
    if (!m_document.isUnread())
        problems = joined(std::move(problems), m_forecast);
    for (ProjectProblem& problem : problems)
        if (problem.line == 0)
            read.locate(problem);
    putErrorsFirst(problems);
    m_editor->setProblems(problems);
    updateIcon();
    m_firstLine = problems.empty() ? 0 : problems.front().line;
    m_goTo->setVisible(m_firstLine > 0);
    if (problems.empty()) {
        m_status->setText(tr("The text and the form agree."));
        return;
    }
    const QString message = sentenceText(problems.front().message);
    m_status->setText(m_firstLine > 0 ? tr("Line %1: %2").arg(m_firstLine).arg(message) : message);
}

void YamlPanel::updateIcon() {
    struct Mark {
        QString icon;
        QColor ink;
        QString name;
    };
    const std::vector<ProjectProblem>& problems = m_editor->problems();
    const Mark mark = problems.empty() ? Mark{QStringLiteral("check"), palette().color(QPalette::WindowText),
                                              tr("No problem")}
                      : problems.front().severity == Severity::Error
                          ? Mark{QStringLiteral("error"), errorColor(palette()), tr("Error")}
                          : Mark{QStringLiteral("warning"), warningColor(palette()), tr("Warning")};
    m_icon->setPixmap(tintedPixmap(mark.icon, statusIconSize, mark.ink));
    m_icon->setAccessibleName(mark.name);
}

}  // namespace meshreel
