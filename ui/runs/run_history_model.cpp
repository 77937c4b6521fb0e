// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/run_history_model.h"

#include <QLocale>
#include <QString>
#include <QVariant>
#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/held_file.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/project/project.h"
#include "engine/project/project_keys.h"
#include "engine/runs/run_folder.h"
#include "engine/runs/run_history.h"
#include "ui/values/engine_texts.h"
#include "ui/values/pictures.h"

namespace meshreel {

QString momentText(const QDateTime& moment) {
    const QLocale locale;
    QString time = locale.timeFormat(QLocale::ShortFormat);
    if (!time.contains(QLatin1String("ss")))  // runs of a grid begin in the same minute
        time.replace(QStringLiteral("mm"), QStringLiteral("mm:ss"));
    return QStringLiteral("%1 %2").arg(locale.toString(moment.date(), QLocale::ShortFormat),
                                       locale.toString(moment.time(), time));
}

namespace {

constexpr QSize previewSize{184, 112};  ///< twice what is shown, for screens of 200 %

// What the table says of a run.

QString tagText(const RunSummary& run) {
    QStringList tags;
    for (const std::string& tag : run.notes.tags)
        tags += QString::fromStdString(tag);
    return tags.join(QStringLiteral(", "));
}

QString modelText(const RunOutline& outline) {
    const std::filesystem::path model(outline.model);
    return QString::fromStdString((model.has_filename() ? model : model.parent_path()).filename().string());
}

/// Axes of more than one device.
QString meshText(const MeshShape& mesh) {
    QStringList axes;
    for (const MeshAxis axis : meshAxes)
        if (mesh.extent(axis) > 1)
            axes += QStringLiteral("%1 %2").arg(
                QLatin1StringView(nameOf(axis).data(), static_cast<qsizetype>(nameOf(axis).size())),
                QLocale().toString(mesh.extent(axis)));
    return axes.join(QStringLiteral(", "));
}

/// Columns that status.json of earlier versions does not have.
QString outlineText(const RunOutline& outline, int column) {
    switch (column) {
        case RunHistoryModel::Size:
            return QStringLiteral("%1×%2×%3").arg(outline.width).arg(outline.height).arg(outline.frames);
        case RunHistoryModel::Model:
            return modelText(outline);
        case RunHistoryModel::Attention:
            return QString::fromStdString(outline.attention);
        case RunHistoryModel::Devices:
            return QLocale().toString(outline.mesh.devices());
        case RunHistoryModel::Mesh:
            return meshText(outline.mesh);
        default:
            return {};
    }
}

/// Three figures behind the point below 10, fewer above, as nobody reads more.
QString stepSecondsText(double seconds) {
    return QLocale().toString(seconds, 'f', seconds < 10 ? 3 : seconds < 100 ? 2 : 1);
}

/// One a line where a batch has several.
QString promptsText(const RunSummary& run) {
    QStringList prompts;
    for (const std::string& prompt : run.state.batchPrompts)
        prompts += QString::fromStdString(prompt);
    return visibleText(prompts.isEmpty() ? QString::fromStdString(run.prompt)
                                         : prompts.join(QLatin1Char('\n')));
}

/// Returns its prompts, else its name, else that of its folder.
QString titleOf(const RunSummary& run) {
    if (const QString prompts = promptsText(run); !prompts.isEmpty())
        return QString(prompts).replace(QLatin1Char('\n'), QStringLiteral(" · "));
    const std::string& title = run.name;
    return visibleText(QString::fromStdString(title.empty() ? run.folder.filename().string() : title));
}

/// Returns when it began; empty if that is not known.
QString startText(const RunSummary& run) {
    const QDateTime start = startTime(run.state);
    return start.isValid() ? momentText(start) : QString();
}

/// Returns what neither the title nor the columns show.
QString runDetail(const RunSummary& run) {
    if (!run.problem.empty())
        return sentenceText(run.problem);
    QStringList parts;
    if (!run.name.empty() && !run.prompt.empty())
        parts += visibleText(QString::fromStdString(run.name));
    if (run.state.outline)
        for (const int column : {RunHistoryModel::Model, RunHistoryModel::Size})
            parts += outlineText(*run.state.outline, column);
    return parts.isEmpty() ? QString::fromStdString(run.folder.filename().string())
                           : parts.join(QStringLiteral(" · "));
}

// What its project holds that is not at its default.

/// The value of "key=value"; empty for another key.
std::string_view valueIn(std::string_view setting, std::string_view key) {
    const bool isIt = setting.size() > key.size() && setting.starts_with(key) && setting[key.size()] == '=';
    return isIt ? setting.substr(key.size() + 1) : std::string_view();
}

std::string settingOf(const RunSummary& run, const ProjectKey& key) {
    for (const std::string& setting : run.state.settings)
        if (const std::string_view value = valueIn(setting, key.name); !value.empty())
            return std::string(value);
    static const Project standard;
    return valueText(standard, key);
}

QString seedText(const RunSummary& run) {
    return run.state.settings.empty() ? QString()
                                      : QString::fromStdString(settingOf(run, *findProjectKey("seed")));
}

/// Returns names and values of those of `keys` that are not at their defaults: "Guidance: 3, Attention:
/// ulysses".
QString differenceText(const RunSummary& run, const std::set<std::string>& keys) {
    QStringList parts;
    for (const std::string& setting : run.state.settings) {
        const std::string name = setting.substr(0, setting.find('='));
        const ProjectKey* key = keys.contains(name) ? findProjectKey(name) : nullptr;
        if (key != nullptr)
            parts += RunHistoryModel::tr("%1: %2", "setting and its value")
                         .arg(distinctTitle(*key), QString::fromStdString(setting.substr(name.size() + 1)));
    }
    return parts.join(QStringLiteral(", ")).simplified();
}

QString keyToolTip(const RunSummary& run) {
    return QStringLiteral("%1\n%2\n%3")
        .arg(titleOf(run), stateSentence(run.state), QString::fromStdString(run.folder.string()));
}

/// Returns all words of it, a kind a line.
QString searchText(const RunSummary& run) {
    return QStringList{promptsText(run),
                       QString::fromStdString(run.name),
                       statusTitle(run.state.status),
                       run.state.outline ? modelText(*run.state.outline) : QString(),
                       run.state.outline ? QString::fromStdString(run.state.outline->attention) : QString(),
                       tagText(run),
                       QString::fromStdString(run.notes.note),
                       QString::fromStdString(run.folder.filename().string())}
        .join(QLatin1Char('\n'));
}

/// Returns the text in a column of RunHistoryModel.
QString cellText(const RunSummary& run, int column) {
    switch (column) {
        case RunHistoryModel::Run:
            return titleOf(run);
        case RunHistoryModel::Status:
            return statusTitle(run.state.status);
        case RunHistoryModel::Started:
            return startText(run);
        case RunHistoryModel::Duration:
            return run.inferenceSeconds ? durationText(*run.inferenceSeconds) : QString();
        case RunHistoryModel::Steps:
            return QStringLiteral("%1/%2").arg(run.stepsDone).arg(run.steps);
        case RunHistoryModel::StepSeconds:
            return run.stepSeconds ? stepSecondsText(*run.stepSeconds) : QString();
        case RunHistoryModel::Tags:
            return tagText(run);
        case RunHistoryModel::Note:
            return QString::fromStdString(run.notes.note);
        case RunHistoryModel::Seed:
            return seedText(run);
        default:
            return run.state.outline ? outlineText(*run.state.outline, column) : QString();
    }
}

/// What that column is sorted by.
QVariant sortValue(const RunSummary& run, int column) {
    switch (column) {
        case RunHistoryModel::Started:
            return startTime(run.state);
        case RunHistoryModel::Duration:
            return run.inferenceSeconds.value_or(-1);
        case RunHistoryModel::Steps:
            return run.steps;
        case RunHistoryModel::StepSeconds:
            return run.stepSeconds.value_or(-1);
        case RunHistoryModel::Size:
            return run.state.outline
                       ? static_cast<qlonglong>(run.state.outline->width * run.state.outline->height *
                                                run.state.outline->frames)
                       : qlonglong{-1};
        case RunHistoryModel::Devices:
            return run.state.outline ? run.state.outline->mesh.devices() : -1;
        case RunHistoryModel::Seed:
            return seedText(run).toULongLong();
        default:
            return cellText(run, column).toCaseFolded();
    }
}

}  // namespace

void RunHistoryModel::setRuns(std::vector<RunSummary> runs) {
    m_previews.clear();
    removeMissing(runs);
    std::map<std::filesystem::path, int> known;
    for (int row = 0; row < rowCount(); ++row)
        known.emplace(m_runs[static_cast<std::size_t>(row)].folder, row);
    std::vector<RunSummary> added;
    for (RunSummary& run : runs)
        if (const auto row = known.find(run.folder); row != known.end())
            replaceRow(row->second, std::move(run));
        else
            added.push_back(std::move(run));
    if (!added.empty()) {
        // Views sort by themselves.
        beginInsertRows({}, 0, static_cast<int>(added.size()) - 1);
        m_runs.insert(m_runs.begin(), std::make_move_iterator(added.begin()),
                      std::make_move_iterator(added.end()));
        endInsertRows();
    }
    findWhatDiffers();
}

/// What has a column that is always shown, and the name, which changes nothing, count for nothing.
void RunHistoryModel::findWhatDiffers() {
    static const std::set<std::string_view> toldElsewhere{"run_name", "prompt", "num_inference_steps",
                                                          "seed"};
    std::map<std::string, std::set<std::string>> values;  // by key, of the runs that do not have its default
    std::map<std::string, std::size_t> runsWith;
    std::size_t told = 0;
    for (const RunSummary& run : m_runs) {
        told += run.state.settings.empty() ? 0 : 1;
        for (const std::string& setting : run.state.settings) {
            const std::string key = setting.substr(0, setting.find('='));
            values[key].insert(setting);
            ++runsWith[key];
        }
    }
    std::set<std::string> varied;
    for (const auto& [key, found] : values)
        if (!toldElsewhere.contains(key) && (found.size() > 1 || runsWith[key] < told))
            varied.insert(key);
    if (std::exchange(m_varied, varied) != varied && rowCount() > 0)
        emit dataChanged(index(0, Differs), index(rowCount() - 1, Differs));
}

QString RunHistoryModel::textAt(const RunSummary& run, int column) const {
    return column == Differs ? differenceText(run, m_varied) : cellText(run, column);
}

void RunHistoryModel::removeMissing(const std::vector<RunSummary>& runs) {
    std::set<std::filesystem::path> present;
    std::ranges::transform(runs, std::inserter(present, present.end()), &RunSummary::folder);
    const auto isMissing = [&](int row) {
        return !present.contains(m_runs[static_cast<std::size_t>(row)].folder);
    };
    for (int last = rowCount() - 1; last >= 0; --last) {
        if (!isMissing(last))
            continue;
        int first = last;
        while (first > 0 && isMissing(first - 1))
            --first;
        beginRemoveRows({}, first, last);
        m_runs.erase(m_runs.begin() + first, m_runs.begin() + last + 1);
        endRemoveRows();
        last = first;
    }
}

void RunHistoryModel::replaceRow(int row, RunSummary run) {
    RunSummary& present = m_runs[static_cast<std::size_t>(row)];
    if (present == run)
        return;
    const bool notesDiffer = present.notes != run.notes;
    const bool settingsDiffer = present.state.settings != run.state.settings;
    present = std::move(run);
    // A change of the cells that people edit would put aside what they type there.
    emit dataChanged(index(row, Run), index(row, Tags - 1));
    if (notesDiffer)
        emit dataChanged(index(row, Tags), index(row, Note));
    if (settingsDiffer)
        emit dataChanged(index(row, Seed), index(row, Differs));
}

const RunSummary& RunHistoryModel::run(const QModelIndex& index) const {
    return m_runs[static_cast<std::size_t>(index.row())];
}

QModelIndex RunHistoryModel::indexOf(const QString& folder) const {
    for (int row = 0; row < rowCount(); ++row)
        if (index(row, Run).data(FolderRole) == folder)
            return index(row, Run);
    return {};
}

int RunHistoryModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_runs.size());
}

int RunHistoryModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant RunHistoryModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const RunSummary& summary = run(index);
    switch (role) {
        case Qt::DisplayRole:
        case Qt::EditRole:
            return textAt(summary, index.column());
        case SortRole:
            return index.column() == Differs ? QVariant(textAt(summary, Differs).toCaseFolded())
                                             : sortValue(summary, index.column());
        case Qt::DecorationRole:
            return index.column() == Run ? QVariant(makePreview(summary)) : QVariant();
        default:
            return ofRun(summary, role);
    }
}

QVariant RunHistoryModel::ofRun(const RunSummary& summary, int role) const {
    switch (role) {
        case Qt::ToolTipRole:
            return keyToolTip(summary);
        case Qt::AccessibleTextRole:
            return QStringLiteral("%1, %2, %3, %4")
                .arg(titleOf(summary), statusTitle(summary.state.status), startText(summary),
                     extentText(summary));
        case FolderRole:
            return QString::fromStdString(summary.folder.string());
        case DetailRole:
            return runDetail(summary);
        case StatusRole:
            return static_cast<int>(summary.state.status);
        case StatusTextRole:
            return statusTitle(summary.state.status);
        case SearchRole:
            return searchText(summary);
        default:
            return {};
    }
}

bool RunHistoryModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (role != Qt::EditRole || !flags(index).testFlag(Qt::ItemIsEditable))
        return false;
    RunSummary& summary = m_runs[static_cast<std::size_t>(index.row())];
    RunNotes notes = summary.notes;
    const std::string text = value.toString().toStdString();
    if (index.column() == Tags)
        notes.tags = readTags(text);
    else
        notes.note = text;
    try {
        writeRunNotes(summary.folder, notes);
    } catch (const Error&) {
        emit notesFailed(wholeText(currentProblem()));
        return false;
    }
    summary.notes = std::move(notes);
    emit dataChanged(index, index);
    return true;
}

