// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QPlainTextEdit;
class QToolButton;

namespace meshreel {

/// The timing summary of a run, to be read and copied.
class SummaryPanel : public QWidget {
    Q_OBJECT

  public:
    explicit SummaryPanel(QWidget* parent = nullptr);

    void setText(const QString& summary);
    [[nodiscard]] QString text() const;
    void copy() const;

  private:
    QPlainTextEdit* m_text;
    QToolButton* m_copy;
};

}  // namespace meshreel
