// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/settings/project_editor.h"

#include <QCheckBox>
#include <QEvent>
#include <QGridLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <string>

#include "engine/base/problem.h"
#include "engine/checks/project_check.h"
#include "engine/checks/task_choice.h"
#include "engine/models/families/model_family.h"
#include "engine/planning/applied_values.h"
#include "engine/planning/run_plan.h"
#include "engine/project/project.h"
#include "engine/project/project_keys.h"
#include "ui/project/project_document.h"
#include "ui/settings/adapter_field.h"
#include "ui/settings/form_notes.h"
#include "ui/settings/key_field.h"
#include "ui/settings/key_row.h"
#include "ui/settings/size_picker.h"
#include "ui/settings/task_picker.h"
#include "ui/settings/trigger_label.h"
#include "ui/settings/variations.h"
#include "ui/theme/look.h"
#include "ui/values/engine_texts.h"

namespace meshreel {

namespace {

constexpr int usualTitleWidth = 108;
constexpr int searchIconSize = 16;

/// What every video is made with comes first, whatever the order of the file; the others follow as there.
constexpr std::array firstSections{std::string_view("Prompt"), std::string_view("Task & model"),
                                   std::string_view("Frames"), std::string_view("Sampling")};

std::vector<const ProjectKey*> keysInOrder() {
    std::vector<const ProjectKey*> keys;
    for (const ProjectKey& key : projectKeys())
        keys.push_back(&key);
    const auto place = [](const ProjectKey* key) {
        return std::ranges::find(firstSections, key->section) - firstSections.begin();
    };
    std::ranges::stable_sort(keys, {}, place);
    return keys;
}

/// Whether the title of the section stands right above the field and says what it is.
bool saysItsSection(const ProjectKey& key) {
    return key.title == key.section &&
           (key.form == TextForm::Paragraph ||
            std::ranges::count(projectKeys(), key.section, &ProjectKey::section) == 1);
}

}  // namespace

ProjectEditor::ProjectEditor(ProjectDocument& document, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_search(new QLineEdit(this)),
      m_changedOnly(new QToolButton(this)),
      m_advanced(new QCheckBox(tr("Advanced"), this)),
      m_scroll(new QScrollArea(this)),
      m_nothing(new QLabel(this)),
      m_help(new KeyHelp(this)) {
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setAccessibleName(tr("Settings of the project"));
    m_scroll->setWidgetResizable(true);
    m_scroll->setWidget(makeForm());
    m_nothing->setTextFormat(Qt::PlainText);
    m_nothing->setAlignment(Qt::AlignCenter);
    m_nothing->setWordWrap(true);
    m_nothing->setMargin(panelMargin);

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(makeHeader());
    layout->addWidget(m_nothing, 1);
    layout->addWidget(m_scroll, 1);
    connect(m_scroll->verticalScrollBar(), &QScrollBar::valueChanged, m_help, &QWidget::hide);

    connect(m_help, &KeyHelp::referenceRequested, this, &ProjectEditor::referenceRequested);
    connect(&m_document, &ProjectDocument::changed, this, &ProjectEditor::refresh);
    refresh();
}

template <typename Act>
void ProjectEditor::forEachRow(const Act& act) const {
    for (const Section& section : m_sections)
        for (KeyRow* row : section.rows)
            act(*row);
}

KeyRow* ProjectEditor::row(const QString& keyName) const {
    KeyRow* found = nullptr;
    forEachRow([&](KeyRow& row) {
        if (row.key().name == keyName.toStdString())
            found = &row;
    });
    return found;
}

bool ProjectEditor::showsAdvanced() const {
    return m_advanced->isChecked();
}

void ProjectEditor::setShowsAdvanced(bool shows) {
    m_advanced->setChecked(shows);
}

void ProjectEditor::goTo(const QString& keyName) {
    KeyRow* target = row(keyName);
    if (target == nullptr)
        return;
    m_revealed = target;
    for (Section& section : m_sections)
        if (std::ranges::count(section.rows, target) > 0)
            section.isFolded = false;
    updateVisibility();
    m_scroll->widget()->layout()->activate();
    m_scroll->ensureWidgetVisible(&target->field(), 0, m_scroll->viewport()->height() / 3);
    target->field().setFocus(Qt::OtherFocusReason);
}

void ProjectEditor::showHelp(const KeyRow& row) {
    m_help->showKey(row.key(), standardText(row.key()));
    m_help->popUp(row.field());
}

QStringList ProjectEditor::foldedSections() const {
    QStringList folded;
    for (const Section& section : m_sections)
        if (section.isFolded)
            folded += QString::fromUtf8(section.name.data(), static_cast<qsizetype>(section.name.size()));
    return folded;
}

void ProjectEditor::setFoldedSections(const QStringList& sections) {
    for (Section& section : m_sections)
        section.isFolded = sections.contains(
            QString::fromUtf8(section.name.data(), static_cast<qsizetype>(section.name.size())));
    updateVisibility();
}

void ProjectEditor::setFamily(const ModelFamily* family) {
    m_tasks->setFamily(family);  // which knows another one since a task was chosen
    if (m_family == family)
        return;
    m_family = family;
    if (family != nullptr)
        m_sizes->setMultiple(static_cast<int>(family->sizeMultiple));
    updateVisibility();
}

void ProjectEditor::showPlan(const RunPlan* plan) {
    const std::optional<Project> applied =
        plan == nullptr ? std::nullopt : std::optional(appliedProject(*plan));
    forEachRow([&](KeyRow& row) { row.field().showApplied(row.key(), applied ? &*applied : nullptr); });
}

void ProjectEditor::focusPrompt() {
    row(QStringLiteral("prompt"))->field().setFocus();
}

void ProjectEditor::focusSearch() {
    m_search->setFocus(Qt::ShortcutFocusReason);
    m_search->selectAll();
}

void ProjectEditor::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange)
        forEachRow([](KeyRow& row) { row.updateColours(); });
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
    if (event->type() == QEvent::FocusIn)
        m_help->hide();
    if (event->type() == QEvent::KeyPress && takeKey(*watched, *static_cast<QKeyEvent*>(event)))
        return true;
    return QWidget::eventFilter(watched, event);
}

