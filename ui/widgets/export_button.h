// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QToolButton>

namespace meshreel {

/// Asks in which format and to which file a chart is to be written.
class ExportButton : public QToolButton {
    Q_OBJECT

  public:
    /// `stem` is what the file is called unless another name is given.
    ExportButton(const QString& stem, QWidget* parent);

    /// Whether there is a chart to be written; menu() may hold more.
    void setFormatsEnabled(bool enabled);

  signals:
    void exportRequested(const QString& file);

  private:
    void askForFile(const QString& extension, const QString& title);

    QString m_stem;
    QList<QAction*> m_formats;
};

}  // namespace meshreel
