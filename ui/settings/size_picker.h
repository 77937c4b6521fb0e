// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSize>
#include <QString>
#include <QWidget>

class QComboBox;
class QToolButton;

namespace meshreel {

class ProjectDocument;

/// Width and height by class ("480p") and aspect ("16:9"). What is none of them is called custom; the fields
/// of width and height hold the truth.
class SizePicker : public QWidget {
    Q_OBJECT

  public:
    explicit SizePicker(ProjectDocument& document, QWidget* parent = nullptr);

    /// What the family's sizes are multiples of, in pixels.
    void setMultiple(int multiple) { m_multiple = multiple; }

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void choose();
    void swap();
    void setSize(QSize size, const QString& title);
    void refresh();

    ProjectDocument& m_document;
    int m_multiple = 16;
    QComboBox* m_class;
    QComboBox* m_aspect;
    QToolButton* m_swap;
};

/// Returns the size of a class (pixels of the shorter side of 16:9) and aspect, in multiples of `multiple`:
/// about as many pixels as the class has at 16:9.
QSize sizeOfClass(int lines, QSize aspect, int multiple);

}  // namespace meshreel
