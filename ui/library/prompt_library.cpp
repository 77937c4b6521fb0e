// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/library/prompt_library.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <array>
#include <optional>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/paths.h"
#include "ui/project/prompt_variants.h"
#include "ui/values/engine_texts.h"

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

QJsonObject jsonOf(const KeptPrompt& prompt) {
    QJsonObject json;
    for (const PromptField& field : fields)
        json.insert(field.key, prompt.*field.member);
    return json;
}

/// Nothing for what is no prompt.
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
        array += jsonOf(prompt);
    std::filesystem::create_directories(file.parent_path());
    writeFileAtomically(file, QJsonDocument(QJsonObject{{promptsKey, array}}).toJson().toStdString());
}

struct KeptPrompts {
    std::vector<KeptPrompt> prompts;
    int unread = 0;  ///< entries that are no prompts
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
            std::filesystem::copy_file(m_file, aside, stays);
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

}  // namespace meshreel
