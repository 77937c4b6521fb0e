// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QWidget>
#include <string>
#include <vector>

class QLabel;
class QPushButton;
class QToolButton;

namespace meshreel {

class InputRequest;
struct ModelFamily;
class ProjectDocument;
class TaskSwitch;

/// What the video is made of, as words: Text, Image, Video, Edit, Character. A click is the whole step
/// (TaskSwitch): the form below asks for the first input that the task lacks, and offers a model to download
/// where none of this machine does the task.
class TaskPicker : public QWidget {
    Q_OBJECT

  public:
    explicit TaskPicker(ProjectDocument& document, QWidget* parent = nullptr);

    /// The project's model decides which kind `auto` means. Null: not known.
    void setFamily(const ModelFamily* family);
    [[nodiscard]] TaskSwitch& taskSwitch() const { return *m_switch; }
    [[nodiscard]] InputRequest& request() const { return *m_request; }

  signals:
    /// A file for the input of this key is to be chosen.
    void fileRequested(const QString& keyName);
    /// What `meshreel get` offers under this id is to be downloaded.
    void modelRequested(const QString& offer);

  protected:
    void changeEvent(QEvent* event) override;

  private:
    QWidget* makeButtons();
    QWidget* makeOffer();
    void refresh();
    void refreshOffer();
    void refreshRequest();

    ProjectDocument& m_document;
    TaskSwitch* m_switch;
    std::vector<QToolButton*> m_buttons;
    QWidget* m_offer;  ///< hidden while something does the task
    QLabel* m_offerWords;
    QPushButton* m_get;
    std::string m_offered;
    InputRequest* m_request;
};

}  // namespace meshreel
