// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QPlainTextEdit;
class QStackedWidget;
class QToolButton;

namespace meshreel {

class EmptyState;

/// The timing summary of a run, to be read and copied.
class SummaryPanel : public QWidget {
    Q_OBJECT

  public:
    explicit SummaryPanel(QWidget* parent = nullptr);

    void setText(const QString& summary);
    [[nodiscard]] QString text() const;
    void copy() const;

  signals:
    /// There is no summary: a run is to be chosen.
    void runsRequested();

  private:
    QStackedWidget* m_stage;
    EmptyState* m_empty;
    QPlainTextEdit* m_text;
    QToolButton* m_copy;
};

}  // namespace meshreel
