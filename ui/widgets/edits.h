// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractSpinBox>
#include <QComboBox>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QStringList>
#include <QWheelEvent>

#include "ui/widgets/accessibility.h"

class QMimeData;

namespace meshreel {

/// A combo box that leaves the wheel to the scrolling form until it was chosen.
class FormComboBox : public QComboBox {
    Q_OBJECT

  public:
    explicit FormComboBox(QWidget* parent) : QComboBox(parent) {
        tellNamesOfBoxes();  // before anybody asks for that of this one
        setFocusPolicy(Qt::StrongFocus);
        setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    }

  protected:
    void wheelEvent(QWheelEvent* event) override {
        if (hasFocus())
            QComboBox::wheelEvent(event);
        else
            event->ignore();
    }
};

/// A spin box that lets anything be typed: what is illegal is explained beside it, not swallowed. The arrows
/// move by `step` to the next legal value within [minimum, maximum].
class NumberEdit : public QAbstractSpinBox {
    Q_OBJECT

  public:
    struct Steps {
        double minimum;
        double maximum;
        double step;
        bool integer;
    };

    explicit NumberEdit(const Steps& steps, QWidget* parent = nullptr);

    [[nodiscard]] QString value() const;
    void setValue(const QString& text);
    /// Words that are shown for a value while nobody types: "all (2)" for 0. No words: the value itself.
    void setStandIn(const QString& value, const QString& words);
    /// Returns the text to read in it: the value, or the words for it.
    [[nodiscard]] QString shownText() const;

    void stepBy(int steps) override;
    [[nodiscard]] QValidator::State validate(QString& input, int& position) const override;
    void fixup(QString& input) const override;

  signals:
    void edited(const QString& text);

  protected:
    [[nodiscard]] StepEnabled stepEnabled() const override;
    void wheelEvent(QWheelEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

  private:
    void setByArrows(const QString& text);
    void showValue(const QString& value);

    Steps m_steps;
    QString m_standsFor;
    QString m_words;
    bool m_showsWords = false;
};

/// Returns the local files and folders of what is dragged; empty when there are none.
QStringList draggedPaths(const QMimeData* data);

/// Returns a path as it is shown and stored: folders of the home below "~".
QString shownPath(const QString& path);

/// A line for paths, into which files can be dropped. Several are separated by commas.
class PathEdit : public QLineEdit {
    Q_OBJECT

  public:
    enum class Count { One, Several };

    PathEdit(Count count, QWidget* parent);

    /// Replaces the path, or adds to several.
    void take(const QStringList& paths);

    /// Returns whether its text is changing with a key that was pressed, completion included.
    [[nodiscard]] bool isTyping() const { return m_typing; }

  signals:
    /// Paths were chosen or dropped; typing emits textEdited().
    void taken(const QString& text);

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    void inputMethodEvent(QInputMethodEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragMoveEvent(QDragMoveEvent* event) override;
    void dropEvent(QDropEvent* event) override;

  private:
    Count m_count;
    bool m_typing = false;
};

/// A text editor that leaves dropped files to the window around it; others would write their addresses into
/// the text.
class TextEdit : public QPlainTextEdit {
    Q_OBJECT

  public:
    explicit TextEdit(QWidget* parent = nullptr);

    /// Replaces what differs, so that cursor and scroll position stay; emits nothing.
    void replaceText(const QString& text);

  protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragMoveEvent(QDragMoveEvent* event) override;
    void dropEvent(QDropEvent* event) override;
};

}  // namespace meshreel
