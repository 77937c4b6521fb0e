// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/comparison.h"

#include <algorithm>
#include <iterator>

#include "engine/base/error.h"
#include "engine/project/input_files.h"
#include "engine/project/project_file.h"
#include "engine/runs/records/run_record.h"
#include "engine/runs/run_folder.h"
#include "engine/runs/run_record_reader.h"
#include "ui/controller/opened_media.h"

namespace meshreel {

namespace {

NamedProject readProjectFile(const std::filesystem::path& file) {
    return {QString::fromStdString(file.filename().string()), QString::fromStdString(file.string()),
            withInputsIn(openProject(file).project, file.parent_path())};
}

ComparedRun readComparedRun(const std::filesystem::path& folder) {
    return {folder, readRunRecord(folder), RunFolder::open(folder).project()};
}

}  // namespace

bool isComparable(const QString& path) {
    try {
        const MediaKind kind = kindOf(path.toStdString());
        return kind == MediaKind::Run || kind == MediaKind::ProjectFile;
    } catch (const Error&) {
        return false;
    }
}

ComparedFiles readComparedFiles(const std::vector<std::filesystem::path>& paths) {
    ComparedFiles files;
    for (const std::filesystem::path& path : paths)
        if (!RunFolder::isRun(path) && std::filesystem::is_regular_file(path))
            files.projects.push_back(readProjectFile(path));
        else
            files.runs.push_back(readComparedRun(path));
    return files;
}

void Comparison::add(ComparedFiles files) {
    for (ComparedRun& run : files.runs) {
        const auto known = std::ranges::find(m_runs, run.folder, &ComparedRun::folder);
        if (known == m_runs.end())
            m_runs.push_back(std::move(run));
        else
            *known = std::move(run);
    }
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
    for (const RunRecord& record : records())
        names.push_back(record.name);
    return shortRunNames(names);
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
