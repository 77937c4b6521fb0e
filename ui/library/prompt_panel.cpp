// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/library/prompt_panel.h"

#include <QAction>
#include <QHeaderView>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLineEdit>
#include <QMessageBox>
#include <QPersistentModelIndex>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>
#include <array>
#include <optional>
#include <utility>

#include "engine/base/disk_calls.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/paths.h"
#include "engine/project/project_keys.h"
#include "ui/library/prompt_helper_dialog.h"
#include "ui/project/project_document.h"
#include "ui/theme/look.h"
#include "ui/theme/plain_text.h"
#include "ui/values/engine_texts.h"
#include "ui/widgets/panel_parts.h"
#include "ui/widgets/row_table.h"

namespace meshreel {

namespace {

constexpr QLatin1String promptsKey("prompts");

struct PromptField {
    PromptLibrary::Column column{};
    QLatin1String key;  ///< in the file
    QString KeptPrompt::*member = nullptr;
};

constexpr std::array fields{
    PromptField{PromptLibrary::Name, QLatin1String("name"), &KeptPrompt::name},
    PromptField{PromptLibrary::Tags, QLatin1String("tags"), &KeptPrompt::tags},
    PromptField{PromptLibrary::Prompt, QLatin1String("prompt"), &KeptPrompt::prompt},
    PromptField{PromptLibrary::Negative, QLatin1String("negative_prompt"), &KeptPrompt::negative}};

const PromptField& findField(int column) {
    return fields.at(static_cast<std::size_t>(column));
}

QJsonObject makeJson(const KeptPrompt& prompt) {
    QJsonObject json;
    for (const PromptField& field : fields)
        json.insert(field.key, prompt.*field.member);
    return json;
}

/// Returns nothing when it is not a prompt.
std::optional<KeptPrompt> parsePrompt(const QJsonValue& json) {
    const QJsonObject object = json.toObject();
    KeptPrompt prompt;
    for (const PromptField& field : fields)
        prompt.*field.member = object.value(field.key).toString();
    return prompt.prompt.isEmpty() && prompt.negative.isEmpty() && prompt.name.isEmpty()
               ? std::nullopt
               : std::optional(std::move(prompt));
}

void writePrompts(const std::filesystem::path& file, const std::vector<KeptPrompt>& prompts) {
    QJsonArray array;
    for (const KeptPrompt& prompt : prompts)
        array += makeJson(prompt);
    std::filesystem::create_directories(file.parent_path());
    writeFileAtomically(file, QJsonDocument(QJsonObject{{promptsKey, array}}).toJson().toStdString());
}

struct KeptPrompts {
    std::vector<KeptPrompt> prompts;
    int unread = 0;  ///< entries that are not prompts
};

/// Throws Error{Input} for a file that cannot be read or is damaged.
KeptPrompts readPrompts(const std::filesystem::path& file) {
    QJsonParseError failure{};
    const QJsonDocument json = QJsonDocument::fromJson(QByteArray::fromStdString(readFile(file)), &failure);
    if (!json.isObject() || !json.object().value(promptsKey).isArray())
        throw Error(ErrorKind::Input, failure.errorString().toStdString(), withTilde(file));
    KeptPrompts kept;
    for (const auto& entry : json.object().value(promptsKey).toArray())
        if (auto prompt = parsePrompt(entry))
            kept.prompts.push_back(*std::move(prompt));
        else
            ++kept.unread;
    return kept;
}

}  // namespace

bool KeptPrompt::isStyle() const {
    return prompt.contains(styleMark);
}

QString promptWith(const KeptPrompt& kept, const QString& prompt) {
    return QString(kept.prompt).replace(styleMark, prompt);
}

PromptLibrary::PromptLibrary(std::filesystem::path file, QObject* parent)
    : QAbstractTableModel(parent), m_file(std::move(file)) {
    m_writer.setMaxThreadCount(1);
    read();
    connect(this, &PromptLibrary::changed, this, &PromptLibrary::keep);
}

PromptLibrary::~PromptLibrary() {
    m_writer.waitForDone();
}

int PromptLibrary::add(KeptPrompt prompt) {
    const int row = rowCount();
    beginInsertRows({}, row, row);
    m_prompts.push_back(std::move(prompt));
    endInsertRows();
    emit changed();
    return row;
}

void PromptLibrary::remove(int row) {
    beginRemoveRows({}, row, row);
    m_prompts.erase(m_prompts.begin() + row);
    endRemoveRows();
    emit changed();
}

int PromptLibrary::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_prompts.size());
}

