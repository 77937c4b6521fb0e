// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/comparison.h"

#include <QFont>
#include <QLocale>
#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include "engine/base/error.h"
#include "engine/base/units.h"
#include "engine/project/input_files.h"
#include "engine/project/project_file.h"
#include "engine/project/project_keys.h"
#include "engine/project/project_trust.h"
#include "engine/runs/rated_runs.h"
#include "engine/runs/records/run_record.h"
#include "engine/runs/records/run_verdict.h"
#include "engine/runs/run_folder.h"
#include "engine/runs/run_record_reader.h"
#include "engine/runs/run_votes.h"
#include "engine/timing/verdict.h"
#include "ui/values/engine_texts.h"
#include "ui/values/media_kind.h"

namespace meshreel {

void SettingDifferences::setProjects(std::vector<NamedProject> projects) {
    beginResetModel();
    m_projects = std::move(projects);
    std::vector<Project> compared;
    std::ranges::transform(m_projects, std::back_inserter(compared), &NamedProject::project);
    m_keys = differingKeys(compared);
    endResetModel();
}

int SettingDifferences::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_keys.size());
}

int SettingDifferences::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_projects.size());
}

QVariant SettingDifferences::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || (role != Qt::DisplayRole && role != Qt::ToolTipRole))
        return {};
    const ProjectKey& key = *m_keys[static_cast<std::size_t>(index.row())];
    return valueWords(key, valueText(m_projects[static_cast<std::size_t>(index.column())].project, key));
}

QVariant SettingDifferences::headerData(int section, Qt::Orientation orientation, int role) const {
    const auto index = static_cast<std::size_t>(section);
    if (section < 0 || index >= (orientation == Qt::Horizontal ? m_projects.size() : m_keys.size()))
        return {};
    if (orientation == Qt::Horizontal && role == Qt::DisplayRole)
        return m_projects[index].name;
    if (orientation == Qt::Horizontal && role == Qt::ToolTipRole)
        return m_projects[index].wholeName;
    if (orientation == Qt::Vertical && role == Qt::DisplayRole)
        return engineText(m_keys[index]->title);
    if (orientation == Qt::Vertical && role == Qt::ToolTipRole)
        return engineText(m_keys[index]->help);
    return {};
}

namespace {

constexpr std::string_view runColumn = "run";
constexpr std::string_view speedColumn = "speed";
constexpr std::string_view spreadColumn = "spread";
constexpr std::string_view verdictColumn = "verdict";

/// What people look for first; the other columns of the table follow.
constexpr std::array firstColumns{runColumn,
                                  std::string_view("step_s"),
                                  spreadColumn,
                                  verdictColumn,
                                  speedColumn,
                                  std::string_view("denoise_s"),
                                  std::string_view("decode_s"),
                                  std::string_view("inference_s")};

std::size_t placeOf(const DataTable& table, std::string_view column) {
    return static_cast<std::size_t>(std::ranges::find(table.columns, column) - table.columns.begin());
}

DataTable inOrder(const DataTable& table) {
    std::vector<std::size_t> order;
    order.reserve(table.columns.size());
    for (const std::string_view name : firstColumns)
        order.push_back(placeOf(table, name));
    for (std::size_t column = 0; column < table.columns.size(); ++column)
        if (std::ranges::count(order, column) == 0)
            order.push_back(column);
    DataTable ordered{.columns = {}, .rows = std::vector<std::vector<DataCell>>(table.rows.size())};
    for (const std::size_t column : order) {
        ordered.columns.push_back(table.columns[column]);
        for (std::size_t row = 0; row < table.rows.size(); ++row)
            ordered.rows[row].push_back(table.rows[row][column]);
    }
    return ordered;
}

/// Three figures behind the point below 10, fewer above, as nobody reads more.
QString secondsText(double seconds) {
    return QLocale().toString(seconds, 'f', seconds < 10 ? 3 : seconds < 100 ? 2 : 1);
}

/// As people read a number of a column.
QString numberText(std::string_view column, double number) {
    constexpr int decimals = 2;
    if (column == speedColumn)
        return QStringLiteral("%1×").arg(QLocale().toString(number, 'f', decimals));
    if (column == spreadColumn)
        return TimingComparison::tr("%1 %", "percentage").arg(QLocale().toString(percent * number, 'f', 1));
    return secondsText(number);
}

}  // namespace

