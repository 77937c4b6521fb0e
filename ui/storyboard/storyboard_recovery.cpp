// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/storyboard/storyboard_recovery.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/paths.h"
#include "ui/storyboard/storyboard_document.h"
#include "ui/storyboard/storyboard_files.h"
#include "ui/values/engine_texts.h"

namespace meshreel {

namespace {

constexpr int keepingPause = 500;  ///< milliseconds after the last change
constexpr int storyboardPlaces = 8;
constexpr std::string_view storyboardFileMark = "# file: ";

std::filesystem::path storyboardPlace(const std::filesystem::path& folder, int number,
                                      const char* extension) {
    return folder / ("storyboard-" + std::to_string(number) + extension);
}

}  // namespace

StoryboardRecovery::StoryboardRecovery(StoryboardDocument& document, const StoryboardFiles& files,
                                       const std::filesystem::path& folder, QObject* parent)
    : QObject(parent), m_document(document), m_files(files), m_folder(folder) {
    takePlace(true);
    m_pause.setSingleShot(true);
    m_pause.setInterval(keepingPause);
    connect(&m_pause, &QTimer::timeout, this, &StoryboardRecovery::keep);
    connect(&m_document, &StoryboardDocument::changed, &m_pause, qOverload<>(&QTimer::start));
}

void StoryboardRecovery::takePlace(bool holdsSomething) {
    std::error_code ignored;
    std::filesystem::create_directories(m_folder, ignored);
    for (const bool wanted : {holdsSomething, !holdsSomething})
        for (int number = 0; number < storyboardPlaces; ++number)
            if (tryPlace(number, wanted))
                return;
}

bool StoryboardRecovery::tryPlace(int number, bool holdsSomething) {
    std::error_code ignored;
    const std::filesystem::path file = storyboardPlace(m_folder, number, ".yaml");
    if (std::filesystem::exists(file, ignored) != holdsSomething)
        return false;
    auto lock = std::make_unique<QLockFile>(
        QString::fromStdString(storyboardPlace(m_folder, number, ".lock").string()));
    lock->setStaleLockTime(0);  // only when the program that had it is gone
    if (!lock->tryLock(0))
        return false;
    m_lock = std::move(lock);
    m_file = file;
    m_holdsAnother = holdsSomething;
    return true;
}

bool StoryboardRecovery::bringBack() {
    std::error_code error;
    if (m_file.empty() || !std::filesystem::exists(m_file, error))
        return false;
    m_holdsAnother = false;
    try {
        std::string text = readFile(m_file);
        std::filesystem::path file;
        if (text.starts_with(storyboardFileMark)) {
            const std::size_t end = std::min(text.find('\n'), text.size() - 1);
            file = text.substr(storyboardFileMark.size(), end - storyboardFileMark.size());
            text.erase(0, end + 1);
        }
        m_document.bringBack(text, std::filesystem::exists(file, error) ? file : std::filesystem::path());
        return true;
    } catch (...) {
        const std::filesystem::path aside = freePath(m_file.string() + ".damaged");
        std::filesystem::rename(m_file, aside, error);
        emit keepingFailed(
            tr("The kept storyboard could not be read and was set aside as %1: %2", "file, reason")
                .arg(QString::fromStdString(withTilde(error ? m_file : aside)),
                     sentenceText(currentProblem().message)));
        return false;
    }
}

void StoryboardRecovery::keep() {
    if (m_file.empty())
        return;
    m_pause.stop();
    const bool isWanted = m_files.hasUnsavedChanges();
    if (m_holdsAnother && isWanted)
        takePlace(false);
    if (m_holdsAnother)
        return;
    if (!isWanted) {
        std::error_code error;
        std::filesystem::remove(m_file, error);
        return;
    }
    const std::string file = m_document.file().string();
    const std::string head = file.empty() ? std::string() : std::string(storyboardFileMark) + file + '\n';
    try {
        writeFileAtomically(m_file, head + m_document.text());
        m_hasFailed = false;
    } catch (...) {
        if (!std::exchange(m_hasFailed, true))
            emit keepingFailed(tr("The storyboard is kept only in this window: %1", "reason")
                                   .arg(sentenceText(currentProblem().message)));
    }
}

}  // namespace meshreel

#include "moc_storyboard_recovery.cpp"