int PromptLibrary::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant PromptLibrary::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const KeptPrompt& prompt = at(index.row());
    switch (role) {
        case Qt::DisplayRole:
        case Qt::EditRole:
        case Qt::ToolTipRole:
            return prompt.*findField(index.column()).member;
        case SearchRole:
            return QStringList{prompt.name, prompt.tags, prompt.prompt, prompt.negative}.join(
                QLatin1Char(' '));
        default:
            return {};
    }
}

QVariant PromptLibrary::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
        case Name:
            return tr("Name");
        case Tags:
            return tr("Tags");
        case Prompt:
            return tr("Prompt");
        case Negative:
            return tr("Not to be seen");
        default:
            return {};
    }
}

Qt::ItemFlags PromptLibrary::flags(const QModelIndex& index) const {
    const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    return index.isValid() ? flags | Qt::ItemIsEditable : flags;
}

bool PromptLibrary::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (!index.isValid() || role != Qt::EditRole)
        return false;
    m_prompts[static_cast<std::size_t>(index.row())].*findField(index.column()).member = value.toString();
    emit dataChanged(index, index);
    emit changed();
    return true;
}

void PromptLibrary::read() {
    if (!std::filesystem::exists(m_file))
        return;
    const std::filesystem::path aside = freePath(m_file.string() + ".damaged");
    const QString asideText = QString::fromStdString(withTilde(aside));
    std::error_code stays;
    try {
        KeptPrompts kept = readPrompts(m_file);
        m_prompts = std::move(kept.prompts);
        if (kept.unread > 0) {
            stays = copyContent(m_file, aside);
            m_remark = tr("%n kept prompt(s) could not be read; a copy of all is %1", nullptr, kept.unread)
                           .arg(asideText);
        }
    } catch (const Error& failure) {
        std::filesystem::rename(m_file, aside, stays);
        m_remark = tr("The kept prompts could not be read and were set aside as %1: %2")
                       .arg(asideText, sentenceText(failure.message()));
    }
}

void PromptLibrary::keep() {
    m_writer.start([this, file = m_file, prompts = m_prompts] {
        try {
            writePrompts(file, prompts);
        } catch (const std::exception&) {
            emit keepingFailed(wholeText(currentProblem()));
        }
    });
}

namespace {

constexpr QSize toolIconSize{18, 18};
constexpr int promptNameWidth = 130;
constexpr int tagsWidth = 90;
constexpr int wordsOfName = 4;

const ProjectKey& promptKey() {
    return *findProjectKey("prompt");
}

const ProjectKey& negativeKey() {
    return *findProjectKey("negative_prompt");
}

/// The first words of a prompt.
QString nameFor(const QString& prompt) {
    return prompt.simplified().section(QLatin1Char(' '), 0, wordsOfName - 1);
}

}  // namespace

PromptPanel::PromptPanel(PromptLibrary& library, ProjectDocument& document, QWidget* parent)
    : QWidget(parent),
      m_library(library),
      m_document(document),
      m_shown(new QSortFilterProxyModel(this)),
      m_search(new QLineEdit(this)),
      m_table(new QTreeView(this)),
      m_empty(new EmptyState({}, this)) {
    makeActions();
    setUpTable();
    m_keepFirst = m_empty->addButton(m_actions.keep);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(makeTools());
    layout->addWidget(m_empty, 1);
    layout->addWidget(m_table, 1);
    connect(m_search, &QLineEdit::textChanged, m_shown, &QSortFilterProxyModel::setFilterFixedString);
    connect(m_search, &QLineEdit::textChanged, this, &PromptPanel::refresh);
    connect(&m_library, &PromptLibrary::changed, this, &PromptPanel::refresh);
    connect(&m_document, &ProjectDocument::changed, this, &PromptPanel::refresh);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentChanged, this, &PromptPanel::refresh);
    refresh();
}

void PromptPanel::makeActions() {
    const auto add = [this](const char* icon, const QString& text, const QString& help,
                            void (PromptPanel::*act)()) {
        auto* action = new QAction(themedIcon(QLatin1String(icon)), text, this);
        action->setToolTip(help);
        connect(action, &QAction::triggered, this, act);
        return action;
    };
    m_actions = {.keep = add("add", tr("Keep"), tr("Keep the project's prompt, with what must not be seen"),
                             &PromptPanel::keep),
                 .use = add("check", tr("Use"),
                            tr("Put the prompt into the project; a style is put around the project's prompt"),
                            &PromptPanel::use),
                 .remove = add("trash", tr("Remove"), tr("Remove the prompt from those that are kept"),
                               &PromptPanel::remove),
                 .rewrite = add("refresh", tr("Rewrite…"),
                                tr("Let a language model rewrite the project's prompt, and edit its answer"),
                                &PromptPanel::rewrite)};
    m_actions.remove->setShortcut(QKeySequence::Delete);
    m_actions.remove->setShortcutContext(Qt::WidgetShortcut);  // of the table, to which it is added
}

