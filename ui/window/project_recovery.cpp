// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/project_recovery.h"

#include <QString>
#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/paths.h"
#include "ui/project/project_document.h"
#include "ui/values/engine_texts.h"
#include "ui/window/project_files.h"

namespace meshreel {

namespace {

constexpr int pauseMilliseconds = 500;  ///< behind the last change
constexpr int windowPlaces = 8;         ///< windows that keep their projects at the same time
constexpr std::string_view fileMark = "# file: ";

std::filesystem::path placeIn(const std::filesystem::path& folder, int number, const char* extension) {
    return folder / ("session-" + std::to_string(number) + extension);
}

}  // namespace

ProjectRecovery::ProjectRecovery(ProjectDocument& document, const ProjectFiles& files,
                                 const std::filesystem::path& folder, QObject* parent)
    : QObject(parent), m_document(document), m_files(files), m_folder(folder) {
    takePlace(Place::Kept);
    m_pause.setSingleShot(true);
    m_pause.setInterval(pauseMilliseconds);
    connect(&m_pause, &QTimer::timeout, this, &ProjectRecovery::keep);
    connect(&m_document, &ProjectDocument::changed, &m_pause, qOverload<>(&QTimer::start));
}

/// The first that no window has: of those with something to bring back, the latest first, or of the empty
/// ones; then of the others.
void ProjectRecovery::takePlace(Place first) {
    std::error_code error;
    std::filesystem::create_directories(m_folder, error);
    std::vector<int> order(windowPlaces);
    std::iota(order.begin(), order.end(), 0);
    const auto age = [this, first](int number) {
        std::error_code missing;
        const auto written = std::filesystem::last_write_time(placeIn(m_folder, number, ".yaml"), missing);
        const bool isKept = !missing;
        return std::pair(isKept != (first == Place::Kept), isKept ? -written.time_since_epoch().count() : 0);
    };
    std::ranges::stable_sort(order, {}, age);
    for (const int number : order) {
        auto lock =
            std::make_unique<QLockFile>(QString::fromStdString(placeIn(m_folder, number, ".lock").string()));
        lock->setStaleLockTime(0);  // only when the program that had it is gone
        if (!lock->tryLock(0))
            continue;
        m_lock = std::move(lock);
        m_file = placeIn(m_folder, number, ".yaml");
        m_holdsAnother = std::filesystem::exists(m_file, error);
        return;
    }
}

bool ProjectRecovery::bringBack() {
    std::error_code error;
    if (m_file.empty() || !std::filesystem::exists(m_file, error))
        return false;
    m_holdsAnother = false;
    try {
        std::string text = readFile(m_file);
        if (text.starts_with(fileMark)) {
            const std::size_t end = text.find('\n');
            const std::string file = text.substr(fileMark.size(), end - fileMark.size());
            text.erase(0, end == std::string::npos ? text.size() : end + 1);
            if (std::filesystem::exists(file, error))
                m_document.load(file);
        }
        m_document.setYaml(QString::fromStdString(text));
        return true;
    } catch (...) {
        const std::filesystem::path aside = freePath(m_file.string() + ".damaged");
        std::filesystem::rename(m_file, aside, error);
        emit keepingFailed(
            tr("The kept project could not be read and was set aside as %1: %2", "file, reason")
                .arg(QString::fromStdString(withTilde(error ? m_file : aside)),
                     sentenceText(currentProblem().message)));
        return false;
    }
}

void ProjectRecovery::keep() {
    if (m_file.empty())
        return;
    m_pause.stop();
    if (m_holdsAnother && m_files.hasUnsavedChanges())
        takePlace(Place::Empty);
    if (m_holdsAnother)
        return;
    if (!m_files.hasUnsavedChanges()) {
        std::error_code error;
        std::filesystem::remove(m_file, error);
        return;
    }
    const std::string file = m_document.file().string();
    const std::string head = file.empty() ? std::string() : std::string(fileMark) + file + '\n';
    try {
        writeFileAtomically(m_file, head + m_document.yaml().toStdString());
        m_hasFailed = false;
    } catch (...) {
        if (!std::exchange(m_hasFailed, true))
            emit keepingFailed(tr("What you edit is kept only in this window: %1", "reason")
                                   .arg(sentenceText(currentProblem().message)));
    }
}

}  // namespace meshreel
