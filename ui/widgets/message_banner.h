// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

#include "ui/controller/run_news.h"

class QLabel;

namespace meshreel {

/// A strip at the top of the window that says once what went wrong, where, and what to do; stays until
/// closed.
class MessageBanner : public QFrame {
    Q_OBJECT

  public:
    explicit MessageBanner(QWidget* parent = nullptr);

    void showTrouble(const Trouble& trouble);
    void showNote(const QString& sentence);
    [[nodiscard]] QString text() const;

  private:
    void show(const QString& html, const QColor& colour);

    QLabel* m_text;
};

}  // namespace meshreel
