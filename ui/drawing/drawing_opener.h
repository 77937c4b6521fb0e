// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <filesystem>

#include "engine/base/problem.h"
#include "engine/media/drawing.h"
#include "engine/media/drawing_file.h"
#include "engine/media/track_drawing.h"
#include "ui/drawing/drawing_edits.h"

class QWidget;

namespace meshreel {

class DrawingDialog;
class ProjectDocument;
struct Project;

/// Opens the drawing that a key of the project names, or a new one, over the project's clip, and names it at
/// the key when it is saved: beside the project's file, or where this is asked. A drawing that lies
/// elsewhere, as in the folder of a run, is copied.
class DrawingOpener : public QObject {
    Q_OBJECT

  public:
    DrawingOpener(ProjectDocument& document, QWidget& window, QObject* parent = nullptr);

    /// `keyName`: "mask" or "tracks".
    void open(const QString& keyName);

  signals:
    /// What the key names cannot be drawn on.
    void failed(const meshreel::Problem& problem);

  private:
    /// What is opened, and the file that it is saved to; empty where there is none yet.
    struct Opened {
        Drawing drawing;
        std::filesystem::path file;
        QString remark;
    };

    [[nodiscard]] Opened read(const QString& keyName, DrawingKind kind) const;
    [[nodiscard]] Opened readNamed(const std::filesystem::path& file, DrawingKind kind,
                                   const Project& project) const;
    [[nodiscard]] bool isBesideProject(const std::filesystem::path& file) const;
    [[nodiscard]] std::filesystem::path fileBesideProject(DrawingKind kind) const;
    void use(const QString& keyName, const QString& file);

    ProjectDocument& m_document;
    QWidget& m_window;
};

/// Returns the tracks that a list of points says, each with as few points as it needs. `times` are those of
/// the points; points behind them are left out. What is never seen again (`visibility`, which may be empty)
/// is left out likewise, and what is hidden only for a while stays.
TrackDrawing drawingOfPoints(const std::filesystem::path& file, const std::filesystem::path& visibility,
                             const DrawingCanvas& canvas, const SpreadTimes& times);

}  // namespace meshreel