DataTable TimingComparison::timingTable(std::vector<RunRecord> runs, int baseline, SpeedOf of) {
    // Speeds are relative to the first.
    std::rotate(runs.begin(), runs.begin() + baseline,
                runs.begin() + std::min<int>(baseline + 1, std::ssize(runs)));
    DataTable table = comparisonTable(runs, of);
    if (!table.rows.empty())
        std::rotate(table.rows.begin(), table.rows.begin() + 1, table.rows.begin() + baseline + 1);
    return inOrder(table);
}

void TimingComparison::setRuns(std::vector<RunRecord> runs) {
    const std::string before = m_runs.empty() ? std::string() : run(m_baseline).name;
    const auto kept = std::ranges::find(runs, before, &RunRecord::name);
    beginResetModel();
    m_baseline = kept == runs.end() ? 0 : static_cast<int>(kept - runs.begin());
    m_runs = std::move(runs);
    judgeRuns();
    endResetModel();
}

void TimingComparison::judgeRuns() {
    m_table = timingTable(withShortNames(m_runs), m_baseline, m_of);
    m_verdicts.clear();
    for (const RunRecord& judged : m_runs)
        m_verdicts.push_back(verdictAgainst(m_runs, run(m_baseline), judged, m_of));
}

void TimingComparison::rebuild() {
    beginResetModel();
    judgeRuns();
    endResetModel();
}

void TimingComparison::setBaseline(int row) {
    m_baseline = row;
    rebuild();
}

void TimingComparison::setSpeedOf(SpeedOf of) {
    m_of = of;
    rebuild();
}

QString TimingComparison::verdictText() const {
    constexpr qsizetype most = 3;
    if (m_runs.size() < 2)
        return {};
    const std::vector<RunRecord> named = withShortNames(m_runs);
    const auto nameOf = [&named](int row) {
        return QString::fromStdString(named[static_cast<std::size_t>(row)].name);
    };
    QStringList sentences;
    for (int row = 0; row < rowCount() && sentences.size() < most; ++row) {
        const std::optional<Verdict>& found = verdict(row);
        if (!found)
            continue;
        const QString words = sentenceText(verdictSentence(*found));
        const TimesSummary times = summarizeTimes(run(row).stepTimes());
        sentences +=
            m_of == SpeedOf::Inference || times.count == 0
                ? tr("%1 beside %2: %3.", "run, baseline, verdict")
                      .arg(nameOf(row), nameOf(m_baseline), words)
                : tr("%1 beside %2: a step takes %3. %4.", "run, baseline, time and spread, verdict")
                      .arg(nameOf(row), nameOf(m_baseline), sentenceText(timesSentence(times)), words);
    }
    return sentences.join(QLatin1Char(' '));
}

int TimingComparison::findColumn(std::string_view name) const {
    const std::size_t place = placeOf(m_table, name);
    return place == m_table.columns.size() ? -1 : static_cast<int>(place);
}

int TimingComparison::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_runs.size());
}

int TimingComparison::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_table.columns.size());
}

