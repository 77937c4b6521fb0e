// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "engine/project/clip_place.h"
#include "engine/project/keyframes.h"
#include "engine/project/project.h"
#include "engine/project/project_keys.h"
#include "ui/settings/key_field.h"

class QPushButton;
class QVBoxLayout;

namespace meshreel {

class KeyframeStrip;

/// The keyframes of a project: a strip of the clip with the pictures at their places, and a line for each:
/// its file, its place and how that is counted.
class KeyframeField : public KeyField {
    Q_OBJECT

  public:
    KeyframeField(const ProjectKey& key, QWidget* parent);

    [[nodiscard]] QString text() const override;
    void setText(const QString& text) override;
    void showProject(const Project& project) override;
    /// Adds pictures as if they had been chosen in the dialog, each in the middle of the widest gap.
    void add(const QStringList& files);
    [[nodiscard]] KeyframeStrip& strip() const { return *m_strip; }

  protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

  private:
    /// The signal to emit: edited() or chosen().
    using Told = void (KeyField::*)(const QString& text);

    void choose();
    void addAt(const QStringList& files, std::int64_t frame);
    void move(std::size_t index, std::int64_t frame, bool typed);
    void remove(std::size_t index);
    [[nodiscard]] std::int64_t widestGap(const KeyframeList& keyframes) const;
    [[nodiscard]] ClipPlace placeAt(std::int64_t frame, PlaceUnit unit) const;
    void rebuild();
    void showStrip();
    QWidget* makeLine(std::size_t index);
    QWidget* makeFile(std::size_t index, QWidget* line);
    QWidget* makePlace(std::size_t index, QWidget* line);
    QWidget* makeUnit(std::size_t index, QWidget* line);
    void changeOne(std::size_t index, Told told, const std::function<void(Keyframe&)>& set);
    void change(Told told, KeyframeList keyframes);

    const ProjectKey& m_key;
    KeyframeList m_keyframes;
    Project m_project;  ///< whose clip the strip is
    KeyframeStrip* m_strip;
    QVBoxLayout* m_lines;
    QPushButton* m_add;
    std::vector<QWidget*> m_widgets;  ///< the lines
};

}  // namespace meshreel
