// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <filesystem>
#include <optional>

#include "ui/tune/tile_tuner.h"

class QPushButton;

namespace meshreel {

class ExportButton;
class ProjectDocument;
class TuneForm;
class TuneResults;

/// The search for the block sizes that are fastest here for the project's video, mesh and attention: what is
/// tried, what it took, and the winner, to be written into the project.
class TunePanel : public QWidget {
    Q_OBJECT

  public:
    explicit TunePanel(ProjectDocument& document, QWidget* parent = nullptr);

    /// Why no search may start; empty when one may.
    void setObstacle(const QString& reason);
    [[nodiscard]] TileTuner& tuner() const { return *m_tuner; }
    [[nodiscard]] TuneForm& form() const { return *m_form; }
    [[nodiscard]] TuneResults& results() const { return *m_results; }

    void start();
    /// As one step that can be undone.
    void writeToProject();
    /// The map, in the format of the file's extension. Throws Error.
    void exportTo(const std::filesystem::path& file) const;

  signals:
    void troubled(const meshreel::Trouble& trouble);
    /// The user chose a file to export the map to.
    void exportRequested(const QString& file);

  private:
    QWidget* makeSide();
    void connectTuner();
    void refresh();

    ProjectDocument& m_document;
    TileTuner* m_tuner;
    TuneForm* m_form;
    TuneResults* m_results;
    QPushButton* m_start;
    QPushButton* m_cancel;
    QPushButton* m_write;
    ExportButton* m_export;
    std::optional<TuneResult> m_result;
    QString m_obstacle;
};

}  // namespace meshreel
