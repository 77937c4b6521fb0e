// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/run_cells.h"

#include <QLocale>

#include "engine/runs/run_history.h"
#include "ui/models/key_texts.h"
#include "ui/models/run_history_model.h"
#include "ui/models/run_texts.h"

namespace meshreel {

namespace {

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

/// Columns that status.json of earlier versions does not tell.
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

}  // namespace

QString titleOf(const RunSummary& run) {
    const std::string& title = run.prompt.empty() ? run.name : run.prompt;
    return QString::fromStdString(title.empty() ? run.folder.filename().string() : title);
}

QString startText(const RunSummary& run) {
    const QDateTime start = startOf(run.state);
    return start.isValid() ? QLocale().toString(start, QLocale::ShortFormat) : QString();
}

QString detailOf(const RunSummary& run) {
    if (!run.problem.empty())
        return sentenceText(run.problem);
    return QString::fromStdString(run.name.empty() ? run.folder.filename().string() : run.name);
}

QString toolTipOf(const RunSummary& run) {
    return QStringLiteral("%1\n%2\n%3")
        .arg(titleOf(run), stateSentence(run.state), QString::fromStdString(run.folder.string()));
}

QString searchText(const RunSummary& run) {
    return QStringList{titleOf(run),
                       QString::fromStdString(run.name),
                       statusTitle(run.state.status),
                       run.state.outline ? modelText(*run.state.outline) : QString(),
                       run.state.outline ? QString::fromStdString(run.state.outline->attention) : QString(),
                       tagText(run),
                       QString::fromStdString(run.notes.note),
                       QString::fromStdString(run.folder.filename().string())}
        .join(QLatin1Char('\n'));
}

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
        default:
            return run.state.outline ? outlineText(*run.state.outline, column) : QString();
    }
}

QVariant sortValue(const RunSummary& run, int column) {
    switch (column) {
        case RunHistoryModel::Started:
            return startOf(run.state);
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
        default:
            return cellText(run, column).toCaseFolded();
    }
}

}  // namespace meshreel