/// The keys of a field: help, and closing it.
bool ProjectEditor::takeKey(const QObject& watched, const QKeyEvent& event) {
    const bool isHelp = event.key() == Qt::Key_F1 && event.modifiers() == Qt::ShiftModifier;
    if (event.key() == Qt::Key_Escape && m_help->isVisible()) {
        m_help->hide();
        return true;
    }
    if (!isHelp)
        return false;
    forEachRow([&](KeyRow& row) {
        if (std::ranges::any_of(row.field().inputs(),
                                [&watched](const QWidget* input) { return input == &watched; }))
            showHelp(row);
    });
    return true;
}

QWidget* ProjectEditor::makeHeader() {
    m_search->setPlaceholderText(tr("Search settings"));
    m_search->setClearButtonEnabled(true);
    m_search->setAccessibleName(m_search->placeholderText());
    m_search->addAction(themedIcon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    m_search->setMinimumHeight(searchIconSize + 2 * tightSpacing);
    m_changedOnly->setCheckable(true);
    m_changedOnly->setToolTip(tr("Show only what differs from the defaults"));
    m_advanced->setToolTip(tr("Show settings that few projects change"));

    auto* header = new QWidget(this);
    auto* row = new QHBoxLayout(header);
    row->setContentsMargins(panelMargin, spacing, panelMargin, spacing);
    row->setSpacing(spacing);
    row->addWidget(m_search, 1);
    row->addWidget(m_changedOnly);
    row->addWidget(m_advanced);
    connect(m_search, &QLineEdit::textChanged, this, &ProjectEditor::showFiltered);
    connect(m_changedOnly, &QToolButton::toggled, this, &ProjectEditor::showFiltered);
    connect(m_advanced, &QCheckBox::toggled, this, &ProjectEditor::showFiltered);
    return header;
}

QWidget* ProjectEditor::makeForm() {
    auto* form = new QWidget;
    auto* column = new QVBoxLayout(form);
    column->setContentsMargins(spacing, tightSpacing, 0, panelMargin);
    column->setSpacing(2 * spacing);

    std::string_view section;
    QGridLayout* grid = nullptr;
    m_tasks = new TaskPicker(m_document, form);
    connect(m_tasks, &TaskPicker::fileRequested, this, &ProjectEditor::chooseFile);
    column->addWidget(m_tasks);
    for (const ProjectKey* key : keysInOrder()) {
        if (grid == nullptr || key->section != section) {
            section = key->section;
            auto* block = new QWidget(form);
            grid = new QGridLayout(block);
            grid->setContentsMargins(0, 0, 0, 0);
            grid->setHorizontalSpacing(spacing);
            grid->setVerticalSpacing(tightSpacing);
            m_sections.push_back(
                {.name = section, .block = block, .head = makeHead(section, block), .tools = {}, .rows = {}});
            grid->addWidget(m_sections.back().head, 0, 0, 1, -1);
            column->addWidget(block);
        }
        Section& current = m_sections.back();
        const auto add = [&](QWidget* tools) {
            current.tools.push_back(tools);
            constexpr int titleColumn = 1;
            constexpr int columns = 3;  // title, field and caption, of KeyRow
            grid->addWidget(tools, grid->rowCount(), titleColumn, 1, columns);
        };
        if (key->name == "height")
            add(m_sizes = new SizePicker(m_document, current.block));
        addRow(current, new KeyRow(*key, !saysItsSection(*key), grid, current.block));
        if (key->name == "prompt") {
            m_promptTools = new PromptTools(m_document, current.block);
            putBesideHead(current, m_promptTools);
            current.tools.push_back(m_promptTools);
            add(&m_promptTools->timedParts());
        }
        if (key->form == TextForm::Model)
            add(m_modelState = new ModelState(current.block));
        if (key->name == "seed")
            add(m_variations = new Variations(current.block));
    }
    column->addStretch(1);
    alignTitles();
    return form;
}

QToolButton* ProjectEditor::makeHead(std::string_view section, QWidget* parent) {
    auto* head = new QToolButton(parent);
    head->setAutoRaise(true);
    head->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    head->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    QFont font = head->font();
    font.setBold(true);
    head->setFont(font);
    head->setText(engineText(section).replace(QLatin1Char('&'), QLatin1String("&&")));
    head->setAccessibleName(engineText(section));
    connect(head, &QToolButton::clicked, this, [this, head] {
        for (Section& candidate : m_sections)
            if (candidate.head == head)
                candidate.isFolded = !candidate.isFolded;
        updateVisibility();
    });
    return head;
}

/// Above the rows, where nothing moves with what they say.
void ProjectEditor::putBesideHead(const Section& section, QWidget* tools) {
    auto* grid = static_cast<QGridLayout*>(section.block->layout());
    grid->removeWidget(section.head);
    auto* line = new QHBoxLayout;
    line->setSpacing(spacing);
    line->addWidget(section.head, 1);
    line->addWidget(tools);
    grid->addLayout(line, 0, 0, 1, -1);
}

/// As with the button of its field.
void ProjectEditor::chooseFile(const QString& keyName) {
    if (auto* field = qobject_cast<PathField*>(&row(keyName)->field()))
        field->choose();
}

/// One width in all sections, with room for every word.
void ProjectEditor::alignTitles() {
    int width = usualTitleWidth;
    forEachRow([&](const KeyRow& row) { width = std::max(width, row.leastTitleWidth()); });
    forEachRow([&](KeyRow& row) { row.setTitleWidth(width); });
}

void ProjectEditor::addRow(Section& section, KeyRow* row) {
    section.rows.push_back(row);
    for (QWidget* input : row->field().inputs())
        input->installEventFilter(this);
    connect(&row->field(), &KeyField::edited, this,
            [this, row](const QString& text) { m_document.typeText(row->key(), text); });
    connect(&row->field(), &KeyField::chosen, this,
            [this, row](const QString& text) { m_document.setText(row->key(), text); });
    connect(&row->field(), &KeyField::drawingRequested, this,
            [this, row] { emit drawingRequested(QString::fromStdString(std::string(row->key().name))); });
    if (const auto* adapters = qobject_cast<const AdapterField*>(&row->field()))
        connect(adapters, &AdapterField::wordTaken, this, [this](const QString& word) {
            const ProjectKey& prompt = *findProjectKey("prompt");
            m_document.setText(prompt, promptWithWord(m_document.text(prompt), word));
        });
    connect(row, &KeyRow::helpRequested, this, [this, row] { showHelp(*row); });
    connect(row, &KeyRow::resetRequested, this, [this, row] { m_document.resetKey(row->key()); });
}

void ProjectEditor::refresh() {
    const std::vector<Problem>& problems = m_document.problems();
    forEachRow([&](KeyRow& row) {
        const QString text = m_document.text(row.key());
        if (row.field().text() != text)
            row.field().setText(text);
        row.field().showProject(m_document.project());
        const auto problem = std::ranges::find(problems, row.key().name, &Problem::key);
        const bool changed = !m_document.isDefault(row.key());
        row.showProblem(problem == problems.end() ? nullptr : &*problem, changed);
        row.setChanged(changed);
        row.setDefault(standardText(row.key()));
    });
    if (const ProjectKey* key = m_help->key())
        m_help->showKey(*key, standardText(*key));
    const int changed = m_document.changedKeys();
    m_changedOnly->setText(tr("%n changed", nullptr, changed));
    m_changedOnly->setEnabled(changed > 0 || m_changedOnly->isChecked());
    updateVisibility();
}

QString ProjectEditor::standardText(const ProjectKey& key) const {
    return QString::fromStdString(defaultText(key, m_document.project()));
}

bool ProjectEditor::isWanted(const KeyRow& row) const {
    const QStringList searched = m_search->text().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    if (&row == m_revealed)
        return true;
    if (m_changedOnly->isChecked() && !row.isChanged())
        return false;
    if (!searched.isEmpty())
        return std::ranges::all_of(searched, [&row](const QString& word) { return row.matches(word); });
    // What was changed or needs attention stays in sight.
    if (row.isChanged() || !row.message().isEmpty())
        return true;
    return (showsAdvanced() || row.key().level == KeyLevel::Basic) && mayBeRead(row.key());
}

bool ProjectEditor::mayBeRead(const ProjectKey& key) const {
    if (m_family == nullptr)
        return true;
    static constexpr ModelFamily doesNothing{};
    return mayRead(m_document.project(), m_family ? **m_family : doesNothing, key.name);
}

void ProjectEditor::showFiltered() {
    m_revealed = nullptr;
    updateVisibility();
}

void ProjectEditor::updateVisibility() {
    bool anyAtAll = false;
    const bool isSearched = !m_search->text().isEmpty() || m_changedOnly->isChecked();
    m_help->hide();
    m_tasks->setVisible(!isSearched);
    for (const Section& section : m_sections) {
        bool any = false;
        const bool isFolded = section.isFolded && !isSearched;
        for (KeyRow* row : section.rows) {
            const bool wanted = isWanted(*row);
            // What is wrong is seen in a folded section, too.
            row->setVisible(wanted && (!isFolded || row->field().isInvalid()));
            any = any || wanted;
        }
        for (QWidget* tools : section.tools)
            tools->setVisible(!isFolded && !isSearched);
        section.head->setIcon(
            themedIcon(isFolded ? QStringLiteral("fold-closed") : QStringLiteral("fold-open")));
        section.head->setToolTip(isFolded ? tr("Unfold") : tr("Fold"));
        section.block->setVisible(any);
        anyAtAll = anyAtAll || any;
    }
    m_nothing->setText(m_changedOnly->isChecked() ? tr("Nothing here differs from the defaults.")
                                                  : tr("No setting matches “%1”.").arg(m_search->text()));
    m_nothing->setVisible(!anyAtAll);
    m_scroll->setVisible(anyAtAll);
}

}  // namespace meshreel

#include "moc_project_editor.cpp"