const DataCell& TimingComparison::cell(int row, int column) const {
    return m_table.rows[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
}

QVariant TimingComparison::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const DataCell& value = cell(index.row(), index.column());
    const std::string_view column = m_table.columns[static_cast<std::size_t>(index.column())];
    const auto* text = std::get_if<std::string>(&value);
    const auto* whole = std::get_if<std::int64_t>(&value);
    const auto* number = std::get_if<double>(&value);
    switch (role) {
        case Qt::DisplayRole:
            if (text != nullptr && column == verdictColumn)
                return sentenceText(verdictSentence(verdict(index.row()).value_or(Verdict())));
            if (text != nullptr)
                return m_baseline > 0 && index.row() == m_baseline && index.column() == findColumn("run")
                           ? tr("%1 (baseline)", "run").arg(QString::fromStdString(*text))
                           : QString::fromStdString(*text);
            if (whole != nullptr)
                return QLocale().toString(static_cast<qlonglong>(*whole));
            if (number == nullptr)
                return QStringLiteral("–");
            return numberText(column, *number);
        case SortRole:
            return text != nullptr     ? QVariant(QString::fromStdString(*text).toCaseFolded())
                   : whole != nullptr  ? QVariant(static_cast<double>(*whole))
                   : number != nullptr ? QVariant(*number)
                                       : QVariant();
        case Qt::ToolTipRole:
            return QString::fromStdString(run(index.row()).name);
        case Qt::TextAlignmentRole:
            return text == nullptr && column != verdictColumn ? QVariant(Qt::AlignRight | Qt::AlignVCenter)
                                                              : QVariant();
        case Qt::FontRole: {
            QFont font;
            font.setBold(true);
            return isBaseline(index.row()) ? QVariant(font) : QVariant();
        }
        case Qt::AccessibleTextRole:
            return isBaseline(index.row()) && column == runColumn
                       ? tr("%1 (baseline)", "run").arg(QString::fromStdString(*text))
                       : QVariant();
        default:
            return {};
    }
}

QVariant TimingComparison::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    const std::string_view name = m_table.columns[static_cast<std::size_t>(section)];
    if (role == Qt::DisplayRole)
        return timingColumnTitle(name);
    if (role != Qt::ToolTipRole)
        return {};
    if (name == speedColumn)
        return tr(
            "How many times as fast as the baseline, the first run unless another is chosen: by seconds a "
            "step, of pasted timings by denoising, or by inference. A dash stands where runs did not compute "
            "the same, or that is not known.");
    if (name == spreadColumn)
        return tr("Slowest less fastest step, in percent of the median");
    if (name == verdictColumn)
        return tr(
            "Beside the baseline, in bold: the range that holds the true difference in nine of ten "
            "comparisons; where it is within the noise, how often to repeat both");
    return timingColumnTitle(name);
}

namespace {

NamedProject readProjectFile(const std::filesystem::path& file) {
    const LoadedProject opened = openProject(file);
    requireTrust(askTrust(opened, file.parent_path()));  // a plan of it reads its MagCache curve
    return {QString::fromStdString(file.filename().string()), QString::fromStdString(file.string()),
            withInputsIn(opened.project, file.parent_path())};
}

ComparedRun readComparedRun(const std::filesystem::path& folder) {
    return {folder, readRunRecord(folder), RunFolder::open(folder).project(), readJudgedRun(folder)};
}

/// Returns the run whose video is at `path`: Recent results drag it. Empty when there is none.
std::filesystem::path runOfVideo(const std::filesystem::path& path) {
    return kindOf(path) == MediaKind::Video && RunFolder::isRun(path.parent_path()) ? path.parent_path()
                                                                                    : std::filesystem::path();
}

}  // namespace

bool isComparable(const QString& path) {
    try {
        const MediaKind kind = kindOf(path.toStdString());
        return kind == MediaKind::Run || kind == MediaKind::ProjectFile ||
               !runOfVideo(path.toStdString()).empty();
    } catch (const Error&) {
        return false;
    }
}

ComparedFiles readComparedFiles(const std::vector<std::filesystem::path>& paths,
                                const std::vector<std::filesystem::path>& beside) {
    ComparedFiles files;
    for (const std::filesystem::path& path : paths)
        try {
            if (const std::filesystem::path run = runOfVideo(path); !run.empty())
                files.runs.push_back(readComparedRun(run));
            else if (!RunFolder::isRun(path) && std::filesystem::is_regular_file(path))
                files.projects.push_back(readProjectFile(path));
            else
                files.runs.push_back(readComparedRun(path));
        } catch (const Error& refused) {
            files.unread.push_back(refused);
        }
    if (files.runs.empty() && files.projects.empty() && !files.unread.empty())
        throw files.unread.front();
    try {
        std::vector<std::filesystem::path> all = beside;
        std::ranges::transform(files.runs, std::back_inserter(all), &ComparedRun::folder);
        files.votes = readVotesAbout(all);
    } catch (const Error& refused) {
        files.unread.push_back(refused);
    }
    return files;
}

