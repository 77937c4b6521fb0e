// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/sweep/sweep_runner.h"

#include <unistd.h>

#include "engine/base/error.h"
#include "engine/base/paths.h"

namespace meshreel {

namespace {

/// Whether it came to its end.
bool sweepUnlessCancelled(const SweepFile& sweep, const std::filesystem::path& folder, const StopToken& stop,
                          const OnSweepRow& onRow) {
    try {
        static_cast<void>(runSweep(sweep, folder, stop, onRow));
        return true;
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled)
            return false;
        throw;
    }
}

}  // namespace

std::filesystem::path sweepFolderOf(const std::filesystem::path& file) {
    const std::string name = file.stem().string() + "-sweep";
    const std::filesystem::path beside = std::filesystem::absolute(file).parent_path();
    return (access(beside.c_str(), W_OK) == 0 ? beside : userDataFolder() / "sweeps") / name;
}

OpenedSweep openSweep(const std::filesystem::path& file, const std::filesystem::path& folder) {
    auto sweep = std::make_shared<const SweepFile>(loadSweep(file));
    std::vector<SweepRow> rows = recordedPasses(*sweep, folder);
    return {.sweep = std::move(sweep), .file = file, .folder = folder, .rows = std::move(rows)};
}

SweepRunner::SweepRunner(QObject* parent) : QObject(parent) {}

SweepRunner::~SweepRunner() {
    m_stop.request_stop();
}

void SweepRunner::start(const std::shared_ptr<const SweepFile>& sweep, const std::filesystem::path& folder) {
    if (m_isBusy)
        return;
    m_stop = {};
    setBusy(true);
    const OnSweepRow tell = [this](const SweepRow& row, std::size_t, std::size_t) {
        QMetaObject::invokeMethod(
            this, [this, row] { emit rowAdded(row); }, Qt::QueuedConnection);
    };
    m_background.run([sweep, folder, tell,
                      stop = m_stop.get_token()] { return sweepUnlessCancelled(*sweep, folder, stop, tell); },
                     [this](bool ended) {
                         setBusy(false);
                         if (ended)
                             emit finished();
                         else
                             emit cancelled();
                     },
                     [this](const Trouble& trouble) {
                         setBusy(false);
                         emit failed(trouble);
                     });
}

void SweepRunner::cancel() {
    m_stop.request_stop();
}

void SweepRunner::setBusy(bool busy) {
    m_isBusy = busy;
    emit busyChanged(busy);
}

}  // namespace meshreel
