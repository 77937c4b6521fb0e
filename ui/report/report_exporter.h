// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>
#include <filesystem>
#include <vector>

#include "engine/base/stop_token.h"
#include "ui/controller/background.h"
#include "ui/report/report_contents.h"

namespace meshreel {

/// Writes reports without holding up the window: runs are read and pages made on another thread, charts are
/// drawn on this one, one for each turn of its event loop.
class ReportExporter : public QObject {
    Q_OBJECT

  public:
    explicit ReportExporter(QObject* parent = nullptr);
    ~ReportExporter() override;

    /// A report of runs in folders and of pasted ones, .html or .pdf. Nothing while one is being written.
    void write(const QString& file, const std::vector<std::filesystem::path>& folders,
               const std::vector<RunRecord>& pasted);
    [[nodiscard]] bool isBusy() const { return m_isBusy; }

  signals:
    void busyChanged(bool busy);
    void written(const QString& file);
    void troubled(const meshreel::Trouble& trouble);

  private:
    void drawNext();
    void finish();
    void fail(const Trouble& trouble);
    void setBusy(bool busy);

    QString m_file;
    RunReport m_report;
    std::vector<ReportChart> m_toDraw;
    QTimer m_turn;
    bool m_isBusy = false;
    StopSource m_stop;
    Background m_background;
};

}  // namespace meshreel
