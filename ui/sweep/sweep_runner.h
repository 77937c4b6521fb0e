// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <filesystem>
#include <memory>
#include <vector>

#include "engine/base/stop_token.h"
#include "engine/measure/sweep.h"
#include "ui/controller/background.h"

namespace meshreel {

/// A sweep that was read, with the passes that its folder holds already.
struct OpenedSweep {
    std::shared_ptr<const SweepFile> sweep;
    std::filesystem::path file;
    std::filesystem::path folder;  ///< of the results
    std::vector<SweepRow> rows;
};

/// Where a sweep's results are kept: beside its file, or in the user's data folder where nothing can be
/// written there.
std::filesystem::path sweepFolderOf(const std::filesystem::path& file);

/// Throws ProjectError for a file that is no sweep, Error{Project} when the folder is of another one.
OpenedSweep openSweep(const std::filesystem::path& file, const std::filesystem::path& folder);

/// Times the cells of a sweep on a thread of its own, one sweep at a time. News come on the thread of this
/// object.
class SweepRunner : public QObject {
    Q_OBJECT

  public:
    explicit SweepRunner(QObject* parent = nullptr);
    /// Stops the sweep and waits for it; it goes on where it was stopped.
    ~SweepRunner() override;

    [[nodiscard]] bool isBusy() const { return m_isBusy; }
    /// Nothing while one is going on.
    void start(const std::shared_ptr<const SweepFile>& sweep, const std::filesystem::path& folder);
    void cancel();

  signals:
    void busyChanged(bool busy);
    /// A pass was timed, or a cell refused.
    void rowAdded(const meshreel::SweepRow& row);

    // Exactly one of these ends a sweep.
    void finished();
    void cancelled();
    void failed(const meshreel::Trouble& trouble);

  private:
    void setBusy(bool busy);

    bool m_isBusy = false;
    StopSource m_stop;
    Background m_background;
};

}  // namespace meshreel
