// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QLineEdit>
#include <QStringList>
#include <QStyledItemDelegate>
#include <functional>

class QCompleter;

namespace meshreel {

/// A line of names between commas, such as tags; completes the one that is typed.
class NamesEdit : public QLineEdit {
    Q_OBJECT

  public:
    /// `known`: the names that are offered.
    explicit NamesEdit(const QStringList& known, QWidget* parent = nullptr);

    /// Returns the names, each once, without spaces at the ends.
    [[nodiscard]] QStringList names() const;
    [[nodiscard]] QCompleter& completer() const { return *m_completer; }

  protected:
    void keyPressEvent(QKeyEvent* event) override;

  private:
    void offer();
    void take(const QString& name);
    /// Returns where the name at the cursor begins.
    [[nodiscard]] qsizetype beginOfName() const;

    QStringList m_known;
    QCompleter* m_completer;
};

/// Edits the names in a column of a table.
class NamesDelegate : public QStyledItemDelegate {
    Q_OBJECT

  public:
    /// `known` gives the names that are offered.
    NamesDelegate(std::function<QStringList()> known, QObject* parent);

    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const override;

  private:
    std::function<QStringList()> m_known;
};

/// Asks for names over the window: Enter takes them, Escape and a click elsewhere leave them. Deletes itself.
class NamesPopup : public QFrame {
    Q_OBJECT

  public:
    struct Names {
        QString title;
        QStringList present;  ///< what is there
        QStringList known;    ///< what is offered
    };

    NamesPopup(const Names& names, QWidget* parent);

    void showAt(const QPoint& place);
    [[nodiscard]] NamesEdit& edit() const { return *m_edit; }

  signals:
    void entered(const QStringList& names);

  private:
    NamesEdit* m_edit;
};

}  // namespace meshreel