QString settingLabel(const RatedSetting& setting) {
    QStringList values;
    for (const auto& [key, value] : setting)
        values += TimingComparison::tr("%1: %2", "setting and its value")
                      .arg(distinctTitle(*key),
                           value.empty() ? QStringLiteral("–") : visibleText(QString::fromStdString(value)));
    return values.join(QStringLiteral(", "));
}

void Comparison::setRuns(std::vector<ComparedRun> runs) {
    m_runs = std::move(runs);
    rate();
}

void Comparison::setVotes(std::vector<Vote> votes) {
    m_votes = std::move(votes);
    rate();
}

void Comparison::rate() {
    std::vector<JudgedRun> judged;
    std::ranges::transform(m_runs, std::back_inserter(judged), &ComparedRun::judged);
    m_rated = RatedRuns(std::move(judged));
    const std::vector<RunRating> ratings = rateRuns(m_rated, m_votes);
    for (std::size_t run = 0; run < m_runs.size(); ++run) {
        m_runs[run].record.rating = ratings[run];
        m_runs[run].record.rating.label =
            settingLabel(m_rated.settings()[m_rated.settingOf(run)]).toStdString();
    }
}

void Comparison::add(ComparedFiles files) {
    for (ComparedRun& run : files.runs) {
        const auto known = std::ranges::find(m_runs, run.folder, &ComparedRun::folder);
        if (known == m_runs.end())
            m_runs.push_back(std::move(run));
        else
            *known = std::move(run);
    }
    for (Vote& vote : files.votes)
        if (std::ranges::find(m_votes, vote.id, &Vote::id) == m_votes.end())
            m_votes.push_back(std::move(vote));
    rate();
    for (NamedProject& project : files.projects)
        addProject(std::move(project));
}

void Comparison::addProject(NamedProject project) {
    const auto known = std::ranges::find_if(m_projects, [&](const NamedProject& other) {
        return other.name == project.name && other.wholeName == project.wholeName;
    });
    if (known == m_projects.end())
        m_projects.push_back(std::move(project));
    else
        *known = std::move(project);
}

void Comparison::addPasted(std::vector<RunRecord> runs) {
    std::ranges::move(runs, std::back_inserter(m_pasted));
}

void Comparison::forgetAdded() {
    m_pasted.clear();
    m_projects.clear();
}

std::vector<std::filesystem::path> Comparison::folders() const {
    std::vector<std::filesystem::path> folders;
    std::ranges::transform(m_runs, std::back_inserter(folders), &ComparedRun::folder);
    return folders;
}

std::vector<RunRecord> Comparison::records() const {
    std::vector<RunRecord> records;
    std::ranges::transform(m_runs, std::back_inserter(records), &ComparedRun::record);
    std::ranges::copy(m_pasted, std::back_inserter(records));
    return records;
}

std::vector<std::string> Comparison::shortNames() const {
    std::vector<std::string> names;
    for (const RunRecord& record : withShortNames(records()))
        names.push_back(record.name);
    return names;
}

std::vector<NamedRun> Comparison::namedRuns() const {
    const std::vector<std::string> names = shortNames();
    std::vector<NamedRun> runs;
    for (std::size_t index = 0; index < m_runs.size(); ++index)
        runs.push_back({QString::fromStdString(names[index]), m_runs[index].folder});
    return runs;
}

std::vector<NamedProject> Comparison::projects() const {
    const std::vector<std::string> names = shortNames();
    std::vector<NamedProject> projects;
    for (std::size_t index = 0; index < m_runs.size(); ++index)
        projects.push_back({QString::fromStdString(names[index]),
                            QString::fromStdString(m_runs[index].record.name), m_runs[index].project});
    std::ranges::copy(m_projects, std::back_inserter(projects));
    return projects;
}

}  // namespace meshreel

#include "moc_comparison.cpp"