QWidget* PromptPanel::makeTools() {
    m_search->setPlaceholderText(tr("Search"));
    m_search->setAccessibleName(tr("Search the kept prompts"));
    m_search->setClearButtonEnabled(true);
    m_search->addAction(themedIcon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    auto* tools = new PanelToolBar(this);
    tools->setIconSize(toolIconSize);
    tools->addActions({m_actions.keep, m_actions.use, m_actions.remove, m_actions.rewrite});
    for (QAction* action : {m_actions.keep, m_actions.use})
        if (auto* button = qobject_cast<QToolButton*>(tools->widgetForAction(action)))
            button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    tools->addWidget(m_search);
    return tools;
}

void PromptPanel::setUpTable() {
    m_shown->setSourceModel(&m_library);
    m_shown->setFilterRole(PromptLibrary::SearchRole);
    m_shown->setFilterCaseSensitivity(Qt::CaseInsensitive);
    m_shown->setSortCaseSensitivity(Qt::CaseInsensitive);
    m_table->setModel(m_shown);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setRootIsDecorated(false);
    m_table->setUniformRowHeights(true);
    m_table->setAlternatingRowColors(true);
    m_table->setAllColumnsShowFocus(true);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(PromptLibrary::Name, Qt::AscendingOrder);
    m_table->setEditTriggers(QAbstractItemView::EditKeyPressed | QAbstractItemView::SelectedClicked);
    m_table->setAccessibleName(tr("Kept prompts"));
    new CellTips(*m_table);
    m_table->addActions({m_actions.use, m_actions.remove, (new SortMenu(*m_table->header()))->menuAction()});
    m_table->header()->resizeSection(PromptLibrary::Name, promptNameWidth);
    m_table->header()->resizeSection(PromptLibrary::Tags, tagsWidth);
    makeRoomForHeadings(*m_table->header());
    new ColumnMenu(*m_table, *m_table->header());
    connect(m_table, &QTreeView::activated, this, &PromptPanel::use);
}

int PromptPanel::currentRow() const {
    return m_shown->mapToSource(m_table->currentIndex()).row();
}

void PromptPanel::keep() {
    const QString prompt = m_document.text(promptKey());
    m_search->clear();
    const int row = m_library.add(
        {.name = nameFor(prompt), .tags = {}, .prompt = prompt, .negative = m_document.text(negativeKey())});
    const QModelIndex name = m_shown->mapFromSource(m_library.index(row, PromptLibrary::Name));
    m_table->setCurrentIndex(name);
    m_table->edit(name);
}

void PromptPanel::use() {
    const int row = currentRow();
    if (row < 0)
        return;
    const KeptPrompt& kept = m_library.at(row);
    std::vector<KeyText> texts{{&promptKey(), promptWith(kept, m_document.text(promptKey()))}};
    if (!kept.negative.isEmpty())
        texts.push_back({&negativeKey(), kept.negative});
    m_document.setTexts(kept.isStyle() ? tr("Style “%1”").arg(kept.name) : tr("Prompt “%1”").arg(kept.name),
                        texts);
}

void PromptPanel::remove() {
    const int row = currentRow();
    if (row < 0)
        return;
    const QPersistentModelIndex asked = m_library.index(row, PromptLibrary::Name);
    const QString name = m_library.at(row).name;
    if (QMessageBox::question(this, tr("Remove a prompt"),
                              asPlainText(tr("Remove “%1”? It cannot be brought back.").arg(name))) ==
            QMessageBox::Yes &&
        asked.isValid())
        m_library.remove(asked.row());
}

void PromptPanel::rewrite() {
    PromptHelperDialog dialog(m_document.text(promptKey()), promptUse(m_document.project()), this);
    if (dialog.exec() == QDialog::Accepted)
        m_document.setTexts(tr("Rewritten prompt"), {{&promptKey(), dialog.rewritten()}});
}

void PromptPanel::refresh() {
    const bool any = currentRow() >= 0;
    m_actions.keep->setEnabled(!m_document.text(promptKey()).isEmpty());
    m_actions.use->setEnabled(any);
    m_actions.remove->setEnabled(any);
    const bool empty = m_shown->rowCount() == 0;
    m_keepFirst->setVisible(m_library.rowCount() == 0);
    m_empty->setSentence(!m_library.remark().isEmpty() && m_library.rowCount() == 0 ? m_library.remark()
                         : m_library.rowCount() > 0 ? tr("No kept prompt has these words.")
                                                    : tr("No saved prompts. Save the current one. A prompt "
                                                         "containing {prompt} acts as a style around it."));
    m_empty->setVisible(empty);
    m_table->setVisible(!empty);
}

}  // namespace meshreel

#include "moc_prompt_panel.cpp"
