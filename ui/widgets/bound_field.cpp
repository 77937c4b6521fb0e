// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/bound_field.h"

#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>

#include "engine/project/project_keys.h"
#include "ui/models/key_texts.h"
#include "ui/models/project_document.h"
#include "ui/widgets/key_field.h"

namespace meshreel {

namespace {

constexpr double titleScale = 0.9;

}  // namespace

BoundField::BoundField(ProjectDocument& document, const ProjectKey& key, const QString& title,
                       QWidget* parent)
    : QWidget(parent), m_document(document), m_key(key), m_field(KeyField::make(key, this)) {
    auto* label = new QLabel(title, this);
    QFont font = label->font();
    font.setPointSizeF(font.pointSizeF() * titleScale);
    label->setFont(font);
    label->setBuddy(m_field);
    m_field->describe(distinctTitle(key), engineText(key.help));
    m_field->setObjectName(QString::fromStdString(std::string(key.name)));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(label);
    layout->addWidget(m_field);
    connect(m_field, &KeyField::edited, this,
            [this](const QString& text) { m_document.typeText(m_key, text); });
    connect(m_field, &KeyField::chosen, this,
            [this](const QString& text) { m_document.setText(m_key, text); });
    connect(&m_document, &ProjectDocument::changed, this, &BoundField::refresh);
    refresh();
}

void BoundField::refresh() {
    const QString text = m_document.text(m_key);
    if (m_field->text() != text)
        m_field->setText(text);
    const std::vector<ProjectProblem>& problems = m_document.problems();
    const auto problem = std::ranges::find_if(problems, [this](const ProjectProblem& candidate) {
        return candidate.key == m_key.name && candidate.severity == Severity::Error;
    });
    m_field->setInvalid(problem != problems.end());
    m_field->setToolTip(problem == problems.end() ? engineText(m_key.help)
                                                  : sentenceText(problem->asSentence()));
}

}  // namespace meshreel
