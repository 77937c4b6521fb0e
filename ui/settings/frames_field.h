// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "engine/project/project.h"
#include "ui/settings/key_field.h"
#include "ui/widgets/edits.h"

namespace meshreel {

/// A length whose arrows go from one legal number of frames to the next.
class SecondsEdit : public NumberEdit {
    Q_OBJECT

  public:
    explicit SecondsEdit(QWidget* parent);

    void stepBy(int steps) override { emit stepped(steps); }

  signals:
    void stepped(int steps);
};

/// The length of the video, in frames and in seconds: each follows the other. Of seconds the nearest legal
/// number of frames is taken, and what that takes is shown once they are typed.
class FramesField : public KeyField {
    Q_OBJECT

  public:
    /// `frames` are the legal numbers of them.
    FramesField(const NumberEdit::Steps& frames, QWidget* parent);

    [[nodiscard]] QString text() const override { return m_frames->value(); }
    void setText(const QString& text) override;
    [[nodiscard]] std::vector<QWidget*> inputs() const override { return {m_frames, m_seconds}; }
    /// Its rate is what frames and seconds are converted with.
    void showProject(const Project& project) override;

  private:
    void takeSeconds(const QString& typed);
    void showSeconds();

    NumberEdit* m_frames;
    SecondsEdit* m_seconds;
    double m_fps = Project().fps;
    /// Frames that the typed seconds stand for: they are left as they are typed while it has that length.
    std::optional<QString> m_asked;
};

}  // namespace meshreel
