// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QActionEvent>
#include <QStandardPaths>
#include <QString>
#include <QStringList>
#include <QToolBar>
#include <QToolButton>
#include <QWidget>

class QAction;
class QHBoxLayout;
class QIcon;
class QLabel;
class QPushButton;
class QWidget;

namespace meshreel {

/// A tool bar in a panel, whose actions need not be in a menu of the window: Tab reaches its buttons, which
/// Qt's pass over.
class PanelToolBar : public QToolBar {
    Q_OBJECT

  public:
    using QToolBar::QToolBar;

  protected:
    void actionEvent(QActionEvent* event) override {
        QToolBar::actionEvent(event);
        if (event->type() == QEvent::ActionAdded)
            if (auto* button = qobject_cast<QToolButton*>(widgetForAction(event->action())))
                button->setFocusPolicy(Qt::TabFocus);
    }
};

/// A paragraph of no more than a few lines, however long its text is: the last one is shortened, and the tool
/// tip shows the whole. It can be copied.
class ClampedText : public QWidget {
    Q_OBJECT

  public:
    /// `mostLines`: at least 1.
    explicit ClampedText(int mostLines, QWidget* parent = nullptr);

    void setText(const QString& text);
    /// Returns the whole.
    [[nodiscard]] const QString& text() const { return m_text; }
    /// Returns the lines as shown in `width` pixels.
    [[nodiscard]] QStringList lines(int width) const;

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;

  protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    void refreshToolTip();

    int m_mostLines;
    QString m_text;
};

/// Shown where there is nothing yet: a sentence that says what to do, and buttons that do it.
class EmptyState : public QWidget {
    Q_OBJECT

  public:
    explicit EmptyState(const QString& sentence, QWidget* parent = nullptr);

    void setSentence(const QString& sentence);
    [[nodiscard]] QString sentence() const;

    /// Returns a button that triggers the action, and shows its icon and text; enabled when the action is.
    QPushButton* addButton(QAction* action);
    QPushButton* addButton(const QIcon& icon, const QString& text);

  private:
    QLabel* m_sentence;
    QHBoxLayout* m_buttons;
};

/// Returns the folder of the last export; at first the folder that the desktop has for such files, or the
/// home folder.
QString exportFolder(QStandardPaths::StandardLocation first = QStandardPaths::DocumentsLocation);

/// Keeps the folder of the chosen file for the next exports.
void keepExportFolder(const QString& file);

/// A file that is to be written.
struct ExportedFile {
    QString title;    ///< title of the dialog
    QString name;     ///< unless another one is given
    QString filters;  ///< as for QFileDialog; a name without an extension gets the first of the chosen one
    QStandardPaths::StandardLocation first = QStandardPaths::DocumentsLocation;  ///< as for exportFolder()
};

/// Asks where it is to be; empty when that is cancelled.
QString askForExport(const ExportedFile& file, QWidget* window);

/// Asks for the format and the file to write a chart to.
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