Qt::ItemFlags RunHistoryModel::flags(const QModelIndex& index) const {
    Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    if (!index.isValid())
        return flags;
    flags |= Qt::ItemIsDragEnabled;  // no view begins a drag without it
    return index.column() == Tags || index.column() == Note ? flags | Qt::ItemIsEditable : flags;
}

QVariant RunHistoryModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation == Qt::Horizontal && role == Qt::ToolTipRole)
        return section == StepSeconds ? tr("Seconds a step, without the first one")
               : section == Size      ? tr("Width × height × frames")
               : section == Differs   ? tr("Settings in which these runs differ, where they are not at their "
                                             "defaults")
                                      : QVariant();
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
        case Run:
            return tr("Run");
        case Status:
            return tr("Status");
        case Started:
            return tr("Started");
        case Duration:
            return tr("Duration");
        case Steps:
            return tr("Steps");
        case StepSeconds:
            return tr("Step, s");
        case Size:
            return tr("Size");
        case Model:
            return tr("Model");
        case Attention:
            return tr("Attention");
        case Devices:
            return tr("Devices");
        case Mesh:
            return tr("Mesh");
        case Tags:
            return tr("Tags");
        case Note:
            return tr("Note");
        case Seed:
            return tr("Seed");
        case Differs:
            return tr("What differs");
        default:
            return {};
    }
}

QPixmap RunHistoryModel::makePreview(const RunSummary& run) const {
    if (!run.preview)
        return {};
    const QString file = QString::fromStdString(run.preview->string());
    auto known = m_previews.find(file);
    if (known == m_previews.end())
        known = m_previews.insert(file, readThumbnail(file, previewSize, Links::Refuse));
    return known.value();
}

}  // namespace meshreel

#include "moc_run_history_model.cpp"
