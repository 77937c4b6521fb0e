// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/project_editor.h"

#include <QCheckBox>
#include <QEvent>
#include <QGridLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>

#include "engine/project/project_keys.h"
#include "ui/models/key_texts.h"
#include "ui/models/project_document.h"
#include "ui/theme/look.h"
#include "ui/widgets/key_field.h"
#include "ui/widgets/key_row.h"

namespace meshreel {

namespace {

QLabel* sectionTitle(std::string_view section, QWidget* parent) {
    auto* label = new QLabel(engineText(section), parent);
    QFont font = label->font();
    font.setBold(true);
    label->setFont(font);
    return label;
}

}  // namespace

ProjectEditor::ProjectEditor(ProjectDocument& document, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_scroll(new QScrollArea(this)),
      m_advanced(new QCheckBox(tr("Show advanced settings"), this)) {
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setWidgetResizable(true);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setWidget(makeForm());

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(spacing);
    layout->addWidget(m_scroll, 1);
    layout->addWidget(m_advanced);
    layout->setAlignment(m_advanced, Qt::AlignHCenter);

    connect(m_advanced, &QCheckBox::toggled, this, &ProjectEditor::updateVisibility);
    connect(&m_document, &ProjectDocument::changed, this, &ProjectEditor::refresh);
    refresh();
    if (!m_sections.empty())
        setFocusProxy(m_sections.front().rows.front()->field().focusProxy());
}

KeyRow* ProjectEditor::row(const QString& keyName) const {
    for (const Section& section : m_sections)
        for (KeyRow* row : section.rows)
            if (row->key().name == keyName.toStdString())
                return row;
    return nullptr;
}

bool ProjectEditor::showsAdvanced() const {
    return m_advanced->isChecked();
}

void ProjectEditor::setShowsAdvanced(bool shows) {
    m_advanced->setChecked(shows);
}

void ProjectEditor::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange)
        for (const Section& section : m_sections)
            for (KeyRow* row : section.rows)
                row->updateColours();
    QWidget::changeEvent(event);
}

bool ProjectEditor::eventFilter(QObject* watched, QEvent* event) {
    // Undo belongs to the project as a whole, not to the text field that happens to have the focus.
    if (event->type() == QEvent::ShortcutOverride) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo)) {
            event->ignore();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

QWidget* ProjectEditor::makeForm() {
    auto* form = new QWidget;
    auto* column = new QVBoxLayout(form);
    column->setContentsMargins(panelMargin, panelMargin, panelMargin, panelMargin);
    column->setSpacing(2 * spacing);

    std::string_view section;
    QGridLayout* grid = nullptr;
    for (const ProjectKey& key : projectKeys()) {
        if (grid == nullptr || key.section != section) {
            section = key.section;
            m_sections.push_back({new QWidget(form), {}});
            grid = new QGridLayout(m_sections.back().block);
            grid->setContentsMargins(0, 0, 0, 0);
            grid->setHorizontalSpacing(spacing);
            grid->setVerticalSpacing(tightSpacing);
            grid->addWidget(sectionTitle(section, m_sections.back().block), 0, 0, 1, 3);
            column->addWidget(m_sections.back().block);
        }
        Section& current = m_sections.back();
        addRow(current, new KeyRow(key, key.title != key.section, grid, current.block));
    }
    column->addStretch(1);
    return form;
}

void ProjectEditor::addRow(Section& section, KeyRow* row) {
    section.rows.push_back(row);
    row->field().focusProxy()->installEventFilter(this);
    connect(&row->field(), &KeyField::edited, this,
            [this, row](const QString& text) { m_document.setText(row->key(), text); });
}

void ProjectEditor::refresh() {
    const std::vector<ProjectProblem>& problems = m_document.problems();
    for (const Section& section : m_sections) {
        for (KeyRow* row : section.rows) {
            const QString text = m_document.text(row->key());
            if (row->field().text() != text)
                row->field().setText(text);
            const auto problem = std::ranges::find(problems, row->key().name, &ProjectProblem::key);
            row->showProblem(problem == problems.end() ? nullptr : &*problem,
                             !m_document.isDefault(row->key()));
        }
    }
    updateVisibility();
}

void ProjectEditor::updateVisibility() {
    for (const Section& section : m_sections) {
        bool any = false;
        for (KeyRow* row : section.rows) {
            // What was changed or needs attention stays in sight.
            const bool visible = showsAdvanced() || row->key().level == KeyLevel::Basic ||
                                 !m_document.isDefault(row->key()) || !row->message().isEmpty();
            row->setVisible(visible);
            any = any || visible;
        }
        section.block->setVisible(any);
    }
}

}  // namespace meshreel
